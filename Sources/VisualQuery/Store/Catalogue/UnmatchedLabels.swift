internal import Synchronization

/// Counts of the query labels that a catalogue does not know, so that a shop can add them to its
/// bridge.
///
/// The counts are stored in `unmatched.sqlite` beside the catalogue and are shared by all
/// processes. Images, times and persons are not recorded. At most 10 000 labels of one
/// megabyte in total are stored; further ones are dropped.
package final class UnmatchedLabels: Sendable {
  /// The largest number of different labels.
  package static let limit = 10_000
  /// The largest number of bytes of all labels, in UTF-8.
  package static let byteLimit = 1 << 20

  /// A label with its number of queries.
  package struct Count: Sendable, Hashable, Encodable {
    /// The label, normalized.
    package let label: String
    /// The number of queries with the label.
    package let queries: Int
  }

  private static let fileName = "unmatched.sqlite"

  private let connection: Mutex<CatalogueConnection>

  /// Opens the counts of the catalogue in a directory for counting, and creates the file if it does not exist.
  ///
  /// - Throws: ``CatalogueError`` if the directory is not writable.
  package init(directory: String) throws(CatalogueError) {
    let connection = try CatalogueConnection(
      path: directory + "/" + Self.fileName, mode: .write)
    // Losing counts in a power cut is acceptable.
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      CREATE TABLE IF NOT EXISTS labels(
        label TEXT PRIMARY KEY, queries INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      """)
    self.connection = Mutex(connection)
  }

  /// Counts the unmatched labels of some answers.
  ///
  /// Waits for other processes that are counting, so call it after an answer is sent.
  ///
  /// - Throws: ``CatalogueError``.
  package func count(_ labels: [String]) throws(CatalogueError) {
    let normalized = labels.map {
      SemanticContent.bounded(LabelText.normalized(SemanticContent.bounded($0)))
    }.filter { !$0.isEmpty }
    if normalized.isEmpty { return }
    try connection.withLock { connection throws(CatalogueError) in
      try connection.execute("BEGIN IMMEDIATE")
      do throws(CatalogueError) {
        try Self.count(normalized, in: connection)
        try connection.execute("COMMIT")
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
    }
  }

  private enum Sum: Int, SQLiteColumns { case count, byteCount }

  /// Counts labels within a transaction.
  private static func count(
    _ labels: [String], in connection: CatalogueConnection
  ) throws(CatalogueError) {
    // Earlier versions stored labels of any length.
    try connection.execute(
      "DELETE FROM labels WHERE length(label) > \(SemanticContent.labelLength)")
    let sums = try connection.first(
      "SELECT count(*), coalesce(sum(length(CAST(label AS BLOB))), 0) FROM labels"
    ) { ($0.integer(Sum.count), $0.integer(Sum.byteCount)) }
    var (count, byteCount) = sums ?? (0, 0)
    for label in labels {
      let updated = try connection.rows(
        "UPDATE labels SET queries = queries + 1 WHERE label = ? RETURNING queries",
        [.text(label)]
      ) { $0.onlyInteger }
      if !updated.isEmpty { continue }
      guard count < limit, byteCount + label.utf8.count <= byteLimit else { continue }
      try connection.statement("INSERT INTO labels VALUES(?, 1)").bind(.text(label)).run()
      count += 1
      byteCount += label.utf8.count
    }
  }

  private enum Column: Int, SQLiteColumns { case label, queries }

  /// Returns all counts of the catalogue in a directory, the largest first, ties by label. Creates nothing: without a file, there are none.
  ///
  /// - Throws: ``CatalogueError``.
  package static func counts(in directory: String) throws(CatalogueError) -> [Count] {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return [] }
    let connection = try CatalogueConnection(reading: path)
    // A process that was killed before it created the table leaves an empty file.
    let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.onlyInteger }
    if (tableCount ?? 0) == 0 { return [] }
    return try connection.rows("SELECT \(Column.list) FROM labels ORDER BY queries DESC, label") {
      Count(label: $0.text(Column.label), queries: $0.integer(Column.queries))
    }
  }
}
