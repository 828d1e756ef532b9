#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// Whether a fit of the shop is worth keeping, judged on photos of products that it has not seen.
///
/// The products are dealt into five parts; the photos of each part are judged by a fit of the others. The gain is that of the mean log loss of the
/// first answers, with an interval by resampling the products. A fit is kept if the whole interval is above zero, and if nothing that is shown
/// is wrong more often than chance allows.
package struct FitVerdict: Sendable {
  /// What becomes of a fit.
  package enum Outcome: String, Sendable, Hashable, CaseIterable, Encodable {
    /// It is better, and nowhere worse.
    case better
    /// There are too few photos or products to tell.
    case tooFew
    /// The gain may be chance.
    case notBetter
    /// It would show more wrong things than chance explains.
    case worse
  }

  /// What the queries show at the default cut-off, before or after.
  package struct Figures: Sendable, Hashable {
    /// The mean log loss of the first answers.
    package var logLoss = 0.0
    /// The photos of products of the shop whose first answer is right, and those with a right or a wrong answer that is shown.
    package var (firstRight, shownRight, shownWrong) = (0, 0, 0)
    /// The photos of what the shop lacks for which something is shown.
    package var absentShown = 0
    /// The photos of products of the shop for which something is shown if the shop does not have these.
    package var withoutOwnShown = 0

    /// The share of what is shown that is wrong.
    package var wrongShare: Double? {
      let shown = shownRight + shownWrong + absentShown
      return shown == 0 ? nil : Double(shownWrong + absentShown) / Double(shown)
    }
  }

  /// The fewest photos and products that can tell anything.
  package static let (leastPhotos, leastProducts) = (100, 10)
  private static let (parts, samples, seed) = (5, 2000, UInt64(65))
  /// The least probability in a log loss: one surprise must not outweigh all else.
  private static let leastProbability = 1e-4

  package let outcome: Outcome
  /// The fit of all photos.
  package let fit: ShopFit
  /// The numbers of photos that show products of the shop, and of those that show what it lacks.
  package let (present, absent): (Int, Int)
  package let products: Int
  package let before: Figures
  package let after: Figures
  /// By how much the log loss falls, and the interval of 95 %.
  package let gain: Double
  package let interval: ClosedRange<Double>
  /// Where more of what is shown is wrong than chance explains: `everything`, `absent`, or the name of an edit.
  package let worseAt: [String]

  /// Judges a fit.
  ///
  /// - Complexity: O(candidates) some hundred times.
  package init(_ fitting: ShopFitting) {
    let queries = fitting.queries
    present = queries.count(where: \.isPositive)
    absent = queries.count - present
    products = Set(queries.compactMap(\.product)).count
    fit = fitting.fit(Array(queries.indices))
    let part = Self.parts(of: queries)
    let unseen = (0..<Self.parts).map { number in
      fitting.fit(queries.indices.filter { part[$0] != number })
    }
    let old = queries.map { Judged($0, by: nil, weight: fitting.absentWeight) }
    let new = queries.indices.map { index in
      Judged(
        queries[index], by: fitting.fit(unseen[part[index]], for: queries[index]),
        weight: fitting.absentWeight)
    }
    (before, after) = (Self.figures(old), Self.figures(new))
    gain = before.logLoss - after.logLoss
    interval = Self.interval(queries, old, new)
    worseAt = Self.worse(queries, old, new)
    let isEnough = queries.count >= Self.leastPhotos && products >= Self.leastProducts
    outcome =
      !isEnough
      ? .tooFew : !worseAt.isEmpty ? .worse : interval.lowerBound <= 0 ? .notBetter : .better
  }

  /// What is said of one query.
  private struct Judged {
    let isPositive: Bool
    let isRight: Bool
    let isShown: Bool
    let isShownWithoutOwn: Bool
    /// The log loss of its first answers, and the weight of them.
    let loss: Double
    let weight: Double

    init(_ query: EvaluatedQuery, by fit: ShopFit?, weight: Double) {
      let cutOff = Calibration.logOdds(of: Calibration.defaultCutOff)
      func loss(_ first: WitnessedEntity?) -> Double {
        guard let first else { return 0 }
        let probability = Calibration.probability(ofLogOdds: first.logOdds(by: fit))
        return -log(max(leastProbability, first.isRight ? probability : 1 - probability))
      }
      let first = ShopFitting.first(of: query.witnessed, by: fit)
      let other = query.withoutRight.flatMap { ShopFitting.first(of: $0, by: fit) }
      isPositive = query.isPositive
      isRight = first?.isRight ?? false
      isShown = first.map { $0.logOdds(by: fit) >= cutOff } ?? false
      isShownWithoutOwn = other.map { $0.logOdds(by: fit) >= cutOff } ?? false
      self.loss = loss(first) + (query.withoutRight == nil ? 0 : weight * loss(other))
      self.weight = 1 + (query.withoutRight == nil ? 0 : weight)
    }

    var isShownWrong: Bool { isShown && !isRight }
  }

  private static func figures(_ judged: [Judged]) -> Figures {
    var figures = Figures()
    figures.logLoss = meanLoss(judged)
    for query in judged {
      if query.isPositive {
        if query.isRight { figures.firstRight += 1 }
        if query.isShown && query.isRight { figures.shownRight += 1 }
        if query.isShownWrong { figures.shownWrong += 1 }
        if query.isShownWithoutOwn { figures.withoutOwnShown += 1 }
      } else if query.isShown {
        figures.absentShown += 1
      }
    }
    return figures
  }

  private static func meanLoss(_ judged: [Judged]) -> Double {
    let weight = judged.reduce(0) { $0 + $1.weight }
    return weight == 0 ? 0 : judged.reduce(0) { $0 + $1.loss } / weight
  }

  /// Returns the name under which all photos of one thing stay together. Nothing tells which photos show the same absent thing.
  private static func name(of query: EvaluatedQuery, _ index: Int) -> String {
    query.product.map { "product \($0)" } ?? "photo \(index)"
  }

  /// Returns the part of each query. All photos of one product are in one part, and each part has about as many products.
  private static func parts(of queries: [EvaluatedQuery]) -> [Int] {
    let names = queries.indices.map { name(of: queries[$0], $0) }
    // Absent things and products are dealt apart from each other, so that each part has its share of both.
    var generator = SplitMix(state: seed)
    var parts: [String: Int] = [:]
    for isPositive in [true, false] {
      let own = Set(
        queries.indices.filter { queries[$0].isPositive == isPositive }.map { names[$0] })
      for (place, name) in generator.shuffled(own.sorted()).enumerated() {
        parts[name] = place % Self.parts
      }
    }
    return names.map { parts[$0] ?? 0 }
  }

  /// Returns the interval of the gain: of 100 samples of the products, with as many products each, 95 lie within.
  private static func interval(
    _ queries: [EvaluatedQuery], _ old: [Judged], _ new: [Judged]
  ) -> ClosedRange<Double> {
    var sums: [String: (loss: Double, weight: Double)] = [:]
    for index in queries.indices {
      let sum = sums[name(of: queries[index], index)] ?? (0, 0)
      sums[name(of: queries[index], index)] = (
        sum.loss + old[index].loss - new[index].loss, sum.weight + old[index].weight
      )
    }
    let clusters = sums.sorted { $0.key < $1.key }.map(\.value)
    guard !clusters.isEmpty else { return 0...0 }
    var generator = SplitMix(state: seed)
    let gains = (0..<samples).map { _ in
      var (loss, weight) = (0.0, 0.0)
      for _ in clusters {
        let drawn = clusters[generator.below(clusters.count)]
        loss += drawn.loss
        weight += drawn.weight
      }
      return loss / weight
    }.sorted()
    return gains[samples / 40]...gains[samples - 1 - samples / 40]
  }

  /// Returns where more of what is shown is wrong than chance explains.
  private static func worse(
    _ queries: [EvaluatedQuery], _ old: [Judged], _ new: [Judged]
  ) -> [String] {
    var groups: [(name: String, indices: [Int])] = [("everything", Array(queries.indices))]
    let edits = Dictionary(grouping: queries.indices) { queries[$0].query.edit }
    if edits.count > 1 { groups += edits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    var worse = groups.filter { _, indices in
      func shown(_ judged: [Judged]) -> (wrong: Int, of: Int) {
        (indices.count { judged[$0].isShownWrong }, indices.count { judged[$0].isShown })
      }
      return isMore(shown(new), than: shown(old))
    }.map(\.name)
    let absent = queries.indices.filter { !queries[$0].isPositive }
    func shown(_ judged: [Judged]) -> (wrong: Int, of: Int) {
      (absent.count { judged[$0].isShown }, absent.count)
    }
    if isMore(shown(new), than: shown(old)) { worse.append("absent") }
    return worse
  }

  /// Returns whether more of what is shown is wrong than before, beyond its interval, or surely more than the cut-off allows.
  private static func isMore(
    _ share: (wrong: Int, of: Int), than other: (wrong: Int, of: Int)
  ) -> Bool {
    guard share.wrong > other.wrong, share.of > 0 else { return false }
    return Double(share.wrong) / Double(share.of) > bounds(other).upperBound
      || bounds(share).lowerBound > 1 - Calibration.defaultCutOff
  }

  private static func bounds(_ share: (wrong: Int, of: Int)) -> ClosedRange<Double> {
    CountedShare(share.wrong, of: share.of).interval
  }
}
