import PixelMatch
import VisualQuery

/// The schemas of questions and answers of `POST /v1/match`, and of `vq match --json`.
extension Definition {
  static let entityType = Definition(
    "EntityType", .choice("A thing that is sold, or a place where it is sold.", of: EntityType.self)
  )

  static let locale = Definition(
    "Locale",
    .string("A BCP 47 language tag.", max: 35, pattern: "^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$")
      .with("examples", #"["de"]"#))

  static let region = Definition(
    "Region",
    .array(
      "Left, top, width and height: shares of the image if no number is above 1, else pixels.",
      of: .number(), min: 4, max: 4
    ).with(
      "prefixItems",
      #"""
      [{"type": "number", "minimum": 0, "maximum": 1000000}, {"type": "number", "minimum": 0, "maximum": 1000000}, {"type": "number",
      "exclusiveMinimum": 0, "maximum": 1000000}, {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000}]
      """#
    ).with("examples", "[[0.1, 0, 0.7, 1]]"))

  static let embedding = Definition(
    "Embedding",
    .object(
      """
      What a model on the device says that the image, or its `region`, shows. It counts beside an image or a signature, if enough images \
      of the catalogue have embeddings of the same model.
      """,
      [
        .required(
          "model",
          .string("The name of the model, as in the feed's `embeddings`.", min: 1, max: 200)),
        .required(
          "vector",
          .string(
            """
            Base64, of either alphabet, of 2 to 4096 numbers in half precision (IEEE 754 binary16), little-endian. Its length does not count.
            """, min: 6, max: 10924, pattern: "^[A-Za-z0-9+/_-]+={0,2}$")),
      ]
    ).with("examples", #"[{"model": "my-model-1", "vector": "ADwAwABC"}]"#))

  static let geoPoint = Definition(
    "GeoPoint",
    .object(
      "A place on the globe.",
      [
        .required("latitude", .number("Degrees north of the equator.", min: -90, max: 90)),
        .required("longitude", .number("Degrees east of Greenwich.", min: -180, max: 180)),
      ]))

  static let matchForm = Definition(
    "MatchForm",
    .object(
      "An image, the details of the search, or both. Without an image, the details have `labels`, `codes` or a `text`.",
      [
        .optional(
          "image",
          .file(
            "The image, in one of the formats in `pictureTypes` of `GET /v1/limits`; JPEG and PNG always are."
          )), .optional("request", .reference(.matchDetails)),
      ]
    ))

  static let matchAnswer = Definition(
    "MatchAnswer",
    .object(
      "The ranked answer to a search.",
      [
        .required("schema", .constant("vq.match/1", "The form of this answer.")),
        .required(
          "query", .constant("request", "The name of the question. It is always `request` here."),
          for: .clients),
        .required("query", .queryName, for: .readers),
        .required("complete", .boolean("True if all of the search was done before the deadline.")),
        .required("coverage", .number("The share of the search that was done.", min: 0, max: 1)),
        .required("elapsedMs", .number("How long the search took, in milliseconds.", min: 0)),
        .required("generation", .reference(.generation)),
        .required(
          "values",
          .array(
            "The matches, best first.", of: .reference(.matchValue), max: MatchOptions.maximumLimit)
        ),
        .optional(
          "possible",
          .array(
            """
            The possible matches, none of which is sure, best first: for a person to choose from, apart from `values`. The smallest list that \
            holds the right entity with a probability of 0.9, if this is a candidate at all; given only if it is more likely than not to hold \
            the right one. `confidence` is the share of one probability over all candidates and none of them; the weights of `evidence` are \
            those of the entity by itself. Empty if something is sure, unless that lies in another part of the image, and on further pages. \
            Absent with `answers=sure`.
            """, of: .reference(.matchValue), max: 8)),
        .optional(
          "sibling",
          .array(
            """
            Entities that show the same thing as the image in another color, which the catalogue may lack; the likeliest first, mostly the \
            variants of one group: to be shown apart from `values`. `confidence` is the probability that it is the same thing, from 0.85 on; \
            the weights of `evidence` are those of the entity by itself. Only there if nothing is sure and `possible` is empty; absent with \
            `answers=sure` and on further pages.
            """, of: .reference(.matchValue), max: 8)),
        .optional(
          "similar",
          .array(
            """
            Entities of the same kind as what the image shows, and not the same thing, the likeliest first: to be shown apart from `values`. \
            `confidence` is the probability that a person would call both the same kind, from 0.5 on, by a model that encodes images, \
            calibrated on the catalogue's own categories. The variants of one thing have one place. Absent if it is not asked for, and \
            something is sure or the service has no such model; absent on further pages.
            """, of: .reference(.matchValue), max: 8)),
        .required(
          "objects",
          .array(
            "The things that the image shows, as far as the matches tell. Each match names its object.",
            of: .reference(.matchedObject), max: MatchOptions.maximumLimit)),
        .required(
          "regions",
          .array(
            """
            The parts of the image that were searched on their own, or should be if `searched` is false: the cells of a page, outlines of \
            things that were not sure at first, the rest of the image without sure things, the image in neutral light, and for signatures \
            the windows of a large image. Mostly there are none.
            """, of: .reference(.searchedRegion), max: 16)),
        .required(
          "emptyReason",
          .choice("Why there is no match.", of: MatchResponse.EmptyReason.self).orNull),
        .required(
          "nearMiss",
          .string("Always null. Earlier versions named the best candidate here; see `possible`.")
            .orNull.with("deprecated", "true")),
        .required(
          "unmatchedLabels",
          .array("Labels of the question that nothing in the catalogue knows.", of: .string())),
        .optional(
          "unmatchedWords",
          .array(
            """
            The words of `text` that neither what the image surely shows nor a variant of it has or, if nothing is sure, none of the \
            likeliest entities; a color by its English name. Absent if no words were asked, and on further pages.
            """, of: .string())),
        .required("hasMore", .boolean("True if there are more matches behind these.")),
        .required(
          "continuation",
          .string("What gives the next page without the image.", pattern: Pattern.token).orNull),
        .optional("profile", .profile),
        .optional(
          "damage",
          .object(
            "The damage of the image, which was searched with its intact part. Left out if there is none.",
            [
              .required(
                "code",
                .choice(
                  "`truncated` if the end of the image is missing, `corrupt` if other data is damaged.",
                  among: ["truncated", "corrupt"])),
              .required("detail", .string("What is missing or damaged.", min: 1)),
            ])),
        .optional(
          "feedback",
          .object(
            "What people said about the question, and what came of it. Absent if nothing was said.",
            [
              .required(
                "suppressed",
                .array("The entities that are left out.", of: .reference(.feedbackEffect))),
              .required(
                "pinned", .array("The entities that come first.", of: .reference(.feedbackEffect))),
            ])),
        .optional(
          "unmatchedCodes",
          .array(
            "The codes of the question that led to no product. Absent if there are none.",
            of: .object(
              nil,
              [
                .required("code", .string("The code, as it was given.")),
                .required(
                  "reason",
                  .choice(
                    "Its length or check digit is wrong, or no product has it.",
                    of: UnmatchedCode.Reason.self)),
              ]), min: 1, max: SemanticContent.codeLimit)),
        .optional(
          "missingShards",
          .array(
            """
            The numbers of the shards of engine mode that did not answer: their images were not searched, so `complete` is false. Absent if \
            all answered.
            """, of: .integer(min: 0))),
        .optional(
          "damagedRows",
          .integer(
            """
            How many rows of shards of engine mode were left out since they are damaged: some images were not searched as they should be, so \
            `complete` is false. Absent if there were none.
            """, min: 1)),
        .optional(
          "embeddingCompared",
          .boolean(
            """
            True if the embedding was compared with those of the catalogue: false if too few of its images have one of the same model, or if a \
            shard of engine mode has no index of them. Absent without an embedding or without an image.
            """)), .optional("facets", .reference(.facets)),
      ]))

  static let questionText = Definition(
    "QuestionText",
    .object(
      "A line of text that was read on the device.",
      [
        .required("text", .string("The text.", max: SemanticContent.textLength)),
        .optional(
          "box",
          .array(
            "Left, top, width and height in shares of the image.", of: .number(min: 0, max: 1),
            min: 4, max: 4
          ).orNull),
      ]))

  static let feedbackEffect = Definition(
    "FeedbackEffect",
    .object(
      "The effect of a statement on an entity.",
      [
        .required("type", .reference(.entityType)),
        .required("id", .string("The shop's own id.", min: 1)),
        .required("statement", .integer("The number of the statement.", min: 1)),
      ]))

  static let matchedObject = Definition(
    "MatchedObject",
    .object(
      "One thing that the image shows.",
      [
        .required("number", .integer("The number that its matches name.", min: 1)),
        .required(
          "box",
          .array(
            "Left, top, width and height of the best match, in shares of the sides of the image.",
            of: .number(min: 0, max: 1), min: 4, max: 4)),
      ]))

  static let searchedRegion = Definition(
    "SearchedRegion",
    .object(
      "A part of the image that was searched on its own, or should be.",
      [
        .required(
          "source",
          .choice(
            """
            What proposed it: plain lines that part it from the rest of a page, keypoints that outline a candidate, or sure matches, without \
            which the rest of the image is searched. `windows` is the whole image, to be searched in parts for small things, since nothing is \
            sure; only if that needs the image, and the query is a signature. `light` is the whole image in neutral light, in which candidates are \
            compared once more that keypoints align and colors contradict.
            """, of: SearchedRegion.Source.self)),
        .required(
          "box",
          .array(
            "Left, top, width and height in shares of the sides of the image.",
            of: .number(min: 0, max: 1), min: 4, max: 4)),
        .required(
          "searched",
          .boolean(
            """
            False if the query is a signature: a search with the signature of this part, or for `remainder`, `windows`, `light` and an \
            `outline` that is the whole image with the image, may find more.
            """)), .optional("type", .reference(.entityType)),
        .optional(
          "id",
          .string("The entity that is likeliest in it, shown or not; left out if none is alike.")),
        .optional(
          "confidence",
          .number(
            "The confidence of that entity. Values below the answer's cut-off are guesses.", min: 0,
            max: 1)),
      ]))

  static let facetValue = Definition(
    "FacetValue",
    .object(
      "A value of a property.",
      [
        .required("value", .anything("The value.").with("type", #"["string", "number"]"#)),
        .required("count", .integer("The number of entities that have it.", min: 1)),
      ]))

  static let facet = Definition(
    "Facet",
    .object(
      "The values of a property.",
      [
        .required("property", .string("The name of the property.")),
        .required(
          "values",
          .array("The values, the most frequent first.", of: .reference(.facetValue), max: 1000)),
        .required("valueCount", .integer("The number of different values.", min: 0)),
        .required("entityCount", .integer("The number of entities that have a value.", min: 0)),
        .optional(
          "range",
          .object(
            "The least and the greatest number. Absent if no value is one.",
            [
              .required("minimum", .number("The least value.")),
              .required("maximum", .number("The greatest value.")),
            ])),
      ]))

  static let facets = Definition(
    "Facets",
    .object(
      "The values of properties among some entities.",
      [
        .required("entityCount", .integer("The number of these entities.", min: 0)),
        .required(
          "facets",
          .array("The facets, in the order of the question.", of: .reference(.facet), max: 16)),
      ]))
}

extension Schema {
  /// The color space of an image.
  static let profile = Schema.object(
    "The color space that the image's file declares. Left out if the image is sRGB.",
    [
      .required(
        "name",
        .string("The name of the ICC profile, or the PNG chunk with its values.", min: 1)),
      .required("applied", .boolean("True if the pixels were converted to sRGB.")),
      .optional(
        "ignored",
        .string("Why the pixels are used as if they were sRGB, if they were not converted.")
      ),
    ])
}
