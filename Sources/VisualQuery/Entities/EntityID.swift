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

  /// Type first, then the id by its UTF-8 bytes: the same order everywhere.
  public static func < (a: EntityID, b: EntityID) -> Bool {
    a.type == b.type ? a.value.utf8.lexicographicallyPrecedes(b.value.utf8) : a.type < b.type
  }

  /// Such as `product:mug-red`.
  public var description: String { "\(type.rawValue):\(value)" }
}
