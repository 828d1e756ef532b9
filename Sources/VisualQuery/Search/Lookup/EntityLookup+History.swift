extension EntityLookup {
  /// Returns when an entity was added and changed last, or `nil` if there is no such entity.
  ///
  /// - Throws: ``CatalogueError``; `CancellationError`.
  package func history(of id: EntityID) async throws -> EntityHistory? {
    try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.history.entity(id)
      }
    }
  }
}
