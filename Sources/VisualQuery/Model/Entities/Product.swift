/// A product, with the few fields that other types require.
public struct Product: Sendable, Hashable, EntityText {
  /// The shop's own id, unique among its products.
  public var id: String
  /// The name that is displayed.
  public var title: String
  /// A second line, such as size and color.
  public var subtitle: String?
  /// Synonyms of the title.
  public var synonyms: [String] = []
  /// The texts in other languages, by BCP 47 tag.
  public var localized: [String: LocalizedText] = [:]
  /// The coarse labels, such as `mug`.
  public var labels: [String] = []
  /// The paths of its images, as the feed gives them.
  public var images: [String] = []
  /// The link that opens it.
  public var url: String?
  /// The id that its variants, such as colors and sizes, share.
  public var group: String?
  /// The properties that distinguish the variants of a group, such as `color` and `size`.
  public var attributes: [String: String] = [:]
  /// The brand.
  public var brand: String?
  /// The price.
  public var price: Price?
  /// The availability.
  public var availability: Availability?
  /// A Boolean value that indicates whether the shop wants it to be suggested.
  public var isFeatured = false
  /// All other fields of the feed, unchanged, apart from the vectors of `embeddings`: a stored entity has their digest.
  public var extra: [String: JSONValue] = [:]

  /// Makes a product. ``Indexer/update(with:options:outcome:)-(Changes,_,_)`` checks its fields
  /// like those of a feed.
  public init(
    id: String, title: String, subtitle: String? = nil, synonyms: [String] = [],
    localized: [String: LocalizedText] = [:], labels: [String] = [], images: [String] = [],
    url: String? = nil, group: String? = nil, brand: String? = nil, price: Price? = nil,
    availability: Availability? = nil, isFeatured: Bool = false, extra: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.title = title
    self.subtitle = subtitle
    self.synonyms = synonyms
    self.localized = localized
    self.labels = labels
    self.images = images
    self.url = url
    self.group = group
    self.brand = brand
    self.price = price
    self.availability = availability
    self.isFeatured = isFeatured
    self.extra = extra
  }
}

/// An amount of money. The amount is kept as text, so that no digit changes.
public struct Price: Sendable, Hashable {
  /// A decimal number such as `14.90`.
  public let amount: String
  /// The three capital letters of ISO 4217.
  public let currency: String

  /// Makes a price from its parts.
  ///
  /// - Throws: ``FieldError`` if the amount is not a decimal number of at most 20 characters, or
  ///   the currency is not three capital letters.
  public init(amount: String, currency: String) throws(FieldError) {
    let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
      parts.count <= 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
    guard isDecimal, amount.utf8.count <= 20 else {
      throw FieldError(
        field: "price",
        reason: "has the invalid amount '\(amount.prefix(40))'; expected for example 14.90")
    }
    guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw FieldError(
        field: "price",
        reason: "has the invalid currency '\(currency)'; expected three letters such as EUR")
    }
    self.amount = amount
    self.currency = currency
  }
}

/// The availability of a product.
public enum Availability: String, Sendable, Hashable, CaseIterable {
  /// In stock.
  case inStock
  /// Temporarily out of stock.
  case outOfStock
  /// Not released yet; it can be ordered.
  case preOrder
  /// Out of stock; it can be ordered.
  case backOrder
  /// No longer sold.
  case discontinued
}

extension Product {
  /// The number of groups, or of products without a group, from which on an image or a part of one that they have in common tells none of
  /// them: neither a search nor a person knows which is meant.
  package static let manyGroups = 5

  init(_ fields: inout EntityFields) throws(FieldError) {
    self.init(id: try fields.id(), title: try fields.requiredString("title"))
    try readSharedFields(&fields)
    group = try fields.optionalString("group")
    attributes =
      try fields.optional { fields throws(FieldError) in try fields.attributes() } ?? [:]
    brand = try fields.optionalString("brand")
    price = try fields.optional { fields throws(FieldError) in try fields.price() }
    availability = try fields.optional { fields throws(FieldError) in try fields.availability() }
    isFeatured =
      try fields.optional { fields throws(FieldError) in try fields.bool("featured") } ?? false
    extra = fields.rest()
  }

  /// The JSON form of a feed.
  var json: JSONValue {
    var object = sharedFields(.product, self, extra: extra)
    object["group"] = group.map(JSONValue.string)
    if !attributes.isEmpty {
      object["attributes"] = .object(attributes.mapValues(JSONValue.string))
    }
    object["brand"] = brand.map(JSONValue.string)
    object["price"] = price.map {
      .object(["amount": .string($0.amount), "currency": .string($0.currency)])
    }
    object["availability"] = availability.map { .string($0.rawValue) }
    return .object(object)
  }
}

extension Product: Encodable {
  /// Encodes the JSON form of a feed.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
