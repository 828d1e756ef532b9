public import Foundation

/// A statement of a person about an answer: at least one entity is chosen or rejected.
public struct Statement: Encodable, Sendable, Hashable {
  /// ``MatchAnswer/continuation`` of the answer.
  public let query: String
  /// The entity that the question means.
  public let chosen: EntityID?
  /// The entities that it does not mean, at most 16.
  public let rejected: [EntityID]

  private enum CodingKeys: CodingKey { case query, chosen, rejected }

  /// Makes a statement.
  public init(about continuation: String, chosen: EntityID? = nil, rejected: [EntityID] = []) {
    query = continuation
    self.chosen = chosen
    self.rejected = rejected
  }

  /// Writes the document.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(query, forKey: .query)
    try values.encodeIfPresent(chosen?.description, forKey: .chosen)
    if !rejected.isEmpty { try values.encode(rejected.map(\.description), forKey: .rejected) }
  }
}

/// A statement that the service keeps.
public struct StoredStatement: Codable, Sendable, Hashable {
  /// The number of the statement.
  public let number: Int
  /// `active` if it counts, `pending` if it waits to be accepted.
  public let state: String
  /// The time at which it was made.
  public let date: String
  /// The name of the key that it was made with.
  public let author: String?
  /// The entity that the question means.
  public let chosen: String?
  /// The entities that it does not mean.
  public let rejected: [String]
  /// The labels of the question.
  public let labels: [String]
  /// True if the image is kept.
  public let hasImage: Bool
}

/// Something that happened to a match of an answer.
public struct MatchEvent: Codable, Sendable, Hashable {
  /// The action of the person.
  public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
    /// It was on the screen.
    case shown
    /// It was opened.
    case opened
    /// It was put into the basket.
    case added
    /// It was ordered.
    case ordered
  }

  /// The id of the event: one that is sent again counts once.
  public let id: String
  /// The action of the person.
  public let action: Action
  /// The entity, such as `product:mug-red`.
  public let entity: String

  /// Makes an event with an id of its own.
  public init(_ action: Action, of entity: EntityID, id: String = UUID().uuidString) {
    self.id = id
    self.action = action
    self.entity = entity.description
  }
}

/// The result of sending events.
public struct CountedEvents: Codable, Sendable, Hashable {
  /// The number of events that were counted.
  public let counted: Int
  /// The number that had been counted before.
  public let known: Int
  /// The number whose entity is not in the answer.
  public let unknown: Int
}

/// A relation between products that the shop's feed brings.
public enum EntityRelation: String, Sendable, Hashable, CaseIterable {
  /// Products that go with a product, or are bought with it.
  case bought
  /// Products that complete the look of a product.
  case look
}

/// The entities that look most like one, or that the shop relates to it.
public struct Neighbors: Codable, Sendable, Hashable {
  /// An entity that looks alike.
  public struct Neighbor: Codable, Sendable, Hashable {
    /// The entity.
    public let entity: Entity
    /// True if details of the two images agree in their places, as those of one thing in two colors do.
    public let sharesDetails: Bool
    /// The cosine of the angle between the vectors of the two images, if both have one.
    public let cosine: Double?
  }

  /// The generation of the catalogue.
  public let generation: Int
  /// The neighbors, the nearest first; related ones in the order of the feed.
  public let neighbors: [Neighbor]
  /// True if the server could not read the image of the entity and searched with what its index has of it, which finds less;
  /// `nil` otherwise.
  public let signatureSearched: Bool?
}

/// The generations in which an entity was added and changed.
public struct EntityHistory: Codable, Sendable, Hashable {
  /// A generation, or a range of them if it is not known exactly.
  public struct Event: Codable, Sendable, Hashable {
    /// The first generation of the range.
    public let firstGeneration: Int
    /// The last generation of the range.
    public let generation: Int
    /// The time of ``generation``.
    public let date: String
  }

  /// The generation of the catalogue.
  public let generation: Int
  /// The generation in which it was added, if it is known.
  public let added: Event?
  /// The generation in which it was changed last, or added, if it is known.
  public let changed: Event?
}
