extension Indexer {
  /// Rewrites the signatures without replaced ones into as few files as possible, shrinks the database, and removes
  /// fetched images that no entity uses. A program that changes single entities for a long time calls it now and then.
  ///
  /// - Returns: The new generation, or the old one if nothing would be gained.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(bytes of the catalogue); 4 bytes of memory for each image and each visual word.
  public func compact() async throws -> Int {
    try await CatalogueUpkeep(directory: directory, pool: pool).compact()
  }
}
