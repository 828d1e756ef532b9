#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine-readable form of answers: one JSON object per line.
enum JSONLines {
  /// Returns a value as one line of JSON, without the line break.
  ///
  /// Keys are sorted, so that equal values give equal bytes. Slashes are not escaped, so that links
  /// stay readable. Line breaks in texts are escaped, as JSON requires.
  ///
  /// - Throws: `EncodingError` for values that JSON lacks, such as infinity.
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension StandardOutput {
  /// Writes a value as one line of JSON.
  func writeJSON(_ value: some Encodable) throws {
    try writeLine(JSONLines.line(value))
  }
}
