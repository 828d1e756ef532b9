/// The type of an entity: something that a shop sells, or a place that sells it.
public enum EntityType: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Something that is sold.
  case product
  /// A place where it is sold.
  case store

  /// Products before stores.
  public static func < (a: EntityType, b: EntityType) -> Bool { a.rawValue < b.rawValue }
}

extension EntityType: JSONWritable {
  package func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}

/// The identity of an entity: its type, and the shop's own id, which is unique within the type.
public struct EntityID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The type of the entity.
  public let type: EntityType
  /// The shop's own id.
  public let value: String

  /// Makes an id.
  public init(type: EntityType, value: String) {
    self.type = type
    self.value = value
  }

  /// Reads a type and an id such as `product:mug-red`.
  public init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"),
      let type = EntityType(rawValue: String(text[..<colon]))
    else { return nil }
    let value = String(text[text.index(after: colon)...])
    if value.isEmpty { return nil }
    self.init(type: type, value: value)
  }

  /// Returns whether type and id are the same. Ids are compared by their UTF-8 bytes, as in the
  /// database: a precomposed `é` is not an `e` with a combining mark.
  public static func == (a: EntityID, b: EntityID) -> Bool {
    a.type == b.type && a.value.hasSameBytes(as: b.value)
  }

  /// Hashes type and id.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    // Ids with the same bytes are equal strings too, and so have the same hash.
    hasher.combine(value)
  }

  /// Compares the types first, then the UTF-8 bytes of the ids: the same order everywhere.
  public static func < (a: EntityID, b: EntityID) -> Bool {
    a.type == b.type ? a.value.utf8.lexicographicallyPrecedes(b.value.utf8) : a.type < b.type
  }

  /// The type and the id, such as `product:mug-red`.
  public var description: String { "\(type.rawValue):\(value)" }
}
