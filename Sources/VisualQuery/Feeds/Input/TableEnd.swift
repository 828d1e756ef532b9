/// Tells whether a table ends within its last field, by what the other rows have there.
///
/// Many healthy tables lack the line break at their end. So a table counts as cut only if its last field is the beginning of what
/// the others have: of a word such as `in stock`, of an end such as `.jpg` or ` EUR`, or of as many characters as all others have.
/// A last row with fewer fields is rejected in any case, and so is one that looks cut: its entity stays as it was, and none is removed.
struct TableEnd: Sendable {
  private let separator: UInt8
  /// The last field of the row that was read last.
  private var last: [UInt8]?
  private var rowCount = 0
  /// The last fields of the rows before, with their numbers, as long as they are few.
  private var values: [[UInt8]: Int] = [:]
  /// The end that all of them have, and their length if all have the same.
  private var commonEnd: [UInt8] = []
  private var length: Int?

  /// The most different values that are counted.
  private static let valueLimit = 32
  /// The most bytes of a last field that is looked at.
  private static let byteLimit = 256
  /// The least number of rows from which something is concluded, and of those that must have a word.
  private static let (leastRows, leastUses) = (10, 3)

  init(separator: UInt8) { self.separator = separator }

  /// Adds a row.
  mutating func add(_ record: [UInt8]) {
    if let last { count(last) }
    let start = record.lastIndex(of: separator).map { $0 + 1 } ?? 0
    last = Array(record[start...].suffix(Self.byteLimit + 1))
  }

  private mutating func count(_ field: [UInt8]) {
    rowCount += 1
    if rowCount == 1 {
      (commonEnd, length) = (Array(field.suffix(16)), field.count)
    } else {
      let count = zip(commonEnd.reversed(), field.reversed()).prefix { $0 == $1 }.count
      commonEnd.removeFirst(commonEnd.count - count)
      if length != field.count { length = nil }
    }
    if values[field] != nil || values.count < Self.valueLimit { values[field, default: 0] += 1 }
  }

  /// Returns the reason to believe that the last field is cut off, or `nil` if there is none.
  var cutReason: String? {
    guard let last, rowCount >= Self.leastRows, !last.isEmpty, last.count <= Self.byteLimit,
      values[last] == nil
    else { return nil }
    let shown = String(decoding: last.prefix(40), as: UTF8.self)
    let start = "looks cut off: the line has no end, and its last field '\(shown)' "
    if let word = word(beginningWith: last) {
      return start + "is the beginning of '\(String(decoding: word.prefix(40), as: UTF8.self))'"
    }
    if endsWithin(last) {
      return start
        + "lacks the end '\(String(decoding: commonEnd, as: UTF8.self))' that all others have"
    }
    if let length, length >= 8, length <= Self.byteLimit, last.count < length,
      rowCount >= 2 * Self.leastRows
    {
      return start + "is shorter than all others, which have \(length) bytes"
    }
    return nil
  }

  /// Returns a word that several rows have and that begins with a text, if nearly all rows have such words.
  private func word(beginningWith text: [UInt8]) -> [UInt8]? {
    let words = values.filter { $0.value >= Self.leastUses }
    let count = words.values.reduce(0, +)
    // Of numbers, the beginning is a number.
    let isNumber = text.allSatisfy { !(0x41...0x5A).contains($0 & 0xDF) && $0 < 0x80 }
    guard count * 10 >= rowCount * 9, !isNumber else { return nil }
    return words.keys.filter { $0.starts(with: text) }.min { $0.count < $1.count }
  }

  /// Returns whether a text ends within the end that all other fields have.
  private func endsWithin(_ text: [UInt8]) -> Bool {
    guard commonEnd.count > 1 else { return false }
    return (1..<commonEnd.count).contains { count in
      let part = commonEnd.prefix(count)
      let isLetter = (0x41...0x5A).contains(part[0] & 0xDF) || part[0] >= 0x80
      return (count > 1 || !isLetter) && text.suffix(count).elementsEqual(part)
    }
  }
}
