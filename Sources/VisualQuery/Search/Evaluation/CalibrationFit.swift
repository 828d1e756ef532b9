#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// The measurements of one candidate, and whether it is right.
struct CalibrationSample: Sendable, Hashable {
  let id: EntityID
  let evidence: MeasuredEvidence
  /// The values whose sum is the score, each with its factor of the first step (``BestImage/weighed``).
  let weighed: EvidenceVector
  /// The number of the image, which is the same for all candidates with this image.
  let picture: Int
  let isRight: Bool

  /// - Parameter weighed: `nil` for the features of the evidence.
  init(
    id: EntityID, evidence: MeasuredEvidence, weighed: EvidenceVector? = nil, picture: Int,
    isRight: Bool
  ) {
    (self.id, self.evidence, self.picture, self.isRight) = (id, evidence, picture, isRight)
    self.weighed = weighed ?? evidence.features
  }

  /// The same candidate for a query whose hash says nothing.
  var withoutHash: CalibrationSample {
    var (evidence, weighed) = (evidence, weighed)
    evidence.hash = 0
    weighed[.hash] = 0
    return CalibrationSample(
      id: id, evidence: evidence, weighed: weighed, picture: picture, isRight: isRight)
  }
}

/// The coefficients of ``Calibration`` that suit some evaluated queries best.
///
/// The first step is a conditional logit (McFadden, "Conditional logit analysis of qualitative
/// choice behavior", 1974): of each query's candidates, the right one should have the largest score. The
/// second is a logistic regression of whether each of the three best is right, on the same features
/// and on the score's lead. Every query counts twice in it, once as if its hash were of no use, so
/// that corners are believed on their own where a crop leaves nothing of the hash. No factor is below
/// zero, so that more of any evidence never lowers a confidence.
///
/// The fit is linear: that labels count less for likely answers (``Calibration``) is applied after it.
///
/// For ``QuerySubject/catalogued`` there is only the second step, without what is added for an entity that has no rival: the
/// score is that of the code, and a thing of the catalogue mostly has rivals.
package struct CalibrationFit: Sendable {
  /// The best candidates of a query that the second step learns from.
  private static let bestCount = 3
  /// The weight of a query for which the catalogue has nothing: people point at other things more
  /// often than collections of test images have them.
  private static let negativeWeight = 2.0

  let coefficients: Calibration.Coefficients

  /// Takes coefficients as they are.
  init(_ coefficients: Calibration.Coefficients) { self.coefficients = coefficients }

  /// Fits queries, which need at least one with a right and a wrong candidate.
  ///
  /// - Parameters:
  ///   - queries: Asked queries.
  ///   - subject: The things that their images may show.
  ///   - excluded: Evidence that is left out, to say what it adds.
  /// - Complexity: O(candidates), some dozens of times.
  package init(
    _ queries: [EvaluatedQuery], of subject: QuerySubject = .anything,
    excluding excluded: Set<Evidence.Kind> = []
  ) {
    let coded = Calibration.coefficients(for: subject)
    let included = MeasuredEvidence.Lane.allCases.filter { !excluded.contains($0.kind) }
      .map(\.rawValue)
    let unmeasured = Self.unmeasuredLanes(of: queries)
    let step1 =
      subject == .catalogued
      ? coded.step1.numbers
      : Self.conditionalLogit(
        queries.map { query in query.samples.map { ($0.weighed.numbers, $0.isRight) } },
        included)
    let step2 = Self.logistic(
      queries.filter { !$0.samples.isEmpty }.flatMap { query in
        let weight = query.isPositive ? 1 : Self.negativeWeight
        return Self.best(of: query.samples, step1, weight: weight)
          + Self.best(of: query.samples.map(\.withoutHash), step1, weight: weight)
      }, included, from: coded, isAloneFitted: subject == .anything)
    var fitted = coded
    (fitted.step1, fitted.step2) = (EvidenceVector(step1), EvidenceVector(step2[Self.evidence]))
    fitted.prior = step2[0]
    for term in Self.terms { fitted[keyPath: term.term] = step2[term.column] }
    if subject == .catalogued { fitted.alone = coded.alone }
    // It counts as a part of the agreed lead.
    fitted.farLead = 0
    for lane in unmeasured {
      fitted.step1[lane] = coded.step1[lane]
      fitted.step2[lane] = coded.step2[lane]
    }
    coefficients = fitted
  }

  /// The lanes that no candidate has, such as embeddings. Queries without them cannot tell their weights.
  private static func unmeasuredLanes(
    of queries: [EvaluatedQuery]
  ) -> [MeasuredEvidence.Lane] {
    MeasuredEvidence.Lane.allCases.filter { lane in
      !queries.contains { $0.samples.contains { $0.evidence[lane] != nil } }
    }
  }

  /// The kinds of evidence that have coefficients.
  package static var kinds: [Evidence.Kind] { MeasuredEvidence.Lane.allCases.map(\.kind) }

  /// The coefficients with their names, in the order in which the code has them.
  package var lines: [String] {
    func text(_ value: Double) -> String { "\(rounded(value, 3))" }
    return MeasuredEvidence.Lane.allCases.map { lane in
      let (step1, step2) = (coefficients.step1[lane], coefficients.step2[lane])
      return "\(lane.kind.rawValue) step1 \(text(step1)) step2 \(text(step2))"
    } + [
      "prior \(text(coefficients.prior))", "lead \(text(coefficients.lead))",
      "agreedLead \(text(coefficients.agreedLead))",
      "inlierLead \(text(coefficients.inlierLead))",
      "alone prior \(text(coefficients.alone.prior)) color \(text(coefficients.alone.color)) "
        + "hash \(text(coefficients.alone.hash))",
    ]
  }

  /// The queries as they would have been answered with these coefficients, as far as their
  /// candidates go: to say how well a fit holds for queries that it has not seen.
  package func applied(to queries: [EvaluatedQuery]) -> [EvaluatedQuery] {
    queries.map { query in
      let rivals = Self.rivals(among: query.samples, coefficients.step1)
      let answers = query.samples.enumerated().map { index, sample in
        EvaluatedQuery.Answer(
          id: sample.id,
          confidence: Calibration.confidence(
            Calibration.evidence(
              sample.evidence, rivals.standing(of: index), by: coefficients)))
      }
      return EvaluatedQuery(
        query: query.query,
        answers: answers.sorted { ($1.confidence, $0.id) < ($0.confidence, $1.id) },
        missReason: query.missReason, samples: query.samples)
    }
  }

  /// Returns the candidates of a query with the scores that factors of the first step give them, as the search makes them.
  private static func rivals(
    among samples: [CalibrationSample], _ step1: EvidenceVector
  ) -> Rivals {
    Rivals(
      samples.map(\.evidence), scores: samples.map { $0.weighed.dot(step1) },
      pictures: SamePictures(numbered: samples.map(\.picture)))
  }

  // MARK: First step

  /// A candidate as the first step sees it.
  private typealias Choice = (features: [Double], isRight: Bool)

  private static func conditionalLogit(
    _ queries: [[Choice]], _ included: [Int]
  ) -> [Double] {
    let useful = queries.filter { samples in
      samples.contains { $0.isRight } && samples.contains { !$0.isRight }
    }
    return nonNegative(
      included, from: Calibration.coefficients.step1.numbers, ridge: 1e-3
    ) {
      weights, active in
      var sums = Derivatives(count: active.count)
      for samples in useful { sums.add(samples, weights, active, share: 1 / Double(useful.count)) }
      return sums
    }
  }

  /// The loss with its first and second derivatives.
  private struct Derivatives {
    var loss = 0.0
    var gradient: [Double]
    var hessian: [[Double]]

    init(count: Int) {
      gradient = [Double](repeating: 0, count: count)
      hessian = [[Double]](repeating: gradient, count: count)
    }

    /// Adds the surprise that the likeliest right candidate is chosen.
    mutating func add(
      _ samples: [Choice], _ weights: [Double], _ active: [Int], share: Double
    ) {
      let scores = samples.map { zip($0.features, weights).reduce(0) { $0 + $1.0 * $1.1 } }
      let most = scores.max()!
      let exponents = scores.map { exp($0 - most) }
      let total = exponents.reduce(0, +)
      let target = samples.indices.filter { samples[$0].isRight }.max { scores[$0] < scores[$1] }!
      loss -= share * (scores[target] - most - log(total))
      var mean = [Double](repeating: 0, count: active.count)
      for (sample, exponent) in zip(samples, exponents) {
        let probability = exponent / total
        for (i, kind) in active.enumerated() {
          let term = probability * sample.features[kind]
          mean[i] += term
          for (j, other) in active.enumerated() {
            hessian[i][j] += share * term * sample.features[other]
          }
        }
      }
      for (i, kind) in active.enumerated() {
        gradient[i] += share * (mean[i] - samples[target].features[kind])
        for j in active.indices { hessian[i][j] -= share * mean[i] * mean[j] }
      }
    }

    /// Adds the loss and its derivatives for one row, whose outcome is yes or no.
    mutating func add(_ row: Row, _ weights: [Double], _ active: [Int], share: Double) {
      let odds = zip(row.features, weights).reduce(0) { $0 + $1.0 * $1.1 }
      let probability = Calibration.probability(ofLogOdds: odds)
      loss += share * log1p(exp(row.isRight ? -odds : odds))
      let curvature = share * probability * (1 - probability)
      for (i, column) in active.enumerated() {
        gradient[i] += share * (probability - (row.isRight ? 1 : 0)) * row.features[column]
        for (j, other) in active.enumerated() {
          hessian[i][j] += curvature * row.features[column] * row.features[other]
        }
      }
    }
  }

  // MARK: Second step

  /// The columns of the second step's rows: the first is 1, for the prior, and then comes the evidence.
  private static let evidence = 1...MeasuredEvidence.Lane.allCases.count

  /// A coefficient of something else than the evidence, and its column.
  private struct Term {
    let term: WritableKeyPath<Calibration.Coefficients, Double>
    let column: Int
    /// True if it is of an entity that has no rival.
    var isOfAlone = false
    /// True if it may be negative.
    var isSigned = false
  }

  private static var terms: [Term] {
    let first = evidence.upperBound + 1
    return [
      Term(term: \.lead, column: first), Term(term: \.agreedLead, column: first + 1),
      Term(term: \.inlierLead, column: first + 2),
      Term(term: \.alone.prior, column: first + 3, isOfAlone: true, isSigned: true),
      Term(term: \.alone.color, column: first + 4, isOfAlone: true),
      Term(term: \.alone.hash, column: first + 5, isOfAlone: true),
    ]
  }

  /// A candidate as the second step sees it.
  private struct Row {
    let features: [Double]
    let isRight: Bool
    let weight: Double
  }

  private static func best(
    of samples: [CalibrationSample], _ step1: [Double], weight: Double
  ) -> [Row] {
    let evidence = samples.map(\.evidence)
    let factors = EvidenceVector(step1)
    let scores = samples.map { $0.weighed.dot(factors) }
    let rivals = rivals(among: samples, factors)
    let order = scores.indices.sorted { scores[$0] > scores[$1] }
    return order.prefix(bestCount).map { index in
      let standing = rivals.standing(of: index)
      let alone = standing.isAlone ? 1.0 : 0
      return Row(
        features: [1] + evidence[index].certainties(standing).numbers + [
          standing.lead, max(0, standing.lead) * evidence[index].leadAgreement, standing.inlierLead,
          alone, alone * evidence[index].colorLikeness,
          alone * evidence[index].hash,
        ],
        isRight: samples[index].isRight, weight: weight)
    }
  }

  private static func logistic(
    _ rows: [Row], _ included: [Int], from coded: Calibration.Coefficients, isAloneFitted: Bool
  ) -> [Double] {
    let total = rows.reduce(0) { $0 + $1.weight }
    let start =
      [coded.prior] + coded.step2.numbers + Self.terms.map { coded[keyPath: $0.term] }
    let fitted = isAloneFitted ? terms : terms.filter { !$0.isOfAlone }
    return nonNegative(
      [0] + included.map { $0 + 1 } + fitted.map(\.column), from: start, ridge: 1e-5,
      signed: [0] + terms.filter(\.isSigned).map(\.column)
    ) {
      weights, active in
      var sums = Derivatives(count: active.count)
      for row in rows { sums.add(row, weights, active, share: row.weight / total) }
      return sums
    }
  }

  // MARK: Newton's method

  /// Returns the included weights that minimize the loss plus the ridge times their squares. The ridge keeps the
  /// weights of features that hardly vary from growing without end. Only signed weights may be negative: while
  /// another one is, the lowest is set to zero and the others are fitted again.
  private static func nonNegative(
    _ included: [Int], from start: [Double], ridge: Double, signed: [Int] = [],
    derivatives: (_ weights: [Double], _ active: [Int]) -> Derivatives
  ) -> [Double] {
    var active = included
    while true {
      var weights = start.indices.map { active.contains($0) ? start[$0] : 0 }
      weights = minimum(from: weights, active, ridge, derivatives)
      let lowest = active.filter { !signed.contains($0) }.min { weights[$0] < weights[$1] }
      guard let lowest, weights[lowest] < 0 else { return weights }
      active.removeAll { $0 == lowest }
    }
  }

  private static func minimum(
    from start: [Double], _ active: [Int], _ ridge: Double,
    _ derivatives: (_ weights: [Double], _ active: [Int]) -> Derivatives
  ) -> [Double] {
    func loss(_ weights: [Double], _ sums: Derivatives) -> Double {
      sums.loss + ridge / 2 * active.reduce(0) { $0 + weights[$1] * weights[$1] }
    }
    var weights = start
    var sums = derivatives(weights, active)
    for _ in 0..<100 {
      var system = sums.hessian
      for (i, column) in active.enumerated() {
        system[i][i] += ridge
        system[i].append(sums.gradient[i] + ridge * weights[column])
      }
      guard let step = LeastSquares.solve(system) else { break }
      var size = 1.0
      var moved = false
      while size > 1e-4 {
        var next = weights
        for (i, column) in active.enumerated() { next[column] -= size * step[i][0] }
        let nextSums = derivatives(next, active)
        if loss(next, nextSums) < loss(weights, sums) - 1e-12 {
          (weights, sums, moved) = (next, nextSums, true)
          break
        }
        size /= 2
      }
      if !moved { break }
    }
    return weights
  }
}
