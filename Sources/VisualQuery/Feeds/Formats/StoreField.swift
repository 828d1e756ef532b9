/// A field of a store.
enum StoreField: String, CaseIterable {
  case id, title, address, street
  case number = "house number"
  case more, city, region
  case postalCode = "postal code"
  case country, latitude, longitude, coordinates, phone, url, image, images, logo, labels
  case timeZone = "time zone"
  case hours

  /// The field of the entity that it becomes, or `nil` if it is kept.
  var target: String? {
    switch self {
    case .id, .title, .url, .images, .labels, .timeZone: self == .timeZone ? "timeZone" : rawValue
    case .image, .logo: "images"
    case .address, .street, .number, .more, .city, .region, .postalCode, .country: "address"
    case .latitude, .longitude, .coordinates: "geo"
    case .hours: "openingHours"
    case .phone: nil
    }
  }

  private static let places: [String: (field: StoreField, rank: Int)] = {
    var places: [String: (field: StoreField, rank: Int)] = [:]
    for field in allCases {
      for (rank, name) in FeedData.storeWords(field.rawValue).enumerated()
      where places[name] == nil {
        places[name] = (field, rank)
      }
    }
    return places
  }()

  private static let common = Set(FeedData.storeWords("common"))

  /// Returns the field of a path with the place of its name in the list, or `nil` if it is none of a store.
  static func known(_ path: [String]) -> (field: StoreField, rank: Int)? {
    guard let last = path.last.map({ FeedData.plain($0) }) else { return nil }
    if path.count == 1 { return places[last] }
    if let own = places[FeedData.plain(path.suffix(2).joined())] { return own }
    let parent = FeedData.plain(path[path.count - 2])
    // `address.region` is one, and `address.unit`.
    let isAddress = parent.contains("address") || parent.contains("location")
    let isOfAddress = ["unit", "region", "land", "cap", "via", "address"].contains(last)
    if common.contains(last), !(isAddress && isOfAddress) { return nil }
    return places[last]
  }

  /// Returns whether the value of a field is read as a whole, whatever is in it.
  static func isWhole(_ path: [String]) -> Bool {
    switch known(path)?.field {
    case .hours?, .image?, .images?, .logo?, .url?: true
    default: false
    }
  }
}
