#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine's form of an answer: one JSON object a line.
enum JSONLines {
  /// Returns a value as one line of JSON, without the line's end.
  ///
  /// Keys are sorted, so that the same value gives the same bytes; slashes are not escaped, so that
  /// links stay readable. A line break inside a text is escaped, as JSON demands.
  ///
  /// - Throws: `EncodingError` for what JSON cannot say, such as a number that is not finite.
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
