/// A value of an entity's property, in the form in which filters read it.
struct StoredProperty {
  /// The name under which it is stored.
  let name: String
  /// Its place in a list; 0 for anything else.
  let place: Int
  let value: SQLiteValue
  /// The folded text, or `nil` if the value is its own.
  let folded: String?

  init(_ name: String, _ value: SQLiteValue, place: Int = 0) {
    self.name = name
    self.place = place
    self.value = value
    guard case .text(let text) = value else {
      folded = nil
      return
    }
    let folded = LabelText.folded(text)
    self.folded = folded.utf8.elementsEqual(text.utf8) ? nil : folded
  }

  /// A number as the catalogue's JSON form has it: whole numbers without a fraction.
  init(_ name: String, number: Double) {
    let whole = number.magnitude < 1e15 ? Int64(exactly: number) : nil
    self.init(name, whole.map { .integer(Int($0)) } ?? .number(number))
  }
}

extension EntityValue {
  /// All values that filters and sorts can name.
  var storedProperties: [StoredProperty] {
    var stored: [StoredProperty] = []
    func add(_ name: String, _ text: String?) {
      if let text { stored.append(StoredProperty(name, .text(text))) }
    }
    func add(_ name: String, _ list: [String]) {
      for (place, text) in list.enumerated() {
        stored.append(StoredProperty(name, .text(text), place: place))
      }
    }
    add("type", id.type.rawValue)
    add("id", id.value)
    add("title", text.title)
    add("subtitle", text.subtitle)
    add("synonyms", text.synonyms)
    add("labels", labels)
    add("images", imagePaths)
    add("url", url)
    let extra: [String: JSONValue]
    switch self {
    case .product(let product):
      extra = product.extra
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
      if let place = store.geo {
        stored.append(StoredProperty("latitude", number: place.latitude))
        stored.append(StoredProperty("longitude", number: place.longitude))
      }
    }
    for (name, value) in extra {
      if let name = EntityProperty.storedExtra(name), let property = value.stored(as: name) {
        stored.append(property)
      }
    }
    return stored
  }
}

extension JSONValue {
  /// The value as SQLite's `json_extract` gives it, or `nil` for `null`.
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
