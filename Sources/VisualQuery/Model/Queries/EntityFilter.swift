/// The way in which several conditions are combined.
public enum ComparatorMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// All conditions hold.
  case and
  /// At least one condition holds.
  case or
}

/// A property that entities are sorted by.
public struct EntitySort: Sendable, Hashable {
  /// The most properties that entities are sorted by.
  package static let countLimit = 8

  /// The direction.
  public enum Order: String, Sendable, Hashable, Codable, CaseIterable {
    /// The lowest value first; entities without the property last.
    case ascending
    /// The highest value first; entities without the property last.
    case descending
  }

  /// The property.
  package let property: EntityProperty
  /// The direction.
  package let order: Order

  /// Makes a sort order.
  ///
  /// - Parameter name: A field, as in ``EntityComparator/init(_:_:)``.
  public init(by name: String, order: Order = .ascending) {
    self.init(by: EntityProperty(name), order: order)
  }

  /// Makes a sort order.
  package init(by property: EntityProperty, order: Order = .ascending) {
    self.property = property
    self.order = order
  }
}

/// The entities that an answer may contain.
public struct EntityFilter: Sendable, Hashable, Codable {
  /// The most conditions of a filter.
  package static let comparatorLimit = 32
  /// The most labels of a filter.
  package static let labelLimit = 64

  /// The labels of which an entity must have one; empty accepts any entity.
  package var labels: [String]
  /// The conditions on properties; empty accepts any entity. A property that no entity of the catalogue
  /// has, and a text that a number is compared with, are errors.
  package var comparators: [EntityComparator]
  /// The way in which the conditions are combined.
  package var mode: ComparatorMode

  /// Makes a filter; the default accepts every entity.
  public init(
    labels: [String] = [], comparators: [EntityComparator] = [], mode: ComparatorMode = .and
  ) {
    self.labels = labels
    self.comparators = comparators
    self.mode = mode
  }

  /// A Boolean value that indicates whether the filter accepts every entity.
  package var isEmpty: Bool { labels.isEmpty && comparators.isEmpty }
}

extension EntitySort {
  /// - Throws: ``MatchError`` with the code `invalidFilter` if there are too many, or one names no
  ///   property.
  package static func check(_ sorts: [EntitySort]) throws(MatchError) {
    guard sorts.count <= countLimit else {
      throw MatchError(
        code: .invalidFilter,
        message: "entities are sorted by at most \(countLimit) properties; found \(sorts.count)")
    }
    for sort in sorts { _ = try sort.property.storedName(isSort: true) }
  }
}
