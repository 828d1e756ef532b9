/// Notes of what a generation adds to tables that do not know their generation, for its publication elsewhere.
package final class GrowthNotes {
  private let connection: CatalogueConnection
  /// True if additions are noted.
  package private(set) var isActive = false

  init(connection: CatalogueConnection) { self.connection = connection }

  /// Begins to note additions.
  package func begin() throws(CatalogueError) {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS newDeadRows(segment INTEGER, row INTEGER);
      CREATE TEMP TABLE IF NOT EXISTS newWords(word TEXT);
      CREATE TEMP TABLE IF NOT EXISTS newThumbnails(entity INTEGER);
      CREATE TEMP TABLE IF NOT EXISTS newBridge(label TEXT);
      CREATE TEMP TABLE IF NOT EXISTS changedReadings(
        contentHash INTEGER, byteCount INTEGER, PRIMARY KEY(contentHash, byteCount)) WITHOUT ROWID;
      CREATE TEMP TABLE IF NOT EXISTS changedFeeds(entity INTEGER PRIMARY KEY);
      CREATE TEMP TRIGGER IF NOT EXISTS noteFeed AFTER INSERT ON main.entityFeeds BEGIN
        INSERT OR REPLACE INTO changedFeeds VALUES(new.entity);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteNoFeed AFTER DELETE ON main.entityFeeds BEGIN
        INSERT OR REPLACE INTO changedFeeds VALUES(old.entity);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteDeadRow AFTER INSERT ON main.deadRows BEGIN
        INSERT INTO newDeadRows VALUES(new.segment, new.row);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteWord AFTER INSERT ON main.wordParts
        WHEN new.place = 0 BEGIN
        INSERT INTO newWords VALUES(new.word);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteReading AFTER INSERT ON main.readings BEGIN
        INSERT OR REPLACE INTO changedReadings VALUES(new.contentHash, new.byteCount);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteNoReading AFTER DELETE ON main.readings BEGIN
        INSERT OR REPLACE INTO changedReadings VALUES(old.contentHash, old.byteCount);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteBridge AFTER INSERT ON main.labelBridge BEGIN
        INSERT INTO newBridge VALUES(new.label);
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS noteNoBridge AFTER DELETE ON main.labelBridge BEGIN
        INSERT INTO newBridge VALUES(old.label);
      END;
      """)
    isActive = true
  }

  /// Forgets what was noted, in the transaction that publishes it.
  package func forget() throws(CatalogueError) {
    for table in [
      "newDeadRows", "newWords", "newThumbnails", "newBridge", "changedReadings",
      "changedFeeds",
    ] {
      try connection.execute("DELETE FROM temp.\(table)")
    }
  }

  /// Notes that thumbnails of an entity were added, which does not change the entity.
  package func noteThumbnails(of key: UInt32) throws(CatalogueError) {
    guard isActive else { return }
    try connection.statement("INSERT INTO temp.newThumbnails VALUES(?)").bind(.integer(Int(key)))
      .run()
  }

  private enum DeadRow: Int, SQLiteColumns { case segment, row }

  /// Calls `body` with the rows of segments that died since the last generation.
  package func forEachDeadRow(
    _ body: (_ segment: Int, _ row: Int) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow("SELECT \(DeadRow.list) FROM temp.newDeadRows") {
      row throws(CatalogueError) in
      try body(row.integer(DeadRow.segment), row.integer(DeadRow.row))
    }
  }

  /// Calls `body` with the words that came since the last generation.
  package func forEachWord(
    _ body: (String) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow("SELECT DISTINCT word FROM temp.newWords") {
      row throws(CatalogueError) in try body(row.onlyText)
    }
  }

  private enum ChangedReading: Int, SQLiteColumns { case contentHash, byteCount }

  /// Returns the contents of images whose readings came, changed or were removed since the last generation.
  package func changedReadings() throws(CatalogueError) -> [ReadingTable.ImageContent] {
    try connection.rows("SELECT \(ChangedReading.list) FROM temp.changedReadings", isScan: true) {
      row in
      ReadingTable.ImageContent(
        byteCount: row.integer(ChangedReading.byteCount),
        hash: row.integer(ChangedReading.contentHash))
    }
  }

  /// Returns the keys of the entities whose feed came, changed or went since the last generation.
  package func changedFeeds() throws(CatalogueError) -> [Int] {
    try connection.rows("SELECT entity FROM temp.changedFeeds", isScan: true) { $0.onlyInteger }
  }

  /// Returns whether the label bridge was changed since the last generation.
  package func hasBridge() throws(CatalogueError) -> Bool {
    try connection.first("SELECT 1 FROM temp.newBridge LIMIT 1") { _ in true } ?? false
  }

  /// Returns whether thumbnails were added since the last generation.
  package func hasThumbnails() throws(CatalogueError) -> Bool {
    guard isActive else { return false }
    return try connection.first("SELECT 1 FROM temp.newThumbnails LIMIT 1") { _ in true } ?? false
  }
}
