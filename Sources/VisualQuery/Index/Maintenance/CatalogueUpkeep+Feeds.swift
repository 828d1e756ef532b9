extension CatalogueUpkeep {
  /// The feeds of a catalogue.
  package struct Feeds: Sendable, Hashable {
    /// A feed with what it brought.
    package struct Entry: Sendable, Hashable {
      package let feed: Feed
      /// The number of its entities of each type.
      package let counts: [EntityType: Int]
      /// The last run over it in this directory, or `nil` if none is noted here.
      package let lastRun: RunRecord?
    }

    package let generation: Int
    /// The feeds, in the order of their names.
    package let entries: [Entry]
    /// The number of entities of each type that have no feed.
    package let withoutFeed: [EntityType: Int]
  }

  /// Returns the feeds of the catalogue.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(entities).
  package func feeds() async throws -> Feeds {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let tables = try CatalogueDatabase(reading: directory).tables
      var counts: [Int?: [EntityType: Int]] = [:]
      for count in try tables.feeds.counts() {
        counts[count.number, default: [:]][count.type] = count.count
      }
      let runs = try RunHistory(directory: directory).latest()
      let entries = try tables.feeds.all().map { feed in
        Feeds.Entry(
          feed: feed, counts: counts[feed.number] ?? [:],
          lastRun: runs.first { $0.feed.hasSameBytes(as: feed.name) })
      }
      return Feeds(
        generation: try tables.state.current().generation,
        entries: entries.sorted { $0.feed.name < $1.feed.name }, withoutFeed: counts[nil] ?? [:])
    }
  }

  /// Removes a feed and its entities. Synchronized copies receive a tombstone for each.
  ///
  /// - Parameter feed: The feed, or `nil` for the entities that have none.
  /// - Returns: The number of removed entities, and the generation without them.
  /// - Throws: ``CatalogueError``.
  package func remove(_ feed: Feed?) async throws -> (entities: Int, generation: Int) {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      return try writer.remove(feed)
    }
  }

  /// Gives a feed another name, under which it is known from then on.
  ///
  /// - Returns: The generation with the name.
  /// - Throws: ``CatalogueError``.
  package func rename(_ feed: Feed, to name: String) async throws -> Int {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var writer = try CatalogueWriter(directory: directory)
      try writer.rename(feed, to: name)
      return writer.generation
    }
  }
}

extension CatalogueWriter {
  fileprivate mutating func remove(
    _ feed: Feed?
  ) throws(CatalogueError) -> (entities: Int, generation: Int) {
    var count = 0
    try transaction { database throws(CatalogueError) in
      for id in try database.tables.feeds.ids(of: feed?.number) where try database.remove(id) {
        count += 1
      }
      if let feed { try database.tables.feeds.remove(feed) }
      return feed != nil || count > 0
    }
    if let feed { try RunHistory(directory: directory).remove(feed.name) }
    return (count, generation)
  }

  fileprivate mutating func rename(_ feed: Feed, to name: String) throws(CatalogueError) {
    var renamed = feed
    renamed.name = name
    try transaction { [renamed] database throws(CatalogueError) in
      try database.tables.feeds.put(renamed)
      return true
    }
    try RunHistory(directory: directory).rename(feed.name, to: name)
  }
}
