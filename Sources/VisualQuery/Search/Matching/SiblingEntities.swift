#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The entities that an image shows in another color: keypoints and patches agree as those of one thing do, and only the colors do not.
///
/// The catalogue may lack what the image shows. Its siblings are then a better answer than none, if they are told apart from what is sure.
enum SiblingEntities {
  /// The most entities in a list.
  static let limit = 8
  /// The least probability that the image shows the thing, in whatever color.
  static let leastProbability = 0.85
  /// The evidence of aligned colors from which on these are the same, so that something else is in doubt.
  private static let sameColor = 0.8
  /// The log-odds that two images show one thing, given that nothing is sure and that the colors differ: those without agreement, and the
  /// factors of the logarithm of the inliers beyond ``chanceInliers``, and of the share of patches that agree. Fitted by
  /// `Benchmarks/quality/siblings.py`.
  private static let (prior, inlierFactor, patchFactor) = (-1.143, 0.135, 2.81)
  /// The inliers that may agree by chance.
  private static let chanceInliers = 8.0

  /// Returns the probability that the image shows the thing of an entity in another color; `nil` if patches were not compared, or if the
  /// colors agree.
  static func probability(_ evidence: [Evidence]) -> Double? {
    func value(_ kind: Evidence.Kind) -> Double? { evidence.first { $0.kind == kind }?.value }
    guard let patches = value(.patches), (value(.alignedColor) ?? 0) < sameColor else { return nil }
    let inliers = max(0, (value(.inliers) ?? 0) - chanceInliers)
    return Calibration.probability(
      ofLogOdds: prior + inlierFactor * log(1 + inliers) + patchFactor * patches)
  }

  /// Returns the siblings of what an image shows, the likeliest first, with that probability as their confidences: the entity whose image
  /// agrees best, the others of its group among the candidates, and others that agree as well.
  ///
  /// - Parameters:
  ///   - scored: The candidates of a query in which nothing is sure.
  ///   - groups: Returns the groups of entities by their keys. It is called if there are siblings.
  static func list(
    among scored: [ScoredEntity], groups: ([UInt32]) throws -> [UInt32: String]
  ) rethrows -> [ScoredEntity] {
    var likely: [(entity: ScoredEntity, probability: Double)] = []
    for entity in scored {
      guard let probability = probability(entity.evidence), probability >= leastProbability else {
        continue
      }
      likely.append((entity, probability))
    }
    guard
      let best = likely.max(by: {
        ($0.probability, $1.entity.key) < ($1.probability, $0.entity.key)
      })
    else { return [] }
    let groupsByKey = try groups(
      scored.filter { $0.evidence.contains { $0.kind == .color } }.map(\.key))
    var probabilities = Dictionary(likely.map { ($0.entity.key, $0.probability) }) { first, _ in
      first
    }
    if let group = groupsByKey[best.entity.key] {
      // The shop groups these entities as one thing, so they share its probability.
      for (key, other) in groupsByKey where other == group { probabilities[key] = best.probability }
    }
    let siblings = scored.compactMap { entity -> ScoredEntity? in
      guard let probability = probabilities[entity.key] else { return nil }
      var sibling = entity
      sibling.confidence = probability
      return sibling
    }
    // Equally likely entities are ordered by how close their colors are.
    let odds = Dictionary(scored.map { ($0.key, $0.confidence) }) { first, _ in first }
    return Array(
      siblings.sorted {
        ($1.confidence, odds[$1.key]!, $0.key) < ($0.confidence, odds[$0.key]!, $1.key)
      }.prefix(limit))
  }
}
