/// Entities by id, text, property and time of change.
extension CatalogueDatabase {
  /// Returns the entities of some ids, in their order, without unknown ones.
  func entities(for ids: [EntityID]) throws(CatalogueError) -> [EntityValue] {
    var values: [EntityValue] = []
    for id in ids {
      let json = try connection.first(
        "SELECT json FROM entities WHERE type = ? AND id = ?",
        [.text(id.type.rawValue), .text(id.value)]
      ) { $0.text(0) }
      if let value = json.flatMap(Self.readableEntity) { values.append(value) }
    }
    return values
  }

  /// Returns the path and the content hash of an image of an entity, or `nil` if it is not indexed.
  func image(
    of id: EntityID, position: Int
  ) throws(CatalogueError) -> (path: String, picture: KeptThumbnails.Picture)? {
    try connection.first(
      """
      SELECT path, entity, contentHash FROM images JOIN entities ON key = entity
      WHERE type = ? AND id = ? AND position = ?
      """, [.text(id.type.rawValue), .text(id.value), .integer(position)]
    ) { row in
      (row.text(0), KeptThumbnails.Picture(entity: row.integer(1), contentHash: row.integer(2)))
    }
  }

  /// An indexed image of an entity.
  struct ShownImage: Sendable {
    let id: EntityID
    let position: Int
    let path: String
    let picture: KeptThumbnails.Picture
  }

  /// Returns the indexed images of some entities, each entity once.
  func images(of ids: [EntityID]) throws(CatalogueError) -> [ShownImage] {
    var images: [ShownImage] = []
    for id in Set(ids) {
      images += try connection.rows(
        """
        SELECT position, path, entity, contentHash FROM images JOIN entities ON key = entity
        WHERE type = ? AND id = ?
        """, [.text(id.type.rawValue), .text(id.value)]
      ) { row in
        ShownImage(
          id: id, position: row.integer(0), path: row.text(1),
          picture: KeptThumbnails.Picture(entity: row.integer(2), contentHash: row.integer(3)))
      }
    }
    return images
  }

  /// Returns the entities after a key, in the order of their keys.
  ///
  /// - Parameter type: The type of the entities, or `nil` for any.
  func page(
    after key: UInt32, type: EntityType?, limit: Int
  ) throws(CatalogueError) -> (values: [EntityValue], last: UInt32) {
    let condition = type == nil ? "" : "type = ? AND "
    var page: (values: [EntityValue], last: UInt32) = ([], key)
    try connection.forEachRow(
      "SELECT json, key FROM entities WHERE \(condition)key > ? ORDER BY key LIMIT ?",
      (type.map { [.text($0.rawValue)] } ?? []) + [.integer(Int(key)), .integer(limit)]
    ) { row in
      if let value = Self.readableEntity(row.text(0)) { page.values.append(value) }
      page.last = UInt32(clamping: row.integer(1))
    }
    return page
  }

  /// Keys of entities behind a key and up to another, in ascending order.
  ///
  /// - Parameter type: The type of all of them; `nil` for any.
  func keys(
    of type: EntityType?, after key: UInt32, through bound: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    let condition = type == nil ? "" : "type = ? AND "
    let row = try connection.statement(
      "SELECT key FROM entities WHERE \(condition)key > ? AND key <= ? ORDER BY key LIMIT ?"
    ).bind(
      (type.map { [.text($0.rawValue)] } ?? [])
        + [.integer(Int(key)), .integer(Int(bound)), .integer(limit)])
    var keys: [UInt32] = []
    while try row.step() { keys.append(UInt32(clamping: row.integer(0))) }
    return keys
  }

  /// One change of an entity.
  enum Change: Sendable {
    case upsert(EntityValue)
    case removal(EntityID)
  }

  /// Returns the changes after a sequence number, oldest first, with only the last change of each
  /// entity. An unreadable entity counts as removed.
  func changes(
    after sequence: Int, limit: Int
  ) throws(CatalogueError) -> [(sequence: Int, change: Change)] {
    try connection.rows(
      """
      SELECT sequence, changes.type, changes.id, json
      FROM changes LEFT JOIN entities ON key = entity
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """, [.integer(sequence), .integer(limit)]
    ) { row in
      if !row.isNull(3), let value = Self.readableEntity(row.text(3)) {
        return (row.integer(0), .upsert(value))
      }
      return EntityType(rawValue: row.text(1)).map { type in
        (row.integer(0), .removal(EntityID(type: type, value: row.text(2))))
      }
    }
  }

  /// A store that has a product in stock, with its location if it is known.
  struct Stockist {
    let key: UInt32
    let id: String
    let location: GeoPoint?
  }

  /// Calls `body` with every store that has a product in stock, until it returns `false`.
  func forEachStore(
    withProduct id: String, _ body: (Stockist) -> Bool
  ) throws(CatalogueError) {
    let row = try connection.statement(
      """
      SELECT stock.store, latitude, longitude, id
      FROM stock JOIN entities ON key = stock.store
        LEFT JOIN places ON places.store = stock.store
      WHERE product = ? ORDER BY stock.store
      """
    ).bind(.text(id))
    defer { row.reset() }
    while try row.step() {
      let key = UInt32(clamping: row.integer(0))
      let location =
        row.isNull(1) ? nil : try Self.location((row.number(1), row.number(2)), ofStore: key)
      if !body(Stockist(key: key, id: row.text(3), location: location)) { return }
    }
  }

  /// Returns the shop's settings by name.
  func settings() throws(CatalogueError) -> [String: String] {
    var settings: [String: String] = [:]
    try connection.forEachRow("SELECT name, value FROM settings") { row in
      settings[row.text(0)] = row.text(1)
    }
    return settings
  }

  /// Returns the label bridge.
  func bridge() throws(CatalogueError) -> LabelBridge {
    var targets: [String: Set<String>] = [:]
    try connection.forEachRow("SELECT label, target FROM labelBridge") { row in
      targets[row.text(0), default: []].insert(row.text(1))
    }
    return LabelBridge(targets: targets)
  }

  /// Returns the targets of a normalized label in the bridge.
  func bridged(_ label: String) throws(CatalogueError) -> [String] {
    try connection.rows(
      "SELECT target FROM labelBridge WHERE label = ? ORDER BY target", [.text(label)]
    ) { $0.text(0) }
  }

  /// Returns all labels with their numbers of entities, the most frequent first.
  func allLabels() throws(CatalogueError) -> [(label: String, frequency: Int)] {
    try connection.rows(
      """
      SELECT label, frequency FROM labelFrequencies WHERE frequency > 0
      ORDER BY frequency DESC, label
      """, isScan: true
    ) { ($0.text(0), $0.integer(1)) }
  }
}
