/// The queries that an app's App Intents require.
///
/// | App Intents | here |
/// |---|---|
/// | `EntityQuery.entities(for:)` | ``entities(for:)`` |
/// | `EntityQuery.suggestedEntities()` | ``suggestedEntities(types:limit:)`` |
/// | `EntityStringQuery.entities(matching:)` | ``entities(matching:types:limit:)`` |
/// | `EntityPropertyQuery.entities(matching:mode:sortedBy:limit:)` | ``entities(matching:mode:types:sortedBy:limit:)`` |
/// | `EnumerableEntityQuery.allEntities()` | ``allEntities(types:pageSize:)`` |
/// | an index on the device that is kept in step | ``changes(since:limit:)`` |
///
/// Everything is read on the threads of the pool, from one generation.
public struct EntityLookup: Sendable {
  /// The most entities that a call returns, except ``allEntities(types:pageSize:)``.
  package static let maximumLimit = 1000

  /// The generation that is read.
  package let catalogue: Catalogue
  /// The fields that questions may look at: all of them, or, for strangers, the public ones.
  package var fields: ReadableFields
  private let pool: WorkerPool
  private let timeout: Duration?
  private let now: @Sendable () -> Duration

  /// Makes a lookup over a catalogue.
  ///
  /// - Parameters:
  ///   - catalogue: The generation to read.
  ///   - pool: The threads to use.
  ///   - timeout: The time, including the wait for a thread, after which a call throws
  ///     ``CatalogueError`` with the code `timedOut`; `nil` sets no limit.
  ///   - clock: The clock that measures the timeout.
  public init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(), timeout: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.catalogue = catalogue
    self.pool = pool
    fields = catalogue.fields(forStrangers: false)
    self.timeout = timeout
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// Returns the entities of some ids, in their order, without unknown ones.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(ids · log *n*) for *n* entities.
  public func entities(for ids: [EntityID]) async throws -> [EntityValue] {
    try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.entities.values(of: ids)
      }
    }
  }

  /// Returns the public part of some entities' fields and images.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(ids · log *n*) for *n* entities.
  public func publicProjection(of ids: [EntityID]) async throws -> PublicProjection {
    let tags = try await run { stop in
      try PublicProjection.contentTags(of: ids, in: catalogue, stoppingWhen: stop)
    }
    return PublicProjection(
      ShopSettings(publicFields: catalogue.publicFields), contentTags: tags)
  }

  /// Returns entities to show before a search: featured ones, then available ones, one of each
  /// group.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(`limit` · log *n*) for *n* entities, and O(entities of the returned groups).
  public func suggestedEntities(
    types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    try await run { stop in
      try await catalogue.suggestedEntities(
        types: types.sorted(), limit: Self.bounded(limit), stop)
    }
  }

  /// Returns the entities whose title, subtitle, labels, brand, other names or description contain all
  /// words of a text, the last word as a prefix, ignoring case, diacritics and number. If these are
  /// fewer than `limit`, those follow that have the words with one mistake in four to six letters
  /// or two in more.
  ///
  /// - Returns: The best first; ties by type and id. A text without words gives nothing. If more
  ///   than 10 000 entities contain the words, the best of the first 10 000 in catalogue order.
  /// - Throws: ``CatalogueError``.
  public func entities(
    matching text: String, types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    let words = LabelText.searchedWords(text).prefix(16)
    // A repeated word would cost as much as the first one and change nothing.
    let different = words.indices.filter { !words[($0 + 1)...].contains(words[$0]) }
      .map { words[$0] }
    if types.isEmpty || different.isEmpty { return [] }
    let description = EntityProperty(EntityValue.descriptionField)
    let texts: TextIndex.Texts =
      fields.allows(description, for: .words) ? .all : .allButDescription
    return try await run { stop in
      try await catalogue.entities(
        withWords: different, in: texts, types: types.sorted(), limit: Self.bounded(limit), stop)
    }
  }

  /// Returns the entities whose properties satisfy some conditions.
  ///
  /// - Returns: The entities in the order of `sortedBy`, then by type and id.
  /// - Throws: ``MatchError`` with the code `invalidFilter`, also if there are more than 32 conditions or 8 sorts;
  ///   ``CatalogueError``.
  /// - Complexity: O(*n*) for each property in a condition, where *n* entities have it. Without sorts it
  ///   is that of the entities up to the last one returned, if these are few, and O(`limit`) more if
  ///   the catalogue was asked for the same conditions before.
  public func entities(
    matching comparators: [EntityComparator], mode: ComparatorMode = .and,
    types: Set<EntityType> = Set(EntityType.allCases), sortedBy sorts: [EntitySort] = [],
    limit: Int = 100
  ) async throws -> [EntityValue] {
    let filter = EntityFilter(comparators: comparators, mode: mode)
    try fields.check(filter)
    try fields.check(sorts)
    _ = try filter.conditions()
    try EntitySort.check(sorts)
    return try await run { stop in
      let (types, limit) = (types.sorted(), Self.bounded(limit))
      if sorts.isEmpty {
        return try await catalogue.entities(matching: filter, types: types, limit: limit, stop)
      }
      let keys = try await catalogue.keys(matching: filter, shouldStop: stop)
      return try await catalogue.entities(
        in: keys, types: types, sortedBy: sorts, limit: limit, stop)
    }
  }

  /// Returns all entities, page by page, in the order in which they were added to the catalogue.
  ///
  /// To ask for a page throws ``CatalogueError`` and `CancellationError`.
  public func allEntities(
    types: Set<EntityType> = Set(EntityType.allCases), pageSize: Int = 200
  ) -> some AsyncSequence<[EntityValue], any Error> & Sendable {
    EntityPages(lookup: self, types: types.sorted(), pageSize: Self.bounded(pageSize))
  }

  /// Returns the changes since a state of an app, oldest first.
  ///
  /// Apply the changes, store the state with them, and ask again while `hasMore`. An app that is
  /// interrupted continues from the last stored state and misses nothing.
  ///
  /// - Parameters:
  ///   - state: ``EntityChanges/state`` of the last changes, or `nil` for all entities.
  ///   - limit: The most changes to return at a time, `1...1000`.
  /// - Throws: ``MatchError`` with the code `invalidToken` if the state belongs to another
  ///   catalogue or was altered: start again with `nil`. ``CatalogueError``.
  public func changes(since state: String?, limit: Int = 200) async throws -> EntityChanges {
    let sequence = try state.map { state throws(MatchError) in
      try SyncState(state).sequence(in: catalogue)
    }
    let limit = Self.bounded(limit)
    let found = try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.changeLog.changes(after: sequence ?? 0, limit: limit + 1)
      }
    }
    return EntityChanges(found, limit: limit, after: sequence, in: catalogue)
  }

  func page(
    after key: UInt32, types: [EntityType], limit: Int
  ) async throws -> (values: [EntityValue], last: UInt32) {
    if types.isEmpty { return ([], key) }
    return try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.entities.page(
          after: key, type: types.count == 1 ? types[0] : nil, limit: limit)
      }
    }
  }

  static func bounded(_ limit: Int) -> Int { min(max(limit, 1), maximumLimit) }

  /// Runs `body` on the threads of the pool with a function that returns whether to stop.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (_ shouldStop: @escaping @Sendable () -> Bool) async throws -> Value
  ) async throws -> Value {
    let now = now
    let deadline = timeout.map { now() + $0 }
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    return try await cancelling {
      try await withTaskExecutorPreference(pool) { @concurrent in try await body(shouldStop) }
    }
  }
}

/// Returns the result of `body`. If the task was cancelled, an error that only reports the
/// interruption becomes a `CancellationError`.
func cancelling<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
  do {
    let value = try await body()
    try Task.checkCancellation()
    return value
  } catch let error as CatalogueError where error.code == .timedOut {
    try Task.checkCancellation()
    throw error
  }
}
