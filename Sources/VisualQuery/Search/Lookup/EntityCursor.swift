#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A position in the list of a generation's entities: opaque, at most 250 bytes.
///
/// The list is in the order of the entities' keys, which an entity keeps for as long as it exists. So a newer generation
/// continues the list of an earlier one: entities that exist throughout appear exactly once, removed ones at most once,
/// and those that were added later not at all.
package struct EntityCursor: Sendable, Hashable, CustomStringConvertible {
  /// The text to send.
  package let description: String

  /// Makes a cursor from a text, which is checked when it is used.
  package init(_ description: String) { self.description = description }

  /// The contents of a cursor.
  ///
  /// Its bytes, which ``SealedToken`` seals: the purpose, the catalogue's identity, eight bytes of the question's hash,
  /// then the generation, the bound and the key, eight bytes each, with the highest byte first.
  struct Position: Sendable, Hashable {
    /// The generation in which the list began.
    let generation: Int
    /// The greatest key of that generation.
    let lastKey: UInt32
    /// The key of the last entity that was given; 0 at the beginning.
    let key: UInt32

    private static let purpose = Array("vq.cursor/1".utf8)
    /// The number of bytes of a question's hash.
    static let questionLength = 8

    init(generation: Int, lastKey: UInt32, key: UInt32) {
      (self.generation, self.lastKey, self.key) = (generation, lastKey, key)
    }

    /// Reads the bytes of a cursor, or returns `nil` if they are those of another catalogue or question.
    init?(_ bytes: [UInt8], identity: [UInt8], question: [UInt8]) {
      let prefix = Self.purpose + identity + question
      guard bytes.count == prefix.count + 24, bytes.starts(with: prefix) else { return nil }
      var reader = ByteReader(bytes[prefix.count...])
      guard let generation = reader.number(8).flatMap(Int.init(exactly:)),
        let lastKey = reader.number(8).flatMap(UInt32.init(exactly:)),
        let key = reader.number(8).flatMap(UInt32.init(exactly:))
      else { return nil }
      self.init(generation: generation, lastKey: lastKey, key: key)
    }

    func bytes(identity: [UInt8], question: [UInt8]) -> [UInt8] {
      Self.purpose + identity + question + bigEndianBytes(of: UInt64(generation))
        + bigEndianBytes(of: UInt64(lastKey)) + bigEndianBytes(of: UInt64(key))
    }
  }

  init(_ position: Position, of question: EntityQuestionHash, in catalogue: Catalogue) {
    let identity = Array(catalogue.identity.utf8)
    description = SealedToken.seal(
      position.bytes(identity: identity, question: question.bytes), secret: catalogue.secret)
  }

  /// Opens the cursor of a question.
  ///
  /// - Throws: ``MatchError`` with the code `invalidToken`.
  func position(
    of question: EntityQuestionHash, in catalogue: Catalogue
  ) throws(MatchError) -> Position {
    let identity = Array(catalogue.identity.utf8)
    guard description.utf8.count <= 250,
      let bytes = SealedToken.open(description, secret: catalogue.secret),
      let position = Position(bytes, identity: identity, question: question.bytes)
    else {
      throw MatchError(
        code: .invalidToken,
        message: "the cursor is not one of this catalogue and this question; begin without one")
    }
    return position
  }
}

/// The hash of the question that a list answers, so that a cursor continues only its own list.
struct EntityQuestionHash: Sendable {
  let bytes: [UInt8]

  init(_ filter: EntityFilter, types: [EntityType]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // A filter with an infinite number cannot be encoded. All such filters get the same hash,
    // so their cursors are interchangeable.
    let text = (try? encoder.encode(filter)).map { Array($0) } ?? []
    let names = types.map(\.rawValue).joined(separator: ",")
    bytes = Array(
      SHA256.hash(Array(names.utf8) + [0] + text).prefix(EntityCursor.Position.questionLength))
  }
}

/// A page of a list of entities.
package struct EntityPage: Sendable, Hashable {
  /// The entities, in the order of the list.
  package let entities: [EntityValue]
  /// The position behind them, or `nil` if the list has ended.
  package let cursor: EntityCursor?
  /// The generation that the entities were read from.
  package let generation: Int
}
