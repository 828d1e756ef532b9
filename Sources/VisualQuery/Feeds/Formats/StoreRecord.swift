/// A store of a locator, a directory or a map: a row of Google Business Profile, an entity of Yext, a feature of GeoJSON, an element of
/// OpenStreetMap, or an object or a row of a shop's own.
struct StoreRecord {
  /// The entity, before its texts are interpreted.
  private(set) var draft = ProductDraft()
  /// The texts of the fields, with the names that the feed has for them.
  private var texts: [StoreField: [(rank: Int, text: String, name: String)]] = [:]
  private var hours = StoreHours()
  /// The fields with opening hours, by their names.
  private var hourFields: [(name: String, value: JSONValue)] = []
  /// The beginnings and ends of the days, in fields of their own.
  private var dayEnds: [Int: (start: String?, end: String?)] = [:]

  /// Reads an object.
  init(_ json: JSONValue) {
    draft.type = .store
    guard case .object(let fields) = json else { return }
    for (path, value) in Self.flattened(fields) { add(path, value) }
    finish()
  }

  /// Reads a row.
  init(_ fields: [(name: String, text: String)]) {
    draft.type = .store
    for (name, text) in fields where !text.isEmpty { add(Self.path(of: name), .string(text)) }
    finish()
  }

  private mutating func add(_ path: [String], _ value: JSONValue) {
    if let (day, isStart) = Self.hourDay(path) {
      hourFields.append((path[0], value))
      switch isStart {
      case nil: hours.add(value, day: day)
      case true?: dayEnds[day, default: (nil, nil)].start = JSONFields.texts(in: value).first
      case false?: dayEnds[day, default: (nil, nil)].end = JSONFields.texts(in: value).first
      }
      return
    }
    guard let (field, rank) = StoreField.known(path) else {
      return draft.keep(path.joined(separator: "."), value)
    }
    let name = path.joined(separator: ".")
    switch field {
    case .hours:
      hourFields.append((name, value))
      hours.add(value)
    case .image, .images, .logo:
      for image in JSONFields.addresses(in: value).flatMap(ImageList.names) {
        texts[field, default: []].append((rank, image, name))
      }
    case .url:
      for text in JSONFields.addresses(in: value).prefix(1) {
        texts[field, default: []].append((rank, text, name))
      }
    case .street:
      let text = JSONFields.texts(in: value).filter { !$0.trimmed.isEmpty }.joined(separator: ", ")
      texts[field, default: []].append((rank, text, name))
    default:
      for text in JSONFields.texts(in: value) where FeedText.isValue(text) {
        texts[field, default: []].append((rank, text.trimmed, name))
      }
    }
    if field == .phone || field == .country || field == .region || field == .city {
      draft.keep(field == .phone ? "phone" : path.joined(separator: "."), value)
    }
  }

  /// Returns the surest text of a field.
  private func text(_ field: StoreField) -> String? {
    texts[field]?.filter { !$0.text.isEmpty }.min { $0.rank < $1.rank }?.text
  }

  private mutating func finish() {
    let id = text(.id)
    draft.id = id ?? ""
    draft.title = title(besides: id) ?? ""
    draft.url = text(.url)
    var names = (texts[.image] ?? []).sorted { $0.rank < $1.rank }.map(\.text)
    names += (texts[.images] ?? []).map(\.text)
    if names.isEmpty { names = (texts[.logo] ?? []).map(\.text) }
    draft.addImages(names)
    for label in texts[.labels] ?? [] { draft.addLabels(FeedText.words(label.text)) }
    if let address { draft.add(.address, "address", address) }
    addPlace()
    addHours()
    keepOthers()
  }

  /// Keeps the texts of fields of which only one counts, so that none is lost, such as a second link or the code beside an id.
  private mutating func keepOthers() {
    let used: [(StoreField, String?)] = [
      (.id, text(.id)), (.title, title(besides: text(.id))), (.url, text(.url)),
      (.timeZone, text(.timeZone).flatMap { $0.contains("/") ? $0 : nil }),
      (.coordinates, coordinates == nil ? nil : text(.coordinates)),
    ]
    for (field, text) in used {
      for other in texts[field] ?? [] where other.text != text && !other.text.isEmpty {
        draft.keep(Self.kept(other.name), .string(other.text))
      }
    }
    let hasImages = texts[.image] != nil || texts[.images] != nil
    for logo in texts[.logo] ?? [] where hasImages { draft.keep(logo.name, .string(logo.text)) }
  }

  /// Returns the name. `locations/123` of Google's interface is an id.
  private func title(besides id: String?) -> String? {
    let names = (texts[.title] ?? []).sorted { $0.rank < $1.rank }.map(\.text)
    return names.first { !$0.isEmpty && !$0.hasPrefix("locations/") }
  }

  private mutating func addPlace() {
    if let north = text(.latitude), let east = text(.longitude) {
      draft.add(.latitude, "latitude", north.replacing(",", with: "."))
      draft.add(.longitude, "longitude", east.replacing(",", with: "."))
    } else if let (north, east) = coordinates {
      draft.add(.latitude, "latitude", north)
      draft.add(.longitude, "longitude", east)
    }
  }

  /// The coordinates in a text such as `53.54, 9.98`, of which the latitude stands first.
  private var coordinates: (String, String)? {
    let parts = texts[.coordinates].map { $0.map(\.text).joined(separator: " ") }?
      .split { ", ;".contains($0) }.map(String.init)
    guard let parts, parts.count == 2, Double(parts[0]) != nil, Double(parts[1]) != nil else {
      return nil
    }
    return (parts[0], parts[1])
  }

  /// The address: as a whole, or made of its parts.
  private var address: String? {
    let whole = text(.address)
    var street = text(.street) ?? whole
    if let own = street, let number = text(.number), !own.contains(number) {
      street = "\(own) \(number)"
    }
    let city = text(.city)
    // An address that has its city in it is whole.
    if let whole, let city, whole.lowercased().contains(city.lowercased()) { return whole }
    let (region, code, country) = (text(.region), text(.postalCode), text(.country))
    let isAmerican =
      ["US", "CA", "AU"].contains(PlaceZone.country(country) ?? "") || country == nil && isInAmerica
    let place: [String?] =
      isAmerican
      ? [city, [region, code].compactMap(\.self).joined(separator: " ")]
      : [[code, city].compactMap(\.self).joined(separator: " ")]
    let parts: [String?] = [street, text(.more)] + place + [country]
    let shown = parts.compactMap(\.self).filter { !$0.isEmpty }
    return shown.isEmpty ? nil : shown.joined(separator: ", ")
  }

  private var isInAmerica: Bool {
    text(.longitude).flatMap(Double.init).map { (-170)...(-52) ~= $0 } ?? false
  }

  private mutating func addHours() {
    for (day, ends) in dayEnds {
      guard let start = ends.start, let end = ends.end else { continue }
      hours.add("\(start)-\(end)", day: day)
    }
    if hourFields.isEmpty { return }
    let lines = hours.lines
    let zone = text(.timeZone).flatMap { $0.contains("/") ? $0 : nil }
    let ownZone =
      zone
      ?? PlaceZone.zone(
        country: text(.country), state: text(.region),
        north: (text(.latitude) ?? coordinates?.0).flatMap(Double.init),
        east: (text(.longitude) ?? coordinates?.1).flatMap(Double.init))
    if lines.isEmpty || ownZone == nil || !hours.isWhole {
      for (name, value) in hourFields { draft.keep(Self.kept(name), value) }
    }
    if !lines.isEmpty, let ownZone {
      draft.keep("openingHours", .array(lines.map(JSONValue.string)))
      draft.keep("timeZone", .string(ownZone))
    } else if lines.isEmpty, !hours.saysDays {
      draft.warn("openingHours", "cannot be read; expected for example Mo-Fr 09:00-18:00")
    } else if !lines.isEmpty {
      draft.warn(
        "openingHours", "have no time zone, and no place tells one; they are kept unchanged")
    }
  }

  /// Returns a name that is not that of the native field.
  private static func kept(_ name: String) -> String {
    EntityProperty.storedExtra(name) == nil ? name + "Text" : name
  }
}
