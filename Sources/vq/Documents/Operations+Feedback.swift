import PixelMatch
import VisualQuery

/// The operations on statements.
extension Operation {
  static let ofFeedback: [Operation] = [
    listFeedback, giveFeedback, giveFeedbackForm, getFeedbackQueries, removeFeedback,
    acceptFeedback,
  ]

  private static let listFeedback = Operation(
    "GET /v1/feedback", "listFeedback", .feedback, "List what people said about answers",
    "Gives statements, the newest first; this needs a key that may write.",
    parameters: [
      .query(
        "limit", "At most this many statements.",
        .integer("A number of statements.", min: 1, max: EntityLookup.maximumLimit).with(
          "default", "50")),
      .query(
        "before", "Only statements with a smaller number: `next` of the answer before.",
        .integer("A number.", min: 1)),
      .query(
        "entity", "Only statements that name this entity.",
        .string(
          "A type and an id, such as `product:mug-red`.", min: 1, max: 264,
          pattern: #"^(product|store):[^\u0000-\u001f\u007f]+$"#)),
    ],
    answers: [
      Answer(
        200, "The statements.", .notKept,
        [
          .json(
            .reference(.feedbackList),
            [
              .init(
                "one", "One statement",
                #"""
                {"feedback": [{"number": 12, "state": "active", "date": "2026-11-22T12:00:00Z", "author": "warehouse",
                "chosen": "product:mug-red", "rejected": ["product:mug-blue"], "labels": [], "hasImage": false}], "next": null}
                """#)
            ])
        ])
    ])

  /// The answers to a statement.
  private static let kept: [Answer] = [
    Answer(
      200, "It was said before.", .notKept,
      [
        .json(
          .reference(.feedback),
          [
            .init(
              "known", "A known statement",
              #"""
              {"number": 12, "state": "active", "date": "2026-11-22T12:00:00Z", "author": "warehouse", "chosen": "product:mug-red",
              "rejected": ["product:mug-blue"], "labels": [], "hasImage": false}
              """#)
          ])
      ]),
    Answer(
      201, "It is kept.", .notKept,
      [
        .json(
          .reference(.feedback),
          [
            .init(
              "new", "A new statement",
              #"""
              {"number": 12, "state": "active", "date": "2026-11-22T12:00:00Z", "author": "warehouse", "chosen": "product:mug-red",
              "rejected": ["product:mug-blue"], "labels": [], "hasImage": false}
              """#)
          ])
      ]),
  ]

  private static let giveFeedback = Operation(
    "POST /v1/feedback", "giveFeedback", .feedback, "Say what is wrong or right about an answer",
    """
    Keeps that the question of an answer means an entity (`chosen`), which the same image then finds first, or does not mean some \
    (`rejected`), which it then never finds. The same image is one that was saved again, not another photo of the same thing. With a \
    key that may write it counts at once. With a key of the role `feedback` it waits until it is accepted, and an address may say ten \
    things at once and one every ten seconds. What is said twice is kept once. Only a signature of the image is kept. The \
    same path accepts the form of `POST /v1/feedback:form`.
    """,
    body: Body(
      "What is said.",
      [
        .json(
          .reference(.statement),
          [
            .init(
              "wrong", "Not the blue mug but the red one",
              #"{"query": "AgAAAAAAAAAE", "chosen": "product:mug-red", "rejected": ["product:mug-blue"]}"#
            )
          ])
      ]), answers: kept, problems: [.gone, .unprocessable])

  private static let giveFeedbackForm = Operation(
    "POST /v1/feedback:form", "giveFeedbackForm", .feedback, "Say it with the image",
    "As `POST /v1/feedback`, with the image of the question, which is kept for evaluations.",
    body: Body(
      "What is said, and the image.",
      [
        .other(
          "multipart/form-data", .reference(.statementForm),
          [
            .init(
              "wrong", "With the image",
              #"{"feedback": {"query": "AgAAAAAAAAAE", "chosen": "product:mug-red"}}"#,
              text: """
                As in `curl -F 'feedback={"query":"…","chosen":"product:mug-red"}' -F image=@photo.jpg -H 'Authorization: Bearer KEY' \
                http://127.0.0.1:8080/v1/feedback:form`.
                """)
          ], encoding: ["feedback": "application/json"])
      ]), answers: kept, problems: [.gone, .unprocessable])

  private static let getFeedbackQueries = Operation(
    "GET /v1/feedback/queries", "getFeedbackQueries", .feedback, "Get what people said as queries",
    """
    Gives JSON Lines that `vq eval` reads: for each active statement about an image that says what is right, the signature of the \
    image and the right id. This needs a key that may write.
    """,
    answers: [
      Answer(
        200, "The queries.", .notKept,
        [
          .other(
            "application/x-ndjson", .string("A query on each line."),
            [
              .init(
                "one", "One query",
                #"""
                "{\"edit\":\"feedback\",\"labels\":[],\"query\":\"feedback-12\",\"signature\":\"AwAB\",\"truth\":[\"mug-red\"]}\n"
                """#)
            ])
        ])
    ])

  private static let removeFeedback = Operation(
    "DELETE /v1/feedback/{number}", "removeFeedback", .feedback, "Undo a statement",
    "Removes a statement: answers are as if it had never been made. This needs a key that may write.",
    answers: [Answer(204, "It is removed.", .notKept)], problems: [.unknownStatement])

  private static let acceptFeedback = Operation(
    "PUT /v1/feedback/{number}/acceptance", "acceptFeedback", .feedback, "Accept a statement",
    "Lets a statement count that was made with a key of the role `feedback`. This needs a key that may write.",
    answers: [Answer(204, "It counts.", .notKept)], problems: [.unknownStatement])
}
