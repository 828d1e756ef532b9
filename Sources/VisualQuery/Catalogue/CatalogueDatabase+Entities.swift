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

  /// Entities behind a key, in the order of their keys.
  ///
  /// - Parameter type: The type of all of them; `nil` for any.
  func page(
    after key: UInt32, type: EntityType?, limit: Int
  ) throws(CatalogueError) -> (values: [EntityValue], last: UInt32) {
    let condition = type == nil ? "" : "type = ? AND "
    let row = try connection.statement(
      "SELECT json, key FROM entities WHERE \(condition)key > ? ORDER BY key LIMIT ?"
    ).bind(
      (type.map { [.text($0.rawValue)] } ?? []) + [.integer(Int(key)), .integer(limit)])
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
      """, isScan: true)
    var labels: [(label: String, frequency: Int)] = []
    while try row.step() { labels.append((row.text(0), row.integer(1))) }
    return labels
  }
}
