#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// The entities that an image may show though none of them is sure.
///
/// Candidates for one part of the image exclude each other: their probabilities and that of *none of these* add up to one. They are
/// those of a conditional logit with an outside option (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974),
/// unlike a confidence, which is that of one candidate by itself. The list is the smallest that holds the right entity with a
/// probability of ``coverage``, if it is one of the candidates at all.
enum PossibleEntities {
  /// The most entities in a list.
  static let limit = 8
  /// The probability with which a list holds the right entity, if this is a candidate.
  static let coverage = 0.9
  /// The least probability with which a list that is given holds the right entity, whatever the image shows.
  static let leastProbability = 0.5
  /// The candidates that share the probability; those behind them have next to none.
  static let candidateLimit = 10

  /// The numbers that `Benchmarks/quality/possible.py` fits.
  struct Coefficients: Sendable, Hashable {
    /// The factor of the log-odds of the confidence.
    var logOdds: Double
    /// The addition for an entity with several images: one of them is often alike by chance.
    var several: Double
    /// The factor of the agreement of text: a brand has the same words on all of its things, also on those that the catalogue lacks.
    var text: Double
    /// The utility of none of the candidates.
    var none: Double
  }

  /// Fitted by maximum likelihood on the tasks that docs/quality.md names; then the last two were chosen such that few absent things get
  /// a list. Fit them again after any change of ``Calibration``.
  static let coefficients = Coefficients(
    logOdds: 0.97, several: -0.8, text: -0.45, none: -0.1)

  /// Returns the utility of a candidate: the larger, the likelier is it the right one.
  static func utility(_ evidence: [Evidence]) -> Double {
    coefficients.logOdds * evidence.reduce(0) { $0 + $1.weight }
      + (evidence.contains { $0.kind == .support } ? coefficients.several : 0)
      + coefficients.text * (evidence.first { $0.kind == .text }?.value ?? 0)
  }

  /// Returns the probability of each candidate; what is missing to one is the probability of none of them.
  static func probabilities(_ utilities: [Double]) -> [Double] {
    // Subtracts the largest exponent, so that `exp` does not overflow.
    let largest = max(coefficients.none, utilities.max() ?? coefficients.none)
    let shares = utilities.map { exp($0 - largest) }
    let sum = shares.reduce(exp(coefficients.none - largest), +)
    return shares.map { $0 / sum }
  }

  /// Returns the length of the list, or 0 if there is none.
  ///
  /// - Parameter probabilities: The probabilities of the candidates, the highest first.
  static func length(_ probabilities: [Double]) -> Int {
    let all = probabilities.reduce(0, +)
    var (held, length) = (0.0, 0)
    while length < min(limit, probabilities.count), held < coverage * all {
      held += probabilities[length]
      length += 1
    }
    return held >= leastProbability ? length : 0
  }

  /// Returns the list of what a query may show, best first, with the probabilities as confidences; empty if something is sure that
  /// lies in the same part of the image, or whose place is not known.
  ///
  /// - Parameters:
  ///   - scored: The candidates of the query.
  ///   - cutOff: The confidence from which on one is sure.
  static func list(among scored: [ScoredEntity], cutOff: Double) -> [ScoredEntity] {
    var sure: [ImageClaim] = []
    for entity in scored where entity.confidence >= cutOff {
      guard let claim = entity.claim else { return [] }
      sure.append(claim)
    }
    let candidates = scored.filter { entity in
      entity.confidence < cutOff && entity.image != nil
        && sure.allSatisfy { isApart(entity.claim, $0) }
    }.map { (entity: $0, utility: utility($0.evidence)) }
      .sorted { ($1.utility, $0.entity.key) < ($0.utility, $1.entity.key) }
    let place = candidates.first?.entity.claim
    let rivals = candidates.filter { other in
      !(place.map { isApart(other.entity.claim, $0) } ?? false)
    }.prefix(candidateLimit)
    let probabilities = probabilities(rivals.map(\.utility))
    return zip(rivals, probabilities).prefix(length(probabilities)).map { rival, probability in
      var entity = rival.entity
      entity.confidence = probability
      return entity
    }
  }

  /// Returns whether a candidate is known to lie in another part of the image.
  private static func isApart(_ claim: ImageClaim?, _ other: ImageClaim) -> Bool {
    claim.map { $0.overlap(with: other) <= Rivals.separateOverlap } ?? false
  }
}

extension ScoredEntity {
  /// The part of the query's image that it lies in, or `nil` if it is not known.
  fileprivate var claim: ImageClaim? { image.flatMap(MatchedObjects.claim) }
}
