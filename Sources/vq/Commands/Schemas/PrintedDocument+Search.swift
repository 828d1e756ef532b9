import PixelMatch
import VisualQuery

/// The documents that commands print about images and searches.
extension PrintedDocument {
  static let match = PrintedDocument(
    "match",
    """
    A line of `vq match --json`, and the answer of POST /v1/match. Texts and images are those that the shop made public, \
    unless --all-fields is given.
    """, .one(of: [.reference(.matchAnswer), .reference(.matchFailure)]))

  static let hash = PrintedDocument(
    "hash", "A line of `vq hash --json`.",
    .one(of: [.reference(.hash), .reference(.hashFailure)]))

  static let whyNot = PrintedDocument(
    "why-not", "The answer of `vq why-not --json`.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.whyNot/1", "The form of this document.")),
        .required("query", .queryName), .required("type", .reference(.entityType)),
        .required("id", .string("The shop's own id of the entity.", min: 1)),
        .required(
          "stage",
          .choice("Where the search lost it; null if it is the first match.", of: MissReason.self)
            .orNull),
        .required("rank", .integer("Its rank; null if it is not shown.", min: 1).orNull),
        .required(
          "stocks",
          .string("The product that shows a store, which stocks it; null if none does.").orNull),
        .required(
          "confidence",
          .number("Its confidence; null if it was not a candidate.", min: 0, max: 1).orNull),
        .required(
          "minimumConfidence", .number("The lowest confidence of a match.", min: 0, max: 1)),
        .required("first", .string("The id of the first match; null if there is none.").orNull),
        .required(
          "evidence",
          .array(
            "The terms of its confidence; empty if it was not a candidate.",
            of: .reference(.evidence))),
        .optional(
          "words",
          .array(
            "The words that were read, compared with those of the entity. Absent if there are none.",
            of: .reference(.readWord))),
        .optional(
          "rule", .string("The shop's rule that hides or moved it. Absent if there is none.")),
      ]))

  static let neighbors = PrintedDocument(
    "neighbors", "The answer of `vq neighbors --json`.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.neighbors/1", "The form of this document.")),
        .required("type", .reference(.entityType)),
        .required("id", .string("The shop's own id of the entity.", min: 1)),
        .required("generation", .reference(.generation)),
        .required(
          "neighbors",
          .array(
            "The others of its type that look most like it, the nearest first.",
            of: .object(
              "A neighbor.",
              [
                .required("type", .reference(.entityType)),
                .required("id", .string("The shop's own id of the entity.", min: 1)),
                .required("title", .string("Its title.")),
                .required(
                  "cosine",
                  .number(
                    "The cosine of the angle between the vectors of the two images; null if one of them has none.",
                    min: -1, max: 1
                  ).orNull),
                .required(
                  "sharesDetails",
                  .boolean("True if details of the two images agree in their places.")),
              ]))),
        .optional("signatureSearched", .signatureSearched),
      ]))

  static let diff = PrintedDocument(
    "diff", "A line of `vq diff --json`: the answers to a query before and after.",
    .reference(.difference))

  static let eval = PrintedDocument(
    "eval",
    """
    The figures of `vq eval --json`. Those that need queries with a right entity, queries without one, or any answer are null \
    without them. With two --models, they are those of each.
    """, .one(of: [.reference(.evaluation), .reference(.modelComparison)]))

  static let fit = PrintedDocument(
    "fit",
    "The verdict of `vq fit --json`, also with `--own`, or with `--show` and `--undo` the fits of the index.",
    .one(of: [.reference(.fitVerdict), .reference(.nullVerdict), .reference(.shopFits)]))

  fileprivate static let evaluation = Schema.object(
    "The figures of an evaluation.",
    [
      .required("schema", .constant("vq.eval/1", "The form of this document.")),
      .required("queries", .integer("The number of queries with a right entity.", min: 0)),
      .required("recallAt1", .share("The share whose first answer is right.")),
      .required("recallAt5", .share("The share with a right answer among the first five.")),
      .required(
        "meanReciprocalRank",
        .share("The mean of 1 / rank of the first right answer among the hundred best.")),
      .required("byEdit", .array("The recall by the edit of the image.", of: recallOfEdit)),
      .required("cutOff", .number("The lowest confidence that is shown.", min: 0, max: 1)),
      .required(
        "shownRight", .share("The share whose first answer is right and above the cut-off.")),
      .required(
        "shownWrong", .share("The share whose first answer is wrong and above the cut-off.")),
      .required(
        "negatives", .integer("The number of queries for which no entity is right.", min: 0)),
      .required(
        "negativesEmpty", .share("The share of these without an answer above the cut-off.")),
      .required(
        "recallAt1PercentFalse",
        .share("The recall at the confidence that 1 % of the negatives exceed.")),
      .required(
        "recallAt01PercentFalse",
        .share("The recall at the confidence that 0.1 % of the negatives exceed.")),
      .required(
        "lists",
        .integer(
          "The number of queries with a right entity that got a list of what it may be.", min: 0)
      ),
      .required("listsRight", .share("The share of these lists that hold a right entity.")),
      .required(
        "listsMeanLength", .number("The mean length of these lists.", min: 1).orNull),
      .required(
        "shownOrListed",
        .share(
          "The share of the queries with a right entity that show it first, or list it.")),
      .required(
        "listsIfNoneIsRight",
        .share("The share of the queries without a right entity that got a list.")),
      .required(
        "reliability",
        .array("The first answers by their confidence, without empty bins.", of: reliability)),
      .required(
        "calibrationError",
        .share("The mean difference between the confidence and the share of right answers.")),
      .required(
        "worst",
        .array("The surest wrong first answers, then the missed ones.", of: miss)),
    ])

  private static let recallOfEdit = Schema.object(
    "The recall of an edit.",
    [
      .required("edit", .string("The name of the edit.")),
      .required("queries", .integer("The number of queries.", min: 1)),
      .required(
        "recallAt1", .number("The share whose first answer is right.", min: 0, max: 1)),
      .required(
        "recallAt5",
        .number("The share with a right answer among the first five.", min: 0, max: 1)),
    ])

  private static let reliability = Schema.object(
    "First answers with about the same confidence.",
    [
      .required("from", .number("The lowest confidence in the bin.", min: 0, max: 1)),
      .required("answers", .integer("The number of first answers.", min: 1)),
      .required("confidence", .number("Their mean confidence.", min: 0, max: 1)),
      .required("right", .number("The share of them that is right.", min: 0, max: 1)),
    ])

  private static let miss = Schema.object(
    "A query whose right entity was not the first match.",
    [
      .required("query", .string("The name of the query.")),
      .required("edit", .string("The edit of the image.")),
      .required("truth", .array("The right ids.", of: .string())),
      .required("stage", .choice("Where the search lost them.", of: MissReason.self)),
      .optional("first", .string("The id of the first answer.")),
      .optional("confidence", .number("Its confidence.", min: 0, max: 1)),
    ])

  static let report = PrintedDocument("report", "The sums of `vq report --json`.", .searchReport)
}

extension Schema {
  /// A share, or `null` if there is nothing to count.
  fileprivate static func share(_ text: String) -> Schema {
    .number(text, min: 0, max: 1).orNull
  }

  /// The numbers of actions on matches.
  fileprivate static let actions: [Property] = [
    .required("shown", .integer("The number of matches that were shown.", min: 0)),
    .required("opened", .integer("The number of matches that were opened.", min: 0)),
    .required("added", .integer("The number of matches that were put into a basket.", min: 0)),
    .required("ordered", .integer("The number of matches that were ordered.", min: 0)),
  ]

  /// The sums of searches, as a command and a route print them.
  static let searchReport = Schema.object(
    "The report of searches.",
    [
      .required("schema", .constant("vq.report/1", "The form of this document.")),
      .optional("from", .string("The first day with numbers. Absent without any.")),
      .optional("until", .string("The last day with numbers. Absent without any.")),
      .required("total", .reference(.sums)),
      .required("byDay", .array("The sums of each day.", of: .reference(.namedSums))),
      .required("byKey", .array("The sums of each key.", of: .reference(.namedSums))),
      .required("byLanguage", .array("The sums of each language.", of: .reference(.namedSums))),
      .required(
        "byRule",
        .array(
          "The searches in which a rule moved something, and the actions on what it moved.",
          of: .reference(.namedSums))),
      .required(
        "byModel",
        .array(
          "The sums of each model by which images were compared, too.",
          of: .reference(.namedSums))),
      .required(
        "byArm",
        .array("The sums of each side of an experiment.", of: .reference(.namedSums))),
      .required(
        "ranks",
        .array(
          "What was done with matches of each rank.",
          of: .object(
            "The sums of a rank.",
            [
              .required(
                "rank",
                .integer("The rank, from 1, or 0 for a list of what it may be.", min: 0))
            ] + Schema.actions))),
      .required(
        "emptyLabels",
        .array(
          "The labels of at least \(SearchNumbers.leastSearches) searches that found nothing, the most frequent first.",
          of: .object(
            "A label.",
            [
              .required("label", .string("The label, normalized.")),
              .required("searches", .integer("The number of searches.", min: 1)),
            ]))),
      .required(
        "emptyRegions",
        .array(
          "The parts of images of at least \(SearchNumbers.leastSearches) searches that found nothing, the most frequent first.",
          of: .object(
            "A part of images.",
            [
              .required("region", .string("Its place and size, such as `top left, small`.")),
              .required("searches", .integer("The number of searches.", min: 1)),
            ]))),
      .optional(
        "difference",
        .object(
          "The difference between the sides of an experiment in openings per search, B less A. Absent unless both have searches.",
          [
            .required("openedPerSearch", .number("The difference.")),
            .required("low", .number("The lower bound of the 95 % interval.")),
            .required("high", .number("The upper bound of the 95 % interval.")),
          ])),
      .optional(
        "excess",
        .object(
          "What was more than the limits of a day allow. Absent if nothing was.",
          [
            .required("days", .array("The days.", of: .string())),
            .required(
              "merged",
              .integer(
                "The number of sums that were added up as '\(CountedNames.other)' languages and models. No total changes by it.",
                min: 0)),
            .required("events", .integer("The number of events that were not counted.", min: 0)),
            .required(
              "labels",
              .integer("The number of searches without an answer whose label was left out.", min: 0)
            ),
            .required(
              "sides",
              .integer(
                "The number of searches that count for no side of an experiment, since their client had asked too often.",
                min: 0)),
          ])),
    ])

  /// The name of a question in what a command prints.
  static let queryName = Schema.string(
    """
    The name of the image as it was given; the labels if there is no image, `continuation` for a further page, and `request` \
    over HTTP.
    """)
}

extension Definition {
  static let evaluation = Definition("Evaluation", PrintedDocument.evaluation)

  static let modelComparison = Definition(
    "ModelComparison",
    .object(
      "The figures of two models.",
      [
        .required("schema", .constant("vq.evalModels/1", "The form of this document.")),
        .required(
          "models",
          .array(
            "The models, in the order given.",
            of: .object(
              "A model.",
              [
                .required("folder", .string("Its folder as it was given; `none` for none.")),
                .required("model", .string("The name of its vectors; null for none.").orNull),
                .required(
                  "images", .integer("The number of images with a vector of it.", min: 0)),
                .required(
                  "similarLists",
                  .integer(
                    "The number of queries with a list of similar entities, among those with a right entity of a known kind.",
                    min: 0)),
                .required(
                  "similarEntities", .integer("The number of entities in these lists.", min: 0)),
                .required(
                  "similarOfKind",
                  .share("The share of these that share a kind with a right entity.")),
                .required("figures", .reference(.evaluation)),
              ]))),
      ]))

  static let sums = Definition(
    "Sums",
    .object(
      "The sums of some searches and of what was done with their matches.",
      [
        .required("searches", .integer("The number of searches.", min: 0)),
        .required("sure", .integer("The searches in which something was sure.", min: 0)),
        .required(
          "list", .integer("The searches with only a list of what it may be.", min: 0)),
        .required("empty", .integer("The searches without an answer.", min: 0)),
      ] + Schema.actions))

  static let namedSums = Definition(
    "NamedSums",
    .object(
      "The sums of one of several.",
      [
        .required("name", .string("Its name; empty for none.")),
        .required("sums", .reference(.sums)),
      ]))

  static let hash = Definition(
    "Hash",
    .object(
      "The hash of an image.",
      [
        .required("schema", .constant("vq.hash/1", "The form of this document.")),
        .required("image", .string("The name of the image as it was given.")),
        .required(
          "pdq", .string("The PDQ hash in hexadecimal.", pattern: "^[0-9a-f]{64}$")),
        .required("quality", .integer("Its quality.", min: 0, max: 100)),
        .required("orientation", .integer("The Exif orientation of the file.", min: 1, max: 8)),
        .required(
          "variants",
          .object(
            "The hashes of the image turned and mirrored.",
            DihedralVariant.allCases.filter { $0 != .original }.map {
              .required($0.rawValue, .string("Its hash.", pattern: "^[0-9a-f]{64}$"))
            })),
        .optional(
          "querySignature", .string("The signature for a question (--query), in base64url.")),
        .optional("profile", .profile),
      ]))

  static let difference = Definition(
    "Difference",
    .object(
      "The first matches of a query before and after.",
      [
        .required("schema", .constant("vq.diff/1", "The form of this document.")),
        .required("query", .string("The name of the query.")),
        .required(
          "change",
          .choice("The kind of the difference.", of: AnswerComparison.Change.self)),
        .required("before", Schema.one(of: [.reference(.firstMatch), .null])),
        .required("after", Schema.one(of: [.reference(.firstMatch), .null])),
        .optional(
          "moved",
          .array(
            "The matches that changed places. Absent if that was not compared.", of: movedMatch)),
      ]))

  static let firstMatch = Definition(
    "FirstMatch",
    .object(
      "The first match.",
      [
        .required("type", .reference(.entityType)), .required("id", .string("Its id.")),
        .required("confidence", .number("Its confidence.", min: 0, max: 1)),
      ]))

  private static let movedMatch = Schema.object(
    "A match with another rank.",
    [
      .required("type", .reference(.entityType)), .required("id", .string("Its id.")),
      .required("before", .integer("Its rank before; null if it had none.", min: 1).orNull),
      .required("after", .integer("Its rank after; null if it has none.", min: 1).orNull),
      .optional("rule", .string("The rule that moved it.")),
    ])

  static let matchFailure = failure(
    "Failure", "vq.match/1", "An image that could not be searched.",
    .required("query", .queryName))

  static let hashFailure = failure(
    "HashFailure", "vq.hash/1", "An image that could not be hashed.",
    .required("image", .string("The name of the image as it was given.")))

  private static func failure(
    _ name: String, _ schema: String, _ text: String, _ subject: Property
  ) -> Definition {
    Definition(
      name,
      .object(
        text,
        [
          .required("schema", .constant(schema, "The form of this document.")), subject,
          .required(
            "error",
            .object(
              "Why there is no answer.",
              [
                .required(
                  "code",
                  .string(
                    "The reason, for programs: a code of the decoder such as `unsupportedFormat`, or of the search."
                  )),
                .required("message", .string("The reason, for people.")),
              ])),
        ]))
  }
}
