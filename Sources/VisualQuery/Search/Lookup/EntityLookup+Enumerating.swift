extension EntityLookup {
  /// Returns the next page of all entities, or of those that meet some conditions.
  ///
  /// Each entity of the generation in which the list began appears exactly once, also if newer generations are published
  /// between the pages; see ``EntityCursor``.
  ///
  /// - Parameters:
  ///   - cursor: The cursor of the page before; `nil` begins the list.
  ///   - comparators: The conditions, the same for all pages.
  ///   - mode: The way in which the conditions are combined.
  ///   - types: The types of the entities, the same for all pages.
  ///   - limit: The most entities of a page, `1...1000`.
  /// - Throws: ``MatchError`` with the code `invalidToken` if the cursor is one of another catalogue or question, or was
  ///   altered, and with `invalidFilter` as in ``entities(matching:mode:types:sortedBy:limit:)``; ``CatalogueError``.
  /// - Complexity: O(`limit` · log *n*) for *n* entities without conditions; otherwise that of the entities up to the
  ///   last one returned.
  package func page(
    after cursor: EntityCursor?, matching comparators: [EntityComparator] = [],
    mode: ComparatorMode = .and, types: Set<EntityType> = Set(EntityType.allCases),
    limit: Int = 200
  ) async throws -> EntityPage {
    let filter = EntityFilter(comparators: comparators, mode: mode)
    try fields.check(filter)
    _ = try filter.conditions()
    let (types, limit) = (types.sorted(), Self.bounded(limit))
    let question = EntityQuestionHash(filter, types: types)
    let start = EntityCursor.Position(
      generation: catalogue.generation, lastKey: catalogue.lastKey, key: 0)
    let position =
      try cursor.map { cursor throws(MatchError) in
        try cursor.position(of: question, in: catalogue)
      } ?? start
    let (values, last) = try await run { stop in
      try await catalogue.page(
        behind: position.key, through: position.lastKey, types: types, filter: filter,
        limit: limit, stop)
    }
    let next = last.map {
      EntityCursor.Position(
        generation: position.generation, lastKey: position.lastKey, key: $0)
    }
    return EntityPage(
      entities: values, cursor: next.map { EntityCursor($0, of: question, in: catalogue) },
      generation: catalogue.generation)
  }
}
