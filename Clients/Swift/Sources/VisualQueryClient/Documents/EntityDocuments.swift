/// Some entities of one generation.
public struct EntityList: Codable, Sendable, Hashable {
  /// The generation of the catalogue.
  public let generation: Int
  /// The entities.
  public let entities: [Entity]
}

/// Some entities as names and strings.
struct ModelList: Codable, Sendable {
  let generation: Int
  let entities: [[String: String]]
  let cursor: String?
}

/// A page of all entities.
public struct EntityPage: Codable, Sendable, Hashable {
  /// The generation of the catalogue.
  public let generation: Int
  /// The entities.
  public let entities: [Entity]
  /// The cursor of the next page, or `nil` if there is none.
  public let cursor: String?
}

/// One entity.
struct EntityAnswer: Codable, Sendable {
  let generation: Int
  let entity: Entity
}

/// The entities of some ids.
public struct ResolvedEntities: Codable, Sendable, Hashable {
  /// The generation of the catalogue; of several batches, the newest.
  public let generation: Int
  /// The entities, in the order of the ids.
  public let entities: [Entity]
  /// The ids that name no entity.
  public let missing: [String]
}

/// A page of the changes of a catalogue.
public struct Changes: Codable, Sendable, Hashable {
  /// The name of an entity that was removed.
  public typealias Tombstone = EntityID

  /// The generation of the catalogue.
  public let generation: Int
  /// The state after these changes.
  public let state: String
  /// True if more changes are available.
  public let hasMore: Bool
  /// The entities that were added or changed.
  public let upserts: [Entity]
  /// The entities that were removed.
  public let tombstones: [Tombstone]
}

/// The limits of the service.
public struct ServiceLimits: Codable, Sendable, Hashable {
  /// The most bytes of a body.
  public let bodyBytes: Int
  /// The most pixels of an image.
  public let picturePixels: Int
  /// The most bytes of memory that decoding an image may take.
  public let pictureMemoryBytes: Int?
  /// The most labels of a question.
  public let labels: Int
  /// The most Unicode scalars of a label that are looked at.
  public let labelCharacters: Int?
  /// The most matches of an answer.
  public let matches: Int
  /// The most entities of an answer.
  public let entities: Int
  /// The content types of images.
  public let pictureTypes: [String]
  /// The longer sides of thumbnails, by size.
  public let thumbnailPixels: [String: Int]
  /// The deadlines of a search.
  public let deadlineMs: Deadlines?

  /// Deadlines in milliseconds.
  public struct Deadlines: Codable, Sendable, Hashable {
    /// The deadline if none is given.
    public let `default`: Int
    /// The longest deadline.
    public let maximum: Int
  }
}

/// A problem of the service (RFC 9457).
public struct Problem: Codable, Sendable, Hashable {
  /// The name of the status.
  public let title: String
  /// The status.
  public let status: Int
  /// The reason, for developers.
  public let detail: String
  /// The code, which tells the problems of one status apart.
  public let code: String
  /// The id of the request in the service's log.
  public let requestId: String?
  /// The parameter, field or header that it is about.
  public let field: String?
  /// The limit that was exceeded.
  public let limit: Double?
  /// The value that was found.
  public let found: String?
  /// A sentence for people in the language of the request; services before 0.10 have none.
  public let userMessage: String?
}
