import PixelMatch
import VisualQuery

/// The schemas of what the server says about the shop and itself.
extension Definition {
  static let catalogue = Definition(
    "Catalogue",
    .object(
      "The size of a catalogue.",
      [
        .required("generation", .reference(.generation)),
        .required("products", .integer("The number of products.", min: 0)),
        .required("stores", .integer("The number of stores.", min: 0)),
        .required("images", .integer("The number of images that can be found.", min: 0)),
        .required(
          "minimumConfidence",
          .number(
            "The lowest confidence of a match if a question with an image does not say another.",
            min: 0, max: 1)),
        .required(
          "feedback", .boolean("True if the server takes feedback: it has a key that may give it.")),
        .optional(
          "lastRun",
          .object(
            "The last run of `vq index`, if it is known.",
            [
              .required(
                "time",
                .string("When it ended, or began if it has not ended, in UTC (RFC 3339).")),
              .optional(
                "outcome",
                .choice(
                  """
                  How it ended: `done`; `nothingToDo` if nothing changed; `losses` if rows, images or fields were rejected; `refused` if too \
                  much would have been lost; `interrupted`; `failed`. Absent if it has not ended.
                  """, of: RunRecord.Outcome.self)),
              .required("kept", .integer("The number of old values that were kept.", min: 0)),
            ])),
      ]))

  static let facetAnswer = Definition(
    "FacetAnswer",
    .object(
      "The values of properties among the entities that pass the filter.",
      [
        .required("generation", .reference(.generation)),
        .required("entityCount", .integer("The number of these entities.", min: 0)),
        .required(
          "facets",
          .array("The facets, in the order of the question.", of: .reference(.facet), max: 16)),
      ]))

  static let settings = Definition(
    "Settings",
    .object(
      "The shop as a whole, of which there is one.",
      [
        .required("id", .constant("shop", "The id of the only one.")),
        .required("generation", .reference(.generation)),
        .optional("name", .string("The name of the shop (`vq serve --name`).")),
        .required(
          "currencies",
          .array(
            "The currencies of its prices, the most frequent first.", of: .string(min: 3, max: 3),
            max: 16)), .required("products", .integer("The number of products.", min: 0)),
        .required("stores", .integer("The number of stores.", min: 0)),
        .required(
          "visualSearch",
          .boolean("True if images can be searched for: an app hides its visual search otherwise.")),
        .required(
          "publicFields", .array("The fields of the shop's own that entities show.", of: .string())),
        .required("languages", .array("The languages of messages and names.", of: .string())),
      ]))

  static let schema = Definition(
    "Schema",
    .object(
      "The names of types, properties and values, for people.",
      [
        .required(
          "language",
          .choice(
            "The language of the names: the one that was asked for if the server has it, else English.",
            among: ShopWords.languages)),
        .required(
          "types",
          .map(
            "The types.",
            of: .object(
              nil,
              [
                .required("name", .string("The name of one.")),
                .required("plural", .string("The name of several.")),
              ]))), .required("properties", .map("The properties.", of: .string())),
        .required(
          "enumerations",
          .map(
            """
            The values of `availability`, `tier`, `order`, `evidence` (its kinds), `emptyReason`, `findingKind` (of `GET /v1/doctor`) and \
            `feedbackState`. Later versions may add some.
            """, of: .map(of: .string()))),
        .required(
          "publicFields", .array("The fields of the shop's own that entities show.", of: .string())),
      ]))

  static let phrases = Definition(
    "Phrases",
    .object(
      "Phrases for App Shortcuts.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "language",
          .choice(
            "The language of the names: the one that was asked for if the server has it, else English.",
            among: ShopWords.languages)),
        .required(
          "shortcuts",
          .array(
            "A shortcut for each type.",
            of: .object(
              nil,
              [
                .required("type", .reference(.entityType)),
                .required("title", .string("Its title.")),
                .required(
                  "phrases",
                  .array(
                    "The phrases, with `${target}` and `${applicationName}` as in a string catalogue.",
                    of: .string())),
                .required(
                  "values",
                  .array(
                    "The entities that phrases name, those to suggest first.",
                    of: .object(
                      nil,
                      [
                        .required("id", .string("The shop's own id.")),
                        .required("title", .string("The title in the language.")),
                      ]), max: 20)),
              ]))),
      ]))

  static let rule = Definition(
    "Rule",
    .object(
      "A decision of the shop about what answers show.",
      [
        .required(
          "name",
          .string(
            "The name, by which explanations call the rule. Each rule has its own.", min: 1,
            max: ShopRule.nameLength)),
        .optional(
          "off",
          .boolean("True if the rule is kept without effect.").with("default", "false").orNull),
        .required(
          "do",
          .choice(
            """
            What the rule does with its entities: they come first, are left out, or are ordered by their confidence times a factor.
            """, among: ["pin", "hide", "boost"])),
        .optional(
          "factor",
          .number(
            "The factor of a boost.", min: ShopRule.factors.lowerBound,
            max: ShopRule.factors.upperBound
          ).orNull),
        .optional(
          "by",
          .object(
            """
            A field by which the factor grows from 1, at `from`, to `factor`, at `to`. An entity without the field has the factor 1.
            """,
            [
              .required("field", .string(min: 1, max: 64)), .required("from", .number()),
              .required("to", .number()),
            ]
          ).orNull),
        .optional(
          "entities",
          .array(
            "Entities by type and id, such as `product:mug-red`, in the order in which they are pinned.",
            of: .string(min: 1, max: 1024), max: ShopRule.entityLimit
          ).orNull),
        .optional(
          "where",
          .array(
            """
            Conditions as those of a search, such as `availability=inStock`; an entity that meets all of them, `withLabel` and `newerThan` \
            belongs to the rule, too.
            """, of: .string(min: 1, max: 1024), max: 31
          ).orNull),
        .optional(
          "withLabel",
          .array(
            "Labels of which such an entity has one.", of: .string(min: 1, max: 1024),
            max: EntityFilter.labelLimit
          )
          .orNull),
        .optional(
          "newerThan",
          .object(
            "A date field, and the days for which such an entity is new.",
            [
              .required("field", .string(min: 1, max: 64)),
              .required("days", .integer(min: 1, max: 3650)),
            ]
          ).orNull),
        .optional(
          "when",
          .object(
            "The searches that the rule is for: one word of each list that is not empty must hold.",
            [
              .optional(
                "labels",
                .array(
                  "Labels of the search.", of: .string(min: 1, max: 1024), max: ShopRule.entityLimit
                ).orNull),
              .optional(
                "categories",
                .array(
                  "Categories of the surest match: its labels, `category` or `productType`.",
                  of: .string(min: 1, max: 1024), max: ShopRule.entityLimit
                ).orNull),
              .optional(
                "pages",
                .array(
                  "Pages of the app, as `appPage` names them.", of: .string(min: 1, max: 1024),
                  max: ShopRule.entityLimit
                ).orNull),
              .optional(
                "languages",
                .array(
                  "Languages of the search: `de` is also for `de-AT`.",
                  of: .string(min: 1, max: 1024), max: ShopRule.entityLimit
                ).orNull),
            ]
          ).orNull),
        .optional(
          "from",
          .string("The day or the instant from which on the rule holds, in UTC.", max: 64).orNull),
        .optional(
          "until",
          .string("The day or the instant from which on it no longer holds.", max: 64).orNull),
      ]))

  static let ruleList = Definition(
    "RuleList",
    .object(
      "All rules.",
      [
        .required(
          "rules",
          .array(
            "The rules, in the order in which they count.", of: .reference(.rule),
            max: ShopRules.countLimit))
      ]))

  static let rules = Definition(
    "Rules",
    .object(
      "The rules of a generation.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "rules",
          .array(
            "The rules, in the order in which they count.", of: .reference(.rule),
            max: ShopRules.countLimit)),
      ]))

  static let limits = Definition(
    "Limits",
    .object(
      "The limits of this server.",
      [
        .required("bodyBytes", .integer("The most bytes of a request body.", min: 1)),
        .required("picturePixels", .integer("The most pixels of an image.", min: 1)),
        .required(
          "pictureMemoryBytes",
          .integer(
            """
            The most bytes of memory that decoding an image may take. A progressive JPEG takes 128 for each block of 8 × 8 samples, an \
            interlaced PNG 4 for each pixel that is kept of it.
            """, min: 1)),
        .required("headerBytes", .integer("The most bytes of all request headers.", min: 1)),
        .required("targetBytes", .integer("The most bytes of a request target.", min: 1)),
        .required("labels", .integer("The most labels.", min: 1)),
        .required(
          "labelCharacters",
          .integer("The most Unicode scalars of a label that are looked at.", min: 1)),
        .required("matches", .integer("The most matches of one answer.", min: 1)),
        .required("entities", .integer("The most entities of one answer.", min: 1)),
        .required(
          "deadlineMs",
          .object(
            "Deadlines in milliseconds.",
            [
              .required("default", .integer("The deadline if none is given.", min: 1)),
              .required("maximum", .integer("The longest deadline.", min: 1)),
            ])),
        .required(
          "pictureTypes",
          .array(
            "Media types of images that are accepted: `--formats` of `vq serve`, as far as their libraries are installed.",
            of: .string(), min: 1)),
        .required(
          "thumbnailPixels",
          .object(
            "Sizes of thumbnails.",
            [
              .required("small", .integer("The longer side of a small thumbnail.", min: 1)),
              .required("large", .integer("The longer side of a large thumbnail.", min: 1)),
              .required(
                "extraLarge", .integer("The longer side of an extra large thumbnail.", min: 1)),
            ])),
      ]))

  static let readiness = Definition(
    "Readiness",
    .object(
      "Whether the server answers as well as it should.",
      [
        .required(
          "status",
          .choice(
            "`degraded` if it answers less well than it should.", of: ReadinessDocument.Status.self)
        ),
        .optional(
          "generation",
          .integer(
            "The generation that answers. Absent if the server has keys and the request none of the role `operate`.",
            min: 0)),
        .optional(
          "reasons",
          .array(
            "The reasons why it is degraded; none if it is not. Absent like `generation`.",
            of: .object(
              nil,
              [
                .required(
                  "code", .choice("The reason, for programs.", of: Degradation.Code.self)),
                .required("message", .string("The reason, for people.", min: 1)),
              ]))),
      ]))

  static let problem = Definition(
    "Problem",
    .object(
      "What went wrong (RFC 9457).",
      [
        .required(
          "type", .constant("about:blank", "The kind of problem. It is always `about:blank`.")),
        .required("title", .string("The name of the status.", min: 1)),
        .required("status", .integer("The HTTP status.", min: 400, max: 599)),
        .required("detail", .string("What is wrong, for people.", min: 1)),
        .required("code", .string("What is wrong, for programs.", pattern: "^[a-z][A-Za-z]*$")),
        .required("requestId", .string("The id of the request, as in `X-Request-ID`.", min: 1)),
        .optional(
          "field",
          .string(
            "The parameter or field that is wrong, with those around it: `near.latitude`, `comparators[0].value`."
          )), .optional("limit", .number("The limit that was passed.")),
        .optional("found", .string("What was found instead.")),
        .required(
          "userMessage",
          .string(
            "What to tell a person, in the language of `Accept-Language` if the server has it (English, German, French).",
            min: 1)),
      ]))
}
