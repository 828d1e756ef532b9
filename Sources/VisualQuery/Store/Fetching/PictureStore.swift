internal import Synchronization

/// The file `fetched.sqlite`: the images that were fetched, and those that their servers refuse.
package final class PictureStore: Sendable {
  private let connection: Mutex<CatalogueConnection>
  /// The number of the run that writes, or 0 if nothing is written.
  let run: Int

  /// An image with its validators.
  struct Stored: Sendable {
    let content: ReadingTable.ImageContent
    let run: Int
    let etag: String?
    let lastModified: String?
  }

  /// An image that its server refuses, so that its last version is kept.
  package struct Failure: Sendable, Hashable {
    package let url: String
    /// The day of the first failure in a row, counted from 1970.
    package let since: Int
    package let reason: String
    /// The number of days on which the server said that there is no such image, while it sent others.
    let goneDays: Int
  }

  /// Opens the file for a run, and creates it if necessary.
  init(writing path: String) throws(CatalogueError) {
    let connection: CatalogueConnection
    do throws(CatalogueError) {
      connection = try CatalogueConnection(path: path, mode: .write)
      // Images that a power cut loses are fetched again; the log keeps the others intact.
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS pictures(
          url TEXT PRIMARY KEY, run INTEGER NOT NULL, etag TEXT, lastModified TEXT,
          contentHash INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS candidates(
          url TEXT PRIMARY KEY, run INTEGER NOT NULL, etag TEXT, lastModified TEXT,
          contentHash INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS failures(
          url TEXT PRIMARY KEY, since INTEGER NOT NULL, reason TEXT NOT NULL,
          goneDays INTEGER NOT NULL, goneDay INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS runs(number INTEGER PRIMARY KEY) STRICT;
        DELETE FROM candidates;
        DELETE FROM runs WHERE number < (SELECT max(number) FROM runs);
        INSERT INTO runs DEFAULT VALUES;
        """)
    } catch  where [.corrupt, .notACatalogue].contains(error.code) {
      throw CatalogueError(
        code: .corrupt,
        message: "'\(path)' is damaged; remove it, and the next index run fetches its images again")
    }
    run = connection.lastInsertedRow
    self.connection = Mutex(connection)
  }

  /// Opens the file for reading.
  init(reading path: String) throws(CatalogueError) {
    run = 0
    connection = Mutex(try CatalogueConnection(reading: path))
  }

  private func run<Value: Sendable>(
    _ body: (CatalogueConnection) throws(CatalogueError) -> Value
  ) throws(CatalogueError) -> Value {
    try connection.withLock { connection throws(CatalogueError) in try body(connection) }
  }

  // MARK: Images

  private enum Column: Int, SQLiteColumns {
    case run, etag, lastModified, contentHash, byteCount
  }

  func stored(_ url: String) throws(CatalogueError) -> Stored? {
    try run { connection throws(CatalogueError) in
      try connection.first(
        """
        SELECT run, etag, lastModified, contentHash, length(bytes) AS byteCount
        FROM pictures WHERE url = ?
        """,
        [.text(url)]
      ) { row in
        Stored(
          content: .init(
            byteCount: row.integer(Column.byteCount), hash: row.integer(Column.contentHash)),
          run: row.integer(Column.run),
          etag: row.isNull(Column.etag) ? nil : row.text(Column.etag),
          lastModified: row.isNull(Column.lastModified) ? nil : row.text(Column.lastModified))
      }
    }
  }

  /// Returns those of some URLs whose images are stored.
  func known(among urls: Set<String>) throws(CatalogueError) -> Set<String> {
    try run { connection throws(CatalogueError) in
      var known: Set<String> = []
      for url in urls {
        let isKnown = try connection.first(
          "SELECT 1 FROM pictures WHERE url = ?", [.text(url)]
        ) { _ in true }
        if isKnown == true { known.insert(url) }
      }
      return known
    }
  }

  func bytes(of url: String) throws(CatalogueError) -> [UInt8]? {
    try run { connection throws(CatalogueError) in
      try connection.first("SELECT bytes FROM pictures WHERE url = ?", [.text(url)]) { $0.onlyBlob }
    }
  }

  /// Stores an image: for good, or as one that may be accepted at the end of the run.
  func put(
    _ bytes: [UInt8], hash: Int, etag: String?, lastModified: String?, of url: String,
    isCandidate: Bool
  ) throws(CatalogueError) {
    let table = isCandidate ? "candidates" : "pictures"
    try run { connection throws(CatalogueError) in
      try connection.statement("INSERT OR REPLACE INTO \(table) VALUES(?, ?, ?, ?, ?, ?)").bind(
        .text(url), .integer(run), etag.map(SQLiteValue.text) ?? .null,
        lastModified.map(SQLiteValue.text) ?? .null, .integer(hash), .blob(bytes)
      ).run()
    }
  }

  func markSeen(_ url: String) throws(CatalogueError) {
    try run { connection throws(CatalogueError) in
      try connection.statement("UPDATE pictures SET run = ? WHERE url = ?")
        .bind(.integer(run), .text(url)).run()
    }
  }

  /// Accepts a new version of an image, or forgets it.
  func settleCandidate(_ url: String, isAccepted: Bool) throws(CatalogueError) {
    try run { connection throws(CatalogueError) in
      if isAccepted {
        try connection.statement(
          "INSERT OR REPLACE INTO pictures SELECT * FROM candidates WHERE url = ?"
        ).bind(.text(url)).run()
      }
      try connection.statement("DELETE FROM candidates WHERE url = ?").bind(.text(url)).run()
    }
  }

  /// Removes all images except those with the given URLs.
  func removeAll(except urls: Set<String>) throws(CatalogueError) {
    try run { connection throws(CatalogueError) in
      let tables = try connection.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('pictures', 'failures')"
      ) { $0.onlyText }
      var isChanged = false
      try connection.execute("BEGIN IMMEDIATE")
      for table in tables.sorted() {
        let lost = try connection.rows("SELECT url FROM \(table)") { $0.onlyText }
          .filter { !urls.contains($0) }
        for url in lost {
          try connection.statement("DELETE FROM \(table) WHERE url = ?").bind(.text(url)).run()
        }
        isChanged = isChanged || !lost.isEmpty
      }
      try connection.execute(isChanged ? "COMMIT; VACUUM" : "COMMIT")
    }
  }

  // MARK: Failures

  private enum FailureColumn: Int, SQLiteColumns { case url, since, reason, goneDays }

  /// Returns the images that their servers refuse, by address. An older version did not note them.
  func failures() throws(CatalogueError) -> [Failure] {
    try run { connection throws(CatalogueError) in
      let isKnown =
        try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'failures'") { _ in true }
      guard isKnown == true else { return [] }
      return try connection.rows("SELECT \(FailureColumn.list) FROM failures ORDER BY url") {
        Failure(
          url: $0.text(FailureColumn.url), since: $0.integer(FailureColumn.since),
          reason: $0.text(FailureColumn.reason), goneDays: $0.integer(FailureColumn.goneDays))
      }
    }
  }

  /// Notes that the server refuses an image.
  func noteFailure(_ url: String, _ reason: String, on day: Int) throws(CatalogueError) {
    try run { connection throws(CatalogueError) in
      try connection.statement(
        """
        INSERT INTO failures VALUES(?, ?, ?, 0, 0)
        ON CONFLICT(url) DO UPDATE SET reason = excluded.reason
        """
      ).bind(.text(url), .integer(day), .text(reason)).run()
    }
  }

  /// Notes that the server says on a day that it has no such image, while it sends others.
  ///
  /// - Returns: The number of days on which it did.
  func noteGone(_ url: String, on day: Int) throws(CatalogueError) -> Int {
    try run { connection throws(CatalogueError) in
      try connection.statement(
        "UPDATE failures SET goneDays = goneDays + 1, goneDay = ? WHERE url = ? AND goneDay < ?"
      ).bind(.integer(day), .text(url), .integer(day)).run()
      return try connection.first(
        "SELECT goneDays FROM failures WHERE url = ?", [.text(url)]
      ) { $0.onlyInteger } ?? 0
    }
  }

  func forgetFailure(_ url: String) throws(CatalogueError) {
    try run { connection throws(CatalogueError) in
      try connection.statement("DELETE FROM failures WHERE url = ?").bind(.text(url)).run()
    }
  }
}
