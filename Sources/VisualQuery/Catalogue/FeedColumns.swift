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
    var name = FeedRows.trimmed(column.lowercased())
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
