/// The values of a property among some entities, with the number of entities that have each.
package struct Facet: Sendable, Hashable {
  /// A value with the number of entities that have it.
  package struct Value: Sendable, Hashable {
    /// The value.
    package let value: PropertyValue
    /// The number of entities that have it.
    package let count: Int

    /// Makes a count.
    package init(value: PropertyValue, count: Int) {
      self.value = value
      self.count = count
    }
  }

  /// The name of the property.
  package let property: String
  /// The most frequent values, ties by value.
  package let values: [Value]
  /// The number of different values.
  package let valueCount: Int
  /// The number of entities that have a value.
  package let entityCount: Int
  /// The least and the greatest number, or `nil` if no value is one.
  package let range: ClosedRange<Double>?

  /// Makes a facet.
  package init(
    property: String, values: [Value], valueCount: Int, entityCount: Int,
    range: ClosedRange<Double>?
  ) {
    self.property = property
    self.values = values
    self.valueCount = valueCount
    self.entityCount = entityCount
    self.range = range
  }
}

/// A question for facets.
package struct FacetQuestion: Sendable, Hashable {
  /// The most properties of a question.
  package static let propertyLimit = 16
  /// The most values of a facet.
  package static let valueLimit = 1000
  /// The most values of a facet if a question does not say it.
  package static let defaultLimit = 100

  /// The properties.
  package var properties: [EntityProperty]
  /// The beginning of the values, without regard to case and accents, or `nil` for all values.
  package var prefix: String?
  /// The most values of each facet, `1...1000`.
  package var limit: Int { didSet { limit = Self.bounded(limit) } }

  /// Makes a question.
  package init(_ properties: [EntityProperty], prefix: String? = nil, limit: Int = 100) {
    self.properties = properties
    self.prefix = prefix
    self.limit = Self.bounded(limit)
  }

  private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), valueLimit) }
}
