public import PixelMatch

/// What became of one query.
public struct EvaluatedQuery: Sendable {
  /// Answers that are looked at: enough for the mean reciprocal rank, and for a calibration.
  static let answerLimit = 100

  /// An entity and how sure it is.
  public struct Answer: Sendable, Hashable {
    /// The entity.
    public let id: EntityID
    /// Its confidence.
    public let confidence: Double
  }

  /// What was asked.
  public let query: EvaluationQuery
  /// The best answers whatever the cut-off, best first.
  public let answers: [Answer]
  /// Where the right entity was lost; `nil` where it is first and above the cut-off, or where no
  /// entity is right.
  public let stage: LostStage?
  /// What the answers' confidence is made of, for a calibration.
  let samples: [CalibrationSample]

  /// The place of the first right answer, from 0.
  public var rank: Int? { answers.firstIndex { query.isRight($0.id) } }
  /// Whether some entity is right.
  public var isPositive: Bool { !query.truth.isEmpty }
}

extension Matcher {
  /// Asks one query of an evaluation.
  ///
  /// - Throws: What ``values(for:options:)`` throws.
  public func evaluate(
    _ query: EvaluationQuery, picture: PixelBuffer, withLabels: Bool
  ) async throws -> EvaluatedQuery {
    let result = try await withTaskExecutorPreference(pool) {
      try await evaluated(
        query, SemanticContent(labels: withLabels ? query.labels : [], pixelBuffer: picture))
    }
    try Task.checkCancellation()
    return result
  }

  @concurrent private func evaluated(
    _ query: EvaluationQuery, _ content: SemanticContent
  ) async throws -> EvaluatedQuery {
    let examined = try await examined(content, MatchOptions(timeout: nil), deadline: nil)
    let best = examined.scored.sorted {
      ($1.confidence, $0.key) < ($0.confidence, $1.key)
    }.prefix(EvaluatedQuery.answerLimit)
    let ids = try catalogue.ids(keys: best.map(\.key))
    let ranked = Ranking.ranked(best.compactMap { scored in ids[scored.key].map { (scored, $0) } })
    let answers = ranked.map {
      EvaluatedQuery.Answer(id: $0.id, confidence: $0.entity.confidence)
    }
    let samples = ranked.compactMap { named in
      named.entity.picture.map {
        CalibrationSample(
          id: named.id, features: $0.score.features, certainties: $0.score.certainties,
          isRight: query.isRight(named.id))
      }
    }
    return EvaluatedQuery(
      query: query, answers: answers, stage: try stage(query, answers, examined),
      samples: samples)
  }

  /// The stage of the right entity that came furthest.
  private func stage(
    _ query: EvaluationQuery, _ answers: [EvaluatedQuery.Answer], _ examined: Examination
  ) throws -> LostStage? {
    guard !query.truth.isEmpty else { return nil }
    let shown = answers.filter { $0.confidence >= examined.cutOff }
    if let rank = shown.firstIndex(where: { query.isRight($0.id) }) {
      return rank == 0 ? nil : .outranked
    }
    var furthest = LostStage.notIndexed
    let order = LostStage.allCases
    for value in query.truth {
      for type in examined.types {
        let key = try catalogue.key(of: EntityID(type: type, value: value))
        guard key != nil, let stage = try lostStage(key, type, rank: nil, examined) else {
          continue
        }
        if order.firstIndex(of: stage)! > order.firstIndex(of: furthest)! { furthest = stage }
      }
    }
    return furthest
  }
}
