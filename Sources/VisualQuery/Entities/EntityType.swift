/// What an entity is: something a shop sells, or a place where it stands.
public enum EntityType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Something that is sold.
  case product
  /// A place where it is sold.
  case store
}
