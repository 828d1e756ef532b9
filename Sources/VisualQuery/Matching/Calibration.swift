#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// Turns measurements into a probability.
///
/// Two steps of logistic regression. The first adds what hash, colors, texture, corners and labels
/// say to a score that puts the candidates in order. The second makes a probability of the same
/// and of the score's lead: the same likeness means much where nothing else comes near it, and little
/// among many that look alike (the ratio test of Lowe, "Distinctive image features from
/// scale-invariant keypoints", 2004, <https://doi.org/10.1023/B:VISI.0000029664.99615.94>, for whole
/// pictures).
///
/// The coefficients come from `vq eval --calibrate`; docs/quality.md describes the data and says how
/// well they hold. Fit them again after any change of a signature or of a term.
public enum Calibration {
  /// The least confidence that is shown where a query does not say otherwise: of pictures of other
  /// things, one in a hundred gives a match.
  public static let defaultCutOff = 0.85
  /// The same where only labels are asked for: none, since of *n* entities with a label each is the
  /// one that is meant with a probability of 1/*n* at most, and a person wants to see them all the
  /// same.
  public static let labelsOnlyCutOff = 0.0

  /// What speaks for one picture of an entity.
  struct Score: Sendable, Hashable {
    /// See ``Evidence/Kind/hash``.
    var hash: Double
    /// See ``Evidence/Kind/color``.
    var color: Double
    /// See ``Evidence/Kind/texture``.
    var texture: Double
    /// See ``Evidence/Kind/votes``.
    var votes = 0
    /// See ``Evidence/Kind/inliers``.
    var inliers = 0
    /// See ``Evidence/Kind/agreement``.
    var agreement = 0.0
    /// See ``Evidence/Kind/alignedColor``; `nil` where nothing aligns the pictures.
    var alignedColor: Double?
    /// See ``Evidence/Kind/labels``; `nil` where no label is known.
    var labels: Double?

    /// What candidates are put in order by; grows with each part.
    var total: Double {
      zip(features, coefficients.step1).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// The same where no label is known.
    var withoutLabels: Score {
      var score = self
      score.labels = nil
      return score
    }

    /// What the coefficients of the first step are multiplied with, in the order of ``kinds``; each
    /// grows with its part, and counts for nothing where that is unknown. Four corners may agree by
    /// chance.
    var features: [Double] { features(inliersFrom: 4) }

    /// The same for the second step. Fourteen corners agree where only a brand's logo is the same,
    /// which makes a likely answer, not a sure one.
    var certainties: [Double] { features(inliersFrom: 14) }

    private func features(inliersFrom least: Int) -> [Double] {
      [
        hash, Self.likeness(color), Self.likeness(texture), log(1 + Double(votes) / 1000),
        log(1 + Double(max(0, inliers - least))), agreement, alignedColor ?? 0, labels ?? 0,
      ]
    }

    /// What was measured, in the order of ``kinds``; `nil` where it could not be.
    fileprivate var values: [Double?] {
      [hash, color, texture, Double(votes), Double(inliers), agreement, alignedColor, labels]
    }

    /// Grows ever faster as histograms become equal; capped at those that differ by rounding alone.
    private static func likeness(_ similarity: Double) -> Double { -log(max(0.02, 1 - similarity)) }
  }

  /// What the first step adds up.
  static let kinds: [Evidence.Kind] = [
    .hash, .color, .texture, .votes, .inliers, .agreement, .alignedColor,
    .labels,
  ]

  /// What `vq eval --calibrate` fits.
  struct Coefficients: Sendable, Hashable {
    /// A factor for each of ``kinds``, none below zero.
    var step1: [Double]
    /// A factor for each of ``kinds`` again: what it adds to the log-odds, none below zero.
    var step2: [Double]
    /// The log-odds of an entity for which nothing speaks and that has no lead.
    var prior: Double
    /// What the lead adds to them.
    var lead: Double
  }

  /// How far a score is ahead of the best other one: capped, since more says no more.
  static func lead(_ score: Double, over rival: Double?) -> Double {
    max(-3, min(3, rival.map { score - $0 } ?? 0))
  }

  /// How far what looks most like the picture may be ahead of what has its label: beyond, the label
  /// is taken to be wrong, and counts for nothing. Chosen so that photos whose label is right lose
  /// about a point of recall by it (docs/quality.md).
  static let labelGap = 4.5

  /// Whether the labels of a query can be right, by the scores of all its candidates.
  static func believesLabels(_ scores: some Sequence<Score>) -> Bool {
    var best = -Double.infinity
    var labelled = -Double.infinity
    for score in scores {
      let likeness = score.withoutLabels.total
      best = max(best, likeness)
      if (score.labels ?? 0) > 0 { labelled = max(labelled, likeness) }
    }
    return best - labelled <= labelGap
  }

  /// The terms of an entity whose best picture has `score`.
  ///
  /// - Parameter rival: The best score of another entity, or `nil` where there is none.
  static func evidence(_ score: Score, rival: Double?) -> [Evidence] {
    let lead = lead(score.total, over: rival)
    var terms = [Evidence(kind: .prior, value: 1, weight: coefficients.prior)]
    let certainties = score.certainties
    for (index, kind) in kinds.enumerated() {
      guard let value = score.values[index] else { continue }
      terms.append(
        Evidence(
          kind: kind, value: value,
          weight: coefficients.step2[index] * certainties[index]))
    }
    return terms + [Evidence(kind: .lead, value: lead, weight: coefficients.lead * lead)]
  }

  /// The terms for an entity that only shares a label, with `sharers` others or itself alone: a
  /// label is right for ``labelTrust`` of the pictures, and each of those who share it as likely.
  static func evidence(sharers: Int) -> [Evidence] {
    let prior = logOdds(of: labelTrust)
    let probability = labelTrust / Double(max(1, sharers))
    return [
      Evidence(kind: .prior, value: 1, weight: prior),
      Evidence(
        kind: .labels, value: -log2(Double(max(1, sharers))),
        weight: logOdds(of: probability) - prior),
    ]
  }

  /// The probability whose log-odds are the sum of the terms.
  static func confidence(_ evidence: [Evidence]) -> Double {
    1 / (1 + exp(-evidence.reduce(0) { $0 + $1.weight }))
  }

  /// The log-odds of a probability.
  static func logOdds(of probability: Double) -> Double { log(probability / (1 - probability)) }

  /// How often a coarse label is right.
  private static let labelTrust = 0.6

  /// Fitted by that command; in the order of ``kinds``.
  static let coefficients = Coefficients(
    step1: [1.642, 4.877, 2.979, 0.058, 2.059, 0.769, 0.832, 1.771],
    step2: [1.169, 0.587, 0, 0.037, 0.32, 1.694, 0.045, 0.97], prior: -3.117, lead: 0.948)
}
