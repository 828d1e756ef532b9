/// The replacement of a catalogue's contents with those of another file.
package struct ContentExchange {
  private let database: CatalogueDatabase
  /// The path of the other file.
  private let path: String
  /// The name under which the other file is attached.
  private let name = "previous"

  package init(_ database: CatalogueDatabase, path: String) {
    self.database = database
    self.path = path
  }

  /// Replaces the contents with those of another catalogue file, which is an earlier or later state of
  /// this one, and publishes them as the next generation. Synchronized copies receive the differences.
  ///
  /// - Returns: The number of the new generation.
  /// - Complexity: All entities and images are compared; only what differs is written.
  package func run() throws(CatalogueError) -> Int {
    var generation = 0
    try database.connection.attaching(path, as: name) { () throws(CatalogueError) in
      try database.begin()
      do throws(CatalogueError) {
        try take()
        generation = try database.commit(recounts: true)
      } catch {
        try? database.rollBack()
        throw error
      }
    }
    return generation
  }

  private func take() throws(CatalogueError) {
    database.tables.forgetWritten()
    try database.connection.execute(
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
    try takeEntities()
    try takeProperties()
    try takeImages()
    try takeFeeds()
    try database.connection.execute(
      """
      UPDATE changes SET entity =
        (SELECT key FROM entities e WHERE e.type = changes.type AND e.id = changes.id)
        WHERE (type, id) IN
          (SELECT p.type, p.id FROM differing JOIN \(name).entities p USING(key));
      DELETE FROM keptValues;
      DELETE FROM labelBridge;
      INSERT INTO labelBridge SELECT * FROM \(name).labelBridge;
      DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      INSERT INTO settings SELECT * FROM \(name).settings
        WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      DROP TABLE differing;
      """)
  }

  /// Takes the differing entities, and all that they say except their properties and images.
  private func takeEntities() throws(CatalogueError) {
    try database.connection.execute(
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
  private func takeProperties() throws(CatalogueError) {
    try database.connection.execute(
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

  /// Takes the feed of each entity. A file that an earlier version saved has none.
  private func takeFeeds() throws(CatalogueError) {
    try database.connection.execute("DELETE FROM entityFeeds")
    let isKnown = try database.connection.first(
      "SELECT 1 FROM \(name).sqlite_master WHERE type = 'table' AND name = 'entityFeeds'"
    ) { _ in true }
    if isKnown != true { return }
    try database.connection.execute("INSERT INTO entityFeeds SELECT * FROM \(name).entityFeeds")
  }

  /// Takes the differing records of images and segments.
  private func takeImages() throws(CatalogueError) {
    try database.connection.execute(
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
}
