import VisualQuery

/// The schemas of entities as a shop brings them, and of the answer to a change.
extension Definition {
  /// The properties that describe a product or a store in a row of a feed.
  private static func describingRowFields(subtitle: String) -> [Property] {
    [
      .required("title", .string("The name that people see.", min: 1, max: 1000)),
      .optional("subtitle", .string(subtitle, max: 1000)),
      .optional(
        "synonyms",
        .array(
          "Other names that people use: each at most 256 bytes in UTF-8, all together at most 4096.",
          of: .string(), max: 256)),
      .optional("localized", localized),
      .optional(
        "labels",
        .array(
          "Coarse words for it: each at most 256 bytes in UTF-8, all together at most 4096.",
          of: .string(), max: 256)),
      .optional(
        "images",
        .array(
          """
          Its images, the first one shown: paths beneath the images root, names of earlier answers, addresses that are indexed already, or \
          names of parts of the form.
          """, of: .string(), max: 1000)), .optional("url", .string("Where it opens.")),
      .optional("featured", .boolean("True if the shop suggests it.")),
    ]
  }

  static let productRow = Definition(
    "ProductRow",
    .object(
      """
      A product as in a row of a feed. `type` and `id` may be left out, since the path has them. Other fields are kept, and are public \
      only if the shop made them so.
      """, isOpen: true,
      [
        .optional("type", .constant("product", "What the entity is.")),
        .optional("id", .string("The shop's own id, unique among its products.", min: 1, max: 256)),
      ] + describingRowFields(subtitle: productSubtitle) + [
        .optional("group", .string("What its colors and sizes have in common.")),
        .optional("brand", .string("Who makes it.", max: 1000)),
        .optional("price", .reference(.price)),
        .optional("availability", availability),
      ]))

  static let storeRow = Definition(
    "StoreRow",
    .object(
      """
      A store as in a row of a feed. `type` and `id` may be left out, since the path has them. Other fields are kept, and are public \
      only if the shop made them so.
      """, isOpen: true,
      [
        .optional("type", .constant("store", "What the entity is.")),
        .optional("id", .string("The shop's own id, unique among its stores.", min: 1, max: 256)),
      ] + describingRowFields(subtitle: storeSubtitle) + [
        .optional("address", .string("Where it stands, in words.", max: 1000)),
        .optional("geo", .reference(.geoPoint)),
        .optional("openingHours", .array("When it is open, as in schema.org.", of: .string())),
        .optional("timeZone", .string("The IANA time zone of the opening hours.")),
        .optional("stock", .array("The ids of the products that it stocks.", of: .string())),
      ]
    ).with("dependentRequired", #"{"openingHours": ["timeZone"], "timeZone": ["openingHours"]}"#))

  static let entityRow = Definition(
    "EntityRow",
    .any(
      "A product or a store as in a row of a feed.",
      of: [.reference(.productRow), .reference(.storeRow)]))

  static let entityForm = Definition(
    "EntityForm",
    .form(
      """
      An entity with its images. Every other part than `entity` is an image in one of the formats in `pictureTypes` of `GET /v1/limits`, \
      and has the name that `images` of the entity has; without `images`, all parts are the images, in their order. A part that is named \
      by an http or https address is the image at that address, which becomes public. At most 16 parts.
      """,
      [
        .required("entity", .reference(.entityRow)),
        .optional("image", .file("An image. Parts of other names are further ones.")),
      ]))

  static let entityChange = Definition(
    "EntityChange",
    .object(
      "A change of one entity, which is durable, and which the next request sees.",
      [
        .required("generation", .reference(.generation)),
        .required("type", .reference(.entityType)),
        .required("id", .string("The shop's own id.", min: 1)),
        .required(
          "effect", .choice("What the change did.", among: ["added", "changed", "unchanged"])),
        .required(
          "images",
          .array(
            "The names of the images. An entity that is put again with a name keeps the image.",
            of: .string())),
        .optional(
          "warnings",
          .array(
            "What was kept but is probably a mistake, such as a field `lables`; absent if nothing is.",
            of: .string())),
      ]))
}
