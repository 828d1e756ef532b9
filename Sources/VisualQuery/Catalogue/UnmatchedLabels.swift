internal import Synchronization

/// How often queries had labels that a catalogue does not know, so that its shop can add them to its
/// bridge.
///
/// Counts stand in `unmatched.sqlite` beside the catalogue, which every process adds to; no picture,
/// no time and no person goes in. At most ``limit`` labels of ``byteLimit`` bytes together are kept;
/// further ones are dropped.
public final class UnmatchedLabels: Sendable {
  /// Different labels that are counted.
  public static let limit = 10_000
  /// Bytes of all labels that are counted, in UTF-8.
  public static let byteLimit = 1 << 20

  /// A label and how often it was asked for.
  public struct Count: Sendable, Hashable, Encodable {
    /// The label, normalised.
    public let label: String
    /// Queries that had it.
    public let queries: Int
  }

  private let connection: Mutex<CatalogueConnection>

  /// Opens the counts of the catalogue in a directory, and makes them if they are not there.
  ///
  /// - Throws: ``CatalogueError`` where the directory may not be written.
  public init(directory: String) throws(CatalogueError) {
    let connection = try CatalogueConnection(path: directory + "/unmatched.sqlite", mode: .write)
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

  /// Counts labels within a transaction.
  private static func count(
    _ labels: [String], in connection: CatalogueConnection
  ) throws(CatalogueError) {
    // Versions before the limit kept labels of any length.
    try connection.execute(
      "DELETE FROM labels WHERE length(label) > \(SemanticContent.labelLength)")
    let sums = try connection.statement(
      "SELECT count(*), coalesce(sum(length(CAST(label AS BLOB))), 0) FROM labels")
    _ = try sums.step()
    var (count, byteCount) = (sums.integer(0), sums.integer(1))
    sums.reset()
    for label in labels {
      let known = try connection.statement(
        "UPDATE labels SET queries = queries + 1 WHERE label = ? RETURNING queries"
      ).bind(.text(label))
      if try known.step() {
        try known.run()
        continue
      }
      guard count < limit, byteCount + label.utf8.count <= byteLimit else { continue }
      try connection.statement("INSERT INTO labels VALUES(?, 1)").bind(.text(label)).run()
      count += 1
      byteCount += label.utf8.count
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
