/// Reads the prices, availabilities and categories of foreign feeds.
enum FeedText {
  /// Returns the price in a text such as `14.90 EUR`; the currency may come first, and the separator may be
  /// a comma.
  static func price(_ text: String) throws(FieldError) -> JSONValue {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2 else {
      throw FieldError(field: "price", reason: "is '\(text)'; expected for example 14.90 EUR")
    }
    let isAmountFirst = parts[0].first?.isNumber == true
    let amount = (isAmountFirst ? parts[0] : parts[1]).replacing(",", with: ".")
    return .object([
      "amount": .string(amount), "currency": .string(isAmountFirst ? parts[1] : parts[0]),
    ])
  }

  /// Returns the native word for an availability of Merchant or schema.org.
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
        field: "availability", reason: "is '\(text)'; expected for example in_stock or out_of_stock"
      )
    }
  }

  /// Returns the labels in a category or a list of tags; of `Home > Kitchen > Mugs` the last two.
  static func words(_ text: String) -> [String] {
    if text.contains(">") {
      return text.split(separator: ">").suffix(2).map { trimmed(String($0)).lowercased() }
    }
    // Merchant also names categories by number.
    return text.split(whereSeparator: { $0 == "," || $0 == "/" }).map {
      trimmed(String($0)).lowercased()
    }.filter { Int($0) == nil && !$0.isEmpty }
  }

  /// Returns the texts without duplicates, in their order.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  /// Returns a text without surrounding white space.
  static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
