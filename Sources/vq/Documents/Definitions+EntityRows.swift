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

  static let entityPatch = Definition(
    "EntityPatch",
    .object(
      """
      Fields of a product or a store to change, as in a row of a feed; those of the shop's own may also be in `extra`, as in answers. `null` \
      removes a field. `type` and `id` may be left out, and cannot be changed.
      """, isOpen: true,
      [
        .optional("type", .reference(.entityType)), .optional("id", .string(min: 1, max: 256)),
        .optional("extra", .object("Fields of the shop's own to change.", isOpen: true, [])),
      ]))

  static let entityImport = Definition(
    "EntityImport",
    .object(
      "The results of changes, which are durable, and which the next request sees.",
      [
        .required("generation", .reference(.generation)),
        .required(
          "succeeded",
          .integer("The number of lines whose change was made, or changed nothing.", min: 0)),
        .required("failed", .integer("The number of lines with a problem.", min: 0)),
        .required(
          "results",
          .array(
            "The result of each line that is not blank, in their order.",
            of: .reference(.entityImportResult), max: EntityImport.lineLimit)),
      ]))

  static let entityImportResult = Definition(
    "EntityImportResult",
    .object(
      "The result of one line.",
      [
        .required("line", .integer("The number of the line, from 1.", min: 1)),
        .required(
          "status",
          .integer("The status of the same change in a request of its own.", min: 200, max: 599)),
        .optional("type", .reference(.entityType)),
        .optional("id", .string("The shop's own id; absent if the line has none.", min: 1)),
        .optional(
          "effect",
          .choice(
            "What the change did; absent if it was not made.",
            among: ["added", "changed", "unchanged", "removed"])),
        .optional("images", .array("The names of the images of an entity.", of: .string())),
        .optional(
          "warnings", .array("What was kept but is probably a mistake.", of: .string(), min: 1)),
        .optional(
          "code", .string("The code of the problem; absent if the change was made.", min: 1)),
        .optional("detail", .string("The problem for people.", min: 1)),
        .optional("field", .string("The field that the problem is about.")),
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
