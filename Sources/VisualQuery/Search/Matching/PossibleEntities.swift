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
/// Candidates for one part of the image exclude each other: their probabilities and that of *none of these* add up to one, as in a
/// conditional logit with an outside option (McFadden, "Conditional logit analysis of qualitative choice behavior", 1974),
/// unlike a confidence, which is that of one candidate by itself. If only the image speaks, their utilities come from boosted trees (Friedman,
/// "Greedy function approximation: a gradient boosting machine", 2001) over the evidence of a candidate and of its rivals: a list may be wrong more
/// often than a sure answer, so that it pays to ask what the terms of a confidence, which add up, cannot tell together. An embedding adds to them by
/// its lead. With labels or text, which the trees have not seen, they are the log-odds of the confidence, without an embedding. The list is the smallest that holds the right entity with a
/// probability of ``coverage``, if it is one of the candidates at all.
enum PossibleEntities {
  /// The most entities in a list.
  static let limit = 8
  /// The probability with which a list holds the right entity, if this is a candidate.
  static let coverage = 0.9
  /// The least probability with which a list that is given holds the right entity, whatever the image shows.
  static let leastProbability = 0.5
  /// The number of candidates that share the probability. The share of further ones would be negligible.
  static let candidateLimit = 10
  /// The coefficients of the utilities, and the trees.
  static let coefficients = ListCoefficients(.own)
  /// The inliers and the votes that are added to both sides of a ratio, so that the ratio of two small numbers says little.
  private static let (inlierOffset, voteOffset) = (3.0, 50.0)

  /// Returns the probabilities of candidates for one part of the image, given the evidence of each; what is missing to one is the probability of
  /// none of them.
  ///
  /// - Parameters:
  ///   - plain: The ``ScoredEntity/evidenceWithoutEmbedding`` of each candidate; empty if no embedding is compared.
  ///   - isDirected: True if embeddings are compared in directions that are fitted to the catalogue.
  /// - Complexity: O(*n* · trees) for *n* candidates.
  static func probabilities(
    of evidence: [[Evidence]], withoutEmbedding plain: [[Evidence]?] = [], isDirected: Bool = false
  ) -> [Double] {
    let isEmbedded = plain.contains { $0 != nil }
    let terms = isEmbedded ? zip(plain, evidence).map { $0 ?? $1 } : evidence
    let kinds = Set(terms.joined().map(\.kind))
    guard unseenKinds.isDisjoint(with: kinds) else {
      return probabilities(
        terms.map(utilityWithWords),
        none: kinds.contains(.text) ? coefficients.noneText : coefficients.noneWords)
    }
    guard isEmbedded else { return probabilities(utilities(terms), none: coefficients.none) }
    let factor = isDirected ? coefficients.directedFactor : coefficients.embeddingFactor
    let leads = embeddingLeads(evidence)
    return probabilities(
      zip(utilities(terms), leads).map { $0 + factor * $1 },
      none: isDirected ? coefficients.noneDirected : coefficients.noneEmbedding)
  }

  /// The kinds of evidence that the trees were fitted without. They change the lead, too, even where their own weight is zero.
  private static let unseenKinds: Set<Evidence.Kind> = [.labels, .text, .embedding, .words]

  /// Returns how far the embedding of each candidate is nearer than that of the third best other one: siblings of one design, which a model hardly
  /// tells apart, have no lead. It is zero for those that are farther, and if there are too few others to say what is usual.
  private static func embeddingLeads(_ evidence: [[Evidence]]) -> [Double] {
    let values = evidence.map { terms in terms.first { $0.kind == .embedding }?.value ?? 0 }
    return values.indices.map { index in
      let others = values.indices.filter { $0 != index }.map { values[$0] }.sorted(by: >)
      return others.dropFirst(2).first.map { max(0, values[index] - $0) } ?? 0
    }
  }

  private static func utilityWithWords(_ evidence: [Evidence]) -> Double {
    coefficients.oddsFactor * evidence.reduce(0) { $0 + $1.weight }
      + (evidence.contains { $0.kind == .support } ? coefficients.several : 0)
      + coefficients.textFactor * (evidence.first { $0.kind == .text }?.value ?? 0)
  }

  /// Returns the utilities of candidates by the image alone: the larger, the likelier is it the right one.
  static func utilities(_ evidence: [[Evidence]]) -> [Double] {
    features(of: evidence).map { features in
      coefficients.trees.reduce(coefficients.base) { $0 + value(of: $1, for: features) }
    }
  }

  /// Returns the value of the leaf to which the questions of a tree lead.
  private static func value(of tree: [Question], for features: [Double]) -> Double {
    var question = tree[0]
    while true {
      switch question.step(for: features[question.feature.rawValue]) {
      case .leaf(let value): return value
      case .question(let next): question = tree[next]
      }
    }
  }

  /// The kinds of evidence that the first features are the values of.
  private static let measuredKinds = Feature.allCases.compactMap {
    Evidence.Kind(rawValue: "\($0)")
  }

  /// Returns the features of candidates, in the order of ``Feature``; what was not measured is not a number.
  private static func features(of evidence: [[Evidence]]) -> [[Double]] {
    func measured(_ kind: Evidence.Kind) -> [Double] {
      evidence.map { terms in terms.first { $0.kind == kind }?.value ?? .nan }
    }
    let values = measuredKinds.map(measured)
    let odds = evidence.map { terms in terms.reduce(0) { $0 + $1.weight } }
    let inliers = values[Feature.inliers.rawValue].map { $0.isNaN ? 0 : $0 }
    let votes = values[Feature.votes.rawValue].map { $0.isNaN ? 0 : $0 }
    return evidence.indices.map { index in
      /// Returns the values of the others, the largest first.
      func others(_ all: [Double]) -> [Double] {
        all.indices.filter { $0 != index }.map { all[$0] }.sorted(by: >)
      }
      func ratio(_ all: [Double], _ offset: Double) -> Double {
        log((all[index] + offset) / ((others(all).first ?? 0) + offset))
      }
      let rivals = others(odds)
      return values.map { $0[index] } + [
        odds[index],
        rivals.first.map { odds[index] - $0 } ?? .nan,
        rivals.dropFirst(2).first.map { odds[index] - $0 } ?? .nan,
        ratio(inliers, inlierOffset), ratio(votes, voteOffset),
      ]
    }
  }

  /// Returns the probability of each candidate; what is missing to one is the probability of none of them.
  static func probabilities(_ utilities: [Double], none: Double) -> [Double] {
    // Subtracts the largest exponent, so that `exp` does not overflow.
    let largest = max(none, utilities.max() ?? none)
    let shares = utilities.map { exp($0 - largest) }
    let sum = shares.reduce(exp(none - largest), +)
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
    }.sorted { ($1.confidence, $0.key) < ($0.confidence, $1.key) }
    let place = candidates.first?.claim
    let rivals = Array(
      candidates.lazy.filter { other in
        !(place.map { isApart(other.claim, $0) } ?? false)
      }.prefix(candidateLimit))
    let shares = probabilities(
      of: rivals.map(\.evidenceWithoutFit),
      withoutEmbedding: rivals.map(\.evidenceWithoutEmbedding),
      isDirected: rivals.contains { $0.image?.evidence.isDirected ?? false })
    let order = rivals.indices.sorted { (shares[$1], $0) < (shares[$0], $1) }
    return order.prefix(length(order.map { shares[$0] })).map { index in
      var entity = rivals[index]
      entity.confidence = shares[index]
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
