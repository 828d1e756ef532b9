/// Counts of the values of properties, read in parts as in ``Catalogue/keys(matching:shouldStop:)``.
extension Catalogue {
  /// Returns the number of entities in a set.
  @concurrent package func count(
    of keys: KeySet, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> Int {
    // Counts the values of `type`, because every entity has exactly one.
    var counter = FacetCounter(prefix: nil)
    try await addValues(ofProperty: "type", of: keys, to: &counter, shouldStop)
    return counter.entityCount
  }

  /// Returns the values of properties among the entities in a set.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter` if no property can have a name, no entity has
  ///   the property, or it has more than ``FacetCounter/distinctLimit`` different values; ``CatalogueError``.
  /// - Complexity: O(*n*) for each property that *n* entities have.
  @concurrent package func facets(
    _ question: FacetQuestion, of keys: KeySet, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [Facet] {
    guard question.properties.count <= FacetQuestion.propertyLimit else {
      throw MatchError(
        code: .invalidFilter,
        message:
          "\(question.properties.count) facets are asked for; the limit is \(FacetQuestion.propertyLimit)"
      )
    }
    var facets: [Facet] = []
    for property in question.properties {
      let name = try property.storedName(isSort: false)
      try checkProperty(name)
      var counter = FacetCounter(prefix: question.prefix.map(LabelText.folded))
      guard try await addValues(ofProperty: name, of: keys, to: &counter, shouldStop) else {
        throw MatchError(
          code: .invalidFilter,
          message:
            "'\(property.name)' has more than \(FacetCounter.distinctLimit) different values; a facet has fewer"
        )
      }
      facets.append(counter.facet(property.name, limit: question.limit))
    }
    return facets
  }

  /// Counts the values of a property.
  ///
  /// - Returns: `false` if there are too many different ones.
  @concurrent @discardableResult private func addValues(
    ofProperty name: String, of keys: KeySet, to counter: inout FacetCounter,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> Bool {
    let number = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      try database.properties.number(of: name)
    }
    guard let number else { return true }
    for ranges in ranges(within: keys) {
      let counted = counter
      let next = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        var (next, isWithinLimit) = (counted, true)
        for range in ranges where isWithinLimit {
          try database.properties.forEachValue(of: number, in: range) { key, value in
            if isWithinLimit && keys.contains(key) { isWithinLimit = next.add(value, of: key) }
          }
        }
        return isWithinLimit ? next : nil
      }
      guard let next else { return false }
      counter = next
      try await rest(shouldStop)
    }
    return true
  }
}
