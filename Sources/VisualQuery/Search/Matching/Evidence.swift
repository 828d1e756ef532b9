/// One term of a confidence. The weights of all terms add up to its log-odds.
public struct Evidence: Sendable, Hashable, Codable {
  /// The kind of evidence for or against a match.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The log-odds before any evidence; the value is 1.
    case prior
    /// The similarity of the PDQ hashes under the best of the eight variants: `1` for equal ones, `0` from
    /// 90 of 256 bits on, and less if an image is too flat for its hash to be trusted.
    case hash
    /// The similarity of the color histograms, `0...1`. Equal colors at aligned places raise its weight: a light may have
    /// changed the histogram.
    case color
    /// The similarity of the texture histograms, `0...1`.
    case texture
    /// The sum of the votes of keypoints with similar hashes that agree on a rotation, each weighted by its
    /// similarity and rarity.
    case votes
    /// The number of keypoints in different places that one transform maps onto their counterparts. Those that five groups or more share with
    /// the image do not count.
    case inliers
    /// The share of the image's keypoints within the query that agree, `0...1`.
    case agreement
    /// The similarity of the colors at the places that the transform aligns, after the light is equalized,
    /// `0...1`: `1` for equal ones, `0` for those that differ visibly.
    case alignedColor
    /// The contradiction of the colors, `-1...0`: images that align, yet with histograms of another color, as far as the
    /// colors at aligned places differ, too.
    case offColor
    /// The evidence of the rarest label that agrees, in bits, `0...2`; below zero if the known labels
    /// disagree.
    case labels
    /// The confidence of the matched product that a store has in stock.
    case stock
    /// The natural logarithm of how many times more keypoints agree than for any other entity; less if they are few.
    case inlierLead
    /// The lead of the score over that of the best other entity. It counts less if another entity aligns as well and
    /// the colors at aligned places are not equal, and not at all if another one aligns clearly better.
    case lead
    /// A product code that was read on the device; the value is 1.
    case code
    /// The number of the statement that says that the query means the entity (`vq feedback`).
    case pin
    // Continuations store the index of a case, so new cases are added at the end.
    /// By how many standard deviations the embedding is more similar to that of the query than those of the catalogue
    /// are on average, `0...4`.
    case embedding
    /// The share of other images of the entity among the twenty images that look most like the query, as far as it is more
    /// than chance, `0...1`. Entities with one image have none, nor has any if no more than twenty images were compared.
    case support
    /// The share of the image's patches within the query that look the same there, `0...1`. It counts from 0.88 on, and less if another
    /// entity has nearly as many, or was not compared. Measured in the image, for the best aligned entities if one of them is in doubt.
    case patches
    /// The certainty that a connected part of the thing is of another color, `0...1`, whatever else agrees: no light over the
    /// whole image explains the difference there. From 8 % of the thing on it counts against a match, and wholly from 16 % on.
    case contradiction
    /// The agreement of the text that was read with the words of the entity: of its title, its brand and its images. The value is the
    /// sum of the rarities of the pieces of words that both have, in relation to the root of that of all its pieces. Known words that the
    /// entity lacks count against it.
    case text
    /// The share of the words beside the image ("this, but in green") that the entity has, `0...1`. It makes siblings that have them as
    /// likely as the one in the image, and this one less likely. Of a question whose filter asks for a color, 1.
    case words
    /// What the fit of the shop (`vq fit`) adds to the log-odds; the value is the confidence without it.
    case fit
  }

  /// The kind of evidence.
  public let kind: Kind
  /// The measurement, in the unit of its kind.
  public let value: Double
  /// The addition to the log-odds.
  public let weight: Double
}
