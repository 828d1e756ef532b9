import PixelMatch
import VisualQuery

/// The schemas of entities in answers, and of the questions about them.
extension Definition {
  static let generation = Definition(
    "Generation",
    .integer(
      "The generation of the catalogue. Every change of the catalogue makes a new one.", min: 0))

  static let display = Definition(
    "Display",
    .object(
      "How an entity is shown on a card.",
      [
        .required("title", .string("The first line.")),
        .optional("subtitle", .string("The second line.")),
        .optional(
          "image", .string("The URL of the first image, one of `images`.", format: "uri-reference")),
        .optional(
          "thumbnail",
          .string(
            """
            The URL of this server's thumbnail of the first image, if `image` is at another address and the server has it. Its size may be \
            replaced. Without it, `image` is an original of any size if it is at another address.
            """, format: "uri-reference")),
        .optional("synonyms", .array("Other names that people use.", of: .string(), min: 1)),
      ]))

  static let localizedText = Definition(
    "LocalizedText",
    .object(
      "An entity's texts in one language.",
      [
        .optional("title", .string("The name that people see.")),
        .optional("subtitle", .string("A second line.")),
        .optional("synonyms", .array("Other names that people use.", of: .string(), min: 1)),
      ]))

  static let price = Definition(
    "Price",
    .object(
      "An amount of money.",
      [
        .required(
          "amount", .string("A decimal number.", max: 20, pattern: #"^[0-9]+(\.[0-9]+)?$"#)),
        .required("currency", .string("A currency of ISO 4217.", pattern: "^[A-Z]{3}$")),
      ]))

  /// The values of ``Availability``.
  static let availability = Schema.choice(
    "Whether it can be ordered, and if not, whether it will be sold again.", of: Availability.self)

  /// The second lines of a product and of a store, by examples.
  static let (productSubtitle, storeSubtitle) = (
    "A second line, such as size and color.", "A second line, such as the part of the town."
  )

  /// The properties that describe a product or a store in an answer.
  private static func describingFields(subtitle: String) -> [Property] {
    [
      .required("title", .string("The name that people see.", min: 1)),
      .optional("subtitle", .string(subtitle)),
      .optional("synonyms", .array("Other names that people use.", of: .string(), min: 1)),
      .optional("localized", localized.with("minProperties", "1")),
      .optional("labels", .array("Coarse words for it.", of: .string(), min: 1)),
      .optional(
        "images",
        .array(
          """
          URLs of its images: the shop's own, or thumbnails of this server, relative to its address. The URL of a thumbnail changes with the \
          image, so that its answer may be kept forever; it names the size `large`, which may be replaced.
          """, of: .string(format: "uri-reference"), min: 1)),
      .optional("url", .string("Where it opens.")),
      .optional(
        "featured",
        .boolean("True if the shop suggests it. Absent if it does not.")),
    ]
  }

  /// The fields of the shop's own.
  private static let extra: Property =
    .optional(
      "extra",
      .object(
        "The other fields of the catalogue that the shop made public, as they came.",
        isOpen: true, []
      )
      .with("minProperties", "1"))

  /// Texts in other languages.
  static let localized = Schema.map(
    "Texts in other languages, by BCP 47 tag.", of: .reference(.localizedText)
  ).with(
    "propertyNames",
    schema: .anything().with("pattern", #""^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$""#).with(
      "maxLength", "35"))

  static let product = Definition(
    "Product",
    .object(
      "Something that the shop sells. Fields without a value are absent.",
      [
        .required("type", .constant("product", "What the entity is.")),
        .required("id", .string("The shop's own id, unique among its products.", min: 1)),
      ] + describingFields(subtitle: productSubtitle) + [
        .optional("group", .string("What its colors and sizes have in common.")),
        .optional(
          "attributes",
          .map(
            "The properties that distinguish the variants of a group, by name, such as `color` and `size`.",
            of: .string())), .optional("brand", .string("Who makes it.")),
        .optional("price", .reference(.price)),
        .optional("availability", availability),
      ] + [extra]))

  static let store = Definition(
    "Store",
    .object(
      "A place where the shop sells. Fields without a value are absent.",
      [
        .required("type", .constant("store", "What the entity is.")),
        .required("id", .string("The shop's own id, unique among its stores.", min: 1)),
      ] + describingFields(subtitle: storeSubtitle) + [
        .optional("address", .string("Where it stands, in words.")),
        .optional("geo", .reference(.geoPoint)),
        .optional(
          "stock",
          .array("The ids of products that the store has, with --all-fields only.", of: .string()),
          for: .readers),
        .optional(
          "openingHours", .array("When it is open, as in schema.org.", of: .string(), min: 1)),
        .optional("timeZone", .string("The IANA time zone of the opening hours.")),
      ] + [extra]
    ).with("dependentRequired", #"{"openingHours": ["timeZone"], "timeZone": ["openingHours"]}"#))

  static let entityDocument = Definition(
    "EntityDocument",
    .one("A product or a store.", of: [.reference(.productDocument), .reference(.storeDocument)])
      .with(
        "discriminator",
        #"""
        {"propertyName": "type", "mapping": {"product": "#/components/schemas/ProductDocument",
        "store": "#/components/schemas/StoreDocument"}}
        """#))

  static let productDocument = Definition(
    "ProductDocument",
    .object(
      "A product and how to show it.",
      [
        .required("type", .constant("product", "What the entity is.")),
        .required("id", .string("The shop's own id.", min: 1)),
        .optional("url", .string("Where the entity opens.").orNull),
        .required("display", .reference(.display)), .required("product", .reference(.product)),
        .optional("attributeSet", .reference(.attributeSet)),
      ]))

  static let storeDocument = Definition(
    "StoreDocument",
    .object(
      "A store and how to show it.",
      [
        .required("type", .constant("store", "What the entity is.")),
        .required("id", .string("The shop's own id.", min: 1)),
        .optional("url", .string("Where the entity opens.").orNull),
        .required("display", .reference(.display)), .required("store", .reference(.store)),
        .optional("attributeSet", .reference(.attributeSet)),
      ]))

  static let entityList = Definition(
    "EntityList",
    .object(
      "Some entities of one generation.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "entities",
          .array(
            "The entities, in order.", of: .reference(.entityDocument),
            max: EntityLookup.maximumLimit)),
        .optional(
          "cursor",
          .string(
            "The cursor of the next page, or null at the end of the list. Absent if none was asked for.",
            min: 1, max: 250, pattern: Pattern.token
          ).orNull),
      ]))

  static let entityAnswer = Definition(
    "EntityAnswer",
    .object(
      "One entity of one generation.",
      [
        .required("generation", .reference(.generation)),
        .required("entity", .reference(.entityDocument)),
      ]))

  static let entityReference = Definition(
    "EntityReference",
    .object(
      "What names an entity.",
      [
        .required("type", .reference(.entityType)),
        .required("id", .string("The shop's own id.", min: 1)),
      ]))

  static let property = Definition(
    "Property",
    .string(
      """
      The name of a field, such as `title`, `brand` or `price`, or one of those that the shop made public. Any other is rejected.
      """, min: 1, max: 64, pattern: "^[A-Za-z0-9_.: -]{1,64}$"))

  static let scalar = Definition(
    "Scalar",
    .one(
      "A text or a number. A text that is a number is compared as one.",
      of: [.string(max: EntityComparator.textLimit, pattern: Pattern.line), .number()]))

  static let comparator = Definition(
    "Comparator",
    .one(
      "A condition on one property.",
      of: [
        .object(
          nil,
          [
            .required("property", .reference(.property)),
            .required(
              "comparison",
              .choice(among: [
                "equalTo", "notEqualTo", "lessThan", "lessThanOrEqualTo", "greaterThan",
                "greaterThanOrEqualTo",
              ])), .required("value", .reference(.scalar)),
          ]),
        .object(
          nil,
          [
            .required("property", .reference(.property)),
            .required("comparison", .choice(among: ["isBetween"])),
            .required("value", .reference(.scalar)), .required("upperValue", .reference(.scalar)),
          ]),
        .object(
          nil,
          [
            .required("property", .reference(.property)),
            .required("comparison", .choice(among: ["contains", "hasPrefix", "hasSuffix"])),
            .required(
              "value",
              .string(
                "The text to look for.", max: EntityComparator.textLimit, pattern: Pattern.line)),
          ]),
      ]))

  static let sort = Definition(
    "Sort",
    .object(
      "What the answer is put in order by.",
      [
        .required("property", .reference(.property)),
        .optional("order", .choice("Which end comes first.", of: EntitySort.Order.self).orNull),
      ]))

  static let entityQuery = Definition(
    "EntityQuery",
    .object(
      "Conditions that entities must meet.",
      [
        .optional("type", .reference(.entityType).orNull),
        .optional(
          "comparators",
          .array(
            "The conditions. None means that all entities fit.", of: .reference(.comparator),
            max: EntityFilter.comparatorLimit
          ).orNull),
        .optional(
          "mode",
          .choice(
            "All conditions must hold (`and`), or one is enough (`or`).", of: ComparatorMode.self
          ).with("default", #""and""#).orNull),
        .optional(
          "sortedBy",
          .array(
            "What to sort by, the first counts most.", of: .reference(.sort),
            max: EntitySort.countLimit
          ).orNull),
        .optional(
          "limit",
          .integer("At most this many entities.", min: 1, max: EntityLookup.maximumLimit).with(
            "default", "100"
          ).orNull),
        .optional("locale", .reference(.locale).orNull),
        .optional(
          "cursor",
          .string(
            """
            The `cursor` of the page before, or empty for the first page. The other fields are those of the first page. `sortedBy` does not \
            apply.
            """, max: 250, pattern: Pattern.tokenOrNothing
          ).orNull),
      ]))

  static let entityIds = Definition(
    "EntityIds",
    .object(
      "Entities to get.",
      [
        .required(
          "ids",
          .array(
            "Types and ids, with a colon or a slash between them.",
            of: .string(
              min: 7, max: 264, pattern: #"^(product|store)[:/][^\u0000-\u001f\u007f]+$"#), min: 1,
            max: EntityLookup.maximumLimit)), .optional("locale", .reference(.locale).orNull),
      ]))

  static let resolvedEntities = Definition(
    "ResolvedEntities",
    .object(
      "The entities of some ids, of one generation.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "entities",
          .array(
            "The entities, in the order of their ids.", of: .reference(.entityDocument),
            max: EntityLookup.maximumLimit)),
        .required(
          "missing",
          .array(
            "The ids that name no entity, as they were given.", of: .string(),
            max: EntityLookup.maximumLimit)),
      ]))

  static let sync = Definition(
    "Sync",
    .object(
      "What has changed since a state.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "state",
          .string(
            "Where to go on from. Keep it with what it came with.", min: 1, max: 250,
            pattern: Pattern.token)),
        .required("hasMore", .boolean("True if more changes are there already.")),
        .required(
          "upserts",
          .array(
            "Entities that are new or have changed.", of: .reference(.entityDocument),
            max: EntityLookup.maximumLimit)),
        .required(
          "tombstones",
          .array(
            "Entities that are gone.", of: .reference(.entityReference),
            max: EntityLookup.maximumLimit)),
      ]))

  static let attributeSet = Definition(
    "AttributeSet",
    .object(
      """
      The attributes of an entity in Spotlight's index, by the names of `CSSearchableItemAttributeSet`. The image is not among them, \
      since Spotlight loads none: an app loads `display.thumbnail`, or `display.image` without one, and passes it as `thumbnailData`.
      """,
      [
        .required("displayName", .string("The title.")),
        .optional("contentDescription", .string("The second line.")),
        .optional("alternateNames", .array("Other names.", of: .string())),
        .optional("keywords", .array("Labels, brand and attributes.", of: .string())),
        .optional("url", .string("The link that opens the entity.")),
        .optional("latitude", .number("Degrees north.", min: -90, max: 90)),
        .optional("longitude", .number("Degrees east.", min: -180, max: 180)),
        .optional("fullyFormattedAddress", .string("The address of a store.")),
      ]))

  static let modelEntity = Definition(
    "ModelEntity",
    .map(
      "An entity as names and strings for a language model, nothing nested.", of: .string(),
      [
        .required("type", .string("What it is.")), .required("id", .string("The shop's own id.")),
        .required("title", .string("The name.")),
      ]))

  static let modelList = Definition(
    "ModelList",
    .object(
      "Entities in the form `model`.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "entities",
          .array("The entities.", of: .reference(.modelEntity))),
        .optional(
          "cursor", .string("The cursor of the next page; absent if there is none.").orNull),
      ]))

  static let neighbors = Definition(
    "Neighbors",
    .object(
      "What looks most like an entity.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "neighbors",
          .array(
            "The nearest first; related ones in the order of the feed.",
            of: .object(
              "A neighbor.",
              [
                .required("entity", .reference(.entityDocument)),
                .required(
                  "sharesDetails",
                  .boolean(
                    """
                    True if details of the two images agree in their places, as those of one thing in two colors do. Always false with `relation`.
                    """)),
                .optional(
                  "cosine",
                  .number(
                    "The cosine of the angle between the vectors of the two images. Absent if one of them has none, and with `relation`.",
                    min: -1, max: 1)),
              ]))),
        .optional("signatureSearched", .signatureSearched),
      ]))

  static let historyEvent = Definition(
    "HistoryEvent",
    .object(
      "A generation, or a range of them if it is not known exactly.",
      [
        .required("firstGeneration", .reference(.generation)),
        .required("generation", .reference(.generation)),
        .required("date", .string("The time of `generation`.", format: "date-time")),
      ]))

  static let history = Definition(
    "History",
    .object(
      "When an entity was added and changed.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "added",
          .one(
            "When it was added; `null` if it is not known.", of: [.reference(.historyEvent), .null])
        ),
        .required(
          "changed",
          .one(
            "When it was changed last, or added; `null` if it is not known.",
            of: [.reference(.historyEvent), .null])),
      ]))
}

extension Schema {
  /// The field that tells that neighbors were found without the image.
  static let signatureSearched = boolean(
    """
    True if the file of the entity's first image could not be read, and what the index has of the image was searched with, which finds less. \
    Absent otherwise.
    """)
}
