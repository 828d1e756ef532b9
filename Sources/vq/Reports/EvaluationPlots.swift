import VisualQuery

/// The plots of an evaluation, as SVG with the page's colors.
enum EvaluationPlots {
  private static let side = 300.0
  private static let margin = (left: 44.0, bottom: 40.0, top: 30.0, right: 12.0)

  /// The first answers of each confidence, and the share of them that is right.
  static func reliability(_ bins: [EvaluationReport.ReliabilityBin]) -> HTML {
    let most = Double(bins.map(\.answers).max() ?? 1)
    let marks = bins.map { bin in
      HTML(
        "circle",
        [
          "class": "mark", "cx": x(bin.confidence), "cy": y(bin.right),
          "r": ReportNumber.length(3 + 9 * (Double(bin.answers) / most).squareRoot()),
        ],
        [
          HTML(
            "title",
            [
              "confidence \(ReportNumber.decimal(bin.confidence)): \(ReportNumber.decimal(bin.right)) of \(bin.answers) answers right"
            ])
        ])
    }
    let diagonal = HTML(
      "line", ["class": "guide", "x1": x(0), "y1": y(0), "x2": x(1), "y2": y(1)])
    let said = bins.map {
      "\(ReportNumber.decimal($0.confidence)): \(ReportNumber.decimal($0.right)) of \($0.answers)"
    }.joined(separator: "; ")
    return plot(
      "Reliability diagram. Share right by confidence: \(said)", across: "confidence",
      up: "share right", [diagonal] + marks, upper: "1")
  }

  /// The confidence of the first answers that are right, wrong, and of queries without a right entity.
  static func distributions(_ queries: [EvaluatedQuery], cutOff: Double) -> HTML {
    let bins = 20
    var counts = [[Int]](repeating: [Int](repeating: 0, count: bins), count: 3)
    for query in queries {
      guard let first = query.answers.first else { continue }
      let kind = query.isPositive ? (query.rank == 0 ? 0 : 1) : 2
      counts[kind][min(bins - 1, Int(first.confidence * Double(bins)))] += 1
    }
    let names = ["right", "wrong", "absent"]
    let most = Double(max(1, counts.joined().max() ?? 1))
    var parts: [HTML] = []
    for (kind, counts) in counts.enumerated() {
      var path = "M\(x(0)) \(y(0))"
      for (bin, count) in counts.enumerated() {
        // A square root keeps small counts visible beside large ones.
        let height = (Double(count) / most).squareRoot()
        let (from, to) = (Double(bin) / Double(bins), Double(bin + 1) / Double(bins))
        path += "L\(x(from)) \(y(height))L\(x(to)) \(y(height))"
      }
      parts.append(
        HTML(
          "path", ["class": "curve \(names[kind])", "d": path + "L\(x(1)) \(y(0))"],
          [HTML("title", [HTML(text: names[kind])])]))
    }
    parts.append(
      HTML("line", ["class": "guide", "x1": x(cutOff), "y1": y(0), "x2": x(cutOff), "y2": y(1)]))
    for (kind, name) in names.enumerated() {
      let left = 48 + 84 * kind
      parts += [
        HTML(
          "rect",
          ["class": "key \(name)", "x": "\(left)", "y": "8", "width": "10", "height": "10"]),
        HTML(
          "text", ["x": "\(left + 15)", "y": "17"],
          ["\(name) (\(counts[kind].reduce(0, +)))"]),
      ]
    }
    let said = zip(names, counts).map { name, counts in
      "\(name): \(counts.reduce(0, +)), of them \(counts[Int(cutOff * Double(bins))...].reduce(0, +)) shown"
    }.joined(separator: "; ")
    return plot(
      "Distribution of confidence. \(said)", across: "confidence", up: "answers (root)",
      parts, upper: "\(Int(most))")
  }

  /// The recall of each kind of edit as a bar.
  static func recall(
    _ byEdit: [(edit: String, recall: EvaluationReport.Recall)], all: EvaluationReport.Recall
  ) -> HTML {
    func row(_ name: String, _ recall: EvaluationReport.Recall) -> HTML {
      HTML(
        "tr",
        [
          HTML("th", ["scope": "row"], [.name(name)]), ReportParts.number("\(recall.queries)"),
          HTML("td", [bar(recall.at1)]),
          ReportParts.number(ReportNumber.decimal(recall.at1, places: 3)),
          ReportParts.number(ReportNumber.decimal(recall.at5, places: 3)),
        ])
    }
    let worstFirst = byEdit.sorted {
      ($0.recall.at1, $0.edit) < ($1.recall.at1, $1.edit)
    }
    return HTML(
      "div", ["class": "scroll"],
      [
        HTML(
          "table",
          [
            ReportParts.head([
              .init(name: "Edit"), .init(name: "Queries", isNumber: true), .init(name: ""),
              .init(name: "Recall@1", isNumber: true), .init(name: "Recall@5", isNumber: true),
            ]),
            HTML("tbody", worstFirst.map { row($0.edit, $0.recall) }),
            HTML("tfoot", [row("all", all)]),
          ])
      ])
  }

  private static func bar(_ share: Double) -> HTML {
    HTML(
      "svg",
      [
        "class": "bar wide", "viewBox": "0 0 100 10", "preserveAspectRatio": "none",
        "aria-hidden": "true",
      ],
      [
        HTML("rect", ["class": "plain", "width": "100", "height": "10"]),
        HTML(
          "rect", ["class": "for", "width": ReportNumber.length(100 * share), "height": "10"]),
      ])
  }

  private static func x(_ share: Double) -> String {
    ReportNumber.length(margin.left + share * (side - margin.left - margin.right))
  }

  private static func y(_ share: Double) -> String {
    ReportNumber.length(side - margin.bottom - share * (side - margin.top - margin.bottom))
  }

  /// A square plot with its axes, from 0 to 1 across and from 0 to `upper` upward.
  private static func plot(
    _ label: String, across: String, up: String, _ parts: [HTML], upper: String
  ) -> HTML {
    let middle = ReportNumber.length(side / 2)
    let axes = [
      HTML("line", ["class": "axis", "x1": x(0), "y1": y(0), "x2": x(1), "y2": y(0)]),
      HTML("line", ["class": "axis", "x1": x(0), "y1": y(0), "x2": x(0), "y2": y(1)]),
      text("0", x: x(0), y: "276", anchor: "middle"),
      text("1", x: x(1), y: "276", anchor: "middle"),
      text("0", x: "38", y: y(0), anchor: "end"), text(upper, x: "38", y: y(1), anchor: "end"),
      text(across, x: middle, y: "292", anchor: "middle"),
      HTML(
        "text",
        ["x": "14", "y": middle, "text-anchor": "middle", "transform": "rotate(-90 14 \(middle))"],
        [HTML(text: up)]),
    ]
    return HTML(
      "svg",
      ["class": "plot", "role": "img", "aria-label": label, "viewBox": "0 0 300 300"], axes + parts)
  }

  private static func text(_ text: String, x: String, y: String, anchor: String) -> HTML {
    HTML("text", ["x": x, "y": y, "text-anchor": anchor], [HTML(text: text)])
  }
}
