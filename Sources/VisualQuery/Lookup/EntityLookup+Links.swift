extension EntityLookup {
  /// Returns the entity that a link opens: the one with this URL, or the one for which the shop's template gives it. Without
  /// a match, the link is looked up again without its query and fragment, which marketing adds.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n*) for *n* entities with a URL of their own.
  public func entity(forLink link: String) async throws -> EntityValue? {
    let bare = String(link.prefix { $0 != "?" && $0 != "#" })
    for candidate in bare == link ? [link] : [link, bare] {
      let condition = EntityComparator(EntityProperty("url"), .equalTo(.text(candidate)))
      if let own = try await entities(matching: [condition], limit: 1).first { return own }
      let named = EntityType.allCases.compactMap { type in
        catalogue.links.templates[type]?.value(of: "id", in: candidate)
          .map { EntityID(type: type, value: $0) }
      }
      if let found = try await entities(for: named).first(where: {
        catalogue.links.handoff(for: $0).url == candidate
      }) {
        return found
      }
    }
    return nil
  }
}
