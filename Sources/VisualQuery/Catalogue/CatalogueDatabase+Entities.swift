/// Entities by id, text, property and time of change.
extension CatalogueDatabase {
  /// The entities of some ids, in their order; unknown ones are left out.
  func entities(for ids: [EntityID]) throws(CatalogueError) -> [EntityValue] {
    var values: [EntityValue] = []
    for id in ids {
      let row = try connection.statement("SELECT json FROM entities WHERE type = ? AND id = ?")
        .bind(.text(id.type.rawValue), .text(id.value))
      guard try row.step() else { continue }
      let text = row.text(0)
      _ = try row.step()
      if let value = Self.readableEntity(text) { values.append(value) }
    }
    return values
  }

  /// The path and the content of one of an entity's pictures, or `nil` if that did not go in.
  func image(
    of id: EntityID, position: Int
  ) throws(CatalogueError) -> (path: String, picture: KeptThumbnails.Picture)? {
    let row = try connection.statement(
      """
      SELECT path, entity, contentHash FROM images JOIN entities ON key = entity
      WHERE type = ? AND id = ? AND position = ?
      """
    ).bind(.text(id.type.rawValue), .text(id.value), .integer(position))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return (
      row.text(0), KeptThumbnails.Picture(entity: row.integer(1), contentHash: row.integer(2))
    )
  }

  /// What the rows of a statement whose first column is an entity's JSON come to.
  private func entities(
    _ sql: String, _ values: [SQLiteValue]
  ) throws(CatalogueError) -> [EntityValue] {
    let row = try connection.statement(sql).bind(values)
    var entities: [EntityValue] = []
    while try row.step() {
      if let entity = Self.readableEntity(row.text(0)) { entities.append(entity) }
    }
    return entities
  }

  /// Those that the shop features, then what can be had, one of each group, in the order of the
  /// catalogue.
  func suggestedEntities(
    types: [EntityType], limit: Int
  ) throws(CatalogueError) -> [EntityValue] {
    let places = types.map { _ in "?" }.joined(separator: ", ")
    return try entities(
      """
      SELECT json FROM (
        SELECT json, key, rank, row_number() OVER (PARTITION BY part ORDER BY rank, key) AS place
        FROM (
          SELECT json, key,
            coalesce(json_extract(json, '$.group'), type || ':' || id) AS part,
            (json_extract(json, '$.featured') IS NULL) * 2
              + (coalesce(json_extract(json, '$.availability'), 'inStock') != 'inStock') AS rank
          FROM entities WHERE type IN (\(places)))
      ) WHERE place = 1 ORDER BY rank, key LIMIT ?
      """, types.map { .text($0.rawValue) } + [.integer(limit)])
  }

  /// The entities that have all of some words in their texts, the last as the beginning of a word;
  /// the best first, by BM25 with the title counting most.
  func entities(
    withWords words: [String], types: [EntityType], limit: Int
  ) throws(CatalogueError) -> [EntityValue] {
    guard let last = words.last else { return [] }
    let places = types.map { _ in "?" }.joined(separator: ", ")
    // Folded words have no quotes in them.
    let query = words.dropLast().map { "\"\($0)\"" } + ["\"\(last)\"*"]
    return try entities(
      """
      SELECT json FROM entityText JOIN entities ON key = entityText.rowid
      WHERE entityText MATCH ? AND type IN (\(places))
      ORDER BY bm25(entityText, 10, 4, 4, 4, 6), type, id LIMIT ?
      """,
      [.text(query.joined(separator: " "))] + types.map { .text($0.rawValue) } + [.integer(limit)])
  }

  /// The entities that a condition lets through, in an order that ends with type and id.
  func entities(
    where condition: SQLCondition, order: String, limit: Int
  ) throws(CatalogueError) -> [EntityValue] {
    try entities(
      "SELECT json FROM entities WHERE \(condition.sql) ORDER BY \(order) LIMIT ?",
      condition.values + [.integer(limit)])
  }

  /// The keys that a condition lets through.
  func keys(where condition: SQLCondition) throws(CatalogueError) -> KeySet {
    let row = try connection.statement("SELECT key FROM entities WHERE \(condition.sql)")
      .bind(condition.values)
    var keys = KeySet()
    while try row.step() { keys.insert(UInt32(clamping: row.integer(0))) }
    return keys
  }

  /// Entities behind a key, in the order of their keys.
  func page(
    after key: UInt32, types: [EntityType], limit: Int
  ) throws(CatalogueError) -> (values: [EntityValue], last: UInt32) {
    let places = types.map { _ in "?" }.joined(separator: ", ")
    let row = try connection.statement(
      """
      SELECT json, key FROM entities WHERE key > ? AND type IN (\(places))
      ORDER BY key LIMIT ?
      """
    ).bind([.integer(Int(key))] + types.map { .text($0.rawValue) } + [.integer(limit)])
    var page: (values: [EntityValue], last: UInt32) = ([], key)
    while try row.step() {
      if let value = Self.readableEntity(row.text(0)) { page.values.append(value) }
      page.last = UInt32(clamping: row.integer(1))
    }
    return page
  }

  /// One change of an entity.
  enum Change: Sendable {
    case upsert(EntityValue)
    case removal(EntityID)
  }

  /// Changes behind a place in the list of changes, oldest first; each entity's last one only. An
  /// entity that cannot be read counts as removed.
  func changes(
    after sequence: Int, limit: Int
  ) throws(CatalogueError) -> [(sequence: Int, change: Change)] {
    let row = try connection.statement(
      """
      SELECT sequence, changes.type, changes.id, json
      FROM changes LEFT JOIN entities ON key = entity
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """
    ).bind(.integer(sequence), .integer(limit))
    var found: [(sequence: Int, change: Change)] = []
    while try row.step() {
      if !row.isNull(3), let value = Self.readableEntity(row.text(3)) {
        found.append((row.integer(0), .upsert(value)))
      } else if let type = EntityType(rawValue: row.text(1)) {
        found.append((row.integer(0), .removal(EntityID(type: type, value: row.text(2)))))
      }
    }
    return found
  }

  /// A store that has a product, and where it stands, where that is known.
  struct Stockist {
    let key: UInt32
    let id: String
    let place: GeoPoint?
  }

  /// Calls `body` with every store that has a product, until it says stop.
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
    while try row.step() {
      let key = UInt32(clamping: row.integer(0))
      let place =
        row.isNull(1) ? nil : try Self.place((row.number(1), row.number(2)), ofStore: key)
      if !body(Stockist(key: key, id: row.text(3), place: place)) {
        return row.reset()
      }
    }
  }

  /// The shop's settings by name.
  func settings() throws(CatalogueError) -> [String: String] {
    let row = try connection.statement("SELECT name, value FROM settings")
    var settings: [String: String] = [:]
    while try row.step() { settings[row.text(0)] = row.text(1) }
    return settings
  }

  /// All of the label bridge.
  func bridge() throws(CatalogueError) -> LabelBridge {
    let row = try connection.statement("SELECT label, target FROM labelBridge")
    var targets: [String: Set<String>] = [:]
    while try row.step() { targets[row.text(0), default: []].insert(row.text(1)) }
    return LabelBridge(targets: targets)
  }

  /// What the bridge takes a normalised label for.
  func bridged(_ label: String) throws(CatalogueError) -> [String] {
    let row = try connection.statement(
      "SELECT target FROM labelBridge WHERE label = ? ORDER BY target"
    ).bind(.text(label))
    var targets: [String] = []
    while try row.step() { targets.append(row.text(0)) }
    return targets
  }

  /// All labels with their number of entities, the commonest first.
  func allLabels() throws(CatalogueError) -> [(label: String, frequency: Int)] {
    let row = try connection.statement(
      """
      SELECT label, frequency FROM labelFrequencies WHERE frequency > 0
      ORDER BY frequency DESC, label
      """)
    var labels: [(label: String, frequency: Int)] = []
    while try row.step() { labels.append((row.text(0), row.integer(1))) }
    return labels
  }
}
