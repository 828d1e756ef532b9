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

  /// Makes a lookup over a catalogue.
  public init(catalogue: Catalogue, pool: WorkerPool = WorkerPool()) {
    self.catalogue = catalogue
    self.pool = pool
  }

  /// The entities of some ids, in their order; unknown ones are left out.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(ids · log *n*) for *n* entities.
  public func entities(for ids: [EntityID]) async throws -> [EntityValue] {
    try await read { database throws(CatalogueError) in try database.entities(for: ids) }
  }

  /// What to show before anything is asked: what the shop features, then what can be had, one of
  /// each group.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n* log *n*).
  public func suggestedEntities(
    types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    try await read { database throws(CatalogueError) in
      try database.suggestedEntities(types: types.sorted(), limit: Self.bounded(limit))
    }
  }

  /// The entities whose title, subtitle, labels, brand or other names have all words of a text, the
  /// last as the beginning of a word; whatever their case, diacritics and number.
  ///
  /// - Returns: The best first; ties by type and id. A text without a word gives nothing.
  /// - Throws: ``CatalogueError``.
  public func entities(
    matching text: String, types: Set<EntityType> = Set(EntityType.allCases), limit: Int = 10
  ) async throws -> [EntityValue] {
    let words = LabelText.words(text).prefix(16).map { $0.filter { $0 != "&" && $0 != "'" } }
      .filter { !$0.isEmpty }
    return try await read { database throws(CatalogueError) in
      try database.entities(
        withWords: words, types: types.sorted(), limit: Self.bounded(limit))
    }
  }

  /// The entities whose properties are as some conditions say.
  ///
  /// - Returns: In the order of `sortedBy`, then by type and id.
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``.
  public func entities(
    matching comparators: [EntityComparator], mode: ComparatorMode = .and,
    types: Set<EntityType> = Set(EntityType.allCases), sortedBy sorts: [EntitySort] = [],
    limit: Int = 100
  ) async throws -> [EntityValue] {
    let condition = try SQLCondition(
      EntityFilter(comparators: comparators, mode: mode), types: types.sorted())
    let order = try SQLCondition.order(sorts)
    return try await read { database throws(CatalogueError) in
      try database.entities(where: condition, order: order, limit: Self.bounded(limit))
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
    let found = try await read { database throws(CatalogueError) in
      try database.changes(after: sequence ?? 0, limit: limit + 1)
    }
    return EntityChanges(found, limit: limit, after: sequence, in: catalogue)
  }

  func page(
    after key: UInt32, types: [EntityType], limit: Int
  ) async throws -> (values: [EntityValue], last: UInt32) {
    try await read { database throws(CatalogueError) in
      try database.page(after: key, types: types, limit: limit)
    }
  }

  private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), maximumLimit) }

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (CatalogueDatabase) throws(CatalogueError) -> Value
  ) async throws -> Value {
    let catalogue = catalogue
    let value = try await withTaskExecutorPreference(pool) { @concurrent in
      try catalogue.read(body)
    }
    try Task.checkCancellation()
    return value
  }
}
