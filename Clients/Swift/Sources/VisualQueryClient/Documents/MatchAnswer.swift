public import Foundation

/// The answer to a match: the document `vq.match/1`.
public struct MatchAnswer: Codable, Sendable, Hashable {
  /// The name and version of the document.
  public let schema: String
  /// The name of the image as it was given.
  public let query: String
  /// True if all planned work was done before the deadline.
  public let complete: Bool
  /// The share of the planned work that was done, `0...1`.
  public let coverage: Double
  /// The time on the server, in milliseconds.
  public let elapsedMs: Double
  /// The generation of the catalogue that every value comes from.
  public let generation: Int
  /// The matches, best first.
  public let values: [MatchedEntity]
  /// The possible matches if none is sure, best first: for a person to choose from, apart from `values`, never for a program
  /// that acts alone. Its confidences are shares of one probability. Empty if something is sure, if nothing is likely
  /// enough, if only sure answers were asked for, and from older services.
  public var possible: [MatchedEntity] { listed ?? [] }
  private let listed: [MatchedEntity]?
  /// The reason why `values` is empty.
  public let emptyReason: EmptyReason?
  /// The labels of the question that the catalogue does not know.
  public let unmatchedLabels: [String]
  /// The codes of the question that led to no product; absent if there are none.
  public let unmatchedCodes: [UnmatchedCode]?
  /// The numbers of the shards of engine mode that were not searched; absent if all were.
  public let missingShards: [Int]?
  /// The number of damaged rows that shards sent, which were left out; absent if there were none.
  public let damagedRows: Int?
  /// True if the embedding of the question was compared with those of the catalogue; absent if the question has none.
  public let embeddingCompared: Bool?
  /// The facets of all matches, on whatever page; absent if none were asked for.
  public let facets: Facets?
  /// True if further pages have more matches.
  public let hasMore: Bool
  /// The token of the next page, which needs no image.
  public let continuation: String?
  /// The damage of the image, which was searched with its intact part; absent if there is none.
  public let damage: ImageDamage?

  private enum CodingKeys: String, CodingKey {
    case schema, query, complete, coverage, elapsedMs, generation, values, listed = "possible"
    case emptyReason, unmatchedLabels, unmatchedCodes, missingShards, damagedRows, embeddingCompared
    case facets, hasMore, continuation, damage
  }

  /// The damage of an image.
  public struct ImageDamage: Codable, Sendable, Hashable {
    /// `truncated` if its end is missing, `corrupt` if other data is damaged.
    public let code: String
    /// The sentence for developers, for example with the number of rows that are there.
    public let detail: String
  }

  /// A code that led to no product.
  public struct UnmatchedCode: Codable, Sendable, Hashable {
    /// The code, as it was given.
    public let code: String
    /// `invalid` if its length or check digit is wrong, `unknown` if no product has it.
    public let reason: String
  }

  /// The reason why an answer has no match. Later services may have further reasons.
  public struct EmptyReason: RawRepresentable, Codable, Sendable, Hashable {
    /// The name in documents.
    public let rawValue: String

    /// Makes a reason.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The best candidate is below the cut-off.
    public static let nothingAboveConfidence = EmptyReason(rawValue: "nothingAboveConfidence")
    /// The image is flat, and no label is known.
    public static let noUsableSignal = EmptyReason(rawValue: "noUsableSignal")
    /// The filters leave no entity to search.
    public static let filteredOut = EmptyReason(rawValue: "filteredOut")
    /// The deadline passed before the image was looked at.
    public static let deadlinePassed = EmptyReason(rawValue: "deadlinePassed")
    /// The shop has no entities.
    public static let emptyCatalogue = EmptyReason(rawValue: "emptyCatalogue")
    /// The shop has no images that the image could be compared with.
    public static let noImages = EmptyReason(rawValue: "noImages")
  }
}

/// The kind of a match, from the surest to the vaguest. Later services may have further kinds.
public struct MatchTier: RawRepresentable, Codable, Sendable, Hashable {
  /// The name in documents.
  public let rawValue: String

  /// Makes a tier.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A code of the product was read.
  public static let code = MatchTier(rawValue: "code")
  /// The same image.
  public static let exact = MatchTier(rawValue: "exact")
  /// The same image, edited or partly visible.
  public static let near = MatchTier(rawValue: "near")
  /// An image that looks similar.
  public static let similar = MatchTier(rawValue: "similar")
  /// A label in common.
  public static let label = MatchTier(rawValue: "label")
}

/// One match.
public struct MatchedEntity: Codable, Sendable, Hashable, Identifiable {
  /// The rank, from 1.
  public let rank: Int
  /// The type.
  public let type: EntityType
  /// The shop's own id.
  public let id: String
  /// The calibrated probability that the person points at this entity.
  public let confidence: Double
  /// The kind of the match.
  public let tier: MatchTier
  /// The link that opens it.
  public let url: URL?
  /// The texts and the image for a card.
  public let display: Display
  /// The matched product that a store stocks.
  public let stocks: String?
  /// The distance of a store, in meters.
  public let distanceMeters: Double?
  /// True if a store is open.
  public let openNow: Bool?
  /// The fields of a product.
  public let product: Product?
  /// The fields of a store.
  public let store: Store?
  /// The terms of the confidence.
  public let evidence: [Evidence]

  /// One term of a confidence.
  public struct Evidence: Codable, Sendable, Hashable {
    /// The kind, such as `keypoints`.
    public let kind: String
    /// The measured value.
    public let value: Double
    /// Its weight in log-odds.
    public let weight: Double
  }

  /// The match as an entity.
  public var entity: Entity {
    Entity(EntityID(type, id), url: url, display: display, product: product, store: store)
  }
}
