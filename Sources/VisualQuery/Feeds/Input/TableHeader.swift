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

  /// True if each row is one quoted field that has the fields in it.
  private let isWrapped: Bool

  /// The most lines before the header of a table.
  private static let skippedLimit = 64

  /// Takes the header from a feed, with the lines before it that some programs write.
  init(_ records: inout RecordReader) throws(FeedError) {
    let sample = try records.lookahead(1 << 16)
    let lines = sample.split(
      maxSplits: Self.skippedLimit, whereSeparator: { $0 == 0x0A || $0 == 0x0D }
    )
    .map { String(decoding: $0, as: UTF8.self) }
    let skipped = Self.linesBeforeHeader(lines)
    let named =
      lines.first?.lowercased().hasPrefix("sep=") == true ? lines[0].utf8.dropFirst(4).first : nil
    separator = named ?? Self.separator(in: lines.dropFirst(skipped).first ?? "")
    records.quotedFieldSeparator = separator == 0x09 ? nil : separator
    for _ in 0..<skipped { _ = try records.next() }
    let first = try records.next()
    guard case .bytes(let header, let line)? = first else {
      throw FeedError(
        message: first == nil
          ? "'\(records.name)' has only empty rows"
          : "'\(records.name)' begins with a line beyond the limit")
    }
    self.line = line
    do throws(FieldError) {
      var names = try Self.split(header, separator)
      let inner = names.count == 1 ? (try? Self.split(Array(names[0].utf8), separator)) ?? [] : []
      isWrapped = inner.count > 2
      if isWrapped { names = inner }
      guard names.count <= Self.columnLimit else {
        throw FieldError(field: nil, reason: "has \(names.count) columns; the limit is 4096")
      }
      // A name is searched for many words in each row, so that no more of it is kept than anybody reads.
      columns = names.map { name in
        name.utf8.count <= FeedAllowance.nameByteLimit
          ? name : String(name.unicodeScalars.prefix(FeedAllowance.nameByteLimit / 4))
      }
    } catch {
      throw FeedError(
        message: "'\(records.name)' is not a table: its header \(error.reason)")
    }
    normalized = columns.map(ColumnVocabulary.normalized)
    places = Self.places(of: normalized)
    currency = Self.currency(in: columns[0])
    // If several tables were joined into one file, the header is repeated between the rows and
    // must be skipped.
    records.repeatedRecord = header
    records.tabbedColumnCount = separator == 0x09 && !isWrapped ? columns.count : nil
    records.tableEnd = TableEnd(separator: separator)
  }

  private init(_ other: TableHeader, normalized: [String]) {
    (columns, separator, line) = (other.columns, other.separator, other.line)
    (currency, isWrapped, self.normalized) = (other.currency, other.isWrapped, normalized)
    places = Self.places(of: normalized)
  }

  /// The first column of each normalized name. Formats ask for columns by their names in each row.
  private let places: [String: Int]

  private static func places(of names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the header with other normalized names, as a format that is translated has them in English.
  func named(_ normalized: [String]) -> TableHeader { TableHeader(self, normalized: normalized) }

  /// The most rows of a sample.
  private static let sampleCount = 200

  /// Returns the first rows behind the header, without those that cannot be read.
  func sample(of records: inout RecordReader) throws(FeedError) -> [[String]] {
    let bytes = try records.lookahead(1 << 16)
    var copy = RecordReader(bytes: bytes, name: records.name)
    copy.quotedFieldSeparator = records.quotedFieldSeparator
    copy.tabbedColumnCount = records.tabbedColumnCount
    var rows: [[String]] = []
    while rows.count < Self.sampleCount, let record = try copy.next() {
      if case .bytes(let bytes, _) = record, let fields = try? fields(bytes) { rows.append(fields) }
    }
    return rows
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
    // Amazon templates have a line of names for people and, below it, one of names for
    // programs, which is the header.
    if let names = lines.prefix(12).firstIndex(where: { $0.contains("#1.value") }) { return names }
    let isNote = { (line: String) in
      line.hasPrefix("#") || line.hasPrefix("\"#") || line.hasPrefix("Info,Version")
        || line.hasPrefix("//")
        || line.hasPrefix("settings=")
    }
    let notes = min(lines.prefix(while: isNote).count, lines.count - 1)
    return notes + linesBeforeKnownNames(Array(lines.dropFirst(notes)))
  }

  /// Returns the number of lines, such as a title, before the first one that names the columns of products, or 0 if none does.
  private static func linesBeforeKnownNames(_ lines: [String]) -> Int {
    func known(_ line: String) -> Int {
      let separator = separator(in: line)
      guard let names = try? split(Array(line.utf8), separator), names.count > 1,
        names.count <= columnLimit
      else { return 0 }
      let targets = ColumnVocabulary.targets(of: names).compactMap(\.self)
      return targets.contains(.title) || targets.contains(.id) ? Set(targets.map(\.name)).count : 0
    }
    guard let first = lines.first else { return 0 }
    let own = known(first)
    if own > 1 { return 0 }
    // In Amazon templates, the names for programs come after their translations.
    for (index, line) in lines.prefix(20).enumerated().dropFirst() where known(line) > max(2, own) {
      return index
    }
    return 0
  }

  /// Returns the separator that occurs most often outside quotes.
  private static func separator(in line: String) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var isStart = true
    for byte in line.utf8 {
      // A quote within a field that does not begin with one is part of it, as in an inch or a Hebrew abbreviation.
      if byte == UInt8(ascii: "\""), isStart || isQuoted { isQuoted.toggle() }
      isStart = !isQuoted && separators.contains(byte)
      if isStart { counts[byte, default: 0] += 1 }
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
  func fields(_ record: [UInt8]) throws(FieldError) -> [String] { try read(record).fields }

  /// Returns the fields of a record, one for each column, and the name of the encoding that it is in if that is not UTF-8.
  func read(_ record: [UInt8]) throws(FieldError) -> (fields: [String], encoding: String?) {
    do throws(FieldError) {
      return (try fields(ofText: record), nil)
    } catch {
      guard let (text, name) = RowEncoding.text(of: record) else { throw error }
      return (try fields(ofText: text), name)
    }
  }

  private func fields(ofText record: [UInt8]) throws(FieldError) -> [String] {
    var fields =
      separator == 0x09
      ? try CSVRecord.tabbedFields(record, columns: columns.count)
      : try Self.split(record, separator)
    if isWrapped, fields.count == 1 { fields = try Self.split(Array(fields[0].utf8), separator) }
    while fields.count > columns.count, fields.last?.isEmpty == true { fields.removeLast() }
    guard fields.count == columns.count else {
      throw FieldError(
        field: nil, reason: "has \(fields.count) fields; the header has \(columns.count)")
    }
    for index in fields.indices where fields[index].utf8.first == UInt8(ascii: "=") {
      fields[index] = FormulaText.value(fields[index])
    }
    return fields
  }

  /// Returns the index of a column, by its normalized name.
  func index(_ name: String) -> Int? { places[name] }

  /// Returns whether all of the columns are there, by their normalized names.
  func has(_ names: String...) -> Bool { names.allSatisfy(normalized.contains) }
}
