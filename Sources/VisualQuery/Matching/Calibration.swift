#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// Turns measurements into a probability: logistic regression over a few terms.
///
/// The coefficients were fitted by `Benchmarks/quality/fit_confidence.py`, which describes the
/// data; run it again after any change of a signature or of a term below.
public enum Calibration {
  /// The least confidence that is shown where a query does not say otherwise.
  public static let defaultCutOff = 0.5
  /// The same where only labels are asked for: each of *n* entities with a label is the one that is
  /// meant with a probability of 1/*n* at most, and a person wants to see them all the same.
  public static let labelsOnlyCutOff = 0.02

  /// What was measured between a query and one picture of an entity.
  struct Measurement: Sendable, Hashable {
    /// Hamming distance under the best variant, `0...256`.
    var hashDistance: Int
    /// How far the hashes can be trusted, `0...1`.
    var hashTrust: Double
    /// Similarity of the color histograms, `0...1`.
    var colorSimilarity: Double
    /// Mean distance of aligned cells, in Oklab.
    var layoutResidual: Double
    /// Distance of the means, in Oklab.
    var layoutShift: Double
  }

  /// The terms for a picture, and for labels of which `labelRarity` bits agree.
  static func evidence(_ measurement: Measurement, labelRarity: Double?) -> [Evidence] {
    let c = Coefficients.fitted
    let nearness = measurement.hashTrust * max(0, 1 - Double(measurement.hashDistance) / 110)
    var terms = [
      Evidence(kind: .prior, value: 1, weight: c.prior),
      Evidence(
        kind: .hash, value: 1 - Double(measurement.hashDistance) / 256, weight: c.hash * nearness),
      Evidence(
        kind: .color, value: measurement.colorSimilarity,
        weight: c.color * measurement.colorSimilarity),
      Evidence(
        kind: .layout, value: measurement.layoutResidual,
        weight: c.layout * min(measurement.layoutResidual, 0.25)),
      Evidence(
        kind: .shift, value: measurement.layoutShift,
        weight: c.shift * min(measurement.layoutShift, 0.25)),
    ]
    if let labelRarity {
      terms.append(Evidence(kind: .labels, value: labelRarity, weight: c.labels * labelRarity))
    }
    return terms
  }

  /// The terms for an entity that only shares a label, with `sharers` others or itself alone: a
  /// label is right for `labelTrust` of the pictures, and each of those who share it as likely.
  static func evidence(sharers: Int) -> [Evidence] {
    let prior = log(labelTrust / (1 - labelTrust))
    let probability = labelTrust / Double(max(1, sharers))
    return [
      Evidence(kind: .prior, value: 1, weight: prior),
      Evidence(
        kind: .labels, value: -log2(Double(max(1, sharers))),
        weight: log(probability / (1 - probability)) - prior),
    ]
  }

  /// The probability whose log-odds are the sum of the terms.
  static func confidence(_ evidence: [Evidence]) -> Double {
    1 / (1 + exp(-evidence.reduce(0) { $0 + $1.weight }))
  }

  /// How often a coarse label is right.
  private static let labelTrust = 0.6

  private struct Coefficients {
    let prior, hash, color, layout, shift, labels: Double
    static let fitted = Coefficients(
      prior: -6, hash: 12, color: 6, layout: -20, shift: -4, labels: 0.5)
  }
}

extension Calibration.Measurement {
  /// Measures a query against one picture, under the variant whose hash is nearest.
  ///
  /// - Parameter layouts: The query's color layout under each variant.
  init(of query: QuerySignature, _ layouts: [ColorLayout], against other: Signature) {
    var best = (distance: Int.max, variant: 0)
    for (variant, hash) in query.variants.enumerated() {
      let distance = hash.hammingDistance(to: other.pdq)
      if distance < best.distance { best = (distance, variant) }
    }
    let difference = layouts[best.variant].difference(from: other.layout)
    let quality = min(query.signature.pdqQuality, other.pdqQuality)
    self.init(
      // PDQ's authors distrust a quality of 49 and less.
      hashDistance: best.distance, hashTrust: min(1, Double(quality) / 50),
      colorSimilarity: query.signature.color.similarity(to: other.color),
      layoutResidual: difference.residual, layoutShift: difference.shift)
  }

  /// Which tier a picture match is of. Distances of edits are those that were measured on some
  /// thousand pictures: recompression stays within 12 bits, most photos of a picture within 64.
  var tier: MatchTier {
    if hashTrust == 1 && hashDistance <= 12 && layoutResidual < 0.03 && layoutShift < 0.03 {
      return .exact
    }
    return hashTrust == 1 && hashDistance <= 64 ? .near : .similar
  }
}
