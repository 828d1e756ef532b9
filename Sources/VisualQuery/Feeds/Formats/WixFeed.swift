/// A Wix Stores product export, in the layout with `handleId` and in that with `handle`
/// (<https://support.wix.com/en/article/wix-stores-creating-your-csv-file-to-import-products>).
///
/// Rows of variants, and of further images, follow the row of their product without a name.
struct WixFeed: FollowingRowsFeed {
  private static let targets: [String: FeedTarget] = [
    "handleid": .id, "handle": .id, "name": .title, "description": .description,
    "plaindescription": .description, "productimageurl": .images, "media": .images,
    "collection": .labels, "brand": .brand, "price": .price, "inventory": .quantity,
  ]
  /// The folder of images that are named without an address.
  private static let mediaFolder = "https://static.wixstatic.com/media/"

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  var queue = RecordQueue()
  var group: ProductFamily?
  private var optionNames: [String] = []
  private var isHidden = false
  /// The discount of the product on its prices.
  private var discount: (amount: Double, isPercent: Bool)?

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head, header.has("fieldtype", "name"),
      header.has("handleid") || header.has("handle")
    else { return nil }
    table = ExportTable(header, context) { name in
      name.hasPrefix("productoptiondescription") || name.hasPrefix("productoptionchoices")
        ? .attributes : Self.targets[name]
    }
    mapping = table.mapping(.wix)
  }

  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError) {
    let fields = try table.header.fields(bytes)
    switch (table.text("fieldtype", in: fields) ?? "").lowercased() {
    case "product":
      finish()
      begin(fields, line)
    case "variant":
      let variant = variant(fields, line)
      group?.add(variant)
    case "media":
      let images = images(fields)
      for image in images { group?.addImages([image.name], text: image.text) }
    case let kind: leftOut["rows of the kind '\(kind.prefix(20))'", default: 0] += 1
    }
  }

  private mutating func begin(_ fields: [String], _ line: Int) {
    var base = ProductDraft()
    let shared: Set<String> = [
      "name", "description", "plaindescription", "brand", "price", "ribbon", "barcode", "weight",
      "discountmode", "discountvalue", EntityValue.textField,
    ]
    base.id = table.text("handleid", "handle", in: fields) ?? ""
    for (column, text) in fields.enumerated() where !text.isEmpty {
      let name = table.header.normalized[column]
      if name == "collection" {
        base.addLabels(FeedText.categories(text, separator: ";", step: "/"))
      } else if shared.contains(name) {
        base.add(table.targets[column], table.header.columns[column], text)
      }
    }
    if let sku = table.text("sku", in: fields) { base.keep("sku", .string(sku)) }
    base.availability = availability(fields)
    discount = table.text("discountvalue", in: fields).flatMap(Double.init).map {
      ($0, table.text("discountmode", in: fields)?.trimmed.uppercased() == "PERCENT")
    }
    base.salePrice = reduced(base.price)
    var group = ProductFamily(
      base: base, line: line, allowance: FeedAllowance(table.context.options.limits))
    // The price of a product is what its cheapest variant costs, since surcharges come on top of it.
    group.isPricedByCheapest = true
    for image in images(fields) { group.addImages([image.name], text: image.text) }
    self.group = group
    optionNames = (1...6).map { number in
      VariantOption.name(table.text("productoptionname\(number)", in: fields) ?? "")
    }
    isHidden = table.text("visible", in: fields).flatMap(FeedText.flag) == false
  }

  private func variant(_ fields: [String], _ line: Int) -> ProductVariant {
    let sku = table.text("sku", in: fields) ?? ""
    let number = "\(group?.base.id ?? "")/\((group?.variants.count ?? 0) + 1)"
    var row = ProductVariant(ids: [sku, number], line: line)
    row.sku = sku
    row.price = price(fields)
    row.salePrice = reduced(row.price)
    row.availability = availability(fields)
    row.images = images(fields).map(\.name)
    row.codes = table.codes(in: fields)
    for (index, name) in optionNames.enumerated() where !name.isEmpty {
      let number = index + 1
      let text = table.text(
        "productoptiondescription\(number)", "productoptionchoices\(number)", in: fields)
      guard let text else { continue }
      // A color is written as its code and its name: #ff0000:Red.
      let value = text.hasPrefix("#") ? text.split(separator: ":").last.map(String.init) : text
      row.options.append((name, value ?? text))
    }
    return row
  }

  /// Returns the price of a variant: its own, or that of its product with the surcharge.
  private func price(_ fields: [String]) -> PriceField? {
    if let own = table.text("price", in: fields) { return PriceField(text: own) }
    guard let surchargeText = table.text("surcharge", in: fields),
      Double(surchargeText) != 0
    else {
      // A price with decimals is written like those with a surcharge.
      let price = group?.base.price
      let amount = price.flatMap { $0.text.contains(".") ? Double($0.text) : nil }
      return amount.flatMap(Self.field) ?? price
    }
    guard let surcharge = Double(surchargeText), let baseText = group?.base.price?.text,
      let base = Double(baseText)
    else { return nil }
    // The sum is not a usable number, for example `inf`. The text is kept, so that a warning
    // shows it when the price is left out.
    return Self.field(base + surcharge)
      ?? PriceField(text: "\(baseText) + \(surchargeText)", isNumber: true)
  }

  /// Returns a price less the discount of the product, or `nil` if there is none.
  private func reduced(_ price: PriceField?) -> PriceField? {
    guard let discount, discount.amount > 0, let full = price.flatMap({ Double($0.text) }) else {
      return nil
    }
    let rest = discount.isPercent ? full * (1 - discount.amount / 100) : full - discount.amount
    return rest > 0 ? Self.field(rest) : nil
  }

  /// Returns an amount as a price, or `nil` if it is too large.
  private static func field(_ amount: Double) -> PriceField? {
    guard let cents = Int(exactly: (amount * 100).rounded()) else { return nil }
    let (whole, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
    return PriceField(
      text: "\(cents < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)", isNumber: true)
  }

  /// Returns the availability, also of a column that has a quantity.
  private func availability(_ fields: [String]) -> String? {
    guard let text = table.text("inventory", in: fields) else { return nil }
    return Double(text).map { $0 > 0 ? "in stock" : "out of stock" } ?? text
  }

  private func images(_ fields: [String]) -> [(name: String, text: String)] {
    let list = table.text("productimageurl", "media", in: fields) ?? ""
    return list.split(separator: ";").map { part in
      let name = part.trimmed
      let isStored = !name.contains("/") && name.contains("~mv2")
      return (
        isStored ? Self.mediaFolder + name : name, table.text("mediaalttext", in: fields) ?? ""
      )
    }
  }

  mutating func take(_ group: ProductFamily) {
    if isHidden, !table.context.options.includesDrafts {
      leftOut["hidden products (--include-drafts)", default: 0] += 1
    } else {
      queue.add(group, table.context)
    }
  }
}
