/// Brings products from the interfaces of different shop systems into one form: names, images and stock are in the
/// product, and variants are in a list.
enum JSONShopObjects {
  /// Returns a product in this form.
  static func usual(_ value: JSONValue) -> JSONValue {
    guard case .object(var fields) = value else { return value }
    unwrapEnvelope(&fields)
    ContentDocuments.simplify(&fields)
    unwrapSquarespace(&fields)
    unwrapCommercetools(&fields)
    unwrapMagento(&fields)
    if fields["variants"] == nil, let combinations = fields["combinations"] {
      // Ecwid calls variants combinations.
      (fields["variants"], fields["combinations"]) = (combinations, nil)
    }
    guard case .array(let variants)? = fields["variants"] else { return .object(fields) }
    let names = optionNames(fields["options"])
    let isTracked = fields["inventory_tracking"] != .string("none")
    let units = MedusaUnits(of: variants)
    fields["variants"] = .array(
      variants.map { value in
        guard case .object(var variant) = value else { return value }
        if !isTracked { variant["inventory_level"] = nil }
        nameOptions(of: &variant, names)
        units?.setPrice(of: &variant)
        setPriceWithTax(of: &variant)
        return .object(variant)
      })
    if let text = units?.unclearText { fields[unclearPrice] = .string(text) }
    return .object(fields)
  }

  /// The field with the text of prices whose unit is not known.
  static let unclearPrice = "priceText"

  /// Moves the fields of a product out of an object that has only an id beside them, as in JSON:API, Strapi, Contentful and
  /// Elasticsearch.
  private static func unwrapEnvelope(_ fields: inout [String: JSONValue]) {
    if ColumnVocabulary.targets(of: fields.keys.sorted()).contains(.title) { return }
    for name in ["attributes", "_source", "fields", "product", "document", "item"] {
      guard case .object(let inner)? = fields[name],
        ColumnVocabulary.targets(of: inner.keys.sorted()).contains(.title)
      else { continue }
      var id = fields["id"] ?? fields["_id"]
      if case .object(let system)? = fields["sys"] { id = id ?? system["id"] }
      fields = inner
      fields["id"] = fields["id"] ?? id
      return
    }
  }

  /// Sets the prices of a product of a page of Squarespace, which are numbers of cents, and its image.
  private static func unwrapSquarespace(_ fields: inout [String: JSONValue]) {
    guard fields["urlId"] != nil, fields["assetUrl"] != nil else { return }
    (fields["images"], fields["items"]) = (fields["items"] ?? fields["assetUrl"], nil)
    if case .array(let images)? = fields["images"] {
      fields["images"] = .array(
        images.compactMap { image in
          guard case .object(let image) = image else { return nil }
          return image["assetUrl"]
        })
    }
    guard case .array(let variants)? = fields["variants"] else { return }
    fields["variants"] = .array(
      variants.map { value in
        guard case .object(var variant) = value else { return value }
        for name in ["price", "salePrice"] {
          if let count = JSONMoney.integer(variant[name]) {
            variant[name] = .string(JSONMoney.decimal(count, digits: 2))
          }
        }
        if variant["onSale"] == .bool(false) { variant["salePrice"] = nil }
        if variant["unlimited"] == .bool(true) { variant["qtyInStock"] = .string("unlimited") }
        return .object(variant)
      })
  }

  /// Moves the current data of a product of commercetools into it, and its master variant to the others.
  private static func unwrapCommercetools(_ fields: inout [String: JSONValue]) {
    if case .object(let data)? = fields["masterData"],
      case .object(let current)? = data["current"] ?? data["staged"]
    {
      fields.merge(current) { own, _ in own }
      fields["masterData"] = nil
      fields["published"] = fields["published"] ?? data["published"]
      fields["productType"] = nil
    }
    guard let master = fields["masterVariant"], case .object = master else { return }
    var variants = [master]
    if case .array(let others)? = fields["variants"] { variants += others }
    (fields["variants"], fields["masterVariant"]) = (.array(variants), nil)
  }

  /// Moves the attributes, images and stock of a product of Magento into it, whose exports know it by its SKU.
  private static func unwrapMagento(_ fields: inout [String: JSONValue]) {
    guard let sku = fields["sku"], fields["attribute_set_id"] != nil, fields["type_id"] != nil
    else { return }
    fields["id"] = sku
    if fields["status"] == .integer(2) { fields["status"] = .string("disabled") }
    if case .array(let attributes)? = fields["custom_attributes"] {
      for case .object(let attribute) in attributes {
        guard case .string(let name)? = attribute["attribute_code"], fields[name] == nil,
          let value = attribute["value"], !["image", "small_image", "thumbnail"].contains(name)
        else { continue }
        fields[name] = value
      }
      fields["custom_attributes"] = nil
    }
    if case .array(let entries)? = fields["media_gallery_entries"] {
      fields["images"] = .array(
        entries.compactMap { entry in
          guard case .object(let image) = entry, case .string(let file)? = image["file"],
            image["disabled"] != .bool(true), image["media_type"] != .string("external-video")
          else { return nil }
          return .string(String(file.drop { $0 == "/" }))
        })
      fields["media_gallery_entries"] = nil
    }
    if case .object(let parts)? = fields["extension_attributes"],
      case .object(let stock)? = parts["stock_item"]
    {
      fields["qty"] = stock["qty"]
      fields["is_in_stock"] = stock["is_in_stock"]
    }
  }

  // MARK: Variants

  /// Returns the names of the options of a product of Medusa by their ids.
  private static func optionNames(_ value: JSONValue?) -> [JSONValue: String] {
    guard case .array(let options)? = value else { return [:] }
    var names: [JSONValue: String] = [:]
    for case .object(let option) in options {
      if let id = option["id"], case .string(let name)? = option["title"] ?? option["name"] {
        names[id] = name
      }
    }
    return names
  }

  /// Gives the options of a variant their names: those of the product that they refer to (Medusa), or of their groups (Vendure).
  private static func nameOptions(
    of variant: inout [String: JSONValue], _ names: [JSONValue: String]
  ) {
    guard case .array(let options)? = variant["options"] else { return }
    variant["options"] = .array(
      options.map { value in
        guard case .object(let option) = value else { return value }
        if let name = option["option_id"].flatMap({ names[$0] }), let text = option["value"] {
          return .object(["name": .string(name), "value": text])
        }
        if let group = option["group"] ?? option["option"],
          let text = option["value"] ?? option["name"],
          let name = JSONFields.texts(in: group).first
        {
          return .object(["name": .string(name), "value": text])
        }
        return value
      })
  }

  /// Sets the price of a variant of Vendure, whose prices are numbers of cents.
  private static func setPriceWithTax(of variant: inout [String: JSONValue]) {
    guard case .integer(let count)? = variant["priceWithTax"], let code = variant["currencyCode"],
      let count = Int(exactly: count)
    else { return }
    let digits = code == .string("JPY") || code == .string("KRW") ? 0 : 2
    variant["price"] = .object([
      "amount": .string(JSONMoney.decimal(count, digits: digits)), "currency": code,
    ])
    (variant["priceWithTax"], variant["currencyCode"]) = (nil, nil)
  }

  /// The units of prices such as `{"currency_code": "eur", "amount": 1990}`: Medusa 1 counts cents, Medusa 2 euros.
  private struct MedusaUnits {
    /// True for cents, or `nil` if the prices do not tell.
    let areCents: Bool?
    /// The text of the first price if its unit is not known.
    let unclearText: String?

    init?(of variants: [JSONValue]) {
      let prices = variants.flatMap(Self.prices)
      guard let first = prices.first else { return nil }
      func has(_ names: [String]) -> Bool {
        prices.contains { price in names.contains { price[$0] != nil } }
      }
      let hasFraction = prices.contains { if case .number? = $0["amount"] { true } else { false } }
      if hasFraction || has(["price_set_id", "raw_amount", "rules_count", "price_rules"]) {
        areCents = false
      } else {
        areCents = has(["region_id", "variant_id", "sale_amount"]) ? true : nil
      }
      let amount = first["amount"].map(\.text) ?? ""
      let code = JSONFields.firstText(["currency_code"], first) ?? ""
      unclearText = areCents == nil ? "\(amount) \(code)" : nil
    }

    private static func prices(of variant: JSONValue) -> [[String: JSONValue]] {
      guard case .object(let fields) = variant, case .array(let list)? = fields["prices"] else {
        return []
      }
      return list.compactMap { value in
        guard case .object(let price) = value, price["amount"] != nil,
          price["currency_code"] != nil
        else { return nil }
        return price
      }
    }

    func setPrice(of variant: inout [String: JSONValue]) {
      let prices = Self.prices(of: .object(variant))
      let first = prices.first { ($0["price_list_id"] ?? .null) == .null } ?? prices.first
      guard let first else { return }
      variant["prices"] = nil
      guard let areCents, let code = first["currency_code"], let amount = first["amount"] else {
        return
      }
      let text = areCents ? JSONMoney.integer(amount).map { JSONMoney.decimal($0, digits: 2) } : nil
      variant["price"] = .object([
        "amount": .string(text ?? amount.text),
        "currency": .string(JSONFields.texts(in: code).first?.uppercased() ?? ""),
      ])
    }
  }
}
