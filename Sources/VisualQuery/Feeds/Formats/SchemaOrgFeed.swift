/// A document of schema.org's products and stores in JSON-LD (<https://schema.org/Product>,
/// <https://schema.org/Store>).
struct SchemaOrgFeed: FeedFormatReader {
  /// The bytes by which a document's format is recognized.
  private static let startLength = 1 << 16

  let mapping = FeedMapping(
    format: .schemaOrg,
    fields: [
      ("sku, productID, gtin, branchCode, @id", "id"), ("name", "title"), ("image", "images"),
      ("category, color, keywords", "labels"), ("offers", "price"), ("brand", "brand"),
    ])
  /// The remaining nodes, the next one last.
  private var nodes: [JSONValue]
  private var line = 0

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) throws(CatalogueError) {
    guard case .json(let start) = head, Self.isDocument(start) else { return nil }
    let bytes = try records.rest()
    do throws(JSONError) {
      nodes = Self.nodes(in: try JSONValue(json: bytes, limits: .document)).reversed()
    } catch {
      // A cancelled run publishes its work so far and then throws `CancellationError`.
      if error.code == .cancelled {
        nodes = []
      } else {
        throw CatalogueError(
          code: .unreadableInput, message: "'\(records.name)' \(error.message)")
      }
    }
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    line += 1
    return nodes.popLast().map { node in
      FeedRecord(line: line) { () throws(FieldError) in try Self.object(node) }
    }
  }

  /// Returns whether JSON is one document of schema.org, rather than an object on each line.
  private static func isDocument(_ start: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: start.prefix(startLength), as: UTF8.self)
    guard text.contains("\"@type\"") || text.contains("\"@graph\"") else { return false }
    // An object that ends on its first line is one of many.
    let line = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix { !$0.isNewline }
    return line.first == "[" || line.contains("@graph") || !isJSON(line)
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

  /// Returns the nodes of a document that are products or stores, at any depth.
  private static func nodes(in json: JSONValue) -> [JSONValue] {
    switch json {
    case .array(let values): return values.flatMap(nodes)
    case .object(let object):
      if type(of: object) != nil { return [json] }
      return ["@graph", "itemListElement", "item", "hasVariant", "mainEntity"].flatMap { name in
        object[name].map(nodes) ?? []
      }
    default: return []
    }
  }

  /// Returns whether an object is a node of schema.org.
  static func isNode(_ json: JSONValue) -> Bool {
    guard case .object(let object) = json else { return false }
    return object["@type"] != nil || object["@graph"] != nil || object["@context"] != nil
  }

  private static func type(of object: [String: JSONValue]) -> EntityType? {
    let names = texts(object["@type"]).map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    if names.contains(where: { $0 == "Product" || $0 == "IndividualProduct" }) { return .product }
    if names.contains(where: { $0.hasSuffix("Store") || $0 == "LocalBusiness" }) { return .store }
    return nil
  }

  /// Returns a node in the native form.
  static func object(_ json: JSONValue) throws(FieldError) -> JSONValue {
    guard case .object(let node) = json, let type = type(of: node) else {
      throw FieldError(field: "@type", reason: "must be Product or Store")
    }
    let idFields =
      type == .product ? ["sku", "productID", "gtin", "gtin13", "@id"] : ["branchCode", "@id"]
    guard let id = idFields.lazy.compactMap({ text(node[$0]) }).first ?? text(node["url"]) else {
      throw FieldError(
        field: "sku",
        reason: "is missing, and so are \(idFields.dropFirst().joined(separator: ", "))")
    }
    var object: [String: JSONValue] = ["type": .string(type.rawValue), "id": .string(id)]
    object["title"] = text(node["name"]).map(JSONValue.string)
    object["url"] = text(node["url"]).map(JSONValue.string)
    let images = texts(node["image"])
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    let labels = FeedText.unique(
      [node["category"], node["color"], node["keywords"]].flatMap(texts).flatMap(FeedText.words))
    object["labels"] = labels.isEmpty ? nil : .array(labels.map(JSONValue.string))
    object["description"] = node["description"]
    switch type {
    case .product:
      object["brand"] = text(node["brand"]).map(JSONValue.string)
      object["group"] =
        (text(node["inProductGroupWithID"]) ?? group(node["isVariantOf"])).map(JSONValue.string)
      try addOffer(node["offers"], to: &object)
    case .store:
      object["address"] = address(node["address"]).map(JSONValue.string)
      object["geo"] = geo(node["geo"])
      // Opening hours without a time zone cannot be evaluated; they are kept unchanged.
      object["schemaOpeningHours"] = node["openingHours"]
    }
    return .object(object)
  }

  private static func addOffer(
    _ offers: JSONValue?, to object: inout [String: JSONValue]
  ) throws(FieldError) {
    var offer = offers
    if case .array(let several)? = offers { offer = several.first }
    guard case .object(let fields)? = offer else { return }
    if let amount = text(fields["price"]) ?? text(fields["lowPrice"]),
      let currency = text(fields["priceCurrency"])
    {
      object["price"] = .object(["amount": .string(amount), "currency": .string(currency)])
    }
    if let word = text(fields["availability"]) {
      object["availability"] = .string(try FeedText.availability(word))
    }
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

  private static func geo(_ value: JSONValue?) -> JSONValue? {
    guard case .object(let fields)? = value,
      let latitude = text(fields["latitude"]).flatMap(Double.init),
      let longitude = text(fields["longitude"]).flatMap(Double.init),
      latitude.isFinite, longitude.isFinite
    else { return nil }
    return .object(["latitude": .number(latitude), "longitude": .number(longitude)])
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
      texts(fields["url"] ?? fields["contentUrl"] ?? fields["name"] ?? fields["@id"])
    default: []
    }
  }
}
