/// The format of a feed.
package enum FeedFormat: String, Sendable, Hashable, CaseIterable {
  /// One object in the native form on each line.
  case jsonLines = "JSON Lines"
  /// The native fields as columns.
  case csv = "CSV"
  /// Any other table, whose columns are recognized by their names or assigned by the caller.
  case table = "table"
  /// A list of objects in one document, whose fields are recognized by their names.
  case json = "JSON document"
  /// An XML document whose items' fields are recognized by their names.
  case xml = "XML feed"
  /// A Google Merchant feed: separated by tabs or commas, or XML (RSS 2.0 or Atom).
  case merchant = "Google Merchant feed"
  /// A Shopify product export, in which further rows of a product hold its variants and images.
  case shopify = "Shopify product CSV"
  /// A WooCommerce product export.
  case wooCommerce = "WooCommerce product CSV"
  /// A Magento 2 product export.
  case magento = "Magento product CSV"
  /// A BigCommerce product export, in the old layout or that of version 3.
  case bigCommerce = "BigCommerce product CSV"
  /// A Squarespace product export, in which further rows of a product hold its variants.
  case squarespace = "Squarespace product CSV"
  /// A Wix Stores product export, in the layout with `handleId` or that with `handle`.
  case wix = "Wix product CSV"
  /// A file of eBay's bulk listing tools.
  case eBay = "eBay listing file"
  /// The eight columns of Google's Product Search, one image on each row, without a header.
  case productSearch = "Google Product Search CSV"
  /// Products and stores of schema.org in JSON-LD.
  case schemaOrg = "schema.org JSON-LD"
  /// An HTML page with products of schema.org in it.
  case html = "HTML page with JSON-LD"
  /// A folder of images, one product each.
  case folder = "folder of images"

  /// The word for what the rows of a feed are counted by: documents are read as a whole, without their lines.
  package var rowName: String {
    switch self {
    case .json, .schemaOrg, .html: "entity"
    default: "line"
    }
  }
}

/// The way a feed is read: its format, and the meaning of its fields.
package struct FeedMapping: Sendable, Hashable {
  /// The recognized format.
  package let format: FeedFormat
  /// The name of the format, for people: that of ``format``, or one that is known more exactly.
  package let name: String
  /// The fields of the feed, in their order.
  package let fields: [Field]

  /// A field of the feed.
  package struct Field: Sendable, Hashable {
    /// The name in the feed.
    package let name: String
    /// The field of the entity that it becomes, or `nil` if it is kept unchanged, under `extra`.
    package let target: String?
  }

  init(format: FeedFormat, name: String? = nil, fields: [(name: String, target: String?)] = []) {
    self.format = format
    self.name = name ?? format.rawValue
    self.fields = fields.map { Field(name: $0.name, target: $0.target) }
  }

  init(
    format: FeedFormat, name: String? = nil, _ columns: [String], _ targets: [FeedTarget?],
    _ map: FieldMap? = nil, isPresent: (String) -> Bool = { _ in true }
  ) {
    let mapped = map?.assignments.flatMap { assignment in
      assignment.source.fields.isEmpty
        ? [(assignment.column, assignment.target?.name)]
        : assignment.source.fields.filter(isPresent).map {
          ($0.hasPrefix("./") ? String($0.dropFirst(2)) : $0, assignment.target?.name)
        }
    }
    let used = Set(map?.fields.map(ColumnVocabulary.normalized) ?? [])
    self.init(
      format: format, name: name,
      fields: (mapped ?? [])
        + zip(columns, targets).filter { !used.contains(ColumnVocabulary.normalized($0.0)) }
        .map { ($0, $1 == .otherTitle || $1 == .otherID ? nil : $1?.name) })
  }
}
