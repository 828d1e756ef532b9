/// A row that is not UTF-8 in a table that is, as programs make that join files.
enum RowEncoding {
  /// Returns the text of a row as UTF-8, with the name of the encoding that it is in, or `nil` if it is UTF-8.
  ///
  /// A row that has more characters of UTF-8 than other bytes is one with damaged letters, which become `\u{FFFD}`.
  static func text(of row: [UInt8]) -> (bytes: [UInt8], name: String)? {
    if String(validating: row, as: UTF8.self) != nil { return nil }
    let (valid, invalid) = TextDecoder.count(row[...])
    if valid >= invalid {
      return (Array(String(decoding: row, as: UTF8.self).utf8), "UTF-8 with damaged letters")
    }
    switch EncodingGuess.of(row[...]) {
    case .singleByte(let table):
      let text = row.flatMap { byte -> [UInt8] in
        byte < 0x80 ? [byte] : Array(String(table.scalar(byte) ?? "\u{FFFD}").utf8)
      }
      return (text, table.name)
    case .system(let system): return (system.decoded(row).text, system.title)
    }
  }
}
