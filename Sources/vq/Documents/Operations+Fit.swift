import VisualQuery

/// The operations that let a shop learn from labelled photos.
extension Operation {
  static let ofFit: [Operation] = [listFits, askPhoto, askKeptPhoto, fitPhotos, undoFit]

  /// Two fits, of which the second counts.
  private static let fits = Operation.Content.json(
    .reference(.shopFits),
    [
      .init(
        "one", "One fit",
        #"""
        {"schema": "vq.fits/1", "counts": true, "fits": [{"calibration": "1c3ba0f2", "coefficients": {"labels": 1, "prior": -1.2, "temperature": 0.7,
        "text": 1, "vector": 0}, "date": "2026-11-29T03:15:00Z", "photos": 296, "products": 81}]}
        """#), .init("none", "No fit", #"{"schema": "vq.fits/1", "counts": false, "fits": []}"#),
    ])

  private static let listFits = Operation(
    "GET /v1/fit", "listFits", .checks, "List the fits",
    """
    The fits of the confidence that labelled photos taught, as of `vq fit --show --json`: the last one counts. This needs a key that may \
    write.
    """,
    answers: [Answer(200, "The fits, the oldest first.", .notKept, [fits])])

  /// The answer for a photo.
  private static let asked: [Answer] = [
    Answer(
      200, "What the photo says.", .notKept,
      [
        .json(
          .reference(.askedPhoto),
          [.init("photo", "A photo", #"{"id": "q83vEjRWeJA", "photo": "Zml0AQ"}"#)])
      ])
  ]

  private static let askPhoto = Operation(
    "POST /v1/fit/photos", "askPhoto", .checks, "Ask with a photo for a fit",
    """
    Searches with one labelled photo, also as if the shop did not have what it shows, and gives what that says for a fit, sealed, to be \
    sent with the others to `POST /v1/fit`. Nothing is kept. What people said about answers does not count otherwise. This needs a key that may write. The same \
    path accepts the body of `POST /v1/fit/photos:kept`.
    """,
    body: Body(
      "The photo.",
      [
        .other(
          "multipart/form-data", .reference(.photoForm),
          [
            .init(
              "mug", "A photo of a mug",
              #"{"query": {"truth": ["mug-red"]}, "image": "the bytes of the photo"}"#,
              text: """
                As in `curl -F 'query={"truth":["mug-red"]}' -F image=@photo.jpg -H 'Authorization: Bearer KEY' \
                http://127.0.0.1:8080/v1/fit/photos`.
                """)
          ],
          encoding: [
            "query": "application/json", "image": "image/jpeg, image/png, image/webp",
          ])
      ]), answers: asked, problems: [.unknownStatement, .unprocessable])

  private static let askKeptPhoto = Operation(
    "POST /v1/fit/photos:kept", "askKeptPhoto", .checks, "Ask with a photo that was kept",
    "As `POST /v1/fit/photos`, with the photo that was kept with an accepted statement.",
    body: Body(
      "The number of the statement.",
      [
        .json(
          .reference(.keptPhoto),
          [.init("kept", "The photo of a statement", #"{"statement": 12}"#)])
      ]), answers: asked, problems: [.unknownStatement, .unprocessable])

  private static let fitPhotos = Operation(
    "POST /v1/fit", "fitPhotos", .checks, "Fit the confidence to photos",
    """
    Fits the confidence of the shop to photos that were asked, as `vq fit` does: the fit is judged on products that it has not seen, and is \
    stored only if it is better and nothing is worse than chance explains. It then makes a new generation and counts from the next request \
    on. Nothing is kept of the photos. One fit is made at a time. This needs a key that may write.
    """,
    body: Body(
      "The photos.",
      [
        .json(
          .reference(.photosToFit),
          [
            .init(
              "try", "Two photos, to see what they would change",
              #"{"photos": ["Zml0AQ", "Zml0AR"], "dryRun": true}"#)
          ])
      ]),
    answers: [
      Answer(
        200, "The verdict. `stored` says whether the fit counts now.", .notKept,
        [
          .json(
            .reference(.fitVerdict),
            [
              .init(
                "better", "A fit that is kept",
                #"""
                {"schema": "vq.fit/1", "verdict": "better", "stored": true, "generation": 6, "photos": 296, "products": 81, "absent": 0, "cutOff": 0.85,
                "before": {"logLoss": 0.61, "recallAt1": 0.62, "shownRight": 0.15, "shownWrong": 0.003, "wrongOfShown": 0.02,
                "absentShown": null, "withoutOwnShown": 0.01}, "after": {"logLoss": 0.54, "recallAt1": 0.63, "shownRight": 0.41,
                "shownWrong": 0.003, "wrongOfShown": 0.01, "absentShown": null, "withoutOwnShown": 0.02}, "gain": {"logLoss": 0.07,
                "low": 0.04, "high": 0.1}, "worseAt": [], "coefficients": {"labels": 1, "prior": 1.2, "temperature": 1.3, "text": 1, "vector": 0},
                "calibration": "1c3ba0f2", "vectors": null}
                """#)
            ])
        ])
    ], problems: [.gone, .unprocessable])

  private static let undoFit = Operation(
    "DELETE /v1/fit", "undoFit", .checks, "Undo the newest fit",
    "Removes the newest fit, so that the one before counts, as `vq fit --undo` does. This needs a key that may write.",
    answers: [Answer(200, "The fits that are left.", .changed, [fits])], problems: [.noFit])
}
