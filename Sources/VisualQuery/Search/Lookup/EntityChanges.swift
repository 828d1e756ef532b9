/// The state of an app that keeps a copy of a catalogue's entities: opaque, at most 250 bytes.
///
/// Its bytes, which `SealedToken` seals: the catalogue's identity, then the position in the list of changes, the generation
/// and its seal, eight bytes each, with the highest byte first. States of earlier versions end with the position.
struct SyncState: Sendable, Hashable {
  /// The text to store.
  let text: String

  /// Makes a state from a stored text, which is checked when it is used.
  init(_ text: String) { self.text = text }

  init(sequence: Int, in catalogue: Catalogue) {
    let bytes =
      Array(catalogue.identity.utf8) + bigEndianBytes(of: UInt64(sequence))
      + bigEndianBytes(of: UInt64(catalogue.generation))
      + bigEndianBytes(of: UInt64(catalogue.generations.seal(of: catalogue.generation) ?? 0))
    text = SealedToken.seal(bytes, secret: catalogue.secret)
  }

  /// The position in a catalogue's list of changes.
  ///
  /// - Throws: ``MatchError`` with the code `invalidToken`, also if the state is of a generation that this catalogue never
  ///   had or has lost, as after a backup was restored.
  func sequence(in catalogue: Catalogue) throws(MatchError) -> Int {
    let identity = Array(catalogue.identity.utf8)
    guard text.utf8.count <= 250,
      let bytes = SealedToken.open(text, secret: catalogue.secret),
      let position = Self.position(in: bytes, of: identity), position.isKnown(to: catalogue)
    else {
      throw MatchError(
        code: .invalidToken,
        message:
          "the state does not belong to this catalogue or was altered; start again without a state")
    }
    return position.sequence
  }

  /// The contents of a state.
  struct Position: Sendable, Hashable {
    let sequence: Int
    /// The generation that it was made of, with its seal, or `nil` in states of earlier versions.
    let origin: Origin?

    struct Origin: Sendable, Hashable {
      let generation: Int
      let seal: Int
    }

    /// Returns whether the state can be of a catalogue's history.
    fileprivate func isKnown(to catalogue: Catalogue) -> Bool {
      let log = catalogue.generations
      guard let origin else { return true }
      if let seal = log.seal(of: origin.generation) { return seal == origin.seal }
      // A copy of a catalogue in PostgreSQL may lag behind the copy that made the state, so
      // an unknown generation is accepted.
      if catalogue.isCopy || origin.generation < catalogue.generation { return true }
      // An index of an earlier version has no log until its next generation.
      return origin.generation == catalogue.generation && origin.seal == 0
    }
  }

  /// Returns what the bytes of an unsealed state say, or `nil` if it belongs to another catalogue.
  static func position(in bytes: [UInt8], of identity: [UInt8]) -> Position? {
    guard bytes.starts(with: identity) else { return nil }
    var reader = ByteReader(bytes[identity.count...])
    guard let sequence = reader.number(8).flatMap(Int.init(exactly:)) else { return nil }
    if bytes.count == identity.count + 8 { return Position(sequence: sequence, origin: nil) }
    guard bytes.count == identity.count + 24,
      let generation = reader.number(8).flatMap(Int.init(exactly:)),
      let seal = reader.number(8).flatMap(Int.init(exactly:))
    else { return nil }
    return Position(
      sequence: sequence, origin: Position.Origin(generation: generation, seal: seal))
  }
}

/// The changes of a catalogue since a state.
public struct EntityChanges: Sendable, Hashable {
  /// The entities that were added or changed.
  public let upserts: [EntityValue]
  /// The entities that were removed.
  public let tombstones: [EntityID]
  /// The state to continue from: a text to store, opaque and at most 250 bytes long.
  public let state: String
  /// A Boolean value that indicates whether more changes are available.
  public let hasMore: Bool
  /// The generation that the changes were read from.
  package let generation: Int

  /// Makes the first `limit` changes after a position.
  init(
    _ found: [(sequence: Int, change: ChangeLog.Change)], limit: Int, after sequence: Int?,
    in catalogue: Catalogue
  ) {
    let taken = found.prefix(limit)
    upserts = taken.compactMap { if case .upsert(let value) = $0.change { value } else { nil } }
    // A copy that is empty has no entities to remove.
    tombstones =
      sequence == nil
      ? [] : taken.compactMap { if case .removal(let id) = $0.change { id } else { nil } }
    state = SyncState(sequence: taken.last?.sequence ?? sequence ?? 0, in: catalogue).text
    hasMore = found.count > limit
    generation = catalogue.generation
  }
}
