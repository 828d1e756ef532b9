/// The feeds of entities.
extension CatalogueWriter {
  /// Makes entities belong to a feed, in the transaction that is open.
  func assign(_ keys: [UInt32], to feed: Int) throws(CatalogueError) {
    for key in keys where try database.tables.feeds.number(ofKey: key) != feed {
      try database.tables.feeds.set(feed, ofKey: Int(key))
    }
  }

  /// Returns feeds of another catalogue with the numbers that they have in this one: those of the feeds with their names,
  /// otherwise free ones.
  func numbered(_ feeds: [Feed]) throws(CatalogueError) -> [Feed] {
    var free = try database.tables.feeds.freeNumber()
    let known = try database.tables.feeds.all()
    return feeds.map { feed in
      if let same = known.first(where: { $0.name.hasSameBytes(as: feed.name) }) {
        return Feed(number: same.number, name: feed.name, reading: feed.reading)
      }
      defer { free += 1 }
      return Feed(number: free, name: feed.name, reading: feed.reading)
    }
  }

  /// Makes entities that stay as they are belong to a feed in the next generation.
  mutating func putFeed(_ feed: Int, ofKeys keys: [UInt32]) throws(CatalogueError) {
    if isDryRun { return }
    var others: [UInt32] = []
    for key in keys where try database.tables.feeds.number(ofKey: key) != feed {
      others.append(key)
    }
    if others.isEmpty { return }
    try beginGrowing()
    do throws(CatalogueError) {
      try assign(others, to: feed)
    } catch {
      discard()
      throw error
    }
  }

  /// Removes the entities of a feed that it lacks, and publishes the result.
  ///
  /// - Returns: The entities that were removed, or the reason why none was.
  mutating func prune(_ pruning: Pruning) throws(CatalogueError) -> Pruning.Outcome {
    let outcome = pruning.outcome(among: try database.tables.feeds.ids(of: pruning.feed))
    guard case .remove(let ids) = outcome else { return outcome }
    return .remove(try remove(ids))
  }
}
