internal import PixelMatch

/// A query's picture, ready to be held against pictures of the catalogue one by one.
struct PictureComparison: Sendable {
  private let query: QuerySignature
  private let layouts: [ColorLayout]

  init(_ query: QuerySignature) {
    self.query = query
    layouts = DihedralVariant.allCases.map(query.signature.layout.applying)
  }

  /// What was measured between the query and one picture.
  struct Measurement: Sendable, Hashable {
    let hash: Double
    let color: Double
    let tier: MatchTier
  }

  /// Compares hashes under the variant that brings them nearest, and colors.
  func measure(_ other: Signature) -> Measurement {
    var best = (distance: Int.max, variant: 0)
    for (variant, hash) in query.variants.enumerated() {
      let distance = hash.hammingDistance(to: other.pdq)
      if distance < best.distance { best = (distance, variant) }
    }
    // PDQ's authors distrust a quality of 49 and less.
    let trust = min(1, Double(min(query.signature.pdqQuality, other.pdqQuality)) / 50)
    return Measurement(
      hash: trust * max(0, 1 - Double(best.distance) / 110),
      color: query.signature.color.similarity(to: other.color),
      tier: tier(best.distance, trust, layouts[best.variant], other.layout))
  }

  /// Recompression stays within 12 bits and changes no color to speak of; most photos of a picture
  /// stay within 64, which no two of a million unrelated pictures do (p = 4·10⁻⁵ for related ones).
  private func tier(
    _ distance: Int, _ trust: Double, _ layout: ColorLayout, _ other: ColorLayout
  ) -> MatchTier {
    guard trust == 1, distance <= 64 else { return .similar }
    guard distance <= 12 else { return .near }
    let difference = layout.difference(from: other)
    return difference.residual < 0.03 && difference.shift < 0.03 ? .exact : .near
  }
}
