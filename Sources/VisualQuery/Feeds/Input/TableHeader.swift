/// The header of a table: the names of its columns, and the separator of its fields.
struct TableHeader: Sendable {
  /// The columns as the feed names them.
  let columns: [String]
  /// The columns in the form that ``ColumnVocabulary`` knows.
  let normalized: [String]
  let separator: UInt8
  /// The line of the header.
  let line: Int
  /// The currency that the header of an eBay file names.
  let currency: String?

  private static let separators = [0x09, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|")]
  /// The most columns of a table.
  private static let columnLimit = 4096

  /// Takes the header from a feed, with the lines before it that some programs write.
  init(_ records: inout RecordReader) throws(CatalogueError) {
    let sample = try records.lookahead(1 << 16)
    let lines = sample.split(maxSplits: 8, whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      .map { String(decoding: $0, as: UTF8.self) }
    let skipped = Self.linesBeforeHeader(lines)
    let named =
      lines.first?.lowercased().hasPrefix("sep=") == true ? lines[0].utf8.dropFirst(4).first : nil
    separator = named ?? Self.separator(in: lines.dropFirst(skipped).first ?? "")
    records.quotedFieldSeparator = separator == 0x09 ? nil : separator
    for _ in 0..<skipped { _ = try records.next() }
    let first = try records.next()
    guard case .bytes(let header, let line)? = first else {
      throw CatalogueError(
        code: .unreadableInput,
        message: first == nil
          ? "'\(records.name)' has only empty rows"
          : "'\(records.name)' begins with a line beyond the limit")
    }
    self.line = line
    do throws(FieldError) {
      let names = try Self.split(header, separator)
      guard names.count <= Self.columnLimit else {
        throw FieldError(field: nil, reason: "has \(names.count) columns; the limit is 4096")
      }
      columns = names
    } catch {
      throw CatalogueError(
        code: .unreadableInput,
        message: "'\(records.name)' is not a table: its header \(error.reason)")
    }
    normalized = columns.map(ColumnVocabulary.normalized)
    currency = Self.currency(in: columns[0])
  }

  private static func currency(in column: String) -> String? {
    guard let mark = column.firstRange(of: "Currency=") else { return nil }
    let code = String(column[mark.upperBound...].prefix(3))
    return Currency.codes.contains(code) ? code : nil
  }

  /// Returns the number of lines before the header: the separator of Excel, the notes of eBay, and
  /// those of Amazon, whose third line names the columns.
  private static func linesBeforeHeader(_ lines: [String]) -> Int {
    guard let first = lines.first else { return 0 }
    if first.hasPrefix("TemplateType") { return min(2, lines.count - 1) }
    if first.lowercased().hasPrefix("sep=") { return 1 }
    let isNote = { (line: String) in
      line.hasPrefix("#") || line.hasPrefix("\"#") || line.hasPrefix("Info,Version")
    }
    return min(lines.prefix(while: isNote).count, lines.count - 1)
  }

  /// Returns the separator that occurs most often outside quotes.
  private static func separator(in line: String) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, separators.contains(byte) { counts[byte, default: 0] += 1 }
    }
    if counts[0x09] != nil { return 0x09 }
    let most = counts.values.max() ?? 0
    return separators.first { counts[$0] == most } ?? UInt8(ascii: ",")
  }

  private static func split(_ record: [UInt8], _ separator: UInt8) throws(FieldError) -> [String] {
    separator == 0x09
      ? try CSVRecord.tabbedFields(record) : try CSVRecord.fields(record, separator: separator)
  }

  /// Returns the fields of a record, one for each column.
  func fields(_ record: [UInt8]) throws(FieldError) -> [String] {
    var fields = try Self.split(record, separator)
    while fields.count > columns.count, fields.last?.isEmpty == true { fields.removeLast() }
    guard fields.count == columns.count else {
      throw FieldError(
        field: nil, reason: "has \(fields.count) fields; the header has \(columns.count)")
    }
    return fields
  }

  /// Returns the index of a column, by its normalized name.
  func index(_ name: String) -> Int? { normalized.firstIndex(of: name) }

  /// Returns whether all of the columns are there, by their normalized names.
  func has(_ names: String...) -> Bool { names.allSatisfy(normalized.contains) }
}
