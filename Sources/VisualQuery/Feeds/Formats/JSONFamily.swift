/// Makes a product family of an object with variants in it, as Shopify's `products.json`, the REST API of WooCommerce and others
/// have them.
struct JSONFamily {
  private let fields: [String: JSONValue]
  private let variants: [[String: JSONValue]]
  private let images: [Image]
  /// The places of the images that have an id or name a variant, by the id and by the variant.
  private let imagesByID: [JSONValue: [Int]]
  private let imagesByVariant: [JSONValue: [Int]]
  /// The names of the options whose values the variants have as `option1` and so on.
  private let optionNames: [String]

  /// An image of a product, with the text that describes it and the ids by which variants are assigned to it.
  private struct Image {
    let name: String
    let text: String
    let id: JSONValue?
    let variants: [JSONValue]
  }

  /// The fields with the variants of a product.
  private static let lists = [
    "variants", "variations", "productVariants", "product_variants", "skus", "children",
  ]
  /// The most options of a product.
  private static let optionLimit = 16

  /// Reads an object; returns `nil` if it is not a product with variants.
  init?(_ object: JSONValue) {
    guard case .object(var fields) = object, !SchemaOrgFeed.isNode(object), !Self.isNative(fields)
    else { return nil }
    let list = Self.lists.first { !Self.objects(in: fields[$0]).isEmpty }
    guard let list, Self.ids(["handle", "id", "sku"], of: fields).first != nil else { return nil }
    variants = Self.objects(in: fields[list])
    optionNames = Self.optionNames(fields["options"])
    fields[list] = nil
    fields["options"] = nil
    let names = fields.keys.sorted()
    var images: [Image] = []
    for (name, target) in zip(names, ColumnVocabulary.targets(of: names))
    where target == .image || target == .images || name == "image" || name == "images" {
      images += Self.images(in: fields[name])
      fields[name] = nil
    }
    self.images = images
    self.fields = fields
    var (byID, byVariant) = ([JSONValue: [Int]](), [JSONValue: [Int]]())
    for (place, image) in images.enumerated() {
      if let id = image.id { byID[id, default: []].append(place) }
      for variant in image.variants { byVariant[variant, default: []].append(place) }
    }
    (imagesByID, imagesByVariant) = (byID, byVariant)
  }

  /// Returns the entities.
  func products(_ context: FeedContext) -> [(line: Int, record: DraftRecord)] {
    family(context).products(context)
  }

  /// True if the object is one of Shopify, whose products are known by their handles.
  private var isShopify: Bool {
    Self.ids(["handle"], of: fields).first != nil
      && variants.contains { $0["option1"] != nil || $0["selectedOptions"] != nil }
  }

  private func family(_ context: FeedContext) -> ProductFamily {
    var family = ProductFamily(
      base: ProductDraft(), line: 0, naming: isShopify ? .colors : .variants,
      allowance: FeedAllowance(context.options.limits))
    family.base.id = id
    for image in images { family.addImages([image.name], text: image.text) }
    for own in variants { family.add(variant(own, context)) }
    let options = family.optionNames
    var fields = fields
    for (name, value) in fields {
      // Removes lists that have the values of all variants, because each variant has its own value.
      if case .array(let list) = value {
        fields[name] = .array(list.filter { !Self.isAttribute($0, of: options) })
      } else if options.contains(VariantOption.name(name)) {
        fields[name] = nil
      }
    }
    if isShopify { fields["id"] = nil }
    var base = JSONFields.foreign(fields, context)
    base.id = base.id.isEmpty || isShopify || isWooCommerce ? id : base.id
    if isShopify {
      base.keep("handle", .string(id))
      // Only published products have a date of publication.
      if fields["published_at"] == .null { base.add(.visibility, "published", "false") }
    }
    if case .string(let text)? = fields[JSONShopObjects.unclearPrice] {
      base.warn("price", "is '\(text)', which may be a number of cents")
    }
    family.base = base
    return family
  }

  /// True if the object is one of the REST API of WooCommerce, whose exports know products by their SKUs.
  private var isWooCommerce: Bool { Self.isWooCommerce(fields) }

  static func isWooCommerce(_ fields: [String: JSONValue]) -> Bool {
    fields["regular_price"] != nil && (fields["stock_status"] != nil || fields["permalink"] != nil)
  }

  private var id: String {
    let names = isWooCommerce ? ["sku", "id"] : ["handle", "id", "sku"]
    return Self.ids(names, of: fields).first ?? ""
  }

  // MARK: Variants

  private func variant(_ own: [String: JSONValue], _ context: FeedContext) -> ProductVariant {
    var fields = own
    if isShopify { addStock(to: &fields) }
    let draft = JSONFields.foreign(fields, context)
    var variant = ProductVariant(draft, line: 0)
    variant.sku = Self.ids(["sku"], of: own).first ?? ""
    variant.ids = [variant.sku, Self.ids(["id"], of: own).first ?? "", draft.id].filter {
      !$0.isEmpty
    }
    variant.codes.removeAll { $0.text == draft.id && $0.name == "sku" }
    for (index, name) in optionNames.enumerated() where !name.isEmpty {
      guard let value = own["option\(index + 1)"].flatMap({ JSONFields.texts(in: $0).first }),
        value != "Default Title", name != "title"
      else { continue }
      variant.options.removeAll { $0.name == name }
      variant.options.insert((name, value), at: min(index, variant.options.count))
    }
    variant.images = images(of: own, named: draft.imageNames)
    return variant
  }

  /// Adds the availability of a Shopify variant: in stock if its stock is not tracked, and on back order if it is
  /// sold beyond its stock.
  private func addStock(to fields: inout [String: JSONValue]) {
    if fields["inventory_management"] == .null {
      fields["available"] = fields["available"] ?? .bool(true)
    } else if fields["inventory_policy"] == .string("continue"), fields["available"] == nil,
      let quantity = Self.ids(["inventory_quantity"], of: fields).first,
      FeedText.isInStock(quantity) == false
    {
      fields["availability"] = .string("backorder")
    }
  }

  /// Returns the images of a variant: its own, those of the product that name it, or those that it names.
  private func images(of variant: [String: JSONValue], named names: [String]) -> [String] {
    let ids = ["image_id", "imageId", "picture_ids", "imageIds", "image_ids"].lazy
      .compactMap { variant[$0] }.flatMap { Self.values(in: $0) }
    if !names.isEmpty { return FeedText.unique(names) }
    let own =
      ids.flatMap { imagesByID[$0] ?? [] } + (variant["id"].flatMap { imagesByVariant[$0] } ?? [])
    return FeedText.unique(Set(own).sorted().map { images[$0].name })
  }

  // MARK: Parts of objects

  /// Returns whether an object has the native form, whose `variants` are a field like any other.
  private static func isNative(_ fields: [String: JSONValue]) -> Bool {
    guard case .string(let type)? = fields["type"] else { return false }
    return EntityType(rawValue: type) != nil
  }

  /// Returns the objects in a list, also in one of GraphQL, whose nodes are in objects of their own.
  private static func objects(in value: JSONValue?) -> [[String: JSONValue]] {
    switch value {
    case .array(let values)?:
      return values.compactMap { value in
        guard case .object(let object) = value else { return nil }
        if case .object(let node)? = object["node"] { return node }
        return object
      }
    case .object(let object)?: return objects(in: object["edges"] ?? object["nodes"])
    default: return []
    }
  }

  private static func values(in value: JSONValue) -> [JSONValue] {
    if case .array(let values) = value { return values }
    return [value]
  }

  private static func images(in value: JSONValue?) -> [Image] {
    switch value {
    case .array(let values)?: return values.flatMap { images(in: $0) }
    case .object(let object)?:
      if object["edges"] != nil || object["nodes"] != nil {
        return objects(in: value).flatMap { images(in: .object($0)) }
      }
      let text = JSONFields.firstText(["alt", "altText", "alt_text", "description"], object) ?? ""
      let variants = object["variant_ids"].map(values) ?? []
      return JSONFields.addresses(in: .object(object)).map {
        Image(name: $0, text: text, id: object["id"], variants: variants)
      }
    case .string(let text)?:
      return ImageList.names(in: text).map { Image(name: $0, text: "", id: nil, variants: []) }
    default: return []
    }
  }

  /// Returns the texts of some fields that are not empty.
  private static func ids(_ names: [String], of fields: [String: JSONValue]) -> [String] {
    names.compactMap { fields[$0].flatMap { JSONFields.texts(in: $0).first?.trimmed } }
      .filter { !$0.isEmpty }
  }

  /// Returns the names of options: texts, or objects with a name.
  private static func optionNames(_ value: JSONValue?) -> [String] {
    guard case .array(let options)? = value else { return [] }
    return options.prefix(optionLimit).map {
      VariantOption.name(JSONFields.texts(in: $0).first ?? "")
    }
  }

  /// Returns whether an item of a list is one of some attributes, such as `{"name": "Color", "options": ["Red", "Blue"]}`.
  private static func isAttribute(_ item: JSONValue, of options: Set<String>) -> Bool {
    guard case .object(let object) = item, let name = JSONFields.firstText(["name"], object),
      object["options"] != nil || object["values"] != nil || object["value"] != nil
    else { return false }
    return options.contains(VariantOption.name(name))
  }

  // MARK: Variations in a list of their own

  /// Returns objects in which the variations of WooCommerce that are listed beside their products are in them.
  static func withVariations(_ objects: [JSONValue]) -> [JSONValue] {
    var variations: [JSONValue: [JSONValue]] = [:]
    for case .object(let fields) in objects where isVariation(fields) {
      if let parent = fields["parent_id"] {
        variations[parent, default: []].append(.object(fields))
      }
    }
    if variations.isEmpty { return objects }
    var parents: Set<JSONValue> = []
    let joined = objects.map { object in
      guard case .object(var fields) = object, !isVariation(fields), let id = fields["id"],
        let own = variations[id], parents.insert(id).inserted
      else { return object }
      fields["variations"] = .array(own)
      return .object(fields)
    }
    return joined.filter { object in
      guard case .object(let fields) = object, isVariation(fields), let id = fields["parent_id"]
      else { return true }
      return !parents.contains(id)
    }
  }

  private static func isVariation(_ fields: [String: JSONValue]) -> Bool {
    fields["type"] == .string("variation") && fields["parent_id"] != nil
  }
}
