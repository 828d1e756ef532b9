import VisualQuery

/// A tool that an agent may call (Model Context Protocol, server/tools). Each is a path of the API under another name.
enum AgentTool: String, CaseIterable, Sendable {
  case match, search, get, stores, similar

  /// The sentence by which a model chooses it.
  var purpose: String {
    switch self {
    case .match:
      "Find what of this shop is in an image (a photo or a screenshot): its products and stores, each with a link. "
        + "'sure' holds what the image shows; 'maybe' holds guesses, of which at most one is right; 'otherColor' the same thing in another color."
    case .search: "Find products and stores of this shop by words."
    case .get: "Read products and stores of this shop by their ids, such as product:oats."
    case .stores: "List the stores of this shop with their addresses and opening hours."
    case .similar: "Find products of this shop whose images are like those of one of its products."
    }
  }

  /// The JSON Schema of its arguments. What a question may say is declared in the schema of `/v1/match`.
  var inputSchema: JSONValue {
    let (properties, required): ([String: JSONValue], [String]) =
      switch self {
      case .match:
        (
          Self.questionProperties.merging(["image": Self.imageProperty]) { first, _ in first }, []
        )
      case .search:
        (
          [
            "words": Self.text("The words, such as 'enamel mug'."),
            "type": .object([
              "type": .string("string"), "enum": .array([.string("product"), .string("store")]),
            ]), "limit": Self.limit,
          ], ["words"]
        )
      case .get:
        (
          [
            "ids": .object([
              "type": .string("array"), "items": Self.text("A type and an id: product:oats"),
              "minItems": .integer(1), "maxItems": .integer(Int64(EntityLookup.maximumLimit)),
            ])
          ], ["ids"]
        )
      case .stores: (["limit": Self.limit], [])
      case .similar:
        (["id": Self.text("A product: product:oats"), "limit": Self.limit], ["id"])
      }
    return .object([
      "type": .string("object"), "properties": .object(properties),
      "required": .array(required.map(JSONValue.string)), "additionalProperties": .bool(false),
    ])
  }

  /// The tool as `tools/list` has it.
  var json: JSONValue {
    .object([
      "name": .string(rawValue),
      "description": .string(purpose), "inputSchema": inputSchema,
      "annotations": .object(["readOnlyHint": .bool(true), "openWorldHint": .bool(false)]),
    ])
  }

  // MARK: Schemas

  /// The fields of a question that a model may fill in.
  static let questionFields = ["labels", "text", "where", "limit", "locale"]

  /// Their schemas, from the document of the API.
  private static let questionProperties: [String: JSONValue] = {
    var part = try? JSONValue(json: ProgramData.openAPI, limits: .document)
    for name in ["components", "schemas", "MatchDetails", "properties"] {
      guard case .object(let fields)? = part else { return [:] }
      part = fields[name]
    }
    guard case .object(let properties)? = part else { return [:] }
    return properties.filter { questionFields.contains($0.key) }
  }()

  private static let imageProperty = text(
    "The image: a JPEG, PNG or WebP file in Base64, as it is or as a data: URL. Addresses are not fetched."
  )

  private static let limit: JSONValue = .object([
    "type": .string("integer"), "minimum": .integer(1), "maximum": .integer(50),
  ])

  private static func text(_ description: String) -> JSONValue {
    .object(["type": .string("string"), "description": .string(description)])
  }
}
