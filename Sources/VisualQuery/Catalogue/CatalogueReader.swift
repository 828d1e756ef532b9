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
  /// The row as it was read, so that it can be mended and fed back; `nil` where it could not be read
  /// as one.
  public let row: JSONValue?

  /// Makes a report of a row.
  init(
    line: Int, id: String? = nil, field: String? = nil, reason: String, row: JSONValue? = nil
  ) {
    self.line = line
    self.id = id
    self.field = field
    self.reason = reason
    self.row = row
  }
}

/// Reads a shop's products and stores from whatever it has them in: see ``CatalogueFormat``. What
/// it is, is told by its first bytes and its header; gzip is taken off.
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

  /// What the catalogue is, and what becomes of its fields.
  public let mapping: CatalogueMapping
  private var rows: FormatRows
  private let byteCount: Int?
  /// Schemes that links may have besides `https`.
  var allowedSchemes: Set<String>
  private var lines: [EntityID: Int] = [:]
  /// Ids of rows that were refused, as far as they tell them.
  private(set) var refusedIDs: Set<String> = []
  /// Whether a row was refused that does not tell its id.
  private(set) var hasNamelessRow = false
  /// What names the entities so far.
  var ids: Set<EntityID> { Set(lines.keys) }

  /// Opens a file, a folder of pictures, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - allowedSchemes: Schemes that links may have besides `https`.
  ///   - currency: That of prices that name none.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, also where a table does not
  ///   name its columns.
  public init(
    path: String, allowedSchemes: Set<String> = [], currency: String? = nil
  ) throws(CatalogueError) {
    rows = try FormatRows(path: path, currency: currency)
    mapping = rows.mapping
    self.allowedSchemes = allowedSchemes
    byteCount = path == "-" ? nil : FileStatus(path)?.byteCount
  }

  /// The next row, or `nil` at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  public mutating func next() throws(CatalogueError) -> Row? {
    try next { _ throws(CatalogueError) in nil }
  }

  /// The next row, laid over what is known of its entity, so that it need not have what stays.
  ///
  /// - Parameter known: The JSON form of what is there of an entity, in text.
  mutating func next(
    over known: (EntityID) throws(CatalogueError) -> String?
  ) throws(CatalogueError) -> Row? {
    try next(over: known) { _ throws(CatalogueError) in nil }.flatMap { step in
      if case .row(let row) = step { row } else { nil }
    }
  }

  /// What came of a row that may be one that has been read before.
  enum Step {
    case row(Row)
    /// It says what it said then.
    case unchanged(EntityID)
  }

  /// That of the row that was read last, where it has one.
  var rowHash: Int? { rows.rowHash }

  /// Raised whenever the same row is read or indexed in another way, so that no row that an earlier
  /// version indexed is skipped as known.
  private static let rulesVersion = 2

  /// Makes hashes of rows depend on everything else that decides how they are read: the columns, the
  /// version of the rules, and `text`.
  mutating func seedRowHashes(_ text: String) {
    let columns = mapping.fields.map { "\($0.name)=\($0.target ?? "")" }
    rows.seed = Array("\(Self.rulesVersion)\n\(mapping.format)\n\(columns)\n\(text)".utf8)
  }

  /// The next row; one that says what it said before is not looked at any further.
  ///
  /// - Parameter unchanged: What came of a row of this hash, where its pictures are what they were.
  mutating func next(
    over known: (EntityID) throws(CatalogueError) -> String?,
    unchanged: (_ rowHash: Int) throws(CatalogueError) -> EntityID?
  ) throws(CatalogueError) -> Step? {
    // Lent to the closure, which must not look into the reader while a row is read.
    var seen: [EntityID: Int] = [:]
    swap(&seen, &lines)
    var former: EntityID?
    let next: FormatRows.Next?
    do throws(CatalogueError) {
      next = try rows.next { hash throws(CatalogueError) in
        former = try unchanged(hash)
        // A row that stands there twice is refused the second time.
        return former.map { seen[$0] == nil } ?? false
      }
    } catch {
      swap(&seen, &lines)
      throw error
    }
    swap(&seen, &lines)
    switch next {
    case nil: return nil
    case .known(let line):
      guard let former else { preconditionFailure("a known row is an entity's") }
      lines[former] = line
      return .unchanged(former)
    case .row(let row): return try step(row, over: known)
    }
  }

  private mutating func step(
    _ row: FormatRows.Row, over known: (EntityID) throws(CatalogueError) -> String?
  ) throws(CatalogueError) -> Step {
    let (result, line) = row
    var id: String?
    var row: JSONValue?
    do {
      let json = Self.fedBack(try result.get())
      let depth = JSONLimits().depth
      guard !json.isNested(deeperThan: depth) else {
        throw FieldError(
          field: nil,
          reason: "nests lists and objects deeper than \(depth) levels, which is the limit")
      }
      row = json
      if case .object(let fields) = json, case .string(let text)? = fields["id"] { id = text }
      let value = try EntityValue(json: merged(json, over: known))
      try checkLink(of: value)
      try LabelText.check(value.labels)
      if let first = lines[value.id] {
        throw FieldError(field: "id", reason: "was used in line \(first) before")
      }
      lines[value.id] = line
      return .row(.entity(value, line: line))
    } catch let error as CatalogueError {
      throw error
    } catch {
      let error = error as? FieldError ?? FieldError(field: nil, reason: "\(error)")
      if let id { refusedIDs.insert(id) } else { hasNamelessRow = true }
      return .row(
        .refused(
          RefusedRow(line: line, id: id, field: error.field, reason: error.reason, row: row)))
    }
  }

  /// What names the entity of a row, as far as can be told before it is read.
  private static func id(of json: JSONValue) -> EntityID? {
    guard case .object(let fields) = json, case .string(let id)? = fields["id"],
      case .string(let name)? = fields["type"], let type = EntityType(rawValue: name)
    else { return nil }
    return EntityID(type: type, value: id)
  }

  private func merged(
    _ json: JSONValue, over known: (EntityID) throws(CatalogueError) -> String?
  ) throws -> JSONValue {
    guard case .object(let fields) = json, let id = Self.id(of: json), let text = try known(id),
      case .object(let former)? = try? JSONValue(stored: text)
    else { return json }
    return .object(former.merging(fields) { _, new in new })
  }

  /// The row within a report of a refused one; any other row as it is.
  private static func fedBack(_ json: JSONValue) -> JSONValue {
    guard case .object(let fields) = json, fields["type"] == nil, fields["reason"] != nil,
      let row = fields["row"]
    else { return json }
    return row
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
    let consumed = self.rows.consumedByteCount
    guard let byteCount, consumed > 0 else { return nil }
    return max(rows, rows * byteCount / consumed)
  }
}
