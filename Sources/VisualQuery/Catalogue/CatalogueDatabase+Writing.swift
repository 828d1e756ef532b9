extension CatalogueDatabase {
  /// An entity that is already indexed.
  struct Existing {
    let key: UInt32
    let json: String
    let images: [ImageRecord]
  }

  /// Starts the next generation, which is invisible to others until ``commit()``.
  func begin() throws(CatalogueError) {
    countChanges = CountChanges()
    try connection.execute("BEGIN IMMEDIATE")
  }

  /// Discards everything written since ``begin()``.
  func rollBack() throws(CatalogueError) {
    propertyNumbers = [:]
    knownWords = []
    try connection.execute("ROLLBACK")
  }

  /// Publishes everything written since ``begin()``, in one step.
  ///
  /// - Parameter recounts: True if the entities and images are counted again, because the contents
  ///   were replaced as a whole.
  /// - Returns: The number of the new generation.
  /// - Complexity: O(changes); O(catalogue) if it recounts.
  func commit(recounts: Bool = false) throws(CatalogueError) -> Int {
    if recounts {
      try connection.execute(
        """
        UPDATE state SET
          productCount = (SELECT count(*) FROM entities WHERE type = 'product'),
          storeCount = (SELECT count(*) FROM entities WHERE type = 'store'),
          imageCount = (SELECT count(*) FROM images)
        """)
      countChanges = CountChanges()
    }
    try connection.statement(
      """
      UPDATE state SET generation = generation + 1, productCount = productCount + ?,
        storeCount = storeCount + ?, imageCount = imageCount + ?
      """
    ).bind(
      .integer(countChanges.entities[.product] ?? 0), .integer(countChanges.entities[.store] ?? 0),
      .integer(countChanges.images)
    ).run()
    try noteGeneration()
    try beforeCommit?()
    try connection.execute("COMMIT")
    countChanges = CountChanges()
    return try state().generation
  }

  /// Returns the ids of all entities.
  func allIDs() throws(CatalogueError) -> [EntityID] {
    try connection.rows("SELECT type, id FROM entities ORDER BY type, id") { row in
      EntityType(rawValue: row.text(0)).map { EntityID(type: $0, value: row.text(1)) }
    }
  }

  /// Returns the entity that was indexed from a row, with its number of images, or `nil` if the row
  /// or one of its images was not indexed completely or has changed.
  ///
  /// - Parameter isUntouched: Returns whether an image is unchanged, given the key of its entity
  ///   and its record.
  func untouched(
    rowHash: Int, _ isUntouched: (Int, ImageRecord) throws(CatalogueError) -> Bool
  ) throws(CatalogueError) -> (id: EntityID, imageCount: Int)? {
    let row = try connection.statement(
      """
      SELECT e.type, e.id, e.key, i.position, i.path, i.byteCount, i.modified, i.contentHash,
        i.segment, i.row
      FROM entities e LEFT JOIN images i ON i.entity = e.key WHERE e.rowHash = ?
      """
    ).bind(.integer(rowHash))
    defer { row.reset() }
    var found: (id: EntityID, imageCount: Int)?
    while try row.step() {
      guard let type = EntityType(rawValue: row.text(0)) else { return nil }
      let id = EntityID(type: type, value: row.text(1))
      guard found == nil || found?.id == id else { return nil }
      found = (id, found?.imageCount ?? 0)
      if row.isNull(3) { continue }
      let record = ImageRecord(
        position: row.integer(3), path: row.text(4), byteCount: row.integer(5),
        modified: row.integer(6), contentHash: row.integer(7), segment: row.integer(8),
        row: row.integer(9))
      guard try isUntouched(row.integer(2), record) else { return nil }
      found?.imageCount += 1
    }
    return found
  }

  func existing(_ id: EntityID) throws(CatalogueError) -> Existing? {
    let entity = try connection.first(
      "SELECT key, json FROM entities WHERE type = ? AND id = ?",
      [.text(id.type.rawValue), .text(id.value)]
    ) { ($0.integer(0), $0.text(1)) }
    guard let (key, json) = entity else { return nil }
    let images = try connection.rows(
      """
      SELECT position, path, byteCount, modified, contentHash, segment, row FROM images
      WHERE entity = ? ORDER BY position
      """, [.integer(key)]
    ) { image in
      ImageRecord(
        position: image.integer(0), path: image.text(1), byteCount: image.integer(2),
        modified: image.integer(3), contentHash: image.integer(4), segment: image.integer(5),
        row: image.integer(6))
    }
    return Existing(key: UInt32(clamping: key), json: json, images: images)
  }

  /// The numbers of an entity that another catalogue has given to it.
  struct Place {
    let key: Int
    /// The place in the list of changes.
    let sequence: Int
  }

  /// Adds an entity, or replaces the one with the same type and id, which keeps its key.
  ///
  /// - Parameter place: The numbers of the entity; `nil` for the next ones.
  func upsert(
    _ value: EntityValue, rowHash: Int?, at place: Place? = nil
  ) throws(CatalogueError) -> UInt32 {
    let (type, id) = (SQLiteValue.text(value.id.type.rawValue), SQLiteValue.text(value.id.value))
    let content: [SQLiteValue] = [
      .text(value.json.text), rowHash.map(SQLiteValue.integer) ?? .null,
      .integer(value.suggestionRank),
    ]
    let existing = try connection.first(
      "SELECT key, json FROM entities WHERE type = ? AND id = ?", [type, id]
    ) { (key: $0.integer(0), json: $0.text(1)) }
    let key: Int
    if let existing {
      key = existing.key
      try connection.statement(
        "UPDATE entities SET json = ?, rowHash = ?, rank = ? WHERE key = ?"
      ).bind(content + [.integer(key)]).run()
      try removeDetails(of: key, existing.json)
    } else {
      try connection.statement(
        "INSERT INTO entities(key, type, id, json, rowHash, rank) VALUES(?, ?, ?, ?, ?, ?)"
      ).bind([place.map { .integer($0.key) } ?? .null, type, id] + content).run()
      key = connection.lastInsertedRow
      countChanges.entities[value.id.type, default: 0] += 1
    }
    try noteChange(of: value.id, key: key, sequence: place?.sequence)
    try insertDetails(of: key, value)
    return UInt32(clamping: key)
  }

  /// Adds the rows of an entity in all tables that are derived from its JSON form.
  func insertDetails(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    try insertLabels(of: key, value)
    try insertStock(of: key, value)
    try insertProperties(of: key, value)
  }

  /// Removes the rows of an entity in all tables except `entities` and `images`.
  private func removeDetails(of key: Int, _ json: String) throws(CatalogueError) {
    for statement in [
      "DELETE FROM labels WHERE entity = ?", "DELETE FROM entityText WHERE rowid = ?",
      "DELETE FROM stock WHERE store = ?", "DELETE FROM places WHERE store = ?",
    ] {
      try connection.statement(statement).bind(.integer(key)).run()
    }
    try removeProperties(of: key, json)
  }

  /// With more names of properties than this, an entity's own ones are looked up instead of all.
  private static let fewNames = 256

  /// Removes the properties of an entity.
  ///
  /// - Parameter json: The stored form of the entity, from which they came.
  private func removeProperties(of key: Int, _ json: String) throws(CatalogueError) {
    let last = try connection.first("SELECT max(number) FROM propertyNames", []) { $0.integer(0) }
    guard last ?? 0 > Self.fewNames, let value = Self.readableEntity(json) else {
      try connection.statement(
        """
        DELETE FROM properties
        WHERE property IN (SELECT number FROM propertyNames) AND entity = ?
        """
      ).bind(.integer(key)).run()
      return
    }
    for name in Set(value.storedProperties.map(\.name)) {
      try connection.statement("DELETE FROM properties WHERE property = ? AND entity = ?")
        .bind(.integer(try number(ofProperty: name)), .integer(key)).run()
    }
  }

  private func insertProperties(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    for property in value.storedProperties {
      try connection.statement("INSERT INTO properties VALUES(?, ?, ?, ?, ?)").bind(
        .integer(try number(ofProperty: property.name)), .integer(key), .integer(property.index),
        property.value, property.folded.map(SQLiteValue.text) ?? .null
      ).run()
    }
  }

  /// Returns the number of a property, and assigns one at its first use.
  private func number(ofProperty name: String) throws(CatalogueError) -> Int {
    let bytes = Array(name.utf8)
    if let number = propertyNumbers[bytes] { return number }
    try connection.statement("INSERT OR IGNORE INTO propertyNames(name) VALUES(?)")
      .bind(.text(name)).run()
    guard let number = try propertyNumber(name) else {
      throw CatalogueError(code: .io, message: "a property was written but has no number")
    }
    propertyNumbers[bytes] = number
    if name == "group" {
      // Finds the members of a group. Its name has the number, which a rollback may change.
      try connection.execute(
        """
        CREATE INDEX IF NOT EXISTS groupMembers\(number) ON properties(value)
        WHERE property = \(number)
        """)
    }
    return number
  }

  /// Removes an entity and marks the segment rows of its images as dead.
  ///
  /// - Returns: True if the entity existed.
  func remove(_ id: EntityID) throws(CatalogueError) -> Bool {
    guard let existing = try existing(id) else { return false }
    try replaceImages(of: existing.key, with: [], previous: existing.images)
    try removeDetails(of: Int(existing.key), existing.json)
    try connection.statement("DELETE FROM entities WHERE key = ?")
      .bind(.integer(Int(existing.key))).run()
    countChanges.entities[id.type, default: 0] -= 1
    try noteChange(of: id, key: nil)
    return true
  }

  /// Adds an entity to the list of changes, at its end unless `sequence` is given.
  func noteChange(of id: EntityID, key: Int?, sequence: Int? = nil) throws(CatalogueError) {
    try connection.statement(
      "INSERT OR REPLACE INTO changes(sequence, type, id, entity) VALUES(?, ?, ?, ?)"
    ).bind(
      sequence.map(SQLiteValue.integer) ?? .null, .text(id.type.rawValue), .text(id.value),
      key.map(SQLiteValue.integer) ?? .null
    ).run()
  }

  private func insertStock(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    guard case .store(let store) = value else { return }
    for product in Set(store.stock.map { EntityID(type: .product, value: $0) }).sorted() {
      try connection.statement("INSERT INTO stock VALUES(?, ?)")
        .bind(.text(product.value), .integer(key)).run()
    }
    if let geo = store.geo {
      try connection.statement("INSERT INTO places VALUES(?, ?, ?)")
        .bind(.integer(key), .number(geo.latitude), .number(geo.longitude)).run()
    }
  }

  /// Stores a setting of the shop, or removes it if `value` is `nil`.
  func set(_ name: String, to value: String?) throws(CatalogueError) {
    guard let value else {
      try connection.statement("DELETE FROM settings WHERE name = ?").bind(.text(name)).run()
      return
    }
    try connection.statement("INSERT OR REPLACE INTO settings VALUES(?, ?)")
      .bind(.text(name), .text(value)).run()
  }

  /// Replaces the label bridge.
  func replaceBridge(_ bridge: LabelBridge) throws(CatalogueError) {
    try connection.execute("DELETE FROM labelBridge")
    for (label, targets) in bridge.targets.sorted(by: { $0.key < $1.key }) {
      for target in targets.sorted() {
        try connection.statement("INSERT INTO labelBridge VALUES(?, ?)")
          .bind(.text(label), .text(target)).run()
      }
    }
  }

  private func insertLabels(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    for (label, words) in LabelText.indexed(value.labels).sorted(by: { $0.key < $1.key }) {
      try connection.statement("INSERT INTO labels VALUES(?, ?, ?, ?)")
        .bind(.text(label), .text(value.id.type.rawValue), .integer(key), .integer(words)).run()
    }
    var brand = ""
    if case .product(let product) = value { brand = product.brand ?? "" }
    let display = value.displayRepresentation
    let texts = [
      display.title, display.subtitle ?? "", value.labels.joined(separator: " "), brand,
      otherNames(of: value),
    ].map(LabelText.folded)
    let description = LabelText.folded(value.longDescription ?? "")
    try connection.statement(
      """
      INSERT INTO entityText(rowid, title, subtitle, labels, brand, names, description)
      VALUES(?, ?, ?, ?, ?, ?, ?)
      """
    ).bind([.integer(key)] + (texts + [description]).map(SQLiteValue.text)).run()
    // Mistakes are corrected by the words of the other texts only.
    try insertWords(of: texts)
  }

  /// Returns the synonyms of an entity and its texts in other languages.
  private func otherNames(of value: EntityValue) -> String {
    let languages = value.text.localized.sorted { $0.key < $1.key }.map(\.value)
    let names =
      value.text.synonyms
      + languages.flatMap { [$0.title, $0.subtitle].compactMap(\.self) + $0.synonyms }
    return names.joined(separator: " ")
  }

  /// Replaces the images of an entity and marks the segment rows of the previous ones as dead.
  func replaceImages(
    of key: UInt32, with images: [ImageRecord], previous: [ImageRecord]
  ) throws(CatalogueError) {
    try connection.statement("DELETE FROM images WHERE entity = ?").bind(.integer(Int(key))).run()
    countChanges.images += images.count - connection.changedRowCount
    for image in images { try insert(image, of: Int(key)) }
    for image in previous {
      try connection.statement("INSERT OR IGNORE INTO deadRows VALUES(?, ?)")
        .bind(.integer(image.segment), .integer(image.row)).run()
    }
  }

  func insert(_ image: ImageRecord, of key: Int) throws(CatalogueError) {
    try connection.statement("INSERT INTO images VALUES(?, ?, ?, ?, ?, ?, ?, ?)").bind(
      .integer(key), .integer(image.position), .text(image.path),
      .integer(image.byteCount), .integer(image.modified), .integer(image.contentHash),
      .integer(image.segment), .integer(image.row)
    ).run()
  }

  /// Adds a segment whose file is written and synced.
  ///
  /// - Returns: The number of the segment.
  func addSegment(
    file: String, type: EntityType, rows: Int, byteCount: Int
  ) throws(CatalogueError) -> Int {
    try connection.statement(
      """
      INSERT INTO segments(file, type, rows, byteCount, generation)
      VALUES(?, ?, ?, ?, (SELECT generation + 1 FROM state))
      """
    ).bind(.text(file), .text(type.rawValue), .integer(rows), .integer(byteCount)).run()
    return connection.lastInsertedRow
  }

  /// Records that the signature of an image was moved to another row.
  ///
  /// - Returns: True if the image was in the row that it was moved from.
  func moveImage(
    of key: UInt32, position: Int, from old: (segment: Int, row: Int),
    to new: (segment: Int, row: Int)
  ) throws(CatalogueError) -> Bool {
    try connection.statement(
      """
      UPDATE images SET segment = ?, row = ?
      WHERE entity = ? AND position = ? AND segment = ? AND row = ?
      """
    ).bind(
      .integer(new.segment), .integer(new.row), .integer(Int(key)), .integer(position),
      .integer(old.segment), .integer(old.row)
    ).run()
    return connection.changedRowCount == 1
  }

  /// Returns the rows of a segment that were replaced after it was written.
  func deadRows(ofSegment id: Int) throws(CatalogueError) -> Set<Int> {
    Set(
      try connection.rows("SELECT row FROM deadRows WHERE segment = ?", [.integer(id)]) {
        $0.integer(0)
      })
  }

  /// Removes segments that nothing refers to, and their dead rows.
  func forgetSegments(_ ids: [Int]) throws(CatalogueError) {
    for id in ids {
      try connection.statement("DELETE FROM deadRows WHERE segment = ?").bind(.integer(id)).run()
      try connection.statement("DELETE FROM segments WHERE id = ?").bind(.integer(id)).run()
    }
  }

  /// Removes segment files that no generation names: those of merged segments, and what a killed run left. A
  /// reader that has them open keeps them, and one that does not find them opens the newer generation.
  ///
  /// The caller must hold the writer's lock, and have no transaction open.
  func removeOrphans(in directory: String) throws(CatalogueError) {
    var live = Set(try segments().map(\.file))
    // A saved generation that cannot be read cannot be restored either.
    if let saved = try? PreviousCatalogue(directory: directory) {
      live.formUnion(saved.segmentFiles)
    }
    // Other temporary files may be in use, such as the list of rejected rows.
    let endings = [".segment", ".segment.tmp", PreviousCatalogue.fileName + ".tmp"]
    for name in Folder.names(in: directory)
    where endings.contains(where: name.hasSuffix) && !live.contains(name) {
      Folder.remove(name, in: directory)
    }
  }
}
