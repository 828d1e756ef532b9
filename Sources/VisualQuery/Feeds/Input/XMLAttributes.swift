/// The attributes of an element without a text, such as `<price gross="14.90" net="12.52"/>` and `<producer name="Nord"/>`.
enum XMLAttributes {
  /// The attributes with an amount, what people pay first, and those with a name.
  private static let amounts = [
    "gross", "brutto", "price_gross", "gross_price", "price", "net", "netto", "price_net",
  ]
  private static let names = ["name", "title", "label", "text"]

  /// Returns the attribute that is the text of an element, by what the element is, or `nil` if none is.
  static func main(of attributes: [String: String], in element: String) -> String? {
    let wanted: [String]
    switch ColumnVocabulary.targets(of: [element])[0] {
    case .price?, .salePrice?, .pricedIn?: wanted = amounts
    case .brand?, .labels?, .title?, .attribute?, .availability?: wanted = names
    default: return nil
    }
    return wanted.first { attributes[$0] != nil }
  }

  /// Returns the name of the field of an element: with that of the attribute if that makes it an address of a page, as in
  /// `<card url="https://…"/>`.
  static func name(
    of element: String, with main: String?, _ attributes: [String: String]
  ) -> String {
    guard let main, ["url", "href", "link"].contains(main),
      attributes[main]?.hasPrefix("http") == true,
      ColumnVocabulary.targets(of: [element])[0] == nil
    else { return element }
    let full = "\(element).\(main)"
    return ColumnVocabulary.targets(of: [full])[0] == .url ? full : element
  }
}
