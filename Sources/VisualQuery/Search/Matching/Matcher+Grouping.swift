/// The cards of an answer.
extension Matcher {
  /// Returns the groups of a list: those of variants if the question asks for them, otherwise those of variants with one image, such as
  /// the sizes of a shirt.
  func groups(of continuation: Continuation, _ options: MatchOptions) throws -> VariantGroups {
    let keys = continuation.entries.filter { $0.scored.type == .product }.map(\.scored.key)
    if keys.count < 2, !options.isGrouped {
      return VariantGroups(continuation.entries, cardsByKey: [:])
    }
    return VariantGroups(
      continuation.entries,
      cardsByKey: try catalogue.read { database throws(CatalogueError) in
        try cards(ofKeys: keys, options, database)
      })
  }

  /// Returns the cards of those products that may share one: variants of the same group and, unless the question asks for groups, with
  /// the same first image.
  private func cards(
    ofKeys keys: [UInt32], _ options: MatchOptions, _ database: CatalogueTables
  ) throws(CatalogueError) -> [UInt32: VariantGroups.Card] {
    let groups = try database.properties.groups(ofKeys: keys)
    if options.isGrouped { return groups.mapValues { VariantGroups.Card(group: $0) } }
    var counts: [String: Int] = [:]
    for group in groups.values { counts[group, default: 0] += 1 }
    let shared = keys.filter { key in groups[key].flatMap { counts[$0] } ?? 0 > 1 }
    let images = try database.firstImages(ofKeys: shared)
    var cards: [UInt32: VariantGroups.Card] = [:]
    for (key, image) in images {
      if let group = groups[key] { cards[key] = VariantGroups.Card(group: group, image: image) }
    }
    return cards
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
    guard let card = groups.card(of: index) else { return [] }
    let entries = continuation.entries
    let limit = VariantGroups.variantLimit
    let found = groups.others(than: index).map { entries[$0].scored }
      .filter { !isLeftOut($0.key) }.prefix(limit)
    var keys = found.map(\.key)
    if options.filters[.product]?.isEmpty ?? true {
      let known = Set(keys + [entries[index].scored.key])
      let others = try catalogue.read { database throws(CatalogueError) in
        let keys = try database.properties.keys(ofGroup: card.group, limit: known.count + limit)
        guard let image = card.image else { return keys }
        let images = try database.firstImages(ofKeys: keys)
        return keys.filter { images[$0] == image }
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

extension CatalogueTables {
  /// Returns a text that the first images of some entities have in common if they are one image: that of the content, or the name of
  /// one that is not indexed.
  fileprivate func firstImages(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: String] {
    let contents = try images.contents(ofKeys: keys)
    return try properties.texts(of: "images", ofKeys: keys.filter { contents[$0] == nil })
      .merging(contents) { _, content in content }
  }
}
