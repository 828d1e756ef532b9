/// The part of an entity that a field of a feed becomes.
enum FeedTarget: Hashable, Sendable {
  case type, id, title
  /// A title that counts if there is no other, such as one in another language.
  case otherTitle
  /// An id that counts if the one for ids is empty, such as a number beside a SKU.
  case otherID
  case subtitle, synonyms, labels, brand, group, url
  /// The main image, the further ones, and a small copy that counts if there is no other.
  case image, images, thumbnail
  /// A price, with or without its currency; a price in a currency that the name of the column says;
  /// a reduced price.
  case price, salePrice
  case pricedIn(String)
  case amount, currency
  case availability, quantity
  case description
  /// Text on the thing. All lines are used.
  case text
  /// A property that distinguishes variants, such as `color`.
  case attribute(String)
  /// Several properties with their names, such as `Color: Red`.
  case attributes
  /// The state of publication: a product may be a draft, or not published.
  case visibility
  /// A field that says yes for a product that is not in the shop, such as `Archived`.
  case hidden
  case featured, address, latitude, longitude, openingHours, timeZone, stock

  /// The name, as mappings are reported and given.
  var name: String {
    switch self {
    case .type: "type"
    case .id, .otherID: "id"
    case .title, .otherTitle: "title"
    case .subtitle: "subtitle"
    case .synonyms: "synonyms"
    case .labels: "labels"
    case .brand: "brand"
    case .group: "group"
    case .url: "url"
    case .image, .images, .thumbnail: "images"
    case .price, .pricedIn, .salePrice: "price"
    case .amount: "price.amount"
    case .currency: "price.currency"
    case .availability, .quantity: "availability"
    case .description: "description"
    case .text: EntityValue.textField
    case .attribute(let name): "attributes.\(name)"
    case .attributes: "attributes"
    case .visibility, .hidden: "visibility"
    case .featured: "featured"
    case .address: "address"
    case .latitude: "geo.latitude"
    case .longitude: "geo.longitude"
    case .openingHours: "openingHours"
    case .timeZone: "timeZone"
    case .stock: "stock"
    }
  }

  /// The targets that a caller may name.
  static let named: [String: FeedTarget] = [
    "type": .type, "id": .id, "title": .title, "subtitle": .subtitle, "synonyms": .synonyms,
    "labels": .labels, "brand": .brand, "group": .group, "url": .url, "image": .image,
    "images": .images, "price": .price, "salePrice": .salePrice, "price.amount": .amount,
    "price.currency": .currency, "currency": .currency, "availability": .availability,
    "quantity": .quantity, "description": .description, "text": .text, "color": .attribute("color"),
    "size": .attribute("size"), "material": .attribute("material"),
    "visibility": .visibility, "featured": .featured,
    "address": .address, "geo.latitude": .latitude, "geo.longitude": .longitude,
    "openingHours": .openingHours, "timeZone": .timeZone, "stock": .stock,
  ]
}
