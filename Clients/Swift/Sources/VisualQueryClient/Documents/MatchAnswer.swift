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
  /// The entities that show the same thing as the image in another color, which the shop may lack: mostly the variants of one group, the
  /// likeliest first, to be shown apart. Their confidence is the probability that it is the same thing. Empty unless nothing is sure or
  /// possible.
  public var siblings: [MatchedEntity] { otherColors ?? [] }
  private let otherColors: [MatchedEntity]?
  /// The entities of the same kind as what the image shows, and not the same thing, the likeliest first: to be shown apart, as similar.
  /// Their confidence is the probability that a person would call both the same kind. Absent if they were not asked for, and something is
  /// sure or the service has no model for it.
  public let similar: [MatchedEntity]?
  /// The things that the image shows, as far as the matches tell; ``MatchedEntity/object`` names one of them.
  public var objects: [MatchedObject] { found ?? [] }
  private let found: [MatchedObject]?
  /// The parts of the image that were searched on their own, or should be. Mostly there are none.
  public var regions: [SearchedRegion] { parts ?? [] }
  private let parts: [SearchedRegion]?
  /// The reason why `values` is empty.
  public let emptyReason: EmptyReason?
  /// The labels of the question that the catalogue does not know.
  public let unmatchedLabels: [String]
  /// The words of ``MatchQuestion/text`` that neither what the image surely shows nor a variant of it has or, if nothing is sure, none of
  /// the likeliest entities; absent if no words were asked, and on further pages.
  public let unmatchedWords: [String]?
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
  /// The color space that the image's file declares; absent if it is sRGB.
  public let profile: ColorProfile?
  /// The statements that people made about the question, and their effect; absent if there are none.
  public let feedback: FeedbackEffects?

  private enum CodingKeys: String, CodingKey {
    case schema, query, complete, coverage, elapsedMs, generation, values, listed = "possible",
      otherColors = "sibling", similar
    case found = "objects", parts = "regions", profile, feedback, emptyReason, unmatchedLabels,
      unmatchedWords, unmatchedCodes, missingShards, damagedRows, embeddingCompared
    case facets, hasMore, continuation, damage
  }

  /// The damage of an image.
  public struct ImageDamage: Codable, Sendable, Hashable {
    /// `truncated` if its end is missing, `corrupt` if other data is damaged.
    public let code: String
    /// The sentence for developers, for example with the number of rows that are there.
    public let detail: String
  }

  /// A color space that an image's file declares.
  public struct ColorProfile: Codable, Sendable, Hashable {
    /// The name of the profile.
    public let name: String
    /// True if the pixels were converted to sRGB.
    public let applied: Bool
    /// The reason why they were not.
    public let ignored: String?
  }

  /// The effects of what people said.
  public struct FeedbackEffects: Codable, Sendable, Hashable {
    /// The effect of a statement on an entity.
    public struct Effect: Codable, Sendable, Hashable {
      /// The type of the entity.
      public let type: EntityType
      /// Its id.
      public let id: String
      /// The number of the statement.
      public let statement: Int
    }

    /// The entities that are left out.
    public let suppressed: [Effect]
    /// The entities that come first.
    public let pinned: [Effect]
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

/// A thing that an image shows.
public struct MatchedObject: Codable, Sendable, Hashable {
  /// The number that its matches name, from 1.
  public let number: Int
  /// The part of the image that it covers.
  public let box: ImageRegion
}

/// A part of an image that was searched on its own, or should be.
public struct SearchedRegion: Codable, Sendable, Hashable {
  /// The kind of the proposal: `layout`, `outline`, `remainder`, `windows` or `light`.
  public let source: String
  /// The part of the image.
  public let box: ImageRegion
  /// False if only a search with the image would look at it, since the question has a signature.
  public let searched: Bool
  /// The type of the likeliest entity in it.
  public let type: EntityType?
  /// The id of the likeliest entity in it.
  public let id: String?
  /// The confidence of that entity, which may be a guess.
  public let confidence: Double?
}

/// The place of a catalogue image in the image of a question.
public struct Alignment: Codable, Sendable, Hashable {
  /// The number of corners that agree.
  public let inliers: Int
  /// True if the question shows it mirrored.
  public let isMirrored: Bool
  /// The rows of a 3 × 3 matrix from the question to the catalogue image, both in shares of their sides.
  public let transform: [Double]
  /// The box around ``outline``.
  public let region: ImageRegion
  /// The corners of the thing, clockwise from the upper left, without the plain background.
  public let outline: [ImagePoint]
}

/// Another variant of a product that was found.
public struct Variant: Codable, Sendable, Hashable, Identifiable {
  /// The shop's own id.
  public let id: String
  /// Its confidence as a match; absent if it is not among the matches.
  public let confidence: Double?
  /// The link that opens it.
  public let url: URL?
  /// The texts and the image for a card.
  public let display: Display
  /// The fields of the product.
  public let product: Product

  /// The variant as an entity.
  public var entity: Entity {
    Entity(EntityID(.product, id), url: url, display: display, product: product)
  }
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
  /// The words that were read and that some entity has, those that weigh most first; `nil` if there are none, and on further pages.
  public let words: [ReadWord]?
  /// The rule of the shop that moved it, by its name.
  public let rule: String?
  /// The image of the entity that was found: a path of the service or the shop's own address.
  public let matchedImage: String?
  /// The place of the thing in the image, if corners agree.
  public let alignment: Alignment?
  /// The number of its thing among ``MatchAnswer/objects``.
  public let object: Int?
  /// The other variants of a product with the same image, such as sizes, or all of its group if the question asked for one match
  /// for each group.
  public let variants: [Variant]?

  /// One term of a confidence.
  public struct Evidence: Codable, Sendable, Hashable {
    /// The kind, such as `keypoints`.
    public let kind: String
    /// The measured value.
    public let value: Double
    /// Its weight in log-odds.
    public let weight: Double
  }

  /// A word that was read in the image or sent with the question.
  public struct ReadWord: Codable, Sendable, Hashable {
    /// The word, in lower case without diacritics, as it was read.
    public let text: String
    /// True if the entity has the word; if not, others do, and it counts against this one.
    public let agrees: Bool
    /// The corners of its line in the direction of reading; empty if its place is not known.
    public let corners: [ImagePoint]
  }

  /// The match as an entity.
  public var entity: Entity {
    Entity(EntityID(type, id), url: url, display: display, product: product, store: store)
  }
}
