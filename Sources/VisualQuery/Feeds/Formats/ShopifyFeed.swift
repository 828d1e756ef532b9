/// A Shopify product export, with the headers before and since 2024
/// (<https://help.shopify.com/en/manual/products/import-export/using-csv>).
///
/// The rows of a handle follow each other. Drafts, archived and unpublished products are left out,
/// unless the options include them.
struct ShopifyFeed: FollowingRowsFeed {
  /// The meaning of columns, by their normalized names.
  private static let targets: [String: FeedTarget] = [
    "handle": .id, "urlhandle": .id, "title": .title, "vendor": .brand, "type": .labels,
    "productcategory": .labels, "tags": .labels, "imagesrc": .images, "productimageurl": .images,
    "variantprice": .price, "price": .price, "variantimage": .images, "variantimageurl": .images,
    "bodyhtml": .description, "description": .description, "customproducttype": .labels,
    "standardproducttype": .labels, "variantinventoryqty": .quantity,
    "inventoryquantity": .quantity, "status": .visibility, "published": .visibility,
    "publishedononlinestore": .visibility,
  ]
  /// The columns that only such exports have.
  private static let signs = [
    "variantprice", "variantsku", "imagesrc", "variantimage", "option1name", "option1value",
    "productimageurl", "variantimageurl", "bodyhtml",
  ]
  /// Columns of single variants and images, which are not fields of the product.
  private static let ownColumns: Set<String> = [
    "imageposition", "imagealttext", "variantsku", "sku",
  ]
  /// Columns of the stock of single variants at one place, in an export of the inventory.
  private static let inventoryColumns: Set<String> = [
    "location", "binname", "incoming", "incomingnoteditable", "unavailable",
    "unavailablenoteditable", "committed", "committednoteditable", "available",
    "availablenoteditable", "onhand", "onhandcurrent", "onhandnew",
  ]

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  var queue = RecordQueue()
  private var handle = ""
  var group: ProductFamily?
  private var optionNames: [String] = ["", "", ""]
  /// The colors of the product, which are none of its options.
  private var colors: [String] = []
  private var isHidden = false
  /// The column with the place of a row, if the table is an export of the inventory.
  private let placeColumn: Int?
  /// The columns with the stock of one place each, in such an export of earlier years.
  private let placeColumns: [Int]

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head, header.has("title"),
      header.has("handle") || header.has("urlhandle")
    else { return nil }
    // A table with the columns type, id and title is in the own format of `vq`, and may have a
    // `urlhandle` as well.
    guard header.has("handle") || !header.has("type", "id", "title") else { return nil }
    // Other feeds with an image of each product may have a column for the handle, too.
    let isOther = header.has("id", "imagelink") || header.has("id", "link")
    guard !isOther || Self.signs.contains(where: { header.has($0) }) else { return nil }
    table = ExportTable(header, context) { name in
      name.hasPrefix("option") && (name.hasSuffix("value") || name.hasSuffix("name"))
        ? .attributes : Self.targets[name]
    }
    placeColumn = header.has("handle", "location", "coo") ? header.index("location") : nil
    let origin = header.has("handle", "coo", "sku") ? header.index("coo") : nil
    placeColumns =
      placeColumn == nil && !header.has("price") && !header.has("variantprice")
      ? header.columns.indices.filter { $0 > origin ?? .max } : []
    let isInventory = placeColumn != nil || !placeColumns.isEmpty
    let places = Set(placeColumns.map { header.normalized[$0] })
    mapping = table.mapping(.shopify) { name in
      Self.ownColumns.contains(name)
        || isInventory && Self.inventoryColumns.contains(name) || places.contains(name)
    }
  }

  /// Adds a row to the product of its handle.
  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError) {
    let fields = try table.header.fields(bytes)
    let own = table.text("handle", "urlhandle", in: fields) ?? ""
    if !own.hasSameBytes(as: handle) || group == nil {
      finish()
      handle = own
      begin(line)
    }
    var variant = ProductVariant(line: line)
    for (column, text) in fields.enumerated() where !text.isEmpty {
      let name = table.header.normalized[column]
      switch name {
      case "variantimage", "variantimageurl": variant.images = [text]
      case "imagesrc", "productimageurl":
        let alt = table.text("imagealttext", in: fields) ?? ""
        group?.addImages([text], text: alt)
      case "variantprice", "price": variant.price = PriceField(text: text)
      case "variantinventoryqty", "inventoryquantity": variant.quantity = text
      case "variantsku", "sku": variant.sku = text
      case "status", "published", "publishedononlinestore": note(name, text)
      case "bodyhtml", "description": group?.base.add(.description, name, text)
      case _ where Self.ownColumns.contains(name): continue
      case _ where placeColumn != nil && Self.inventoryColumns.contains(name): continue
      case _ where placeColumns.contains(column): continue
      case _ where ProductCode.isField(name): continue
      case _ where name.hasPrefix("option"): addOption(name, text, to: &variant)
      case _ where name.hasSuffix("metafieldsshopifycolorpattern"):
        colors = text.split(separator: ";").map(\.trimmed)
        addShared(column, text)
      default: addShared(column, text)
      }
    }
    // A discontinued product is out of stock even if its stock is not tracked.
    if group?.base.availability == nil {
      variant.availability = availability(fields, quantity: variant.quantity)
    }
    // A row with only an image has no price and no option of its own.
    if variant.price != nil || !variant.sku.isEmpty || !variant.options.isEmpty {
      variant.codes = table.codes(in: fields)
      if placeColumn == nil, placeColumns.isEmpty {
        group?.add(variant)
      } else {
        addStock(fields, to: &variant)
        group?.addStock(variant)
      }
    }
  }

  /// Reads the stock of a row of the inventory: that of one place, or of all places.
  private func addStock(_ fields: [String], to variant: inout ProductVariant) {
    var stocks = placeColumns.map { (place: table.header.columns[$0], count: fields[$0]) }
    if let placeColumn {
      let count = table.text(
        "available", "availablenoteditable", "onhand", "onhandcurrent", in: fields)
      stocks.append((fields[placeColumn], count ?? ""))
    }
    variant.stockedAt = []
    for stock in stocks {
      guard let isThere = FeedText.isInStock(stock.count) else { continue }
      if isThere, !stock.place.trimmed.isEmpty { variant.stockedAt?.append(stock.place.trimmed) }
      if isThere || variant.quantity == nil { variant.quantity = stock.count }
    }
  }

  /// Returns the availability of a variant whose stock is not tracked, or that is sold beyond it, otherwise `nil`.
  private func availability(_ fields: [String], quantity: String?) -> String? {
    let trackers = ["variantinventorytracker", "inventorytracker"]
    if trackers.contains(where: { table.header.index($0) != nil }),
      table.text("variantinventorytracker", "inventorytracker", in: fields) == nil
    {
      return "in stock"
    }
    let policy = table.text("variantinventorypolicy", "continuesellingwhenoutofstock", in: fields)
    let isSold = policy?.trimmed.lowercased() == "continue" || policy.flatMap(FeedText.flag) == true
    return isSold && quantity.flatMap(FeedText.isInStock) == false ? "backorder" : nil
  }

  private mutating func begin(_ line: Int) {
    var base = ProductDraft()
    base.id = handle
    base.keep("handle", .string(handle))
    group = ProductFamily(
      base: base, line: line, naming: .colors,
      allowance: FeedAllowance(table.context.options.limits))
    (optionNames, isHidden, colors) = (["", "", ""], false, [])
  }

  private mutating func addShared(_ column: Int, _ text: String) {
    let target = table.targets[column]
    switch target {
    case .title?:
      let isFirst = group?.base.title.isEmpty == true
      if isFirst { group?.base.title = text }
    case .brand?:
      let brand = group?.base.brand ?? text
      group?.base.brand = brand
    case .id?:
      let name = table.header.columns[column].trimmed
      guard Self.targets[table.header.normalized[column]] == nil else { return }
      group?.base.keep(name == "id" ? "ID" : name, .string(text))
    default: group?.base.add(target, table.header.columns[column], text)
    }
  }

  /// Reads `Option1 Name`, `Option1 Value` and the like; only the first row has the names.
  private mutating func addOption(
    _ column: String, _ text: String, to variant: inout ProductVariant
  ) {
    guard let digit = column.first(where: \.isNumber)?.wholeNumberValue, (1...3).contains(digit)
    else {
      return
    }
    if column.hasSuffix("name") {
      optionNames[digit - 1] = VariantOption.name(text)
    } else if column.hasSuffix("value") {
      let name = optionNames[digit - 1]
      // Shopify gives a product without variants one with the option "Title: Default Title",
      // which says nothing.
      if name == "title" || text == "Default Title" { return }
      variant.options.append((name.isEmpty ? "option\(digit)" : name, text))
    }
  }

  /// Notes the state of a product.
  private mutating func note(_ column: String, _ text: String) {
    let word = text.trimmed.lowercased()
    let hides =
      column == "status"
      ? word == "draft" || word == "archived" || word == "unlisted" : word == "false"
    if hides, table.context.options.includesDrafts {
      group?.base.availability = "discontinued"
    } else if hides {
      isHidden = true
    }
  }

  mutating func take(_ group: ProductFamily) {
    var group = group
    if !group.optionNames.contains("color"), colors.allSatisfy(FeedText.isColor), !colors.isEmpty {
      group.base.setAttribute("color", colors.joined(separator: ", "))
    }
    if isHidden {
      leftOut["drafts, archived and unpublished products (--include-drafts)", default: 0] += 1
    } else {
      queue.add(group, table.context)
    }
  }
}
