extension EntityLookup {
  /// Returns the entity that a link opens (``LinkLookup``).
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n*) for *n* entities with a URL of their own.
  package func entity(forLink link: String) async throws -> EntityValue? {
    try await run { stop in
      try await LinkLookup(catalogue: catalogue, shouldStop: stop).entities(forLink: link).first
    }
  }
}
