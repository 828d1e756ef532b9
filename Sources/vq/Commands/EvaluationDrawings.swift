import VisualQuery

/// Draws the worst queries of an evaluation: they are asked once more, for what each entity looked like.
enum EvaluationDrawings {
  /// The report of an evaluation.
  static func page(of asked: [Evaluation.Asked]) async throws -> ReportPage {
    let answered = asked.compactMap { asked in
      (try? asked.outcome.get()).map { (asked: asked, query: $0) }
    }
    let queries = answered.map(\.query)
    let report = EvaluationReport(queries)
    var pictures = ReportPictures()
    var missCards: [HTML] = []
    for index in EvaluationReport.worstFirst(queries).prefix(EvaluationPage.missLimit) {
      missCards += try await card(of: answered[index].asked, answered[index].query, &pictures)
    }
    let wrong = answered.filter {
      !$0.query.isPositive && ($0.query.answers.first?.confidence ?? 0) >= report.cutOff
    }.sorted { $0.query.answers[0].confidence > $1.query.answers[0].confidence }
    var falseCards: [HTML] = []
    for (asked, query) in wrong.prefix(EvaluationPage.falseLimit) {
      falseCards += try await card(of: asked, query, &pictures)
    }
    return EvaluationPage(
      report: report, queries: queries, failures: asked.count - queries.count, pictures: pictures,
      missCards: missCards, falseCards: falseCards
    ).page
  }

  /// Returns the card of a query; none if its image has gone meanwhile.
  private static func card(
    of asked: Evaluation.Asked, _ query: EvaluatedQuery, _ pictures: inout ReportPictures
  ) async throws -> [HTML] {
    guard case .success(let pixels) = Evaluation.decoded(asked.item.path) else { return [] }
    let source = ReportSource(catalogue: asked.matcher.catalogue, pool: asked.matcher.pool)
    // The right answers do not name their types.
    let right = query.query.truth.prefix(1).flatMap { value in
      EntityType.allCases.map { EntityID(type: $0, value: value) }
    }
    let expected = try await source.entities(right).keys.sorted().first
    guard let id = expected ?? query.answers.first?.id else { return [] }
    let labels = asked.item.withLabels ? query.query.labels : []
    let diagnosis = try await asked.matcher.diagnosis(
      of: id, in: SemanticContent(labels: labels, pixelBuffer: pixels),
      options: MatchOptions(timeout: nil))
    let edit = query.query.edit == "none" ? "" : "Edit: \(query.query.edit). "
    let lost = query.missReason.map { "Lost at \($0.rawValue): \($0.meaning)." }
    let card = MissCard(
      name: query.query.query, remark: edit + (lost ?? "The index has nothing of the kind."),
      jpeg: try ReportSource.reduced(pixels), expected: expected, diagnosis: diagnosis)
    return [try await card.html(source, &pictures)]
  }
}
