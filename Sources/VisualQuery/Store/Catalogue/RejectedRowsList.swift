/// The list of the rows that a run rejected, JSON Lines, as `vq index` writes it.
package enum RejectedRowsList {
  /// The name of the list in an index.
  package static let fileName = "rejected.jsonl"
  /// The most bytes of a line; a longer one is written without its row.
  package static let lineLimit = 2_000_000

  /// Returns whether a file begins with the report of a rejected row. Blanks and the order of the keys
  /// make no difference, since the rows of a list are corrected with other programs.
  package static func isList(_ path: String) -> Bool {
    guard let start = try? CatalogueFile.prefix(of: path, byteCount: lineLimit),
      let first = start.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first
    else { return false }
    let blanks = Array(" \t\r".utf8)
    let line = String(decoding: first.filter { !blanks.contains($0) }, as: UTF8.self)
    return line.hasPrefix("{")
      && ["\"kind\":\"", "\"line\":", "\"reason\":\""].allSatisfy(line.contains)
  }
}
