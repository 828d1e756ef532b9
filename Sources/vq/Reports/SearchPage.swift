import VisualQuery

/// The HTML report of searches.
enum SearchPage {
  static func page(of report: SearchReport) -> ReportPage {
    let total = report.total
    var body = [
      ReportParts.figures([
        (name: "searches", value: "\(total.searches)"),
        (name: "with a sure answer", value: share(total.sure, total)),
        (name: "with a list", value: share(total.list, total)),
        (name: "empty", value: share(total.empty, total)),
        (name: "opened", value: "\(total.opened)"), (name: "added", value: "\(total.added)"),
        (name: "ordered", value: "\(total.ordered)"),
      ])
    ]
    let groups = [
      ("By day", report.byDay), ("By key", report.byKey), ("By language", report.byLanguage),
      ("By rule", report.byRule), ("By model", report.byModel), ("Side by side", report.byArm),
    ]
    for (title, rows) in groups where rows.count > 1 || rows.first?.name.isEmpty == false {
      var parts = [table(rows)]
      if title == "Side by side", let difference = report.difference {
        parts.append(
          HTML(
            "p",
            [
              "Openings per search, B less A: \(ReportNumber.decimal(difference.openedPerSearch)); 95 % interval \(ReportNumber.decimal(difference.low)) to \(ReportNumber.decimal(difference.high))."
            ]))
      }
      body.append(ReportParts.section(title, parts))
    }
    if !report.ranks.isEmpty {
      body.append(ReportParts.section("What was opened, by rank", [ranks(report.ranks)]))
    }
    body.append(
      empty(
        "Labels that find nothing", "Label",
        report.emptyLabels.map { [$0.label, "\($0.searches)"] }))
    body.append(
      empty(
        "Parts of images that find nothing", "Part",
        report.emptyRegions.map { [$0.region, "\($0.searches)"] }))
    let notes: [HTML] =
      (report.from.flatMap { from in
        report.until.map { ["From \(from) to \($0), in UTC. Intervals hold in 95 of 100 cases."] }
      } ?? ["No searches were counted."])
      + ExcessText.sentences(about: report).map { HTML(text: $0) }
    return ReportPage(title: "vq report", notes: notes, pictures: ReportPictures(), body: body)
  }

  private static func empty(_ title: String, _ name: String, _ rows: [[String]]) -> HTML {
    ReportParts.section(
      title,
      rows.isEmpty
        ? [HTML("p", ["None with \(SearchNumbers.leastSearches) searches or more."])]
        : [
          ReportParts.sortable(
            [.init(name: name), .init(name: "Searches", isNumber: true)],
            rows: rows.map { (kind: "", cells: $0) }, kinds: [], caption: title)
        ])
  }

  private static func share(_ count: Int, _ sums: SearchReport.Sums) -> String {
    sums.searches == 0 ? "–" : ReportNumber.percent(Double(count) / Double(sums.searches))
  }

  private static func interval(_ count: Int, _ sums: SearchReport.Sums) -> String {
    SearchReport.interval(count, of: sums.searches).map {
      "\(ReportNumber.percent($0.lowerBound)) to \(ReportNumber.percent($0.upperBound))"
    } ?? "–"
  }

  private static func table(_ rows: [SearchReport.Row]) -> HTML {
    let most = rows.map(\.sums.searches).max() ?? 0
    let lines = rows.map { row in
      HTML(
        "tr",
        [
          HTML("th", ["scope": "row"], [.name(row.name.isEmpty ? "–" : row.name)]),
          ReportParts.number("\(row.sums.searches)"),
          HTML("td", [bar(row.sums.searches, of: most)]),
          ReportParts.number(share(row.sums.sure, row.sums)),
          ReportParts.number(interval(row.sums.sure, row.sums)),
          ReportParts.number(share(row.sums.list, row.sums)),
          ReportParts.number(share(row.sums.empty, row.sums)),
          ReportParts.number("\(row.sums.opened)"),
        ])
    }
    return scrolled(
      ReportParts.head([
        .init(name: ""), .init(name: "Searches", isNumber: true), .init(name: ""),
        .init(name: "Sure", isNumber: true), .init(name: "95 % interval", isNumber: true),
        .init(name: "List", isNumber: true), .init(name: "Empty", isNumber: true),
        .init(name: "Opened", isNumber: true),
      ]), lines)
  }

  private static func ranks(_ ranks: [SearchReport.Rank]) -> HTML {
    let most = ranks.map(\.opened).max() ?? 0
    let lines = ranks.map { rank in
      HTML(
        "tr",
        [
          HTML("th", ["scope": "row"], [HTML(text: rank.rank == 0 ? "list" : "\(rank.rank)")]),
          ReportParts.number("\(rank.opened)"), HTML("td", [bar(rank.opened, of: most)]),
          ReportParts.number("\(rank.shown)"), ReportParts.number("\(rank.added)"),
          ReportParts.number("\(rank.ordered)"),
        ])
    }
    return scrolled(
      ReportParts.head([
        .init(name: "Rank"), .init(name: "Opened", isNumber: true), .init(name: ""),
        .init(name: "Shown", isNumber: true), .init(name: "Added", isNumber: true),
        .init(name: "Ordered", isNumber: true),
      ]), lines)
  }

  private static func scrolled(_ head: HTML, _ lines: [HTML]) -> HTML {
    HTML(
      "div", ["class": "scroll", "tabindex": "0", "role": "region"],
      [HTML("table", ["class": "named"], [head, HTML("tbody", lines)])])
  }

  private static func bar(_ count: Int, of most: Int) -> HTML {
    HTML(
      "svg",
      [
        "class": "bar", "viewBox": "0 0 100 10", "preserveAspectRatio": "none",
        "aria-hidden": "true",
      ],
      [
        HTML("rect", ["class": "track", "width": "100", "height": "10"]),
        HTML(
          "rect",
          [
            "class": "for", "height": "10",
            "width": ReportNumber.length(most > 0 ? 100 * Double(count) / Double(most) : 0),
          ]),
      ])
  }
}
