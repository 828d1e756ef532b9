/// A table whose columns are recognized by their names: those of the native form, or those that
/// shops usually give them.
///
/// In the native form, `labels`, `images`, `stock`, `synonyms` and `openingHours` are lists whose
/// parts are separated by `|`. An empty field counts as absent.
struct TableFeed: FeedFormatReader {
  let mapping: FeedMapping
  private let rows: TableRows

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let header) = head else {
      throw FeedError(
        message: "'\(records.name)' is in a format that is not known")
    }
    let names = Set(header.columns.map { $0.lowercased().trimmed })
    let isNative = names.isSuperset(of: ["type", "id", "title"])
    var targets =
      isNative
      ? ColumnVocabulary.nativeTargets(of: header.columns)
      : ColumnVocabulary.targets(of: header.columns)
    if !isNative { ColumnValues.add(to: &targets, header, try header.sample(of: &records)) }
    guard UnknownTable.isKnown(targets, context) else {
      throw UnknownTable.error(records.name, header, targets, records.advice)
    }
    mapping = FeedMapping(format: isNative ? .csv : .table, header.columns, targets)
    var rows = TableRows(header: header, targets: targets, isNative: isNative, context: context)
    if !isNative { try rows.findParents(&records) }
    self.rows = rows
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    try rows.next(from: &records)
  }
}

/// A table whose columns the caller assigns, or a known format does; the others are recognized by their names, or kept
/// unchanged.
struct MappedFeed: FeedFormatReader {
  let mapping: FeedMapping
  private let rows: TableRows

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let header) = head else { return nil }
    let format = context.map == nil ? KnownFormat.ofTable(header) : nil
    guard let map = context.map ?? format?.map, format?.family == nil else { return nil }
    let rows = TableRows(header: header, map: map, context: context)
    for field in map.fields where format == nil && rows.column(of: field) == nil {
      throw UnknownTable.error(records.name, header, missing: field)
    }
    let assigned = FeedText.unique(map.assignments.compactMap { $0.target?.name })
    let missing = [FeedTarget.title].filter { target in
      !assigned.contains(target.name) && !rows.targets.contains(target)
    }
    guard missing.isEmpty || context.completesIndexed else {
      throw UnknownTable.error(records.name, header, rows.targets, records.advice)
    }
    self.rows = rows
    mapping = FeedMapping(
      format: .table, name: format?.name, header.columns, rows.targets, map
    ) { rows.column(of: $0) != nil }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    try rows.next(from: &records)
  }
}

/// Reads the rows of a table, each of which is an entity.
struct TableRows: Sendable {
  let header: TableHeader
  /// The names under which fields are kept unchanged.
  let names: [String]
  let targets: [FeedTarget?]
  /// True if the columns are those of the native form, whose lists are separated by bars and whose
  /// labels stay as they are.
  let isNative: Bool
  let context: FeedContext
  /// The mapping, or `nil` if columns are recognized by their names.
  let map: FieldMap?
  /// The fields of the mapping that each column has.
  private let places: [[Int]]
  /// The columns with the stock of one place, such as `inventory_Harbor`, with the names of the places.
  private let stocks: [(column: Int, place: String)]

  /// Makes rows whose columns are assigned by a mapping, or recognized by their names.
  init(header: TableHeader, map: FieldMap, context: FeedContext) {
    self.header = header
    self.map = map
    self.context = context
    names = header.columns.map(\.trimmed)
    isNative = false
    var places = header.columns.map { _ in [Int]() }
    for (place, field) in map.fields.enumerated() {
      if FieldMap.isPattern(field) {
        for (column, name) in names.enumerated()
        where FieldMap.rest(of: name, fitting: field) != nil {
          places[column].append(place)
        }
      } else if let column = Self.column(of: field, in: header) {
        places[column].append(place)
      }
    }
    self.places = places
    stocks = map.stockPatterns.flatMap { [names] pattern in
      names.enumerated().compactMap { column, name in
        FieldMap.rest(of: name, fitting: pattern).map { (column, $0.trimmed) }
      }
    }.filter { !$0.place.isEmpty }
    let kept = Set(map.kept.map(ColumnVocabulary.normalized))
    // A column that is assigned replaces those that are recognized for the same field.
    let others = map.others(ColumnVocabulary.targets(of: header.columns))
    targets = header.columns.indices.map { column in
      places[column].contains(where: map.isTaken) || kept.contains(header.normalized[column])
        ? nil : others[column]
    }
  }

  /// Returns the column of a field of a mapping.
  func column(of field: String) -> Int? { Self.column(of: field, in: header) }

  private static func column(of field: String, in header: TableHeader) -> Int? {
    if FieldMap.isPattern(field) {
      return header.columns.firstIndex { FieldMap.rest(of: $0.trimmed, fitting: field) != nil }
    }
    let name = ColumnVocabulary.normalized(field)
    return header.columns.firstIndex { $0.hasSameBytes(as: field) }
      ?? header.normalized.firstIndex(of: name)
  }

  init(
    header: TableHeader, names: [String]? = nil, targets: [FeedTarget?], isNative: Bool,
    context: FeedContext
  ) {
    (map, places, stocks) = (nil, [], [])
    self.header = header
    self.names = names ?? header.columns.map(\.trimmed)
    self.targets = targets
    self.isNative = isNative
    self.context = context
  }

  /// The ids of products that further rows name as their group.
  private var parents: Set<String> = []

  /// Looks in the first rows for products that other rows name as their group, so that these products belong to the
  /// group, too.
  mutating func findParents(_ records: inout RecordReader) throws(FeedError) {
    guard let group = targets.firstIndex(of: .group) else { return }
    parents = Set(
      try header.sample(of: &records).map { $0[group].trimmed }.filter(FeedText.isGroup))
    // The parents are part of the hash of a row, because a row is read in another way if it belongs
    // to a parent.
    if !parents.isEmpty {
      hashEnd = FeedRecord.shared(Array(parents.sorted().joined(separator: "\n").utf8))
    }
  }

  /// The bytes that are hashed after each row, because they also determine how the row is read.
  private var hashEnd: [UInt8] = []

  /// Returns the next record.
  func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    try records.next().map(record)
  }

  /// Returns the record of a row.
  func record(_ record: RecordReader.Record) -> FeedRecord {
    guard case .bytes(let bytes, let line) = record else { return .unread(record) }
    let hashed = hashEnd.isEmpty ? bytes : bytes + hashEnd
    return FeedRecord(line: line, bytes: hashed) { () throws(FieldError) in
      try draft(bytes).finished(context)
    }
  }

  /// Returns the entity of a row before its fields are interpreted.
  func draft(_ bytes: [UInt8]) throws(FieldError) -> ProductDraft {
    let (fields, encoding) = try header.read(bytes)
    var draft = draft(of: fields)
    if let encoding {
      draft.warn("row", "is not UTF-8, unlike the feed; it was read as \(encoding)")
    }
    return draft
  }

  /// Returns the entity of the fields of a row.
  func draft(of fields: [String]) -> ProductDraft {
    var draft = ProductDraft()
    draft.currency = header.currency
    draft.isNative = isNative
    var values: [[String]] = map?.fields.map { _ in [] } ?? []
    for (column, text) in fields.enumerated() where !text.isEmpty {
      let name = names[column]
      if map != nil, !places[column].isEmpty {
        for place in places[column] { values[place].append(text) }
        if places[column].contains(where: { map?.isTaken($0) == true }) { continue }
      }
      if targets[column] == .title, text.trimmed.contains(where: \.isNewline) {
        draft.warn(
          "title", "has a line break: a quote may be missing in this row or the one before it")
      }
      switch targets[column] {
      case .labels? where isNative:
        draft.addLabels(
          text.split(separator: "|").map(\.trimmed).filter { !$0.isEmpty })
      case .type? where isNative:
        if let type = EntityType(rawValue: text.lowercased().trimmed) {
          draft.type = type
        } else {
          draft.unknownType = text
        }
      case let target: draft.add(target, name, text)
      }
    }
    map?.add(values, to: &draft)
    if !stocks.isEmpty {
      draft.stockedAt = stocks.filter { FeedText.isInStock(fields[$0.column]) == true }
        .map(\.place)
    }
    if draft.group == nil, !parents.isEmpty, parents.contains(draft.id) { draft.group = draft.id }
    return draft
  }
}

/// Rejects tables that cannot be read, in one line with what to do.
enum UnknownTable {
  /// The most characters of a message.
  private static let lengthLimit = 200

  /// Returns whether the columns of a table are those of products: a title, and an id or something that a product has, such as a
  /// link or a price, of which one is made.
  static func isKnown(_ targets: [FeedTarget?], _ context: FeedContext) -> Bool {
    if targets.contains(.id), targets.contains(.title) || context.completesIndexed { return true }
    let others = targets.filter { target in
      switch target {
      case .url, .price, .image, .images: true
      default: false
      }
    }
    return targets.contains(.title) && Set(others).count > 1
  }

  /// Returns the error of a table in which columns for the id or the title are missing.
  static func error(
    _ name: String, _ header: TableHeader, _ targets: [FeedTarget?], _ advice: String?
  ) -> FeedError {
    let required: [(target: FeedTarget, name: String)] = [(.id, "id"), (.title, "title")]
    let missing = required.filter { !targets.contains($0.target) }.map(\.name)
    return message(
      "'\(shortened(name))' is not a known feed: no column for \(missing.joined(separator: " and "))",
      header,
      advice: "assign them: --map \(missing.map { "\($0)=COLUMN" }.joined(separator: ","))"
        + (advice.map { ", \($0)" } ?? ""))
  }

  /// Returns the error of a column that the caller names and the table does not have.
  static func error(_ name: String, _ header: TableHeader, missing column: String) -> FeedError {
    message(
      "'\(shortened(name))' has no column '\(column.prefix(40))'", header,
      advice: "see them: vq index --map-from FILE")
  }

  private static func message(
    _ start: String, _ header: TableHeader, advice: String
  ) -> FeedError {
    let kind = header.columns.count == 1 ? "text" : "\(header.columns.count) columns"
    let room = lengthLimit - start.count - kind.count - advice.count - 8
    var columns = header.columns.map(\.trimmed).joined(separator: ", ")
    columns = String(columns.map { $0.isNewline || $0.isWhitespace ? " " : $0 })
    if columns.count > room { columns = columns.prefix(max(0, room - 1)) + "…" }
    return FeedError(
      message: "\(start) (\(kind): \(columns)); \(advice)")
  }

  /// Returns the end of a path.
  private static func shortened(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.count > 40 ? "…" + name.suffix(39) : name
  }
}
