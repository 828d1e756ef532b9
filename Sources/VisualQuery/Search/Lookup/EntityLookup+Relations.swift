/// The relations of entities that the shop's feed brings.
extension EntityLookup {
  /// Returns the entities that an entity names in fields such as `crossSell` or `completeTheLook`, in the order of the feed, or `nil`
  /// if the entity is unknown. Those that the catalogue lacks are left out. The id of a group stands for its first variant.
  ///
  /// - Parameters:
  ///   - limit: The most entities.
  ///   - filter: The conditions that they must meet.
  /// - Throws: ``MatchError`` with the code `invalidFilter`; ``CatalogueError``.
  package func related(
    to id: EntityID, by relation: EntityRelation, limit: Int, filter: EntityFilter = EntityFilter()
  ) async throws -> [EntityValue]? {
    try fields.check(filter)
    return try await run { stop in
      guard let key = try catalogue.key(of: id),
        let value = try catalogue.entities(keys: [key])[key]
      else { return nil }
      let names = relation.ids(of: value)
      let ids = names.map { EntityID(type: .product, value: $0) }
      let keysByID = try catalogue.keys(of: ids)
      let allowed = try await catalogue.keys(matching: filter, shouldStop: stop)
      var keys: [UInt32] = []
      var seen: Set<UInt32> = [key]
      for id in ids where keys.count < limit {
        let found = try keysByID[id] ?? firstVariant(ofGroup: id.value)
        if let found, allowed.contains(found), seen.insert(found).inserted { keys.append(found) }
      }
      let values = try catalogue.entities(keys: keys)
      return keys.compactMap { values[$0] }
    }
  }

  private func firstVariant(ofGroup group: String) throws -> UInt32? {
    try catalogue.read { database throws(CatalogueError) in
      try database.properties.keys(ofGroup: group, limit: 1)
    }.first
  }
}
