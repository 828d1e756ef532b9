/// The figures of an evaluation.
package struct EvaluationReport: Sendable {
  /// The recall of some queries that have a right entity.
  package struct Recall: Sendable, Hashable, Encodable {
    /// The number of queries.
    package let queries: Int
    /// The share whose first answer is right.
    package let at1: Double
    /// The share with a right answer among the first five.
    package let at5: Double

    init(queries: Int, at1: Double, at5: Double) {
      (self.queries, self.at1, self.at5) = (queries, at1, at5)
    }

    fileprivate init(_ queries: [EvaluatedQuery]) {
      self.queries = queries.count
      at1 = share(of: queries) { $0.rank == 0 }
      at5 = share(of: queries) { $0.rank.map { $0 < 5 } ?? false }
    }
  }

  /// The lists that queries without a sure answer got (``MatchResponse/possible``).
  package struct Lists: Sendable, Hashable {
    /// The number of queries with a right entity that got one.
    package let given: Int
    /// The share of these lists that hold a right entity, or `nil` if there are none.
    package let right: Double?
    /// The mean length of these lists, or `nil` if there are none.
    package let meanLength: Double?
    /// The share of the queries with a right entity that either have it first and above the cut-off, or get a list that holds it;
    /// `nil` if there are none.
    package let shownOrListed: Double?
    /// The share of the queries for which no entity is right that got one, or `nil` if there are none.
    package let givenIfNoneIsRight: Double?

    fileprivate init(
      _ positives: [EvaluatedQuery], _ negatives: [EvaluatedQuery], cutOff: Double
    ) {
      let listed = positives.filter { !$0.possible.isEmpty }
      given = listed.count
      right = listed.isEmpty ? nil : share(of: listed, where: \.isListed)
      meanLength =
        listed.isEmpty
        ? nil : Double(listed.reduce(0) { $0 + $1.possible.count }) / Double(listed.count)
      shownOrListed =
        positives.isEmpty
        ? nil
        : share(of: positives) { $0.rank == 0 && $0.confidence >= cutOff || $0.isListed }
      givenIfNoneIsRight =
        negatives.isEmpty ? nil : share(of: negatives) { !$0.possible.isEmpty }
    }
  }

  /// The first answers with about the same confidence, and the share of them that is right.
  package struct ReliabilityBin: Sendable, Hashable, Encodable {
    /// The lowest confidence in the bin, which is 0.1 wide.
    package let from: Double
    /// The number of first answers.
    package let answers: Int
    /// Their mean confidence.
    package let confidence: Double
    /// The share of them that is right.
    package let right: Double
  }

  /// A query whose right entity was not the first match.
  package struct Miss: Sendable, Hashable, Encodable {
    /// The query's name.
    package let query: String
    /// The edit of the image.
    package let edit: String
    /// The right ids.
    package let truth: [String]
    /// The reason why they were missed.
    package let missReason: MissReason
    /// The id of the first answer.
    package let first: String?
    /// Its confidence.
    package let confidence: Double?

    private enum CodingKeys: String, CodingKey {
      case query, edit, truth, missReason = "stage", first, confidence
    }
  }

  /// The recall of all queries that have a right entity, or `nil` if there are none.
  package let recall: Recall?
  /// The mean of 1 / rank of the first right answer among the hundred best, or `nil` if no query has a right entity.
  package let meanReciprocalRank: Double?
  /// The recall by the edit of the image, in the order of the edits' names.
  package let byEdit: [(edit: String, recall: Recall)]
  /// The lowest confidence of an answer that is shown.
  package let cutOff: Double
  /// The share of queries with a right entity whose first answer is right and above the cut-off, or `nil` if there are none.
  package let shownRight: Double?
  /// The share of them whose first answer is wrong and above the cut-off.
  package let shownWrong: Double?
  /// The lists of what is possible.
  package let lists: Lists
  /// The number of queries for which no entity is right.
  package let negatives: Int
  /// The share of them without an answer above the cut-off, or `nil` if there are none.
  package let negativesEmpty: Double?
  /// The recall at the confidence that 1 % of the negatives exceed, or `nil` without negatives or without others.
  package let recallAt1PercentFalse: Double?
  /// The recall at the confidence that 0.1 % of the negatives exceed.
  package let recallAt01PercentFalse: Double?
  /// The first answers by their confidence, without empty bins.
  package let reliability: [ReliabilityBin]
  /// The mean difference between the confidence and the share of right answers, over all answers, or `nil` if there
  /// are none.
  package let calibrationError: Double?
  /// The ten wrong first answers with the highest confidence, then the missed ones.
  package let worst: [Miss]

  /// Computes the figures of some queries.
  package init(_ queries: [EvaluatedQuery], cutOff: Double = Calibration.defaultCutOff) {
    let positives = queries.filter(\.isPositive)
    let others = queries.filter { !$0.isPositive }
    self.cutOff = cutOff
    recall = positives.isEmpty ? nil : Recall(positives)
    meanReciprocalRank =
      positives.isEmpty
      ? nil
      : positives.reduce(0) { $0 + ($1.rank.map { 1 / Double($0 + 1) } ?? 0) }
        / Double(positives.count)
    byEdit = Dictionary(grouping: positives, by: \.query.edit)
      .map { (edit: $0.key, recall: Recall($0.value)) }
      .sorted { $0.edit < $1.edit }
    func shareOfPositives(_ isSo: (EvaluatedQuery) -> Bool) -> Double? {
      positives.isEmpty ? nil : share(of: positives, where: isSo)
    }
    shownRight = shareOfPositives { $0.rank == 0 && $0.confidence >= cutOff }
    shownWrong = shareOfPositives { $0.rank != 0 && $0.confidence >= cutOff }
    lists = Lists(positives, others, cutOff: cutOff)
    negatives = others.count
    negativesEmpty = others.isEmpty ? nil : share(of: others) { $0.confidence < cutOff }
    func recallAmongSurer(atFalse limit: Double) -> Double? {
      guard !others.isEmpty else { return nil }
      let falls = others.map(\.confidence).sorted(by: >)
      let place = Int((Double(falls.count) * limit).rounded(.up)) - 1
      let threshold = falls[max(0, place)]
      return shareOfPositives { $0.rank == 0 && $0.confidence > threshold }
    }
    recallAt1PercentFalse = recallAmongSurer(atFalse: 0.01)
    recallAt01PercentFalse = recallAmongSurer(atFalse: 0.001)
    reliability = Self.reliability(queries)
    let answered = reliability.reduce(0) { $0 + $1.answers }
    calibrationError =
      answered == 0
      ? nil
      : reliability.reduce(0) { $0 + Double($1.answers) * abs($1.confidence - $1.right) }
        / Double(answered)
    worst = Self.worst(positives)
  }

  private static func reliability(_ queries: [EvaluatedQuery]) -> [ReliabilityBin] {
    let answered = queries.filter { !$0.answers.isEmpty }
    return Dictionary(grouping: answered) { min(9, Int($0.confidence * 10)) }
      .sorted { $0.key < $1.key }
      .map { bin, members in
        ReliabilityBin(
          from: Double(bin) / 10, answers: members.count,
          confidence: members.reduce(0) { $0 + $1.confidence } / Double(members.count),
          right: share(of: members) { $0.rank == 0 })
      }
  }

  private static func worst(_ positives: [EvaluatedQuery]) -> [Miss] {
    worstFirst(positives).prefix(10).map { index in
      let missed = positives[index]
      return Miss(
        query: missed.query.query, edit: missed.query.edit, truth: missed.query.truth,
        missReason: missed.missReason!, first: missed.answers.first?.id.value,
        confidence: missed.answers.first?.confidence)
    }
  }

  /// Returns the indices of the queries that people would be shown something wrong for, or nothing: those whose first answer is not right,
  /// and those for which no entity is right that have an answer above the cut-off. The highest confidence comes first.
  package static func wrong(
    among queries: [EvaluatedQuery], cutOff: Double = Calibration.defaultCutOff
  ) -> [Int] {
    queries.indices.filter { index in
      let query = queries[index]
      return query.isPositive ? query.rank != 0 : query.confidence >= cutOff
    }.sorted { a, b in (queries[b].confidence, a) < (queries[a].confidence, b) }
  }

  /// Returns the indices of the queries whose right entity was missed: those with a wrong first answer by
  /// its confidence, highest first, then the others in their order.
  package static func worstFirst(_ queries: [EvaluatedQuery]) -> [Int] {
    queries.indices.filter { queries[$0].missReason != nil }.sorted { a, b in
      (queries[b].wrongConfidence, a) < (queries[a].wrongConfidence, b)
    }
  }
}

extension EvaluatedQuery {
  /// The confidence of the first answer; zero without any.
  fileprivate var confidence: Double { answers.first?.confidence ?? 0 }
  /// True if the list of what is possible holds a right entity.
  fileprivate var isListed: Bool { possible.contains { query.isRight($0.id) } }
  /// The confidence of a wrong first answer; below zero if the first answer is right.
  fileprivate var wrongConfidence: Double { rank == 0 ? -1 : confidence }
}

private func share(
  of queries: [EvaluatedQuery], where isSo: (EvaluatedQuery) -> Bool
) -> Double {
  queries.isEmpty ? 0 : Double(queries.count(where: isSo)) / Double(queries.count)
}
