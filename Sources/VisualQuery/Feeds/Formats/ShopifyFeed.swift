/// A Shopify product export, with the headers before and since 2024
/// (<https://help.shopify.com/en/manual/products/import-export/using-csv>).
struct ShopifyFeed: FeedFormatReader {
  /// The field of an entity that each column becomes, by its name in lower case.
  fileprivate static let columns: [String: String] = [
    "handle": "id", "url handle": "id", "title": "title", "vendor": "brand", "type": "labels",
    "product category": "labels", "tags": "labels", "image src": "images",
    "product image url": "images", "variant price": "price", "price": "price",
    "variant image": "images", "variant image url": "images", "status": "status",
    "published": "published", "published on online store": "published",
  ]

  let mapping: FeedMapping
  private let header: TableHeader
  private let currency: String?
  private var product = ShopifyProduct()

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) {
    guard case .table(let header) = head else { return nil }
    let names = Set(header.columns.map(MerchantFields.normalized))
    guard names.contains("handle") || names.contains("url_handle"), names.contains("title") else {
      return nil
    }
    // A native table may have a column with this name.
    guard names.contains("handle") || !names.isSuperset(of: ["type", "id", "title"]) else {
      return nil
    }
    self.header = header
    self.currency = currency
    mapping = FeedMapping(
      format: .shopify, fields: header.columns.map { ($0, Self.columns[$0.lowercased()]) })
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    while let record = try records.next() {
      guard case .bytes(let bytes, let line) = record else { return .tooLong(line: record.line) }
      do throws(FieldError) {
        if let finished = product.add(try header.namedFields(bytes), line: line) {
          return FeedRecord(line: finished.line, priced(finished.object))
        }
      } catch {
        return FeedRecord(line: line, error)
      }
    }
    return product.finish().map { FeedRecord(line: $0.line, priced($0.object)) }
  }

  /// Returns a product with the given currency for a price without one.
  private func priced(_ json: JSONValue) -> JSONValue {
    guard let currency, case .object(var object) = json,
      case .string(let amount)? = object["variantPrice"]
    else { return json }
    object["variantPrice"] = nil
    object["price"] = .object(["amount": .string(amount), "currency": .string(currency)])
    return .object(object)
  }
}

/// Assembles the rows of one handle to a product.
private struct ShopifyProduct: Sendable {
  private var handle = ""
  private var line = 0
  private var object: [String: JSONValue] = [:]
  private var images: [String] = []
  private var labels: [String] = []

  /// Adds a row.
  ///
  /// - Returns: The previous product, if the row begins another one.
  mutating func add(
    _ fields: [(name: String, text: String)], line: Int
  ) -> (object: JSONValue, line: Int)? {
    let own = fields.first { ShopifyFeed.columns[$0.name.lowercased()] == "id" }?.text ?? ""
    var finished: (JSONValue, Int)?
    if !own.hasSameBytes(as: handle) {
      finished = finish()
      (handle, self.line) = (own, line)
      object = ["type": .string("product"), "id": .string(own)]
    }
    for (name, text) in fields where !text.isEmpty {
      switch ShopifyFeed.columns[name.lowercased()] {
      case "id": break
      case "images": if !images.contains(text) { images.append(text) }
      case "labels": labels += FeedText.words(text)
      // A Shopify export has no currency, so the price is kept unchanged.
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

  /// Returns the last product.
  mutating func finish() -> (object: JSONValue, line: Int)? {
    guard !handle.isEmpty else { return nil }
    object["images"] = images.isEmpty ? nil : .array(images.map(JSONValue.string))
    object["labels"] =
      labels.isEmpty ? nil : .array(FeedText.unique(labels).map(JSONValue.string))
    defer {
      (handle, object, images, labels) = ("", [:], [], [])
    }
    return (.object(object), line)
  }
}
