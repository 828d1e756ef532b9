internal import Synchronization

/// The statements about the answers of a catalogue, in `feedback.sqlite` beside it.
///
/// They are not part of a generation: an index run, a rollback and an export of the catalogue leave them as they are.
/// Processes may read and write the file at the same time; a reader sees a statement as soon as it is committed.
package final class KeptFeedback: Sendable {
  /// The file's name within a catalogue's directory.
  package static let fileName = "feedback.sqlite"
  /// The limits of a file.
  package struct Limits: Sendable, Hashable {
    /// The largest number of statements.
    package var statements = 10_000
    /// The largest number of statements that wait to be accepted, so that strangers cannot use up the
    /// room.
    package var pending = 1_000
    /// The largest number of bytes of an image that is kept.
    package var imageBytes = 1_000_000
    /// The largest number of bytes of all images that are kept.
    package var allImageBytes = 256_000_000
    /// The largest number of bytes of the images of statements that wait to be accepted.
    package var pendingImageBytes = 64_000_000

    /// Makes the usual limits.
    package init() {}
  }

  /// The limits of what is added.
  package let limits: Limits
  private let connection: Mutex<CatalogueConnection>
  private let origin: (any FeedbackOrigin)?

  /// Opens or creates the file of the catalogue in a directory.
  ///
  /// - Parameters:
  ///   - origin: The origin of the catalogue if it is a copy, which gets changes first.
  ///   - isListed: True if a file that cannot be written is opened nevertheless, to be read: changes of it fail.
  /// - Throws: ``CatalogueError``.
  package init(
    directory: String, limits: Limits, origin: (any FeedbackOrigin)?, isListed: Bool = false
  ) throws(CatalogueError) {
    self.limits = limits
    self.origin = origin
    do throws(CatalogueError) {
      connection = Mutex(try Self.connect(directory))
    } catch  where isListed && error.isRefusedAccess {
      connection = Mutex(try CatalogueConnection(reading: directory + "/" + Self.fileName))
    }
  }

  /// Opens or creates a file.
  package static func connect(_ directory: String) throws(CatalogueError) -> CatalogueConnection {
    let connection = try CatalogueConnection(path: directory + "/" + fileName, mode: .write)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS statements(
        number INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL, time INTEGER NOT NULL,
        author TEXT, labels TEXT NOT NULL, signature BLOB NOT NULL, chosen TEXT,
        rejected TEXT NOT NULL, image BLOB) STRICT;
      CREATE INDEX IF NOT EXISTS statementsOfQuery ON statements(signature, labels);
      """)
    return connection
  }

  // MARK: Writing

  /// A statement that is to be added.
  package struct Addition: Sendable, Hashable {
    /// The question and what is said about it.
    package var content: FeedbackStatement.Content
    /// The state in which the statement is added: in effect immediately, or only after somebody of the shop accepts
    /// it.
    package var state: FeedbackStatement.State
    /// The name of the key that it is made with.
    package var author: String?
    /// Seconds since 1970.
    package var time: Int
    /// The image as a JPEG file, if the person gave it to be kept.
    package var image: [UInt8]?

    /// Makes a statement.
    package init(
      _ content: FeedbackStatement.Content, state: FeedbackStatement.State, author: String? = nil,
      time: Int, image: [UInt8]? = nil
    ) {
      self.content = content
      self.state = state
      self.author = author
      self.time = time
      self.image = image
    }
  }

  /// The outcome of adding statements.
  package struct Added: Sendable {
    /// Each statement up to the rejected one, or the earlier one that says the same, and whether it is new.
    package fileprivate(set) var statements: [(statement: FeedbackStatement, isNew: Bool)] = []
    /// The reason why the next one was rejected, with the code `full` or `tooMuch`; `nil` if none was.
    package fileprivate(set) var refusal: FeedbackError?
  }

  /// Adds a statement, or returns the one that says the same.
  ///
  /// - Returns: The statement, once it is on disk, and whether it is new.
  /// - Throws: ``FeedbackError`` with the code `full` or `tooMuch`; ``CatalogueError``.
  package func add(
    _ content: FeedbackStatement.Content, state: FeedbackStatement.State, author: String? = nil,
    time: Int, image: [UInt8]? = nil
  ) throws -> (statement: FeedbackStatement, isNew: Bool) {
    let added = try add([
      Addition(content, state: state, author: author, time: time, image: image)
    ])
    if let refusal = added.refusal { throw refusal }
    return added.statements[0]
  }

  /// Adds statements in their order, in one transaction, up to the first one that is rejected.
  ///
  /// - Throws: ``CatalogueError``; then none is added.
  package func add(_ additions: [Addition]) throws(CatalogueError) -> Added {
    try change { connection throws(CatalogueError) in
      var added = Added()
      var numbers: [Int] = []
      // Reads the sums once for all additions, because it scans the whole table.
      var sums = try currentSums(in: connection)
      for addition in additions {
        if let known = try known(addition, in: connection) {
          added.statements.append((known, false))
          continue
        }
        added.refusal = refusal(of: addition, beside: sums)
        if added.refusal != nil { break }
        let statement = try insert(addition, in: connection)
        sums.add(addition)
        added.statements.append((statement, true))
        numbers.append(statement.number)
      }
      return (added, numbers)
    }
  }

  /// Runs a change in a transaction, once its origin has it.
  ///
  /// - Parameter body: Returns the numbers of the statements that it has changed.
  private func change<Value: Sendable>(
    _ body:
      @Sendable (CatalogueConnection) throws(CatalogueError) -> (
        result: Value, numbers: [Int]
      )
  ) throws(CatalogueError) -> Value {
    try connection.withLock { connection throws(CatalogueError) in
      try connection.execute("BEGIN IMMEDIATE")
      do throws(CatalogueError) {
        let result =
          if let origin {
            try origin.publish(connection) { () throws(CatalogueError) in try body(connection) }
          } else {
            try body(connection).result
          }
        try connection.execute("COMMIT")
        return result
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
    }
  }

  /// Returns the statement that says the same.
  private func known(
    _ addition: Addition, in connection: CatalogueConnection
  ) throws(CatalogueError) -> FeedbackStatement? {
    let row = StatementRow(addition.content)
    return try connection.first(
      """
      SELECT \(StatementRow.columns) FROM statements
      WHERE state = ? AND signature = ? AND labels = ? AND chosen IS ? AND rejected = ?
        AND (? OR image IS NOT NULL)
      """,
      [
        .text(addition.state.rawValue), .blob(addition.content.query.signature),
        .text(row.labels), row.chosen, .text(row.rejected),
        .integer(addition.image == nil ? 1 : 0),
      ]
    ) { StatementRow.statement($0) } ?? nil
  }

  private func insert(
    _ addition: Addition, in connection: CatalogueConnection
  ) throws(CatalogueError) -> FeedbackStatement {
    let row = StatementRow(addition.content)
    let number = try connection.first(
      """
      INSERT INTO statements(state, time, author, labels, signature, chosen, rejected, image)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
      """,
      [
        .text(addition.state.rawValue), .integer(addition.time),
        addition.author.map { .text($0) } ?? .null, .text(row.labels),
        .blob(addition.content.query.signature), row.chosen, .text(row.rejected),
        addition.image.map { .blob($0) } ?? .null,
      ]
    ) { $0.onlyInteger }
    return FeedbackStatement(
      number: number ?? 0, state: addition.state, time: addition.time, author: addition.author,
      content: addition.content, hasImage: addition.image != nil)
  }

  /// The quantities that the limits bound.
  private struct Sums {
    var all = 0
    var pending = 0
    /// The length of all images.
    var bytes = 0
    /// The total length of the images of statements that wait to be accepted.
    var pendingBytes = 0

    mutating func add(_ addition: Addition) {
      all += 1
      if addition.state == .pending { pending += 1 }
      bytes += addition.image?.count ?? 0
      if addition.state == .pending { pendingBytes += addition.image?.count ?? 0 }
    }
  }

  private enum SumColumn: Int, SQLiteColumns { case all, pending, bytes, pendingBytes }

  private func currentSums(in connection: CatalogueConnection) throws(CatalogueError) -> Sums {
    try connection.first(
      """
      SELECT count(*), coalesce(sum(state = 'pending'), 0), coalesce(sum(length(image)), 0),
        coalesce(sum(iif(state = 'pending', length(image), 0)), 0)
      FROM statements
      """
    ) {
      Sums(
        all: $0.integer(SumColumn.all), pending: $0.integer(SumColumn.pending),
        bytes: $0.integer(SumColumn.bytes), pendingBytes: $0.integer(SumColumn.pendingBytes))
    } ?? Sums()
  }

  /// Returns the reason why a statement cannot be added, or `nil` if it can.
  private func refusal(
    of addition: Addition, beside sums: Sums
  ) -> FeedbackError? {
    let byteCount = addition.image?.count ?? 0
    guard byteCount <= limits.imageBytes else {
      return FeedbackError(
        code: .tooMuch,
        message: "the image has \(byteCount) bytes; the limit is \(limits.imageBytes): "
          + "scale it to 1024 pixels")
    }
    guard sums.all < limits.statements,
      addition.state == .active || sums.pending < limits.pending
    else {
      return FeedbackError(
        code: .full,
        message: "\(sums.all) statements are kept, \(sums.pending) of which wait to be accepted; "
          + "the limits are \(limits.statements) and \(limits.pending): remove some")
    }
    guard sums.bytes + byteCount <= limits.allImageBytes else {
      return FeedbackError(
        code: .full,
        message: "the kept images have \(sums.bytes) bytes; the limit is \(limits.allImageBytes): "
          + "remove some statements, or send this one without its image")
    }
    guard
      byteCount == 0 || addition.state == .active
        || sums.pendingBytes + byteCount <= limits.pendingImageBytes
    else {
      return FeedbackError(
        code: .full,
        message: "the images of statements that wait have \(sums.pendingBytes) bytes; the limit is "
          + "\(limits.pendingImageBytes): accept or remove some, or send this one without its image"
      )
    }
    return nil
  }

  /// Removes a statement: answers are as if it had never been made.
  ///
  /// - Returns: True if there was one with this number.
  /// - Throws: ``CatalogueError``.
  package func remove(_ number: Int) throws(CatalogueError) -> Bool {
    try change("DELETE FROM statements WHERE number = ? RETURNING number", number)
  }

  /// Lets a statement have its effect.
  ///
  /// - Returns: True if there is one with this number.
  /// - Throws: ``CatalogueError``.
  package func accept(_ number: Int) throws(CatalogueError) -> Bool {
    try change("UPDATE statements SET state = 'active' WHERE number = ? RETURNING number", number)
  }

  private func change(_ sql: String, _ number: Int) throws(CatalogueError) -> Bool {
    try change { connection throws(CatalogueError) in
      let isKnown = try !connection.rows(sql, [.integer(number)]) { $0.onlyInteger }.isEmpty
      return (isKnown, isKnown ? [number] : [])
    }
  }

  // MARK: Reading

  /// Returns statements, the newest first.
  ///
  /// - Parameters:
  ///   - number: Only older statements than that of this number.
  ///   - id: Only statements that choose or reject this entity.
  ///   - limit: The most statements.
  /// - Throws: ``CatalogueError``.
  package func statements(
    before number: Int = .max, about id: EntityID? = nil, limit: Int = .max
  ) throws(CatalogueError) -> [FeedbackStatement] {
    let name = id.map { SQLiteValue.text($0.description) } ?? .null
    return try connection.withLock { connection throws(CatalogueError) in
      try connection.rows(
        """
        SELECT \(StatementRow.columns) FROM statements
        WHERE number < ?1 AND (?2 IS NULL OR chosen = ?2
          OR EXISTS(SELECT 1 FROM json_each(rejected) WHERE value = ?2))
        ORDER BY number DESC LIMIT ?3
        """, [.integer(number), name, .integer(limit)]
      ) { StatementRow.statement($0) }
    }
  }

  /// Returns the image of a statement, or `nil` if none was kept.
  ///
  /// - Throws: ``CatalogueError``.
  package func image(of number: Int) throws(CatalogueError) -> [UInt8]? {
    try connection.withLock { connection throws(CatalogueError) in
      try connection.first(
        "SELECT image FROM statements WHERE number = ? AND image IS NOT NULL", [.integer(number)]
      ) { $0.onlyBlob }
    }
  }
}

/// The place where the statements of a copy are kept.
package protocol FeedbackOrigin: Sendable {
  /// Brings the copy up to date, changes it, and publishes the change. Called in a transaction of the
  /// copy, which is committed if this succeeds, so that the copy is never ahead of its origin.
  ///
  /// - Parameter change: Returns the numbers of the statements that it has changed.
  func publish<Value>(
    _ copy: CatalogueConnection,
    _ change: () throws(CatalogueError) -> (result: Value, numbers: [Int])
  ) throws(CatalogueError) -> Value
}

/// A row of the table.
struct StatementRow {
  private enum Column: Int, SQLiteColumns {
    case number, state, time, author, labels, signature, chosen, rejected, hasImage
  }

  static let columns = Column.list.replacing("hasImage", with: "image IS NOT NULL")

  let labels: String
  let chosen: SQLiteValue
  let rejected: String

  init(_ content: FeedbackStatement.Content) {
    labels = Self.list(content.query.labels)
    chosen = content.chosen.map { .text($0.description) } ?? .null
    rejected = Self.list(content.rejected.map(\.description))
  }

  private static func list(_ texts: [String]) -> String {
    JSONValue.array(texts.map(JSONValue.string)).text
  }

  private static func texts(_ json: String) -> [String] {
    guard case .array(let elements)? = try? JSONValue(stored: json) else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Reads a row with all ``columns``; `nil` if another program has changed it.
  static func statement(_ row: CatalogueStatement) -> FeedbackStatement? {
    let rejected = texts(row.text(Column.rejected)).compactMap { EntityID($0) }
    let query = FeedbackQuery(
      labels: texts(row.text(Column.labels)), signature: row.blob(Column.signature))
    guard let state = FeedbackStatement.State(rawValue: row.text(Column.state)),
      let content = try? FeedbackStatement.Content(
        query: query,
        chosen: row.isNull(Column.chosen) ? nil : EntityID(row.text(Column.chosen)),
        rejected: rejected)
    else { return nil }
    return FeedbackStatement(
      number: row.integer(Column.number), state: state, time: row.integer(Column.time),
      author: row.isNull(Column.author) ? nil : row.text(Column.author), content: content,
      hasImage: row.integer(Column.hasImage) != 0)
  }
}
