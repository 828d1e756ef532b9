/// Turns the records of one feed into entities, and detects repeated ids.
struct FeedEntities {
  /// The version of the rules by which rows are read. Raised whenever the same row is read in another
  /// way, so that a row that an earlier version indexed is not skipped as unchanged.
  static let rulesVersion = 3

  /// The schemes that links may have besides `https`.
  var allowedSchemes: Set<String>
  /// The line of each entity.
  private var lines: [EntityID: Int] = [:]
  /// The readable ids of rejected rows.
  private(set) var refusedIDs: Set<String> = []
  /// Whether a rejected row has no readable id.
  private(set) var hasNamelessRow = false

  init(allowedSchemes: Set<String>) { self.allowedSchemes = allowedSchemes }

  /// The ids of the entities so far.
  var ids: Set<EntityID> { Set(lines.keys) }

  /// Returns whether an id was used before.
  func contains(_ id: EntityID) -> Bool { lines[id] != nil }

  /// Records an entity whose row is not parsed because it has not changed.
  mutating func keep(_ id: EntityID, line: Int) { lines[id] = line }

  /// A parsed record, or the reason why it cannot be parsed.
  struct ParsedRecord: Sendable {
    let line: Int
    let json: Result<JSONValue, FieldError>
    /// The id and the type of the entity, if both can be read.
    let id: EntityID?
  }

  /// Parses a record. A report of a rejected row, as in `rejected.jsonl`, counts as that row.
  static func parse(_ record: FeedRecord) -> ParsedRecord {
    let json = Result { () throws(FieldError) in try checkedDepth(unwrapped(record.parse())) }
    return ParsedRecord(
      line: record.line, json: json, id: (try? json.get()).flatMap(id))
  }

  /// Returns an entity that a program made as a row of a feed, which has the limits of one.
  static func record(of value: EntityValue, line: Int) -> ParsedRecord {
    let bytes = Array(value.json.text.utf8)
    return parse(
      FeedRecord(line: line) { () throws(FieldError) in
        do throws(JSONError) {
          return try JSONValue(json: bytes, limits: .line, shouldStop: { false })
        } catch {
          throw FieldError(field: nil, reason: error.message)
        }
      })
  }

  /// Returns the entity of a record, or a report of the reason why there is none.
  ///
  /// - Parameter stored: The JSON form of the stored entity, which supplies the fields that the row
  ///   leaves out, or `nil` if the row stands alone.
  mutating func row(_ record: ParsedRecord, over stored: String?) -> FeedRow {
    do throws(FieldError) {
      let value = try EntityValue(json: Self.merged(record.json.get(), over: stored))
      try checkLink(of: value)
      try LabelText.check(value.labels)
      if let first = lines[value.id] {
        throw FieldError(field: "id", reason: "was already used in line \(first)")
      }
      lines[value.id] = record.line
      return .entity(value, line: record.line)
    } catch {
      return .refused(refusal(of: record, error))
    }
  }

  private mutating func refusal(of record: ParsedRecord, _ error: FieldError) -> RefusedRow {
    let json = try? record.json.get()
    var id: String?
    if case .object(let fields)? = json, case .string(let text)? = fields["id"] { id = text }
    if let id { refusedIDs.insert(id) } else { hasNamelessRow = true }
    return RefusedRow(
      line: record.line, id: id, field: error.field, reason: error.reason, row: json)
  }

  private static func id(of json: JSONValue) -> EntityID? {
    guard case .object(let fields) = json, case .string(let id)? = fields["id"],
      case .string(let name)? = fields["type"], let type = EntityType(rawValue: name)
    else { return nil }
    return EntityID(type: type, value: id)
  }

  private static func checkedDepth(_ json: JSONValue) throws(FieldError) -> JSONValue {
    let depth = JSONLimits().depth
    guard !json.isNested(deeperThan: depth) else {
      throw FieldError(
        field: nil,
        reason: "nests lists and objects deeper than \(depth) levels, which is the limit")
    }
    return json
  }

  private static func merged(_ json: JSONValue, over stored: String?) -> JSONValue {
    guard case .object(let fields) = json, let stored,
      case .object(let previous)? = try? JSONValue(stored: stored)
    else { return json }
    return .object(previous.merging(fields) { _, new in new })
  }

  /// Unwraps a row from `rejected.jsonl`; returns any other row unchanged.
  private static func unwrapped(_ json: JSONValue) -> JSONValue {
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
}
