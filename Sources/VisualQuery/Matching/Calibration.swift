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
/// Two steps of logistic regression. The first adds what a picture's hash, its colors and the labels
/// say to a score that puts the candidates in order. The second makes a probability of the score and
/// of its lead: the same likeness means much where nothing else comes near it, and little among many
/// that look alike (the ratio test of Lowe, "Distinctive image features from scale-invariant
/// keypoints", 2004, <https://doi.org/10.1023/B:VISI.0000029664.99615.94>, for whole pictures).
///
/// The coefficients were fitted by `Benchmarks/quality/fit_confidence.py`, which describes the data
/// and says how well they hold; run it again after any change of a signature or of a term.
public enum Calibration {
  /// The least confidence that is shown where a query does not say otherwise: of pictures of other
  /// things, one in a hundred gives a match.
  public static let defaultCutOff = 0.7
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
    /// See ``Evidence/Kind/labels``; `nil` where no label is known.
    var labels: Double?

    /// What candidates are put in order by; grows with each part.
    var total: Double {
      Step1.hash * hash + Step1.color * colorTerm + Step1.labels * (labels ?? 0)
    }

    /// Grows ever faster as histograms become equal; capped at those that differ by rounding alone.
    fileprivate var colorTerm: Double { -log(max(0.02, 1 - color)) }
  }

  /// The terms of an entity whose best picture has `score`.
  ///
  /// - Parameter rival: The best score of another entity, or `nil` where there is none.
  static func evidence(_ score: Score, rival: Double?) -> [Evidence] {
    let lead = max(-3, min(6, rival.map { score.total - $0 } ?? 0))
    var terms = [
      Evidence(kind: .prior, value: 1, weight: Step2.prior),
      Evidence(kind: .hash, value: score.hash, weight: Step2.score * Step1.hash * score.hash),
      Evidence(
        kind: .color, value: score.color, weight: Step2.score * Step1.color * score.colorTerm),
    ]
    if let labels = score.labels {
      terms.append(
        Evidence(kind: .labels, value: labels, weight: Step2.score * Step1.labels * labels))
    }
    terms.append(Evidence(kind: .lead, value: lead, weight: Step2.lead * lead))
    return terms
  }

  /// The terms for an entity that only shares a label, with `sharers` others or itself alone: a
  /// label is right for ``labelTrust`` of the pictures, and each of those who share it as likely.
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

  private enum Step1 {
    static let hash = 8.01
    static let color = 2.70
    static let labels = 1.14
  }

  private enum Step2 {
    static let prior = -3.28
    static let score = 0.331
    static let lead = 2.16
  }
}
