/// The tables `stock` and `places`: the products that each store has, and where it is.
package struct StoreTable {
  let connection: CatalogueConnection

  private enum Place: Int, SQLiteColumns { case latitude, longitude }

  /// Returns the locations of some stores, without stores that have none.
  func places(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: GeoPoint] {
    var locations: [UInt32: GeoPoint] = [:]
    for key in keys {
      locations[key] = try connection.first(
        Self.placeOfKey, [.integer(Int(key))]
      ) { row throws(CatalogueError) in
        try Self.location(row.number(Place.latitude), row.number(Place.longitude), ofStore: key)
      }
    }
    return locations
  }

  private static let placeOfKey = "SELECT \(Place.list) FROM places WHERE store = ?"

  /// A store that has a product in stock, with its location if it is known.
  package struct Stockist {
    package let key: UInt32
    package let id: String
    package let location: GeoPoint?
  }

  private enum Stocked: Int, SQLiteColumns { case key, id, latitude, longitude }

  /// Calls `body` with every store that has a product in stock, until it returns `false`.
  package func forEach(withProduct id: String, _ body: (Stockist) -> Bool) throws(CatalogueError) {
    let row = try connection.statement(Self.stockists).bind(.text(id))
    defer { row.reset() }
    while try row.step() {
      let key = UInt32(clamping: row.integer(Stocked.key))
      let location =
        row.isNull(Stocked.latitude)
        ? nil
        : try Self.location(
          row.number(Stocked.latitude), row.number(Stocked.longitude), ofStore: key)
      if !body(Stockist(key: key, id: row.text(Stocked.id), location: location)) { return }
    }
  }

  private static let stockists = """
    SELECT \(Stocked.list) FROM stock JOIN entities ON key = stock.store
      LEFT JOIN places ON places.store = stock.store
    WHERE product = ? ORDER BY stock.store
    """

  /// Makes a location of degrees in a table, which may be damaged.
  private static func location(
    _ latitude: Double, _ longitude: Double, ofStore key: UInt32
  ) throws(CatalogueError) -> GeoPoint {
    do throws(FieldError) {
      return try GeoPoint(checkingLatitude: latitude, longitude: longitude)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message:
          "the location of the store with key \(key) \(error.reason); \(CatalogueError.remedy)"
      )
    }
  }

  // MARK: Writing

  /// Adds the stock and the place of an entity, if it is a store.
  func insert(_ value: EntityValue, key: Int) throws(CatalogueError) {
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

  /// Removes the stock and the place of an entity.
  func remove(key: Int) throws(CatalogueError) {
    try connection.statement("DELETE FROM stock WHERE store = ?").bind(.integer(key)).run()
    try connection.statement("DELETE FROM places WHERE store = ?").bind(.integer(key)).run()
  }
}
