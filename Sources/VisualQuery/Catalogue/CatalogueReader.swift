/// A row of a catalogue that did not go in.
public struct RefusedRow: Sendable, Hashable, Encodable {
  /// Its line in the file, from 1.
  public let line: Int
  /// Its id, as far as it has one.
  public let id: String?
  /// The field that is not as it should be, or `nil` where the whole row is meant.
  public let field: String?
  /// What is wrong with it.
  public let reason: String

  /// Makes a report of a row.
  init(line: Int, id: String? = nil, field: String? = nil, reason: String) {
    self.line = line
    self.id = id
    self.field = field
    self.reason = reason
  }
}

/// Reads a shop's products and stores from JSON Lines or CSV, told apart by the first byte.
///
/// A bad row is given as refused and the next one follows; memory is that of one row, and of the
/// ids so far.
public struct CatalogueReader: ~Copyable {
  /// What a row came to.
  public enum Row: Sendable {
    /// An entity.
    case entity(EntityValue, line: Int)
    /// Nothing that can be used.
    case refused(RefusedRow)
  }

  private var records: RecordReader
  private let csv: CSVRows?
  private let byteCount: Int?
  /// Schemes that links may have besides `https`.
  var allowedSchemes: Set<String>
  private var lines: [EntityID: Int] = [:]

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - allowedSchemes: Schemes that links may have besides `https`.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, also where a CSV file does not
  ///   name its columns.
  public init(path: String, allowedSchemes: Set<String> = []) throws(CatalogueError) {
    var records = try RecordReader(path: path)
    var csv: CSVRows?
    if let first = try records.peek(), first != UInt8(ascii: "{") {
      records.hasQuotes = true
      if case .bytes(let header, _)? = try records.next() {
        csv = try Self.columns(of: header, path: path)
      }
    }
    self.records = records
    self.csv = csv
    self.allowedSchemes = allowedSchemes
    byteCount = path == "-" ? nil : FileStatus(path)?.byteCount
  }

  private static func columns(of header: [UInt8], path: String) throws(CatalogueError) -> CSVRows {
    do throws(FieldError) {
      return try CSVRows(header: header)
    } catch {
      throw CatalogueError(
        code: .unreadableInput,
        message: """
          '\(path)' is neither JSON Lines, whose rows begin with {, nor CSV: \
          \(error.field.map { "column '\($0)'" } ?? "the header") \(error.reason)
          """)
    }
  }

  /// The next row, or `nil` at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  public mutating func next() throws(CatalogueError) -> Row? {
    guard let record = try records.next() else { return nil }
    switch record {
    case .tooLong(let line):
      return .refused(
        RefusedRow(
          line: line, reason: "has more than \(RecordReader.recordLimit) bytes, which is the limit")
      )
    case .bytes(let bytes, let line):
      var id: String?
      do throws(FieldError) {
        let json = try object(bytes)
        if case .object(let fields) = json, case .string(let text)? = fields["id"] { id = text }
        let value = try EntityValue(json: json)
        try checkLink(of: value)
        if let first = lines[value.id] {
          throw FieldError(field: "id", reason: "was used in line \(first) before")
        }
        lines[value.id] = line
        return .entity(value, line: line)
      } catch {
        return .refused(RefusedRow(line: line, id: id, field: error.field, reason: error.reason))
      }
    }
  }

  private func checkLink(of value: EntityValue) throws(FieldError) {
    guard let url = value.url else { return }
    do throws(LinkError) {
      try Link.check(url, allowedSchemes: allowedSchemes)
    } catch {
      throw FieldError(field: "url", reason: error.message)
    }
  }

  /// How many rows there are probably, once `rows` are read; `nil` where the length is not known.
  func estimatedRows(after rows: Int) -> Int? {
    guard let byteCount, records.consumedByteCount > 0 else { return nil }
    return max(rows, rows * byteCount / records.consumedByteCount)
  }

  private func object(_ bytes: [UInt8]) throws(FieldError) -> JSONValue {
    if let csv { return try csv.object(bytes) }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw FieldError(field: nil, reason: "is not UTF-8")
    }
    guard let json = JSONValue(text: bytes) else {
      throw FieldError(field: nil, reason: "is not JSON")
    }
    return json
  }
}
