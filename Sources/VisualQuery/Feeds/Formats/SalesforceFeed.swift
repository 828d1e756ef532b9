/// A catalogue of Salesforce Commerce whose products are masters with variants
/// (<https://documentation.b2c.commercecloud.salesforce.com/DOC1/topic/com.demandware.dochelp/content/b2c_commerce/topics/import_export/b2c_catalog_object_import_export.html>).
///
/// A master names its variants, which are products anywhere in the file. So the file is read twice: first for the names. The
/// images of variants are groups of the master, by the value of an attribute such as the color, and in several sizes, of which
/// the largest counts. Swatches show a color and not a product, so that they are left out.
struct SalesforceFeed: FeedFormatReader {
  static let name = "Salesforce Commerce catalogue"

  var mapping: FeedMapping { products.mapping }
  private(set) var leftOut: [String: Int] = [:]
  private var products: XMLFeed
  private let context: FeedContext
  /// The master of each variant.
  private var masters: [String: String] = [:]
  /// The products that stand for several variants of one, which are entities themselves.
  private var groups: Set<String> = []
  /// The masters of which products were read, until all of their variants are.
  private var families: [String: Family] = [:]
  private var order: [String] = []
  private var queue = RecordQueue()
  private var isAtEnd = false

  /// A master and its variants so far.
  private struct Family {
    var master: (product: CatalogProduct, draft: ProductDraft, line: Int)?
    var variants: [(product: CatalogProduct, draft: ProductDraft, line: Int)] = []
    /// The number of variants that were read, also of those that are offline.
    var seenCount = 0
  }

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .xml(let start) = head, context.map == nil,
      start.contains("demandware.com") || start.contains("product-id="),
      KnownFormat.ofXML(XMLOutline(start))?.name == Self.name
    else { return nil }
    var copy = try records.copy()
    guard let products = try XMLFeed(head, &records, context) else { return nil }
    (self.products, self.context) = (products, context)
    // The names are read in a pass of their own, whose reader keeps no other products.
    var others = products
    while let item = try others.nextItem(from: &copy) {
      guard let fields = try? item.fields.get() else { continue }
      let product = CatalogProduct(fields)
      for variant in product.variants { masters[variant] = product.id }
      groups.formUnion(product.groups)
    }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      if isAtEnd { return nil }
      guard let item = try products.nextItem(from: &records) else {
        isAtEnd = true
        for id in order { finish(id) }
        continue
      }
      guard case .success(let fields) = item.fields else { return products.record(of: item) }
      if let record = read(fields, item.line) { return record }
    }
  }

  /// Returns the entity of a product, or `nil` if the product is held back or left out.
  private mutating func read(_ fields: [XMLItemParser.Field], _ line: Int) -> FeedRecord? {
    let product = CatalogProduct(fields)
    if groups.contains(product.id) {
      leftOut["groups of variants, which are entities themselves", default: 0] += 1
      return nil
    }
    let own = product.fields(fields)
    let id = masters[product.id] ?? product.id
    guard masters[product.id] != nil || !product.variants.isEmpty else {
      return products.record(of: XMLItemParser.Item(line: line, fields: .success(own), group: nil))
    }
    if families[id] == nil { order.append(id) }
    var family = families[id] ?? Family()
    let draft = products.draft(of: own)
    if masters[product.id] == nil {
      family.master = (product, draft, line)
    } else {
      family.seenCount += 1
      if draft.isHidden, !context.options.includesDrafts {
        leftOut["drafts and unpublished variants (--include-drafts)", default: 0] += 1
      } else {
        family.variants.append((product, draft, line))
      }
    }
    families[id] = family
    if let master = family.master, family.seenCount >= master.product.variants.count { finish(id) }
    return nil
  }

  /// Queues the entities of a master and its variants; without a master, each variant is one.
  private mutating func finish(_ id: String) {
    guard let family = families.removeValue(forKey: id) else { return }
    guard let master = family.master else {
      return queue.add(family.variants.map { ($0.line, $0.draft.finished(context)) })
    }
    var whole = ProductFamily(
      base: master.draft, line: master.line, allowance: FeedAllowance(context.options.limits))
    whole.addImages(master.product.images(of: [:]))
    let places = Dictionary(
      master.product.variants.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }
    )
    let variants = family.variants.sorted {
      (places[$0.product.id] ?? .max) < (places[$1.product.id] ?? .max)
    }
    for (product, draft, line) in variants {
      if whole.isFull {
        whole.omit([product.id])
        continue
      }
      var variant = ProductVariant(draft, line: line)
      variant.sku = product.id
      var values: [String: String] = [:]
      for attribute in master.product.attributes {
        guard let value = product.values[attribute] else { continue }
        values[attribute] = value
        let name = VariantOption.name(attribute)
        variant.options.removeAll { $0.name == name }
        variant.options.append((name, master.product.displayed(value, of: attribute)))
      }
      if variant.images.isEmpty { variant.images = master.product.images(of: values) }
      whole.add(variant)
    }
    queue.add(whole, context)
  }
}

/// The parts of a product of Salesforce Commerce that belong together, as the order of its elements says.
private struct CatalogProduct {
  /// Images of one size, for one value of an attribute or for the whole product.
  private struct ImageGroup {
    var attribute = "color"
    var value: String?
    var size: String?
    var images: [String] = []
  }

  private(set) var id = ""
  /// The ids of the variants of a master.
  private(set) var variants: [String] = []
  /// The ids of the products that stand for several variants.
  private(set) var groups: [String] = []
  /// The attributes in which variants differ.
  private(set) var attributes: [String] = []
  /// The values of the custom attributes of a variant.
  private(set) var values: [String: String] = [:]
  /// The names of values, by the attribute.
  private var names: [String: [String: String]] = [:]
  private var imageGroups: [ImageGroup] = []

  init(_ fields: [XMLItemParser.Field]) {
    var value = ""
    for field in fields {
      switch field.path {
      case "@product-id": id = field.text
      case "variations/variants/variant/@product-id": variants.append(field.text)
      case "variations/variation-groups/variation-group/@product-id": groups.append(field.text)
      case "variations/attributes/variation-attribute/@attribute-id",
        "variations/attributes/shared-variation-attribute/@attribute-id":
        attributes.append(field.text)
      case let path where path.hasSuffix("variation-attribute-value/@value"): value = field.text
      case let path where path.hasSuffix("variation-attribute-value/display-value"):
        // The first of several languages is the standard one.
        if let attribute = attributes.last, names[attribute]?[value] == nil {
          names[attribute, default: [:]][value] = field.text
        }
      case "images/image-group/@variation-value":
        imageGroups.append(ImageGroup(value: field.text))
      case "images/image-group/@view-type":
        if imageGroups.last.map({ $0.size != nil || !$0.images.isEmpty }) ?? true {
          imageGroups.append(ImageGroup())
        }
        imageGroups[imageGroups.count - 1].size = field.text
      case "images/image-group/variation/@attribute-id" where !imageGroups.isEmpty:
        imageGroups[imageGroups.count - 1].attribute = field.text
      case "images/image-group/variation/@value" where !imageGroups.isEmpty:
        imageGroups[imageGroups.count - 1].value = field.text
      case "images/image-group/image/@path" where !imageGroups.isEmpty:
        imageGroups[imageGroups.count - 1].images.append(field.text)
      case let path
      where path.hasPrefix("custom-attributes/custom-attribute[") && path.hasSuffix("]"):
        let name = String(path.dropFirst("custom-attributes/custom-attribute[".count).dropLast())
        if !field.text.isEmpty { values[name] = values[name] ?? field.text }
      default: continue
      }
    }
  }

  /// Returns the name of a value of an attribute: `Red` for `C1`.
  func displayed(_ value: String, of attribute: String) -> String {
    names[attribute]?[value] ?? value
  }

  /// Returns the images of a variant with some values, or those of the whole product if there are none, in the largest size.
  func images(of values: [String: String]) -> [String] {
    let own = imageGroups.filter { group in
      guard group.size?.lowercased().contains("swatch") != true else { return false }
      guard let value = group.value else { return values.isEmpty }
      return values[group.attribute] == value
    }
    let best = own.filter { !$0.images.isEmpty }.map { Self.rank(of: $0.size ?? "") }.min()
    return own.filter { Self.rank(of: $0.size ?? "") == best }.flatMap(\.images)
  }

  /// Returns the fields of a product without those of its variants and images, and with the images of the largest size.
  func fields(_ fields: [XMLItemParser.Field]) -> [XMLItemParser.Field] {
    let own = fields.filter { !$0.path.hasPrefix("images/") && !$0.path.hasPrefix("variations/") }
    let path = "images/image-group/image/@path"
    return own
      + images(of: [:]).map { XMLItemParser.Field(name: "image@path", text: $0, path: path) }
  }

  /// Returns the place of a size in the order of sizes, the largest first.
  private static func rank(of size: String) -> Int {
    let size = size.lowercased()
    let words = [["hi-res", "hires", "zoom", "xlarge", "original", "full"], ["large", "big"]]
    if let rank = words.firstIndex(where: { $0.contains(where: size.contains) }) { return rank }
    let small = [["medium"], ["small"], ["thumb", "mini", "icon", "tiny"]]
    return words.count + 1 + (small.firstIndex { $0.contains(where: size.contains) } ?? -1)
  }
}
