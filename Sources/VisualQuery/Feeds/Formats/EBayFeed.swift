/// A file of eBay's bulk listing tools, in which rows with `Relationship` = `Variation` follow
/// their listing (<https://developer.ebay.com/devzone/merchant-data/createlisting/>).
struct EBayFeed: FollowingRowsFeed {
  let mapping: FeedMapping
  private let rows: TableRows
  private let relationship: Int
  private let details: Int?
  var queue = RecordQueue()
  var group: ProductFamily?

  init?(_ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext) {
    guard case .table(let header) = head, header.has("title"),
      let relationship = header.index("relationship")
    else { return nil }
    var targets = ColumnVocabulary.targets(of: header.columns)
    for (column, name) in header.normalized.enumerated()
    where name == "customlabel" || name == "customlabelsku" {
      if let other = targets.firstIndex(of: .id) { targets[other] = nil }
      targets[column] = .id
    }
    guard targets.contains(.id) else { return nil }
    self.relationship = relationship
    details = header.index("relationshipdetails")
    mapping = FeedMapping(format: .eBay, header.columns, targets)
    rows = TableRows(header: header, targets: targets, isNative: false, context: context)
  }

  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError) {
    let fields = try rows.header.fields(bytes)
    var draft = try rows.draft(bytes)
    // This column lists the options of all variations. It is left out, because each variation
    // has its own as attributes.
    if let details { draft.leaveOut(rows.names[details]) }
    let isVariation = fields[relationship].lowercased() == "variation"
    if isVariation, group != nil {
      var row = ProductVariant(draft, line: line)
      row.ids.append("\(group?.base.id ?? "")/\((group?.variants.count ?? 0) + 1)")
      row.sku = draft.id
      row.images = draft.imageNames.map(Self.withoutOption)
      row.options = (details.map { fields[$0] } ?? "").split(separator: "|").compactMap { pair in
        let parts = pair.split(separator: "=", maxSplits: 1).map(\.trimmed)
        return parts.count == 2 ? (VariantOption.name(parts[0]), parts[1]) : nil
      }
      group?.add(row)
      return
    }
    finish()
    var next = ProductFamily(
      base: draft, line: line, allowance: FeedAllowance(rows.context.options.limits))
    next.addImages(draft.imageNames)
    group = next
  }

  /// Returns the address of an image that is named with its option, such as `Red=https://…`.
  private static func withoutOption(_ name: String) -> String {
    guard let sign = name.firstIndex(of: "="), !name[..<sign].contains("/") else { return name }
    let address = name[name.index(after: sign)...]
    return address.hasPrefix("http") ? String(address) : name
  }

  mutating func take(_ group: ProductFamily) { queue.add(group, rows.context) }
}
