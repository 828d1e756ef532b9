#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store.
public struct Store: Sendable, Hashable, EntityText {
  /// The shop's own id, unique among its stores.
  public var id: String
  /// The name that is displayed.
  public var title: String
  /// A second line.
  public var subtitle: String?
  /// Synonyms of the title.
  public var synonyms: [String] = []
  /// The texts in other languages, by BCP 47 tag.
  public var localized: [String: LocalizedText] = [:]
  /// The coarse labels, such as `outdoor shop`.
  public var labels: [String] = []
  /// The paths of its images, as the feed gives them.
  public var images: [String] = []
  /// The link that opens it.
  public var url: String?
  /// The postal address.
  public var address: String?
  /// The location.
  public var geo: GeoPoint?
  /// The opening hours, in its own time zone.
  public var openingHours: OpeningHours?
  /// The ids of the products that it stocks.
  public var stock: [String] = []
  /// A Boolean value that indicates whether the shop wants it to be suggested.
  public var isFeatured = false
  /// All other fields of the feed, unchanged, apart from the vectors of `embeddings`: a stored entity has their digest.
  public var extra: [String: JSONValue] = [:]

  /// Makes a store. ``Indexer/update(with:options:outcome:)-(Changes,_,_)`` checks its fields like
  /// those of a feed.
  public init(
    id: String, title: String, subtitle: String? = nil, synonyms: [String] = [],
    localized: [String: LocalizedText] = [:], labels: [String] = [], images: [String] = [],
    url: String? = nil, address: String? = nil, geo: GeoPoint? = nil,
    openingHours: OpeningHours? = nil, stock: [String] = [], isFeatured: Bool = false,
    extra: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.title = title
    self.subtitle = subtitle
    self.synonyms = synonyms
    self.localized = localized
    self.labels = labels
    self.images = images
    self.url = url
    self.address = address
    self.geo = geo
    self.openingHours = openingHours
    self.stock = stock
    self.isFeatured = isFeatured
    self.extra = extra
  }
}

/// A location in degrees of WGS 84.
public struct GeoPoint: Sendable, Hashable {
  /// The degrees north of the equator, `-90...90`.
  public let latitude: Double
  /// The degrees east of Greenwich, `-180...180`.
  public let longitude: Double

  /// Makes a location from degrees that are in range.
  ///
  /// - Precondition: `latitude` in `-90...90`, `longitude` in `-180...180`.
  public init(latitude: Double, longitude: Double) {
    precondition((-90...90).contains(latitude) && (-180...180).contains(longitude))
    self.latitude = latitude
    self.longitude = longitude
  }

  package init(checkingLatitude latitude: Double, longitude: Double) throws(FieldError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw FieldError(
        field: "geo",
        reason: "is \(latitude), \(longitude); expected -90...90 and -180...180 degrees")
    }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Returns the great-circle distance in meters on a sphere of the Earth's mean radius: within 0.6
  /// % of that on the ellipsoid. Source: R. W. Sinnott, "Virtues of the haversine", 1984.
  package func distanceMeters(to other: GeoPoint) -> Double {
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
    self.init(id: try fields.id(), title: try fields.requiredString("title"))
    try readSharedFields(&fields)
    address = try fields.optionalString("address")
    geo = try fields.optional { fields throws(FieldError) in try fields.geo() }
    openingHours = try fields.optional { fields throws(FieldError) in try fields.openingHours() }
    stock = try fields.optionalStrings("stock")
    isFeatured =
      try fields.optional { fields throws(FieldError) in try fields.bool("featured") } ?? false
    extra = fields.rest()
  }

  /// The JSON form of a feed.
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
  /// Encodes the JSON form of a feed.
  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
