/// The writer of a run, which writes on one thread while the other threads extract the signatures
/// of the next entities.
actor CataloguePublisher {
  private var writer: CatalogueWriter
  /// The feeds that got their numbers in this run.
  private var newFeeds: [Feed] = []

  /// The last published generation.
  var generation: Int { writer.generation }

  /// Takes the writer's lock, opens or creates the catalogue, and adds settings to the next generation.
  ///
  /// - Parameters:
  ///   - isDryRun: True if nothing is published.
  ///   - threads: The largest number of threads that merge segments.
  /// - Throws: ``CatalogueError``.
  init(directory: String, settings: ShopSettings, isDryRun: Bool, threads: Int) throws {
    try self.init(
      CatalogueWriter(
        directory: directory, keepsPrevious: true, isDryRun: isDryRun, threads: threads), settings)
  }

  /// Takes the writer's lock for changes of single entities: it does not wait for another writer,
  /// and does not save the current generation for a rollback, which costs as much as the catalogue
  /// is large. In a copy of a catalogue in PostgreSQL it waits a little, since the copy is locked
  /// while it takes a generation.
  ///
  /// - Parameter requiresCatalogue: True if a missing catalogue is not created.
  /// - Throws: ``CatalogueError``.
  init(updating directory: String, settings: ShopSettings, requiresCatalogue: Bool) throws {
    let database: CatalogueDatabase?
    do throws(CatalogueError) {
      database = try CatalogueDatabase(reading: directory)
    } catch {
      if requiresCatalogue { throw error }
      database = nil
    }
    let isReplica = try database?.tables.replica.origin() != nil
    try self.init(
      CatalogueWriter(
        directory: directory, lockWait: isReplica ? WriterLock.standardWait : .zero), settings)
  }

  private init(_ writer: consuming CatalogueWriter, _ settings: ShopSettings) throws {
    try writer.prepare(settings)
    self.writer = writer
  }

  /// The stored settings of the catalogue, by name.
  func settings() throws -> [String: String] { try writer.database.tables.settings.all() }

  /// The number of published images.
  func imageCount() throws -> Int { try writer.database.tables.state.current().imageCount }

  /// Adds settings to the next generation.
  func prepare(_ settings: ShopSettings) throws { try writer.prepare(settings) }

  /// Returns the feed of a name, a new one if the catalogue has none.
  func feed(named name: String) throws -> Feed {
    if let feed = newFeeds.first(where: { $0.name.hasSameBytes(as: name) }) { return feed }
    if let feed = try writer.database.tables.feeds.feed(named: name) { return feed }
    let number = try max(
      writer.database.tables.feeds.freeNumber(), (newFeeds.last?.number ?? 0) + 1)
    let feed = Feed(number: number, name: name)
    newFeeds.append(feed)
    return feed
  }

  /// Makes entities belong to a feed in the next generation.
  func assign(_ keys: [UInt32], to feed: Int) throws { try writer.putFeed(feed, ofKeys: keys) }

  /// Returns the time before which the image files of a feed have not changed since they were read, in nanoseconds since 1970, or `nil`
  /// if it is not known.
  func filesReadAfter(of feed: String) throws -> Int? {
    try writer.database.tables.fileReadings.safeTime(of: feed)
  }

  /// Notes that a run which began at a time has read the image files of a feed, after the run is published.
  func noteFiles(of feed: String, start: Int) throws {
    if writer.generation > 0 { try writer.database.tables.fileReadings.note(feed, start: start) }
  }

  /// Returns the link settings of the next generation.
  func links() throws -> LinkSettings { try writer.links() }

  /// Adds entities to the next generation, until it is large and published.
  ///
  /// - Returns: The last published generation, and the entities that are left. With the first of them a transaction
  ///   begins, during which the log of the published generation cannot begin anew.
  func put(
    _ entities: [SignedEntity]
  ) throws -> (generation: Int, rest: ArraySlice<SignedEntity>) {
    let before = writer.generation
    for (index, entity) in entities.enumerated() {
      try writer.put(entity)
      if writer.generation > before { return (writer.generation, entities[(index + 1)...]) }
    }
    return (before, [])
  }

  /// Removes an entity from the next generation.
  ///
  /// - Returns: True if the entity existed.
  func remove(_ id: EntityID) throws -> Bool { try writer.putRemoval(of: id) }

  /// Opens each segment, as ``CatalogueWriter/checkSegments()`` does.
  func checkSegments() throws { try writer.checkSegments() }

  /// Removes the catalogue if it is new and has no entity, so that a failed first run leaves nothing but
  /// its rejected rows.
  func removeIfNew() { writer.removeIfNew() }

  /// Ends a run.
  ///
  /// - Parameter mergeLimit: The number of live rows from which a segment is not merged with
  ///   others.
  func finish(mergeLimit: Int = .max) throws { _ = try writer.finish(mergeLimit: mergeLimit) }

  /// Gives entities the form of their rows as far as it was decided to, after the run.
  ///
  /// - Returns: The entities that changed.
  func settle(_ decision: LossDecision, of ids: Dictionary<EntityID, Int>.Keys) throws -> [EntityID]
  {
    try writer.settle(decision) { ids.contains($0) }
  }

  /// Returns what the entities of a feed have, and perhaps those of no feed.
  func coverage(of feed: Int, orOfNone includesOthers: Bool) throws -> Coverage {
    try writer.database.tables.coverage(of: feed, orOfNone: includesOthers)
  }

  /// Returns the numbers of entities with old values: of those that belong to a feed, and of those that it names.
  func kept(of feed: Int, naming ids: Dictionary<EntityID, Int>.Keys) throws -> Coverage {
    try writer.database.tables.kept.counts { $1 == feed || ids.contains($0) }
  }

  /// Removes the entities that a feed lacks, after the run.
  ///
  /// - Returns: The entities that were removed, or the reason why none was.
  func prune(_ pruning: Pruning) throws -> Pruning.Outcome { try writer.prune(pruning) }
}
