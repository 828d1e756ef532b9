/// An amount as it is written, with the meaning of its separators as far as it is certain.
enum AmountText: Hashable, Sendable {
  /// A number whose separators are certain, as digits with at most one point. The marks are those
  /// that the text has.
  case exact(String, decimal: Character?, group: Character?)
  /// A number such as `1.299` or `1,299`, in which the mark may separate thousands or decimals.
  case ambiguous(whole: String, fraction: String, mark: Character)
  /// Text that is not one amount.
  case invalid

  /// Reads digits with points, commas, apostrophes and blanks between them.
  init(_ text: String) {
    var text = text[...]
    // `14,-` and `14.–` have no minor units; `.99` has no digit before the mark.
    if let last = text.last, ".,".contains(last) { text.removeLast() }
    guard let first = text.first, first.isASCII, first.isNumber || ".,".contains(first),
      text.last?.isNumber == true
    else {
      self = .invalid
      return
    }
    var runs: [Substring] = []
    var marks: [Character] = []
    var start = text.startIndex
    for index in text.indices where !text[index].isNumber {
      runs.append(text[start..<index])
      marks.append(text[index])
      start = text.index(after: index)
    }
    runs.append(text[start...])
    self = Self.amount(runs.map(String.init), marks)
  }

  /// Interprets runs of digits and the marks between them.
  private static func amount(_ runs: [String], _ marks: [Character]) -> AmountText {
    guard let last = marks.last else { return .exact(whole(runs[0]), decimal: nil, group: nil) }
    let kinds = Set(marks)
    let fraction = runs[runs.count - 1]
    if kinds.count > 2 { return .invalid }
    if kinds.count == 2 {
      // The mark that comes once and last separates the decimals.
      guard ".,".contains(last), marks.count(where: { $0 == last }) == 1,
        let digits = grouped(runs.dropLast())
      else { return .invalid }
      return .exact(digits + "." + fraction, decimal: last, group: marks[0])
    }
    if marks.count > 1 || !".,".contains(last) {
      return grouped(runs[...]).map { .exact($0, decimal: nil, group: last) } ?? .invalid
    }
    let integer = runs[0]
    let isCertain = fraction.utf8.count != 3 || integer.utf8.count > 3 || integer.first == "0"
    if isCertain || integer.isEmpty {
      return .exact(whole(integer) + "." + fraction, decimal: last, group: nil)
    }
    return .ambiguous(whole: integer, fraction: fraction, mark: last)
  }

  /// Returns the digits of groups of thousands, or of lakhs and crores, or `nil` if they are not
  /// such groups.
  private static func grouped(_ runs: ArraySlice<String>) -> String? {
    let sizes = runs.map(\.utf8.count)
    guard let first = sizes.first, (1...3).contains(first) else { return nil }
    let rest = sizes.dropFirst()
    guard rest.allSatisfy({ $0 == 3 }) || rest.last == 3 && rest.dropLast().allSatisfy({ $0 == 2 })
    else { return nil }
    return whole(runs.joined())
  }

  /// Returns an integer without needless zeros before it.
  private static func whole(_ digits: String) -> String {
    let digits = digits.drop { $0 == "0" }
    return digits.isEmpty ? "0" : String(digits)
  }
}
