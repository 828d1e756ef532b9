/// One term behind a match. The weights of all terms add up to the log-odds of its confidence.
public struct Evidence: Sendable, Hashable, Codable {
  /// What speaks for or against a match.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// What holds before anything is looked at; its value is 1.
    case prior
    /// Share of equal bits of the PDQ hashes, under the best of the eight variants, `0...1`.
    case hash
    /// Similarity of the color histograms, `0...1`.
    case color
    /// Mean color distance of cells at the same place, in Oklab, after means are made equal.
    case layout
    /// Distance of the mean colors, in Oklab.
    case shift
    /// Rarity, in bits, of the labels that agree; below zero where known labels disagree.
    case labels
  }

  /// What it is about.
  public let kind: Kind
  /// What was measured, in the unit of its kind.
  public let value: Double
  /// What it adds to the log-odds.
  public let weight: Double
}
