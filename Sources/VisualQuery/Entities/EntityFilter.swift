/// How several conditions go together.
public enum ComparatorMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// All hold.
  case and
  /// At least one holds.
  case or
}

/// What entities are put in order by.
public struct EntitySort: Sendable, Hashable {
  /// The most properties that entities are sorted by.
  public static let countLimit = 8

  /// Which end comes first.
  public enum Order: String, Sendable, Hashable, Codable, CaseIterable {
    /// The least first; entities without the property last.
    case ascending
    /// The greatest first; entities without the property last.
    case descending
  }

  /// What is compared.
  public let property: EntityProperty
  /// Which end comes first.
  public let order: Order

  /// Makes an order.
  public init(by property: EntityProperty, order: Order = .ascending) {
    self.property = property
    self.order = order
  }
}

/// Which entities may be among the answers.
public struct EntityFilter: Sendable, Hashable, Codable {
  /// The most conditions of a filter.
  public static let comparatorLimit = 32
  /// The most labels of a filter.
  public static let labelLimit = 64

  /// Only entities that have one of these labels; empty means any.
  public var labels: [String]
  /// Conditions on properties; empty means none.
  public var comparators: [EntityComparator]
  /// How the conditions go together.
  public var mode: ComparatorMode

  /// Makes a filter, which lets everything through unless told otherwise.
  public init(
    labels: [String] = [], comparators: [EntityComparator] = [], mode: ComparatorMode = .and
  ) {
    self.labels = labels
    self.comparators = comparators
    self.mode = mode
  }

  /// Whether everything gets through.
  public var isEmpty: Bool { labels.isEmpty && comparators.isEmpty }
}

extension EntitySort {
  /// - Throws: ``MatchError`` with the code `invalidFilter` if there are too many, or one names no
  ///   property.
  static func check(_ sorts: [EntitySort]) throws(MatchError) {
    guard sorts.count <= countLimit else {
      throw MatchError(
        code: .invalidFilter,
        message: "entities are sorted by at most \(countLimit) properties; found \(sorts.count)")
    }
    for sort in sorts { _ = try sort.property.storedName(isSort: true) }
  }
}
