/// A type of entity.
public enum EntityType: String, Codable, Sendable, Hashable, CaseIterable {
  /// Something that the shop sells.
  case product
  /// A place where the shop sells.
  case store
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
    guard parts.count == 2, let type = EntityType(rawValue: String(parts[0])), !parts[1].isEmpty
    else { return nil }
    self.init(type, String(parts[1]))
  }
}
