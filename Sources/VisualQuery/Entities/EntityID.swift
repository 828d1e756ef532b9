/// What an entity is: something that a shop sells, or a place where it stands.
public enum EntityType: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Something that is sold.
  case product
  /// A place where it is sold.
  case store

  /// Products before stores.
  public static func < (a: EntityType, b: EntityType) -> Bool { a.rawValue < b.rawValue }
}

/// What names an entity: its type, and the shop's own id, which is unique within the type.
public struct EntityID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// What the entity is.
  public let type: EntityType
  /// The shop's own id.
  public let value: String

  /// Makes an id.
  public init(type: EntityType, value: String) {
    self.type = type
    self.value = value
  }

  /// Whether type and id are the same, the id by its UTF-8 bytes, as the database compares it: a
  /// precomposed `é` is not an `e` with a mark.
  public static func == (a: EntityID, b: EntityID) -> Bool {
    a.type == b.type && a.value.hasSameBytes(as: b.value)
  }

  /// Hashes type and id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    // Ids with the same bytes are equal strings too, and so have the same hash.
    hasher.combine(value)
  }

  /// Type first, then the id by its UTF-8 bytes: the same order everywhere.
  public static func < (a: EntityID, b: EntityID) -> Bool {
    a.type == b.type ? a.value.utf8.lexicographicallyPrecedes(b.value.utf8) : a.type < b.type
  }

  /// Such as `product:mug-red`.
  public var description: String { "\(type.rawValue):\(value)" }
}

extension String {
  /// Whether two texts have the same UTF-8 bytes; `==` takes canonically equivalent ones for equal.
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
