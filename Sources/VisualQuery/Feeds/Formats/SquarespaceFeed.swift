/// A Squarespace product export
/// (<https://support.squarespace.com/hc/articles/205814498>).
///
/// The first row of a product holds its texts, its images and its first variant; the rows of the other
/// variants follow without a title.
struct SquarespaceFeed: FollowingRowsFeed {
  private static let targets: [String: FeedTarget] = [
    "productidnoneditable": .id, "productid": .id, "title": .title, "description": .description,
    "sku": .id, "price": .price, "saleprice": .salePrice, "stock": .quantity,
    "categories": .labels, "tags": .labels, "hostedimageurls": .images,
  ]

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  var queue = RecordQueue()
  var group: ProductFamily?
  private var isHidden = false

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head, header.has("title", "hostedimageurls", "optionname1")
    else { return nil }
    table = ExportTable(header, context) { name in
      name.hasPrefix("optionvalue") ? .attributes : Self.targets[name]
    }
    mapping = table.mapping(.squarespace)
  }

  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError) {
    let fields = try table.header.fields(bytes)
    if table.text("title", "productidnoneditable", "productid", in: fields) != nil || group == nil {
      finish()
      begin(fields, line)
    }
    let variant = variant(fields, line)
    group?.add(variant)
  }

  private mutating func begin(_ fields: [String], _ line: Int) {
    var base = ProductDraft()
    base.id =
      table.text("productidnoneditable", "productid", "producturl", "sku", in: fields) ?? ""
    base.title = table.text("title", in: fields) ?? ""
    for (column, text) in fields.enumerated() where !text.isEmpty {
      switch table.header.normalized[column] {
      case "description": base.add(.description, "description", text)
      case EntityValue.textField: base.add(.text, EntityValue.textField, text)
      case "categories", "tags":
        base.addLabels(FeedText.categories(text, separator: ",", step: "/"))
      // This column has only the last part of the address of the page.
      case "producturl": base.keep("slug", .string(text))
      case "productpage": base.keep("page", .string(text))
      case "producttypenoneditable", "producttype": base.keep("productType", .string(text))
      default: continue
      }
    }
    var group = ProductFamily(
      base: base, line: line, allowance: FeedAllowance(table.context.options.limits))
    group.addImages(ImageList.names(in: table.text("hostedimageurls", in: fields) ?? ""))
    self.group = group
    isHidden = table.text("visible", in: fields).flatMap(FeedText.flag) == false
  }

  private func variant(_ fields: [String], _ line: Int) -> ProductVariant {
    let sku = table.text("sku", in: fields) ?? ""
    let ownID = table.text("variantidnoneditable", "variantid", in: fields) ?? ""
    var row = ProductVariant(ids: [sku, ownID, group?.base.id ?? ""], line: line)
    row.sku = sku
    row.codes = table.codes(in: fields)
    row.price = table.text("price", in: fields).map { PriceField(text: $0) }
    if table.text("onsale", in: fields).flatMap(FeedText.flag) == true {
      row.salePrice = table.text("saleprice", in: fields).map { PriceField(text: $0) }
    }
    let stock = table.text("stock", in: fields)
    row.quantity = stock?.lowercased() == "unlimited" ? nil : stock
    row.availability = stock?.lowercased() == "unlimited" ? "in stock" : nil
    var number = 1
    while let column = table.header.index("optionname\(number)") {
      if !fields[column].isEmpty, let value = table.text("optionvalue\(number)", in: fields) {
        row.options.append((VariantOption.name(fields[column]), value))
      }
      number += 1
    }
    return row
  }

  mutating func take(_ group: ProductFamily) {
    if isHidden, !table.context.options.includesDrafts {
      leftOut["hidden products (--include-drafts)", default: 0] += 1
    } else {
      queue.add(group, table.context)
    }
  }
}
