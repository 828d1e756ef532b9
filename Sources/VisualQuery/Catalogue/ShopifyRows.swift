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
    if !own.hasSameBytes(as: handle) {
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
