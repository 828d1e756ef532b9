/// A value of an entity's property, in the form that filters read.
struct StoredProperty {
  /// The name under which the value is stored.
  let name: String
  /// The index in a list, or 0 for other values.
  let index: Int
  let value: SQLiteValue
  /// The folded text, or `nil` if it is equal to the value.
  let folded: String?

  init(_ name: String, _ value: SQLiteValue, index: Int = 0) {
    self.name = name
    self.index = index
    self.value = value
    guard case .text(let text) = value else {
      folded = nil
      return
    }
    let folded = LabelText.folded(text)
    self.folded = folded.utf8.elementsEqual(text.utf8) ? nil : folded
  }

  /// A number as in the JSON form of the catalogue: integers without a fraction.
  init(_ name: String, number: Double) {
    let whole = number.magnitude < 1e15 ? Int64(exactly: number) : nil
    self.init(name, whole.map { .integer(Int($0)) } ?? .number(number))
  }

  /// Returns whether a field of a shop's own is stored so that filters can name it.
  static func isStored(ownField name: String) -> Bool { EntityProperty.storedExtra(name) != nil }
}

extension EntityValue {
  /// All values that filters and sort orders can name.
  var storedProperties: [StoredProperty] {
    var stored: [StoredProperty] = []
    func add(_ name: String, _ text: String?) {
      if let text { stored.append(StoredProperty(name, .text(text))) }
    }
    func add(_ name: String, _ list: [String]) {
      for (index, text) in list.enumerated() {
        stored.append(StoredProperty(name, .text(text), index: index))
      }
    }
    add("type", id.type.rawValue)
    add("id", id.value)
    add("title", text.title)
    add("subtitle", text.subtitle)
    add("synonyms", text.synonyms)
    add("labels", labels)
    add("images", imagePaths)
    let extra: [String: JSONValue]
    switch self {
    case .product(let product):
      // A field of the shop's own has precedence over an attribute of the same name.
      extra = product.extra.merging(product.attributes.mapValues(JSONValue.string)) { own, _ in own
      }
      add("group", product.group)
      add("brand", product.brand)
      add("availability", product.availability?.rawValue)
      add("currency", product.price?.currency)
      if let amount = product.price.flatMap({ Double($0.amount) }) {
        stored.append(StoredProperty("price", .number(amount)))
      }
    case .store(let store):
      extra = store.extra
      add("address", store.address)
      add("timeZone", store.openingHours?.timeZone)
      add("openingHours", store.openingHours?.lines ?? [])
      add("stock", store.stock)
      if let location = store.geo {
        stored.append(StoredProperty("latitude", number: location.latitude))
        stored.append(StoredProperty("longitude", number: location.longitude))
      }
    }
    // The link into the app and that of the page both find the entity.
    add("url", links)
    for (name, value) in extra {
      guard let storedName = EntityProperty.storedExtra(name) else { continue }
      if ProductCode.isField(name), case .array(let codes) = value {
        // An entity with variants has a list of codes. Each is stored, so that each of them
        // finds the entity.
        add(storedName, codes.compactMap { if case .string(let text) = $0 { text } else { nil } })
      } else if name == Self.stockedAtField, case .array(let places) = value {
        add(storedName, places.compactMap { if case .string(let text) = $0 { text } else { nil } })
      } else if let property = value.stored(as: storedName) {
        stored.append(property)
      }
    }
    return stored
  }
}

extension JSONValue {
  /// The value that SQLite's `json_extract` returns, or `nil` for `null`.
  fileprivate func stored(as name: String) -> StoredProperty? {
    switch self {
    case .null: nil
    case .bool(let flag): StoredProperty(name, .integer(flag ? 1 : 0))
    case .integer(let number): StoredProperty(name, .integer(Int(number)))
    case .number(let number): StoredProperty(name, number: number)
    case .string(let text): StoredProperty(name, .text(text))
    case .array, .object: StoredProperty(name, .text(text))
    }
  }
}
