/// Searches in parts, between which other tasks can use the thread and the connection.
///
/// All of them throw ``CatalogueError`` with the code `timedOut` once `shouldStop` returns `true`.
extension Catalogue {
  /// The number of keys in a part, which takes a few milliseconds at most.
  package static let partLength = 32_768
  /// The largest number of keys that are looked up one by one.
  static let sparseLimit = 256

  /// Returns the fields that a question may look at.
  package func fields(forStrangers: Bool) -> ReadableFields {
    ReadableFields(shown: publicFields, includesPrivate: !forStrangers)
  }

  /// Returns the keys of the entities that a filter accepts, and keeps them for the next question.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``.
  /// - Complexity: O(*n*) for each property in the filter, where *n* entities have it; O(1) if the keys
  ///   are kept.
  @concurrent package func keys(
    matching filter: EntityFilter, shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> KeySet {
    if let kept = keptKeys(of: .filter(filter)) { return kept }
    let conditions = try checkedConditions(of: filter)
    var result = KeySet.all
    if !filter.labels.isEmpty {
      var labelled = KeySet()
      for label in Set(filter.labels.map(LabelText.normalized)).sorted() where !label.isEmpty {
        try await insertKeys(withLabel: label, into: &labelled, shouldStop)
      }
      result = labelled
    }
    result = try await keys(matching: conditions, filter.mode, within: result, shouldStop)
    keep(result, of: .filter(filter))
    return result
  }

  /// Returns the keys of a set whose entities meet some conditions.
  @concurrent package func keys(
    matching conditions: [PropertyCondition], _ mode: ComparatorMode, within wanted: KeySet,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> KeySet {
    var result = wanted
    var any = KeySet()
    for condition in conditions {
      let keys = try await keys(matching: condition, within: result, shouldStop)
      switch mode {
      case .and: result = result.intersection(keys)
      case .or: any = any.union(keys)
      }
    }
    return mode == .or && !conditions.isEmpty ? result.intersection(any) : result
  }

  /// Returns the conditions of a filter.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``.
  func checkedConditions(of filter: EntityFilter) throws -> [PropertyCondition] {
    let conditions = try filter.conditions()
    for condition in conditions { try checkProperty(of: condition) }
    return conditions
  }

  /// Names of properties among which the nearest is looked for.
  private static let nameLimit = 10_000

  /// Rejects a field of the shop's own that no entity has, unless there is no entity.
  private func checkProperty(of condition: PropertyCondition) throws {
    try checkProperty(condition.property)
  }

  /// Rejects the stored name of a field of the shop's own that no entity ever had, unless there is no entity. A field that the last entity
  /// lost is found nowhere: a filter that an app always sends does not become a mistake as soon as, say, nothing is on sale.
  func checkProperty(_ stored: String) throws {
    guard entityCount > 0, let name = EntityProperty.extraName(stored) else { return }
    let names = try read { database throws(CatalogueError) in
      try database.properties.number(of: stored) == nil
        ? try database.properties.names(limit: Self.nameLimit) : nil
    }
    if let names { throw EntityProperty.unknown(name, among: names) }
  }

  /// Returns the keys that a condition accepts; the result is undefined for keys outside `wanted`.
  @concurrent private func keys(
    matching condition: PropertyCondition, within wanted: KeySet,
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> KeySet {
    var found = KeySet()
    if let label = condition.label {
      for ranges in ranges(within: wanted) {
        try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          for range in ranges {
            try database.labels.insertKeys(with: label, in: range, into: &found)
          }
        }
        try await rest(shouldStop)
      }
      return condition.isNegated ? found.inverted : found
    }
    let property = try read { database throws(CatalogueError) in
      try database.properties.number(of: condition.property)
    }
    if let property, let sql = condition.sql {
      for ranges in ranges(within: wanted) {
        try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          for range in ranges {
            try database.properties.insertKeys(
              passing: (sql, condition.values), property: property, in: range, into: &found)
          }
        }
        try await rest(shouldStop)
      }
    }
    return condition.isNegated ? found.inverted : found
  }

  /// Returns the keys whose value of a property is one of some texts once blanks and hyphens are left out, with that text.
  @concurrent package func keys(
    withProperty property: Int, amongDigits texts: [String],
    _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws(CatalogueError) -> [(key: UInt32, digits: String)] {
    var found: [(key: UInt32, digits: String)] = []
    for part in parts {
      found += try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try database.properties.keys(with: property, amongDigits: texts, in: part)
      }
      try await rest(shouldStop)
    }
    return found
  }

  /// Returns the ranges of keys that contain `wanted`, or the keys themselves if there are few. Those of
  /// one list are read in one part.
  func ranges(within wanted: KeySet) -> [[Range<UInt32>]] {
    if let count = wanted.count, count <= Self.sparseLimit {
      return [wanted.keys(in: 0..<lastKey + 1).map { $0..<$0 + 1 }]
    }
    return parts.compactMap { part in wanted.bounds(in: part).map { [$0] } }
  }

  /// Returns the ranges of keys that are read in one part.
  private var parts: [Range<UInt32>] {
    stride(from: 0, through: lastKey, by: Self.partLength).map {
      $0..<min($0 + UInt32(Self.partLength), lastKey + 1)
    }
  }

  @concurrent private func insertKeys(
    withLabel label: String, into keys: inout KeySet, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws {
    for type in EntityType.allCases {
      var last: UInt32 = 0
      while true {
        let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          try database.labels.keys(
            with: label, type: type, after: last, limit: Self.partLength)
        }
        for key in part { keys.insert(key) }
        guard part.count == Self.partLength else { break }
        last = part[part.count - 1]
        try await rest(shouldStop)
      }
    }
  }

  /// Returns the keys of all entities of a type, by reading those of the less frequent type.
  @concurrent package func keys(
    of type: EntityType, shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> KeySet {
    if let kept = keptKeys(of: .type(type)) { return kept }
    let rarer: EntityType = entityCount(of: .product) < entityCount(of: .store) ? .product : .store
    var keys = KeySet()
    var last: UInt32 = 0
    while true {
      let part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
        try database.entities.keys(of: rarer, after: last, limit: Self.partLength)
      }
      for key in part { keys.insert(key) }
      guard part.count == Self.partLength else { break }
      last = part[part.count - 1]
      try await rest(shouldStop)
    }
    let result = type == rarer ? keys : keys.inverted
    keep(result, of: .type(type))
    return result
  }

  /// Returns the first entities of a type, by key, that have a normalized label and are wanted, and
  /// whether the list is complete. `shouldStop` is not checked before the end of the first part.
  @concurrent package func keys(
    withLabel label: String, type: EntityType, limit: Int,
    where isWanted: @Sendable (UInt32) -> Bool, shouldStop: @escaping @Sendable () -> Bool
  ) async throws(CatalogueError) -> (keys: [UInt32], isWhole: Bool) {
    var found: [UInt32] = []
    // Reads a short part first, because entities with a frequent label are already in it. The
    // following parts are longer.
    var part = try read { database throws(CatalogueError) in
      try database.labels.keys(with: label, type: type, after: 0, limit: limit)
    }
    var length = limit
    while true {
      found += part.lazy.filter(isWanted).prefix(limit - found.count)
      guard part.count == length, found.count < limit else { return (found, true) }
      let last = part[part.count - 1]
      length = Self.partLength
      do throws(CatalogueError) {
        try await rest(shouldStop)
        part = try read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
          try database.labels.keys(with: label, type: type, after: last, limit: length)
        }
      } catch {
        guard error.code == .timedOut else { throw error }
        return (found, false)
      }
    }
  }

  /// Lets other tasks run between two parts.
  @concurrent package func rest(_ shouldStop: () -> Bool) async throws(CatalogueError) {
    await Task.yield()
    if shouldStop() {
      throw CatalogueError(
        code: .timedOut,
        message: "the catalogue was not read before the deadline; ask for less, or allow more time")
    }
  }
}
