internal import CConfidence

/// The coefficients of the confidence by name: Sources/CConfidence/files/confidence.txt, which is part of the program. The fit and its scripts read and write
/// the same file.
struct CoefficientFile: Sendable {
  /// The file of this program.
  static let own = CoefficientFile(text)

  /// The lines of each section, without comments.
  private let sections: [Substring: [Substring]]

  init(_ text: String) {
    var sections: [Substring: [Substring]] = [:]
    var head: Substring = ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        head = line.dropFirst().dropLast()
      } else {
        sections[head, default: []].append(line)
      }
    }
    self.sections = sections
  }

  /// Returns the numbers of one column of a table by the names of the rows.
  ///
  /// - Precondition: The file has them, which a test checks.
  func column(_ name: String, of section: String) -> [String: Double] {
    let rows = lines(of: section).map { $0.split(separator: " ") }
    let place = rows[0].firstIndex { $0 == name }!
    return Dictionary(
      uniqueKeysWithValues: rows.dropFirst().map { (String($0[0]), Double($0[place])!) })
  }

  /// Returns the lines of a section.
  ///
  /// - Precondition: The file has it.
  func lines(of section: String) -> [Substring] { sections[section[...]]! }

  /// Sound: the bytes are constants of the program, and go with their number.
  private static var text: String {
    let file = unsafe cc_confidence()
    return unsafe String(
      decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }
}
