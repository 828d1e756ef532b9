/// A place where a shop sells.
public struct Store: Sendable, Hashable {
  /// The shop's own id, unique among its stores.
  public var id: String
  /// The name that people see.
  public var title: String
  /// A second line.
  public var subtitle: String?
  /// Coarse words for it.
  public var labels: [String] = []
  /// Paths of its pictures, as the catalogue gives them.
  public var images: [String] = []
  /// Where it opens.
  public var url: String?
  /// Where it stands, in words.
  public var address: String?
  /// Where it stands on the globe.
  public var geo: GeoPoint?
  /// Ids of the products that it stocks.
  public var stock: [String] = []
  /// All other fields of the catalogue, as they came.
  public var extra: [String: JSONValue] = [:]
}

/// A place on the globe, in degrees of WGS 84.
public struct GeoPoint: Sendable, Hashable {
  /// North of the equator, `-90...90`.
  public let latitude: Double
  /// East of Greenwich, `-180...180`.
  public let longitude: Double

  init(latitude: Double, longitude: Double) throws(FieldError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw FieldError(
        field: "geo",
        reason: "is \(latitude), \(longitude); -90...90 and -180...180 degrees are valid")
    }
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension Store {
  init(_ fields: inout EntityFields) throws(FieldError) {
    id = try fields.id()
    title = try fields.requiredString("title")
    subtitle = try fields.string("subtitle")
    labels = try fields.strings("labels")
    images = try fields.strings("images")
    url = try fields.url()
    address = try fields.string("address")
    geo = try fields.geo()
    stock = try fields.strings("stock")
    extra = fields.rest()
  }

  /// The catalogue's JSON form.
  var json: JSONValue {
    var object = sharedFields(
      .store, id: id, title: title, subtitle: subtitle, labels: labels, images: images, url: url,
      extra: extra)
    object["address"] = address.map(JSONValue.string)
    object["geo"] = geo.map {
      .object(["latitude": .number($0.latitude), "longitude": .number($0.longitude)])
    }
    if !stock.isEmpty { object["stock"] = .array(stock.map(JSONValue.string)) }
    return .object(object)
  }
}

extension Store: Encodable {
  /// Writes the catalogue's JSON form.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
