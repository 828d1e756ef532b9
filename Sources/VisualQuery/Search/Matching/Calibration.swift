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
/// Evidence that is far off counts against a candidate: keypoints that agree while the colors are those of
/// another thing are a sibling's.
///
/// The coefficients are in Sources/CConfidence/files/confidence.txt, by name. They come from `vq eval --calibrate`; docs/quality.md describes the data and how well
/// they hold. Fit them again after any change of a signature or of a term.
package enum Calibration {
  /// The lowest confidence that is shown if a query does not say otherwise. At this cut-off one in two
  /// hundred images of other things gives a match (docs/quality.md).
  package static let defaultCutOff = 0.85
  /// The cut-off of a query that has only labels: none. Of *n* entities with a label each is the right
  /// one with a probability of at most 1/*n*, and a person wants to see them all the same.
  package static let labelsOnlyCutOff = 0.0

  /// The log-odds from which on an answer shows the highest confidence, 0.9999.
  static let highestShown = logOdds(of: 0.99985)

  /// The numbers that `vq eval --calibrate` fits.
  struct Coefficients: Sendable, Hashable {
    /// The factors of the score, none below zero.
    var step1: EvidenceVector
    /// The factors of the log-odds, none below zero.
    var step2: EvidenceVector
    /// The log-odds of an entity without any evidence and without a lead.
    var prior: Double
    /// The factor of ``Standing/lead`` in the log-odds.
    var lead: Double
    /// The addition to ``lead`` if colors and keypoints agree as well. A lead alone says only that nothing else in the
    /// catalogue is as similar, and the same holds for a thing that the catalogue lacks.
    var agreedLead: Double
    /// The factor of ``Standing/farLead`` as far as the histograms agree.
    var farLead: Double
    /// The factor of ``Standing/inlierLead``.
    var inlierLead: Double
    /// The terms that are added for an entity without a rival, which has no lead to show.
    var alone: Alone
    /// The share of a label's weight that counts beyond ``likely``: the lower bound without inliers, the upper bound with many if the
    /// colors are similar. An item that the catalogue lacks often has the label of its siblings.
    var labelsBeyondLikely: ClosedRange<Double>

    /// Reads the coefficients of the program.
    ///
    /// - Parameter column: Their column in the file.
    init(_ column: String, in file: CoefficientFile = .own) {
      let evidence = file.column(column, of: "evidence")
      let score = file.column("score", of: "evidence")
      let terms = file.column(column, of: "terms")
      step1 = EvidenceVector { score["\($0)"]! }
      step2 = EvidenceVector { evidence["\($0)"]! }
      prior = terms["prior"]!
      (lead, agreedLead, farLead) = (terms["lead"]!, terms["agreedLead"]!, terms["farLead"]!)
      inlierLead = terms["inlierLead"]!
      alone = Alone(
        prior: terms["alonePrior"]!, color: terms["aloneColor"]!, hash: terms["aloneHash"]!)
      labelsBeyondLikely = terms["labelsLeast"]!...terms["labelsMost"]!
    }

    /// The log-odds of an entity without any evidence.
    func prior(isAlone: Bool) -> Double { isAlone ? prior + alone.prior : prior }

    /// The factors of the log-odds.
    func factors(isAlone: Bool) -> EvidenceVector {
      guard isAlone else { return step2 }
      var factors = step2
      factors[.color] += alone.color
      factors[.hash] += alone.hash
      return factors
    }

    /// Returns the term of the lead in an entity's log-odds.
    func lead(of measured: MeasuredEvidence, _ standing: Standing) -> Double {
      lead * standing.lead + agreedLead * max(0, standing.lead) * measured.leadAgreement
        + farLead * standing.farLead * measured.farLeadAgreement
    }

    /// Returns the terms of an entity's log-odds without the prior.
    ///
    /// - Parameter prior: The log-odds without any evidence.
    func weights(
      of measured: MeasuredEvidence, _ standing: Standing, prior: Double
    ) -> EvidenceVector {
      var weights = factors(isAlone: standing.isAlone).times(measured.certainties(standing))
      let raised = weights[.labels]
      weights[.labels] = 0
      let room = max(
        0,
        Calibration.likely - prior - weights.sum - lead(of: measured, standing)
          - inlierLead * standing.inlierLead)
      let beyond = labelsBeyondLikely
      let share =
        beyond.lowerBound
        + (beyond.upperBound - beyond.lowerBound) * Rivals.trust(measured.inliers)
        * measured.labelAgreement
      weights[.labels] = raised <= room ? raised : room + share * (raised - room)
      // The penalty for another color is limited: a sibling in another color must stay at
      // least as likely as an entity that has nothing in common with the image.
      let others =
        prior + weights.sum - weights[.offColor] + lead(of: measured, standing)
        + inlierLead * standing.inlierLead
      weights[.offColor] = max(weights[.offColor], min(0, Calibration.unlikeliest - others))
      return weights
    }

    /// The additions for an entity without a rival.
    struct Alone: Sendable, Hashable {
      /// To the prior.
      var prior: Double
      /// To the factor of the colors.
      var color: Double
      /// To the factor of the hash.
      var hash: Double
    }
  }

  /// The coefficients for queries of which a third show nothing that the catalogue has, and some have wrong labels: the first step as
  /// `vq eval --calibrate` fits it, the second as `Benchmarks/quality/confidence.py` does; those of the labels and of other images are chosen
  /// for the smallest error of any single task (docs/quality-trials.md).
  static let coefficients = Coefficients("anything")

  /// The log-odds above which an answer is likely: those of 0.8.
  static let likely = logOdds(of: 0.8)

  /// The coefficients for queries that all show a thing of the catalogue, with right labels or none. The score is the same.
  private static let cataloguedCoefficients = Coefficients("catalogued")

  /// Returns the coefficients for what an image may show.
  static func coefficients(for subject: QuerySubject) -> Coefficients {
    switch subject {
    case .anything: coefficients
    case .catalogued: cataloguedCoefficients
    }
  }

  /// Returns the most that a lead beyond its limit adds to the log-odds.
  static func farLead(of measured: MeasuredEvidence) -> Double {
    coefficients.farLead * measured.farLeadAgreement
  }

  /// The addition to the log-odds of what is found in a cell of a page: a page of absent things has as many
  /// chances of a false match as it has cells. At it, the default cut-off is 0.92 for a cell (docs/quality-trials.md).
  static let cellPrior = -0.7

  /// Returns the addition to the log-odds of what is found in an outline or a window: keypoints have proposed it, so that a few
  /// of them agree there by chance more often than in a whole image.
  static func outlinePrior(inliers: Int) -> Double {
    let (enough, span) = outlineInliers
    return unsupported * max(0, min(1, Double(enough - inliers) / span))
  }

  /// The addition to the log-odds in an outline or a window that hardly any keypoint supports.
  private static let unsupported = -1.2
  /// The number of inliers at or above which that addition is zero, and how many fewer there are where all of it
  /// applies.
  private static let outlineInliers = (14, 6.0)

  /// Returns the addition of contradicting colors to the log-odds, zero or less. It is not fitted, because nothing
  /// else that agrees may make up for it: a sibling in another color, with a matching label, has log-odds of up to 7.
  ///
  /// It makes an answer unlikely but not impossible. A thing that contradicts only because of its light or a print
  /// still comes before entities that only have similar colors.
  ///
  /// - Parameter odds: The log-odds by all other evidence.
  static func contradiction(_ measured: MeasuredEvidence, against odds: Double) -> Double {
    max(-contradictionStrength * measured.contradictedShare, min(0, unlikely - odds))
  }

  /// The most that a contradiction takes from the log-odds, namely if all colors of a thing differ.
  private static let contradictionStrength = 12.0
  /// The log-odds below which a contradiction does not lower an answer: those of a probability of 0.18.
  private static let unlikely = -1.5
  /// The log-odds below which colors of another thing do not lower an answer: those of a probability of 0.02.
  private static let unlikeliest = -4.0

  /// The largest accepted difference between the best score of all candidates and the best of those
  /// that have the label. Beyond it the label is taken to be wrong and counts for nothing. Chosen so
  /// that photos with a right label lose about a point of recall (docs/quality-trials.md). Embeddings are left out of it: how
  /// far they spread the scores depends on their model.
  static let labelGap = 4.5

  /// Returns whether the labels of a query can be right, given the evidence of all its candidates.
  static func believesLabels(_ candidates: some Sequence<MeasuredEvidence>) -> Bool {
    var best = -Double.infinity
    var labelled = -Double.infinity
    for evidence in candidates {
      let score = evidence.scoreOfContent
      best = max(best, score)
      if (evidence.labels ?? 0) > 0 { labelled = max(labelled, score) }
    }
    return best - labelled <= labelGap
  }

  /// Returns the terms of an entity's log-odds.
  ///
  /// - Parameters:
  ///   - measured: The evidence of its best image.
  ///   - standing: Its standing among the candidates.
  ///   - subject: The things that the image may show.
  ///   - regionPrior: The addition to the prior for a part of the image.
  static func evidence(
    _ measured: MeasuredEvidence, _ standing: Standing, of subject: QuerySubject = .anything,
    regionPrior: Double = 0
  ) -> [Evidence] {
    evidence(measured, standing, by: coefficients(for: subject), regionPrior: regionPrior)
  }

  /// Returns the terms of an entity's log-odds by some coefficients.
  static func evidence(
    _ measured: MeasuredEvidence, _ standing: Standing, by coefficients: Coefficients,
    regionPrior: Double = 0
  ) -> [Evidence] {
    let prior = coefficients.prior(isAlone: standing.isAlone) + regionPrior
    var terms = [Evidence(kind: .prior, value: 1, weight: prior)]
    let weights = coefficients.weights(of: measured, standing, prior: prior)
    for lane in MeasuredEvidence.Lane.allCases {
      guard let value = measured[lane] else { continue }
      terms.append(Evidence(kind: lane.kind, value: value, weight: weights[lane]))
    }
    terms += [
      Evidence(
        kind: .inlierLead, value: standing.inlierLead,
        weight: coefficients.inlierLead * standing.inlierLead),
      Evidence(
        kind: .lead, value: standing.lead, weight: coefficients.lead(of: measured, standing)),
    ]
    if measured.contradictedShare > 0 {
      let odds = terms.reduce(0) { $0 + $1.weight }
      terms.append(
        Evidence(
          kind: .contradiction, value: measured.contradictedShare,
          weight: contradiction(measured, against: odds)))
    }
    return terms
  }

  /// Returns whether an embedding can make an entity sure: directions that were fitted to what the catalogue has say little of what it lacks, and
  /// an embedding that is nearer to another thing says nothing for this one, however far the others are behind.
  ///
  /// - Parameters:
  ///   - weighed: The value of the entity's embedding in its score.
  ///   - nearest: The highest such value of any entity.
  static func canMakeSure(
    _ measured: MeasuredEvidence, weighed: Double, nearest: Double
  ) -> Bool {
    // Entities that align have the highest value by a sum, which is rounded.
    !measured.isDirected && weighed >= nearest - 1e-9
  }

  /// Returns terms whose sum an embedding does not make surer than likely: what is sure is also sure without it. Among what is likely, the
  /// order stays.
  ///
  /// - Parameter others: The terms without the embedding.
  static func bounded(_ terms: [Evidence], ifLikely others: [Evidence]) -> [Evidence] {
    func odds(_ terms: [Evidence]) -> Double { terms.reduce(0) { $0 + $1.weight } }
    let surplus = odds(terms) - likely
    guard surplus > 0 else { return terms }
    let bound = max(odds(others) - likely, likelyRange * (1 - exp(-surplus)))
    guard surplus > bound else { return terms }
    return terms.map { term in
      term.kind == .embedding
        ? Evidence(kind: term.kind, value: term.value, weight: term.weight - (surplus - bound))
        : term
    }
  }

  /// Returns terms to whose embedding an addition is made.
  static func adding(_ said: Double, ofVectorTo terms: [Evidence]) -> [Evidence] {
    guard said != 0 else { return terms }
    var terms = terms
    if let place = terms.firstIndex(where: { $0.kind == .embedding }) {
      let own = terms[place]
      terms[place] = Evidence(kind: .embedding, value: own.value, weight: own.weight + said)
    } else {
      terms.append(Evidence(kind: .embedding, value: 0, weight: said))
    }
    return terms
  }

  /// The log-odds between what is likely and what is sure, less than those between ``likely`` and ``defaultCutOff``.
  private static let likelyRange = 0.3

  /// Returns the terms of an entity that only shares a label, with `sharers` entities in all. The label
  /// is right for ``labelTrust`` of the images, and each entity that has it is equally likely.
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

  /// The share of images for which a coarse label is right.
  private static let labelTrust = 0.6

  /// Returns the probability whose log-odds are the sum of the terms.
  static func confidence(_ evidence: [Evidence]) -> Double {
    probability(ofLogOdds: evidence.reduce(0) { $0 + $1.weight })
  }

  /// Returns the log-odds of a probability; of 1, which only rounding makes of a confidence, those of the greatest number below.
  static func logOdds(of probability: Double) -> Double {
    let probability = min(probability, 1.0.nextDown)
    return log(probability / (1 - probability))
  }

  /// Returns the probability with the given log-odds.
  static func probability(ofLogOdds odds: Double) -> Double { 1 / (1 + exp(-odds)) }
}
