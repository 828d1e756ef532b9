/// A WooCommerce product export
/// (<https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema>).
///
/// The variations of a product may be anywhere in the file, so that variable products are held back
/// until its end.
struct WooCommerceFeed: FeedFormatReader {
  private static let targets: [String: FeedTarget] = [
    "sku": .id, "name": .title, "description": .description, "regularprice": .price,
    "saleprice": .salePrice,
    "categories": .labels, "tags": .labels, "images": .images, "instock": .availability,
    "brands": .brand,
    "brand": .brand, "externalurl": .url, "isfeatured": .featured, "parent": .group,
    "currency": .currency, "published": .visibility,
  ]

  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let table: ExportTable
  /// The variable products, by their SKU and by `id:` and their number.
  private var groups: [ProductFamily] = []
  /// The attributes of the variable products, some of which are options of their variations.
  private var groupAttributes: [[(name: String, value: String)]] = []
  private var places: [String: Int] = [:]
  /// The variations, by the parent that they name.
  private var variations: [(parent: String, draft: ProductDraft, row: ProductVariant)] = []
  private var queue = RecordQueue()
  private var isAtEnd = false

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let own) = head,
      let header = try WooCommerceHeader.english(own, of: &records)
    else { return nil }
    table = ExportTable(header, context) { name in
      name.hasPrefix("attribute") && name.hasSuffix("values") ? .attributes : Self.targets[name]
    }
    mapping = table.mapping(.wooCommerce) { name in
      name == "type" || name.hasPrefix("attribute") && !name.hasSuffix("values")
    }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      if isAtEnd { return nil }
      guard let record = try records.next() else {
        finish()
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
    let kind = (table.text("type", in: fields) ?? "simple").lowercased()
    if !table.context.options.includesDrafts, let published = table.text("published", in: fields),
      ["0", "-1", "draft", "private", "false"].contains(published.lowercased())
    {
      leftOut["drafts and unpublished products (--include-drafts)", default: 0] += 1
      return nil
    }
    let options = attributes(fields)
    var draft = draft(fields)
    if kind.contains("variation") {
      var row = ProductVariant(draft, line: line)
      row.sku = table.text("sku", in: fields) ?? ""
      row.options = options
      variations.append((table.text("parent", in: fields) ?? "", draft, row))
      return nil
    }
    if kind.contains("variable") {
      places[draft.id] = groups.count
      if let number = table.text("id", in: fields) { places["id:" + number] = groups.count }
      var group = ProductFamily(
        base: draft, line: line, allowance: FeedAllowance(table.context.options.limits))
      group.addImages(draft.images)
      groups.append(group)
      groupAttributes.append(options)
      return nil
    }
    for option in options { draft.setAttribute(option.name, option.value) }
    return FeedRecord(line: line, draft.finished(table.context))
  }

  /// Returns the fields of a row besides its attributes.
  private func draft(_ fields: [String]) -> ProductDraft {
    var draft = ProductDraft()
    draft.currency = table.text("currency", in: fields)
    for (column, text) in fields.enumerated() where !text.isEmpty {
      let name = table.header.normalized[column]
      switch name {
      case "type", "published", "parent", "currency": continue
      case "categories", "tags":
        draft.addLabels(FeedText.categories(text, separator: ",", step: ">"))
      case "description": draft.add(.description, name, Self.withLineBreaks(text))
      case "shortdescription":
        draft.keep(
          "shortDescription", .string(PlainText.description(Self.withLineBreaks(text))))
      case "datesalepricestarts": draft.add(nil, "Date sale price starts", text)
      case "datesalepriceends": draft.add(nil, "Date sale price ends", text)
      case _ where name.hasPrefix("attribute"): continue
      default: draft.add(table.targets[column], table.header.columns[column], text)
      }
    }
    if draft.id.isEmpty { draft.id = table.text("id", in: fields) ?? "" }
    return draft
  }

  /// Returns a text with the line breaks that the exporter writes as `\n`.
  private static func withLineBreaks(_ text: String) -> String {
    text.replacing("\\\\n", with: "\n").replacing("\\n", with: "\n")
  }

  /// Returns the attributes of a row, from the columns `Attribute 1 name` and `Attribute 1
  /// value(s)`.
  private func attributes(_ fields: [String]) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    var number = 1
    while let column = table.header.index("attribute\(number)name") {
      if !fields[column].isEmpty, let value = table.text("attribute\(number)values", in: fields) {
        // Commas within a value have a backslash before them.
        attributes.append((VariantOption.name(fields[column]), value.replacing("\\,", with: ",")))
      }
      number += 1
    }
    return attributes
  }

  /// Makes the entities of variable products at the end of the file.
  private mutating func finish() {
    isAtEnd = true
    for (parent, draft, row) in variations {
      if let place = places[parent] {
        groups[place].add(row)
        continue
      }
      // This variation belongs to a product that is not in the file, or was left out.
      var draft = draft
      if !parent.isEmpty { draft.group = parent }
      for option in row.options { draft.setAttribute(option.name, option.value) }
      queue.add([(row.line, draft.finished(table.context))])
    }
    variations = []
    for (index, var group) in groups.enumerated() {
      for (name, value) in groupAttributes[index] where !group.optionNames.contains(name) {
        group.base.setAttribute(name, value)
      }
      queue.add(group, table.context)
    }
    (groups, groupAttributes) = ([], [])
  }
}
