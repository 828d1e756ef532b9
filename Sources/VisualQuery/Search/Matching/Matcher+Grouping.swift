/// The cards of a grouped answer.
extension Matcher {
  /// Returns the groups of a list.
  func groups(of continuation: Continuation) throws -> VariantGroups {
    let keys = continuation.entries.filter { $0.scored.type == .product }.map(\.scored.key)
    return VariantGroups(
      continuation.entries,
      groupsByKey: try catalogue.read { database throws(CatalogueError) in
        try database.properties.groups(ofKeys: keys)
      })
  }

  /// Returns the variants beneath the entry at an index.
  ///
  /// Variants that were not found are left out if products are filtered, since it is not known whether
  /// they would pass.
  ///
  /// - Parameter isLeftOut: Returns whether an entity is not shown.
  func variants(
    beneath index: Int, of groups: VariantGroups, in continuation: Continuation,
    _ options: MatchOptions, isLeftOut: (UInt32) -> Bool
  ) throws -> [MatchVariant] {
    guard let group = groups.group(of: index) else { return [] }
    let entries = continuation.entries
    let limit = VariantGroups.variantLimit
    let found = groups.others(than: index).map { entries[$0].scored }
      .filter { !isLeftOut($0.key) }.prefix(limit)
    var keys = found.map(\.key)
    if options.filters[.product]?.isEmpty ?? true {
      let known = Set(keys + [entries[index].scored.key])
      let others = try catalogue.read { database throws(CatalogueError) in
        try database.properties.keys(ofGroup: group, limit: known.count + limit)
      }
      keys += others.filter { !known.contains($0) && !isLeftOut($0) }.prefix(
        limit - keys.count)
    }
    let values = try catalogue.entities(keys: keys)
    let confidences = Dictionary(found.map { ($0.key, $0.confidence) }) { first, _ in first }
    return keys.compactMap { key in
      values[key].map { value in
        MatchVariant(
          value: value, confidence: confidences[key],
          display: value.displayRepresentation(for: options.locale),
          handoff: catalogue.links.handoff(for: value))
      }
    }
  }
}
