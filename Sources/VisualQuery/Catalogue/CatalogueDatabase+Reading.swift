extension CatalogueDatabase {
  func state() throws(CatalogueError) -> State {
    let state = try connection.first(
      "SELECT generation, productCount, storeCount, imageCount, identity, secret FROM state"
    ) { row in
      State(
        generation: row.integer(0), productCount: row.integer(1), storeCount: row.integer(2),
        imageCount: row.integer(3), identity: row.text(4), secret: row.text(5))
    }
    guard let state else { throw Self.missingState }
    return state
  }

  /// Returns the segments of the generation, oldest first.
  func segments() throws(CatalogueError) -> [SegmentRecord] {
    try connection.rows(
      "SELECT id, file, type, rows, byteCount FROM segments ORDER BY id"
    ) { row throws(CatalogueError) in
      guard let type = EntityType(rawValue: row.text(2)) else {
        throw CatalogueError(
          code: .corrupt,
          message:
            "segment \(row.integer(0)) has an unknown type; \(CatalogueError.remedy)"
        )
      }
      return SegmentRecord(
        id: row.integer(0), file: row.text(1), type: type, rows: row.integer(3),
        byteCount: row.integer(4))
    }
  }

  /// Returns the rows of each segment that were replaced after it was written.
  func deadRows() throws(CatalogueError) -> [Int: [Int]] {
    var dead: [Int: [Int]] = [:]
    try connection.forEachRow("SELECT segment, row FROM deadRows ORDER BY segment, row") { row in
      dead[row.integer(0), default: []].append(row.integer(1))
    }
    return dead
  }

  /// Returns the entities of some keys, without unknown keys.
  func entities(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityValue] {
    var entities: [UInt32: EntityValue] = [:]
    for key in keys {
      let json = try connection.first(
        "SELECT json FROM entities WHERE key = ?", [.integer(Int(key))]
      ) { $0.text(0) }
      entities[key] = json.flatMap(Self.readableEntity)
    }
    return entities
  }

  /// Returns the ids of some keys, without unknown keys.
  func ids(keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    var ids: [UInt32: EntityID] = [:]
    for key in keys {
      try connection.forEachRow(
        "SELECT type, id FROM entities WHERE key = ?", [.integer(Int(key))]
      ) { row in
        if let type = EntityType(rawValue: row.text(0)) {
          ids[key] = EntityID(type: type, value: row.text(1))
        }
      }
    }
    return ids
  }

  /// Returns the locations of some stores, without stores that have none.
  func places(ofStores keys: [UInt32]) throws(CatalogueError) -> [UInt32: GeoPoint] {
    var locations: [UInt32: GeoPoint] = [:]
    for key in keys {
      locations[key] = try connection.first(
        "SELECT latitude, longitude FROM places WHERE store = ?", [.integer(Int(key))]
      ) { row throws(CatalogueError) in
        try Self.location((row.number(0), row.number(1)), ofStore: key)
      }
    }
    return locations
  }

  /// Returns the normalized labels of some entities, as ``LabelText/indexed(_:)`` does.
  func labels(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: [String: Int]] {
    var labels: [UInt32: [String: Int]] = [:]
    for key in keys {
      try connection.forEachRow(
        "SELECT label, words FROM labels WHERE entity = ?", [.integer(Int(key))]
      ) { row in labels[key, default: [:]][row.text(0)] = row.integer(1) }
    }
    return labels
  }

  /// Returns the number of entities for each of some normalized labels, 0 for unknown ones.
  func labelFrequencies(_ labels: [String]) throws(CatalogueError) -> [String: Int] {
    var frequencies: [String: Int] = [:]
    for label in labels {
      let frequency = try connection.first(
        "SELECT frequency FROM labelFrequencies WHERE label = ?", [.text(label)]
      ) { $0.integer(0) }
      frequencies[label] = frequency ?? 0
    }
    return frequencies
  }

  /// Returns the largest key of an entity, or 0 if there are no entities.
  func lastKey() throws(CatalogueError) -> UInt32 {
    try connection.first("SELECT max(key) FROM entities") { UInt32(clamping: $0.integer(0)) } ?? 0
  }

  /// Makes a location of degrees in a table, which may be damaged.
  static func location(
    _ degrees: (latitude: Double, longitude: Double), ofStore key: UInt32
  ) throws(CatalogueError) -> GeoPoint {
    do throws(FieldError) {
      return try GeoPoint(checkingLatitude: degrees.latitude, longitude: degrees.longitude)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message:
          "the location of the store with key \(key) \(error.reason); \(CatalogueError.remedy)"
      )
    }
  }

  /// Reads the JSON form of a stored entity, or returns `nil` if it is damaged. Lists omit such an
  /// entity, and `CatalogueUpkeep.verify()` and ``CatalogueDoctor`` report it.
  static func readableEntity(_ text: String) -> EntityValue? { try? entity(text) }

  /// Reads the JSON form of a stored entity.
  static func entity(_ text: String) throws(CatalogueError) -> EntityValue {
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
}
