import PixelMatch
import VisualQuery

/// The schemas of one match of an answer.
extension Definition {
  static let matchValue = Definition(
    "MatchValue",
    .one("One ranked match.", of: [.reference(.productMatch), .reference(.storeMatch)]).with(
      "discriminator",
      #"""
      {"propertyName": "type", "mapping": {"product": "#/components/schemas/ProductMatch", "store": "#/components/schemas/StoreMatch"}}
      """#))

  static let readWord = Definition(
    "ReadWord",
    .object(
      "A word that was read in the image or sent in `texts`, compared with the entity.",
      [
        .required(
          "text", .string("The word, in lower case without diacritics, as it was read.", min: 1)),
        .required(
          "agrees",
          .boolean(
            """
            True if the entity has the word in its title, its brand or the text of its images. If not, others do, and it counts against this \
            one.
            """)),
        .required(
          "corners",
          .array(
            """
            The corners of the line with the word in the direction of reading, in shares of the image; empty if its place is not known.
            """, of: .array(of: .number(), min: 2, max: 2), max: 4)),
      ]))

  /// The properties with which every match begins.
  private static func matchFields(of type: EntityType) -> [Property] {
    [
      .required("rank", .integer("The place in the answer. The best match has 1.", min: 1)),
      .required("type", .constant(type.rawValue, "What the entity is.")),
      .required("id", .string("The shop's own id.", min: 1)),
      .required("confidence", .number("How sure the match is.", min: 0, max: 0.9999)),
      .required("tier", .reference(.tier)),
      .optional("url", .string("Where the entity opens. It is absent if there is no link.")),
      .required("display", .reference(.display)),
      .optional(
        "matchedImage",
        .string(
          "The URL of the image that matched, one of `images`; absent if labels did.",
          format: "uri-reference")), .optional("alignment", .reference(.alignment)),
    ]
  }

  /// The properties of every match about its evidence and its place in the answer.
  private static let evidenceFields: [Property] = [
    .required("evidence", .array("What the confidence is made of.", of: .reference(.evidence))),
    .optional(
      "words",
      .array(
        """
        The words that were read and that some entity has, those that weigh most first. It is missing if there are none, and on further \
        pages.
        """, of: .reference(.readWord), min: 1, max: 32)),
    .optional(
      "rule",
      .string(
        """
        The rule of the shop that moved the match, by its name. It is absent if the match is where its confidence puts it.
        """, min: 1, max: ShopRule.nameLength)),
    .optional(
      "object",
      .integer(
        "The number of the object that the match belongs to. It is missing if the part of the image is not known.",
        min: 1)),
  ]

  static let productMatch = Definition(
    "ProductMatch",
    .object(
      "A product that was found.",
      matchFields(of: .product) + [.required("product", .reference(.product))] + evidenceFields + [
        .optional(
          "variants",
          .array(
            """
            The other variants of its group that have the same first image, such as sizes; all of its group if `group` asks for them. First those \
            that were found as well, the best first, then the others in catalogue order. With `where` or `withLabel`, only those that were found.
            """, of: .reference(.variant), min: 1, max: 50))
      ]))

  static let variant = Definition(
    "Variant",
    .object(
      "Another variant of a product that was found.",
      [
        .required("id", .string("The shop's own id.", min: 1)),
        .optional(
          "confidence",
          .number(
            "How sure it would be as a match; absent if it is not among the answers.", min: 0,
            max: 0.9999)),
        .optional("url", .string("Where the entity opens. It is absent if there is no link.")),
        .required("display", .reference(.display)), .required("product", .reference(.product)),
      ]))

  static let storeMatch = Definition(
    "StoreMatch",
    .object(
      "A store that was found.",
      matchFields(of: .store) + [
        .optional("stocks", .string("The id of the matched product that the store has.", min: 1)),
        .optional(
          "distanceMeters",
          .number("How far the store is from the place that was asked from.", min: 0)),
        .optional("openNow", .boolean("True if the store is open at the time that was asked for.")),
        .required("store", .reference(.store)),
      ] + evidenceFields))

  static let tier = Definition(
    "Tier",
    .choice(
      """
      How the match was found: the same image, the same one edited or partly seen, one that looks alike, by words only, or by a product \
      code that was read on the device.
      """, of: MatchTier.self))

  static let alignment = Definition(
    "Alignment",
    .object(
      "How the catalogue image lies in the one of the question.",
      [
        .required(
          "inliers",
          .integer(
            "How many corners agree; 0 if a glance told that the image is a copy, so that none was compared.",
            min: 0)),
        .required("isMirrored", .boolean("True if the question shows it mirrored.")),
        .required(
          "transform",
          .array(
            "Rows of a 3 × 3 matrix that leads from the question to the catalogue image, both in shares of their size.",
            of: .number(), min: 9, max: 9)),
        .required(
          "region",
          .array(
            "The box around 'outline': left, top, width and height in shares of the question.",
            of: .number(min: 0, max: 1), min: 4, max: 4)),
        .required(
          "outline",
          .array(
            """
            The outline of the thing that was found, without the plain background of the catalogue image: the corners of a convex polygon, \
            clockwise from the upper left, each as x and y in shares of the question.
            """, of: .array(of: .number(min: 0, max: 1), min: 2, max: 2), min: 3, max: 12)),
      ]))

  static let evidence = Definition(
    "Evidence",
    .object(
      "One reason for or against a match.",
      [
        .required("kind", .choice("What was measured.", of: Evidence.Kind.self)),
        .required("value", .number("The measured value, in the unit of its kind.")),
        .required("weight", .number("What it adds to the log-odds of the confidence.")),
      ]))
}
