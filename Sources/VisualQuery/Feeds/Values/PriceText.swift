/// A price as a feed writes it: an amount, and before or behind it a code or a mark of its
/// currency.
struct PriceText: Sendable, Hashable {
  let amount: AmountText
  /// The currencies that the text may mean, the usual one first, or `nil` if it names none.
  let candidates: [String]?
  /// The text.
  let text: String

  /// Makes a price without a currency.
  init(amount: AmountText, text: String) {
    (self.amount, candidates, self.text) = (amount, nil, text)
  }

  /// Reads a text such as `14.90 EUR`, `€14.90`, `1 299,00 €` or `Rs. 1,499.00`.
  ///
  /// - Throws: ``FieldError`` if the text is not one amount with at most one currency.
  init(_ source: String) throws(FieldError) {
    text = source.trimmed
    let normal = text.map(Self.normalized)
    guard let first = Self.start(of: normal), let last = normal.lastIndex(where: \.isNumber) else {
      throw Self.error("is '\(text)'; expected for example 14.90 EUR")
    }
    let digits = String(normal[first...last])
    guard digits.allSatisfy({ $0.isNumber || ".,' ".contains($0) }) else {
      throw Self.error("is '\(text)', which is not one amount; expected for example 14.90 EUR")
    }
    var marks: [[String]] = []
    for (part, isBehind) in [(normal[..<first], false), (normal[(last + 1)...], true)] {
      let mark = Self.mark(part, isBehind: isBehind)
      if mark.isEmpty { continue }
      if mark.hasPrefix("-") { throw Self.error("is '\(text)'; negative prices are not accepted") }
      guard let candidates = Currency.candidates(for: mark) else {
        throw Self.error(
          "is '\(text)' with the unknown currency '\(mark)'; expected for example EUR")
      }
      marks.append(candidates)
    }
    amount = AmountText(digits)
    if amount == .invalid {
      throw Self.error(
        "is '\(text)', whose separators fit no notation; expected for example 14.90 EUR")
    }
    guard marks.count < 2 || !Set(marks[0]).isDisjoint(with: marks[1]) else {
      throw Self.error("is '\(text)', which names two currencies")
    }
    candidates = marks.min { $0.count < $1.count }
  }

  /// Returns the currency of the price, if that is certain.
  ///
  /// - Parameter hint: The currency of prices that do not name one.
  func currency(or hint: String?) throws(FieldError) -> String {
    guard let candidates else {
      if let hint { return hint }
      throw Self.error("has no currency; add it with --currency")
    }
    if let hint, candidates.contains(hint) { return hint }
    guard let usual = candidates.first, !usual.isEmpty else {
      let choices = candidates.dropFirst().joined(separator: ", ")
      throw Self.error("has a currency that may be \(choices); name it with --currency")
    }
    return usual
  }

  private static func error(_ reason: String) -> FieldError {
    FieldError(field: "price", reason: reason)
  }

  /// Returns the first character of the amount: a digit, or a decimal mark directly before one.
  private static func start(of text: [Character]) -> Int? {
    guard let digit = text.firstIndex(where: \.isNumber) else { return nil }
    let isMark = digit > 0 && ".,".contains(text[digit - 1])
    // A mark after a letter belongs to the currency, as in `Rs.499`.
    let isOwn = isMark && (digit == 1 || !text[digit - 2].isLetter)
    return isOwn ? digit - 1 : digit
  }

  /// Returns digits of other scripts as ASCII, all blanks as a space, and all apostrophes as one.
  private static func normalized(_ character: Character) -> Character {
    switch character {
    case "’", "‘", "ʼ", "´", "`", "٬": return "'"
    case "٫": return "."
    case "–", "—", "−": return "-"
    default:
      if character.isASCII { return character }
      if character.isWhitespace { return " " }
      if character.isNumber, let digit = character.wholeNumberValue, digit < 10 {
        return Character("\(digit)")
      }
      return character
    }
  }

  /// Returns the mark of a currency before or behind an amount, without blanks, full stops and the
  /// stroke of `14,-`.
  private static func mark(_ part: ArraySlice<Character>, isBehind: Bool) -> String {
    let strokes = isBehind ? ".,:*-/" : ".:"
    var text = part.filter { $0 != " " }[...]
    while let first = text.first, strokes.contains(first) { text.removeFirst() }
    while let last = text.last, ".,:*".contains(last) { text.removeLast() }
    return String(text)
  }
}
