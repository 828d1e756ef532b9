/// A product or a store.
///
/// The counterpart of an App Intents union value.
public enum EntityValue: Sendable, Hashable {
  /// Something that is sold.
  case product(Product)
  /// A place where it is sold.
  case store(Store)

  /// What names it.
  public var id: EntityID {
    switch self {
    case .product(let product): EntityID(type: .product, value: product.id)
    case .store(let store): EntityID(type: .store, value: store.id)
    }
  }

  /// Coarse words for it.
  public var labels: [String] {
    switch self {
    case .product(let product): product.labels
    case .store(let store): store.labels
    }
  }

  /// Where it opens.
  public var url: String? {
    switch self {
    case .product(let product): product.url
    case .store(let store): store.url
    }
  }

  /// Paths of its pictures, as the catalogue gives them.
  public var imagePaths: [String] {
    switch self {
    case .product(let product): product.images
    case .store(let store): store.images
    }
  }

  /// How it is shown.
  public var displayRepresentation: DisplayRepresentation {
    switch self {
    case .product(let product):
      DisplayRepresentation(
        title: product.title, subtitle: product.subtitle, image: product.images.first)
    case .store(let store):
      DisplayRepresentation(title: store.title, subtitle: store.subtitle, image: store.images.first)
    }
  }
}

/// How an entity is shown: what fits a card.
public struct DisplayRepresentation: Sendable, Hashable, Encodable {
  /// The first line.
  public let title: String
  /// The second line.
  public let subtitle: String?
  /// The path of a picture, as the catalogue gives it.
  public let image: String?
}

extension EntityValue {
  /// Reads the catalogue's JSON form.
  init(json: JSONValue) throws(FieldError) {
    var fields = try EntityFields(json)
    switch try fields.type() {
    case .product: self = .product(try Product(&fields))
    case .store: self = .store(try Store(&fields))
    }
  }

  /// The catalogue's JSON form.
  var json: JSONValue {
    switch self {
    case .product(let product): product.json
    case .store(let store): store.json
    }
  }
}

/// The fields that both kinds of entity have.
func sharedFields(
  _ type: EntityType, id: String, title: String, subtitle: String?, labels: [String],
  images: [String], url: String?, extra: [String: JSONValue]
) -> [String: JSONValue] {
  var object: [String: JSONValue] = [
    "type": .string(type.rawValue), "id": .string(id), "title": .string(title),
  ]
  object["subtitle"] = subtitle.map(JSONValue.string)
  if !labels.isEmpty { object["labels"] = .array(labels.map(JSONValue.string)) }
  if !images.isEmpty { object["images"] = .array(images.map(JSONValue.string)) }
  object["url"] = url.map(JSONValue.string)
  if !extra.isEmpty { object["extra"] = .object(extra) }
  return object
}
