#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A place where a shop sells.
public struct Store: Sendable, Hashable, EntityText {
  /// The shop's own id, unique among its stores.
  public var id: String
  /// The name that people see.
  public var title: String
  /// A second line.
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
  /// Where it stands, in words.
  public var address: String?
  /// Where it stands on the globe.
  public var geo: GeoPoint?
  /// When it is open, in its own time zone.
  public var openingHours: OpeningHours?
  /// Ids of the products that it stocks.
  public var stock: [String] = []
  /// Whether the shop wants it suggested.
  public var isFeatured = false
  /// All other fields of the catalogue, as they came.
  public var extra: [String: JSONValue] = [:]
}

/// A place on the globe, in degrees of WGS 84.
public struct GeoPoint: Sendable, Hashable {
  /// North of the equator, `-90...90`.
  public let latitude: Double
  /// East of Greenwich, `-180...180`.
  public let longitude: Double

  /// Makes a place of degrees that are known to be in range.
  ///
  /// - Precondition: `latitude` in `-90...90`, `longitude` in `-180...180`.
  public init(latitude: Double, longitude: Double) {
    precondition((-90...90).contains(latitude) && (-180...180).contains(longitude))
    self.latitude = latitude
    self.longitude = longitude
  }

  init(checkingLatitude latitude: Double, longitude: Double) throws(FieldError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw FieldError(
        field: "geo",
        reason: "is \(latitude), \(longitude); -90...90 and -180...180 degrees are valid")
    }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Great-circle distance in meters on a sphere of the Earth's mean radius: within 0.6 % of that on
  /// the ellipsoid. Source: R. W. Sinnott, "Virtues of the haversine", 1984.
  public func distanceMeters(to other: GeoPoint) -> Double {
    let degree = Double.pi / 180
    func haversine(_ degrees: Double) -> Double {
      let half = sin(degrees * degree / 2)
      return half * half
    }
    let chord =
      haversine(other.latitude - latitude)
      + cos(latitude * degree) * cos(other.latitude * degree)
      * haversine(other.longitude - longitude)
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}

extension Store {
  init(_ fields: inout EntityFields) throws(FieldError) {
    id = try fields.id()
    title = try fields.requiredString("title")
    subtitle = try fields.string("subtitle")
    synonyms = try fields.strings("synonyms")
    localized = try fields.localized()
    labels = try fields.strings("labels")
    images = try fields.strings("images")
    url = try fields.url()
    address = try fields.string("address")
    geo = try fields.geo()
    openingHours = try fields.openingHours()
    stock = try fields.strings("stock")
    isFeatured = try fields.bool("featured")
    extra = fields.rest()
  }

  /// The catalogue's JSON form.
  var json: JSONValue {
    var object = sharedFields(.store, self, extra: extra)
    object["address"] = address.map(JSONValue.string)
    object["geo"] = geo.map {
      .object(["latitude": .number($0.latitude), "longitude": .number($0.longitude)])
    }
    if let openingHours {
      object["openingHours"] = .array(openingHours.lines.map(JSONValue.string))
      object["timeZone"] = .string(openingHours.timeZone)
    }
    if !stock.isEmpty { object["stock"] = .array(stock.map(JSONValue.string)) }
    return .object(object)
  }
}

extension Store: Encodable {
  /// Writes the catalogue's JSON form.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
