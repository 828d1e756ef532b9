/// The writer of a run, which writes on one thread while the others sign what comes next.
actor CataloguePublisher {
  private var writer: CatalogueWriter

  /// The last generation that was published.
  var generation: Int { writer.generation }

  /// Takes the writer's lock and opens the catalogue, or makes one, with some settings.
  ///
  /// - Parameter isDryRun: Whether nothing is ever published.
  /// - Throws: ``CatalogueError``.
  init(directory: String, settings: ShopSettings, isDryRun: Bool) throws {
    var writer = try CatalogueWriter(
      directory: directory, keepsPrevious: true, isDryRun: isDryRun)
    try writer.put(settings)
    self.writer = writer
  }

  /// The settings that the catalogue keeps, by name.
  func settings() throws -> [String: String] { try writer.database.settings() }

  /// The number of pictures that are published.
  func imageCount() throws -> Int { try writer.database.state().imageCount }

  /// Makes settings part of the next generation.
  func prepare(_ settings: ShopSettings) throws { try writer.prepare(settings) }

  /// Where entities open.
  func links() throws -> LinkSettings { try writer.links() }

  /// Adds entities to the next generation, which is published once it is large.
  ///
  /// - Returns: The last generation.
  func put(_ entities: [SignedEntity]) throws -> Int {
    for entity in entities { try writer.put(entity) }
    return writer.generation
  }

  /// Ends a run: what is no entity of it is removed, where `isKept` is given.
  ///
  /// - Returns: How many were removed.
  func finish(removingAllBut isKept: (@Sendable (EntityID) -> Bool)?) throws -> Int {
    _ = try writer.finish()
    guard let isKept else { return 0 }
    return try writer.remove(try writer.allIDs().filter { !isKept($0) }).count
  }
}
