/// The format of a number in a cell of which people see more than the number: zeros before it, or a text, such as `00000` and
/// `"SKU-"0000`.
struct NumberFormat: Sendable {
  private enum Part: Sendable {
    case text(String)
    /// A digit, which is a zero if the number has none there.
    case digit(isZero: Bool)
  }

  private var parts: [Part] = []

  /// Reads the code of a format. Returns `nil` if it is one of another kind, such as that of an amount.
  init?(_ code: String) {
    var rest = code[...]
    while let character = rest.popFirst() {
      switch character {
      case ";": rest = ""
      case "\"":
        parts.append(.text(String(rest.prefix { $0 != "\"" })))
        rest = rest.drop { $0 != "\"" }.dropFirst()
      case "\\": parts.append(.text(rest.popFirst().map { String($0) } ?? ""))
      case "0", "#": parts.append(.digit(isZero: character == "0"))
      case "-", " ", "(", ")", ":", "/": parts.append(.text(String(character)))
      default: return nil
      }
    }
    let zeros = parts.filter { if case .digit(true) = $0 { true } else { false } }
    guard !zeros.isEmpty else { return nil }
    // `0 "pcs."` is the number itself with its unit.
    if case .text? = parts.first { return }
    if zeros.count < 2 { return nil }
  }

  /// Returns a number as people see it, or `nil` if it is not a whole one.
  func text(of number: String) -> String? {
    guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    var digits = number[...]
    var pieces: [String] = []
    let first = parts.firstIndex { if case .digit = $0 { true } else { false } }
    for (index, part) in parts.enumerated().reversed() {
      switch part {
      case .text(let text): pieces.append(text)
      case .digit(let isZero):
        if index == first {
          pieces.append(digits.isEmpty && isZero ? "0" : String(digits))
        } else if let digit = digits.popLast() {
          pieces.append(String(digit))
        } else if isZero {
          pieces.append("0")
        }
      }
    }
    return pieces.reversed().joined()
  }
}
