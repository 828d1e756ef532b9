/// The state of an app that keeps a copy of a catalogue's entities: opaque, at most 250 bytes.
public struct SyncState: Sendable, Hashable, CustomStringConvertible {
  /// The text to store.
  public let description: String

  /// Makes a state from a stored text, which is checked when it is used.
  public init(_ description: String) { self.description = description }

  init(sequence: Int, in catalogue: Catalogue) {
    let bytes = Array(catalogue.identity.utf8) + bigEndianBytes(of: UInt64(sequence))
    description = SealedToken.seal(bytes, secret: catalogue.secret)
  }

  /// The position in a catalogue's list of changes.
  func sequence(in catalogue: Catalogue) throws(MatchError) -> Int {
    let identity = Array(catalogue.identity.utf8)
    guard description.utf8.count <= 250,
      let bytes = SealedToken.open(description, secret: catalogue.secret),
      let sequence = Self.sequence(in: bytes, of: identity)
    else {
      throw MatchError(
        code: .invalidToken,
        message:
          "the state does not belong to this catalogue or was altered; start again without a state")
    }
    return sequence
  }

  /// Returns the position in the bytes of an unsealed state, or `nil` if it belongs to another
  /// catalogue.
  static func sequence(in bytes: [UInt8], of identity: [UInt8]) -> Int? {
    guard bytes.count == identity.count + 8, bytes.starts(with: identity) else { return nil }
    return Int(exactly: bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// The changes of a catalogue since a state.
public struct EntityChanges: Sendable, Hashable {
  /// The entities that were added or changed.
  public let upserts: [EntityValue]
  /// The entities that were removed.
  public let tombstones: [EntityID]
  /// The state to continue from.
  public let state: SyncState
  /// Whether more changes are available.
  public let hasMore: Bool
  /// The generation that the changes were read from.
  public let generation: Int

  /// Makes the first `limit` changes after a position.
  init(
    _ found: [(sequence: Int, change: CatalogueDatabase.Change)], limit: Int, after sequence: Int?,
    in catalogue: Catalogue
  ) {
    let taken = found.prefix(limit)
    upserts = taken.compactMap { if case .upsert(let value) = $0.change { value } else { nil } }
    // A copy that is empty has no entities to remove.
    tombstones =
      sequence == nil
      ? [] : taken.compactMap { if case .removal(let id) = $0.change { id } else { nil } }
    state = SyncState(sequence: taken.last?.sequence ?? sequence ?? 0, in: catalogue)
    hasMore = found.count > limit
    generation = catalogue.generation
  }
}
