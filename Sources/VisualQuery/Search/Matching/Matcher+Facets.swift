extension Matcher {
  /// Returns the values of properties among all entities that a search found, on whatever page, and the number of those
  /// entities.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``.
  package func facets(
    _ question: FacetQuestion, of response: MatchResponse
  ) async throws -> (facets: [Facet], entityCount: Int) {
    try fields.check(question)
    let keys = KeySet(response.sealable.keys)
    return try await cancelling {
      try await withTaskExecutorPreference(pool) { @concurrent in
        let stop: @Sendable () -> Bool = { Task.isCancelled }
        let facets = try await catalogue.facets(question, of: keys, stop)
        return (facets, try await catalogue.count(of: keys, stop))
      }
    }
  }
}
