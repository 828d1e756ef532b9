/// Lists of entities, read in parts as in ``Catalogue/keys(matching:shouldStop:)``.
extension Catalogue {
  /// The largest number of keys for which a list is sorted instead of read in its order.
  private static let sortedLimit = 4096
  /// The number of keys whose values are sorted at a time.
  private static let sortedPart: UInt32 = 8192
  /// The number of values that are read in sequence in the time of one lookup.
  private static let lookupCost = 32
  /// The largest number of text matches that are scored.
  static let scoredHits = 10_000

  /// Returns the first entities of some types, by type and id, that meet some conditions.
  @concurrent package func entities(
    matching filter: EntityFilter, types: [EntityType], limit: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityValue] {
    if filter.labels.isEmpty, keptKeys(of: .filter(filter)) == nil,
      let first = try await firstKeys(
        matching: filter, types: types, limit: limit, lookingAt: entityCount / Self.lookupCost / 2,
        shouldStop)
    {
      return try values(of: first, shouldStop)
    }
    let keys = try await keys(matching: filter, shouldStop: shouldStop)
    return try await entities(in: keys, types: types, limit: limit, shouldStop)
  }

  /// Finds the first entities of some types, by type and id, that meet some conditions, by looking up the
  /// properties of one entity after another.
  ///
  /// - Parameter most: The most entities to look at.
  /// - Returns: Their keys, or `nil` as soon as more entities would probably have to be looked at.
  @concurrent func firstKeys(
    matching filter: EntityFilter, types: [EntityType], limit: Int, lookingAt most: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [UInt32]? {
    let conditions = try checkedConditions(of: filter)
    var found: [UInt32] = []
    var looked = 0
    for type in types {
      var last = ""
      while found.count < limit {
        let expected = looked * (limit - found.count) / (found.count + 1)
        if looked + max(expected, Self.sparseLimit) > most { return nil }
        let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          try database.entities.ids(of: type, after: last, limit: Self.sparseLimit)
        }
        let accepted = try await keys(
          matching: conditions, filter.mode, within: KeySet(part.map(\.key)), shouldStop)
        found += part.lazy.map(\.key).filter(accepted.contains).prefix(limit - found.count)
        looked += part.count
        guard part.count == Self.sparseLimit else { break }
        last = part[part.count - 1].id.value
      }
    }
    return found
  }

  /// Returns the first entities of some types, by type and id, whose keys are in a set.
  @concurrent private func entities(
    in keys: KeySet, types: [EntityType], limit: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityValue] {
    if let count = keys.count, count <= Self.sortedLimit {
      let ids = try ids(keys: keys.keys(in: 0..<lastKey + 1))
      let sorted = ids.filter { types.contains($0.value.type) }.sorted { $0.value < $1.value }
      return try values(of: sorted.prefix(limit).map(\.key), shouldStop)
    }
    var found: [UInt32] = []
    var length = limit
    for type in types {
      var last = ""
      while found.count < limit {
        let current = length
        let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          try database.entities.ids(of: type, after: last, limit: current)
        }
        found += part.lazy.map(\.key).filter(keys.contains).prefix(limit - found.count)
        guard part.count == length else { break }
        last = part[part.count - 1].id.value
        length = Self.longer(length)
        try await rest(shouldStop)
      }
    }
    return try values(of: found, shouldStop)
  }

  /// Returns the length of the part behind one that did not suffice.
  private static func longer(_ length: Int) -> Int { min(4 * length, partLength) }

  /// The first entities of some types behind a key, by key, that a filter lets through; and the key of the last of them
  /// if there are more.
  ///
  /// - Parameter bound: The greatest key.
  @concurrent package func page(
    behind key: UInt32, through bound: UInt32, types: [EntityType], filter: EntityFilter,
    limit: Int, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> (values: [EntityValue], last: UInt32?) {
    if types.isEmpty { return ([], nil) }
    let type = types.count == 1 ? types[0] : nil
    let kept =
      filter.labels.isEmpty
      ? keptKeys(of: .filter(filter)) : try await keys(matching: filter, shouldStop: shouldStop)
    let conditions = kept == nil ? try checkedConditions(of: filter) : []
    var found: [UInt32] = []
    var last = key
    var length = limit + 1
    while found.count <= limit {
      let (current, after) = (length, last)
      let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try database.entities.keys(of: type, after: after, through: bound, limit: current)
      }
      // Keys of a page lie together, so the values of the properties are read in sequence.
      var accepted = kept ?? .all
      if kept == nil, !conditions.isEmpty {
        accepted = try await keys(
          matching: conditions, filter.mode, within: KeySet(part), shouldStop)
      }
      found += part.lazy.filter(accepted.contains).prefix(limit + 1 - found.count)
      guard part.count == length, let next = part.last else { break }
      last = next
      length = Self.longer(length)
      try await rest(shouldStop)
    }
    let page = Array(found.prefix(limit))
    return (try values(of: page, shouldStop), found.count > limit ? page.last : nil)
  }

  /// Returns the first entities of some types, in a given order, whose keys are in a set.
  @concurrent package func entities(
    in keys: KeySet, types: [EntityType], sortedBy sorts: [EntitySort], limit: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityValue] {
    if types.isEmpty { return [] }
    var wanted = keys
    if types.count < EntityType.allCases.count {
      for type in types {
        wanted = wanted.intersection(try await self.keys(of: type, shouldStop: shouldStop))
      }
    }
    var best = BestEntities(sorts: sorts, limit: limit)
    var columns: [Int?] = []
    for sort in sorts {
      let name = try sort.property.storedName(isSort: true)
      columns.append(
        try read { database throws(CatalogueError) in try database.properties.number(of: name) })
    }
    for start in stride(from: 0, through: lastKey, by: Int(Self.sortedPart)) {
      let range = start..<min(start + Self.sortedPart, lastKey + 1)
      try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try database.properties.offer(wanted, in: range, columns: columns, to: &best)
      }
      try await rest(shouldStop)
    }
    return try values(of: best.sorted.map(\.key), shouldStop)
  }

  /// Returns the featured entities, then the available ones, one of each group, in catalogue order.
  @concurrent package func suggestedEntities(
    types: [EntityType], limit: Int, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityValue] {
    var found: [UInt32] = []
    var groups: Set<String> = []
    for rank in EntityValue.suggestionRanks where found.count < limit {
      var ranked: [UInt32] = []
      for type in types {
        ranked += try await suggestions(
          of: type, rank: rank, limit: limit - found.count, groups: &groups, shouldStop)
      }
      found += ranked.sorted().prefix(limit - found.count)
    }
    return try values(of: found, shouldStop)
  }

  @concurrent private func suggestions(
    of type: EntityType, rank: Int, limit: Int, groups: inout Set<String>,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [UInt32] {
    var found: [UInt32] = []
    var last: UInt32 = 0
    var length = 4 * limit
    while found.count < limit {
      let current = length
      let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try database.entities.suggestions(of: type, rank: rank, after: last, limit: current)
      }
      for (key, group) in part where found.count < limit {
        if group.map({ groups.insert($0).inserted }) ?? true { found.append(key) }
      }
      guard part.count == length else { break }
      last = part[part.count - 1].key
      length = Self.longer(length)
      try await rest(shouldStop)
    }
    return found
  }

  /// Returns the entities that contain all words, the best first, ties by type and id, followed by those
  /// that contain similar words.
  @concurrent package func entities(
    withWords words: [String], in texts: TextIndex.Texts = .all, types: [EntityType], limit: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityValue] {
    let exact = words.map { [$0] }
    var found = try await keys(
      withWords: exact, in: texts, without: [], types, limit: limit, shouldStop)
    guard found.count < limit else { return try values(of: found, shouldStop) }
    // If the catalogue has a word, it is probably not mistyped. Similar words are tried for it only
    // if there are still too few results.
    var (unknown, all) = (exact, exact)
    for (number, word) in words.enumerated() {
      let (near, isKnown) = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        (try database.text.words(near: word), try database.text.hasWord(word))
      }
      all[number] += near
      if !isKnown { unknown[number] += near }
      try await rest(shouldStop)
    }
    for forms in [unknown, all] where forms != exact && found.count < limit {
      found += try await keys(
        withWords: forms, in: texts, without: Set(found), types, limit: limit - found.count,
        shouldStop)
    }
    return try values(of: found, shouldStop)
  }

  /// Returns the keys of the entities whose titles, subtitles, brands and other names contain all words, or, if there are none, of those
  /// that contain similar ones in place of unknown words; the best first.
  @concurrent package func keys(
    namedBy words: [String], types: [EntityType], limit: Int,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [UInt32] {
    let exact = words.map { [$0] }
    let found = try await keys(
      withWords: exact, in: .names, without: [], types, limit: limit, shouldStop)
    if !found.isEmpty { return found }
    let forms = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      var forms = exact
      for (number, word) in words.enumerated() where try !database.text.hasWord(word) {
        forms[number] += try database.text.words(near: word)
      }
      return forms
    }
    try await rest(shouldStop)
    if forms == exact { return [] }
    return try await keys(
      withWords: forms, in: .names, without: [], types, limit: limit, shouldStop)
  }

  /// The keys of the entities that have one form of each word, the best first, ties by type and id.
  @concurrent private func keys(
    withWords forms: [[String]], in texts: TextIndex.Texts, without known: Set<UInt32>,
    _ types: [EntityType], limit: Int, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [UInt32] {
    let restriction = typeRestriction(types)
    let hits = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      try database.text.hits(
        ofWords: forms, in: texts, restriction, limit: Self.scoredHits)
    }.filter { !known.contains($0.key) }.sorted { $0.score < $1.score }
    try await rest(shouldStop)
    guard let worst = hits.prefix(limit).last?.score else { return [] }
    let scores = Dictionary(
      uniqueKeysWithValues: hits.prefix { $0.score <= worst }.map { ($0.key, $0.score) })
    let ids = try ids(keys: scores.keys.sorted())
    let best = ids.sorted { a, b in
      scores[a.key] == scores[b.key] ? a.value < b.value : scores[a.key]! < scores[b.key]!
    }
    return best.prefix(limit).map(\.key)
  }

  /// Returns the restriction to some types that names the fewest entities, or `nil` if all types are
  /// wanted.
  private func typeRestriction(_ types: [EntityType]) -> TextIndex.TypeRestriction? {
    guard types.count == 1, let other = EntityType.allCases.first(where: { $0 != types[0] }) else {
      return nil
    }
    return entityCount(of: types[0]) <= entityCount(of: other) ? .only(types[0]) : .without(other)
  }

  /// Returns the entities of some keys, in the order of the keys.
  private func values(
    of keys: [UInt32], _ shouldStop: @escaping @Sendable () -> Bool
  ) throws(CatalogueError) -> [EntityValue] {
    let values = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      try database.entities.values(ofKeys: keys)
    }
    return keys.compactMap { values[$0] }
  }
}

/// A bounded list of the first entities in an order.
struct BestEntities {
  let sorts: [EntitySort]
  let limit: Int
  private var entities: [SortedEntity] = []
  /// The last entity that is certain to be in the result, once the list is full.
  private(set) var last: SortedEntity?

  init(sorts: [EntitySort], limit: Int) {
    self.sorts = sorts
    self.limit = limit
  }

  /// The first entities, in their order.
  var sorted: [SortedEntity] {
    Array(entities.sorted { $0.precedes($1, sorts) }.prefix(limit))
  }

  /// Adds an entity, which is dropped if enough entities precede it.
  mutating func offer(_ entity: SortedEntity) {
    if let last, !entity.precedes(last, sorts) { return }
    entities.append(entity)
    if entities.count >= 2 * limit + 1024 { prune() }
  }

  /// Drops all but the first entities.
  mutating func prune() {
    entities = sorted
    last = entities.count == limit ? entities.last : nil
  }
}

extension PropertyIndex {
  /// Adds the wanted entities in a range of keys, with their sort values.
  fileprivate func offer(
    _ wanted: KeySet, in range: Range<UInt32>, columns: [Int?], to best: inout BestEntities
  ) throws(CatalogueError) {
    // Once the list is full, only entities that precede the last one matter.
    let bound = best.sorts.first.flatMap { sort in
      best.last?.values[0].map { (value: $0, order: sort.order) }
    }
    var values: [[UInt32: SortValue]] = []
    if let first = columns.first {
      values.append(
        try first.map { column throws(CatalogueError) in
          try self.values(of: column, in: range, upTo: bound)
        } ?? [:])
    }
    let keys =
      bound == nil
      ? wanted.keys(in: range) : values[0].keys.filter(wanted.contains).sorted()
    for column in columns.dropFirst() {
      values.append(
        try column.map { column throws(CatalogueError) in
          try self.values(of: column, keys: keys)
        } ?? [:])
    }
    let ids = try identities(of: keys)
    for key in keys {
      guard let id = ids[key] else { continue }
      best.offer(SortedEntity(key: key, id: id, values: values.map { $0[key] }))
    }
    best.prune()
  }
}

extension EntityValue {
  /// The ranks of suggestions, the best first.
  static let suggestionRanks = 0..<4

  /// The rank among suggestions: featured entities first, then available ones.
  var suggestionRank: Int {
    var isAvailable = true
    if case .product(let product) = self {
      isAvailable = (product.availability ?? .inStock) == .inStock
    }
    return (text.isFeatured ? 0 : 2) + (isAvailable ? 0 : 1)
  }
}
