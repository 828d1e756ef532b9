/// The stores that have matched products in stock.
///
/// A store has what the person points at as surely as one of its products is that: its confidence is
/// that of the likeliest one.
struct StockedStores: Sendable {
  /// The likeliest products, whose stores are looked for: however many are shown, so that pages of
  /// any size come from one list.
  static let productLimit = 10
  /// Stores kept at most.
  private static let limit = MatchOptions.maximumLimit

  private let near: GeoPoint?
  private var stores: [UInt32: Ranking.Named] = [:]
  /// Whether all stores of all products were looked at.
  private(set) var isWhole = true

  init(near: GeoPoint?) { self.near = near }

  /// Adds the stores of a product, which is no likelier than those before it.
  ///
  /// - Parameter isAllowed: Whether a store may be found.
  mutating func add(
    _ product: Ranking.Named, in catalogue: Catalogue, isAllowed: (UInt32) -> Bool,
    shouldStop: () -> Bool
  ) throws(CatalogueError) {
    let confidence = product.entity.confidence
    let evidence = Evidence(
      kind: .stock, value: confidence, weight: Calibration.logOdds(of: confidence))
    var found: [Ranking.Named] = []
    var count = 0
    let (near, known) = (near, stores)
    var isCut = false
    try catalogue.read { database throws(CatalogueError) in
      try database.forEachStore(withProduct: product.id.value) { store in
        count += 1
        if count % 1024 == 0, shouldStop() {
          isCut = true
          return false
        }
        guard isAllowed(store.key), known[store.key] == nil else { return true }
        let distance = near.flatMap { near in store.place.map(near.distanceMeters) }
        found.append(
          (
            ScoredEntity(
              key: store.key, type: .store, evidence: [evidence], confidence: confidence,
              tier: product.entity.tier, stocks: product.id, distance: distance),
            EntityID(type: .store, value: store.id)
          ))
        if found.count >= 8 * Self.limit { found = Self.best(found) }
        return true
      }
    }
    if isCut { isWhole = false }
    for store in Self.best(found) { stores[store.entity.key] = store }
  }

  /// Puts in the stores that are not there by a picture or a label of their own, or are less sure by
  /// it.
  func joined(with contenders: [Ranking.Named]) -> [Ranking.Named] {
    var stores = stores
    var all: [Ranking.Named] = []
    for contender in contenders {
      guard let store = stores[contender.entity.key] else {
        all.append(contender)
        continue
      }
      if store.entity.confidence <= contender.entity.confidence {
        stores[contender.entity.key] = nil
        all.append(contender)
      }
    }
    return all + stores.values
  }

  private static func best(_ stores: [Ranking.Named]) -> [Ranking.Named] {
    Array(stores.sorted(by: Ranking.precedes).prefix(limit))
  }
}
