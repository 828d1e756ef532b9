extension Catalogue {
  /// A field of a link template that no entity of its type has, so that every link lacks it.
  package struct AbsentLinkField: Sendable, Hashable {
    /// The type.
    package let type: EntityType
    /// The name in the template.
    package let name: String
    /// The nearest name that entities of the type have, or `nil` if none is near.
    package let nearest: String?
  }

  /// Returns the fields of link templates that no entity of their type has. A type without entities has none of them.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n* + number of names) for each such field, where *n* entities have the type.
  package func absentFields(of links: LinkSettings) throws(CatalogueError) -> [AbsentLinkField] {
    var absent: [AbsentLinkField] = []
    for type in EntityType.allCases where entityCount(of: type) > 0 {
      for name in links.templates[type]?.names ?? [] {
        let found = try read { database throws(CatalogueError) -> AbsentLinkField? in
          guard try !database.hasProperty(named: name, type) else { return nil }
          let nearest = try database.nearestProperty(to: name, type)
          return AbsentLinkField(type: type, name: name, nearest: nearest)
        }
        if let found { absent.append(found) }
      }
    }
    return absent
  }
}

extension CatalogueDatabase {
  private static let fieldsOfOtherTypes: [EntityType: Set<String>] = [
    .product: ["address", "timeZone", "latitude", "longitude", "openingHours", "stock"],
    .store: ["group", "brand", "availability", "currency", "price"],
  ]

  /// The most names of properties that are compared with a mistyped one, and that are then looked up.
  private static let (nameLimit, lookupLimit) = (10_000, 8)

  /// Returns the nearest name of a field that an entity of a type has.
  fileprivate func nearestProperty(
    to name: String, _ type: EntityType
  ) throws(CatalogueError) -> String? {
    var others = try propertyNames(limit: Self.nameLimit)
      .map { EntityProperty.extraName($0) ?? $0 }
      .filter { $0 != name }
    for _ in 0..<Self.lookupLimit {
      guard let nearest = Suggestion.nearest(to: name, among: others) else { return nil }
      if try hasProperty(named: nearest, type) { return nearest }
      others.removeAll { $0 == nearest }
    }
    return nil
  }

  /// Returns whether an entity of a type has a field, by its name in ``EntityValue/flatStrings(for:)``.
  fileprivate func hasProperty(
    named name: String, _ type: EntityType
  ) throws(CatalogueError) -> Bool {
    if ["images", "localized", "featured"].contains(name) { return false }
    let property = EntityProperty(name == "geo" ? "latitude" : name)
    // A field of the shop's own that has the name of another type's, or that filters cannot name, is not in the table.
    guard !Self.fieldsOfOtherTypes[type]!.contains(name),
      let stored = try? property.storedName(isSort: false)
    else { return true }
    guard let number = try propertyNumber(stored) else { return false }
    return try connection.first(
      """
      SELECT 1 FROM entities WHERE type = ?
        AND EXISTS (SELECT 1 FROM properties WHERE property = ? AND entity = key) LIMIT 1
      """, [.text(type.rawValue), .integer(number)]
    ) { _ in true } ?? false
  }
}
