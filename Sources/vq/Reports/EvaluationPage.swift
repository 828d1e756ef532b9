import VisualQuery

/// The report of `vq eval`: the figures, plots, the worst misses as images, and a table of all queries.
struct EvaluationPage {
  /// The most misses, and the most wrong answers to queries without a right entity, that are drawn.
  static let missLimit = 12
  static let falseLimit = 6
  /// The most rows of the table.
  static let rowLimit = 2000

  let report: EvaluationReport
  let queries: [EvaluatedQuery]
  /// The queries whose image could not be read.
  let failures: Int
  let pictures: ReportPictures
  let missCards: [HTML]
  let falseCards: [HTML]
  /// Further sentences about what was left out.
  var remarks: [String] = []

  /// The page.
  var page: ReportPage {
    var notes = remarks.map { HTML(text: $0) }
    if failures > 0 {
      notes.append(
        "\(DisplayText.count(failures, "query", "queries")) left out: the image cannot be decoded.")
    }
    if queries.count > Self.rowLimit {
      notes.append(
        "The table has the first \(Self.rowLimit) of \(queries.count) queries; 'vq eval --json' counts all."
      )
    }
    var body = [ReportParts.figures(figures)]
    if let recall = report.recall, report.byEdit.count > 1 {
      body.append(
        ReportParts.section("Recall by edit", [EvaluationPlots.recall(report.byEdit, all: recall)]))
    }
    body.append(ReportParts.section("Confidence", [HTML("div", ["class": "plots"], plots)]))
    if !missCards.isEmpty {
      body.append(
        ReportParts.section(
          "Worst misses",
          [
            HTML("p", ["class": "soft"], [HTML(text: missNote)]),
            HTML("ol", ["class": "cards"], missCards),
          ]))
    }
    if !falseCards.isEmpty {
      body.append(
        ReportParts.section(
          "Wrong answers although nothing is right", [HTML("ol", ["class": "cards"], falseCards)]))
    }
    body.append(ReportParts.section("Queries", [table]))
    return ReportPage(title: "vq eval", notes: notes, pictures: pictures, body: body)
  }

  private var missNote: String {
    let count = queries.count { $0.missReason != nil }
    let all = DisplayText.count(count, "query misses", "queries miss")
    return
      "\(all) the expected entity, rank another one above it, or find it with a confidence below the cut-off; the "
      + "\(missCards.count) worst are drawn: wrong answers by their confidence, then the others."
  }

  private var plots: [HTML] {
    [
      HTML(
        "figure",
        [
          EvaluationPlots.reliability(report.reliability),
          HTML(
            "figcaption",
            [
              "Reliability: of the first answers of each confidence, the share that is right. On the diagonal, a confidence of 0.9 is right 9 times of 10. The larger a circle, the more answers. Expected calibration error \(Self.share(report.calibrationError))."
            ]),
        ]),
      HTML(
        "figure",
        [
          EvaluationPlots.distributions(queries, cutOff: report.cutOff),
          HTML(
            "figcaption",
            [
              "Confidence of the first answers: right ones, wrong ones, and those to queries of which the index has nothing. Answers to the right of the line at \(DisplayText.confidence(report.cutOff)) are shown."
            ]),
        ]),
    ]
  }

  private static func share(_ value: Double?) -> String {
    value.map { ReportNumber.decimal($0, places: 3) } ?? "–"
  }

  private var figures: [(name: String, value: String)] {
    let share = Self.share
    var figures = [
      ("queries with a right entity", "\(report.recall?.queries ?? 0)"),
      ("queries without", "\(report.negatives)"),
      ("recall@1", share(report.recall?.at1)), ("recall@5", share(report.recall?.at5)),
      ("mean reciprocal rank", share(report.meanReciprocalRank)),
      ("right and shown", share(report.shownRight)), ("wrong and shown", share(report.shownWrong)),
    ]
    if let empty = report.negativesEmpty {
      figures.append(("nothing shown if none is right", share(empty)))
    }
    let lists = report.lists
    figures.append(("right and shown or listed", share(lists.shownOrListed)))
    if let right = lists.right {
      figures.append(("lists with the right one, of \(lists.given)", share(right)))
      figures.append(("mean length of these lists", share(lists.meanLength)))
    }
    if let given = lists.givenIfNoneIsRight {
      figures.append(("lists if none is right", share(given)))
    }
    if let recall = report.recallAt1PercentFalse {
      figures.append(("recall@1 at 1 % false positives", share(recall)))
    }
    return figures.map { (name: $0.0, value: $0.1) }
  }

  private var table: HTML {
    let columns: [ReportParts.Column] = [
      .init(name: "Query"), .init(name: "Edit"), .init(name: "Expected"), .init(name: "Found"),
      .init(name: "Confidence", isNumber: true), .init(name: "Rank", isNumber: true),
      .init(name: "Lost at"),
    ]
    let rows = queries.prefix(Self.rowLimit).map { query in
      (
        kind: kind(of: query),
        cells: [
          query.query.query, query.query.edit, query.query.truth.joined(separator: " "),
          query.answers.first?.id.value ?? "",
          query.answers.first.map { DisplayText.confidence($0.confidence) } ?? "",
          query.rank.map { "\($0 + 1)" } ?? "", query.missReason?.rawValue ?? "",
        ]
      )
    }
    return ReportParts.sortable(
      columns, rows: rows, kinds: Self.kinds, caption: "The queries and their first answers")
  }

  private static let kinds = [
    "right and shown", "right, not shown", "wrong and shown", "wrong, not shown",
    "nothing is right, and nothing shown", "nothing is right, yet shown",
  ]

  private func kind(of query: EvaluatedQuery) -> String {
    let isShown = (query.answers.first?.confidence ?? 0) >= report.cutOff
    if !query.isPositive { return Self.kinds[isShown ? 5 : 4] }
    return Self.kinds[(query.rank == 0 ? 0 : 2) + (isShown ? 0 : 1)]
  }
}
