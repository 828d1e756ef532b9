#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The generations in which an entity was added and last changed.
package struct EntityHistory: Sendable, Hashable {
  /// The generation in which something happened.
  package struct Event: Sendable, Hashable {
    /// The first generation in which it can have been; that of ``generation`` if it is known exactly.
    package let firstGeneration: Int
    /// The last generation in which it can have been.
    package let generation: Int
    /// The time of ``generation``.
    package let date: Date
  }

  /// The generation that was read.
  package let generation: Int
  /// The event that added the entity, or `nil` if it is not known.
  package let added: Event?
  /// The event that last added or changed the entity, or `nil` if it is not known.
  package let changed: Event?
}
