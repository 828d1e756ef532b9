#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns measured evidence into a probability.
///
/// Two steps of logistic regression. The first adds hash, color, texture, keypoints and labels up to a
/// score that orders the candidates. The second makes a probability of the same measurements and of
/// the score's lead: a likeness means much if nothing else comes near it, and little among many
/// images that look alike (the ratio test of Lowe, "Distinctive image features from scale-invariant
/// keypoints", 2004, <https://doi.org/10.1023/B:VISI.0000029664.99615.94>, applied to whole images).
///
/// The coefficients come from `vq eval --calibrate`; docs/quality.md describes the data and how well
/// they hold. Fit them again after any change of a signature or of a term.
public enum Calibration {
  /// The lowest confidence that is shown if a query does not say otherwise. At this cut-off one in a
  /// hundred pictures of other things gives a match.
  public static let defaultCutOff = 0.85
  /// The cut-off of a query that has only labels: none. Of *n* entities with a label each is the right
  /// one with a probability of at most 1/*n*, and a person wants to see them all the same.
  public static let labelsOnlyCutOff = 0.0

  /// The numbers that `vq eval --calibrate` fits.
  struct Coefficients: Sendable, Hashable {
    /// The factors of the score, none below zero, in the order of ``MeasuredEvidence/Lane``.
    var step1: SIMD8<Double>
    /// The factors of the log-odds, none below zero, in the same order.
    var step2: SIMD8<Double>
    /// The log-odds of an entity without any evidence and without a lead.
    var prior: Double
    /// The factor of the lead in the log-odds.
    var lead: Double
  }

  /// The fitted coefficients.
  static let coefficients = Coefficients(
    step1: SIMD8(1.642, 4.877, 2.979, 0.058, 2.059, 0.769, 0.832, 1.771),
    step2: SIMD8(1.169, 0.587, 0, 0.037, 0.32, 1.694, 0.045, 0.97), prior: -3.117, lead: 0.948)

  /// The two best scores of a query, against which every candidate's lead is measured.
  struct Leaders: Sendable {
    private let best: Double?
    private let second: Double?

    /// Finds the two best of some scores.
    init(_ scores: some Sequence<Double>) {
      let top = scores.sorted(by: >).prefix(2)
      best = top.first
      second = top.dropFirst().first
    }

    /// The lead of one of the scores over the best of the others, `-3...3`. A larger lead says no
    /// more; a lone candidate has none.
    func lead(of score: Double) -> Double {
      let rival = score == best ? second : best
      return rival.map { max(-3, min(3, score - $0)) } ?? 0
    }
  }

  /// The largest accepted difference between the best score of all candidates and the best of those
  /// that have the label. Beyond it the label is taken to be wrong and counts for nothing. Chosen so
  /// that photos with a right label lose about a point of recall (docs/quality.md).
  static let labelGap = 4.5

  /// Returns whether the labels of a query can be right, given the evidence of all its candidates.
  static func believesLabels(_ candidates: some Sequence<MeasuredEvidence>) -> Bool {
    var best = -Double.infinity
    var labelled = -Double.infinity
    for evidence in candidates {
      let score = evidence.scoreWithoutLabels
      best = max(best, score)
      if (evidence[.labels] ?? 0) > 0 { labelled = max(labelled, score) }
    }
    return best - labelled <= labelGap
  }

  /// Returns the terms of an entity's log-odds.
  ///
  /// - Parameters:
  ///   - measured: The evidence of its best image.
  ///   - lead: The lead of its score; see ``Leaders``.
  static func evidence(_ measured: MeasuredEvidence, lead: Double) -> [Evidence] {
    var terms = [Evidence(kind: .prior, value: 1, weight: coefficients.prior)]
    let certainties = measured.certainties
    for lane in MeasuredEvidence.Lane.allCases {
      guard let value = measured[lane] else { continue }
      terms.append(
        Evidence(
          kind: lane.kind, value: value,
          weight: coefficients.step2[lane.rawValue] * certainties[lane.rawValue]))
    }
    return terms + [Evidence(kind: .lead, value: lead, weight: coefficients.lead * lead)]
  }

  /// Returns the terms of an entity that only shares a label, with `sharers` entities in all. The label
  /// is right for ``labelTrust`` of the pictures, and each entity that has it is equally likely.
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

  /// The share of pictures for which a coarse label is right.
  private static let labelTrust = 0.6

  /// Returns the probability whose log-odds are the sum of the terms.
  static func confidence(_ evidence: [Evidence]) -> Double {
    probability(ofLogOdds: evidence.reduce(0) { $0 + $1.weight })
  }

  /// Returns the log-odds of a probability.
  static func logOdds(of probability: Double) -> Double { log(probability / (1 - probability)) }

  /// Returns the probability with the given log-odds.
  static func probability(ofLogOdds odds: Double) -> Double { 1 / (1 + exp(-odds)) }
}
