internal import Synchronization

/// How often queries had labels that a catalogue does not know, so that its shop can add them to its
/// bridge.
///
/// Counts stand in `unmatched.sqlite` beside the catalogue, which every process adds to; no picture,
/// no time and no person goes in. At most ``limit`` labels are kept; further ones are dropped.
public final class UnmatchedLabels: Sendable {
  /// Different labels that are counted.
  public static let limit = 10_000

  /// A label and how often it was asked for.
  public struct Count: Sendable, Hashable, Encodable {
    /// The label, normalised.
    public let label: String
    /// Queries that had it.
    public let queries: Int
  }

  private let connection: Mutex<SQLiteConnection>

  /// Opens the counts of the catalogue in a directory, and makes them if they are not there.
  ///
  /// - Throws: ``CatalogueError`` where the directory may not be written.
  public init(directory: String) throws(CatalogueError) {
    let connection = try SQLiteConnection(path: directory + "/unmatched.sqlite", mode: .write)
    // A count that a power cut loses is no loss.
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
  /// It waits for other processes that are counting: call it after an answer is given.
  ///
  /// - Throws: ``CatalogueError``.
  public func count(_ labels: [String]) throws(CatalogueError) {
    let normalized = labels.map(LabelText.normalized).filter { !$0.isEmpty }
    if normalized.isEmpty { return }
    try connection.withLock { connection throws(CatalogueError) in
      try connection.execute("BEGIN IMMEDIATE")
      for label in normalized {
        try connection.statement(
          """
          INSERT INTO labels SELECT ?1, 1
          WHERE (SELECT count(*) FROM labels) < \(Self.limit)
            OR EXISTS (SELECT 1 FROM labels WHERE label = ?1)
          ON CONFLICT(label) DO UPDATE SET queries = queries + 1
          """
        ).bind(.text(label)).run()
      }
      try connection.execute("COMMIT")
    }
  }

  /// All counts, the greatest first, ties by label.
  ///
  /// - Throws: ``CatalogueError``.
  public func counts() throws(CatalogueError) -> [Count] {
    try connection.withLock { connection throws(CatalogueError) in
      let row = try connection.statement(
        "SELECT label, queries FROM labels ORDER BY queries DESC, label")
      var counts: [Count] = []
      while try row.step() { counts.append(Count(label: row.text(0), queries: row.integer(1))) }
      return counts
    }
  }
}
