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
    .map(
      "Queries as `vq eval` reads them, and their images.",
      of: .string("An image.").with("contentMediaType", #""application/octet-stream""#),
      [
        .required(
          "queries",
          .string(
            """
            A JSON object on each of up to 500 lines: `image` names a part of the form, `truth` has the ids that are right, none if the shop \
            has nothing of the kind; `query`, `labels` and `edit` may be there. `signature` replaces an image.
            """))
      ]))
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
      .optional("twin", .string("The entity with the same image.")),
    ])
}
