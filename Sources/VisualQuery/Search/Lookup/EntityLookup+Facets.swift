extension EntityLookup {
  /// Returns the values of properties among the entities that pass a filter, and the number of those entities.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`, also for a property that no entity has or that has too
  ///   many different values; ``CatalogueError``.
  /// - Complexity: O(*n*) for each property that *n* entities have.
  package func facets(
    _ question: FacetQuestion, matching filter: EntityFilter = EntityFilter(),
    types: Set<EntityType> = Set(EntityType.allCases)
  ) async throws -> (facets: [Facet], entityCount: Int) {
    try fields.check(filter)
    try fields.check(question)
    return try await run { stop in
      var keys = KeySet.all
      if !filter.isEmpty { keys = try await catalogue.keys(matching: filter, shouldStop: stop) }
      if types.isEmpty { keys = KeySet() }
      if types.count == 1, let type = types.first {
        keys = keys.intersection(try await catalogue.keys(of: type, shouldStop: stop))
      }
      let facets = try await catalogue.facets(question, of: keys, stop)
      return (facets, try await catalogue.count(of: keys, stop))
    }
  }
}
