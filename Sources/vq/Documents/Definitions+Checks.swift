import PixelMatch
import VisualQuery

/// The schemas of what the shop could correct.
extension Definition {
  static let findings = Definition(
    "Findings",
    .object(
      "What is hard to find or to show.",
      [
        .required("generation", .reference(.generation)),
        .required("total", .integer("The number of all findings.", min: 0)),
        .required(
          "findings",
          .array(
            "The first of them.",
            of: .finding, max: CheckHandlers.findingLimit)),
      ]))

  static let unknownLabels = Definition(
    "UnknownLabels",
    .object(
      "Labels that nothing has.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "labels",
          .array(
            "The most frequent first.",
            of: .object(
              "A label.",
              [
                .required("label", .string("The label, normalized.")),
                .required("queries", .integer("The number of questions with it.", min: 0)),
              ]), max: CheckHandlers.labelLimit)),
      ]))

  static let bridgeEntry = Definition(
    "BridgeEntry",
    .object(
      "A word and what it means.",
      [
        .required(
          "label",
          .string(
            "A word that people use.", min: 1, max: SemanticContent.labelLength,
            pattern: Pattern.line)),
        .required(
          "labels",
          .array(
            "Labels of the shop.",
            of: .string(
              "A label.", min: 1, max: SemanticContent.labelLength, pattern: Pattern.line),
            min: 1, max: CheckHandlers.targetLimit)),
      ]))

  static let bridgeAnswer = Definition(
    "BridgeAnswer",
    .object(
      "What was added.",
      [
        .required("generation", .reference(.generation)), .required("label", .string("The word.")),
        .required("labels", .array("The labels of the shop.", of: .string("A label."))),
      ]))

  static let rejectedRows = Definition(
    "RejectedRows",
    .object(
      "What the last run rejected.",
      [
        .required(
          "rows",
          .array(
            "In the order of the feed.",
            of: .object(
              "A row, or a part of it.",
              [
                .required(
                  "kind",
                  .string(
                    "What was rejected: `row`, `image`, `unfetchedImage` or `field`; `omitted` counts further ones."
                  )), .required("line", .integer("The line in the feed.", min: 0)),
                .optional("id", .string("The id of the row.")),
                .optional("field", .string("The field.")), .required("reason", .string("Why.")),
              ]), max: EntityLookup.maximumLimit)),
        .required("hasMore", .boolean("True if there are more.")),
        .optional(
          "cursor",
          .string(
            "The cursor of the next page; absent on the last one.", min: 1, max: 200,
            pattern: "^[a-z0-9.-]+$")),
      ]))

  static let evaluationForm = Definition(
    "EvaluationForm",
    .form(
      "Queries as `vq eval` reads them, and their images, each in the part whose name the query has.",
      [
        .required(
          "queries",
          .string(
            """
            A JSON object on each of up to 500 lines: `image` names a part of the form, `truth` has the ids that are right, none if the shop \
            has nothing of the kind; `query`, `labels` and `edit` may be there. `signature` replaces an image.
            """)),
        .optional("image", .file("An image. Parts of other names are further ones.")),
      ]))

  static let evaluationOutcomes = Definition(
    "EvaluationOutcomes",
    .object(
      "Queries that were asked, and what they got.",
      [
        .required(
          "queries",
          .array(
            "The queries.",
            of: .object(
              "A query.",
              [
                .required(
                  "truth",
                  .array(
                    "The ids that are right, none if the shop has nothing of the kind.",
                    of: .string(max: 264, pattern: Pattern.line), max: CheckHandlers.truthLimit)),
                .optional(
                  "answers",
                  .array(
                    "The best answers, whatever their confidence, best first.",
                    of: .object(
                      "An answer.",
                      [
                        .required(
                          "id",
                          .string(
                            "The type and the id of the entity, such as `product:mug-red`.",
                            max: 264, pattern: #"^(product|store):[^\u0000-\u001f\u007f]+$"#)),
                        .required("confidence", .number("Its confidence.", min: 0, max: 1)),
                      ]), max: EvaluatedQuery.answerLimit
                  ).orNull),
                .optional(
                  "complete",
                  .boolean("False if the deadline stopped the search. True by default.").orNull),
              ]), min: 1, max: CheckHandlers.evaluationLimit))
      ]))

  /// A share of queries.
  private static func share(_ text: String) -> Schema {
    .number(text + " Null if there are none.", min: 0, max: 1).orNull
  }

  static let evaluationFigures = Definition(
    "EvaluationFigures",
    .object(
      "The figures of an evaluation, by the names of the schema `vq.eval/1`.",
      [
        .required("queries", .integer("The number of queries that have a right entity.", min: 0)),
        .required(
          "negatives", .integer("The number of queries for which no entity is right.", min: 0)),
        .required(
          "cutOff", .number("The lowest confidence of an answer that is shown.", min: 0, max: 1)),
        .required(
          "recallAt1",
          share("The share of queries with a right entity whose first answer is right.")),
        .required(
          "recallAt5",
          share("The share of them that have a right answer among the first five.")),
        .required(
          "shownRight", share("The share of them whose first answer is right and shown.")),
        .required(
          "shownWrong", share("The share of them whose first answer is wrong and shown.")),
        .required(
          "negativesEmpty", share("The share of the negatives without an answer that is shown.")),
        .required(
          "incomplete", .integer("The number of searches that the deadline stopped.", min: 0)),
        .required(
          "wrong",
          .array(
            """
            The positions in `queries`, from 0, of those whose first answer is not right, and of the negatives that have an answer that is \
            shown: the highest confidence first.
            """, of: .integer(min: 0), max: CheckHandlers.evaluationLimit)),
      ]))

  static let ruleTrialForm = Definition(
    "RuleTrialForm",
    .object(
      "Rules, and a search with labels, an image, or both.",
      [
        .required("rules", .reference(.ruleList)),
        .optional("request", .reference(.matchDetails)),
        .optional(
          "image",
          .file(
            "The image, in one of the formats in `pictureTypes` of `GET /v1/limits`; JPEG and PNG always are."
          )),
      ]))

  static let triedMatch = Definition(
    "TriedMatch",
    .object(
      "An entity of a tried answer.",
      [
        .required("type", .reference(.entityType)), .required("id", .string("The id.")),
        .required("title", .string("The title.")),
        .required(
          "confidence", .number("The confidence, which no rule changes.", min: 0, max: 1)),
        .optional("rule", .string("The rule that moved it; absent if none did.")),
      ]))

  static let triedAnswer = Definition(
    "TriedAnswer",
    .object(
      "A tried answer.",
      [
        .required(
          "complete", .boolean("False if the deadline passed before all was searched.")),
        .required(
          "values", .array("The matches, in their order.", of: .reference(.triedMatch))),
        .required(
          "possible",
          .array(
            "The list of what it may be, if nothing is sure.", of: .reference(.triedMatch))),
      ]))

  static let ruleTrial = Definition(
    "RuleTrial",
    .object(
      "One search with two sets of rules.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "missing",
          .array(
            "The entities that the rules name and the shop lacks, such as `product:mug-red`.",
            of: .string())),
        .required("before", .reference(.triedAnswer)),
        .required("after", .reference(.triedAnswer)),
      ]))

  static let numbers = Definition("Numbers", .searchReport)
}

extension Schema {
  /// A finding of the doctor.
  static let finding = Schema.object(
    "A finding.",
    [
      .required("kind", .choice("Its kind.", of: CatalogueDoctor.Finding.Kind.self)),
      .required("id", .string("The entity.")),
      .required("detail", .string("What is found.")),
      .required("cure", .string("What to do.")),
      .optional("twin", .string("The entity with the same image or design.")),
      .optional(
        "image",
        .integer(
          "The position of the image that it is about; absent if it is not about one.", min: 0)),
    ])
}
