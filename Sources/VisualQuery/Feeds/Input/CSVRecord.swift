/// Splits a record of a table into its fields.
enum CSVRecord {
  /// Returns the fields of a record that are separated by tabs. A field in quotes contains tabs and line breaks only if the record
  /// has as many fields as there are columns then, and otherwise has not: a quote may be an inch.
  static func tabbedFields(
    _ record: [UInt8], columns: Int? = nil
  ) throws(FieldError) -> [String] {
    var fields: [String] = []
    let quote = UInt8(ascii: "\"")
    var parts = record.split(separator: 0x09, omittingEmptySubsequences: false)
    if let columns, parts.count != columns, record.contains(quote),
      case .fields(let quoted) = TabbedQuotes.split(record[...]), quoted.count == columns
    {
      parts = quoted
    }
    for part in parts {
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
        let (field, end) = try quotedField(rest.dropFirst(), fields.count + 1, separator)
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

  /// Returns the contents of a quoted field, and the index behind its closing quote and the blanks after that.
  ///
  /// A quote with other text behind it is part of the field, as in `"Frame 10"x12" oak"`, if the field has one line and a closing
  /// quote.
  private static func quotedField(
    _ bytes: ArraySlice<UInt8>, _ number: Int, _ separator: UInt8
  ) throws(FieldError) -> (field: [UInt8], end: Int) {
    let quote = UInt8(ascii: "\"")
    var field: [UInt8] = []
    var rest = bytes
    /// The end of the field at its first quote that is not doubled.
    var first: (field: [UInt8], end: Int)?
    var hasLineBreak = false
    while let end = rest.firstIndex(of: quote) {
      hasLineBreak = hasLineBreak || rest[..<end].contains(0x0A)
      // Only a field of one line has quotes of its own.
      if let first, hasLineBreak { return first }
      field += rest[..<end]
      rest = rest[(end + 1)...]
      if rest.first == quote {
        field.append(quote)
        rest.removeFirst()
        continue
      }
      let next = rest.drop { $0 == 0x20 }
      if next.isEmpty || next.first == separator { return (field, next.startIndex) }
      first = first ?? (field, rest.startIndex)
      field.append(quote)
    }
    if let first { return first }
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
