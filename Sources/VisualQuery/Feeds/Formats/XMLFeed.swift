/// An XML document of products: a Google Merchant feed, whose items are `item` of RSS 2.0 or
/// `entry` of Atom, or items of another name, whose fields are recognized by their names.
///
/// An item that is not well-formed is rejected, and reading continues with the next one.
struct XMLFeed: FeedFormatReader {
  let mapping: FeedMapping
  private var items: XMLItemStream
  private let isMerchant: Bool
  private let context: FeedContext
  /// The targets of the fields of items, by their names.
  private var known: [[String]: [FeedTarget?]] = [:]

  /// The names of items, the surest first.
  private static let itemNames = [
    "item", "entry", "product", "Product", "PRODUCT", "offer", "Offer", "SHOPITEM", "shopitem",
    "prod", "article",
    "Article", "artikel", "Artikel", "ARTICLE", "Item", "ITEM", "produkt", "Produkt", "producto",
    "produit", "prodotto",
    "listing", "good", "row", "Row", "record", "Record", "o",
  ]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(CatalogueError) {
    guard case .xml(let start) = head else { return nil }
    self.context = context
    let outline = XMLOutline(start)
    if ["urlset", "sitemapindex"].contains(outline.root) {
      throw CatalogueError(
        code: .unreadableInput,
        message:
          "'\(records.name)' is a sitemap, which lists pages; expected the products of a feed")
    }
    // Its categories may fill the beginning by which documents are recognized.
    let known = outline.root == "yml_catalog" ? "offer" : nil
    guard
      let name = known ?? outline.itemName(among: Self.itemNames) ?? outline.repeatedName
    else {
      throw CatalogueError(
        code: .unreadableInput,
        message:
          "'\(records.name)' is XML without items (its root is <\(outline.root)>); expected for example an RSS "
          + "feed with <item>, or <product> elements")
    }
    isMerchant =
      ["item", "entry"].contains(name) && ["rss", "feed", "rdf:RDF"].contains(outline.root)
      || start.contains("base.google.com/ns")
    items = XMLItemStream(items: isMerchant ? ["item", "entry"] : [name], isDeep: !isMerchant)
    let fields = outline.children[name] ?? []
    mapping = FeedMapping(
      format: isMerchant ? .merchant : .xml, fields, ColumnVocabulary.targets(of: fields))
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    guard let item = try items.next(from: &records) else { return nil }
    switch item.fields {
    case .failure(let error): return FeedRecord(line: item.line, error)
    case .success(let fields):
      // White space and comments between fields do not change the contents of an item.
      let bytes = fields.flatMap { field -> [UInt8] in
        Array(field.name.utf8) + [0] + Array(field.text.utf8) + [0]
      }
      let targets = targets(of: fields)
      let context = context
      return FeedRecord(line: item.line, bytes: bytes) { () throws(FieldError) in
        var draft = ProductDraft()
        for (field, target) in zip(fields, targets) {
          let name = MerchantFields.normalized(field.name)
          if target == nil { draft.keepRepeated(name, field.text) }
          draft.add(target, name, field.text)
        }
        return draft.finished(context)
      }
    }
  }

  /// Returns the meaning of an item's fields. A field that occurs several times has the same
  /// meaning each time.
  private mutating func targets(of fields: [XMLItemParser.Field]) -> [FeedTarget?] {
    let names = FeedText.unique(fields.map(\.name))
    let targets: [FeedTarget?]
    if let found = known[names] {
      targets = found
    } else {
      targets = ColumnVocabulary.targets(of: names)
      // Items of a feed have few combinations of fields.
      if known.count < 1000 { known[names] = targets }
    }
    var byName: [String: FeedTarget] = [:]
    for (name, target) in zip(names, targets) {
      if let target { byName[name] = target }
    }
    return fields.map { field in
      guard let target = byName[field.name] else { return nil }
      return target == .image && !isMerchant ? .images : target
    }
  }
}

/// The elements at the beginning of an XML document.
struct XMLOutline {
  /// The name of the root.
  private(set) var root = ""
  /// The number of elements, by name.
  private(set) var counts: [String: Int] = [:]
  /// The names of the elements within elements of a name, in their order.
  private(set) var children: [String: [String]] = [:]
  /// The depths of elements, by name.
  private var depths: [String: Int] = [:]
  /// The names of the elements that have an id, as an attribute or an element.
  private var identified: Set<String> = []

  /// Reads tags; whatever is between them is passed over.
  init(_ text: String) {
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      if rest.hasPrefix("![CDATA[") || rest.hasPrefix("!--") {
        let end = rest.hasPrefix("!--") ? "-->" : "]]>"
        guard let close = rest.firstRange(of: end) else { return }
        rest = rest[close.upperBound...]
        continue
      }
      guard let close = rest.firstIndex(of: ">") else { return }
      let tag = rest[..<close]
      rest = rest[rest.index(after: close)...]
      if tag.hasPrefix("?") || tag.hasPrefix("!") { continue }
      if tag.hasPrefix("/") {
        _ = open.popLast()
        continue
      }
      let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
      if root.isEmpty { root = name }
      counts[name, default: 0] += 1
      depths[name] = min(depths[name] ?? .max, open.count)
      let attributes = tag.split(whereSeparator: \.isWhitespace).dropFirst().map {
        String($0.prefix { $0 != "=" })
      }
      if attributes.contains(where: Self.isID) { identified.insert(name) }
      if let parent = open.last, children[parent]?.contains(name) != true {
        if Self.isID(name) { identified.insert(parent) }
        if children[parent]?.count ?? 0 < 500 { children[parent, default: []].append(name) }
      }
      if !tag.hasSuffix("/") { open.append(name) }
      if open.count > 100 { return }
    }
  }

  private static func isID(_ name: String) -> Bool {
    ColumnVocabulary.targets(of: [name])[0] == .id
  }

  /// Returns the first of some names that elements have, without those that only occur in elements of another of the
  /// names that have an id: `<PRODUCT>` in `<SHOPITEM>`, `<item>` in `<product>`.
  func itemName(among names: [String]) -> String? {
    let found = names.filter { counts[$0] != nil }
    let items = found.filter(identified.contains)
    return found.first { name in !items.contains { $0 != name && encloses($0, name) } }
      ?? found.first
  }

  /// Returns whether elements of a name are anywhere in those of another.
  private func encloses(_ outer: String, _ inner: String) -> Bool {
    var seen: Set<String> = [outer]
    var rest = [outer]
    while let name = rest.popLast() {
      for child in children[name] ?? [] where seen.insert(child).inserted {
        if child == inner { return true }
        rest.append(child)
      }
    }
    return false
  }

  /// The outermost element that occurs several times and has others in it.
  var repeatedName: String? {
    counts.filter { $0.value > 1 && children[$0.key] != nil && (depths[$0.key] ?? 0) > 0 }
      .min { (depths[$0.key] ?? 0, -$0.value, $0.key) < (depths[$1.key] ?? 0, -$1.value, $1.key) }?
      .key
  }
}
