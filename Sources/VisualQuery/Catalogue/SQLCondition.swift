/// Conditions on entities as SQL over the table `entities`, values bound apart.
struct SQLCondition {
  private(set) var sql = "1"
  private(set) var values: [SQLiteValue] = []

  /// The condition of a filter.
  ///
  /// - Throws: ``MatchError`` with the code `invalidFilter`.
  init(_ filter: EntityFilter, types: [EntityType]) throws(MatchError) {
    var parts: [String] = []
    if types.count < EntityType.allCases.count {
      parts.append("type IN (\(types.map { _ in "?" }.joined(separator: ", ")))")
      values += types.map { .text($0.rawValue) }
    }
    let labels = Set(filter.labels.map(LabelText.normalized)).subtracting([""]).sorted()
    if !filter.labels.isEmpty {
      let places = labels.map { _ in "?" }.joined(separator: ", ")
      parts.append("key IN (SELECT entity FROM labels WHERE label IN (\(places)))")
      values += labels.map(SQLiteValue.text)
    }
    var comparisons: [String] = []
    for comparator in filter.comparators { comparisons.append(try add(comparator)) }
    if !comparisons.isEmpty {
      let joint = filter.mode == .and ? " AND " : " OR "
      parts.append("(" + comparisons.joined(separator: joint) + ")")
    }
    if !parts.isEmpty { sql = parts.joined(separator: " AND ") }
  }

  /// The order of some properties, then by type and id.
  static func order(_ sorts: [EntitySort]) throws(MatchError) -> String {
    var terms: [String] = []
    for sort in sorts {
      let value = try column(sort.property)
      terms.append("\(value) IS NULL")
      terms.append(value + (sort.order == .ascending ? "" : " DESC"))
    }
    return (terms + ["type", "id"]).joined(separator: ", ")
  }

  private static let lists: Set<String> = ["labels", "stock", "synonyms", "images", "openingHours"]
  private static let fields: Set<String> = [
    "title", "subtitle", "brand", "group", "availability", "url", "address", "timeZone",
  ]

  /// What a property is in SQL. Names stand in it, so that they are checked to be plain; those of
  /// indexed columns must read as in ``CatalogueSchema``.
  private static func column(_ property: EntityProperty) throws(MatchError) -> String {
    let name = property.name
    switch name {
    case "id", "type": return name
    case "price": return "CAST(json_extract(json, '$.price.amount') AS REAL)"
    case "currency": return "json_extract(json, '$.price.currency')"
    case "latitude", "longitude": return "json_extract(json, '$.geo.\(name)')"
    case _ where fields.contains(name): return "json_extract(json, '$.\(name)')"
    default:
      guard !name.isEmpty, name.utf8.count <= 64,
        name.unicodeScalars.allSatisfy({
          $0.properties.isAlphabetic || ("0"..."9").contains($0)
            || "_-. :".unicodeScalars.contains($0)
        })
      else {
        throw MatchError(
          code: .invalidFilter,
          message: "'\(name)' is no property; names have letters, digits and _ - . : only")
      }
      return "json_extract(json, '$.extra.\"\(name)\"')"
    }
  }

  private mutating func add(_ comparator: EntityComparator) throws(MatchError) -> String {
    if Self.lists.contains(comparator.property.name) {
      let test = comparison("value", comparator.comparison)
      let list = "json_each(entities.json, '$.\(comparator.property.name)')"
      if case .notEqualTo = comparator.comparison {
        return "NOT EXISTS (SELECT 1 FROM \(list) WHERE value IS \(test.operand))"
      }
      return "EXISTS (SELECT 1 FROM \(list) WHERE \(test.sql))"
    }
    return comparison(try Self.column(comparator.property), comparator.comparison).sql
  }

  private mutating func comparison(
    _ column: String, _ comparison: EntityComparator.Comparison
  ) -> (sql: String, operand: String) {
    func compared(_ symbol: String, _ value: PropertyValue) -> (String, String) {
      switch value {
      case .number(let number):
        values.append(.number(number))
        let isReal = column.hasPrefix("CAST") || column == "id"
        // `size` may be written as a text; `=` on a number and a text never holds.
        return ((isReal ? column : "CAST(\(column) AS REAL)") + " \(symbol) ?", "?")
      case .text(let text):
        values.append(.text(text))
        return ("\(column) \(symbol) ?", "?")
      }
    }
    func folded(_ text: String) -> SQLiteValue { .text(LabelText.folded(text)) }
    switch comparison {
    case .equalTo(let value): return compared("=", value)
    case .notEqualTo(let value): return compared("IS NOT", value)
    case .lessThan(let value): return compared("<", value)
    case .lessThanOrEqualTo(let value): return compared("<=", value)
    case .greaterThan(let value): return compared(">", value)
    case .greaterThanOrEqualTo(let value): return compared(">=", value)
    case .isBetween(let low, let high):
      let (first, second) = (compared(">=", low), compared("<=", high))
      return ("(\(first.0) AND \(second.0))", "?")
    case .contains(let text):
      values.append(folded(text))
      return ("instr(folded(\(column)), ?) > 0", "?")
    case .hasPrefix(let text):
      values.append(folded(text))
      return ("instr(folded(\(column)), ?) = 1", "?")
    case .hasSuffix(let text):
      values += [folded(text), folded(text)]
      return ("substr(folded(\(column)), -length(?)) = ?", "?")
    }
  }
}
