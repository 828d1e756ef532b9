/// Turns the records of one feed into entities, and detects repeated ids.
package struct FeedEntities {
  /// The version of the rules by which rows are read. Raised whenever the same row is read in
  /// another way, so that a row that an earlier version indexed is not skipped as unchanged.
  static let rulesVersion = 16

  /// The schemes that links may have besides `https`.
  var allowedSchemes: Set<String>
  /// The folders with local copies of images.
  private let imagesMap: [ImageMapping]
  /// The word for what rows are counted by.
  private let rowName: String
  /// The ids of the feeds before in the same run, with the names of the feeds.
  private let taken: [EntityID: String]
  /// The line of each entity.
  private var lines: [EntityID: Int] = [:]
  /// The readable ids of rejected rows.
  package private(set) var refusedIDs: Set<String> = []
  /// True if a rejected row has no readable id.
  package private(set) var hasNamelessRow = false
  /// The number of rows that were left out on purpose, by the reason.
  package private(set) var leftOut: [String: Int] = [:]
  /// The fields that look as if they should have become parts of entities.
  package private(set) var findings = FeedFindings()
  /// The product whose looks are being read, with the number of warnings about all of them so far.
  private var family: (key: String, warningCount: Int)?
  /// The number of warnings about looks of that product that have no report of their own.
  private var unreported: (count: Int, line: Int, id: String)?

  package init(
    allowedSchemes: Set<String>, imagesMap: [ImageMapping] = [], rowName: String = "line",
    taken: [EntityID: String] = [:]
  ) {
    self.taken = taken
    self.allowedSchemes = allowedSchemes
    self.imagesMap = imagesMap
    self.rowName = rowName
  }

  /// The ids of the entities so far.
  package var ids: Dictionary<EntityID, Int>.Keys { lines.keys }

  /// Returns whether an id was used before.
  package func contains(_ id: EntityID) -> Bool { lines[id] != nil || taken[id] != nil }

  /// Records an entity whose row is not parsed because it has not changed.
  package mutating func keep(_ id: EntityID, line: Int) { lines[id] = line }

  /// A parsed record, or the reason why it cannot be parsed.
  package struct ParsedRecord: Sendable {
    let line: Int
    let draft: Result<DraftRecord, FieldError>
    /// The id and the type of the entity, if both can be read.
    package let id: EntityID?
    /// The part of a list of rejected rows that the record is.
    fileprivate let report: Report
  }

  /// An entity with the fields that were left out of it, or a report of the reason why there is
  /// none.
  package enum Row: Sendable {
    case entity(EntityValue, warnings: [RefusedRow])
    case refused(RefusedRow)
    /// A row that is left out on purpose, or a further report of a row that was read already: a row
    /// is reported once for each of its rejected images and fields.
    case skipped
  }

  /// Parses a record. A report of a rejected row, as in `rejected.jsonl`, counts as that row.
  package static func parse(_ record: FeedRecord) -> ParsedRecord {
    var report = Report.none
    let draft = Result { () throws(FieldError) in
      var draft = try record.parse()
      (draft.json, report) = unwrapped(draft.json)
      draft.json = FieldCleaning.cleaned(try checkedDepth(draft.json))
      return draft
    }
    return ParsedRecord(
      line: record.line, draft: draft, id: (try? draft.get()).flatMap { id(of: $0.json) },
      report: report)
  }

  /// Returns an entity that a program made as a row of a feed, which has the limits of one.
  package static func record(of value: EntityValue, line: Int) -> ParsedRecord {
    let bytes = Array(value.json.text.utf8)
    return parse(
      FeedRecord(line: line) { () throws(FieldError) in
        do throws(JSONError) {
          return DraftRecord(
            json: try JSONValue(json: bytes, limits: .line, shouldStop: { false }))
        } catch {
          throw FieldError(field: nil, reason: error.message)
        }
      })
  }

  /// Returns the entity of a record, or a report of the reason why there is none. A field that is
  /// invalid and not required is left out with a warning.
  ///
  /// - Parameter stored: The JSON form of the stored entity, which supplies the fields that the row
  ///   leaves out, or `nil` if the row is used as it is.
  package mutating func row(_ record: ParsedRecord, over stored: String?) -> Row {
    do throws(FieldError) {
      let draft = try record.draft.get()
      switch record.report {
      case .none, .ofRow: break
      case .repeated: return .skipped
      case .ofUnreadableRow:
        leftOut[
          "rows that an earlier run could not read, to be corrected in the feed", default: 0] +=
          1
        takeRefusedID(of: draft.json)
        return .skipped
      }
      if draft.isHidden {
        leftOut["drafts and unpublished products (--include-drafts)", default: 0] += 1
        return .skipped
      }
      let (json, bad) = checked(Self.merged(withFreeID(draft), over: stored))
      var fields = try EntityFields(json, isLenient: true)
      let value = try EntityValue(&fields)
      // As segments of a URL path, these two ids would lead to another path.
      guard value.id.value != ".", value.id.value != ".." else {
        throw FieldError(
          field: "id", reason: "is '\(value.id.value)', which cannot be in an address")
      }
      if let first = lines[value.id] {
        if record.report == .ofRow { return .skipped }
        let advice =
          ProductCode.isRounded(value.id.value)
          ? "; it is written \(ProductCode.roundingAdvice)" : ""
        throw FieldError(field: "id", reason: "\(Self.repeatedID) in \(rowName) \(first)\(advice)")
      }
      if let feed = taken[value.id] {
        if record.report == .ofRow { return .skipped }
        throw FieldError(field: "id", reason: "\(Self.repeatedID) in the feed '\(feed)'")
      }
      lines[value.id] = record.line
      findings.add(value, draft)
      if let part = draft.family { refusedIDs.formUnion(part.omittedIDs) }
      let errors = draft.warnings + bad + fields.leftOut
      return .entity(value, warnings: warnings(errors, of: value.id, record.line, draft))
    } catch {
      return .refused(refusal(of: record, error))
    }
  }

  /// Returns a row with its link or its title as the id if its own is a number that another product of the feed has.
  private func withFreeID(_ draft: DraftRecord) -> JSONValue {
    guard draft.idOrigin != .own, !draft.substituteIDs.isEmpty,
      case .object(var fields) = draft.json, let id = Self.id(of: draft.json), lines[id] != nil,
      !ProductCode.isRounded(id.value)
    else { return draft.json }
    let free = draft.substituteIDs.first { lines[EntityID(type: id.type, value: $0)] == nil }
    guard let free else { return draft.json }
    fields["id"] = .string(free)
    return .object(fields)
  }

  /// The most fields of a row that have a warning of their own.
  private static let warningLimit = 20

  /// Returns the warnings about a row: the first one has the row, and the last one counts the fields that are too many.
  ///
  /// The looks of one product share the number of warnings, and those that are too many are counted after the last look.
  private mutating func warnings(
    _ errors: [FieldError], of id: EntityID, _ line: Int, _ draft: DraftRecord
  ) -> [RefusedRow] {
    var ofFormer: RefusedRow?
    if draft.family?.key != family?.key {
      ofFormer = takeUnreported()
      family = draft.family.map { ($0.key, 0) }
    }
    let room = max(0, Self.warningLimit - (family?.warningCount ?? 0))
    family?.warningCount += errors.count
    var reports = errors.prefix(room).enumerated().map { index, error in
      RefusedRow(
        kind: .field, line: line, id: id.value, field: error.field, reason: error.reason,
        row: index == 0 ? draft.json : nil)
    }
    let rest = errors.count - reports.count
    if rest > 0 { unreported = ((unreported?.count ?? 0) + rest, line, id.value) }
    if family == nil, let report = takeUnreported() { reports.append(report) }
    return reports + [ofFormer].compactMap(\.self)
  }

  /// Returns the report that counts the warnings about a product that have none of their own, which are too many, and forgets them;
  /// `nil` if there are none. At the end of a feed, it is the last one.
  package mutating func takeUnreported() -> RefusedRow? {
    guard let (rest, line, id) = unreported else { return nil }
    unreported = nil
    return RefusedRow(
      kind: .field, line: line, id: id, reason: "\(rest) further invalid fields were left out",
      count: rest)
  }

  /// Returns a row without a link that the shop does not accept, and without images and what its texts and lists of words
  /// have beyond the limits. Its link is the one into the app, if there is one.
  private mutating func checked(_ json: JSONValue) -> (json: JSONValue, warnings: [FieldError]) {
    guard case .object(var fields) = json else { return (json, []) }
    var warnings: [FieldError] = []
    if !imagesMap.isEmpty, case .array(let names)? = fields["images"] {
      fields["images"] = .array(names.map(local))
    }
    if case .array(let names)? = fields["images"], names.count > EntityValue.imageLimit {
      fields["images"] = .array(Array(names.prefix(EntityValue.imageLimit)))
      warnings.append(
        FieldError(
          field: "images",
          reason: "has \(names.count) images; the limit is \(EntityValue.imageLimit)"))
    }
    for (name, value) in fields where name == "id" || ProductCode.isField(name) {
      guard case .string(let text) = value, ProductCode.isRounded(text) else { continue }
      warnings.append(
        FieldError(field: name, reason: "is '\(text)', \(ProductCode.roundingAdvice)"))
    }
    if case .string(let url)? = fields["url"] {
      do throws(LinkError) {
        try Link.check(url, allowedSchemes: allowedSchemes)
      } catch {
        fields["url"] = nil
        warnings.append(FieldError(field: "url", reason: error.message))
      }
    }
    if let scheme = AppLink.apply(to: &fields, allowedSchemes: allowedSchemes) {
      findings.add(appScheme: scheme)
    }
    warnings += TextLimits.apply(to: &fields)
    return (.object(fields), warnings)
  }

  /// Returns the path of the local copy of an image, if there is one.
  private func local(_ name: JSONValue) -> JSONValue {
    guard case .string(let name) = name else { return name }
    return .string(imagesMap.lazy.compactMap { $0.path(of: name) }.first ?? name)
  }

  private mutating func refusal(of record: ParsedRecord, _ error: FieldError) -> RefusedRow {
    let json = (try? record.draft.get())?.json
    let id = takeRefusedID(of: json)
    return RefusedRow(
      line: record.line, id: id, field: error.field, reason: error.reason, row: json)
  }

  /// Takes the id of a row that cannot be used, so that its entity is not removed as missing.
  ///
  /// - Returns: The id, or `nil` if it cannot be read.
  @discardableResult
  private mutating func takeRefusedID(of json: JSONValue?) -> String? {
    guard case .object(let fields)? = json, case .string(let id)? = fields["id"] else {
      hasNamelessRow = true
      return nil
    }
    // An id beyond the limit cannot belong to a stored entity.
    if id.utf8.count <= EntityFields.idByteLimit { refusedIDs.insert(id) }
    return id
  }

  private static func id(of json: JSONValue) -> EntityID? {
    guard case .object(let fields) = json, case .string(let id)? = fields["id"],
      case .string(let name)? = fields["type"], let type = EntityType(rawValue: name)
    else { return nil }
    return EntityID(type: type, value: id)
  }

  /// Returns a row that is not nested too deeply.
  static func checkedDepth(_ json: JSONValue) throws(FieldError) -> JSONValue {
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

  /// The beginning of the reason to reject a second row with one id.
  private static let repeatedID = "was already used"

  /// The part of a list of rejected rows that a record is.
  fileprivate enum Report {
    /// It is a row of a feed.
    case none
    /// It is the report of a row that it has.
    case ofRow
    /// Another report has the row, or an earlier row with its id was indexed.
    case repeated
    /// It is the report of a row that could not be read.
    case ofUnreadableRow
  }

  /// Unwraps a row from `rejected.jsonl`. Returns any other row unchanged.
  private static func unwrapped(_ json: JSONValue) -> (json: JSONValue, report: Report) {
    guard case .object(let fields) = json, fields["type"] == nil, fields["reason"] != nil
    else { return (json, .none) }
    if let row = fields["row"] {
      // The row was rejected because its id was used before. It is not read again until its id was
      // changed, because the first row with this id was indexed.
      if case .object(let row) = row, fields["field"] == .string("id"), row["id"] == fields["id"],
        case .string(let reason)? = fields["reason"], reason.hasPrefix(repeatedID)
      {
        return (.null, .repeated)
      }
      // Earlier versions rejected reports of rows that could not be read, and reported that.
      let inner = unwrapped(row)
      return inner.report == .none ? (row, .ofRow) : inner
    }
    guard case .string(let kind)? = fields["kind"], fields["title"] == nil,
      let kind = RefusedRow.Kind(rawValue: kind), case .integer? = fields["line"]
    else { return (json, .none) }
    return kind == .row ? (json, .ofUnreadableRow) : (.null, .repeated)
  }
}
