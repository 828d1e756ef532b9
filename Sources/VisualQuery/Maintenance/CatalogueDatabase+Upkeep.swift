/// What keeps a catalogue sound: looking it over, and going back.
extension CatalogueDatabase {
  /// A picture and the entity that it is of.
  struct OwnedImage {
    let entity: EntityID
    let key: UInt32
    let record: ImageRecord
  }

  /// All pictures, by the key of their entity and their position.
  func forEachImage(
    _ body: (OwnedImage) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    let row = try connection.statement(
      """
      SELECT e.type, e.id, e.key, i.position, i.path, i.byteCount, i.modified, i.contentHash,
        i.segment, i.row
      FROM images i JOIN entities e ON e.key = i.entity ORDER BY i.entity, i.position
      """, isScan: true)
    while try row.step() {
      guard let type = EntityType(rawValue: row.text(0)) else { continue }
      try body(
        OwnedImage(
          entity: EntityID(type: type, value: row.text(1)), key: UInt32(clamping: row.integer(2)),
          record: ImageRecord(
            position: row.integer(3), path: row.text(4), byteCount: row.integer(5),
            modified: row.integer(6), contentHash: row.integer(7), segment: row.integer(8),
            row: row.integer(9))))
    }
  }

  /// All entities in the order of their types and ids, as JSON.
  func forEachEntity(
    _ body: (_ key: UInt32, _ type: String, _ id: String, _ json: String) throws(CatalogueError)
      -> Void
  ) throws(CatalogueError) {
    let row = try connection.statement(
      "SELECT key, type, id, json FROM entities ORDER BY type, id", isScan: true)
    while try row.step() {
      try body(UInt32(clamping: row.integer(0)), row.text(1), row.text(2), row.text(3))
    }
  }

  /// What SQLite finds wrong with the file, and what contradicts itself between tables.
  func contradictions() throws(CatalogueError) -> [String] {
    var found: [String] = []
    let integrity = try connection.statement("PRAGMA integrity_check(20)")
    while try integrity.step() {
      if integrity.text(0) != "ok" { found.append(integrity.text(0)) }
    }
    let references = try connection.statement("PRAGMA foreign_key_check")
    while try references.step() {
      found.append("a row of '\(references.text(0))' refers to none of '\(references.text(2))'")
    }
    let checks = [
      (
        "the number of products", "productCount",
        "SELECT count(*) FROM entities WHERE type = 'product'"
      ),
      ("the number of stores", "storeCount", "SELECT count(*) FROM entities WHERE type = 'store'"),
      ("the number of pictures", "imageCount", "SELECT count(*) FROM images"),
    ]
    for (name, column, count) in checks {
      let row = try connection.statement("SELECT \(column), (\(count)) FROM state")
      if try row.step(), row.integer(0) != row.integer(1) {
        found.append("\(name) is said to be \(row.integer(0)) and is \(row.integer(1))")
      }
      row.reset()
    }
    let labels = try connection.statement(
      """
      SELECT count(*) FROM labelFrequencies f WHERE frequency !=
        (SELECT count(*) FROM labels l WHERE l.label = f.label)
      """)
    if try labels.step(), labels.integer(0) > 0 {
      found.append("\(labels.integer(0)) labels are counted wrongly")
    }
    labels.reset()
    let texts = try connection.statement(
      "SELECT count(*) FROM entities WHERE key NOT IN (SELECT rowid FROM entityText)")
    if try texts.step(), texts.integer(0) > 0 {
      found.append("\(texts.integer(0)) entities are missing in the full text")
    }
    texts.reset()
    let places = try connection.statement(
      """
      SELECT count(*) FROM places
      WHERE latitude NOT BETWEEN -90 AND 90 OR longitude NOT BETWEEN -180 AND 180
      """)
    if try places.step(), places.integer(0) > 0 {
      found.append("\(places.integer(0)) stores have a place that is not on the globe")
    }
    places.reset()
    let properties = try connection.statement(
      """
      SELECT
        (SELECT count(*) FROM entities WHERE key NOT IN (SELECT entity FROM properties
          WHERE property = (SELECT number FROM propertyNames WHERE name = 'id')))
        + (SELECT count(*) FROM properties WHERE entity NOT IN (SELECT key FROM entities))
      """)
    if try properties.step(), properties.integer(0) > 0 {
      found.append("\(properties.integer(0)) properties are missing or belong to no entity")
    }
    properties.reset()
    return found
  }

  /// The bridge from outside words to labels.
  func bridgeTargets() throws(CatalogueError) -> [String: [String]] {
    let row = try connection.statement(
      "SELECT label, target FROM labelBridge ORDER BY label, target")
    var targets: [String: [String]] = [:]
    while try row.step() { targets[row.text(0), default: []].append(row.text(1)) }
    return targets
  }

  // MARK: Writing

  /// Says that a picture's signature stands elsewhere.
  func move(_ image: OwnedImage, toSegment segment: Int, row: Int) throws(CatalogueError) {
    try connection.statement(
      "UPDATE images SET segment = ?, row = ? WHERE entity = ? AND position = ?"
    ).bind(
      .integer(segment), .integer(row), .integer(Int(image.key)), .integer(image.record.position)
    ).run()
  }

  /// Forgets segments that nothing refers to, and their dead rows.
  func forgetSegments(_ ids: [Int]) throws(CatalogueError) {
    for id in ids {
      try connection.statement("DELETE FROM deadRows WHERE segment = ?").bind(.integer(id)).run()
      try connection.statement("DELETE FROM segments WHERE id = ?").bind(.integer(id)).run()
    }
  }

  /// Gives back what the file does not use.
  func vacuum() throws(CatalogueError) {
    try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes all that is published to another file, whole or not at all.
  func copy(to path: String) throws(CatalogueError) {
    try connection.statement("VACUUM INTO ?").bind(.text(path)).run()
  }

  /// Makes the contents of another catalogue's file the contents of this one, as part of the
  /// transaction that ``begin()`` started; whoever keeps a copy in step is told what differs.
  ///
  /// - Parameter name: The name under which the other file is attached.
  func takeContents(of name: String) throws(CatalogueError) {
    propertyNumbers = [:]
    try connection.execute(
      """
      PRAGMA defer_foreign_keys = ON;
      INSERT OR REPLACE INTO changes(type, id, entity)
        SELECT m.type, m.id, NULL FROM entities m
        WHERE NOT EXISTS (SELECT 1 FROM \(name).entities p WHERE p.type = m.type AND p.id = m.id)
        ORDER BY m.type, m.id;
      INSERT OR REPLACE INTO changes(type, id, entity)
        SELECT p.type, p.id, p.key FROM \(name).entities p
        LEFT JOIN entities m ON m.type = p.type AND m.id = p.id
        WHERE m.json IS NOT p.json ORDER BY p.type, p.id;
      DELETE FROM images; DELETE FROM deadRows; DELETE FROM labels; DELETE FROM labelFrequencies;
      DELETE FROM stock; DELETE FROM places; DELETE FROM segments; DELETE FROM entities;
      DELETE FROM entityText; DELETE FROM labelBridge;
      DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      DELETE FROM properties; DELETE FROM propertyNames;
      INSERT INTO propertyNames SELECT * FROM \(name).propertyNames;
      INSERT INTO properties SELECT * FROM \(name).properties;
      INSERT INTO entities SELECT * FROM \(name).entities;
      INSERT INTO segments SELECT * FROM \(name).segments;
      INSERT INTO images SELECT * FROM \(name).images;
      INSERT INTO deadRows SELECT * FROM \(name).deadRows;
      INSERT INTO labels SELECT * FROM \(name).labels;
      INSERT INTO stock SELECT * FROM \(name).stock;
      INSERT INTO places SELECT * FROM \(name).places;
      INSERT INTO settings SELECT * FROM \(name).settings
        WHERE name NOT GLOB '\(ShopSettings.picturePrefix)*';
      INSERT INTO labelBridge SELECT * FROM \(name).labelBridge;
      INSERT INTO entityText(rowid, title, subtitle, labels, brand, names)
        SELECT rowid, title, subtitle, labels, brand, names FROM \(name).entityText;
      UPDATE changes SET entity =
        (SELECT key FROM entities e WHERE e.type = changes.type AND e.id = changes.id);
      """)
  }

  /// Attaches another file for the time of `body`.
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
