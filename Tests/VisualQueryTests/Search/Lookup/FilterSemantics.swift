@testable import ShopModel
@testable import ShopSearch
import VisualQuery

/// A filter as its documentation describes it, evaluated entity by entity without a database.
struct FilterSemantics {
  /// A stored value: a number, with the text that it is, or a text.
  enum Value: Equatable {
    case number(Double, String)
    case text(String)

    init?(_ json: JSONValue) {
      switch json {
      case .null: return nil
      case .bool(let flag): self = .number(flag ? 1 : 0, flag ? "1" : "0")
      case .integer(let number): self = .number(Double(number), "\(number)")
      case .number(let number): self = .number(number, "\(number)")
      case .string(let text): self = .text(text)
      case .array, .object: self = .text(json.text)
      }
    }

    var text: String {
      switch self {
      case .number(_, let text): text
      case .text(let text): text
      }
    }

    /// The number that it is, or that its whole text is.
    var number: Double? {
      switch self {
      case .number(let number, _): number
      case .text(let text):
        text.wholeMatch(of: /\s*([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?)\s*/)
          .flatMap { Double($0.output.1) }
      }
    }
  }

  private static let lists = ["labels", "stock", "synonyms", "images", "openingHours"]
  private static let fields = [
    "type", "id", "title", "subtitle", "brand", "group", "availability", "url", "address",
    "timeZone",
  ]

  static func values(_ name: String, of entity: EntityValue, isSort: Bool = false) -> [Value] {
    guard case .object(let object) = entity.json else { return [] }
    func member(_ field: String, _ name: String) -> [Value] {
      guard case .object(let fields)? = object[field] else { return [] }
      return fields[name].flatMap(Value.init).map { [$0] } ?? []
    }
    switch name {
    case "price":
      return member("price", "amount").compactMap(\.number).map { .number($0, "\($0)") }
    case "currency": return member("price", "currency")
    case "latitude", "longitude":
      return member("geo", name).compactMap { value in
        value.number.map { .number($0, Int(exactly: $0).map { "\($0)" } ?? value.text) }
      }
    case _ where lists.contains(name) && !isSort:
      guard case .array(let elements)? = object[name] else { return [] }
      return elements.compactMap(Value.init)
    case _ where fields.contains(name): return object[name].flatMap(Value.init).map { [$0] } ?? []
    default: return member("extra", name)
    }
  }

  static func passes(_ filter: EntityFilter, _ entity: EntityValue) -> Bool {
    let tests = filter.comparators.lazy.map { passes($0, entity) }
    if filter.comparators.isEmpty { return true }
    return filter.mode == .and ? tests.allSatisfy(\.self) : tests.contains(true)
  }

  static func passes(_ comparator: EntityComparator, _ entity: EntityValue) -> Bool {
    let name = comparator.property.name
    if name == "labels", let isMet = hasLabel(comparator.comparison, entity) { return isMet }
    let values = values(name, of: entity)
    if case .notEqualTo(let operand) = comparator.comparison {
      return !values.contains { passes(.equalTo(operand), $0, name) }
    }
    return values.contains { passes(comparator.comparison, $0, name) }
  }

  /// Returns whether an entity has a label, or a more special one, as the search compares them; `nil` if the condition is not on a label,
  /// or the label has no letter.
  private static func hasLabel(
    _ comparison: EntityComparator.Comparison, _ entity: EntityValue
  ) -> Bool? {
    let (operand, isNegated): (PropertyValue, Bool)
    switch comparison {
    case .equalTo(let value): (operand, isNegated) = (value, false)
    case .notEqualTo(let value): (operand, isNegated) = (value, true)
    default: return nil
    }
    let text =
      switch operand {
      case .text(let text): text
      case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
      }
    let label = LabelText.normalized(text)
    if label.isEmpty { return nil }
    return (LabelText.indexed(entity.labels)[label] != nil) != isNegated
  }

  private static func passes(
    _ comparison: EntityComparator.Comparison, _ value: Value, _ name: String
  ) -> Bool {
    /// No order is that of a number and a text.
    func order(_ operand: PropertyValue) -> Int? { self.order(value, operand, name) }
    func test(_ operand: PropertyValue, _ isMet: (Int) -> Bool) -> Bool {
      order(operand).map(isMet) ?? false
    }
    func folded(_ text: String) -> String { LabelText.folded(text) }
    switch comparison {
    case .equalTo(let operand): return test(operand) { $0 == 0 }
    case .notEqualTo(let operand): return !test(operand) { $0 == 0 }
    case .lessThan(let operand): return test(operand) { $0 < 0 }
    case .lessThanOrEqualTo(let operand): return test(operand) { $0 <= 0 }
    case .greaterThan(let operand): return test(operand) { $0 > 0 }
    case .greaterThanOrEqualTo(let operand): return test(operand) { $0 >= 0 }
    case .isBetween(let low, let high): return test(low) { $0 >= 0 } && test(high) { $0 <= 0 }
    case .contains(let text):
      return scalars(folded(value.text)).contains(scalars(folded(text)))
    case .hasPrefix(let text):
      return scalars(folded(value.text)).starts(with: scalars(folded(text)))
    case .hasSuffix(let text):
      return scalars(folded(value.text)).reversed().starts(with: scalars(folded(text)).reversed())
    }
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

  /// Numbers by size, texts by their bytes; numbers before texts that a field of the shop's own is compared with. `nil` if a text is not a
  /// number and is compared with one.
  private static func order(_ value: Value, _ operand: PropertyValue, _ name: String) -> Int? {
    func compared(_ a: String, _ b: String) -> Int {
      a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    }
    func compared(_ a: Double, _ b: Double) -> Int { a == b ? 0 : a < b ? -1 : 1 }
    switch operand {
    case .number(let number) where (lists + fields + ["currency"]).contains(name):
      return compared(value.text, Int(exactly: number).map { "\($0)" } ?? "\(number)")
    case .number(let number): return value.number.map { compared($0, number) }
    case .text(let text):
      if ["price", "latitude", "longitude"].contains(name),
        let number = Double(text.filter { $0 != " " })
      {
        return value.number.map { compared($0, number) }
      }
      guard case .text(let own) = value else { return -1 }
      return compared(own, text)
    }
  }

  /// The order of some sorts, entities without a property last, then by type and id.
  static func precedes(_ a: EntityValue, _ b: EntityValue, _ sorts: [EntitySort]) -> Bool {
    for sort in sorts {
      let first = values(sort.property.name, of: a, isSort: true).first
      let second = values(sort.property.name, of: b, isSort: true).first
      guard let first, let second else {
        if first == nil && second == nil { continue }
        return second == nil
      }
      let order =
        switch (first, second) {
        case (.number(let a, _), .number(let b, _)): a == b ? 0 : a < b ? -1 : 1
        case (.number, .text): -1
        case (.text, .number): 1
        case (.text(let a), .text(let b)):
          a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        }
      if order != 0 { return sort.order == .ascending ? order < 0 : order > 0 }
    }
    return a.id < b.id
  }
}
