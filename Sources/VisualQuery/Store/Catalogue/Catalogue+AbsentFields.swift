/// Names of fields in settings that are probably mistyped, since no entity has them.
extension Catalogue {
  /// A name that no entity has as a field.
  package struct AbsentField: Sendable, Hashable {
    /// The type whose link template has the name, or `nil` if it is that of a public field.
    package let type: EntityType?
    /// The name.
    package let name: String
    /// The nearest name that these entities have, or `nil` if none is near.
    package let nearest: String?
  }

  /// Returns the fields of link templates that no entity of their type has, and the public fields that no entity has. A type without
  /// entities lacks none.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n* + number of names) for each such field, where *n* entities have the type.
  package func absentFields(of settings: ShopSettings) throws(CatalogueError) -> [AbsentField] {
    let types = EntityType.allCases.filter { entityCount(of: $0) > 0 }
    var absent: [AbsentField] = []
    for type in types {
      for name in settings.links?.templates[type]?.names ?? [] {
        if let field = try absentField(name, of: [type], inLinksOf: type) { absent.append(field) }
      }
    }
    if types.isEmpty { return absent }
    for name in settings.publicFields?.sorted() ?? [] {
      if let field = try absentField(name, of: types) { absent.append(field) }
    }
    return absent
  }

  private func absentField(
    _ name: String, of types: [EntityType], inLinksOf type: EntityType? = nil
  ) throws(CatalogueError) -> AbsentField? {
    try read { database throws(CatalogueError) in
      if try database.properties.hasProperty(named: name, types) { return nil }
      let nearest = try database.properties.nearestProperty(to: name, types)
      return AbsentField(type: type, name: name, nearest: nearest)
    }
  }
}

extension PropertyIndex {
  private static let fieldsOfOtherTypes: [EntityType: Set<String>] = [
    .product: ["address", "timeZone", "latitude", "longitude", "openingHours", "stock"],
    .store: ["group", "brand", "availability", "currency", "price"],
  ]

  /// The most names of properties that are compared with a mistyped one, and that are then looked up.
  private static let (nameLimit, lookupLimit) = (10_000, 8)

  /// Returns the nearest name of a field that an entity of some types has.
  fileprivate func nearestProperty(
    to name: String, _ types: [EntityType]
  ) throws(CatalogueError) -> String? {
    var others = try names(limit: Self.nameLimit)
      .map { EntityProperty.extraName($0) ?? $0 }
      .filter { $0 != name }
    for _ in 0..<Self.lookupLimit {
      guard let nearest = Suggestion.nearest(to: name, among: others) else { return nil }
      if try hasProperty(named: nearest, types) { return nearest }
      others.removeAll { $0 == nearest }
    }
    return nil
  }

  /// Returns whether an entity of some types has a field, by its name in ``EntityValue/flatStrings(for:)``.
  fileprivate func hasProperty(
    named name: String, _ types: [EntityType]
  ) throws(CatalogueError) -> Bool {
    for type in types where try hasProperty(named: name, type) { return true }
    return false
  }

  private func hasProperty(
    named name: String, _ type: EntityType
  ) throws(CatalogueError) -> Bool {
    if ["images", "localized", "featured"].contains(name) { return false }
    let property = EntityProperty(name == "geo" ? "latitude" : name)
    // Fields that have the name of a field of another type, and those whose name cannot be used in
    // a filter, are not in the table of properties. They are assumed to exist.
    guard !Self.fieldsOfOtherTypes[type]!.contains(name),
      let stored = try? property.storedName(isSort: false)
    else { return true }
    guard let number = try number(of: stored) else { return false }
    return try hasValue(of: number, type)
  }
}
