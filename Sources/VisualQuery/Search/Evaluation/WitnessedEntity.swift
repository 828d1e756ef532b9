/// A candidate of a labelled photo, as a fit of the shop sees it.
package struct WitnessedEntity: Sendable, Hashable {
  let isRight: Bool
  let seen: Testimony
  /// False if a fit leaves the confidence as it is.
  let isFitted: Bool

  init(isRight: Bool, seen: Testimony, isFitted: Bool = true) {
    (self.isRight, self.seen, self.isFitted) = (isRight, seen, isFitted)
  }

  init(_ entity: ScoredEntity, isRight: Bool) {
    self.init(isRight: isRight, seen: Testimony(entity.evidence), isFitted: entity.isFitted)
  }

  /// Returns the log-odds by a fit, or by the general calibration.
  func logOdds(by fit: ShopFit?) -> Double {
    isFitted ? fit?.logOdds(of: seen) ?? seen.general : seen.general
  }
}

extension Matcher {
  /// The most variants of a product that are left out with it.
  private static let memberLimit = 256

  /// Evaluates a query twice: as the shop is, and as if it did not have what the image shows.
  ///
  /// - Parameter ask: Evaluates the query with a matcher.
  package func evaluateWithAndWithout(
    _ query: EvaluationQuery, ask: (Matcher) async throws -> EvaluatedQuery
  ) async throws -> EvaluatedQuery {
    var plain = self
    plain.fits = ShopFits()
    var evaluated = try await ask(plain)
    guard evaluated.isPositive else { return evaluated }
    let (product, keys) = try product(of: query)
    plain.leftOut = keys
    evaluated.product = product
    evaluated.withoutRight = try await ask(plain).witnessed
    return evaluated
  }

  /// Returns the groups of some entities, and the keys of these entities and of their variants.
  func withVariants(
    _ own: Set<UInt32>
  ) throws(CatalogueError) -> (groups: [String], keys: Set<UInt32>) {
    try catalogue.read { database throws(CatalogueError) in
      var keys = own
      let groups = Set(try database.properties.groups(ofKeys: own.sorted()).values).sorted()
      for group in groups {
        keys.formUnion(try database.properties.keys(ofGroup: group, limit: Self.memberLimit))
      }
      return (groups, keys)
    }
  }

  /// Returns the product that the right answers are variants of, with the keys of all of these.
  private func product(
    of query: EvaluationQuery
  ) throws -> (name: String, keys: Set<UInt32>) {
    let ids = query.truth.flatMap(EvaluationQuery.ids)
    let keysByID = try catalogue.keys(of: ids)
    let (groups, keys) = try withVariants(Set(keysByID.values))
    let name =
      groups.first.map { "group \($0)" } ?? keysByID.keys.map(\.description).min()
      ?? query.truth.sorted()[0]
    return (name, keys)
  }
}
