#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// What was measured of one candidate, and whether it is right.
struct CalibrationSample: Sendable, Hashable {
  let id: EntityID
  /// See ``Calibration/Score/features``.
  let features: [Double]
  /// See ``Calibration/Score/certainties``.
  let certainties: [Double]
  let isRight: Bool

  /// The same candidate in a picture of which the hash says nothing.
  var withoutHash: CalibrationSample {
    func cleared(_ values: [Double]) -> [Double] {
      zip(Calibration.kinds, values).map { $0 == .hash ? 0 : $1 }
    }
    return CalibrationSample(
      id: id, features: cleared(features), certainties: cleared(certainties), isRight: isRight)
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
public struct CalibrationFit: Sendable {
  /// The best candidates of a query that the second step learns from.
  private static let bestCount = 3
  /// How much a query counts of which nothing is in the catalogue: people point at other things more
  /// often than collections of test pictures have them.
  private static let negativeWeight = 2.0

  let coefficients: Calibration.Coefficients

  /// Fits queries, which need at least one with a right and a wrong candidate.
  ///
  /// - Parameters:
  ///   - queries: Asked queries.
  ///   - excluded: Evidence that is left out, to say what it adds.
  /// - Complexity: O(candidates), some dozens of times.
  public init(_ queries: [EvaluatedQuery], excluding excluded: Set<Evidence.Kind> = []) {
    let included = Calibration.kinds.indices.filter { !excluded.contains(Calibration.kinds[$0]) }
    let step1 = Self.conditionalLogit(queries.map(\.samples), included)
    let step2 = Self.logistic(
      queries.filter { !$0.samples.isEmpty }.flatMap { query in
        let weight = query.isPositive ? 1 : Self.negativeWeight
        return Self.best(of: query.samples, step1, weight: weight)
          + Self.best(of: query.samples.map(\.withoutHash), step1, weight: weight)
      }, included)
    let kinds = Calibration.kinds.count
    coefficients = Calibration.Coefficients(
      step1: step1, step2: Array(step2[1...kinds]), prior: step2[0], lead: step2[kinds + 1])
  }

  /// The evidence that is weighed.
  public static var kinds: [Evidence.Kind] { Calibration.kinds }

  /// The coefficients with their names, in the order in which they stand in the code.
  public var lines: [String] {
    func text(_ value: Double) -> String { "\(rounded(value, 3))" }
    let factors = zip(coefficients.step1, coefficients.step2)
    return zip(Calibration.kinds, factors).map { kind, factors in
      "\(kind.rawValue) step1 \(text(factors.0)) step2 \(text(factors.1))"
    } + ["prior \(text(coefficients.prior))", "lead \(text(coefficients.lead))"]
  }

  /// The queries as they would have been answered with these coefficients, as far as their
  /// candidates go: to say how well a fit holds for queries that it has not seen.
  public func applied(to queries: [EvaluatedQuery]) -> [EvaluatedQuery] {
    queries.map { query in
      let scores = query.samples.map { Self.dot($0.features, coefficients.step1) }
      let best = scores.sorted(by: >).prefix(2)
      let answers = query.samples.indices.map { place in
        let score = scores[place]
        let rival = score == best.first ? best.dropFirst().first : best.first
        let odds =
          coefficients.prior + Self.dot(query.samples[place].certainties, coefficients.step2)
          + coefficients.lead * Calibration.lead(score, over: rival)
        return EvaluatedQuery.Answer(id: query.samples[place].id, confidence: 1 / (1 + exp(-odds)))
      }
      return EvaluatedQuery(
        query: query.query,
        answers: answers.sorted { ($1.confidence, $0.id) < ($0.confidence, $1.id) },
        stage: query.stage, samples: query.samples)
    }
  }

  // MARK: First step

  private static func conditionalLogit(
    _ queries: [[CalibrationSample]], _ included: [Int]
  ) -> [Double] {
    let useful = queries.filter { samples in
      samples.contains(where: \.isRight) && samples.contains { !$0.isRight }
    }
    return nonNegative(
      included, from: Calibration.coefficients.step1, ridge: 1e-3
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
      _ samples: [CalibrationSample], _ weights: [Double], _ active: [Int], share: Double
    ) {
      let scores = samples.map { CalibrationFit.dot($0.features, weights) }
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

    /// Adds the surprise of one yes or no.
    mutating func add(_ row: Row, _ weights: [Double], _ active: [Int], share: Double) {
      let odds = CalibrationFit.dot(row.features, weights)
      let probability = 1 / (1 + exp(-odds))
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

  /// A candidate as the second step sees it.
  private struct Row {
    let features: [Double]
    let isRight: Bool
    let weight: Double
  }

  private static func best(
    of samples: [CalibrationSample], _ step1: [Double], weight: Double
  ) -> [Row] {
    let scored = samples.map { (score: dot($0.features, step1), sample: $0) }
      .sorted { $0.score > $1.score }
    return scored.prefix(bestCount).enumerated().map { place, best in
      let rival = place == 0 ? scored.dropFirst().first?.score : scored[0].score
      let lead = Calibration.lead(best.score, over: rival)
      return Row(
        features: [1] + best.sample.certainties + [lead], isRight: best.sample.isRight,
        weight: weight)
    }
  }

  private static func logistic(_ rows: [Row], _ included: [Int]) -> [Double] {
    let total = rows.reduce(0) { $0 + $1.weight }
    let start =
      [Calibration.coefficients.prior] + Calibration.coefficients.step2
      + [Calibration.coefficients.lead]
    return nonNegative(
      [0] + included.map { $0 + 1 } + [start.count - 1], from: start, ridge: 1e-5, signed: [0]
    ) {
      weights, active in
      var sums = Derivatives(count: active.count)
      for row in rows { sums.add(row, weights, active, share: row.weight / total) }
      return sums
    }
  }

  // MARK: Newton's method

  /// The weights, of those included, of least loss and least squares times the ridge, which keeps
  /// those of what hardly varies from growing without end; none below zero but the signed ones: as
  /// long as one is, the lowest is set to zero and the others are fitted again.
  private static func nonNegative(
    _ included: [Int], from start: [Double], ridge: Double, signed: Set<Int> = [],
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

  private static func dot(_ a: [Double], _ b: [Double]) -> Double {
    zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
