/// A shop's entities as an app asks for them: all that its App Intents queries need.
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
  /// The most entities that a call gives, but for ``allEntities(types:pageSize:)``.
  public static let maximumLimit = 1000

  /// What is read: one generation.
  public let catalogue: Catalogue
  private let pool: WorkerPool
  private let timeout: Duration?
  private let now: @Sendable () -> Duration

  /// Makes a lookup over a catalogue.
  ///
  /// - Parameters:
  ///   - catalogue: What is read.
  ///   - pool: The threads to work on.
  ///   - timeout: How long a call may take, its wait for a thread included, before it throws
  ///     ``CatalogueError`` with the code `timedOut`; `nil` means any time.
  ///   - clock: The clock that the timeout is measured by.
  public init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(), timeout: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.catalogue = catalogue
    self.pool = pool
    self.timeout = timeout
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// The entities of some ids, in their order; unknown ones are left out.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(ids · log *n*) for *n* entities.
  public func entities(for ids: [EntityID]) async throws -> [EntityValue] {
    try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.entities(for: ids)
      }
    }
  }

  /// What to show before anything is asked: what the shop features, then what can be had, one of
  /// each group.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(`limit` · log *n*) for *n* entities, and O(entities of the groups that are shown).
  public func suggestedEntities(
    types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    try await run { stop in
      try await catalogue.suggestedEntities(
        types: types.sorted(), limit: Self.bounded(limit), stop)
    }
  }

  /// The entities whose title, subtitle, labels, brand or other names have all words of a text, the
  /// last as the beginning of a word; whatever their case, diacritics and number.
  ///
  /// - Returns: The best first; ties by type and id. A text without a word gives nothing. If more than
  ///   10 000 entities have the words, the best of the first 10 000 in the order of the catalogue.
  /// - Throws: ``CatalogueError``.
  public func entities(
    matching text: String, types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    let words = LabelText.words(text).prefix(16).map { $0.filter { $0 != "&" && $0 != "'" } }
      .filter { !$0.isEmpty }
    // A word that is repeated costs as much as the first time and says nothing more.
    let different = words.indices.filter { !words[($0 + 1)...].contains(words[$0]) }
      .map { words[$0] }
    if types.isEmpty || different.isEmpty { return [] }
    return try await run { stop in
      try await catalogue.entities(
        withWords: different, types: types.sorted(), limit: Self.bounded(limit), stop)
    }
  }

  /// The entities whose properties are as some conditions say.
  ///
  /// - Returns: In the order of `sortedBy`, then by type and id.
  /// - Throws: ``MatchError`` with the code `invalidFilter`, also if there are more than
  ///   ``EntityFilter/comparatorLimit`` conditions or ``EntitySort/countLimit`` sorts;
  ///   ``CatalogueError``.
  /// - Complexity: O(*n*) for each property that is named, for *n* entities that have it.
  public func entities(
    matching comparators: [EntityComparator], mode: ComparatorMode = .and,
    types: Set<EntityType> = Set(EntityType.allCases), sortedBy sorts: [EntitySort] = [],
    limit: Int = 100
  ) async throws -> [EntityValue] {
    let filter = EntityFilter(comparators: comparators, mode: mode)
    _ = try filter.conditions()
    try EntitySort.check(sorts)
    return try await run { stop in
      let keys = try await catalogue.keys(matching: filter, shouldStop: stop)
      let (types, limit) = (types.sorted(), Self.bounded(limit))
      return sorts.isEmpty
        ? try await catalogue.entities(in: keys, types: types, limit: limit, stop)
        : try await catalogue.entities(
          in: keys, types: types, sortedBy: sorts, limit: limit, stop)
    }
  }

  /// All entities, page by page, in the order in which they came into the catalogue.
  public func allEntities(
    types: Set<EntityType> = Set(EntityType.allCases), pageSize: Int = 200
  ) -> EntityPages {
    EntityPages(lookup: self, types: types.sorted(), pageSize: Self.bounded(pageSize))
  }

  /// What has changed since an app last asked, oldest first.
  ///
  /// Put in and take out what comes, keep the state with it, and ask again while `hasMore`: whoever
  /// is interrupted goes on from the state that was kept last, and misses nothing.
  ///
  /// - Parameters:
  ///   - state: That of the last changes; `nil` gives everything.
  ///   - limit: The most changes that are given at once, `1...1000`.
  /// - Throws: ``MatchError`` with the code `invalidToken` where the state is of another catalogue,
  ///   or was altered: begin anew with `nil`. ``CatalogueError``.
  public func changes(since state: SyncState?, limit: Int = 200) async throws -> EntityChanges {
    let sequence = try state.map { state throws(MatchError) in try state.sequence(in: catalogue) }
    let limit = Self.bounded(limit)
    let found = try await run { stop in
      try catalogue.read(stoppingWhen: stop) { database throws(CatalogueError) in
        try database.changes(after: sequence ?? 0, limit: limit + 1)
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
        try database.page(
          after: key, type: types.count == 1 ? types[0] : nil, limit: limit)
      }
    }
  }

  private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), maximumLimit) }

  /// Runs `body` on the threads of the pool, with what tells it to stop.
  private func run<Value: Sendable>(
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

/// Returns what `body` returns; if the task was cancelled, an error that says only that work was
/// stopped becomes a `CancellationError`.
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
