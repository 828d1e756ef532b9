/// A property of entities that can be compared and sorted by.
///
/// The fields of the catalogue's JSON form: `title`, `brand`, `price` (its amount), `currency`,
/// `labels`, … and any field of the shop's own by its name.
package struct EntityProperty: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The field's name.
  package let name: String

  /// Names a field.
  package init(_ name: String) { self.name = name }

  /// Names a field.
  package init(stringLiteral name: String) { self.name = name }
}

/// A value that a property is compared with.
public enum PropertyValue: Sendable, Hashable, Codable, ExpressibleByStringLiteral,
  ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral
{
  /// A text.
  case text(String)
  /// A number.
  case number(Double)

  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Makes a number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }

  /// Reads what a property is compared with: a number if the text is one and the property may be one, else the text.
  package init(_ text: String, of property: EntityProperty) {
    let number = property.isText ? nil : Double(text)
    self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .text(text)
  }
}

/// A condition on one property.
///
/// The counterpart of App Intents' `EqualToComparator` and its siblings.
public struct EntityComparator: Sendable, Hashable, Codable {
  /// The most characters (Unicode scalars) of a text that is compared with.
  package static let textLimit = 1000

  /// A kind of comparison, with its values.
  public enum Comparison: Sendable, Hashable, Codable {
    /// It is the value; for a list, one of its elements is. For `labels`, the entity has the label whatever its case,
    /// diacritics and number, or one that ends with its words, as `vq labels` lists them.
    case equalTo(PropertyValue)
    /// It is not the value, or absent.
    case notEqualTo(PropertyValue)
    /// It comes before the value.
    case lessThan(PropertyValue)
    /// It comes before the value, or is it.
    case lessThanOrEqualTo(PropertyValue)
    /// It comes after the value.
    case greaterThan(PropertyValue)
    /// It comes after the value, or is it.
    case greaterThanOrEqualTo(PropertyValue)
    /// It lies between two values, or is one of them.
    case isBetween(PropertyValue, PropertyValue)
    /// It has the text in it, whatever its case and diacritics.
    case contains(String)
    /// It begins with the text, whatever its case and diacritics.
    case hasPrefix(String)
    /// It ends with the text, whatever its case and diacritics.
    case hasSuffix(String)
  }

  /// The property that is compared.
  package let property: EntityProperty
  /// The kind of comparison, with its values.
  package let comparison: Comparison

  /// Makes a condition.
  ///
  /// - Parameter name: A field of the catalogue's JSON form: `title`, `brand`, `price` (its amount), `currency`, `labels`, … or a
  ///   field of the shop's own.
  public init(_ name: String, _ comparison: Comparison) {
    self.init(EntityProperty(name), comparison)
  }

  /// Makes a condition.
  package init(_ property: EntityProperty, _ comparison: Comparison) {
    self.property = property
    self.comparison = comparison
  }

  /// Reads `price<20`, `brand=Northlight`, `title~mug` (contains), `id^=tea` (begins with) or
  /// `id$=red` (ends with); further operators are `!=`, `<=`, `>` and `>=`. A value that is a number
  /// is compared as one, but for the fields that are texts, such as `id`. Blanks around the name and the value do not count.
  ///
  /// - Returns: `nil` for anything else.
  package init?(_ text: String) {
    guard let start = text.firstIndex(where: { "=!<>~^$".contains($0) }), start > text.startIndex
    else { return nil }
    let name = text[..<start].trimmed
    let rest = text[start...]
    let operators = ["<=", ">=", "!=", "^=", "$=", "<", ">", "=", "~"]
    guard let symbol = operators.first(where: rest.hasPrefix) else { return nil }
    let words = rest.dropFirst(symbol.count).trimmed
    let operand = PropertyValue(words, of: EntityProperty(name))
    let comparison: Comparison =
      switch symbol {
      case "<=": .lessThanOrEqualTo(operand)
      case ">=": .greaterThanOrEqualTo(operand)
      case "!=": .notEqualTo(operand)
      case "<": .lessThan(operand)
      case ">": .greaterThan(operand)
      case "^=": .hasPrefix(words)
      case "$=": .hasSuffix(words)
      case "~": .contains(words)
      default: .equalTo(operand)
      }
    self.init(EntityProperty(name), comparison)
  }
}
