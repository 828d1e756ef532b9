import VisualQuery

/// The schemas of what a shop has learned about its confidences.
extension Definition {
  static let shopFit = Definition(
    "ShopFit",
    .object(
      "What labelled photos taught about the confidences of a shop.",
      [
        .required("coefficients", coefficients),
        .required("calibration", calibration),
        .optional("vectors", vectors),
        .required("photos", .integer("The number of photos.", min: 0)),
        .required("products", .integer("The number of products that they show.", min: 0)),
        .optional("careful", .boolean("True if it only makes answers less sure.")),
        .optional("date", .string("When it was stored, such as `2026-11-29T03:15:00Z`.")),
      ]))

  static let shopNull = Definition(
    "OwnImages",
    .object(
      "The answers to photos of the shop's own images: how often it is sure of a thing that it does not have.",
      [
        .required("calibration", calibration),
        .required("withoutOwn", counts("for things that are left out")),
        .required("withoutGroup", counts("for things that are left out with their whole groups")),
        .required(
          "present",
          counts("for things as the shop is, of which those count whose first answer is right")),
        .required("unavailable", .integer("The images that could not be opened.", min: 0)),
        .required(
          "pairs",
          .array(
            "The surest wrong answers, the surest first.",
            of: .object(
              "A thing that is taken for another one.",
              [
                .required(
                  "asked", .string("The id of the thing that was asked for, with its type.")),
                .required("answered", .string("The id of the answer, with its type.")),
                .required(
                  "confidence",
                  .number("Its confidence by the general calibration.", min: 0, max: 1)),
              ]), max: ShopNull.pairLimit)),
        .optional("fit", .reference(.shopFit)),
        .optional(
          "fitted", counts("for things that are left out, by fits that have not seen them")),
      ]))

  private static func counts(_ what: String) -> Schema {
    .object(
      "The sure answers \(what).",
      [
        .required("asked", .integer("The number of questions.", min: 0)),
        .required("sure", .integer("The number of sure answers.", min: 0)),
      ])
  }

  static let nullVerdict = Definition(
    "OwnVerdict",
    .object(
      "Whether a shop has to be more careful than others, by the answers to photos of its own images.",
      [
        .required("schema", .constant("vq.fit-own/1", "The form of this document.")),
        .required(
          "verdict",
          .choice(
            """
            Whether a fit is kept: it is `better`, `notNeeded` since hardly anything that the shop lacks is sure, there are `tooFew` images to tell, or it is `notBetter`: \
            the gain may be chance, or too much would be hidden.
            """, of: NullVerdict.Outcome.self)),
        .required("stored", .boolean("True if the answers are stored with the index.")),
        .required("generation", .reference(.generation)),
        .required("before", shares("by the general calibration")),
        .required("after", shares("by fits that have not seen their things")),
        .required(
          "prior",
          .number("The addition to the log-odds; 0 if none is needed.", min: -8, max: 0)),
        .required("own", .reference(.shopNull)),
      ]))

  private static func shares(_ by: String) -> Schema {
    .object(
      "The shares that are sure \(by).",
      [
        .required("withoutOwn", share("Things that are left out.")),
        .required("withoutGroup", share("Things that are left out with their whole groups.")),
        .required("present", share("Things as the shop is whose first answer is right.")),
        .required("general", share("Photos of customers in general.")),
      ])
  }

  static let shopFits = Definition(
    "ShopFits",
    .object(
      "The fits of an index.",
      [
        .required("schema", .constant("vq.fits/1", "The form of this document.")),
        .required(
          "counts",
          .boolean(
            "True if the last fit counts: there is one, and it corrects the calibration of the program."
          )),
        .required(
          "fits",
          .array(
            "The fits, the oldest first, of which the last one counts.", of: .reference(.shopFit),
            max: ShopFits.limit)),
        .optional("own", .reference(.shopNull)),
      ]))

  static let photoForm = Definition(
    "PhotoForm",
    .object(
      "A labelled photo.",
      [
        .required(
          "query",
          .object(
            "What is known of it.",
            [
              .required(
                "truth",
                .array(
                  "The ids that are right, none if the shop has nothing of the kind.",
                  of: .string(max: CheckHandlers.idLength, pattern: Pattern.line),
                  max: CheckHandlers.truthLimit)),
              .optional(
                "labels",
                .array(
                  "Words for what is seen.",
                  of: .string(max: SemanticContent.labelLength, pattern: Pattern.line),
                  max: SemanticContent.labelLimit
                ).orNull),
              .optional(
                "edit",
                .string(
                  "The kind of photo: nothing may become worse for one kind. `none` by default.",
                  max: FitHandlers.editLength, pattern: Pattern.line
                ).orNull),
            ])),
        .required(
          "image",
          .file("The photo.")),
      ]))

  static let keptPhoto = Definition(
    "KeptPhoto",
    .object(
      "The photo of an accepted statement, which was kept with consent.",
      [
        .required(
          "statement", .integer("The number of the statement.", min: 1, max: Int(Int32.max)))
      ]))

  static let askedPhoto = Definition(
    "AskedPhoto",
    .object(
      "A photo that was asked for a fit.",
      [
        .required("id", .string("The name of the photo: equal files have equal ones.", min: 1)),
        .required(
          "photo",
          .string(
            "What it says for a fit, sealed by the server. It is of use for this catalogue only.",
            min: 1, max: AskedPhoto.tokenLimit)),
      ]))

  static let photosToFit = Definition(
    "PhotosToFit",
    .object(
      "Photos that were asked.",
      [
        .required(
          "photos",
          .array(
            "Each as `POST /v1/fit/photos` gave it, and none twice.",
            of: .string(min: 1, max: AskedPhoto.tokenLimit, pattern: "^[A-Za-z0-9_-]+$"), min: 1,
            max: FitHandlers.photoLimit)),
        .optional(
          "absentShare",
          .number(
            "The share of photos that show what the shop lacks.",
            min: ShopFitting.absentShares.lowerBound, max: ShopFitting.absentShares.upperBound
          ).with("default", "\(ShopFitting.usualAbsentShare)").orNull),
        .optional("dryRun", .boolean("True to store nothing. False by default.").orNull),
      ]))

  static let fitVerdict = Definition(
    "FitVerdict",
    .object(
      """
      Whether a fit is worth keeping, judged on photos of products that it has not seen. Shares of photos that there are none of are \
      null.
      """,
      [
        .required("schema", .constant("vq.fit/1", "The form of this document.")),
        .required(
          "verdict",
          .choice(
            """
            Whether it is better: `tooFew` photos to tell, `notBetter` than chance explains, or `worse`, since more of what is shown is \
            wrong than chance explains.
            """, of: FitVerdict.Outcome.self)),
        .required("stored", .boolean("True if it is stored with the index.")),
        .required("generation", .reference(.generation)),
        .required("photos", .integer("The number of photos.", min: 0)),
        .required("products", .integer("The number of products that they show.", min: 0)),
        .required(
          "absent", .integer("The number of photos that show what the shop lacks.", min: 0)),
        .required("cutOff", .number("The lowest confidence that is shown.", min: 0, max: 1)),
        .required("before", figures("by the general calibration")),
        .required("after", figures("by fits that have not seen their products")),
        .required(
          "gain",
          .object(
            "By how much the log loss falls.",
            [
              .required("logLoss", .number("The mean.")),
              .required("low", .number("The lower end of the interval of 95 %.")),
              .required("high", .number("The upper end.")),
            ])),
        .required(
          "worseAt",
          .array(
            "Where more of what is shown is wrong: `everything`, `absent`, or an edit.",
            of: .string())),
        .required("coefficients", coefficients),
        .required("calibration", calibration),
        .required("vectors", vectors.orNull),
      ]))

  private static let coefficients = Schema.object(
    "The numbers by their names.",
    ShopFit.Coefficient.allCases.map {
      .required(
        $0.rawValue,
        .number(meaning(of: $0), min: $0.range.lowerBound, max: $0.range.upperBound))
    })

  private static let calibration = Schema.string(
    "The mark of the general calibration that it corrects.")
  private static let vectors = Schema.string(
    "The model whose vectors were compared, or `given` if the queries had them.")

  private static func meaning(of name: ShopFit.Coefficient) -> String {
    switch name {
    case .prior: "The addition to the log-odds; 0 in general."
    case .temperature: "The factor of the log-odds; 1 in general."
    case .labels: "The further factor of the labels; 1 in general."
    case .text: "The further factor of the text; 1 in general."
    case .vector:
      "The addition for each standard deviation by which a vector is nearer than usual; 0 in general."
    }
  }

  /// A share, or `null` if there is nothing to count.
  private static func share(_ text: String) -> Schema { .number(text, min: 0, max: 1).orNull }

  private static func figures(_ by: String) -> Schema {
    .object(
      "What is found and shown \(by).",
      [
        .required("logLoss", .number("The mean log loss of the first answers.", min: 0)),
        .required("recallAt1", share("The share whose first answer is right.")),
        .required(
          "shownRight", share("The share whose first answer is right and above the cut-off.")),
        .required(
          "shownWrong", share("The share whose first answer is wrong and above the cut-off.")),
        .required("wrongOfShown", share("The share of what is shown that is wrong.")),
        .required(
          "absentShown",
          share("The share of photos of what the shop lacks for which something is shown.")),
        .required(
          "withoutOwnShown",
          share(
            "The share of photos for which something is shown if the shop does not have their thing."
          )),
      ])
  }
}
