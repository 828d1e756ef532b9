/// A document of schema.org's products and stores in JSON-LD (<https://schema.org/Product>,
/// <https://schema.org/Store>).
struct SchemaOrgFeed: FeedFormatReader {
  /// The bytes by which a document's format is recognized.
  private static let startLength = 1 << 16

  /// The fields that are read, for reports.
  static let fields: [(name: String, target: String?)] = [
    ("sku, productID, gtin, branchCode, url, @id", "id"), ("name", "title"), ("image", "images"),
    ("category, color, keywords", "labels"), ("offers", "price"), ("offers.url", "url"),
    ("brand", "brand"),
    ("color, size, material, pattern", "attributes"),
  ]

  let mapping = FeedMapping(format: .schemaOrg, fields: Self.fields)
  private let context: FeedContext
  /// The remaining nodes, the next one last.
  private var nodes: [JSONValue]
  /// The remaining records of the last node, the next one last.
  private var ready: [FeedRecord] = []
  private var line = 0

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .json(let start) = head, Self.isDocument(start) else { return nil }
    self.context = context
    let bytes = try records.rest()
    do throws(JSONError) {
      let json = try JSONValue(json: bytes, limits: .document)
      guard Self.isOfNodes(json) else {
        records.giveBack(bytes.count)
        return nil
      }
      nodes = Self.nodes(in: json).reversed()
    } catch {
      // A cancelled run must publish its work so far before it throws `CancellationError`, so the
      // error is not thrown here.
      if error.code == .cancelled {
        nodes = []
      } else {
        throw FeedError(
          message: "'\(records.name)' \(error.message)")
      }
    }
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    if ready.isEmpty, let node = nodes.popLast() {
      line += 1
      ready = Self.records(of: node, line: line, context).reversed()
    }
    return ready.popLast()
  }

  /// Returns whether JSON is one document of schema.org, rather than an object on each line.
  private static func isDocument(_ start: ArraySlice<UInt8>) -> Bool {
    let start = start.prefix(startLength)
    // Both words that are looked for contain an @, and searching one byte is faster than
    // searching texts.
    guard start.contains(UInt8(ascii: "@")) else { return false }
    let text = String(decoding: start, as: UTF8.self)
    guard text.contains("\"@type\"") || text.contains("\"@graph\"") else { return false }
    // A complete object on the first line means one object on each line.
    let line = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix { !$0.isNewline }
    return line.first == "[" || line.contains("@graph") || !isJSON(line)
  }

  /// Returns whether the objects of a document are nodes, rather than products of another form in which an image or a brand is one.
  private static func isOfNodes(_ json: JSONValue) -> Bool {
    let objects = JSONDocumentFeed.objects(in: json)
    let products = objects.filter { object in
      guard case .object(let fields) = object, !isNode(object) else { return false }
      let targets = ColumnVocabulary.targets(of: fields.keys.sorted())
      return targets.contains(.title) && targets.contains(.id)
    }
    return products.isEmpty
  }

  /// Returns whether a line is JSON, even if it exceeds the limits of a row.
  private static func isJSON(_ line: Substring) -> Bool {
    do throws(JSONError) {
      _ = try JSONValue(json: Array(line.utf8), limits: .line, shouldStop: { false })
      return true
    } catch {
      return ![.invalid, .truncated, .notUTF8].contains(error.code)
    }
  }

  /// Returns the nodes of a document that are products, groups of products or stores, at any depth.
  static func nodes(in json: JSONValue) -> [JSONValue] {
    switch json {
    case .array(let values): return values.flatMap(nodes)
    case .object(let object):
      if hasVariants(object) || type(of: object) != nil { return [json] }
      let names = [
        "@graph", "itemListElement", "item", "hasVariant", "mainEntity", "mainEntityOfPage",
        "department", "location",
        "hasPOS", "makesOffer", "itemOffered",
      ]
      return names.flatMap { name in object[name].map(nodes) ?? [] }
    default: return []
    }
  }

  /// The names of which a line has one if it holds several products.
  private static let containers = ["hasVariant", "itemListElement", "@graph", "mainEntity"].map {
    Array("\"\($0)\"".utf8)
  }

  /// Returns the records of the products that are in one node on a line, such as a group or a list, or none if it is
  /// something else.
  static func records(
    onLine bytes: [UInt8], _ line: Int, _ context: FeedContext
  ) -> [FeedRecord] {
    // A cheap test before parsing: nearly all lines are something else and have no @ near their
    // beginning.
    guard bytes.prefix(512).contains(UInt8(ascii: "@")), containers.contains(where: bytes.contains),
      let json = try? JSONValue(json: bytes, limits: .line, shouldStop: { false })
    else { return [] }
    if case .object(let node) = json, type(of: node) != nil, !hasVariants(node) { return [] }
    return nodes(in: json).flatMap { records(of: $0, line: line, context) }
  }

  /// Returns the records of a node: one for each look of a group of products, otherwise one.
  static func records(of node: JSONValue, line: Int, _ context: FeedContext) -> [FeedRecord] {
    guard case .object(let group) = node,
      let family = family(of: group, line: line, context)
    else {
      return [FeedRecord(line: line) { () throws(FieldError) in try draft(node, context) }]
    }
    return family.products(context).map { FeedRecord(line: $0.line, $0.record) }
  }

  private static func hasVariants(_ node: [String: JSONValue]) -> Bool {
    !variants(of: node).isEmpty
  }

  /// Returns the variants of a group of products.
  private static func variants(of group: [String: JSONValue]) -> [[String: JSONValue]] {
    let list: [JSONValue]
    switch group["hasVariant"] {
    case .array(let values)?: list = values
    case .object(let value)?: list = [.object(value)]
    default: return []
    }
    return list.compactMap { value in
      // A variant that is only named has its fields elsewhere in the document.
      guard case .object(let variant) = value,
        ["name", "sku", "offers", "image", "color"].contains(where: { variant[$0] != nil })
      else { return nil }
      return variant
    }
  }

  /// Returns the family of a group of products, or `nil` if it has no variants.
  private static func family(
    of group: [String: JSONValue], line: Int, _ context: FeedContext
  ) -> ProductFamily? {
    let variants = variants(of: group)
    if variants.isEmpty { return nil }
    let id = ["productGroupID", "sku", "productID", "@id", "url", "name"].lazy.compactMap {
      text(group[$0])
    }.first
    let shared = group.filter { !unsharedFields.contains($0.key) }
    var base = fields(of: shared, .product, id: id ?? "", nil)
    base.url = text(group["url"])
    var family = ProductFamily(
      base: base, line: line, allowance: FeedAllowance(context.options.limits))
    family.addImages(base.imageNames)
    for node in variants {
      let offer = offer(node["offers"])
      let ids = idFields.compactMap { text(node[$0]) } + [text(offer?["sku"])].compactMap(\.self)
      var variant = ProductVariant(
        fields(of: node, .product, id: ids.first ?? "", offer), line: line)
      variant.ids = ids
      variant.sku = text(node["sku"]) ?? ""
      family.add(variant)
    }
    if base.currency == nil {
      family.base.currency =
        variants.lazy.compactMap { offer($0["offers"]) }
        .compactMap { text($0["priceCurrency"]) }.first
    }
    return family
  }

  /// The fields of a group that are not those of its variants.
  private static let unsharedFields: Set<String> = [
    "@type", "@id", "@context", "hasVariant", "variesBy", "sku", "productID", "productGroupID",
    "gtin", "gtin13", "mpn",
    "offers", "color", "size", "url",
  ]
  private static let idFields = [
    "sku", "productID", "gtin", "gtin13", "gtin14", "gtin12", "gtin8", "mpn",
  ]

  /// Returns whether an object is a node of schema.org.
  static func isNode(_ json: JSONValue) -> Bool {
    guard case .object(let object) = json else { return false }
    return object["@type"] != nil || object["@graph"] != nil || object["@context"] != nil
  }

  private static let productTypes: Set<String> = [
    "Product", "IndividualProduct", "ProductModel", "ProductGroup", "SomeProducts", "Vehicle",
    "Car", "Book",
  ]
  private static let placeTypes: Set<String> = [
    "LocalBusiness", "Place", "ShoppingCenter", "Restaurant", "Bakery", "CafeOrCoffeeShop",
    "Pharmacy", "Optician",
    "AutoDealer", "FoodEstablishment", "GasStation", "Florist",
  ]

  private static func type(of object: [String: JSONValue]) -> EntityType? {
    let names = texts(object["@type"]).map { name in
      name.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? name
    }
    if names.contains(where: productTypes.contains) { return .product }
    if names.contains(where: { $0.hasSuffix("Store") || placeTypes.contains($0) }) { return .store }
    return nil
  }

  /// Returns a node in the native form.
  static func draft(_ json: JSONValue, _ context: FeedContext) throws(FieldError) -> DraftRecord {
    guard case .object(let node) = try FeedEntities.checkedDepth(json), let type = type(of: node)
    else { throw FieldError(field: "@type", reason: "must be Product or Store") }
    let names = type == .product ? idFields : ["branchCode", "identifier"]
    let offer = offer(node["offers"])
    let address = text(node["url"]) ?? text(offer?["url"])
    let fragment = text(node["@id"]).map { $0.hasPrefix("#") || $0.hasPrefix("_:") } == true
    guard
      let id = names.lazy.compactMap({ text(node[$0]) }).first ?? text(offer?["sku"])
        ?? (fragment ? nil : text(node["@id"])) ?? address ?? text(node["@id"])
    else {
      throw FieldError(
        field: names[0],
        reason: "is missing, and so are \(names.dropFirst().joined(separator: ", ")), @id and url")
    }
    return fields(of: node, type, id: id, offer).finished(context)
  }

  /// Returns the fields of a product or a store.
  private static func fields(
    of node: [String: JSONValue], _ type: EntityType, id: String, _ offer: [String: JSONValue]?
  ) -> ProductDraft {
    var draft = ProductDraft()
    draft.type = type
    draft.id = id
    draft.title = text(node["name"]) ?? ""
    draft.url = text(node["url"]) ?? text(offer?["url"])
    draft.addImages(texts(node["image"]).isEmpty ? texts(node["photo"]) : texts(node["image"]))
    for name in ["category", "keywords"] {
      for text in texts(node[name]) { draft.addLabels(in: text, of: name) }
    }
    if let description = text(node["description"]) {
      draft.add(.description, "description", description)
    }
    for line in texts(node["text"]) { draft.add(.text, EntityValue.textField, line) }
    switch type {
    case .product: addProduct(node, offer, to: &draft)
    case .store: addStore(node, to: &draft)
    }
    for name in idFields + ["isbn"] where ProductCode.isField(name) {
      if let code = text(node[name]) ?? text(offer?[name]) { draft.keep(name, .string(code)) }
    }
    for name in ["sku", "mpn", "model", "telephone", "email", "slogan", "ios_url"] {
      if let text = text(node[name]), !text.hasSameBytes(as: id) { draft.keep(name, .string(text)) }
    }
    return draft
  }

  private static func addProduct(
    _ node: [String: JSONValue], _ offer: [String: JSONValue]?, to draft: inout ProductDraft
  ) {
    draft.brand = text(node["brand"]) ?? text(node["manufacturer"])
    draft.group = text(node["inProductGroupWithID"]) ?? group(node["isVariantOf"])
    for name in ["color", "size", "material", "pattern"] {
      if let value = text(node[name]) { draft.setAttribute(name, value) }
    }
    guard let offer else { return }
    draft.currency = text(offer["priceCurrency"])
    draft.availability = text(offer["availability"])
    if let price = offer["price"] ?? offer["lowPrice"] {
      switch price {
      case .integer, .number: draft.setPrice(number: price.text, isSale: false)
      default: draft.price = text(price).map { PriceField(text: $0) }
      }
    }
  }

  private static func addStore(_ node: [String: JSONValue], to draft: inout ProductDraft) {
    if let address = address(node["address"]) { draft.add(.address, "address", address) }
    if case .object(let geo)? = node["geo"], let north = text(geo["latitude"]),
      let east = text(geo["longitude"])
    {
      draft.add(.latitude, "latitude", north)
      draft.add(.longitude, "longitude", east)
    }
    let hours = texts(node["openingHours"]) + specifiedHours(node["openingHoursSpecification"])
    if hours.isEmpty { return }
    let lines = JSONValue.array(hours.map(JSONValue.string))
    // Opening hours without a time zone cannot be evaluated; they are kept unchanged.
    if let zone = text(node["timeZone"]) ?? zone(of: node) {
      draft.keep("openingHours", lines)
      draft.keep("timeZone", .string(zone))
    } else {
      draft.keep("schemaOpeningHours", lines)
      draft.warn(
        "openingHours",
        "have no timeZone, and no place tells one; they are kept as schemaOpeningHours and not evaluated"
      )
    }
  }

  /// Returns the time zone that the place of a store tells.
  private static func zone(of node: [String: JSONValue]) -> String? {
    var (address, geo) = ([String: JSONValue](), [String: JSONValue]())
    if case .object(let own)? = node["address"] { address = own }
    if case .object(let own)? = node["geo"] { geo = own }
    return PlaceZone.zone(
      country: text(address["addressCountry"]), state: text(address["addressRegion"]),
      north: text(geo["latitude"]).flatMap(Double.init),
      east: text(geo["longitude"]).flatMap(Double.init))
  }

  private static let days = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// Returns the lines of opening hours that nodes specify, such as `Mo,Tu 09:00-18:00`.
  private static func specifiedHours(_ value: JSONValue?) -> [String] {
    switch value {
    case .array(let values)?: return values.flatMap { specifiedHours($0) }
    case .object(let node)?:
      let days = texts(node["dayOfWeek"]).compactMap { name -> String? in
        let day = name.split(separator: "/").last.map { $0.lowercased() } ?? ""
        return Self.days.first { day.count > 1 && $0.hasPrefix(day) }.map {
          $0.prefix(1).uppercased() + $0.dropFirst().prefix(1)
        }
      }
      guard let opens = text(node["opens"]), let closes = text(node["closes"]),
        opens != closes || opens == "00:00"
      else { return [] }
      let list = days.isEmpty ? "Mo-Su" : days.joined(separator: ",")
      return ["\(list) \(opens.prefix(5))-\(closes == opens ? "24:00" : String(closes.prefix(5)))"]
    default: return []
    }
  }

  /// Returns the first offer with a price; the availability is that of the first one that is in
  /// stock.
  private static func offer(_ value: JSONValue?) -> [String: JSONValue]? {
    var offers: [[String: JSONValue]] = []
    func collect(_ value: JSONValue?) {
      switch value {
      case .array(let values)?: for value in values { collect(value) }
      case .object(var offer)?:
        var specification = offer["priceSpecification"]
        if case .array(let several)? = specification { specification = several.first }
        if case .object(let fields)? = specification {
          offer.merge(fields.filter { $0.key.hasPrefix("price") }) { own, _ in own }
        }
        if offer["price"] == nil, offer["lowPrice"] == nil, offer["offers"] != nil {
          collect(offer["offers"])
        } else {
          offers.append(offer)
        }
      default: return
      }
    }
    collect(value)
    guard
      var offer = offers.first(where: { $0["price"] != nil || $0["lowPrice"] != nil })
        ?? offers.first
    else { return nil }
    let inStock = offers.compactMap { text($0["availability"]) }.first {
      (try? FeedText.availability($0)) == "inStock"
    }
    if let inStock { offer["availability"] = .string(inStock) }
    return offer
  }

  private static func group(_ value: JSONValue?) -> String? {
    guard case .object(let fields)? = value else { return text(value) }
    return text(fields["productGroupID"]) ?? text(fields["@id"])
  }

  private static func address(_ value: JSONValue?) -> String? {
    guard case .object(let fields)? = value else { return text(value) }
    let parts = ["streetAddress", "postalCode", "addressLocality", "addressCountry"].compactMap {
      text(fields[$0])
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns a text, a number as text, or the name or address of a node.
  private static func text(_ value: JSONValue?) -> String? { texts(value).first }

  private static func texts(_ value: JSONValue?) -> [String] {
    switch value {
    case .string(let text)?: text.isEmpty ? [] : [text]
    case .integer(let number)?: ["\(number)"]
    case .number(let number)?: ["\(number)"]
    case .array(let values)?: values.flatMap { texts($0) }
    case .object(let fields)?:
      texts(
        fields["url"] ?? fields["contentUrl"] ?? fields["name"] ?? fields["value"] ?? fields[
          "@value"]
          ?? fields["@id"])
    default: []
    }
  }
}
