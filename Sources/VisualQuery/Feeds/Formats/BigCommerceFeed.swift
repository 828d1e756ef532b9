/// A BigCommerce product export: the layout with `Item Type`, and that of version 3 with `Item`
/// (<https://support.bigcommerce.com/s/article/Product-Import-Export-v3>).
///
/// Rows of variants and images follow the row of their product.
struct BigCommerceFeed: FollowingRowsFeed {
  private static let targets: [String: FeedTarget] = [
    "productname": .title, "name": .title, "brandname": .brand, "brand": .brand, "price": .price,
    "saleprice": .salePrice, "category": .labels, "categories": .labels, "producturl": .url,
    "productdescription": .description, "description": .description, "currentstocklevel": .quantity,
    "currentstock": .quantity, "productcodesku": .id, "sku": .id, "imageurlimport": .images,
    "internalimageurlexport": .images, "variantimageurl": .images,
  ]

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  /// The column that says what a row is.
  private let kindColumn: Int
  var queue = RecordQueue()
  var group: ProductFamily?
  private var isHidden = false
  /// The stock that is tracked: `none`, that of the product, or that of its variants.
  private var tracking = ""

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head else { return nil }
    let isOld = header.has("itemtype", "productname")
    guard isOld || header.has("item", "name", "sku", "options"),
      let kindColumn = header.index(isOld ? "itemtype" : "item")
    else { return nil }
    self.kindColumn = kindColumn
    table = ExportTable(header, context) { name in
      let base = String(name.filter { !$0.isNumber })
      if base == "productimagefile" || base == "productimageurl" { return .images }
      return Self.targets[name]
    }
    mapping = table.mapping(.bigCommerce)
  }

  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError) {
    let fields = try table.header.fields(bytes)
    switch fields[kindColumn].trimmed.lowercased() {
    case "product":
      finish()
      begin(fields, line)
    case "sku", "variant":
      let sku = table.text("productcodesku", "sku", in: fields) ?? ""
      var row = ProductVariant(
        ids: [sku, table.text("productid", "id", in: fields) ?? ""], line: line)
      row.sku = sku
      row.price = table.text("price", in: fields).map { PriceField(text: $0) }
      row.salePrice = table.text("saleprice", in: fields).map { PriceField(text: $0) }
      if tracking == "none" {
        row.availability = "in stock"
      } else if tracking != "product" {
        row.quantity = table.text("currentstocklevel", "currentstock", in: fields)
      }
      row.images = imageNames(fields)
      row.codes = table.codes(in: fields)
      row.options = Self.options(
        table.text("options", in: fields) ?? table.text("productname", in: fields) ?? "")
      group?.add(row)
    case "image":
      let description = table.text("imagedescription", in: fields) ?? ""
      let names = imageNames(fields)
      group?.addImages(names, text: description)
    case let kind:
      leftOut["rows of the kind '\(kind.prefix(20))'", default: 0] += 1
    }
  }

  private mutating func begin(_ fields: [String], _ line: Int) {
    var draft = ProductDraft()
    for (column, text) in fields.enumerated() where !text.isEmpty && column != kindColumn {
      switch table.targets[column] {
      case .images?: continue
      case .labels?:
        draft.addLabels(
          FeedText.categories(text.replacing(";", with: "|"), separator: "|", step: "/"))
      case let target: draft.add(target, table.header.columns[column], text)
      }
    }
    if draft.id.isEmpty { draft.id = table.text("productid", "id", in: fields) ?? "" }
    let tracked = table.text("trackinventory", "inventorytracking", in: fields) ?? ""
    tracking = tracked.lowercased().split(separator: " ").last.map(String.init) ?? ""
    if tracking == "none" { draft.availability = "in stock" }
    if let url = draft.url, !url.contains("://") {
      // The address is only a path, which a template of links can complete.
      draft.url = nil
      draft.keep("path", .string(url))
    }
    var group = ProductFamily(
      base: draft, line: line, allowance: FeedAllowance(table.context.options.limits))
    group.addImages(imageNames(fields))
    self.group = group
    isHidden = table.text("productvisible", "isvisible", in: fields).flatMap(FeedText.flag) == false
  }

  /// Returns the images of a row. A file and an address with the same number are one image.
  private func imageNames(_ fields: [String]) -> [String] {
    var names: [String] = []
    var numbered: [String: Int] = [:]
    for (column, text) in fields.enumerated()
    where !text.isEmpty && table.targets[column] == .images {
      let number = String(table.header.normalized[column].filter(\.isNumber))
      if !number.isEmpty, let place = numbered[number] {
        if text.contains("://") { names[place] = text }
        continue
      }
      if number.isEmpty, !names.isEmpty { continue }
      if !number.isEmpty { numbered[number] = names.count }
      names.append(text)
    }
    return FeedText.unique(names)
  }

  /// Returns the options in `[RT]Size=Small,[CS]Color=Red:#f00` or
  /// `Type=Swatch|Name=Color|Value=Red[#f00]`.
  private static func options(_ text: String) -> [(name: String, value: String)] {
    if text.contains("Name=") {
      var options: [(name: String, value: String)] = []
      for part in text.split(separator: "|").map(String.init) {
        if part.hasPrefix("Name=") {
          options.append((VariantOption.name(String(part.dropFirst(5))), ""))
        } else if part.hasPrefix("Value="), !options.isEmpty {
          // The next option follows without a separator.
          let value = part.dropFirst(6).split(separator: "Type=", maxSplits: 1).first ?? ""
          options[options.count - 1].value = Self.withoutCode(String(value))
        }
      }
      return options.filter { !$0.value.isEmpty }
    }
    return text.split(separator: ",").compactMap { part in
      var part = part.trimmed[...]
      if part.first == "[", let close = part.firstIndex(of: "]") {
        part = part[part.index(after: close)...]
      }
      guard let sign = part.firstIndex(of: "=") else { return nil }
      let value = withoutCode(String(part[part.index(after: sign)...]))
      return value.isEmpty ? nil : (VariantOption.name(String(part[..<sign])), value)
    }
  }

  /// Returns the name of a color without its code.
  private static func withoutCode(_ value: String) -> String {
    (value.prefix { $0 != "[" && $0 != "#" }.split(separator: ":").first ?? "").trimmed
  }

  mutating func take(_ group: ProductFamily) {
    if isHidden, !table.context.options.includesDrafts {
      leftOut["hidden products (--include-drafts)", default: 0] += 1
    } else {
      queue.add(group, table.context)
    }
  }
}
