/// The entities that a run added, changed and removed. Each list has at most ``limit`` of them, the first ones.
package struct IndexChanges: Sendable, Hashable {
  /// The most entities of a list.
  package static let limit = 10_000

  /// The added entities, in the order of the feed.
  package internal(set) var added: [EntityID] = []
  /// The changed entities, in the order of the feed.
  package internal(set) var changed: [EntityID] = []
  /// The removed entities.
  package internal(set) var removed: [EntityID] = []

  mutating func count(_ signed: SignedEntity) {
    switch signed.change {
    case .added where added.count < Self.limit: added.append(signed.value.id)
    case .changed: count(changed: signed.value.id)
    case .added, .none: break
    }
  }

  /// Adds those of a further feed.
  mutating func add(_ other: IndexChanges) {
    for list: WritableKeyPath<Self, [EntityID]> in [\.added, \.changed, \.removed] {
      self[keyPath: list] += other[keyPath: list].prefix(Self.limit - self[keyPath: list].count)
    }
  }

  mutating func count(changed id: EntityID) {
    if changed.count < Self.limit { changed.append(id) }
  }

  mutating func count(removed ids: [EntityID]) {
    removed += ids.prefix(Self.limit - removed.count)
  }
}
