/// Where an app stands that keeps entities of a catalogue: opaque, at most 250 bytes.
public struct SyncState: Sendable, Hashable, CustomStringConvertible {
  /// The text to keep.
  public let description: String

  /// Takes a text that was kept; whether it is any good shows when it is used.
  public init(_ description: String) { self.description = description }

  init(sequence: Int, in catalogue: Catalogue) {
    let bytes = Array(catalogue.identity.utf8) + bigEndianBytes(of: UInt64(sequence))
    description = SealedToken.seal(bytes, secret: catalogue.secret)
  }

  /// The place in a catalogue's list of changes.
  func sequence(in catalogue: Catalogue) throws(MatchError) -> Int {
    let identity = Array(catalogue.identity.utf8)
    guard description.utf8.count <= 250,
      let bytes = SealedToken.open(description, secret: catalogue.secret),
      let sequence = Self.sequence(in: bytes, of: identity)
    else {
      throw MatchError(
        code: .invalidToken,
        message: "the state is none of this catalogue, or was altered; begin anew without one")
    }
    return sequence
  }

  /// The place that the bytes of a state without its seal hold, or `nil` for those of another
  /// catalogue.
  static func sequence(in bytes: [UInt8], of identity: [UInt8]) -> Int? {
    guard bytes.count == identity.count + 8, bytes.starts(with: identity) else { return nil }
    return Int(exactly: bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// What has changed in a catalogue.
public struct EntityChanges: Sendable, Hashable {
  /// Entities that are new or have changed.
  public let upserts: [EntityValue]
  /// Entities that are gone.
  public let tombstones: [EntityID]
  /// Where to go on from.
  public let state: SyncState
  /// Whether more is there already.
  public let hasMore: Bool
  /// The generation that this was read from.
  public let generation: Int

  /// Takes the first `limit` of the changes behind a place.
  init(
    _ found: [(sequence: Int, change: CatalogueDatabase.Change)], limit: Int, after sequence: Int?,
    in catalogue: Catalogue
  ) {
    let taken = found.prefix(limit)
    upserts = taken.compactMap { if case .upsert(let value) = $0.change { value } else { nil } }
    // Whoever has nothing has nothing to remove.
    tombstones =
      sequence == nil
      ? [] : taken.compactMap { if case .removal(let id) = $0.change { id } else { nil } }
    state = SyncState(sequence: taken.last?.sequence ?? sequence ?? 0, in: catalogue)
    hasMore = found.count > limit
    generation = catalogue.generation
  }
}
