#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The last runs of `vq index`, in `runs.sqlite` beside the catalogue.
///
/// They are not part of a generation: a run that changes nothing, or that fails, is remembered as well. The file is
/// written at the beginning and at the end of a run.
package struct RunHistory: Sendable {
  /// The file's name within a catalogue's directory.
  package static let fileName = "runs.sqlite"
  /// The most runs that are remembered.
  package static let limit = 400
  /// The seconds for which losses are added up: seven nights.
  package static let window = 7 * 24 * 3600

  private let directory: String
  private let now: @Sendable () -> Int

  /// Makes the history of the catalogue in a directory; nothing is opened.
  ///
  /// - Parameter now: Returns the seconds since 1970.
  package init(
    directory: String, now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
  ) {
    self.directory = directory
    self.now = now
  }

  private var path: String { directory + "/" + Self.fileName }

  // MARK: Writing

  private func connect() throws(CatalogueError) -> CatalogueConnection {
    let connection = try CatalogueConnection(path: path, mode: .write)
    // Without a write-ahead log, so that a look at the file tells whether anything is new.
    try connection.execute(
      """
      PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS indexRuns(
        id INTEGER PRIMARY KEY AUTOINCREMENT, feed TEXT NOT NULL, began INTEGER NOT NULL,
        ended INTEGER, outcome TEXT, generation INTEGER, isUndone INTEGER NOT NULL DEFAULT 0,
        result TEXT) STRICT;
      """)
    return connection
  }

  /// Writes in one transaction. One that fails is rolled back when its connection is closed.
  private func write(
    _ body: (CatalogueConnection) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    let connection = try connect()
    try connection.execute("BEGIN IMMEDIATE")
    try body(connection)
    try connection.execute("COMMIT")
  }

  /// Notes that a run begins.
  ///
  /// - Returns: The number of the run.
  package func begin(feed: String) throws(CatalogueError) -> Int {
    var id = 0
    try write { connection throws(CatalogueError) in
      try connection.statement("INSERT INTO indexRuns(feed, began) VALUES(?, ?)")
        .bind(.text(feed), .integer(now())).run()
      id = connection.lastInsertedRow
      // Runs without any change are forgotten before others.
      try connection.statement(
        """
        DELETE FROM indexRuns WHERE id IN (
          SELECT id FROM indexRuns WHERE id != ? ORDER BY outcome IS NOT 'nothingToDo', id
          LIMIT max(0, (SELECT count(*) FROM indexRuns) - \(Self.limit)))
        """
      ).bind(.integer(id)).run()
    }
    return id
  }

  /// Notes that a run has ended.
  ///
  /// - Parameter id: What ``begin(feed:)`` returned.
  package func end(
    _ id: Int, _ outcome: RunRecord.Outcome, generation: Int?, _ result: RunRecord.Result
  ) throws(CatalogueError) {
    // The file of a new index that was removed again is not made another time.
    guard FileStatus.exists(path), let data = try? JSONEncoder().encode(result) else { return }
    try write { connection throws(CatalogueError) in
      try connection.statement(
        "UPDATE indexRuns SET ended = ?, outcome = ?, generation = ?, result = ? WHERE id = ?"
      ).bind(
        .integer(now()), .text(outcome.rawValue), generation.map(SQLiteValue.integer) ?? .null,
        .text(String(decoding: data, as: UTF8.self)), .integer(id)
      ).run()
    }
  }

  /// Notes that a rollback has undone the runs after a generation, so that their losses count no more.
  package func undo(after generation: Int) throws(CatalogueError) {
    guard FileStatus.exists(path) else { return }
    try write { connection throws(CatalogueError) in
      try connection.statement("UPDATE indexRuns SET isUndone = 1 WHERE generation > ?")
        .bind(.integer(generation)).run()
    }
  }

  /// Gives the runs of a feed to its new name.
  package func rename(_ feed: String, to name: String) throws(CatalogueError) {
    guard FileStatus.exists(path) else { return }
    try write { connection throws(CatalogueError) in
      try connection.statement("UPDATE indexRuns SET feed = ? WHERE feed = ?")
        .bind(.text(name), .text(feed)).run()
    }
  }

  /// Forgets the runs of a feed.
  package func remove(_ feed: String) throws(CatalogueError) {
    guard FileStatus.exists(path) else { return }
    try write { connection throws(CatalogueError) in
      try connection.statement("DELETE FROM indexRuns WHERE feed = ?").bind(.text(feed)).run()
    }
  }

  // MARK: Reading

  private enum Column: Int, SQLiteColumns {
    case id, feed, began, ended, outcome, generation, isUndone, result
  }

  private func records(
    _ rest: String, _ values: [SQLiteValue] = []
  ) throws(CatalogueError) -> [RunRecord] {
    guard FileStatus.exists(path) else { return [] }
    let connection = try CatalogueConnection(reading: path)
    // A process that was killed before it created the table leaves an empty file.
    let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.onlyInteger }
    if (tableCount ?? 0) == 0 { return [] }
    return try connection.rows("SELECT \(Column.list) FROM indexRuns \(rest)", values) { row in
      RunRecord(
        id: row.integer(Column.id), feed: row.text(Column.feed), began: row.integer(Column.began),
        ended: row.isNull(Column.ended) ? nil : row.integer(Column.ended),
        outcome: RunRecord.Outcome(rawValue: row.text(Column.outcome)),
        generation: row.isNull(Column.generation) ? nil : row.integer(Column.generation),
        isUndone: row.integer(Column.isUndone) != 0,
        result: try? JSONDecoder().decode(
          RunRecord.Result.self, from: Data(row.text(Column.result).utf8)))
    }
  }

  /// Returns the last run of each feed, the latest run first.
  package func latest() throws(CatalogueError) -> [RunRecord] {
    try records(
      """
      WHERE id IN (SELECT max(id) FROM indexRuns GROUP BY feed)
      ORDER BY coalesce(ended, began) DESC, id DESC
      """)
  }

  /// Returns the last run of each feed that was a success.
  package func latestSuccesses() throws(CatalogueError) -> [RunRecord] {
    try records(
      """
      WHERE id IN (SELECT max(id) FROM indexRuns WHERE outcome IN ('done', 'nothingToDo', 'losses') GROUP BY feed)
      """)
  }

  /// Returns the runs of a feed that have ended within ``window``, the first one first.
  package func recent(feed: String) throws(CatalogueError) -> [RunRecord] {
    try records(
      "WHERE feed = ? AND ended > ? AND result IS NOT NULL ORDER BY id",
      [.text(feed), .integer(now() - Self.window)])
  }
}
