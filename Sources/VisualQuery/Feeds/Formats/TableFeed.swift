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
  ) throws(CatalogueError) {
    guard case .table(let header) = head else {
      throw CatalogueError(
        code: .unreadableInput, message: "'\(records.name)' is in a format that is not known")
    }
    let names = Set(header.columns.map { $0.lowercased().trimmed })
    let isNative = names.isSuperset(of: ["type", "id", "title"])
    let targets =
      isNative
      ? ColumnVocabulary.nativeTargets(of: header.columns)
      : ColumnVocabulary.targets(of: header.columns)
    guard targets.contains(.id), targets.contains(.title) || context.completesIndexed else {
      throw UnknownTable.error(records.name, header, targets)
    }
    mapping = FeedMapping(format: isNative ? .csv : .table, header.columns, targets)
    rows = TableRows(header: header, targets: targets, isNative: isNative, context: context)
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    try rows.next(from: &records)
  }
}

/// A table whose columns the caller assigns; the others are recognized by their names, or kept
/// unchanged.
struct MappedFeed: FeedFormatReader {
  let mapping: FeedMapping
  private let rows: TableRows

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(CatalogueError) {
    let assignments = context.options.fields
    if assignments.isEmpty { return nil }
    guard case .table(let header) = head else {
      throw CatalogueError(
        code: .unreadableInput,
        message: "'\(records.name)' is not a table; --map names the columns of a table")
    }
    let assigned = Set(assignments.map(\.target.name))
    // A column that is assigned replaces those that are recognized for the same field.
    var targets = ColumnVocabulary.targets(of: header.columns).map { target in
      target.map { assigned.contains($0.name) } == true ? nil : target
    }
    for assignment in assignments {
      let exact = header.columns.firstIndex { $0.hasSameBytes(as: assignment.column) }
      let name = ColumnVocabulary.normalized(assignment.column)
      guard let column = exact ?? header.normalized.firstIndex(of: name) else {
        throw UnknownTable.error(records.name, header, missing: assignment.column)
      }
      targets[column] = assignment.target
    }
    guard targets.contains(.id), targets.contains(.title) || context.completesIndexed else {
      throw UnknownTable.error(records.name, header, targets)
    }
    mapping = FeedMapping(format: .table, header.columns, targets)
    rows = TableRows(header: header, targets: targets, isNative: false, context: context)
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
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

  init(
    header: TableHeader, names: [String]? = nil, targets: [FeedTarget?], isNative: Bool,
    context: FeedContext
  ) {
    self.header = header
    self.names = names ?? header.columns.map(\.trimmed)
    self.targets = targets
    self.isNative = isNative
    self.context = context
  }

  /// Returns the next record.
  func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    guard let record = try records.next() else { return nil }
    guard case .bytes(let bytes, let line) = record else { return .tooLong(line: record.line) }
    return FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in
      try draft(bytes).finished(context)
    }
  }

  /// Returns the entity of a row before its fields are interpreted.
  func draft(_ bytes: [UInt8]) throws(FieldError) -> ProductDraft {
    var draft = ProductDraft()
    draft.currency = header.currency
    for (column, text) in try header.fields(bytes).enumerated() where !text.isEmpty {
      let name = names[column]
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
    return draft
  }
}

/// Refuses tables that cannot be read, in one line with what to do.
enum UnknownTable {
  /// The most characters of a message.
  private static let lengthLimit = 200

  /// Returns the error of a table in which columns for the id or the title are missing.
  static func error(
    _ name: String, _ header: TableHeader, _ targets: [FeedTarget?]
  ) -> CatalogueError {
    let required: [(target: FeedTarget, name: String)] = [(.id, "id"), (.title, "title")]
    let missing = required.filter { !targets.contains($0.target) }.map(\.name)
    return message(
      "'\(shortened(name))' is not a known feed: no column for \(missing.joined(separator: " and "))",
      header, advice: "assign them: --map \(missing.map { "\($0)=COLUMN" }.joined(separator: ","))")
  }

  /// Returns the error of a column that the caller names and the table does not have.
  static func error(_ name: String, _ header: TableHeader, missing column: String) -> CatalogueError
  {
    message(
      "'\(shortened(name))' has no column '\(column.prefix(40))'", header,
      advice: "see them: vq index --map-from FILE")
  }

  private static func message(
    _ start: String, _ header: TableHeader, advice: String
  ) -> CatalogueError {
    let kind = header.columns.count == 1 ? "text" : "\(header.columns.count) columns"
    let room = lengthLimit - start.count - kind.count - advice.count - 8
    var columns = header.columns.map(\.trimmed).joined(separator: ", ")
    columns = String(columns.map { $0.isNewline || $0.isWhitespace ? " " : $0 })
    if columns.count > room { columns = columns.prefix(max(0, room - 1)) + "…" }
    return CatalogueError(
      code: .unreadableInput, message: "\(start) (\(kind): \(columns)); \(advice)")
  }

  /// Returns the end of a path.
  private static func shortened(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.count > 40 ? "…" + name.suffix(39) : name
  }
}
