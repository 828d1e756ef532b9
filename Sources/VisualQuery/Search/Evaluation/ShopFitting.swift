#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// Fits the few numbers of a ``ShopFit`` to labelled photos: a logistic regression of whether the first answer is right, drawn towards the
/// general calibration by a normal prior for each number.
///
/// A photo counts by its first answer. One of a thing that the shop lacks says that nothing is right, and so does each other photo once more, by the first
/// answer that it gets if the shop does not have its thing. All of these together have the weight of the share of absent things that is
/// expected: the photos of a shop's own things cannot tell how often people point at others.
package struct ShopFitting: Sendable {
  /// The share of photos that show what the shop lacks, if nobody says otherwise.
  package static let usualAbsentShare = 0.1
  /// The accepted shares.
  package static let absentShares = 0...0.9
  /// The deviations of the prior of each number from that of the general calibration.
  private static let deviations: [Double] = [2, 0.5, 0.5, 0.5, 1]
  /// The times that the first answers are looked up again, since a fit may change which one is first; and the steps of Newton's method.
  private static let (rounds, steps) = (3, 40)

  let queries: [EvaluatedQuery]
  /// The model whose vectors count, or `nil` for none. A fit does not hold for queries without them.
  let vectors: String?
  /// The weight of a query as if the shop did not have what it shows.
  let absentWeight: Double

  /// - Parameter absentShare: The expected share of photos that show what the shop lacks; those among the queries count towards it.
  package init(_ queries: [EvaluatedQuery], absentShare: Double = Self.usualAbsentShare) {
    self.queries = queries
    let counts = Dictionary(grouping: queries.compactMap(\.vectors)) { $0 }.mapValues(\.count)
    vectors = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    let present = Double(queries.count(where: \.isPositive))
    let absent = Double(queries.count) - present
    let expected = present * absentShare / (1 - absentShare)
    absentWeight = present == 0 ? 0 : max(0, expected - absent) / present
  }

  /// Returns the fit of some of the queries.
  func fit(_ indices: [Int]) -> ShopFit {
    var fit = make(values: [:])
    for _ in 0..<Self.rounds {
      let rows = indices.flatMap { self.rows(of: queries[$0], by: fit) }
      fit = make(values: Self.values(rows))
    }
    return fit
  }

  private func make(values: [ShopFit.Coefficient: Double]) -> ShopFit {
    ShopFit(
      values, calibration: Calibration.mark, vectors: vectors, photos: queries.count,
      products: Set(queries.compactMap(\.product)).count)
  }

  /// Returns the likeliest of some candidates by a fit, or by the general calibration.
  static func first(of candidates: [WitnessedEntity], by fit: ShopFit?) -> WitnessedEntity? {
    candidates.max { $0.logOdds(by: fit) < $1.logOdds(by: fit) }
  }

  /// Returns the fit if it holds for a query.
  func fit(_ fit: ShopFit?, for query: EvaluatedQuery) -> ShopFit? {
    query.vectors == vectors ? fit : nil
  }

  // MARK: Regression

  /// A first answer, and whether it is right.
  private struct Row {
    let features: [Double]
    let isRight: Bool
    let weight: Double

    init(_ entity: WitnessedEntity, weight: Double) {
      let seen = entity.seen
      features = [1, seen.image, seen.labels, seen.text, seen.vector]
      (isRight, self.weight) = (entity.isRight, weight)
    }
  }

  private func rows(of query: EvaluatedQuery, by fit: ShopFit) -> [Row] {
    guard query.vectors == vectors else { return [] }
    return [(query.witnessed, 1), (query.withoutRight ?? [], absentWeight)].compactMap {
      candidates, weight in
      guard weight > 0, let first = Self.first(of: candidates, by: fit), first.isFitted,
        first.seen.general < Calibration.highestShown
      else { return nil }
      return Row(first, weight: weight)
    }
  }

  /// Returns the numbers that suit some rows best.
  private static func values(_ rows: [Row]) -> [ShopFit.Coefficient: Double] {
    // The factors of labels and text are those of the log-odds here, so that the sum is linear.
    let general = [0.0, 1, 1, 1, 0]
    var free = general.indices.filter { column in rows.contains { $0.features[column] != 0 } }
    var weights = general
    // A factor below zero is set to zero, and the others are fitted again.
    while true {
      weights = minimum(
        rows, free, from: weights.indices.map { free.contains($0) ? general[$0] : weights[$0] })
      let lowest = free.filter { $0 > 0 }.min { weights[$0] < weights[$1] }
      guard let lowest, weights[lowest] < 0 else { break }
      weights[lowest] = 0
      free.removeAll { $0 == lowest }
    }
    let range = ShopFit.Coefficient.temperature.range
    let temperature = min(max(weights[1], range.lowerBound), range.upperBound)
    func factor(_ column: Int) -> Double {
      let isSeen = rows.contains { $0.features[column] != 0 }
      return isSeen ? weights[column] / temperature : 1
    }
    return [
      .prior: weights[0], .temperature: temperature, .labels: factor(2), .text: factor(3),
      .vector: weights[4],
    ]
  }

  /// Returns the weights of which those of the free columns are the likeliest, by Newton's method.
  private static func minimum(_ rows: [Row], _ free: [Int], from start: [Double]) -> [Double] {
    if free.isEmpty { return start }
    var weights = start
    let means = [0.0, 1, 1, 1, 0]
    for _ in 0..<steps {
      var system = free.enumerated().map { i, column in
        let precision = 1 / (deviations[column] * deviations[column])
        var line = [Double](repeating: 0, count: free.count + 1)
        line[i] = precision
        line[free.count] = precision * (weights[column] - means[column])
        return line
      }
      for row in rows {
        let odds = zip(row.features, weights).reduce(0) { $0 + $1.0 * $1.1 }
        let probability = Calibration.probability(ofLogOdds: odds)
        let error = row.weight * (probability - (row.isRight ? 1 : 0))
        let curvature = row.weight * probability * (1 - probability)
        for (i, column) in free.enumerated() {
          system[i][free.count] += error * row.features[column]
          for (j, other) in free.enumerated() {
            system[i][j] += curvature * row.features[column] * row.features[other]
          }
        }
      }
      guard let step = LeastSquares.solve(system) else { break }
      var largest = 0.0
      for (i, column) in free.enumerated() {
        // Far from the minimum a whole step may overshoot.
        let move = max(-1, min(1, step[i][0]))
        weights[column] -= move
        largest = max(largest, abs(move))
      }
      if largest < 1e-9 { break }
    }
    return weights
  }
}
