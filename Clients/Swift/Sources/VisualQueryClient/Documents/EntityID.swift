/// A type of entity. Later services may have further types, whose entities have a card and a link.
public struct EntityType: RawRepresentable, Codable, Sendable, Hashable {
  /// The name in documents.
  public let rawValue: String

  /// Makes a type.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Something that the shop sells.
  public static let product = EntityType(rawValue: "product")
  /// A place where the shop sells.
  public static let store = EntityType(rawValue: "store")
}

/// The name of an entity: its type, and the shop's own id.
public struct EntityID: Codable, Sendable, Hashable, CustomStringConvertible {
  /// The type.
  public let type: EntityType
  /// The shop's own id, unique within the type.
  public let id: String

  /// Makes an id.
  public init(_ type: EntityType, _ id: String) {
    self.type = type
    self.id = id
  }

  /// The form of the service's questions, such as `product:mug-red`.
  public var description: String { "\(type.rawValue):\(id)" }

  /// Reads the form of ``description``, or returns `nil` if it is not one.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(EntityType(rawValue: String(parts[0])), String(parts[1]))
  }
}
