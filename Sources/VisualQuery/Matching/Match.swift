/// How a match came about, from surest to vaguest.
public enum MatchTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The same picture.
  case exact
  /// The same picture, edited or partly seen.
  case near
  /// It looks alike.
  case similar
  /// Only the words agree.
  case label
}

/// One ranked answer.
public struct Match: Sendable, Hashable {
  /// The entity.
  public let value: EntityValue
  /// Its place among the answers, from 1.
  public let rank: Int
  /// Calibrated probability, `0...1`, that it is what the person points at.
  public let confidence: Double
  /// How the match came about.
  public let tier: MatchTier
  /// The terms behind the confidence; their weights add up to its log-odds.
  public let evidence: [Evidence]
  /// The catalogue's path of the picture that matched, or `nil` where only labels did.
  public let matchedImage: String?
  /// Where the entity opens.
  public let handoff: Handoff
}
