extension CatalogueDatabase {
  func state() throws(CatalogueError) -> State {
    let row = try connection.statement(
      "SELECT generation, productCount, storeCount, imageCount FROM state")
    guard try row.step() else {
      throw CatalogueError(code: .corrupt, message: "the catalogue lacks its state; index again")
    }
    let state = State(
      generation: row.integer(0), productCount: row.integer(1), storeCount: row.integer(2),
      imageCount: row.integer(3))
    _ = try row.step()
    return state
  }

  /// The live segments, oldest first.
  func segments() throws(CatalogueError) -> [SegmentRecord] {
    let row = try connection.statement(
      "SELECT id, file, type, rows, byteCount FROM segments ORDER BY id")
    var records: [SegmentRecord] = []
    while try row.step() {
      guard let type = EntityType(rawValue: row.text(2)) else {
        throw CatalogueError(
          code: .corrupt, message: "segment \(row.integer(0)) is of no known type")
      }
      records.append(
        SegmentRecord(
          id: row.integer(0), file: row.text(1), type: type, rows: row.integer(3),
          byteCount: row.integer(4)))
    }
    return records
  }

  /// The rows of each segment that were replaced since it was written.
  func deadRows() throws(CatalogueError) -> [Int: [Int]] {
    let row = try connection.statement("SELECT segment, row FROM deadRows ORDER BY segment, row")
    var dead: [Int: [Int]] = [:]
    while try row.step() { dead[row.integer(0), default: []].append(row.integer(1)) }
    return dead
  }

  /// The entities of some keys; keys that name none are left out.
  func entities(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityValue] {
    var entities: [UInt32: EntityValue] = [:]
    for key in keys {
      let row = try connection.statement("SELECT json FROM entities WHERE key = ?")
        .bind(.integer(Int(key)))
      guard try row.step() else { continue }
      let text = row.text(0)
      _ = try row.step()
      entities[key] = try Self.entity(text)
    }
    return entities
  }

  /// The normalised labels of some entities.
  func labels(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: Set<String>] {
    var labels: [UInt32: Set<String>] = [:]
    for key in keys {
      let row = try connection.statement("SELECT label FROM labels WHERE entity = ?")
        .bind(.integer(Int(key)))
      while try row.step() { labels[key, default: []].insert(row.text(0)) }
    }
    return labels
  }

  /// How many entities have each of some normalised labels; 0 for unknown ones.
  func labelFrequencies(_ labels: [String]) throws(CatalogueError) -> [String: Int] {
    var frequencies: [String: Int] = [:]
    for label in labels {
      let row = try connection.statement("SELECT frequency FROM labelFrequencies WHERE label = ?")
        .bind(.text(label))
      frequencies[label] = try row.step() ? row.integer(0) : 0
    }
    return frequencies
  }

  /// The first entities, by key, that have a normalised label.
  func keys(
    withLabel label: String, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, type: EntityType)] {
    let row = try connection.statement(
      """
      SELECT entity, type FROM labels JOIN entities ON key = entity
      WHERE label = ? ORDER BY entity LIMIT ?
      """
    ).bind(.text(label), .integer(limit))
    var keys: [(key: UInt32, type: EntityType)] = []
    while try row.step() {
      if let type = EntityType(rawValue: row.text(1)) {
        keys.append((UInt32(clamping: row.integer(0)), type))
      }
    }
    return keys
  }

  static func entity(_ text: String) throws(CatalogueError) -> EntityValue {
    guard let json = JSONValue(text: Array(text.utf8)) else {
      throw CatalogueError(code: .corrupt, message: "an entity is not JSON; index again")
    }
    do throws(FieldError) {
      return try EntityValue(json: json)
    } catch {
      throw CatalogueError(
        code: .corrupt, message: "an entity's \(error.field ?? "row") \(error.reason); index again")
    }
  }
}
