/// The name of a feed that the caller does not name: the place that it comes from, without what changes from night to night.
///
/// Dates and times in it become `*`, so that `products-2026-11-28.csv` and the file of the next night are one feed. The values
/// of an address's query may be secrets, and are part of the name only as a number that is made of them.
package enum FeedName {
  /// The name of standard input.
  package static let standardInput = "standard input"
  /// The most bytes of a name.
  package static let byteLimit = 1024

  /// Returns the name of the feed at a path or an address.
  package static func standard(of path: String) -> String {
    if path == "-" { return standardInput }
    guard FetchedPictures.isAddress(path) else {
      return withoutDates(FilePath.plain(path))
    }
    let address = withoutDates(String(path.prefix { $0 != "#" }))
    guard let mark = address.firstIndex(of: "?") else { return ShownAddress.of(address) }
    let query = address[address.index(after: mark)...]
    return "\(ShownAddress.of(String(address[..<mark])))?\(number(of: String(query)))"
  }

  /// Returns the name of a feed that is in one or several files, such as those of several machines: numbers in their names
  /// become `*`, too, so that a part is of the same feed as the whole.
  package static func standard(ofParts paths: [String]) -> String {
    guard let first = paths.map({ standard(of: $0) }).min() else { return standardInput }
    let slash = first.lastIndex(of: "/").map { first.index(after: $0) } ?? first.startIndex
    return String(first[..<slash]) + withoutNumbers(first[slash...])
  }

  /// Returns whether a caller may give a name: `none` stands for the entities without a feed.
  package static func isValid(_ name: String) -> Bool {
    (1...byteLimit).contains(name.utf8.count) && name != "none"
      && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
      && name.contains { !$0.isWhitespace }
  }

  /// Returns a number of eight hexadecimal digits that is made of a text (FNV-1a).
  private static func number(of text: String) -> String {
    var hash: UInt32 = 0x811C_9DC5
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private static func withoutNumbers(_ text: Substring) -> String {
    var result = ""
    for character in text {
      if !isDigit(character) {
        result.append(character)
      } else if !result.hasSuffix("*") {
        result.append("*")
      }
    }
    return result
  }

  // MARK: Dates

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  /// Returns a text with a `*` in place of each date, with the time that follows it, and of each time in seconds or milliseconds.
  private static func withoutDates(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      guard isDigit(first) else {
        result.append(first)
        rest.removeFirst()
        continue
      }
      let numbers = numbers(atStartOf: rest)
      if let count = dateLength(of: numbers) {
        let time = numbers[count...].prefix(3).prefix { [2, 4, 6].contains($0.count) }
        result.append("*")
        rest = rest[(time.last ?? numbers[count - 1]).endIndex...]
        if rest.first == "Z" { rest.removeFirst() }
      } else {
        let digits = numbers[0]
        result += digits
        rest = rest[digits.endIndex...]
      }
    }
    return result
  }

  /// Returns the numbers at the start of a text that single characters such as `-` separate.
  private static func numbers(atStartOf text: Substring) -> [Substring] {
    var numbers: [Substring] = []
    var rest = text
    while true {
      let digits = rest.prefix(while: isDigit)
      if digits.isEmpty { return numbers }
      rest = rest[digits.endIndex...]
      numbers.append(digits)
      guard let separator = rest.first, "-_.:T".contains(separator) else { return numbers }
      rest.removeFirst()
    }
  }

  /// Returns how many numbers at the start of a list are a date: one such as 20261128, or a day, a month and a year in either
  /// order. `nil` if none are.
  private static func dateLength(of numbers: [Substring]) -> Int? {
    guard let first = numbers.first else { return nil }
    if (8...14).contains(first.count) { return isDate(compact: first) ? 1 : nil }
    guard numbers.count >= 3 else { return nil }
    let values = numbers.prefix(3).compactMap { Int($0) }
    func isDay(_ month: Int, _ day: Int) -> Bool { 1...12 ~= month && 1...31 ~= day }
    if numbers[0].count == 4, 1990...2100 ~= values[0], isDay(values[1], values[2]) { return 3 }
    if numbers[2].count == 4, 1990...2100 ~= values[2], isDay(values[1], values[0]) { return 3 }
    return nil
  }

  /// Returns whether digits begin with a date such as 20261128, or are seconds or milliseconds of this time.
  private static func isDate(compact digits: Substring) -> Bool {
    if [10, 13].contains(digits.count) { return 15...21 ~= Int(digits.prefix(2)) ?? 0 }
    guard digits.count == 8 || digits.count == 12 || digits.count == 14 else { return false }
    let year = Int(digits.prefix(4)) ?? 0
    let month = Int(digits.dropFirst(4).prefix(2)) ?? 0
    let day = Int(digits.dropFirst(6).prefix(2)) ?? 0
    return 1990...2100 ~= year && 1...12 ~= month && 1...31 ~= day
  }
}
