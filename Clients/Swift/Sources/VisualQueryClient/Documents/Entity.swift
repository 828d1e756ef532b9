public import Foundation

/// An entity as the service gives it: the part that anyone may see.
public struct Entity: Codable, Sendable, Hashable, Identifiable {
  /// The type.
  public let type: EntityType
  /// The shop's own id.
  public let id: String
  /// The link that opens it.
  public let url: URL?
  /// The texts and the image for a card, in the language of the question.
  public let display: Display
  /// The fields of a product; `nil` for a store.
  public let product: Product?
  /// The fields of a store; `nil` for a product.
  public let store: Store?

  /// Makes an entity.
  public init(
    _ id: EntityID, url: URL?, display: Display, product: Product? = nil, store: Store? = nil
  ) {
    (self.type, self.id) = (id.type, id.id)
    self.url = url
    self.display = display
    self.product = product
    self.store = store
  }

  /// The name of the entity.
  public var entityID: EntityID { EntityID(type, id) }

  /// The labels of the shop's catalogue.
  public var labels: [String] { product?.labels ?? store?.labels ?? [] }
  /// True if the shop wants it to be suggested.
  public var isFeatured: Bool { product?.featured ?? store?.featured ?? false }
}

/// An amount of money. The amount is a text, so that no digit changes.
public struct Price: Codable, Sendable, Hashable {
  /// A decimal number such as `14.90`.
  public let amount: String
  /// The three letters of ISO 4217.
  public let currency: String

  /// Makes a price.
  public init(amount: String, currency: String) {
    self.amount = amount
    self.currency = currency
  }

  /// The amount as a number, for sorting.
  public var value: Decimal? { Decimal(string: amount, locale: Locale(identifier: "en_US_POSIX")) }
}

/// The availability of a product. Later services may have further values.
public struct Availability: RawRepresentable, Codable, Sendable, Hashable {
  /// The name in documents.
  public let rawValue: String

  /// Makes a value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// In stock.
  public static let inStock = Availability(rawValue: "inStock")
  /// Temporarily out of stock.
  public static let outOfStock = Availability(rawValue: "outOfStock")
  /// Not released yet; it can be ordered.
  public static let preOrder = Availability(rawValue: "preOrder")
  /// Out of stock; it can be ordered.
  public static let backOrder = Availability(rawValue: "backOrder")
  /// No longer sold.
  public static let discontinued = Availability(rawValue: "discontinued")
}

/// The texts of an entity in one language.
public struct LocalizedText: Codable, Sendable, Hashable {
  /// The title, if it differs from that of the shop's own language.
  public let title: String?
  /// The second line.
  public let subtitle: String?
  /// Other names.
  public let synonyms: [String]?
}

/// The public fields of a product.
public struct Product: Codable, Sendable, Hashable {
  /// The shop's own id.
  public let id: String
  /// The title in the shop's own language.
  public let title: String
  /// The second line in the shop's own language.
  public let subtitle: String?
  /// Other names.
  public let synonyms: [String]?
  /// The texts in other languages, by tag.
  public let localized: [String: LocalizedText]?
  /// The coarse labels.
  public let labels: [String]?
  /// The images.
  public let images: [String]?
  /// The link of its own.
  public let url: String?
  /// True if the shop wants it to be suggested.
  public let featured: Bool?
  /// The id that its variants share.
  public let group: String?
  /// The properties that tell variants apart, such as `color`.
  public let attributes: [String: String]?
  /// The brand; `nil` if the shop gives none.
  public let brand: String?
  /// The price; `nil` if the shop gives none.
  public let price: Price?
  /// The availability; `nil` if the shop does not tell.
  public let availability: Availability?
  /// The fields of the shop's own that it made public.
  public let extra: [String: JSONValue]?
}

/// A location in degrees of WGS 84.
public struct GeoPoint: Codable, Sendable, Hashable {
  /// The degrees north of the equator.
  public let latitude: Double
  /// The degrees east of Greenwich.
  public let longitude: Double

  /// Makes a location.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The public fields of a store.
public struct Store: Codable, Sendable, Hashable {
  /// The shop's own id.
  public let id: String
  /// The title in the shop's own language.
  public let title: String
  /// The second line in the shop's own language.
  public let subtitle: String?
  /// Other names.
  public let synonyms: [String]?
  /// The texts in other languages, by tag.
  public let localized: [String: LocalizedText]?
  /// The coarse labels.
  public let labels: [String]?
  /// The images.
  public let images: [String]?
  /// The link of its own.
  public let url: String?
  /// True if the shop wants it to be suggested.
  public let featured: Bool?
  /// The postal address.
  public let address: String?
  /// The location.
  public let geo: GeoPoint?
  /// The opening hours, such as `Mo-Fr 09:00-18:00`.
  public let openingHours: [String]?
  /// The time zone of the hours.
  public let timeZone: String?
  /// The fields of the shop's own that it made public.
  public let extra: [String: JSONValue]?
}
