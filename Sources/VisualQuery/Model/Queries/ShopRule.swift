#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A decision of the shop about what answers show: it pins, hides or boosts some entities in some queries.
///
/// A rule changes neither a confidence nor which answers are sure. Pins and boosts order what an answer has anyway, each type by
/// itself, and leave the surest match of each thing in the image in its place.
package struct ShopRule: Sendable, Hashable {
  /// The effect on the entities of a rule.
  package enum Effect: Sendable, Hashable {
    /// They come first.
    case pin
    /// They are left out.
    case hide
    /// They are ordered by the product of their confidence and a factor.
    case boost(Boost)
  }

  /// The factor of a rule that boosts.
  package struct Boost: Sendable, Hashable {
    /// The factor, ``ShopRule/factors``; below 1 entities move back.
    package let factor: Double
    /// The numeric field by which the factor grows from 1 to ``factor``, or `nil` if it is the same for all.
    package let field: String?
    /// The values of the field between which the factor grows.
    package let range: ClosedRange<Double>
  }

  /// A date field that tells new arrivals.
  package struct Arrival: Sendable, Hashable {
    /// The field, with dates such as `2026-11-02` or `2026-11-02T10:00:00Z`.
    package let field: String
    /// The days since then for which an entity is new.
    package let days: Int
  }

  /// The queries that a rule is for. An empty list is for all of them.
  package struct Scope: Sendable, Hashable {
    /// The labels of which the query must have one, in the words of the shop or of the person.
    package let labels: [String]
    /// The categories: the surest match must have one as a label, or in its field `category` or `productType`.
    package let categories: [String]
    /// The pages of the app of which the query must come from one (``MatchOptions/appPage``).
    package let pages: [String]
    /// The BCP 47 tags; `de` also stands for `de-AT`.
    package let languages: [String]
  }

  /// The accepted factors.
  package static let factors = 0.1...10.0
  /// The most characters of a name.
  package static let nameLength = 100
  /// The most entities, and the most words of a list.
  package static let entityLimit = 1000

  /// The name, by which explanations call the rule.
  package let name: String
  /// True if the rule is kept, but has no effect.
  package let isOff: Bool
  /// The effect.
  package let effect: Effect
  /// The entities that are named, in the order in which they are pinned.
  package let entities: [EntityID]
  /// The entities that meet these conditions belong to the rule, too; `nil` if there are none.
  package let filter: EntityFilter?
  /// The date field by which entities must be new, or `nil`.
  package let arrival: Arrival?
  /// The queries that it is for.
  package let scope: Scope
  /// The first instant at which it holds, or `nil` for any.
  package let start: Date?
  /// The instant from which on it no longer holds, or `nil` for none.
  package let end: Date?
  /// The JSON form.
  package let json: JSONValue

  /// Returns whether the rule holds at an instant.
  package func holds(at date: Date) -> Bool {
    !isOff && (start.map { $0 <= date } ?? true) && (end.map { date < $0 } ?? true)
  }

  /// Returns whether the rule is for queries in a language.
  package func isFor(language: String?) -> Bool {
    if scope.languages.isEmpty { return true }
    guard let language = language?.lowercased() else { return false }
    return scope.languages.map { $0.lowercased() }
      .contains { language == $0 || language.hasPrefix($0 + "-") }
  }

  /// Returns whether the rule is for queries of a page of the app.
  package func isFor(page: String?) -> Bool {
    scope.pages.isEmpty || page.map(scope.pages.contains) ?? false
  }

  /// The filter with the condition on new arrivals at an instant, or `nil` if neither is asked for.
  package func filter(at date: Date) -> EntityFilter? {
    guard let arrival else { return filter }
    let first = date.addingTimeInterval(-86_400 * Double(arrival.days))
    let day = first.formatted(Date.ISO8601FormatStyle().year().month().day())
    var filter = filter ?? EntityFilter()
    filter.comparators.append(
      EntityComparator(EntityProperty(arrival.field), .greaterThanOrEqualTo(.text(day))))
    return filter
  }
}

/// The rules of a shop, in the order in which they count.
public struct ShopRules: Sendable, Hashable {
  /// The most rules.
  package static let countLimit = 100
  /// The most bytes of their JSON form.
  package static let byteLimit = 262_144

  /// The rules.
  package let rules: [ShopRule]

  /// Makes a list without rules.
  package init() { rules = [] }

  /// The JSON form: `{"rules":[…]}`.
  package var json: JSONValue { .object(["rules": .array(rules.map(\.json))]) }

  /// The JSON form as text.
  package var text: String { json.text }

  /// Returns the rules without those of some names.
  package func without(_ names: Set<String>) -> ShopRules {
    ShopRules(rules.filter { !names.contains($0.name) })
  }

  private init(_ rules: [ShopRule]) { self.rules = rules }

  /// Reads the JSON form.
  ///
  /// - Throws: ``FieldError`` with the field and the reason.
  public init(json: JSONValue) throws(FieldError) {
    guard case .object(let object) = json, case .array(let values)? = object["rules"] else {
      throw FieldError(
        field: "rules", reason: #"is not there; expected {"rules":[…]}, a list of rules"#)
    }
    if let other = object.keys.filter({ $0 != "rules" }).min() {
      throw FieldError(field: other, reason: "is not known; expected only 'rules'")
    }
    guard values.count <= Self.countLimit else {
      throw FieldError(
        field: "rules", reason: "has \(values.count) rules; the limit is \(Self.countLimit)")
    }
    var rules: [ShopRule] = []
    var names: Set<String> = []
    for (index, value) in values.enumerated() {
      let rule: ShopRule
      do throws(FieldError) {
        rule = try ShopRule(json: value)
      } catch {
        throw error.within("rules[\(index)]")
      }
      guard names.insert(rule.name).inserted else {
        throw FieldError(
          field: "rules[\(index)].name", reason: "is that of another rule; each has its own")
      }
      rules.append(rule)
    }
    self.init(rules)
    let byteCount = text.utf8.count
    guard byteCount <= Self.byteLimit else {
      throw FieldError(
        field: "rules", reason: "has \(byteCount) bytes; the limit is \(Self.byteLimit)")
    }
  }
}
