/// The table `entities`: the type, id and JSON form of each entity by its key.
package struct EntityTable {
  let connection: CatalogueConnection

  // MARK: Entities

  /// Reads the JSON form of a stored entity, or returns `nil` if it is damaged. Lists omit such an
  /// entity, and `CatalogueUpkeep.verify()` and `CatalogueDoctor` report it.
  package static func readableEntity(_ text: String) -> EntityValue? { try? entity(text) }

  /// Reads the JSON form of a stored entity.
  package static func entity(_ text: String) throws(CatalogueError) -> EntityValue {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(stored: text)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "an entity \(error.message); \(CatalogueError.remedy)")
    }
    do throws(FieldError) {
      return try EntityValue(json: json)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message:
          "an entity's \(error.field ?? "row") \(error.reason); \(CatalogueError.remedy)"
      )
    }
  }

  /// Returns the entities of some ids, in their order, without unknown ones.
  package func values(of ids: [EntityID]) throws(CatalogueError) -> [EntityValue] {
    var values: [EntityValue] = []
    for id in ids {
      let json = try connection.first(
        "SELECT json FROM entities WHERE type = ? AND id = ?",
        [.text(id.type.rawValue), .text(id.value)]
      ) { $0.onlyText }
      if let value = json.flatMap(Self.readableEntity) { values.append(value) }
    }
    return values
  }

  /// Returns the entities of some keys, without unknown keys.
  package func values(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityValue] {
    var entities: [UInt32: EntityValue] = [:]
    for key in keys {
      let json = try connection.first(
        "SELECT json FROM entities WHERE key = ?", [.integer(Int(key))]
      ) { $0.onlyText }
      entities[key] = json.flatMap(Self.readableEntity)
    }
    return entities
  }

  private enum KeyAndText: Int, SQLiteColumns { case key, json }

  /// Returns the entities after a key, in the order of their keys.
  ///
  /// - Parameter type: The type of the entities, or `nil` for any.
  package func page(
    after key: UInt32, type: EntityType?, limit: Int
  ) throws(CatalogueError) -> (values: [EntityValue], last: UInt32) {
    let condition = type == nil ? "" : "type = ? AND "
    var page: (values: [EntityValue], last: UInt32) = ([], key)
    try connection.forEachRow(
      "SELECT \(KeyAndText.list) FROM entities WHERE \(condition)key > ? ORDER BY key LIMIT ?",
      (type.map { [.text($0.rawValue)] } ?? []) + [.integer(Int(key)), .integer(limit)]
    ) { row in
      if let value = Self.readableEntity(row.text(KeyAndText.json)) {
        page.values.append(value)
      }
      page.last = UInt32(clamping: row.integer(KeyAndText.key))
    }
    return page
  }

  /// Returns the languages in which the first and the last entities have texts, as they are tagged.
  ///
  /// - Complexity: O(`limit`).
  func languages(limit: Int) throws(CatalogueError) -> Set<String> {
    var languages: Set<String> = []
    for order in ["ASC", "DESC"] {
      let found = try connection.rows(
        """
        SELECT DISTINCT tag.key FROM (SELECT json FROM entities ORDER BY key \(order) LIMIT ?) AS e,
          json_each(iif(json_valid(e.json), e.json, '{}'), '$.localized') AS tag
        """, [.integer((limit + 1) / 2)], isScan: true
      ) { $0.onlyText }
      languages.formUnion(found)
    }
    return languages
  }

  private enum Column: Int, SQLiteColumns { case key, type, id, json }

  /// Calls `body` with the JSON form of all entities, in the order of their types and ids.
  package func forEach(
    _ body: (_ key: UInt32, _ type: String, _ id: String, _ json: String) throws(CatalogueError)
      -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      "SELECT \(Column.list) FROM entities ORDER BY type, id", isScan: true
    ) { row throws(CatalogueError) in
      try body(
        UInt32(clamping: row.integer(Column.key)), row.text(Column.type), row.text(Column.id),
        row.text(Column.json))
    }
  }

  /// Returns the key and the JSON form of an entity, or `nil` if there is none.
  func stored(_ id: EntityID) throws(CatalogueError) -> (key: Int, json: String)? {
    try connection.first(
      Self.storedByID, [.text(id.type.rawValue), .text(id.value)]
    ) { ($0.integer(KeyAndText.key), $0.text(KeyAndText.json)) }
  }

  private static let storedByID =
    "SELECT \(KeyAndText.list) FROM entities WHERE type = ? AND id = ?"

  // MARK: Ids and keys

  private enum TypeAndID: Int, SQLiteColumns { case type, id }
  private enum KeyAndID: Int, SQLiteColumns { case key, id }

  /// Returns the ids of all entities.
  package func allIDs() throws(CatalogueError) -> [EntityID] {
    try connection.rows("SELECT \(TypeAndID.list) FROM entities ORDER BY type, id") {
      Self.id($0)
    }
  }

  /// Returns the ids of some keys, without unknown keys.
  func ids(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    var ids: [UInt32: EntityID] = [:]
    for key in keys {
      try connection.forEachRow(Self.idOfKey, [.integer(Int(key))]) { row in
        if let id = Self.id(row) { ids[key] = id }
      }
    }
    return ids
  }

  private static let idOfKey = "SELECT \(TypeAndID.list) FROM entities WHERE key = ?"

  private static func id(_ row: CatalogueStatement) -> EntityID? {
    EntityType(rawValue: row.text(TypeAndID.type)).map {
      EntityID(type: $0, value: row.text(TypeAndID.id))
    }
  }

  /// Returns the first entities of a type after an id, in the order of their ids.
  package func ids(
    of type: EntityType, after id: String, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, id: EntityID)] {
    try connection.rows(
      "SELECT \(KeyAndID.list) FROM entities WHERE type = ? AND id > ? ORDER BY id LIMIT ?",
      [.text(type.rawValue), .text(id), .integer(limit)]
    ) { row in
      (
        UInt32(clamping: row.integer(KeyAndID.key)),
        EntityID(type: type, value: row.text(KeyAndID.id))
      )
    }
  }

  /// Returns the number of entities.
  ///
  /// - Complexity: O(entities).
  func count() throws(CatalogueError) -> Int {
    try connection.first("SELECT count(*) FROM entities", isScan: true) { $0.onlyInteger } ?? 0
  }

  /// Returns the largest key of an entity, or 0 if there are no entities.
  func lastKey() throws(CatalogueError) -> UInt32 {
    try connection.first("SELECT max(key) FROM entities") { UInt32(clamping: $0.onlyInteger) } ?? 0
  }

  /// Keys of entities behind a key and up to another, in ascending order.
  ///
  /// - Parameter type: The type of all of them; `nil` for any.
  func keys(
    of type: EntityType?, after key: UInt32, through bound: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    let condition = type == nil ? "" : "type = ? AND "
    return try connection.rows(
      "SELECT key FROM entities WHERE \(condition)key > ? AND key <= ? ORDER BY key LIMIT ?",
      (type.map { [.text($0.rawValue)] } ?? [])
        + [.integer(Int(key)), .integer(Int(bound)), .integer(limit)]
    ) { UInt32(clamping: $0.onlyInteger) }
  }

  /// Returns the first keys of a type after a key.
  func keys(
    of type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    try connection.rows(
      "SELECT key FROM entities WHERE type = ? AND key > ? ORDER BY key LIMIT ?",
      [.text(type.rawValue), .integer(Int(key)), .integer(limit)]
    ) { UInt32(clamping: $0.onlyInteger) }
  }

  private enum KeyAndGroup: Int, SQLiteColumns { case key, value }

  /// Returns the first keys of a type after a key that have a suggestion rank, with the group of
  /// each key that has one.
  func suggestions(
    of type: EntityType, rank: Int, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, group: String?)] {
    try connection.rows(
      """
      SELECT \(KeyAndGroup.list) FROM entities LEFT JOIN properties
        ON property = (SELECT number FROM propertyNames WHERE name = 'group')
          AND entity = key AND place = 0
      WHERE type = ? AND rank = ? AND key > ? ORDER BY key LIMIT ?
      """, [.text(type.rawValue), .integer(rank), .integer(Int(key)), .integer(limit)]
    ) { row in
      (
        UInt32(clamping: row.integer(KeyAndGroup.key)),
        row.isNull(KeyAndGroup.value) ? nil : row.text(KeyAndGroup.value)
      )
    }
  }

  // MARK: Writing

  /// Adds an entity.
  ///
  /// - Parameter key: The key, or `nil` for the next one.
  /// - Returns: The key.
  func insert(_ value: EntityValue, rowHash: Int?, key: Int?) throws(CatalogueError) -> Int {
    try connection.statement(
      "INSERT INTO entities(key, type, id, json, rowHash, rank) VALUES(?, ?, ?, ?, ?, ?)"
    ).bind(
      [
        key.map(SQLiteValue.integer) ?? .null, .text(value.id.type.rawValue), .text(value.id.value),
      ] + Self.content(value, rowHash)
    ).run()
    return connection.lastInsertedRow
  }

  /// Replaces all of an entity except its id.
  func update(_ value: EntityValue, rowHash: Int?, key: Int) throws(CatalogueError) {
    try connection.statement("UPDATE entities SET json = ?, rowHash = ?, rank = ? WHERE key = ?")
      .bind(Self.content(value, rowHash) + [.integer(key)]).run()
  }

  /// Replaces the hash of the row of an entity; `nil` lets the next run read its row again.
  package func setRowHash(_ rowHash: Int?, key: UInt32) throws(CatalogueError) {
    try connection.statement("UPDATE entities SET rowHash = ? WHERE key = ?")
      .bind(rowHash.map(SQLiteValue.integer) ?? .null, .integer(Int(key))).run()
  }

  private static func content(_ value: EntityValue, _ rowHash: Int?) -> [SQLiteValue] {
    [
      .text(value.json.text), rowHash.map(SQLiteValue.integer) ?? .null,
      .integer(value.suggestionRank),
    ]
  }

  /// Removes an entity.
  func remove(key: Int) throws(CatalogueError) {
    try connection.statement("DELETE FROM entities WHERE key = ?").bind(.integer(key)).run()
  }
}
