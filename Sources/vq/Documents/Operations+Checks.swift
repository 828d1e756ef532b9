import PixelMatch
import VisualQuery

/// The operations that show and correct what is wrong with the shop.
extension Operation {
  static let ofChecks: [Operation] = [
    getFindings, makeEvaluation, getEvaluationFigures, getUnknownLabels, addToBridge, listRules,
    replaceRules,
    tryRules, getNumbers, getRejectedRows,
  ]

  private static let getFindings = Operation(
    "GET /v1/doctor", "getFindings", .checks, "Get what is hard to find or to show",
    """
    Gives the findings of `vq doctor`; this needs a key that may write. They are made once for each generation. A catalogue of more \
    than 1000000 images is too large for this.
    """,
    answers: [
      Answer(
        200, "The findings, at most 1000.", .notKept,
        [
          .json(
            .reference(.findings),
            [
              .init(
                "one", "One finding",
                #"""
                {"generation": 4, "total": 1, "findings": [{"kind": "noLink", "id": "product:mug-red", "detail": "has no link",
                "cure": "add a 'url', or a template for all: vq index --link"}]}
                """#)
            ])
        ])
    ])

  private static let makeEvaluation = Operation(
    "POST /v1/evaluations", "makeEvaluation", .checks, "Get the report of an evaluation",
    """
    Searches with each image and gives the report of `vq eval --report`: one HTML file with the figures, plots, the worst misses as \
    images, and a table of all queries; this needs a key that may write. One evaluation runs at a time, on one thread, and stops \
    asking after 45 seconds; the report says what was left out. Nothing is kept. What people said about answers does not count.
    """,
    parameters: [
      .query(
        "subject", "What the images may show, as of a match.",
        .choice(of: QuerySubject.self).with("default", #""anything""#))
    ],
    body: Body(
      "The queries and their images.",
      [
        .other(
          "multipart/form-data", .reference(.evaluationForm),
          [
            .init(
              "one", "One photo", #"{"queries": "{\"image\":\"a\",\"truth\":[\"mug-red\"]}"}"#,
              text: """
                As in `curl -F 'queries={"image":"a","truth":["mug-red"]}' -F a=@photo.jpg -H 'Authorization: Bearer KEY' -o evaluation.html \
                http://127.0.0.1:8080/v1/evaluations`.
                """)
          ], encoding: ["queries": "text/plain"])
      ]),
    answers: [
      Answer(
        200, "The report, to be stored as a file.", .notKept,
        [
          .other(
            "text/html", .string(),
            [.init("report", "Its beginning", #""<!doctype html>\n<html lang=\"en\">…""#)])
        ])
    ], problems: [.unprocessable])

  private static let getEvaluationFigures = Operation(
    "POST /v1/evaluations:figures", "getEvaluationFigures", .checks,
    "Get the figures of an evaluation",
    """
    Computes the figures of `vq eval` of queries that the client has asked itself, each with `POST /v1/match`, `minConfidence` 0 and \
    `feedback` false. It needs only a key that may read. Nothing is searched and nothing kept.
    """,
    body: Body(
      "The queries and their answers.",
      [
        .json(
          .reference(.evaluationOutcomes),
          [
            .init(
              "two", "A photo of a mug, and one of nothing of the shop",
              #"""
              {"queries": [{"truth": ["mug-red"], "answers": [{"id": "product:mug-red", "confidence": 0.9712}]},
              {"truth": [], "answers": [{"id": "product:kettle", "confidence": 0.8912}]}]}
              """#)
          ])
      ]),
    answers: [
      Answer(
        200, "The figures.", .notKept,
        [
          .json(
            .reference(.evaluationFigures),
            [
              .init(
                "two", "The figures of two photos",
                #"""
                {"cutOff": 0.85, "incomplete": 0, "negatives": 1, "negativesEmpty": 0, "queries": 1, "recallAt1": 1, "recallAt5": 1,
                "shownRight": 1, "shownWrong": 0, "wrong": [1]}
                """#)
            ])
        ])
    ])

  private static let getUnknownLabels = Operation(
    "GET /v1/labels/unknown", "getUnknownLabels", .checks, "Get labels that nothing has",
    """
    Gives the labels of earlier questions that neither the shop nor its bridge has, the most frequent first, at most 200; this needs a \
    key that may write.
    """,
    answers: [
      Answer(
        200, "The labels.", .notKept,
        [
          .json(
            .reference(.unknownLabels),
            [
              .init(
                "one", "One label",
                #"{"generation": 4, "labels": [{"label": "goblet", "queries": 12}]}"#)
            ])
        ])
    ])

  private static let addToBridge = Operation(
    "POST /v1/labels/bridge", "addToBridge", .checks, "Add a label to the bridge",
    """
    Lets a word that people use find labels of the shop, and keeps the rest of the bridge; this needs a key that may write. It makes a \
    new generation.
    """,
    body: Body(
      "The word, and the labels that it means.",
      [
        .json(
          .reference(.bridgeEntry),
          [.init("goblet", "A goblet is a mug", #"{"label": "goblet", "labels": ["mug"]}"#)])
      ]),
    answers: [
      Answer(
        200, "It is added.", .notKept,
        [
          .json(
            .reference(.bridgeAnswer),
            [
              .init(
                "goblet", "A goblet is a mug",
                #"{"generation": 5, "label": "goblet", "labels": ["mug"]}"#)
            ])
        ])
    ])

  private static let listRules = Operation(
    "GET /v1/rules", "listRules", .checks, "List the rules",
    "The rules of what answers show; this needs a key that may write.",
    answers: [
      Answer(
        200, "The rules, in the order in which they count.", .notKept,
        [
          .json(
            .reference(.rules),
            [
              .init(
                "two", "Two rules",
                #"""
                {"generation": 5, "rules": [{"name": "recall", "do": "hide", "entities": ["product:kettle"]}, {"name": "in stock", "do": "boost",
                "factor": 1.3, "where": ["availability=inStock"]}]}
                """#)
            ])
        ])
    ])

  private static let replaceRules = Operation(
    "PUT /v1/rules", "replaceRules", .checks, "Replace the rules",
    """
    Replaces all rules of what answers show; this needs a key that may write. It makes a new generation. A rule changes no confidence \
    and makes nothing sure: pins and boosts order what an answer has anyway, each type by itself, and leave the surest match of each \
    thing in the image in its place; what is hidden is in no answer.
    """,
    body: Body(
      "All rules.",
      [
        .json(
          .reference(.ruleList),
          [
            .init(
              "two", "Hide one, prefer what is in stock",
              #"""
              {"rules": [{"name": "recall", "do": "hide", "entities": ["product:kettle"]}, {"name": "in stock", "do": "boost", "factor": 1.3,
              "where": ["availability=inStock"]}]}
              """#), .init("none", "No rules", #"{"rules": []}"#),
          ])
      ]),
    answers: [
      Answer(
        200, "They are the rules now.", .notKept,
        [
          .json(
            .reference(.rules),
            [
              .init(
                "two", "Two rules",
                #"""
                {"generation": 5, "rules": [{"name": "recall", "do": "hide", "entities": ["product:kettle"]}, {"name": "in stock", "do": "boost",
                "factor": 1.3, "where": ["availability=inStock"]}]}
                """#)
            ])
        ])
    ])

  private static let tryRules = Operation(
    "POST /v1/rules/trial", "tryRules", .checks, "Try rules with a search",
    """
    Answers one search twice: with the rules as they are, and with those of the form, as if they were all rules. Nothing is stored, \
    and the search is not counted. This needs a key that may write.
    """,
    body: Body(
      "The rules and the search.",
      [
        .other(
          "multipart/form-data", .reference(.ruleTrialForm),
          [
            .init(
              "pin", "A pin, with a search by labels",
              #"""
              {"rules": {"rules": [{"name": "sale", "do": "pin", "entities": ["product:mug-red"]}]}, "request": {"labels": ["mug"]}}
              """#)
          ],
          encoding: [
            "rules": "application/json", "request": "application/json",
            "image": "image/jpeg, image/png, image/webp",
          ])
      ]),
    answers: [
      Answer(
        200, "Both answers.", .notKept,
        [
          .json(
            .reference(.ruleTrial),
            [
              .init(
                "pin", "A pin moves one mug",
                #"""
                {"generation": 5, "missing": [], "before": {"complete": true, "values": [{"type": "product", "id": "mug-blue",
                "title": "Camp mug, blue", "confidence": 0.62}, {"type": "product", "id": "mug-red", "title": "Camp mug, red",
                "confidence": 0.62}], "possible": []}, "after": {"complete": true, "values": [{"type": "product", "id": "mug-red",
                "title": "Camp mug, red", "confidence": 0.62, "rule": "sale"}, {"type": "product", "id": "mug-blue", "title": "Camp mug, blue",
                "confidence": 0.62}], "possible": []}}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let getNumbers = Operation(
    "GET /v1/numbers", "getNumbers", .checks, "Get the numbers of searches",
    """
    Gives the report of `vq report`: how many searches there were, what they found, and what was opened; this needs a key that may \
    write. A server that keeps no numbers answers 403.
    """,
    parameters: [
      .query(
        "days", "Only the last days, today included, in UTC.",
        .integer("A number of days.", min: 1, max: SearchNumbers.dayLimit))
    ],
    answers: [
      Answer(
        200, "The report.", .notKept,
        [
          .json(
            .reference(.numbers),
            [
              .init(
                "two", "Two days",
                #"""
                {"schema": "vq.report/1", "from": "2026-11-26", "until": "2026-11-27", "total": {"searches": 40, "sure": 28, "list": 4,
                "empty": 8, "shown": 0, "opened": 12, "added": 0, "ordered": 0}, "byDay": [{"name": "2026-11-26", "sums": {"searches": 15,
                "sure": 10, "list": 2, "empty": 3, "shown": 0, "opened": 5, "added": 0, "ordered": 0}}, {"name": "2026-11-27",
                "sums": {"searches": 25, "sure": 18, "list": 2, "empty": 5, "shown": 0, "opened": 7, "added": 0, "ordered": 0}}],
                "byKey": [{"name": "app", "sums": {"searches": 40, "sure": 28, "list": 4, "empty": 8, "shown": 0, "opened": 12, "added": 0,
                "ordered": 0}}], "byLanguage": [{"name": "de", "sums": {"searches": 40, "sure": 28, "list": 4, "empty": 8, "shown": 0,
                "opened": 12, "added": 0, "ordered": 0}}], "byRule": [], "byModel": [], "byArm": [], "ranks": [{"rank": 1, "shown": 0,
                "opened": 12, "added": 0, "ordered": 0}], "emptyLabels": [{"label": "goblet", "searches": 10}], "emptyRegions": []}
                """#)
            ])
        ])
    ])

  private static let getRejectedRows = Operation(
    "GET /v1/rejected", "getRejectedRows", .checks, "Get what the last run rejected",
    """
    Gives the rows and images of the feed that the last run of `vq index` rejected, page by page; this needs a key that may write. A \
    page may have fewer rows than `limit`, and ends early if they are long. A row of the kind `omitted` says how many further ones the \
    run only counted.
    """,
    parameters: [
      .query(
        "cursor",
        """
        The `cursor` of the page before, or empty for the first page. Once another run has replaced the list, the answer is 410.
        """, .string(max: 200, pattern: "^[a-z0-9.-]*$"), ["allowEmptyValue": "true"]),
      .query(
        "limit", "At most this many rows.",
        .integer("A number of rows.", min: 1, max: EntityLookup.maximumLimit).with("default", "200")
      ),
    ],
    answers: [
      Answer(
        200, "The rows.", .notKept,
        [
          .json(
            .reference(.rejectedRows),
            [
              .init(
                "one", "One row",
                #"""
                {"rows": [{"kind": "field", "line": 7, "id": "product:mug-red", "field": "price",
                "reason": "invalid price ' USD'; expected for example 14.90 EUR"}], "hasMore": false}
                """#)
            ])
        ])
    ], problems: [.gone])
}
