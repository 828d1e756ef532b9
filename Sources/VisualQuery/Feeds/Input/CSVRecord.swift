/// Splits a record of a table into its fields.
enum CSVRecord {
  /// Returns the fields of a record that are separated by tabs, which no field contains.
  static func tabbedFields(_ record: [UInt8]) throws(FieldError) -> [String] {
    var fields: [String] = []
    let quote = UInt8(ascii: "\"")
    for part in record.split(separator: 0x09, omittingEmptySubsequences: false) {
      // Some programs quote fields of tables with tabs; others write quotes within them. Only
      // a quote at both ends is removed.
      let isQuoted = part.count > 1 && part.first == quote && part.last == quote
      guard
        let text = String(validating: isQuoted ? part.dropFirst().dropLast() : part, as: UTF8.self)
      else { throw FieldError(field: nil, reason: "field \(fields.count + 1) is not UTF-8") }
      fields.append(isQuoted ? text.replacing("\"\"", with: "\"") : text)
    }
    return fields
  }

  /// Returns the fields of a record that are separated by commas or another byte, without their
  /// quotes (RFC 4180). Quotes within a field that does not begin with one are part of it.
  static func fields(
    _ record: [UInt8], separator: UInt8 = UInt8(ascii: ",")
  ) throws(FieldError) -> [String] {
    var fields: [String] = []
    let quote = UInt8(ascii: "\"")
    var rest = record[...]
    func text(_ bytes: ArraySlice<UInt8>) throws(FieldError) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw FieldError(field: nil, reason: "field \(fields.count + 1) is not UTF-8")
      }
      return text
    }
    while true {
      if rest.first == quote {
        let start = rest
        let (field, end) = try quotedField(rest.dropFirst(), fields.count + 1)
        fields.append(try text(field[...]))
        rest = rest[end...]
        guard rest.isEmpty || rest.first == separator else {
          throw FieldError(
            field: nil,
            reason: "field \(fields.count) continues after its closing quote" + furtherLines(start))
        }
      } else {
        let end = rest.firstIndex(of: separator) ?? rest.endIndex
        fields.append(try text(rest[..<end]))
        rest = rest[end...]
      }
      if rest.isEmpty { return fields }
      rest.removeFirst()
    }
  }

  /// Returns the contents of a quoted field, and the index behind its closing quote.
  private static func quotedField(
    _ bytes: ArraySlice<UInt8>, _ number: Int
  ) throws(FieldError) -> (field: [UInt8], end: Int) {
    let quote = UInt8(ascii: "\"")
    var field: [UInt8] = []
    var rest = bytes
    while let end = rest.firstIndex(of: quote) {
      field += rest[..<end]
      rest = rest[(end + 1)...]
      guard rest.first == quote else { return (field, rest.startIndex) }
      field.append(quote)
      rest.removeFirst()
    }
    throw FieldError(
      field: nil, reason: "field \(number) has no closing quote" + furtherLines(bytes))
  }

  /// Returns the number of lines after the first one, as the end of a reason: a record with a stray quote may go on to
  /// the end of the file, and no other error reports its lines.
  private static func furtherLines(_ bytes: ArraySlice<UInt8>) -> String {
    let lines = bytes.split(omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x0D }.count - 1
    if lines <= 0 { return "" }
    return "; \(lines) more \(lines == 1 ? "line was" : "lines were") taken as part of it"
  }
}
