/// What the columns of other people's feeds mean here.
///
/// Sources: Google Merchant's product data specification
/// (<https://support.google.com/merchants/answer/7052112>); Shopify's product CSV, the headers until
/// and since 2024 (<https://help.shopify.com/en/manual/products/import-export/using-csv>).
enum FeedColumns {
  /// The fields of a Merchant feed; names are compared in lower case, `_` for blanks and without `g:`.
  static let merchant: [String: String] = [
    "id": "id", "title": "title", "link": "url", "image_link": "images",
    "additional_image_link": "images", "additional_image_links": "images", "brand": "brand",
    "item_group_id": "group", "price": "price", "availability": "availability",
    "product_type": "labels", "google_product_category": "labels", "color": "labels",
  ]

  /// The columns of a Shopify export, old and new.
  static let shopify: [String: String] = [
    "handle": "id", "url handle": "id", "title": "title", "vendor": "brand", "type": "labels",
    "product category": "labels", "tags": "labels", "image src": "images",
    "product image url": "images", "variant price": "price", "price": "price",
    "variant image": "images", "variant image url": "images", "status": "status",
    "published": "published", "published on online store": "published",
  ]

  /// The columns of a Product Search CSV.
  static let productSearchMapping = CatalogueMapping(
    format: .productSearch,
    fields: zip(
      ProductSearchRows.columns,
      ["images", nil, "productSet", "id", "labels", "title", "labels", nil]
    ).map { CatalogueMapping.Field(name: $0, target: $1) })

  /// Which feed a header is of.
  static func format(of columns: [String]) -> CatalogueFormat? {
    let names = Set(columns.map(normalized))
    if ["type", "id", "title"].allSatisfy(names.contains) && !names.contains("handle") {
      return .csv
    }
    if names.contains("handle") || names.contains("url_handle"), names.contains("title") {
      return .shopify
    }
    if ["id", "title"].allSatisfy(names.contains),
      names.contains("link") || names.contains("image_link")
    {
      return .merchant
    }
    return nil
  }

  /// A column as Merchant feeds are compared by.
  static func normalized(_ column: String) -> String {
    var name = column.lowercased()
    while name.first?.isWhitespace == true { name.removeFirst() }
    while name.last?.isWhitespace == true { name.removeLast() }
    if name.hasPrefix("g:") { name.removeFirst(2) }
    return String(name.map { $0 == " " || $0 == "-" ? "_" : $0 })
  }

  /// What becomes of the columns of a format.
  static func mapping(_ columns: [String], _ format: CatalogueFormat) -> CatalogueMapping {
    let fields = columns.map { column in
      let target =
        switch format {
        case .merchant: merchant[normalized(column)]
        case .shopify: shopify[column.lowercased()]
        default: Optional(column)
        }
      return CatalogueMapping.Field(name: column, target: target)
    }
    return CatalogueMapping(format: format, fields: fields)
  }
}

/// Turns the rows of feeds into objects of our own JSON form.
enum FeedRows {
  /// A product of a Merchant feed.
  ///
  /// - Parameter fields: Names as ``FeedColumns/normalized(_:)`` gives them; a name may come several
  ///   times.
  static func merchant(_ fields: [(name: String, text: String)]) throws(FieldError) -> JSONValue {
    var object: [String: JSONValue] = ["type": .string("product")]
    var images: [JSONValue] = []
    var labels: [String] = []
    var sale: JSONValue?
    for (name, text) in fields where !text.isEmpty {
      switch FeedColumns.merchant[name] {
      case "images":
        // `image_link` is the main one, wherever its column stands.
        let links = name == "image_link" ? [text] : text.split(separator: ",").map(String.init)
        let values = links.map { JSONValue.string(trimmed($0)) }
        images = name == "image_link" ? values + images : images + values
      case "labels": labels += words(text)
      case "price": object["price"] = try price(text)
      case "availability": object["availability"] = .string(try availability(text))
      case let target?: object[target] = .string(text)
      case nil:
        if name == "sale_price" { sale = try price(text) }
        object[name] = .string(text)
      }
    }
    if let sale { object["price"] = sale }
    object["images"] = images.isEmpty ? nil : .array(images)
    object["labels"] = labels.isEmpty ? nil : .array(unique(labels).map(JSONValue.string))
    return .object(object)
  }

  /// `14.90 EUR`, also with the currency first or a comma.
  static func price(_ text: String) throws(FieldError) -> JSONValue {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2 else {
      throw FieldError(field: "price", reason: "is '\(text)'; such as 14.90 EUR is valid")
    }
    let isAmountFirst = parts[0].first?.isNumber == true
    let amount = (isAmountFirst ? parts[0] : parts[1]).replacing(",", with: ".")
    return .object([
      "amount": .string(amount), "currency": .string(isAmountFirst ? parts[1] : parts[0]),
    ])
  }

  /// Merchant's words, and schema.org's, for whether a product can be had.
  static func availability(_ text: String) throws(FieldError) -> String {
    let word = text.split(separator: "/").last.map(String.init) ?? text
    switch word.lowercased().filter({ $0.isLetter }) {
    case "instock", "limitedavailability", "onlineonly", "instoreonly": return "inStock"
    case "outofstock", "soldout": return "outOfStock"
    case "preorder", "presale": return "preOrder"
    case "backorder": return "backOrder"
    case "discontinued": return "discontinued"
    default:
      throw FieldError(
        field: "availability", reason: "is '\(text)'; such as in_stock or out_of_stock is valid")
    }
  }

  /// The parts of a category or a list of tags: `Home > Kitchen > Mugs` gives its last two.
  static func words(_ text: String) -> [String] {
    if text.contains(">") {
      return text.split(separator: ">").suffix(2).map { trimmed(String($0)).lowercased() }
    }
    // Merchant also names categories by number.
    return text.split(whereSeparator: { $0 == "," || $0 == "/" }).map {
      trimmed(String($0)).lowercased()
    }.filter { Int($0) == nil && !$0.isEmpty }
  }

  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// Puts the rows of a Shopify export together: those of one handle are one product.
struct ShopifyRows {
  private var handle = ""
  private var line = 0
  private var object: [String: JSONValue] = [:]
  private var images: [String] = []
  private var labels: [String] = []

  /// Takes a row.
  ///
  /// - Returns: The product before, if this row begins another.
  mutating func take(
    _ fields: [(name: String, text: String)], line: Int
  ) -> (object: JSONValue, line: Int)? {
    let own = fields.first { FeedColumns.shopify[$0.name.lowercased()] == "id" }?.text ?? ""
    var finished: (JSONValue, Int)?
    if own != handle {
      finished = finish()
      (handle, self.line) = (own, line)
      object = ["type": .string("product"), "id": .string(own)]
    }
    for (name, text) in fields where !text.isEmpty {
      switch FeedColumns.shopify[name.lowercased()] {
      case "id": break
      case "images": if !images.contains(text) { images.append(text) }
      case "labels": labels += FeedRows.words(text)
      // A Shopify export has no currency: it is kept as it is.
      case "price": object["variantPrice"] = object["variantPrice"] ?? .string(text)
      case "status":
        if ["archived", "draft"].contains(text.lowercased()) {
          object["availability"] = .string("discontinued")
        }
      case "published": object["published"] = .string(text)
      case let target?: object[target] = object[target] ?? .string(text)
      case nil: object[name] = object[name] ?? .string(text)
      }
    }
    return finished
  }

  /// The last product.
  mutating func finish() -> (object: JSONValue, line: Int)? {
    guard !handle.isEmpty else { return nil }
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    object["labels"] =
      labels.isEmpty ? nil : .array(FeedRows.unique(labels).map(JSONValue.string))
    defer {
      (handle, object, images, labels) = ("", [:], [], [])
    }
    return (.object(object), line)
  }
}

/// Puts the rows of a Product Search CSV together: those of one product follow each other.
struct ProductSearchRows {
  /// The columns, which have no header there.
  static let columns = [
    "image-uri", "image-id", "product-set-id", "product-id", "product-category",
    "product-display-name", "labels", "bounding-poly",
  ]

  private var id = ""
  private var line = 0
  private var object: [String: JSONValue] = [:]
  private var images: [String] = []

  /// Whether a row without a header is one of these.
  static func isRow(_ fields: [String]) -> Bool {
    guard fields.count == 8, !fields[3].isEmpty else { return false }
    let names = [".jpg", ".jpeg", ".png"]
    let image = fields[0].lowercased()
    return image.hasPrefix("gs://") || names.contains(where: image.hasSuffix)
  }

  /// A picture in a bucket by its path there, as a copy of the bucket has it.
  private static func path(_ uri: String) -> String {
    guard uri.hasPrefix("gs://") else { return uri }
    return String(uri.dropFirst("gs://".count).drop { $0 != "/" }.dropFirst())
  }

  mutating func take(_ fields: [String], line: Int) -> (object: JSONValue, line: Int)? {
    var finished: (JSONValue, Int)?
    if fields[3] != id {
      finished = finish()
      (id, self.line) = (fields[3], line)
      let title = fields[5].isEmpty ? fields[3] : fields[5]
      object = ["type": .string("product"), "id": .string(fields[3]), "title": .string(title)]
      var labels = fields[4].isEmpty ? [] : [JSONValue.string(fields[4])]
      for pair in fields[6].split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { FeedRows.trimmed(String($0)) }
        if parts.count == 2 {
          object[parts[0]] = object[parts[0]] ?? .string(parts[1])
          labels.append(.string(parts[1]))
        }
      }
      object["labels"] = labels.isEmpty ? nil : .array(labels)
      if !fields[2].isEmpty { object["productSet"] = .string(fields[2]) }
    }
    if !fields[0].isEmpty { images.append(Self.path(fields[0])) }
    return finished
  }

  mutating func finish() -> (object: JSONValue, line: Int)? {
    guard !id.isEmpty else { return nil }
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    defer { (id, object, images) = ("", [:], []) }
    return (.object(object), line)
  }
}
