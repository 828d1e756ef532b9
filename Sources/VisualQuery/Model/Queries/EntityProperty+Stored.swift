// The kinds of properties (a field of every entity, a list, or a field of the shop's own) and their names in the
// database.

extension EntityProperty {
  /// The labels, which are compared in their normalized form.
  package static let labels: EntityProperty = "labels"
  static let lists: Set<String> = ["labels", "stock", "synonyms", "images", "openingHours"]
  /// The fields whose values are numbers.
  package static let numbers: Set<String> = ["price", "latitude", "longitude"]
  private static let fields: Set<String> = [
    "type", "id", "title", "subtitle", "brand", "group", "availability", "url", "address",
    "timeZone", "price", "currency", "latitude", "longitude",
  ]

  /// The names of all fields of ours, sorted.
  package static var standardNames: [String] { fields.union(lists).sorted() }

  /// True if it is a field of ours, whose values are those of every shop's entities.
  package var isStandard: Bool { Self.fields.contains(name) || isList }

  /// True if it is a standard field that holds text.
  package var isText: Bool { isStandard && !Self.numbers.contains(name) }

  /// True if it is a field of ours with several values.
  package var isList: Bool { Self.lists.contains(name) }

  /// Returns the name under which the values of a property are stored. A shop's own field has the
  /// prefix `extra.`, so that it cannot collide with a standard field.
  ///
  /// - Parameter isSort: True if the property is a sort key. Lists cannot be sorted by, so the name
  ///   of one then refers to a shop's own field.
  /// - Throws: ``MatchError`` with the code `invalidFilter` if no property can have this name.
  package func storedName(isSort: Bool) throws(MatchError) -> String {
    if Self.fields.contains(name) || !isSort && Self.lists.contains(name) { return name }
    guard let stored = Self.storedExtra(name) else {
      throw MatchError(
        code: .invalidFilter,
        message: """
          '\(name.prefix(64))' is not a property; names have at most 64 bytes, \
          and letters, digits and _ - . : only
          """)
    }
    return stored
  }

  /// The name of the field of the shop's own that is stored under a name, or `nil` for any other field.
  package static func extraName(_ stored: String) -> String? {
    stored.hasPrefix(extraPrefix) ? String(stored.dropFirst(extraPrefix.count)) : nil
  }

  private static let extraPrefix = "extra."

  /// Returns the error of a name that no entity has as a field.
  ///
  /// - Parameter stored: The names of the fields that entities have, as they are stored.
  package static func unknown(_ name: String, among stored: [String]) -> MatchError {
    let names = standardNames + stored.compactMap(extraName)
    let nearest = Suggestion.nearest(to: name, among: names)
    return MatchError(
      code: .invalidFilter,
      message: "no entity has a property '\(name)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  /// Returns the name under which a shop's own field is stored, or `nil` if a filter cannot name
  /// it.
  package static func storedExtra(_ name: String) -> String? {
    guard !name.isEmpty, name.utf8.count <= 64, !fields.contains(name),
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || ("0"..."9").contains($0)
          || "_-. :".unicodeScalars.contains($0)
      })
    else { return nil }
    return extraPrefix + name
  }
}
