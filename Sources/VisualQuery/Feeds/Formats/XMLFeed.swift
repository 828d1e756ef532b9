/// An XML document of products: a Google Merchant feed, whose items are `item` of RSS 2.0 or
/// `entry` of Atom, or items of another name, whose fields are recognized by their names.
///
/// An item that is not well-formed is rejected, and reading continues with the next one.
struct XMLFeed: FeedFormatReader {
  let mapping: FeedMapping
  private var items: XMLItemStream
  private let isMerchant: Bool
  /// True if the items are stores.
  private let areStores: Bool
  private let context: FeedContext
  /// The mapping of the caller or of a known format, or `nil` if fields are recognized by their names.
  private let map: FieldMap?
  /// The folder or the address that names of images are beneath.
  private let base: String?
  /// The name of the items.
  private let name: String
  /// The fields of the mapping by their paths.
  private var knownPlaces: [String: [Int]] = [:]
  /// The targets of the fields of items, by their names.
  private var known: [[String]: [FeedTarget?]] = [:]
  private(set) var leftOut: [String: Int] = [:]
  private var queue = RecordQueue()

  /// The names of items, the surest first.
  static let itemNames = [
    "item", "entry", "product", "Product", "PRODUCT", "offer", "Offer", "SHOPITEM", "shopitem",
    "prod", "article",
    "Article", "artikel", "Artikel", "ARTICLE", "Item", "ITEM", "produkt", "Produkt", "producto",
    "produit", "prodotto",
    "listing", "good", "row", "Row", "record", "Record", "o",
  ]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .xml(let written) = head else { return nil }
    var references = HTMLReferenceReplacement()
    let start = String(decoding: references.replaced(Array(written.utf8)), as: UTF8.self)
    self.context = context
    let outline = XMLOutline(start)
    if ["urlset", "sitemapindex"].contains(outline.root) {
      throw FeedError(
        message:
          "'\(records.name)' is a sitemap, which lists pages; expected the products of a feed")
    }
    let format = context.map == nil ? KnownFormat.ofXML(outline) : nil
    map = context.map ?? format?.map
    base = format?.base.flatMap { Self.base(of: $0, in: start) }
    // Looks up the item element of a known format by its name, because the categories of a shop
    // may fill the whole sample.
    let known =
      outline.element(context.map?.record ?? format?.record) ?? context.map?.record
      ?? format?.record
    guard
      let name = known ?? outline.itemName(among: Self.itemNames) ?? outline.repeatedName
    else {
      throw FeedError(
        message:
          "'\(records.name)' is XML without items (its root is <\(outline.root)>); expected for example an RSS "
          + "feed with <item>, or <product> elements; name yours with --map record=ELEMENT")
    }
    self.name = name
    let isChannel =
      ["item", "entry"].contains(name) && ["rss", "feed", "rdf:RDF"].contains(outline.root)
    isMerchant = map == nil && (isChannel || start.contains("base.google.com/ns"))
    if isMerchant { try Self.checkForNews(outline, name, records.name) }
    let items = isMerchant ? ["item", "entry"] : [name]
    let parts = isMerchant ? [] : Self.parts(of: outline, name, format, context)
    self.items = XMLItemStream(
      items: Set(items), isDeep: !isMerchant, hasPaths: map != nil, parts: parts,
      limits: context.options.limits)
    let map = map
    let sample = Self.sample(
      of: start, Set(items), isDeep: !isMerchant, hasPaths: map != nil, parts: parts)
    var used: Set<String> = []
    var others: [XMLItemParser.Field] = []
    for field in sample {
      let places = map?.places(of: field.path, in: name) ?? []
      used.formUnion(places.compactMap { map?.fields[$0] })
      let isTaken = places.contains { map?.isTaken($0) == true }
      if !isTaken, map == nil || !field.name.contains("@") { others.append(field) }
    }
    let fields = FeedText.unique(others.map(\.name)).prefix(500).map { $0 }
    let targets = ColumnVocabulary.targets(of: fields)
    areStores = map == nil && !isMerchant && StoreRecord.areStores(fields.map(StoreRecord.path))
    if areStores {
      mapping = FeedMapping(
        format: .xml, name: "XML feed of stores",
        fields: fields.map { name in
          (name, StoreField.known(StoreRecord.path(of: name))?.field.target)
        })
      return
    }
    mapping = FeedMapping(
      format: isMerchant ? .merchant : .xml, name: format?.name, fields,
      map?.others(targets) ?? targets, map, isPresent: used.contains)
  }

  /// Returns the folder or the address that an element has, without slashes at its end, or `nil` if there is none, or one of
  /// the computer that made the feed.
  private static func base(of element: String, in start: String) -> String? {
    var rest = start[...]
    while let found = rest.firstRange(of: element) {
      let before = rest[..<found.lowerBound].last
      rest = rest[found.upperBound...]
      guard before == "<" || before == ":", let next = rest.first,
        next == ">" || next.isWhitespace, let open = rest.firstIndex(of: ">")
      else { continue }
      let text = rest[rest.index(after: open)...]
      guard let close = text.firstRange(of: "</") else { return nil }
      let written = String(text[..<close.lowerBound]).replacing("<![CDATA[", with: "")
        .replacing("]]>", with: "").replacing("&amp;", with: "&").trimmed
      var base = written.replacing("\\", with: "/")
      let isOfComputer =
        base.hasPrefix("//") && written.hasPrefix("\\")
        || base.contains(":") && !base.contains("://") || base.hasPrefix("file:")
      if isOfComputer { return nil }
      while base.hasSuffix("/") { base.removeLast() }
      if !base.hasPrefix("//") { base = String(base.drop { $0 == "/" }) }
      while base.hasPrefix("./") { base = String(base.dropFirst(2)) }
      return base.isEmpty || base == "." ? nil : base
    }
    return nil
  }

  /// Rejects the news of a site: no item has anything that only a product has.
  private static func checkForNews(
    _ outline: XMLOutline, _ item: String, _ file: String
  ) throws(FeedError) {
    let names = outline.children[item] ?? []
    let targets = ColumnVocabulary.targets(of: names)
    let isOfProducts = zip(names, targets).contains { name, target in
      switch target {
      case .price, .salePrice, .pricedIn, .image, .images, .thumbnail, .availability, .brand,
        .quantity:
        true
      case .id:
        !["guid", "id"].contains(name.lowercased()) || outline.root == "feed" && name != "id"
      default: name.lowercased().hasPrefix("g:")
      }
    }
    let isPlain =
      names.contains("id")
      && !names.contains { ["pubDate", "published", "updated", "dc:date"].contains($0) }
    if names.isEmpty || isOfProducts || isPlain { return }
    throw FeedError(
      message:
        "'\(file)' is a feed of news: its items have no price, no image and no id of a product; expected for example "
        + "<g:id>, <g:price> and <g:image_link> in each <\(item)>")
  }

  /// Returns the fields of the first items that have a text.
  private static func sample(
    of start: String, _ items: Set<String>, isDeep: Bool, hasPaths: Bool, parts: Set<String>
  ) -> [XMLItemParser.Field] {
    let parser = XMLItemParser(
      items: items, limit: RecordReader.recordLimit, encoding: "UTF-8", isDeep: isDeep,
      hasPaths: hasPaths, parts: parts)
    let begin =
      start.firstRange(of: "<?xml")?.lowerBound ?? start.firstIndex(of: "<") ?? start.startIndex
    _ = parser.parse(Array(start[begin...].utf8))
    let fields = parser.takeItems().prefix(50).flatMap { (try? $0.fields.get()) ?? [] }
    return fields.filter { !$0.text.isEmpty }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      guard let item = try nextItem(from: &records) else { return nil }
      guard case .success(let fields) = item.fields, fields.contains(where: { $0.part > 0 }) else {
        return record(of: item)
      }
      queue.add(family(of: fields, item.line, item.allowance), context)
    }
  }

  /// Returns the product of an item with variants in it.
  private mutating func family(
    of fields: [XMLItemParser.Field], _ line: Int, _ allowance: FeedAllowance
  ) -> ProductFamily {
    var base = draft(of: fields.filter { $0.part == 0 })
    var variants: [ProductVariant] = []
    let parts = Dictionary(grouping: fields.filter { $0.part > 0 }, by: \.part)
    for (_, own) in parts.sorted(by: { $0.key < $1.key }) {
      let draft = draft(of: own)
      if draft.isHidden, !context.options.includesDrafts {
        leftOut["drafts and unpublished variants (--include-drafts)", default: 0] += 1
        continue
      }
      var variant = ProductVariant(draft, line: line)
      variant.sku = draft.id
      variants.append(variant)
      if base.title.isEmpty { base.title = draft.title }
    }
    if base.id.isEmpty { base.id = variants.lazy.map(\.sku).first { !$0.isEmpty } ?? "" }
    var family = ProductFamily(base: base, line: line, allowance: allowance)
    family.addImages(base.imageNames)
    for variant in variants { family.add(variant) }
    return family
  }

  /// The names of the elements within items that are variants.
  private static let partNames = [
    "variant", "variation", "Variant", "Variation", "VARIANT", "VARIATION",
  ]

  /// Returns the elements within items that are variants with fields of their own.
  private static func parts(
    of outline: XMLOutline, _ item: String, _ format: KnownFormat?, _ context: FeedContext
  ) -> Set<String> {
    // A caller's mapping names the fields of variants itself.
    if context.map != nil || format?.name == SalesforceFeed.name { return [] }
    return Set(
      partNames.filter { name in
        name != item
          && (outline.children[name] != nil || outline.attributes[name]?.isEmpty == false)
      })
  }

  /// Returns the next item, before its fields are read.
  mutating func nextItem(
    from records: inout RecordReader
  ) throws(FeedError) -> XMLItemParser.Item? {
    try items.next(from: &records)
  }

  /// Returns the entity of some fields before their texts are interpreted.
  mutating func draft(of fields: [XMLItemParser.Field]) -> ProductDraft {
    Self.draft(
      fields, names(of: fields), targets(of: fields),
      map.map { map in fields.map { self.places(of: $0.path, map) } }, map, base)
  }

  /// Returns the record of an item.
  mutating func record(of item: XMLItemParser.Item) -> FeedRecord {
    switch item.fields {
    case .failure(let error): return FeedRecord(line: item.line, error)
    case .success(let fields):
      // White space and comments between fields do not change the contents of an item.
      var bytes = fields.flatMap { field -> [UInt8] in
        Array(field.name.utf8) + [0] + Array(field.text.utf8) + [0]
      }
      if let base { bytes += Array(base.utf8) }
      if areStores {
        let texts = fields.map { (name: $0.name, text: $0.text) }
        let context = self.context
        return FeedRecord(line: item.line, bytes: bytes) { () throws(FieldError) in
          StoreRecord(texts).draft.finished(context)
        }
      }
      let names = names(of: fields)
      let targets = targets(of: fields)
      let places = map.map { map in fields.map { self.places(of: $0.path, map) } }
      let (context, map, base) = (context, map, base)
      return FeedRecord(line: item.line, bytes: bytes) { () throws(FieldError) in
        Self.draft(fields, names, targets, places, map, base).finished(context)
      }
    }
  }

  private static func draft(
    _ fields: [XMLItemParser.Field], _ names: [String], _ targets: [FeedTarget?],
    _ places: [[Int]]?,
    _ map: FieldMap?, _ base: String?
  ) -> ProductDraft {
    var draft = ProductDraft()
    var values: [[String]] = map?.fields.map { _ in [] } ?? []
    for (index, (field, target)) in zip(fields, targets).enumerated() {
      if let own = places?[index], !own.isEmpty {
        for place in own { values[place].append(field.text) }
        if own.contains(where: { map?.isTaken($0) == true }) { continue }
      }
      // An attribute is used only if a mapping names it; it does not become a field of the shop.
      if target == nil, map != nil, field.name.contains("@") { continue }
      let name = names[index]
      if target == nil { draft.keepRepeated(name, field.text) }
      draft.add(target, name, field.text)
    }
    map?.add(values, to: &draft)
    if let base { draft.placeImages(beneath: base) }
    return draft
  }

  /// Returns the fields of the mapping that are at a path.
  private mutating func places(of path: String, _ map: FieldMap) -> [Int] {
    if let known = knownPlaces[path] { return known }
    let places = path.isEmpty ? [] : map.places(of: path, in: name)
    if knownPlaces.count < 4096, path.utf8.count <= Self.knownByteLimit {
      knownPlaces[path] = places
    }
    return places
  }

  /// The most bytes of a name or a path that is remembered, and of the names of an item.
  private static let (knownByteLimit, knownNamesLimit) = (1024, 1 << 15)

  /// The names under which fields are kept, by their names in the feed.
  private var keptNames: [String: String] = [:]

  /// Returns the names under which fields are kept.
  private mutating func names(of fields: [XMLItemParser.Field]) -> [String] {
    fields.map { field in
      if let known = keptNames[field.name] { return known }
      let name = MerchantFields.normalized(field.name)
      if keptNames.count < 4096, name.utf8.count <= Self.knownByteLimit {
        keptNames[field.name] = name
      }
      return name
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
      let all = ColumnVocabulary.targets(of: names)
      targets = map?.others(all) ?? all
      // The targets are remembered by the names of the fields, of which a feed has few
      // combinations. The limit keeps other input from filling memory.
      if known.count < 1000,
        names.reduce(0, { $0 + FeedAllowance.size(of: $1) }) <= Self.knownNamesLimit
      {
        known[names] = targets
      }
    }
    var byName: [String: FeedTarget] = [:]
    for (name, target) in zip(names, targets) {
      if let target { byName[name] = target }
    }
    return fields.map { field in
      guard let target = byName[field.name], map?.kept.contains(field.path) != true else {
        return nil
      }
      return target == .image && !isMerchant ? .images : target
    }
  }
}

/// The elements at the beginning of an XML document.
struct XMLOutline {
  /// The name of the root.
  private(set) var root = ""
  /// The tag of the root.
  private(set) var rootTag = ""
  /// The number of elements, by name.
  private(set) var counts: [String: Int] = [:]
  /// The names of the elements within elements of a name, in their order.
  private(set) var children: [String: [String]] = [:]
  /// The depths of elements, by name.
  private var depths: [String: Int] = [:]
  /// The names of the attributes of elements, by their names without prefixes.
  private(set) var attributes: [String: Set<String>] = [:]
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
      if root.isEmpty { (root, rootTag) = (name, String(tag)) }
      counts[name, default: 0] += 1
      depths[name] = min(depths[name] ?? .max, open.count)
      let attributes = tag.split(whereSeparator: \.isWhitespace).dropFirst().map {
        String($0.prefix { $0 != "=" })
      }
      if !attributes.isEmpty {
        let local = name.split(separator: ":").last.map(String.init) ?? name
        self.attributes[local, default: []].formUnion(attributes)
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

  /// Returns the name of an element as it is written, with its prefix, by its name without one.
  func element(_ name: String?) -> String? {
    guard let name else { return nil }
    if counts[name] != nil { return name }
    return counts.keys.sorted().first { $0.hasSuffix(":" + name) }
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
