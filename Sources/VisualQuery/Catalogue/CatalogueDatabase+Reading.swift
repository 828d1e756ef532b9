extension CatalogueDatabase {
  func state() throws(CatalogueError) -> State {
    let row = try connection.statement(
      "SELECT generation, productCount, storeCount, imageCount, identity, secret FROM state")
    guard try row.step() else {
      throw CatalogueError(code: .corrupt, message: "the catalogue lacks its state; index again")
    }
    let state = State(
      generation: row.integer(0), productCount: row.integer(1), storeCount: row.integer(2),
      imageCount: row.integer(3), identity: row.text(4), secret: row.text(5))
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
      entities[key] = Self.readableEntity(text)
    }
    return entities
  }

  /// What names the entities of some keys; keys that name none are left out.
  func ids(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    var ids: [UInt32: EntityID] = [:]
    for key in keys {
      let row = try connection.statement("SELECT type, id FROM entities WHERE key = ?")
        .bind(.integer(Int(key)))
      guard try row.step() else { continue }
      if let type = EntityType(rawValue: row.text(0)) {
        ids[key] = EntityID(type: type, value: row.text(1))
      }
      row.reset()
    }
    return ids
  }

  /// Where some stores stand, as far as that is known.
  func places(ofStores keys: [UInt32]) throws(CatalogueError) -> [UInt32: GeoPoint] {
    var places: [UInt32: GeoPoint] = [:]
    for key in keys {
      let row = try connection.statement("SELECT latitude, longitude FROM places WHERE store = ?")
        .bind(.integer(Int(key)))
      guard try row.step() else { continue }
      let point = (row.number(0), row.number(1))
      row.reset()
      places[key] = try Self.place(point, ofStore: key)
    }
    return places
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

  /// The greatest key of an entity; 0 if there is none.
  func lastKey() throws(CatalogueError) -> UInt32 {
    let row = try connection.statement("SELECT max(key) FROM entities")
    guard try row.step() else { return 0 }
    defer { row.reset() }
    return UInt32(clamping: row.integer(0))
  }

  /// Makes a place of the degrees of a table, which may be damaged.
  static func place(
    _ degrees: (latitude: Double, longitude: Double), ofStore key: UInt32
  ) throws(CatalogueError) -> GeoPoint {
    do throws(FieldError) {
      return try GeoPoint(checkingLatitude: degrees.latitude, longitude: degrees.longitude)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "the place of the store with key \(key) \(error.reason); index again")
    }
  }

  /// Reads the JSON form of a stored entity, or returns `nil` if it is damaged: lists leave such an
  /// entity out, and `CatalogueUpkeep.verify()` and ``CatalogueDoctor`` report it.
  static func readableEntity(_ text: String) -> EntityValue? { try? entity(text) }

  /// Reads the JSON form of a stored entity.
  static func entity(_ text: String) throws(CatalogueError) -> EntityValue {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(stored: text)
    } catch {
      throw CatalogueError(code: .corrupt, message: "an entity \(error.message); index again")
    }
    do throws(FieldError) {
      return try EntityValue(json: json)
    } catch {
      throw CatalogueError(
        code: .corrupt, message: "an entity's \(error.field ?? "row") \(error.reason); index again")
    }
  }
}
