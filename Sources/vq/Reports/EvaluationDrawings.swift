import PixelMatch
import VisualQuery

/// Draws the worst queries of an evaluation: they are asked once more, for what each entity looked like.
enum EvaluationDrawings {
  /// A query that was asked of a catalogue.
  struct Asked: Sendable {
    let query: EvaluatedQuery
    /// The labels that it was asked with.
    let labels: [String]
    let matcher: Matcher
    /// Returns the pixels of its image, or `nil` if there is none any more.
    let pixels: @Sendable () -> PixelBuffer?
  }

  /// The report of an evaluation.
  ///
  /// - Parameter failures: The queries whose image could not be read.
  static func page(of asked: [Asked], failures: Int) async throws -> EvaluationPage {
    let queries = asked.map(\.query)
    let report = EvaluationReport(queries)
    var pictures = ReportPictures()
    var missCards: [HTML] = []
    for index in EvaluationReport.worstFirst(queries).prefix(EvaluationPage.missLimit) {
      missCards += try await card(of: asked[index], &pictures)
    }
    let wrong = asked.filter {
      !$0.query.isPositive && ($0.query.answers.first?.confidence ?? 0) >= report.cutOff
    }.sorted { $0.query.answers[0].confidence > $1.query.answers[0].confidence }
    var falseCards: [HTML] = []
    for asked in wrong.prefix(EvaluationPage.falseLimit) {
      falseCards += try await card(of: asked, &pictures)
    }
    return EvaluationPage(
      report: report, queries: queries, failures: failures, pictures: pictures,
      missCards: missCards, falseCards: falseCards)
  }

  /// Returns the card of a query; none if its image has gone meanwhile.
  private static func card(
    of asked: Asked, _ pictures: inout ReportPictures
  ) async throws -> [HTML] {
    guard let pixels = asked.pixels() else { return [] }
    let query = asked.query
    let source = ReportSource(catalogue: asked.matcher.catalogue, pool: asked.matcher.pool)
    // The expected ids come without a type, so all types are tried.
    let right = query.query.truth.prefix(1).flatMap { value in
      EntityType.allCases.map { EntityID(type: $0, value: value) }
    }
    let expected = try await source.entities(right).keys.sorted().first
    guard let id = expected ?? query.answers.first?.id else { return [] }
    var content = SemanticContent(labels: asked.labels, pixelBuffer: pixels)
    content.text = query.query.text
    let diagnosis = try await asked.matcher.diagnosis(
      of: id, in: content,
      options: MatchOptions(timeout: nil))
    let edit = query.query.edit == "none" ? "" : "Edit: \(query.query.edit). "
    let lost = query.missReason.map { "Lost at \($0.rawValue): \($0.meaning)." }
    let card = MissCard(
      name: query.query.query, remark: edit + (lost ?? "The index has nothing of the kind."),
      jpeg: try ReportSource.reduced(pixels), expected: expected, diagnosis: diagnosis)
    return [try await card.html(source, &pictures)]
  }
}
