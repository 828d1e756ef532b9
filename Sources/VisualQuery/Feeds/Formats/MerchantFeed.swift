/// A Google Merchant feed as a table
/// (<https://support.google.com/merchants/answer/7052112>).
struct MerchantFeed: FeedFormatReader {
  let mapping: FeedMapping
  private let header: TableHeader

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) {
    guard case .table(let header) = head else { return nil }
    let names = Set(header.columns.map(MerchantFields.normalized))
    guard ["id", "title"].allSatisfy(names.contains), !names.contains("type"),
      names.contains("link") || names.contains("image_link")
    else { return nil }
    self.header = header
    mapping = FeedMapping(
      format: .merchant,
      fields: header.columns.map { ($0, MerchantFields.columns[MerchantFields.normalized($0)]) })
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    switch try records.next() {
    case nil: return nil
    case .tooLong(let line): return .tooLong(line: line)
    case .bytes(let bytes, let line):
      let header = header
      return FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in
        try MerchantFields.product(
          header.namedFields(bytes).map { (MerchantFields.normalized($0.name), $0.text) })
      }
    }
  }
}

/// The fields of a Google Merchant feed, whether in a table or in XML.
enum MerchantFields {
  /// The field of an entity that each field becomes, by its normalized name.
  static let columns: [String: String] = [
    "id": "id", "title": "title", "link": "url", "image_link": "images",
    "additional_image_link": "images", "additional_image_links": "images", "brand": "brand",
    "item_group_id": "group", "price": "price", "availability": "availability",
    "product_type": "labels", "google_product_category": "labels", "color": "labels",
  ]

  /// Returns a name in lower case, with `_` for spaces and hyphens, and without `g:`.
  static func normalized(_ column: String) -> String {
    var name = FeedText.trimmed(column.lowercased())
    if name.hasPrefix("g:") { name.removeFirst(2) }
    return String(name.map { $0 == " " || $0 == "-" ? "_" : $0 })
  }

  /// Returns the product of an item.
  ///
  /// - Parameter fields: The fields by their normalized names; a name may occur several times.
  static func product(_ fields: [(name: String, text: String)]) throws(FieldError) -> JSONValue {
    var object: [String: JSONValue] = ["type": .string("product")]
    var images: [JSONValue] = []
    var labels: [String] = []
    var sale: JSONValue?
    for (name, text) in fields where !text.isEmpty {
      switch columns[name] {
      case "images":
        // `image_link` is the main image, wherever its column is.
        let links = name == "image_link" ? [text] : text.split(separator: ",").map(String.init)
        let values = links.map { JSONValue.string(FeedText.trimmed($0)) }
        images = name == "image_link" ? values + images : images + values
      case "labels": labels += FeedText.words(text)
      case "price": object["price"] = try FeedText.price(text)
      case "availability": object["availability"] = .string(try FeedText.availability(text))
      case let target?: object[target] = .string(text)
      case nil:
        if name == "sale_price" { sale = try FeedText.price(text) }
        object[name] = .string(text)
      }
    }
    if let sale { object["price"] = sale }
    object["images"] = images.isEmpty ? nil : .array(images)
    object["labels"] = labels.isEmpty ? nil : .array(FeedText.unique(labels).map(JSONValue.string))
    return .object(object)
  }
}
