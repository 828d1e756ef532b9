import HTTPServer
import VisualQuery

/// The fields of questions about entities.
enum EntityQuestion {
  /// Reads the types to look for.
  static func types(_ fields: inout RequestFields) throws(Problem) -> Set<EntityType> {
    try Question([Question.type], of: &fields).options(timeout: nil).types
  }

  /// The position at which a list is continued.
  struct Enumeration: Sendable {
    /// The cursor of the page before; `nil` begins the list.
    let cursor: EntityCursor?
  }

  /// Reads `cursor`, which is empty at the beginning of a list; `nil` if it is absent or `null`.
  static func enumeration(_ fields: inout RequestFields) throws(Problem) -> Enumeration? {
    switch try fields.value("cursor") {
    case nil: return nil
    case .string("")?: return Enumeration(cursor: nil)
    case .string(let text)? where text.utf8.count <= 250:
      return Enumeration(cursor: EntityCursor(text))
    default: throw fields.problem("cursor", "a cursor of an earlier answer, or empty")
    }
  }

  /// Reads ids such as `product:mug-red` or `product/mug-red`.
  static func ids(
    _ names: [String], _ fields: RequestFields
  ) throws(Problem) -> [EntityID] {
    var ids: [EntityID] = []
    guard !names.isEmpty else {
      throw fields.problem("ids", "a list such as product:mug-red,store:harbour")
    }
    for name in names {
      let parts = name.split(maxSplits: 1) { $0 == ":" || $0 == "/" }
      guard parts.count == 2, let type = EntityType(rawValue: String(parts[0])) else {
        throw fields.problem("ids", "a list such as product:mug-red,store:harbour")
      }
      ids.append(EntityID(type: type, value: String(parts[1])))
    }
    return ids
  }

  private enum ComparisonName: String, CaseIterable {
    case equalTo, notEqualTo, lessThan, lessThanOrEqualTo, greaterThan, greaterThanOrEqualTo
    case isBetween, contains, hasPrefix, hasSuffix
  }

  /// Reads one condition.
  static func comparator(_ fields: RequestFields) throws(Problem) -> EntityComparator {
    var fields = fields
    let property = try fields.text("property", limit: 256)
    let name: ComparisonName? = try fields.choice("comparison")
    let comparison = try name.flatMap { name throws(Problem) in
      try self.comparison(name, of: EntityProperty(property ?? ""), &fields)
    }
    try fields.finish()
    guard let property, let comparison else {
      throw Problem(
        .invalidField,
        "a comparator has 'property', 'comparison', 'value' and, to be between, 'upperValue'",
        field: "comparators")
    }
    return EntityComparator(EntityProperty(property), comparison)
  }

  /// Reads the comparison of a condition; `nil` if a value is missing.
  private static func comparison(
    _ name: ComparisonName, of property: EntityProperty, _ fields: inout RequestFields
  ) throws(Problem) -> EntityComparator.Comparison? {
    switch name {
    case .contains:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .contains($0) }
    case .hasPrefix:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .hasPrefix($0) }
    case .hasSuffix:
      return try fields.text("value", limit: EntityComparator.textLimit).map { .hasSuffix($0) }
    default: break
    }
    guard let value = try operand("value", of: property, &fields) else { return nil }
    switch name {
    case .equalTo: return .equalTo(value)
    case .notEqualTo: return .notEqualTo(value)
    case .lessThan: return .lessThan(value)
    case .lessThanOrEqualTo: return .lessThanOrEqualTo(value)
    case .greaterThan: return .greaterThan(value)
    case .greaterThanOrEqualTo: return .greaterThanOrEqualTo(value)
    case .isBetween:
      return try operand("upperValue", of: property, &fields).map { .isBetween(value, $0) }
    case .contains, .hasPrefix, .hasSuffix: return nil
    }
  }

  /// Reads a text or a number.
  private static func operand(
    _ name: String, of property: EntityProperty, _ fields: inout RequestFields
  ) throws(Problem) -> PropertyValue? {
    switch try fields.value(name) {
    case nil: return nil
    case .integer(let number)?: return .number(Double(number))
    case .number(let number)?: return .number(number)
    case .string(let text)?
    where text.unicodeScalars.count <= EntityComparator.textLimit && GivenValue.isPrintable(text):
      return PropertyValue(text, of: property)
    default: throw fields.problem(name, "a number, or a text of at most 1000 characters")
    }
  }
}
