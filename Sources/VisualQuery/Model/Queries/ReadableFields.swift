/// The fields of entities that a question may look at.
///
/// What is found, ordered or counted by a field tells its values, so a question of a stranger looks at public fields only. `Matcher` and
/// `EntityLookup` check every question by this type, whatever door it came through.
package struct ReadableFields: Sendable, Hashable {
  /// A way in which a question looks at a field.
  package enum Use: Sendable, Hashable, CaseIterable {
    /// Entities are found by its values.
    case filter
    /// Entities are ordered by its values.
    case sort
    /// Its values are counted.
    case facet
    /// Words are looked for in it.
    case words
  }

  /// The fields of the shop's own that anyone may see.
  package let shown: Set<String>
  /// True if the fields that the shop did not make public may be looked at, too.
  package let includesPrivate: Bool

  /// Names the fields that a question may look at.
  package init(shown: Set<String>, includesPrivate: Bool) {
    (self.shown, self.includesPrivate) = (shown, includesPrivate)
  }

  /// The standard properties that have facets. Those with a value of their own for each entity have none, and a stock list is
  /// not public.
  private static let counted: Set<String> = [
    "type", "brand", "group", "availability", "currency", "price", "labels", "timeZone",
  ]

  /// Returns whether a question may look at a property in a way.
  package func allows(_ property: EntityProperty, for use: Use) -> Bool {
    if shown.contains(property.name) { return true }
    guard property.isStandard else { return includesPrivate }
    return switch use {
    case .filter: includesPrivate || property.name != "images"
    case .sort: includesPrivate || !property.isList
    case .facet: Self.counted.contains(property.name)
    case .words: true
    }
  }

  // MARK: Checks

  /// Checks the properties that a question names (``Question/fields``).
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  package func check(_ question: Question) throws(MatchError) {
    for field in Question.fields {
      for case .named(let use, let properties) in field.looksAt {
        try check(properties(question), for: use)
      }
    }
  }

  /// Checks the properties of a filter.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  package func check(_ filter: EntityFilter) throws(MatchError) {
    try check(filter.comparators.map(\.property), for: .filter)
  }

  /// Checks the properties that entities are sorted by.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  package func check(_ sorts: [EntitySort]) throws(MatchError) {
    try check(sorts.map(\.property), for: .sort)
  }

  /// Checks the properties whose values are counted.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  package func check(_ facets: FacetQuestion) throws(MatchError) {
    try check(facets.properties, for: .facet)
  }

  private func check(_ properties: [EntityProperty], for use: Use) throws(MatchError) {
    guard let name = properties.first(where: { !allows($0, for: use) })?.name else { return }
    let quoted = "'\(name.unicodeScalars.count > 64 ? String(name.prefix(64)) + "…" : name)'"
    guard use != .facet else {
      let names = Self.counted.union(shown).sorted().joined(separator: ", ")
      throw MatchError(
        code: .invalidFilter, message: "\(quoted) has no facet in this shop; there are \(names)",
        field: Question.facets.name)
    }
    let nearest = Suggestion.nearest(
      to: name,
      among: (EntityProperty.standardNames + shown.sorted()).filter {
        allows(EntityProperty($0), for: use)
      })
    throw MatchError(
      code: .invalidFilter,
      message: "\(quoted) is not a public property of this shop"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }
}

extension Question {
  /// A part of entities that a field of a question looks at.
  package enum Look: Sendable {
    /// Images, and what was computed from them.
    case images
    /// Standard fields, which anyone may see.
    case standard
    /// The words of standard fields, and of those of the shop's own that may be looked at (``ReadableFields/Use/words``).
    case words
    /// What is printed on a thing for everybody who holds it: its product codes, and its text. Feeds have it in fields of the shop's own, which
    /// need not be public.
    case printed
    /// The properties that the question names, which ``ReadableFields`` must allow.
    case named(ReadableFields.Use, @Sendable (Question) -> [EntityProperty])
  }
}
