import PixelMatch
import VisualQuery

/// The schemas of statements and events.
extension Definition {
  static let statement = Definition(
    "Statement",
    .object(
      "What a person says about an answer: at least one entity is chosen or rejected.",
      [
        .required(
          "query", .string("The `continuation` of the answer.", min: 1, max: Question.tokenLimit)),
        .optional(
          "chosen",
          .string(
            "The entity that the question means, such as `product:mug-red`.", min: 1, max: 264,
            pattern: #"^(product|store):[^\u0000-\u001f\u007f]+$"#
          ).orNull),
        .optional(
          "rejected",
          .array(
            "The entities that it does not mean.",
            of: .string(
              "A type and an id, such as `product:mug-red`.", min: 1, max: 264,
              pattern: #"^(product|store):[^\u0000-\u001f\u007f]+$"#), min: 1,
            max: FeedbackStatement.Content.rejectedLimit
          ).orNull),
      ]
    ))

  static let statementForm = Definition(
    "StatementForm",
    .object(
      "What a person says, with the image.",
      [
        .required("feedback", .reference(.statement)),
        .optional(
          "image",
          .file(
            "The whole image that was searched with. It is kept, reduced to 1024 pixels, until the statement is removed."
          )),
      ]))

  static let feedback = Definition(
    "Feedback",
    .object(
      "A statement that is kept.",
      [
        .required("number", .integer("Its number.", min: 1)),
        .required(
          "state",
          .choice(
            "The state: it counts, or waits to be accepted.", of: FeedbackStatement.State.self)),
        .required("date", .string("When it was made.", format: "date-time")),
        .optional("author", .string("The name of the key that it was made with.")),
        .optional("chosen", .string("The entity that the question means.")),
        .required(
          "rejected", .array("The entities that it does not mean.", of: .string("An entity."))),
        .required(
          "labels", .array("The labels of the question, normalized.", of: .string("A label."))),
        .required("hasImage", .boolean("True if the image is kept.")),
      ]))

  static let feedbackList = Definition(
    "FeedbackList",
    .object(
      "Statements, the newest first.",
      [
        .required("feedback", .array("The statements.", of: .reference(.feedback))),
        .required(
          "next", .integer("The `before` of the next page; null at the end.", min: 1).orNull),
      ]))

  static let events = Definition(
    "Events",
    .object(
      "What happened to matches of an answer.",
      [
        .required(
          "query",
          .string(
            "The `continuation` of the answer, or of one of its pages.", min: 1,
            max: Question.tokenLimit)),
        .required(
          "events",
          .array(
            "The events.",
            of: .object(
              "An event.",
              [
                .required(
                  "id",
                  .string(
                    "A text that tells the event from all others, such as a UUID. An action that was counted is not counted again by another id.",
                    min: 1, max: 100, pattern: Pattern.filledLine)),
                .required("action", .choice("What happened.", of: SearchNumbers.Action.self)),
                .required(
                  "entity",
                  .string(
                    "The type and the id of the match, such as `product:mug-red`.", min: 7,
                    max: 300, pattern: #"^(product|store):[^\u0000-\u001f\u007f]+$"#)),
              ]), min: 1, max: EventHandlers.eventLimit)),
      ]))

  static let countedEvents = Definition(
    "CountedEvents",
    .object(
      "What became of events.",
      [
        .required("counted", .integer("The number of events that were counted.", min: 0)),
        .required("known", .integer("The number that had been counted before.", min: 0)),
        .required(
          "unknown",
          .integer(
            """
            The number that cannot be counted: the answer does not have the entity, was asked with another key, or is \
            \(SearchNumbers.eventDays) days old, or its day is full.
            """, min: 0)),
      ]))
}
