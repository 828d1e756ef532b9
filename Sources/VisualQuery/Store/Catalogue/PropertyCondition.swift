/// A condition on one property, as SQL over the columns `value` and `folded` of the table
/// `properties`, with its parameters, or as a label.
package struct PropertyCondition: Sendable {
  /// The name under which the property is stored.
  let property: String
  /// The SQL test of one stored value, or `nil` if no value passes.
  private(set) var sql: String?
  /// The parameters of `sql`.
  private(set) var values: [SQLiteValue] = []
  /// The normalized label that passes instead of `sql`, or `nil`.
  private(set) var label: String?
  /// True if the condition holds for the entities without a value that passes the test.
  private(set) var isNegated = false

  /// Makes the condition of a comparator.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  init(_ comparator: EntityComparator) throws(MatchError) {
    property = try comparator.property.storedName(isSort: false)
    try Self.checkLengths(of: comparator.comparison)
    try Self.checkType(of: comparator)
    if takeLabel(of: comparator.comparison) { return }
    switch comparator.comparison {
    case .equalTo(let value): sql = compared("=", value)
    case .notEqualTo(let value):
      isNegated = true
      sql = compared("=", value)
    case .lessThan(let value): sql = compared("<", value)
    case .lessThanOrEqualTo(let value): sql = compared("<=", value)
    case .greaterThan(let value): sql = compared(">", value)
    case .greaterThanOrEqualTo(let value): sql = compared(">=", value)
    case .isBetween(let low, let high):
      let first = compared(">=", low)
      sql = first + " AND " + compared("<=", high)
    case .contains(let text):
      values = [.text(LabelText.folded(text))]
      sql = "instr(coalesce(folded, value), ?) > 0"
    case .hasPrefix(let text):
      values = [.text(LabelText.folded(text))]
      sql = "instr(coalesce(folded, value), ?) = 1"
    case .hasSuffix(let text):
      values = Array(repeating: .text(LabelText.folded(text)), count: 3)
      // An empty suffix matches everything. It needs its own test, because `substr` with a
      // start of 0 returns the whole text.
      sql = "(? = '' OR substr(coalesce(folded, value), -length(?)) = ?)"
    }
  }

  /// Takes the label that an entity must have or lack.
  ///
  /// - Returns: True if the condition is on such a label. A label without letters and digits is compared as it is.
  private mutating func takeLabel(of comparison: EntityComparator.Comparison) -> Bool {
    guard property == EntityProperty.labels.name else { return false }
    let operand: PropertyValue
    switch comparison {
    case .equalTo(let value): operand = value
    case .notEqualTo(let value):
      operand = value
      isNegated = true
    default: return false
    }
    let normalized = LabelText.normalized(operand.words)
    if normalized.isEmpty {
      isNegated = false
      return false
    }
    label = normalized
    return true
  }

  /// Returns a comparison of the stored value with the next parameter.
  private mutating func compared(_ symbol: String, _ operand: PropertyValue) -> String {
    if EntityProperty.numbers.contains(property) {
      values.append(operand.stored)
      // The cast makes SQLite read a text such as 14.90 as a number.
      return "CAST(value AS REAL) \(symbol) ?"
    }
    if EntityProperty(property).isText {
      // Compares texts, also if the operand has only digits, as an id may have.
      values.append(.text(operand.words))
      return "value \(symbol) ?"
    }
    values.append(operand.stored)
    guard case .number = operand else { return "value \(symbol) ?" }
    // Sizes may be stored as texts. Compared with a REAL, SQLite converts a text that is a
    // number, and ranks any other text above all numbers; the second condition excludes those.
    return "value \(symbol) CAST(? AS REAL) AND value <= CAST(9e999 AS REAL)"
  }

  /// Rejects a comparison of a number with a text that is not a number.
  private static func checkType(of comparator: EntityComparator) throws(MatchError) {
    guard EntityProperty.numbers.contains(comparator.property.name) else { return }
    for case .text(let text) in comparator.comparison.values where Double(text)?.isFinite != true {
      throw MatchError(
        code: .invalidFilter,
        message: "'\(comparator.property.name)' is a number; found '\(text.prefix(64))'")
    }
  }

  private static func checkLengths(
    of comparison: EntityComparator.Comparison
  ) throws(MatchError) {
    for case .text(let text) in comparison.values + comparison.parts.map(PropertyValue.text)
    where text.unicodeScalars.count > EntityComparator.textLimit {
      throw MatchError(
        code: .invalidFilter,
        message: """
          a condition has a text of \(text.unicodeScalars.count) characters; \
          the limit is \(EntityComparator.textLimit)
          """)
    }
  }
}

extension PropertyValue {
  /// The value as SQLite stores it.
  fileprivate var stored: SQLiteValue {
    switch self {
    case .text(let text): .text(text)
    case .number(let number): .number(number)
    }
  }

  /// The value as a text: a number without unnecessary digits.
  fileprivate var words: String {
    switch self {
    case .text(let text): text
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    }
  }
}

extension EntityComparator.Comparison {
  /// The values that a property is compared with.
  fileprivate var values: [PropertyValue] {
    switch self {
    case .equalTo(let value), .notEqualTo(let value), .lessThan(let value),
      .lessThanOrEqualTo(let value), .greaterThan(let value), .greaterThanOrEqualTo(let value):
      [value]
    case .isBetween(let low, let high): [low, high]
    case .contains, .hasPrefix, .hasSuffix: []
    }
  }

  /// The texts that are looked for within a property.
  fileprivate var parts: [String] {
    switch self {
    case .contains(let text), .hasPrefix(let text), .hasSuffix(let text): [text]
    default: []
    }
  }
}

extension EntityFilter {
  /// Returns the conditions on properties, after checking their number.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  package func conditions() throws(MatchError) -> [PropertyCondition] {
    guard comparators.count <= Self.comparatorLimit, labels.count <= Self.labelLimit else {
      throw MatchError(
        code: .invalidFilter,
        message: """
          a filter has \(comparators.count) conditions and \(labels.count) labels; \
          the limits are \(Self.comparatorLimit) and \(Self.labelLimit)
          """)
    }
    var conditions: [PropertyCondition] = []
    for comparator in comparators { conditions.append(try PropertyCondition(comparator)) }
    return conditions
  }
}
