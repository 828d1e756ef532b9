/// A product or a store.
///
/// The counterpart of an App Intents union value.
public enum EntityValue: Sendable, Hashable {
  /// A product.
  case product(Product)
  /// A store.
  case store(Store)

  /// The id, with its type.
  public var id: EntityID {
    switch self {
    case .product(let product): EntityID(type: .product, value: product.id)
    case .store(let store): EntityID(type: .store, value: store.id)
    }
  }

  /// The coarse labels, such as `mug`.
  package var labels: [String] {
    switch self {
    case .product(let product): product.labels
    case .store(let store): store.labels
    }
  }

  /// The link that opens it.
  package var url: String? {
    switch self {
    case .product(let product): product.url
    case .store(let store): store.url
    }
  }

  /// The name of the field with the link of its page if ``url`` leads into the app. It is one of the shop's own.
  package static let pageField = "webURL"

  /// The links that open it, ``url`` first.
  package var links: [String] {
    var links = [url].compactMap(\.self)
    if case .string(let page)? = extra[Self.pageField] { links.append(page) }
    return links
  }

  /// The name of the field with the places at which a product is in stock, as the shop calls them. It is one of the shop's own.
  package static let stockedAtField = "stockedAt"

  /// The largest number of images of an entity.
  package static let imageLimit = 64

  /// Returns the index of the image that a stored signature is of. The signatures of the squares of a long image have positions from
  /// ``imageLimit`` on.
  package static func imageIndex(ofPosition position: Int) -> Int { position % imageLimit }

  /// Returns the position of the signature of a square of a long image.
  ///
  /// - Parameter number: The number of the square, from 1.
  package static func position(ofSquare number: Int, ofImage index: Int) -> Int {
    number * imageLimit + index
  }

  /// The paths of its images, as the feed gives them.
  public var imagePaths: [String] {
    switch self {
    case .product(let product): product.images
    case .store(let store): store.images
    }
  }

  /// The name of the field with ``longDescription``, which is one of the shop's own.
  package static let descriptionField = "description"

  /// The name of the field with ``printedText``, which is one of the shop's own.
  package static let textField = "text"

  /// The lines of text on the thing, as the feed has them.
  package var printedText: [String] { Self.lines(extra[Self.textField]) }

  /// Returns the lines of a value of ``textField``: a text, or a list of texts.
  package static func lines(_ json: JSONValue?) -> [String] {
    switch json {
    case .string(let text)?: [text]
    case .array(let values)?:
      values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    default: []
    }
  }

  /// The description, as text of any length, or `nil` if there is none.
  package var longDescription: String? {
    if case .string(let text)? = extra[Self.descriptionField] { return text }
    return nil
  }

  /// The fields of the feed that have none of their own here, among them ``descriptionField`` and the embeddings.
  package var extra: [String: JSONValue] {
    switch self {
    case .product(let product): product.extra
    case .store(let store): store.extra
    }
  }

  /// Returns the entity with another value of one of those fields, or without it.
  func with(extra name: String, _ field: JSONValue?) -> EntityValue {
    switch self {
    case .product(var product):
      product.extra[name] = field
      return .product(product)
    case .store(var store):
      store.extra[name] = field
      return .store(store)
    }
  }

  /// Returns the entity with other images.
  package func with(imagePaths: [String]) -> EntityValue {
    switch self {
    case .product(var product):
      product.images = imagePaths
      return .product(product)
    case .store(var store):
      store.images = imagePaths
      return .store(store)
    }
  }
}

extension EntityValue {
  /// Decodes the JSON form of a feed: an object with `type`, `id`, `title` and further fields.
  ///
  /// - Throws: ``FieldError`` that names the first invalid field.
  package init(json: JSONValue) throws(FieldError) {
    var fields = try EntityFields(json)
    try self.init(&fields)
  }

  /// Takes an entity from its fields.
  package init(_ fields: inout EntityFields) throws(FieldError) {
    switch try fields.type() {
    case .product: self = .product(try Product(&fields))
    case .store: self = .store(try Store(&fields))
    }
  }

  /// The JSON form of a feed.
  package var json: JSONValue {
    switch self {
    case .product(let product): product.json
    case .store(let store): store.json
    }
  }
}

extension EntityText {
  /// Reads the optional fields that products and stores share.
  mutating func readSharedFields(_ fields: inout EntityFields) throws(FieldError) {
    subtitle = try fields.optionalString("subtitle")
    synonyms = try fields.optionalStrings("synonyms")
    localized = try fields.optional { fields throws(FieldError) in try fields.localized() } ?? [:]
    labels = try fields.optionalStrings("labels")
    images = try fields.optionalStrings("images")
    url = try fields.optional { fields throws(FieldError) in try fields.url() }
  }
}

/// Returns the fields that products and stores have in common.
func sharedFields(
  _ type: EntityType, _ entity: some EntityText, extra: [String: JSONValue]
) -> [String: JSONValue] {
  func list(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
  }
  var object: [String: JSONValue] = [
    "type": .string(type.rawValue), "id": .string(entity.id), "title": .string(entity.title),
  ]
  object["subtitle"] = entity.subtitle.map(JSONValue.string)
  object["synonyms"] = list(entity.synonyms)
  if !entity.localized.isEmpty {
    object["localized"] = .object(
      entity.localized.mapValues { text in
        var fields: [String: JSONValue] = [:]
        fields["title"] = text.title.map(JSONValue.string)
        fields["subtitle"] = text.subtitle.map(JSONValue.string)
        fields["synonyms"] = list(text.synonyms)
        return .object(fields)
      })
  }
  object["labels"] = list(entity.labels)
  object["images"] = list(entity.images)
  object["url"] = entity.url.map(JSONValue.string)
  if entity.isFeatured { object["featured"] = .bool(true) }
  if !extra.isEmpty { object["extra"] = .object(extra) }
  return object
}

extension EntityValue {
  /// The group of a product, or `nil` for a store.
  package var productGroup: String? {
    if case .product(let product) = self { product.group } else { nil }
  }
}
