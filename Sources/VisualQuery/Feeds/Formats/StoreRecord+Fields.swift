extension StoreRecord {
  // MARK: Recognition

  /// Returns whether objects are stores: they have a place, an address or opening hours, and nothing that is for sale.
  static func areStores(_ objects: [JSONValue]) -> Bool {
    var names: Set<String> = []
    for object in objects.prefix(100) {
      guard case .object(let fields) = object, !SchemaOrgFeed.isNode(object) else { return false }
      if case .string(let type)? = fields["type"], EntityType(rawValue: type) != nil {
        return false
      }
      for field in flattened(fields) { names.insert(field.path.joined(separator: "/")) }
    }
    return areStores(names.map { $0.split(separator: "/").map(String.init) })
  }

  /// Returns whether fields are those of stores, by their paths.
  static func areStores(_ paths: [[String]]) -> Bool {
    var found: Set<StoreField> = []
    for path in paths {
      if isOfSale(path) { return false }
      if let field = StoreField.known(path)?.field { found.insert(field) }
      if hourDay(path) != nil { found.insert(.hours) }
    }
    let isNamed = found.contains(.title)
    let hasPlace =
      found.contains(.coordinates) || found.isSuperset(of: [.latitude, .longitude])
    let hasAddress =
      (found.contains(.street) || found.contains(.address))
      && (found.contains(.city) || found.contains(.postalCode))
    let signs = [
      hasPlace, hasAddress, found.contains(.hours), found.contains(.phone),
      found.contains(.address) && !hasAddress, found.contains(.postalCode) && found.contains(.city),
    ]
    return isNamed && (hasPlace || hasAddress || found.contains(.hours) || found.contains(.address))
      && signs.count { $0 } > 1
      || isNamed && found.isSuperset(of: [.latitude, .longitude])
        && (found.contains(.city) || found.contains(.url))
  }

  private static let otherNames = Set(FeedData.storeWords("no stores"))

  /// Returns whether a field is one of a thing that is sold.
  private static func isOfSale(_ path: [String]) -> Bool {
    guard let first = path.first, let last = path.last else { return false }
    if otherNames.contains(FeedData.plain(first)) { return true }
    switch ColumnVocabulary.targets(of: [last])[0] {
    case .price?, .salePrice?, .pricedIn?: return true
    case .quantity?, .currency?: return path.count == 1
    default: return false
    }
  }

  /// Returns the path of a field that is written with points, such as `address.city`.
  static func path(of name: String) -> [String] {
    let path = name.split(separator: ".").map(String.init)
    return path.isEmpty ? [name] : path
  }

  /// Returns what the fields of the first objects become, for people.
  static func fields(of objects: [JSONValue]) -> [(name: String, target: String?)] {
    var names: [String] = []
    for case .object(let fields) in objects.prefix(100) {
      names += flattened(fields).map { $0.path.joined(separator: ".") }.sorted()
    }
    return FeedText.unique(names).map { name in
      let path = name.split(separator: ".").map(String.init)
      return (name, hourDay(path) != nil ? "openingHours" : StoreField.known(path)?.field.target)
    }
  }

  // MARK: Fields

  /// The fields of a record with their paths. Lists, images and hours stay whole.
  static func flattened(
    _ object: [String: JSONValue], in path: [String] = []
  ) -> [(path: [String], value: JSONValue)] {
    var fields: [(path: [String], value: JSONValue)] = []
    var object = object
    if path.isEmpty {
      if case .object(let own)? = object["properties"] {
        object["properties"] = nil
        object.merge(own) { _, new in new }
        object["type"] = own["type"]
      }
      if case .object(let tags)? = object["tags"] {
        object["tags"] = nil
        object.merge(tags) { own, _ in own }
      }
      for name in ["attributes", "fields"] {
        if case .object(let own)? = object[name], object["name"] == nil, object["title"] == nil {
          object[name] = nil
          object.merge(own) { first, _ in first }
        }
      }
    }
    for (name, value) in object.sorted(by: { $0.key < $1.key }) where value != .null {
      let own = path + [name]
      switch value {
      case .object(let inner):
        if let point = point(inner) {
          fields.append((["latitude"], .string(point.north)))
          fields.append((["longitude"], .string(point.east)))
        } else if own.count < 4, StoreField.isWhole(own) == false {
          fields += flattened(inner, in: own)
        } else {
          fields.append((own, value))
        }
      case .array(let values):
        // Of several addresses, the first one is that of the store.
        if case .object(let first)? = values.first, own.count < 3, !StoreField.isWhole(own) {
          fields += flattened(first, in: own)
          if values.count > 1 { fields.append((own, .array(Array(values.dropFirst())))) }
        } else {
          fields.append((own, value))
        }
      default: fields.append((own, value))
      }
    }
    return fields
  }

  /// Returns the coordinates of a geometry of GeoJSON, of which other forms than points are told by their first corner.
  private static func point(_ object: [String: JSONValue]) -> (north: String, east: String)? {
    guard object["type"] != nil, var value = object["coordinates"] else { return nil }
    while case .array(let values) = value, let first = values.first {
      if case .array = first {
        value = first
        continue
      }
      guard values.count > 1 else { return nil }
      return (values[1].text, first.text)
    }
    return nil
  }

  private static let hourWords = FeedData.storeWords("hours") + ["hour", "times", "time"]
  private static let (startWords, endWords) = (
    Set(["open", "opens", "opening", "from", "start"]),
    Set(["close", "closes", "closing", "to", "end", "until"])
  )

  /// Returns the day of a field such as `Monday hours`, `hours_mo` or `monday_open`, and the end of the day that it is of, if of one.
  static func hourDay(_ path: [String]) -> (day: Int, isStart: Bool?)? {
    guard path.count == 1 else { return nil }
    let words = FeedData.plain(path[0])
    var rest = words
    for word in hourWords where rest.count > word.count {
      if rest.hasSuffix(word) {
        rest = String(rest.dropLast(word.count))
      } else if rest.hasPrefix(word) {
        rest = String(rest.dropFirst(word.count))
      }
    }
    // A word of two letters alone, such as `so`, may mean something else.
    if let day = StoreHours.day(rest), rest.count > 2 || rest != words { return (day, nil) }
    for (ends, isStart) in [(startWords, true), (endWords, false)] {
      for word in ends {
        let stem =
          rest.hasSuffix(word)
          ? rest.dropLast(word.count) : rest.hasPrefix(word) ? rest.dropFirst(word.count) : ""
        if stem.count > 1, let day = StoreHours.day(stem) { return (day, isStart) }
      }
    }
    return nil
  }
}
