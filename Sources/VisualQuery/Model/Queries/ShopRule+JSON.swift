#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension ShopRule {
  /// Reads the JSON form of a rule.
  ///
  /// - Throws: ``FieldError`` with the field and the reason.
  init(json: JSONValue) throws(FieldError) {
    var fields = try RuleFields(json, field: nil)
    name = try fields.text("name", length: Self.nameLength) ?? ""
    guard !name.isEmpty else { throw fields.missing("name", "a name for the rule") }
    isOff = try fields.flag("off") ?? false
    entities = try Self.entities(&fields)
    filter = try Self.filter(&fields)
    arrival = try Self.arrival(&fields)
    effect = try Self.effect(&fields)
    scope = try Self.scope(&fields)
    start = try fields.instant("from")
    end = try fields.instant("until")
    if let start, let end, end <= start {
      throw FieldError(field: "until", reason: "is not after 'from'")
    }
    try fields.finish()
    let isForAll = entities.isEmpty && filter == nil && arrival == nil
    if isForAll {
      var grows = false
      if case .boost(let boost) = effect { grows = boost.field != nil }
      guard grows else {
        throw FieldError(
          field: nil,
          reason:
            "names no entities; expected 'entities', 'where', 'withLabel' or 'newerThan'")
      }
    }
    self.json = json
  }

  private static func effect(_ fields: inout RuleFields) throws(FieldError) -> Effect {
    let word = try fields.text("do", length: 10)
    let factor = try fields.number("factor")
    let growth = try fields.object("by")
    if word != "boost" {
      for (name, isGiven) in [("factor", factor != nil), ("by", growth != nil)] where isGiven {
        throw FieldError(field: name, reason: #"has an effect only beside "do":"boost""#)
      }
    }
    switch word {
    case "pin": return .pin
    case "hide": return .hide
    case "boost": break
    default: throw fields.missing("do", "pin, hide or boost")
    }
    guard let factor, factors.contains(factor) else {
      throw fields.missing("factor", "a number in 0.1…10")
    }
    guard var growth else { return .boost(Boost(factor: factor, field: nil, range: 0...1)) }
    let field = try growth.field("field")
    let (from, to) = (try growth.number("from"), try growth.number("to"))
    guard let from, let to, from < to else {
      throw growth.missing("to", "a number above 'from'")
    }
    try growth.finish()
    return .boost(Boost(factor: factor, field: field, range: from...to))
  }

  private static func entities(_ fields: inout RuleFields) throws(FieldError) -> [EntityID] {
    var ids: [EntityID] = []
    for word in try fields.words("entities") {
      guard let type = EntityType.allCases.first(where: { word.hasPrefix("\($0.rawValue):") }),
        word.utf8.count > type.rawValue.utf8.count + 1
      else {
        throw FieldError(
          field: "entities",
          reason: "has '\(word.prefix(64))'; expected a type and an id, such as product:mug-red")
      }
      ids.append(EntityID(type: type, value: String(word.dropFirst(type.rawValue.count + 1))))
    }
    return ids
  }

  private static func filter(_ fields: inout RuleFields) throws(FieldError) -> EntityFilter? {
    var filter = EntityFilter(labels: try fields.words("withLabel"))
    for word in try fields.words("where") {
      guard let comparator = EntityComparator(word) else {
        throw FieldError(
          field: "where",
          reason: "has '\(word.prefix(64))'; expected a condition such as availability=inStock")
      }
      filter.comparators.append(comparator)
    }
    guard filter.comparators.count < EntityFilter.comparatorLimit,
      filter.labels.count <= EntityFilter.labelLimit
    else {
      throw FieldError(
        field: "where",
        reason:
          "has too many conditions; a rule has at most \(EntityFilter.comparatorLimit - 1), and \(EntityFilter.labelLimit) labels"
      )
    }
    return filter.isEmpty ? nil : filter
  }

  private static func arrival(_ fields: inout RuleFields) throws(FieldError) -> Arrival? {
    guard var arrival = try fields.object("newerThan") else { return nil }
    let field = try arrival.field("field")
    guard let days = try arrival.number("days").flatMap(Int.init(exactly:)),
      (1...3650).contains(days)
    else { throw arrival.missing("days", "a whole number in 1…3650") }
    try arrival.finish()
    return Arrival(field: field, days: days)
  }

  private static func scope(_ fields: inout RuleFields) throws(FieldError) -> Scope {
    guard var scope = try fields.object("when") else {
      return Scope(labels: [], categories: [], pages: [], languages: [])
    }
    let result = Scope(
      labels: try scope.words("labels"), categories: try scope.words("categories"),
      pages: try scope.words("pages"), languages: try scope.words("languages"))
    try scope.finish()
    return result
  }
}

/// The fields of a rule's JSON form, taken one by one.
private struct RuleFields {
  private let object: [String: JSONValue]
  /// The name of the object within the rule, or `nil` for the rule.
  private let outer: String?
  private var known: Set<String> = []

  init(_ value: JSONValue, field: String?) throws(FieldError) {
    guard case .object(let object) = value else {
      throw FieldError(field: field, reason: "is \(value.kind); expected an object")
    }
    self.object = object
    outer = field
  }

  private func path(_ name: String) -> String { outer.map { "\($0).\(name)" } ?? name }

  /// Returns the error of a field that is absent or not as expected.
  func missing(_ name: String, _ accepted: String) -> FieldError {
    FieldError(
      field: path(name),
      reason: object[name] == nil ? "is missing; expected \(accepted)" : "is not \(accepted)")
  }

  private mutating func value(_ name: String) -> JSONValue? {
    known.insert(name)
    return object[name] == .null ? nil : object[name]
  }

  mutating func text(_ name: String, length: Int) throws(FieldError) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value, text.unicodeScalars.count <= length else {
      throw missing(name, "a text of at most \(length) characters")
    }
    return text
  }

  /// Returns the name of a property.
  mutating func field(_ name: String) throws(FieldError) -> String {
    guard let text = try text(name, length: 64), !text.isEmpty else {
      throw missing(name, "the name of a field")
    }
    return text
  }

  mutating func number(_ name: String) throws(FieldError) -> Double? {
    switch value(name) {
    case nil: return nil
    case .integer(let number)?: return Double(number)
    case .number(let number)? where number.isFinite: return number
    default: throw missing(name, "a number")
    }
  }

  mutating func flag(_ name: String) throws(FieldError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .bool(let flag) = value else { throw missing(name, "true or false") }
    return flag
  }

  /// Returns a list of texts, none of which is empty.
  mutating func words(_ name: String) throws(FieldError) -> [String] {
    guard let value = value(name) else { return [] }
    guard case .array(let elements) = value, elements.count <= ShopRule.entityLimit else {
      throw missing(name, "a list of at most \(ShopRule.entityLimit) texts")
    }
    var words: [String] = []
    for element in elements {
      guard case .string(let word) = element, !word.isEmpty, word.utf8.count <= 1024 else {
        throw missing(name, "a list of texts of 1 to 1024 bytes")
      }
      words.append(word)
    }
    return words
  }

  mutating func object(_ name: String) throws(FieldError) -> RuleFields? {
    guard let value = value(name) else { return nil }
    return try RuleFields(value, field: path(name))
  }

  mutating func instant(_ name: String) throws(FieldError) -> Date? {
    guard let text = try text(name, length: 64) else { return nil }
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard
      let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
        ?? (text.utf8.count == 10 ? try? Date(text + "T00:00:00Z", strategy: .iso8601) : nil)
    else { throw missing(name, "a day or a time such as 2026-05-04T10:30:00Z") }
    return date
  }

  /// - Throws: ``FieldError`` for the first field that was not asked for.
  func finish() throws(FieldError) {
    guard let name = object.keys.filter({ !known.contains($0) }).min() else { return }
    let nearest = Suggestion.nearest(to: name, among: known.sorted())
    throw FieldError(
      field: path(name),
      reason: "is not known" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }
}
