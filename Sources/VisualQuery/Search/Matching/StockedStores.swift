/// The stores that have matched products in stock.
///
/// A store's confidence is that of the likeliest product that it stocks.
struct StockedStores: Sendable {
  /// The number of likeliest products whose stores are looked up. It does not depend on how many are
  /// shown, so that pages of any size come from one list.
  static let productLimit = 10
  /// The most stores that are kept.
  private static let limit = MatchOptions.maximumLimit

  private let options: MatchOptions
  private var stores: [UInt32: RankedEntity] = [:]
  /// True if all stores of all products were looked up before the deadline.
  private(set) var isWhole = true

  init(_ options: MatchOptions) { self.options = options }

  /// Adds the stores of a product. Products come in the order of their confidence, highest first.
  ///
  /// - Parameter isAllowed: Returns whether the filter accepts a store.
  mutating func add(
    _ product: RankedEntity, in catalogue: Catalogue, isAllowed: (UInt32) -> Bool,
    shouldStop: () -> Bool
  ) throws(CatalogueError) {
    let confidence = product.entity.confidence
    let evidence = Evidence(
      kind: .stock, value: confidence, weight: Calibration.logOdds(of: confidence))
    var found: [RankedEntity] = []
    var count = 0
    let (options, known) = (options, stores)
    var isCut = false
    try catalogue.read { database throws(CatalogueError) in
      try database.stores.forEach(withProduct: product.id.value) { store in
        count += 1
        if count % 1024 == 0, shouldStop() {
          isCut = true
          return false
        }
        guard isAllowed(store.key), known[store.key] == nil else { return true }
        let distance = options.near.flatMap { near in store.location.map(near.distanceMeters) }
        guard options.isWithinRadius(distance) else { return true }
        found.append(
          RankedEntity(
            entity: ScoredEntity(
              key: store.key, type: .store, evidence: [evidence], confidence: confidence,
              tier: product.entity.tier, stocks: product.id, distance: distance),
            id: EntityID(type: .store, value: store.id)))
        if found.count >= 8 * Self.limit { found = Self.best(found) }
        return true
      }
    }
    if isCut { isWhole = false }
    for store in Self.best(found) { stores[store.entity.key] = store }
  }

  /// Returns the contenders with these stores. A store that is also found by its own image or label
  /// counts once, with the higher confidence.
  func merged(with contenders: [RankedEntity]) -> [RankedEntity] {
    var stores = stores
    var all: [RankedEntity] = []
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

  private static func best(_ stores: [RankedEntity]) -> [RankedEntity] {
    Array(stores.sorted(by: Ranking.precedes).prefix(limit))
  }
}
