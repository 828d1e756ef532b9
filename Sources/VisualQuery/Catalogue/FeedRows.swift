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
