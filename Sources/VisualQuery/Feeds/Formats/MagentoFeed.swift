/// A Magento 2 product export
/// (<https://experienceleague.adobe.com/docs/commerce-admin/systems/data-transfer/data-attributes-product.html>).
///
/// A configurable product names its variants, which are rows of their own, usually before it. So
/// the file is read twice: first for the names. Images are files beneath
/// `pub/media/catalog/product`.
struct MagentoFeed: FeedFormatReader {
  private static let targets: [String: FeedTarget] = [
    "sku": .id, "name": .title, "description": .description, "price": .price,
    "specialprice": .salePrice,
    "categories": .labels, "baseimage": .image, "smallimage": .thumbnail,
    "thumbnailimage": .thumbnail,
    "additionalimages": .images, "isinstock": .availability, "manufacturer": .brand,
    "brand": .brand,
    "color": .attribute("color"), "size": .attribute("size"), "material": .attribute("material"),
    "pattern": .attribute("pattern"),
  ]
  private static let shownAttributes: Set<String> = ["color", "size", "material", "pattern"]

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  /// The configurable product of each variant, and the variant's options.
  private var parents: [String: (sku: String, options: [(name: String, value: String)])] = [:]
  /// The configurable products that are disabled.
  private var hidden: Set<String> = []
  /// The configurable products so far; their bases are set when their rows come.
  private var groups: [String: ProductFamily] = [:]
  private var order: [String] = []
  private var queue = RecordQueue()
  private var isAtEnd = false

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let header) = head, header.has("sku", "name", "producttype"),
      header.has("baseimage") || header.has("attributesetcode")
    else { return nil }
    table = ExportTable(header, context) { Self.targets[$0] }
    mapping = table.mapping(.magento)
    try readParents(records.copy(behind: header))
  }

  /// Reads which variants belong to which configurable products.
  private mutating func readParents(_ records: consuming RecordReader) throws(FeedError) {
    guard table.header.index("configurablevariations") != nil else { return }
    while let record = try records.next() {
      guard case .bytes(let bytes, _) = record, let fields = try? table.header.fields(bytes),
        let sku = table.text("sku", in: fields),
        let list = table.text("configurablevariations", in: fields)
      else { continue }
      if isDisabled(fields) { hidden.insert(sku) }
      for variation in list.split(separator: "|") {
        let pairs = Self.pairs(String(variation))
        guard let child = pairs.first(where: { $0.name == "sku" })?.value else { continue }
        let options = pairs.filter { $0.name != "sku" }.map {
          (VariantOption.name($0.name), $0.value)
        }
        parents[child] = (sku, options)
      }
    }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      if isAtEnd { return nil }
      guard let record = try records.next() else {
        isAtEnd = true
        for sku in order { if let group = groups[sku] { queue.add(group, table.context) } }
        groups = [:]
        continue
      }
      guard case .bytes(let bytes, let line) = record else { return .unread(record) }
      do throws(FieldError) {
        if let record = try read(table.header.fields(bytes), line) { return record }
      } catch {
        return FeedRecord(line: line, error)
      }
    }
  }

  /// Returns the entity of a row, or `nil` if the row is held back or left out.
  private mutating func read(_ fields: [String], _ line: Int) throws(FieldError) -> FeedRecord? {
    if table.text("storeviewcode", in: fields) != nil {
      leftOut["rows of store views, which translate other rows", default: 0] += 1
      return nil
    }
    let sku = table.text("sku", in: fields) ?? ""
    if isDisabled(fields) || parents[sku].map({ hidden.contains($0.sku) }) == true {
      leftOut["disabled products (--include-drafts)", default: 0] += 1
      return nil
    }
    let draft = draft(fields)
    if let parent = parents[sku] {
      var row = ProductVariant(draft, line: line)
      row.sku = sku
      row.options = parent.options
      for (name, value) in draft.attributes.sorted(by: { $0.key < $1.key })
      where !row.options.contains(where: { $0.name == name }) {
        row.options.append((name, value))
      }
      group(parent.sku, line) { $0.add(row) }
      return nil
    }
    if table.text("producttype", in: fields)?.lowercased() == "configurable",
      table.text("configurablevariations", in: fields) != nil
    {
      group(sku, line) {
        $0.base = draft
        $0.addImages(draft.imageNames)
      }
      return nil
    }
    return FeedRecord(line: line, draft.finished(table.context))
  }

  private func isDisabled(_ fields: [String]) -> Bool {
    let status = table.text("productonline", in: fields) ?? table.text("status", in: fields)
    return !table.context.options.includesDrafts && (status == "2" || status == "0")
  }

  private mutating func group(_ sku: String, _ line: Int, _ change: (inout ProductFamily) -> Void) {
    if groups[sku] == nil { order.append(sku) }
    var base = ProductDraft()
    // Uses the SKU as id and title until the row of the configurable product is read.
    (base.id, base.title) = (sku, sku)
    let allowance = FeedAllowance(table.context.options.limits)
    change(&groups[sku, default: ProductFamily(base: base, line: line, allowance: allowance)])
  }

  private func draft(_ fields: [String]) -> ProductDraft {
    var draft = ProductDraft()
    for (column, text) in fields.enumerated() where !text.isEmpty && text != "no_selection" {
      let name = table.header.normalized[column]
      switch name {
      case "categories": draft.addLabels(FeedText.categories(text, separator: ",", step: "/"))
      case "baseimage", "additionalimages", "smallimage", "thumbnailimage":
        let names = ImageList.names(in: text).map(Self.path)
        draft.add(table.targets[column], name, names.joined(separator: "|"))
      case "shortdescription": draft.keep("shortDescription", .string(PlainText.description(text)))
      case "additionalattributes":
        for (name, value) in Self.pairs(text) {
          if Self.shownAttributes.contains(VariantOption.name(name)) {
            draft.setAttribute(VariantOption.name(name), value.replacing("|", with: ", "))
          } else if name == "manufacturer" || name == "brand" {
            draft.brand = draft.brand ?? value
          } else {
            draft.keep(name, .string(value))
          }
        }
      case "configurablevariations", "configurablevariationlabels": continue
      default: draft.add(table.targets[column], table.header.columns[column], text)
      }
    }
    return draft
  }

  /// Returns a path beneath the folder of product images.
  private static func path(_ name: String) -> String {
    name.contains("://") ? name : String(name.drop { $0 == "/" })
  }

  /// Returns the pairs of a list such as `color=Black,size=XS`. A part without `=` continues the
  /// value before it.
  private static func pairs(_ text: String) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if let sign = part.firstIndex(of: "="), sign != part.startIndex {
        let name = part[..<sign].trimmed
        pairs.append((name, part[part.index(after: sign)...].trimmed))
      } else if !pairs.isEmpty {
        pairs[pairs.count - 1].value += "," + part
      }
    }
    return pairs
  }
}
