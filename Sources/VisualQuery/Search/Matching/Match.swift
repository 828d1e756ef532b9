/// The kind of a match: images from the surest to the vaguest, then words and codes.
public enum MatchTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The same image.
  case exact
  /// The same image, edited or partly visible.
  case near
  /// An image that looks similar.
  case similar
  /// A label in common.
  case label
  /// A product code that was read on the device: the surest of all.
  case code
}

/// One ranked entity of an answer.
public struct Match: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// The rank, from 1.
  public let rank: Int
  /// The calibrated probability, `0...1`, that the person points at this entity.
  public let confidence: Double
  /// The kind of the match.
  public let tier: MatchTier
  /// The terms of the confidence; their weights add up to its log-odds.
  public let evidence: [Evidence]
  /// The words that were read in the image and that some entity has, those that weigh most first, at most 32; empty if none were read, and on
  /// further pages.
  package var words: [ReadWord] = []
  /// The path of the image that matched, as the feed gave it, or `nil` if only labels did.
  package let matchedImage: String?
  /// The position of that image among the entity's images.
  package let matchedImagePosition: Int?
  /// The position of that image within the query's, or `nil` if too few keypoints agree.
  package let alignment: MatchAlignment?
  /// The number of the ``MatchResponse/objects`` that it belongs to, or `nil` if it is not known which part of
  /// the image shows it.
  public let object: Int?
  /// The matched product that brings a store, which stocks it.
  public let stocks: EntityID?
  /// The distance of a store from ``MatchOptions/near``, in meters.
  public let distanceMeters: Double?
  /// A Boolean value that indicates whether a store is open at ``MatchOptions/date``, or `nil` if its hours are not known.
  public let isOpen: Bool?
  /// The texts for a card, in the language of the query as far as the catalogue has it.
  public let display: DisplayRepresentation
  /// The link that opens the entity.
  public let handoff: Handoff
  /// The name of the shop's rule that moved it, or `nil` if it is where its confidence puts it.
  package let rule: String?
  /// The other variants of its group that have the same first image, such as sizes, or all of them if
  /// ``MatchOptions/isGrouped``, at most 50: those that were found as well, the best first, then the others in
  /// catalogue order, unless products were filtered.
  public let variants: [MatchVariant]
}

/// Another variant of a matched product.
public struct MatchVariant: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// The confidence that it would have as a match, or `nil` if it is not among the answers.
  public let confidence: Double?
  /// The texts and the image for a card, in the language of the query.
  public let display: DisplayRepresentation
  /// The link that opens it.
  public let handoff: Handoff
}
