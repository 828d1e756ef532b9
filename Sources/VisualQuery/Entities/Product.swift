/// Something that a shop sells: the few fields that the outside needs.
public struct Product: Sendable, Hashable, EntityText {
  /// The shop's own id, unique among its products.
  public var id: String
  /// The name that people see.
  public var title: String
  /// A second line, such as size and color.
  public var subtitle: String?
  /// Other names that people use for it.
  public var synonyms: [String] = []
  /// Its texts in other languages, by BCP 47 tag.
  public var localized: [String: LocalizedText] = [:]
  /// Coarse words for it.
  public var labels: [String] = []
  /// Paths of its pictures, as the catalogue gives them.
  public var images: [String] = []
  /// Where it opens.
  public var url: String?
  /// What its colorways and sizes have in common.
  public var group: String?
  /// Who makes it.
  public var brand: String?
  /// What it costs.
  public var price: Price?
  /// Whether it can be had.
  public var availability: Availability?
  /// Whether the shop wants it suggested.
  public var isFeatured = false
  /// All other fields of the catalogue, as they came.
  public var extra: [String: JSONValue] = [:]
}

/// An amount of money; the amount is kept as text, so that no digit changes.
public struct Price: Sendable, Hashable {
  /// A decimal number such as `14.90`.
  public let amount: String
  /// Three capital letters of ISO 4217.
  public let currency: String

  /// Makes a price from its parts.
  init(amount: String, currency: String) throws(FieldError) {
    let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
      parts.count <= 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
    guard isDecimal, amount.utf8.count <= 20 else {
      throw FieldError(
        field: "price", reason: "has the amount '\(amount)'; a decimal such as 14.90 is valid")
    }
    guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw FieldError(
        field: "price",
        reason: "has the currency '\(currency)'; three letters such as EUR are valid")
    }
    self.amount = amount
    self.currency = currency
  }
}

/// Whether a product can be had.
public enum Availability: String, Sendable, Hashable, CaseIterable {
  /// It is there.
  case inStock
  /// It is gone for now.
  case outOfStock
  /// It will come, and can be ordered.
  case preOrder
  /// It is gone, and can be ordered.
  case backOrder
  /// It is gone for good.
  case discontinued
}

extension Product {
  init(_ fields: inout EntityFields) throws(FieldError) {
    id = try fields.id()
    title = try fields.requiredString("title")
    subtitle = try fields.string("subtitle")
    synonyms = try fields.strings("synonyms")
    localized = try fields.localized()
    labels = try fields.strings("labels")
    images = try fields.strings("images")
    url = try fields.url()
    group = try fields.string("group")
    brand = try fields.string("brand")
    price = try fields.price()
    availability = try fields.availability()
    isFeatured = try fields.bool("featured")
    extra = fields.rest()
  }

  /// The catalogue's JSON form.
  var json: JSONValue {
    var object = sharedFields(.product, self, extra: extra)
    object["group"] = group.map(JSONValue.string)
    object["brand"] = brand.map(JSONValue.string)
    object["price"] = price.map {
      .object(["amount": .string($0.amount), "currency": .string($0.currency)])
    }
    object["availability"] = availability.map { .string($0.rawValue) }
    return .object(object)
  }
}

extension Product: Encodable {
  /// Writes the catalogue's JSON form.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
