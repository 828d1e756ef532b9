import VisualQuery

/// Parts that several reports have.
enum ReportParts {
  /// A table of the evidence behind a confidence, a bar for each term.
  static func evidence(_ evidence: [Evidence], isOpen: Bool = false) -> HTML {
    let most = evidence.map { abs($0.weight) }.max() ?? 0
    let rows = evidence.map { term in
      HTML(
        "tr",
        [
          HTML(
            "th", ["scope": "row"],
            [
              HTML(text: term.kind.rawValue),
              HTML("span", ["class": "soft"], [HTML(text: term.kind.meaning)]),
            ]),
          number(ReportNumber.decimal(term.value)), HTML("td", [bar(term.weight, of: most)]),
          number(signed(term.weight)),
        ])
    }
    let sum = evidence.reduce(0) { $0 + $1.weight }
    return HTML(
      "details", ["class": "evidence", "open": isOpen ? "" : nil],
      [
        HTML("summary", ["Evidence"]),
        HTML(
          "table",
          [
            head([
              .init(name: "Term"), .init(name: "Measured", isNumber: true), .init(name: ""),
              .init(name: "Adds", isNumber: true),
            ]), HTML("tbody", rows),
            HTML(
              "tfoot",
              [
                HTML(
                  "tr",
                  [
                    HTML(
                      "th", ["scope": "row"],
                      ["sum", HTML("span", ["class": "soft"], ["the log-odds of the confidence"])]),
                    HTML("td", []), HTML("td", []), number(signed(sum)),
                  ])
              ]),
          ]),
      ])
  }

  /// A bar of the steps of a query, each as long as its share of the time, and their figures.
  static func times(_ times: StepTimes) -> HTML {
    var left = 0.0
    let parts = times.steps.enumerated().map { index, step in
      defer { left += 100 * step.share }
      return HTML(
        "rect",
        [
          "class": stepClasses[index % stepClasses.count], "x": ReportNumber.decimal(left),
          "width": ReportNumber.decimal(100 * step.share), "height": "10",
        ], [HTML("title", [HTML(text: "\(step.name): \(step.milliseconds) ms")])])
    }
    let rows = times.steps.map { step in
      HTML(
        "tr",
        [
          HTML("th", ["scope": "row"], [HTML(text: step.name)]),
          number(step.milliseconds), number(ReportNumber.percent(step.share)),
        ])
    }
    return HTML(
      "details", ["class": "times"],
      [
        HTML(
          "summary",
          [
            "Time",
            HTML(
              "svg",
              [
                "class": "steps", "viewBox": "0 0 100 10", "preserveAspectRatio": "none",
                "role": "img", "aria-label": "the share of each step in the time of the query",
              ], parts),
          ]),
        HTML(
          "table",
          [
            head([
              .init(name: "Step"), .init(name: "ms", isNumber: true),
              .init(name: "Share", isNumber: true),
            ]), HTML("tbody", rows),
          ]),
      ])
  }

  /// The classes of neighboring steps, whose colors differ.
  private static let stepClasses = ["step", "step second", "step third"]

  /// The sentences about the words that were read: those that the entity has, and those that only others have.
  static func words(_ words: [ReadWord]) -> [HTML] {
    func sentence(_ words: [ReadWord], _ start: String) -> [HTML] {
      if words.isEmpty { return [] }
      return [
        HTML(
          "p", ["class": "soft"],
          [HTML(text: start), .name(words.map(\.text).joined(separator: ", "))])
      ]
    }
    return sentence(words.filter(\.agrees), "Read, and its own: ")
      + sentence(words.filter { !$0.agrees }, "Read, but only others': ")
  }

  private static func signed(_ weight: Double) -> String {
    let text = ReportNumber.decimal(weight)
    return text.hasPrefix("−") ? text : "+" + text
  }

  /// A bar to the right of the middle for what speaks for a match, to the left for what speaks against it.
  private static func bar(_ weight: Double, of most: Double) -> HTML {
    let length = most > 0 ? 50 * abs(weight) / most : 0
    return HTML(
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
            "class": weight < 0 ? "against" : "for",
            "x": ReportNumber.length(weight < 0 ? 50 - length : 50),
            "width": ReportNumber.length(length), "height": "10",
          ]),
      ])
  }

  /// The first row of a table.
  static func head(_ columns: [Column]) -> HTML {
    HTML(
      "thead",
      [
        HTML(
          "tr",
          columns.map { column in
            HTML(
              "th", ["scope": "col", "class": column.isNumber ? "number" : nil],
              [HTML(text: column.name)])
          })
      ])
  }

  /// A cell of a number.
  static func number(_ text: String) -> HTML { HTML("td", ["class": "number"], [HTML(text: text)]) }

  /// Some figures, each with its name.
  static func figures(_ figures: [(name: String, value: String)]) -> HTML {
    HTML(
      "dl", ["class": "figures"],
      figures.map { figure in
        HTML(
          "div",
          [HTML("dt", [HTML(text: figure.name)]), HTML("dd", [HTML(text: figure.value)])])
      })
  }

  /// A column of a table.
  struct Column {
    let name: String
    var isNumber = false
  }

  /// A table that can be sorted by each column, and filtered by words and by the kinds of its rows.
  ///
  /// - Parameter rows: Each row with its kind, which the filter offers.
  static func sortable(
    _ columns: [Column], rows: [(kind: String, cells: [String])], kinds: [String], caption: String
  ) -> HTML {
    let heads = columns.map { column in
      HTML(
        "th", ["scope": "col", "class": column.isNumber ? "number" : nil],
        [
          HTML(
            "button", ["type": "button", "data-sort": column.isNumber ? "number" : "text"],
            [HTML(text: column.name)])
        ])
    }
    let lines = rows.map { row in
      HTML(
        "tr", ["data-kind": row.kind],
        zip(columns, row.cells).map { column, cell in
          HTML("td", ["class": column.isNumber ? "number" : nil], [HTML.name(cell)])
        })
    }
    let choices =
      [HTML("option", ["value": ""], ["all"])]
      + kinds.map { HTML("option", ["value": $0], [HTML(text: $0)]) }
    return HTML(
      "div", ["class": "sortable"],
      [
        HTML(
          "p", ["class": "controls"],
          [
            HTML(
              "label",
              [
                "Filter ",
                HTML("input", ["type": "search", "class": "words", "autocomplete": "off"]),
              ]
            ),
            HTML("label", ["Show ", HTML("select", ["class": "kinds"], choices)]),
            HTML("span", ["class": "count soft", "role": "status"], ["\(rows.count) rows"]),
          ]),
        HTML(
          "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption],
          [
            HTML(
              "table",
              [
                HTML("caption", [HTML(text: caption)]),
                HTML("thead", [HTML("tr", heads)]), HTML("tbody", lines),
              ])
          ]),
      ])
  }

  /// A section with a heading.
  static func section(_ title: String, _ parts: [HTML]) -> HTML {
    HTML("section", [HTML("h2", [HTML(text: title)])] + parts)
  }
}
