#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The generations in which an entity was added and last changed.
public struct EntityHistory: Sendable, Hashable {
  /// The generation in which something happened.
  public struct Event: Sendable, Hashable {
    /// The first generation in which it can have been; that of ``generation`` if it is known exactly.
    public let firstGeneration: Int
    /// The last generation in which it can have been.
    public let generation: Int
    /// The time of ``generation``.
    public let date: Date
  }

  /// The generation that was read.
  public let generation: Int
  /// The event that added the entity, or `nil` if it is not known.
  public let added: Event?
  /// The event that last added or changed the entity, or `nil` if it is not known.
  public let changed: Event?
}
