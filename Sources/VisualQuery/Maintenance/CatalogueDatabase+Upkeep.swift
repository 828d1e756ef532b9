/// Maintenance of the database: verification and rollback.
extension CatalogueDatabase {
  /// Returns the damage that SQLite finds in the file, and the contradictions between its tables.
  func contradictions() throws(CatalogueError) -> [String] {
    var found = try connection.rows("PRAGMA integrity_check(20)") { row in
      row.text(0) == "ok" ? nil : row.text(0)
    }
    found += try connection.rows("PRAGMA foreign_key_check") { row in
      "a row of '\(row.text(ForeignKey.table))' refers to a missing row of '\(row.text(ForeignKey.parent))'"
    }
    for (name, column, query) in Self.storedCounts {
      found += try connection.rows("SELECT \(column), (\(query)) FROM state") { row in
        let (stored, actual) = (row.integer(Count.stored), row.integer(Count.actual))
        return stored == actual ? nil : "\(name) is stored as \(stored) but is \(actual)"
      }
    }
    for (query, fault) in Self.faultCounts {
      let count = try connection.first(query) { $0.integer(0) } ?? 0
      if count > 0 { found.append("\(count) \(fault)") }
    }
    return found
  }

  private enum ForeignKey: Int, SQLiteColumns { case table, rowid, parent }
  private enum Count: Int, SQLiteColumns { case stored, actual }

  /// The counts in `state`: their names, their columns, and the queries that recount them.
  private static let storedCounts = [
    (
      "the number of products", "productCount",
      "SELECT count(*) FROM entities WHERE type = 'product'"
    ),
    ("the number of stores", "storeCount", "SELECT count(*) FROM entities WHERE type = 'store'"),
    ("the number of images", "imageCount", "SELECT count(*) FROM images"),
  ]

  /// Queries that count errors, 0 in an intact catalogue, with the words that follow the count.
  private static let faultCounts = [
    (
      """
      SELECT count(*) FROM labelFrequencies f WHERE frequency !=
        (SELECT count(*) FROM labels l WHERE l.label = f.label)
      """, "labels have a wrong count"
    ),
    (
      "SELECT count(*) FROM entities WHERE key NOT IN (SELECT rowid FROM entityText)",
      "entities are missing from the full-text index"
    ),
    (
      """
      SELECT count(*) FROM places
      WHERE latitude NOT BETWEEN -90 AND 90 OR longitude NOT BETWEEN -180 AND 180
      """, "stores have a location that is out of range"
    ),
    (
      """
      SELECT
        (SELECT count(*) FROM entities WHERE key NOT IN (SELECT entity FROM properties
          WHERE property = (SELECT number FROM propertyNames WHERE name = 'id')))
        + (SELECT count(*) FROM properties WHERE entity NOT IN (SELECT key FROM entities))
      """, "properties are missing or belong to no entity"
    ),
  ]

  // MARK: Writing

  /// Shrinks the file.
  func vacuum() throws(CatalogueError) {
    try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes the published contents to another file, completely or not at all.
  func copy(to path: String) throws(CatalogueError) {
    PrivateFile.prepare(path)
    try connection.statement("VACUUM INTO ?").bind(.text(path)).run()
  }

  /// Replaces the contents with those of another catalogue file, which is an earlier or later state of
  /// this one, in the transaction that ``begin()`` started. Synchronized copies receive the
  /// differences.
  ///
  /// - Parameter name: The name under which the other file is attached.
  /// - Complexity: All entities and images are compared; only what differs is written.
  func takeContents(of name: String) throws(CatalogueError) {
    forgetWritten()
    try connection.execute(
      """
      PRAGMA defer_foreign_keys = ON;
      CREATE TEMP TABLE differing(key INTEGER PRIMARY KEY);
      INSERT INTO differing SELECT m.key FROM entities m LEFT JOIN \(name).entities p ON p.key = m.key
        WHERE p.key IS NULL OR p.type != m.type OR p.id != m.id OR p.json != m.json
          OR p.rowHash IS NOT m.rowHash OR p.rank != m.rank;
      INSERT INTO differing SELECT p.key FROM \(name).entities p
        WHERE NOT EXISTS (SELECT 1 FROM entities m WHERE m.key = p.key);
      INSERT OR REPLACE INTO changes(type, id, entity)
        SELECT m.type, m.id, NULL FROM differing JOIN entities m USING(key)
        WHERE NOT EXISTS (SELECT 1 FROM \(name).entities p WHERE p.type = m.type AND p.id = m.id)
        ORDER BY m.type, m.id;
      INSERT OR REPLACE INTO changes(type, id, entity)
        SELECT p.type, p.id, p.key FROM differing JOIN \(name).entities p USING(key)
        LEFT JOIN entities m ON m.type = p.type AND m.id = p.id
        WHERE m.json IS NOT p.json ORDER BY p.type, p.id;
      """)
    try takeEntities(of: name)
    try takeProperties(of: name)
    try takeImages(of: name)
    try connection.execute(
      """
      UPDATE changes SET entity =
        (SELECT key FROM entities e WHERE e.type = changes.type AND e.id = changes.id)
        WHERE (type, id) IN
          (SELECT p.type, p.id FROM differing JOIN \(name).entities p USING(key));
      DELETE FROM labelBridge;
      INSERT INTO labelBridge SELECT * FROM \(name).labelBridge;
      DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      INSERT INTO settings SELECT * FROM \(name).settings
        WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      DROP TABLE differing;
      """)
  }

  /// Takes the differing entities, and all that they say except their properties and images.
  private func takeEntities(of name: String) throws(CatalogueError) {
    try connection.execute(
      """
      DELETE FROM labels WHERE entity IN (SELECT key FROM differing);
      DELETE FROM stock WHERE store IN (SELECT key FROM differing);
      DELETE FROM places WHERE store IN (SELECT key FROM differing);
      DELETE FROM entityText WHERE rowid IN (SELECT key FROM differing);
      DELETE FROM entities WHERE key IN (SELECT key FROM differing);
      INSERT INTO entities SELECT * FROM \(name).entities WHERE key IN (SELECT key FROM differing);
      INSERT INTO labels SELECT * FROM \(name).labels WHERE entity IN (SELECT key FROM differing);
      INSERT INTO stock SELECT * FROM \(name).stock WHERE store IN (SELECT key FROM differing);
      INSERT INTO places SELECT * FROM \(name).places WHERE store IN (SELECT key FROM differing);
      INSERT INTO entityText(rowid, title, subtitle, labels, brand, names, description)
        SELECT rowid, title, subtitle, labels, brand, names, description FROM \(name).entityText
        WHERE rowid IN (SELECT key FROM differing);
      INSERT OR IGNORE INTO wordParts SELECT * FROM \(name).wordParts;
      """)
  }

  /// Takes the properties of the differing entities. Names of properties are never removed, so a number
  /// means the same property in both files.
  private func takeProperties(of name: String) throws(CatalogueError) {
    try connection.execute(
      """
      DELETE FROM properties WHERE property IN (SELECT number FROM propertyNames)
        AND entity IN (SELECT key FROM differing);
      INSERT INTO propertyNames SELECT * FROM \(name).propertyNames p
        WHERE NOT EXISTS (SELECT 1 FROM propertyNames m WHERE m.number = p.number AND m.name = p.name);
      INSERT INTO properties SELECT * FROM \(name).properties
        WHERE property IN (SELECT number FROM \(name).propertyNames)
          AND entity IN (SELECT key FROM differing);
      """)
  }

  /// Takes the differing records of images and segments.
  private func takeImages(of name: String) throws(CatalogueError) {
    try connection.execute(
      """
      DELETE FROM images WHERE NOT EXISTS (
        SELECT 1 FROM \(name).images p WHERE p.entity = images.entity
          AND p.position = images.position AND p.path = images.path
          AND p.byteCount = images.byteCount AND p.modified = images.modified
          AND p.contentHash = images.contentHash AND p.segment = images.segment
          AND p.row = images.row);
      DELETE FROM deadRows;
      DELETE FROM segments WHERE NOT EXISTS (
        SELECT 1 FROM \(name).segments p WHERE p.id = segments.id AND p.file = segments.file);
      INSERT OR IGNORE INTO segments SELECT * FROM \(name).segments;
      INSERT OR IGNORE INTO images SELECT * FROM \(name).images;
      INSERT INTO deadRows SELECT * FROM \(name).deadRows;
      """)
  }

  /// Attaches another file while `body` runs.
  func attaching(
    _ path: String, as name: String, _ body: () throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.statement("ATTACH ? AS \(name)").bind(.text(path)).run()
    do throws(CatalogueError) {
      try body()
    } catch {
      try? connection.execute("DETACH \(name)")
      throw error
    }
    try connection.execute("DETACH \(name)")
  }
}
