package import PixelMatch

/// The outcome of one query of an evaluation.
package struct EvaluatedQuery: Sendable {
  /// The number of answers that count: enough for the mean reciprocal rank and for a calibration.
  package static let answerLimit = 100

  /// An entity and its confidence.
  package struct Answer: Sendable, Hashable {
    /// The entity.
    package let id: EntityID
    /// Its confidence.
    package let confidence: Double

    package init(id: EntityID, confidence: Double) { (self.id, self.confidence) = (id, confidence) }
  }

  /// The query.
  package let query: EvaluationQuery
  /// The best answers, regardless of the cut-off, best first.
  package let answers: [Answer]
  /// The reason why the right entity was missed, or `nil` if it is first and above the cut-off or if
  /// no entity is right.
  package let missReason: MissReason?
  /// The measurements behind the answers' confidence, for a calibration.
  let samples: [CalibrationSample]
  /// The entities that are listed if none is sure (``MatchResponse/possible``), best first, with their shares as confidences.
  package internal(set) var possible: [Answer] = []
  /// For each entity that is listed as similar (``MatchResponse/similar``), whether it shares a kind with a right one; `nil` if that was not
  /// asked for, or if no right one has a kind.
  package internal(set) var similar: [Bool]? = nil
  /// What each witness says about the best candidates, for a fit of the shop.
  package internal(set) var witnessed: [WitnessedEntity] = []
  /// The same as if the shop did not have the right ones; `nil` if that was not asked.
  package internal(set) var withoutRight: [WitnessedEntity]? = nil
  /// The product that the image shows, of which there may be several photos, or `nil` if no entity is right.
  package internal(set) var product: String? = nil
  /// The model whose vectors were compared, or `nil` if none were.
  package internal(set) var vectors: String? = nil

  /// The place of the first right answer, from 0.
  package var rank: Int? { answers.firstIndex { query.isRight($0.id) } }
  /// A Boolean value that indicates whether some entity is right.
  package var isPositive: Bool { !query.truth.isEmpty }
}

extension EvaluatedQuery {
  /// Takes the outcome of a query that was asked elsewhere: nothing is known of it but its answers.
  ///
  /// - Parameter answers: The best answers, regardless of the cut-off, best first.
  package init(_ query: EvaluationQuery, answers: [Answer]) {
    self.init(query: query, answers: answers, missReason: nil, samples: [])
  }
}

extension Matcher {
  /// Runs one query of an evaluation whose image was not kept.
  ///
  /// - Parameter withSimilar: True if what is similar counts, too.
  /// - Throws: The errors of ``values(for:options:)``.
  package func evaluate(
    _ query: EvaluationQuery, signature: QuerySignature, withLabels: Bool,
    subject: QuerySubject = .anything, withSimilar: Bool = false
  ) async throws -> EvaluatedQuery {
    let result = try await withTaskExecutorPreference(pool) {
      try await evaluated(
        query, content(of: query, signature: signature, withLabels: withLabels), subject,
        withSimilar: withSimilar)
    }
    try Task.checkCancellation()
    return result
  }

  /// Runs one query of an evaluation.
  ///
  /// - Parameter withSimilar: True if what is similar counts, too.
  /// - Throws: The errors of ``values(for:options:)``.
  package func evaluate(
    _ query: EvaluationQuery, picture: PixelBuffer, withLabels: Bool,
    subject: QuerySubject = .anything, withSimilar: Bool = false
  ) async throws -> EvaluatedQuery {
    let result = try await withTaskExecutorPreference(pool) {
      try await evaluated(
        query, content(of: query, picture: picture, withLabels: withLabels), subject,
        withSimilar: withSimilar)
    }
    try Task.checkCancellation()
    return result
  }

  private func content(
    of query: EvaluationQuery, picture: PixelBuffer? = nil, signature: QuerySignature? = nil,
    withLabels: Bool
  ) -> SemanticContent {
    var content = SemanticContent(
      labels: withLabels ? query.labels : [], pixelBuffer: picture, signature: signature)
    content.embedding = query.embedding
    content.text = query.text
    return content
  }

  @concurrent private func evaluated(
    _ query: EvaluationQuery, _ content: SemanticContent, _ subject: QuerySubject,
    withSimilar: Bool
  ) async throws -> EvaluatedQuery {
    // An evaluation measures the search itself, so the rules that the catalogue stores are
    // ignored. Only rules that the caller wants to try are applied.
    var matcher = self
    matcher.rules = rules ?? ShopRules()
    let state = try await matcher.run(
      content, MatchOptions(timeout: nil, usesFeedback: false, subject: subject), deadline: nil)
    let scored = try worded(state).scored
    let rules = try settled(
      state.query.rules, by: scored.filter { $0.confidence >= state.query.cutOff })
    let best = scored.sorted {
      ($1.confidence, $0.key) < ($0.confidence, $1.key)
    }.prefix(EvaluatedQuery.answerLimit)
    let possible = PossibleEntities.list(among: scored, cutOff: state.query.cutOff).filter {
      rules.hidingRule(of: $0.key) == nil
    }
    let ids = try catalogue.ids(keys: (best + possible).map(\.key))
    let found = Ranking.topRanked(
      best.compactMap { entity in
        ids[entity.key].map { RankedEntity(entity: entity, id: $0) }
      })
    let ranked =
      try ordered(found.filter { $0.entity.confidence >= state.query.cutOff }, by: rules)
      + found.filter {
        $0.entity.confidence < state.query.cutOff && rules.hidingRule(of: $0.entity.key) == nil
      }
    let answers = ranked.map {
      EvaluatedQuery.Answer(id: $0.id, confidence: $0.entity.confidence)
    }
    let images = Scoring(state).calibrationImages
    let samples = ranked.compactMap { ranked in
      images[ranked.entity.key].map {
        CalibrationSample(
          id: ranked.id, evidence: $0.image.evidence, weighed: $0.image.weighed,
          picture: $0.picture, isRight: query.isRight(ranked.id))
      }
    }
    let shown = ranked.filter { $0.entity.confidence >= state.query.cutOff }.map(\.entity.key)
    let similar =
      withSimilar ? try similar(state, to: query, without: shown + possible.map(\.key)) : nil
    var evaluated = EvaluatedQuery(
      query: query, answers: answers,
      missReason: try missReason(query, answers, state, scored, rules), samples: samples,
      possible: possible.compactMap { entity in
        ids[entity.key].map { EvaluatedQuery.Answer(id: $0, confidence: entity.confidence) }
      }, similar: similar)
    evaluated.witnessed = ranked.map {
      WitnessedEntity($0.entity, isRight: query.isRight($0.id))
    }
    evaluated.vectors = state.comparedVectors
    return evaluated
  }

  /// Returns for each entity that is similar whether it shares a kind with a right one; `nil` if no right one has a kind.
  ///
  /// - Parameter shown: The keys of the entities that the answer has.
  private func similar(
    _ state: QueryState, to query: EvaluationQuery, without shown: [UInt32]
  ) throws -> [Bool]? {
    let right = try query.truth.flatMap { EvaluationQuery.ids(named: $0) }
      .compactMap { try catalogue.key(of: $0) }
    let values = try catalogue.entities(keys: Set(shown + right).sorted())
    let kinds = right.reduce(into: Set<String>()) { $0.formUnion(values[$1]?.kinds ?? []) }
    if kinds.isEmpty { return nil }
    let options = MatchOptions(timeout: nil, showsSimilar: true)
    let listed = try similar(
      state, options, without: shown.compactMap { values[$0] }, isAnySure: false)
    return (listed ?? []).map { !$0.value.kinds.isDisjoint(with: kinds) }
  }

  /// Returns the miss reason of the right entity that came furthest.
  private func missReason(
    _ query: EvaluationQuery, _ answers: [EvaluatedQuery.Answer], _ state: QueryState,
    _ scored: [ScoredEntity], _ rules: ActiveRules
  ) throws -> MissReason? {
    guard !query.truth.isEmpty else { return nil }
    let shown = answers.filter { $0.confidence >= state.query.cutOff }
    if let index = shown.firstIndex(where: { query.isRight($0.id) }) {
      return index == 0 ? nil : .outranked
    }
    var furthest = MissReason.notIndexed
    let order = MissReason.allCases
    for value in query.truth {
      for id in EvaluationQuery.ids(named: value) where state.query.types.contains(id.type) {
        let key = try catalogue.key(of: id)
        guard let key, var reason = missReason(key, id.type, rank: nil, state, scored) else {
          continue
        }
        if rules.hidingRule(of: key) != nil { reason = .hidden }
        if order.firstIndex(of: reason)! > order.firstIndex(of: furthest)! { furthest = reason }
      }
    }
    return furthest
  }
}
