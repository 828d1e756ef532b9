/// One term behind a match. The weights of all terms add up to the log-odds of its confidence.
public struct Evidence: Sendable, Hashable, Codable {
  /// What speaks for or against a match.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// What holds before anything is looked at; its value is 1.
    case prior
    /// Nearness of the PDQ hashes under the best of the eight variants: `1` for equal ones, `0` from
    /// 90 of 256 bits on, less where a picture is too flat for its hash to be trusted.
    case hash
    /// Similarity of the color histograms, `0...1`.
    case color
    /// Similarity of the texture histograms, `0...1`.
    case texture
    /// What corners with like hashes add up to, each by its nearness and rarity, where they turn the
    /// picture alike.
    case votes
    /// How many corners, each at another place, one transform brings onto their counterparts.
    case inliers
    /// The share of the picture's corners, as far as the query has room for them, that agree, `0...1`.
    case agreement
    /// Likeness of the colors at the places that the transform aligns, after the light is made the
    /// same: `1` for equal ones, `0` for those of another thing.
    case alignedColor
    /// What the rarest label that agrees says, in bits, `0...2`; below zero where known labels
    /// disagree.
    case labels
    /// Confidence of the matched product that a store has in stock.
    case stock
    /// How far its score is ahead of the best other entity's, or behind it.
    case lead
  }

  /// What it is about.
  public let kind: Kind
  /// What was measured, in the unit of its kind.
  public let value: Double
  /// What it adds to the log-odds.
  public let weight: Double
}
