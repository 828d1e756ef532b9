internal import CFeeds

/// The words and formats of feeds, which are data files and part of the program.
enum FeedData {
  /// A section of a data file: its head, which stands in brackets, and its lines without comments.
  struct Section: Sendable {
    let head: String
    let lines: [String]
    /// The entries of the lines, which commas separate.
    var entries: [String] {
      lines.flatMap { $0.split(separator: ",") }.map(\.trimmed).filter { !$0.isEmpty }
    }
  }

  static let columns = sections(of: unsafe text(cf_columns()))
  static let words = sections(of: unsafe text(cf_words()))
  static let letters = sections(of: unsafe text(cf_letters()))
  static let formats = sections(of: unsafe text(cf_formats()))
  static let stores = sections(of: unsafe text(cf_stores()))
  static let zones = sections(of: unsafe text(cf_zones()))

  /// Returns the entries of a section of ``words`` in lower case, without other characters than letters and digits.
  static func wordSet(_ head: String) -> Set<String> {
    Set(words.filter { $0.head == head }.flatMap(\.entries).map(plain))
  }

  /// Returns the entries of a section of ``stores`` in the form of ``plain(_:)``.
  static func storeWords(_ head: String) -> [String] {
    stores.filter { $0.head == head }.flatMap(\.entries).map(plain)
  }

  /// Returns a word in lower case, without other characters than letters, marks of letters and digits.
  static func plain(_ word: some StringProtocol) -> String {
    let word = word.lowercased()
    // In lower case, the Turkish İ becomes an i followed by a combining dot, which is removed.
    let plain = word.utf8.contains(0xCC) ? word.replacing("i\u{307}", with: "i") : word
    return plain.filter { $0.isLetter || $0.isNumber }
  }

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func text(_ file: cf_file) -> String {
    unsafe String(
      decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }

  private static func sections(of text: String) -> [Section] {
    var sections: [Section] = []
    var head: String?
    var lines: [String] = []
    func finish() {
      if let head { sections.append(Section(head: head, lines: lines)) }
      lines = []
    }
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        finish()
        head = String(line.dropFirst().dropLast())
      } else {
        lines.append(String(line))
      }
    }
    finish()
    return sections
  }
}
