@testable import ShopIndex
@testable import ShopModel
@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Products with variants, which every format describes in another way.
@Suite struct ProductFamilyTests {
  @Test func `the currency of a variant is its own, whatever the caller says of others`() throws {
    let export = try ReadExport(
      #"""
      {"products":[{"id":"1","name":"Cap","variants":[{"sku":"A","pricing":{"basePrice":{"currency":"USD","value":"12.00"}}}]},
      {"id":"2","name":"Tee","variants":[{"sku":"B","color":"Red","image":"r.jpg","price":{"amount":"8.00","currencyCode":"SEK"}},{"sku":"C","color":"Blue","image":"b.jpg","price":"9 GBP"}]}]}
      """#)
    #expect(export.products.map { $0.price?.currency } == ["USD", "SEK", "GBP"])
  }

  @Test func `a product with images of its own is in stock while a variant is`() throws {
    let export = try ReadExport(
      #"""
      [{"id":"T","name":"Tee","stock":0,"images":["all.jpg"],"variants":[{"sku":"R","color":"Red","image":"r.jpg","stock":2},{"sku":"B","color":"Blue","image":"b.jpg","stock":0}]},
      {"id":"U","name":"Old","stock":0,"images":["old.jpg"],"variants":[{"sku":"V","color":"Red","image":"v.jpg","stock":0},{"sku":"W","color":"Blue","image":"w.jpg","stock":0}]}]
      """#)
    #expect(try export.product("T").availability == .inStock)
    #expect(try export.product("U").availability == .outOfStock)
    #expect(try export.product("B").availability == .outOfStock)
  }

  @Test func `products of one title have ids of their own`() throws {
    let text =
      #"[{"name":"Card","price":10,"image":"a.jpg"},{"name":"Card","price":25,"image":"b.jpg"},{"name":"Card","price":25,"image":"b.jpg"}]"#
    let export = try ReadExport(text)
    #expect(export.products.count == 2 && export.products[0].id == "card")
    #expect(export.products[1].id.hasPrefix("card-") && export.warnings.count == 1)
  }

  @Test func `a model that begins with its brand has it once`() throws {
    let export = try ReadExport(
      #"""
      <yml_catalog><shop><offers><offer id="1" type="vendor.model"><vendor>Nord</vendor><model>Nord K-2</model><price>9</price></offer><offer id="2"><typePrefix>Lamp</typePrefix><vendor>Nord</vendor><model>Nordic</model></offer></offers></shop></yml_catalog>
      """#)
    #expect(export.products.map(\.title) == ["Nord K-2", "Lamp Nord Nordic"])
    #expect(export.products.allSatisfy { $0.labels.isEmpty })
  }

  /// Would break if two formats had two models of a product with variants: a shop that changes its export would have each of
  /// its products twice, or without images.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `the same shop gives the same entities in every format`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let shop = (0..<3).map { DrawnFamily(number: $0, &generator) }
    let expected = try entities(DrawnFamily.shopify(shop))
    #expect(expected.count >= shop.count)
    let others = [
      ("products.json", DrawnFamily.productsJSON(shop)),
      ("WooCommerce CSV", DrawnFamily.wooCommerce(shop)),
      ("WooCommerce REST", DrawnFamily.wooCommerceREST(shop, nested: true)),
      ("WooCommerce REST, a list", DrawnFamily.wooCommerceREST(shop, nested: false)),
      ("Magento", DrawnFamily.magento(shop)),
      ("schema.org", DrawnFamily.schemaOrg(shop)),
    ]
    for (name, text) in others {
      let found = try entities(text)
      #expect(found == expected, "\(name) of seed \(seed)")
    }
  }

  /// What people and apps see of an entity, and the codes that find it.
  private struct Seen: Hashable, CustomStringConvertible {
    let id: String
    let description: String
  }

  private func entities(_ text: String) throws -> Set<Seen> {
    let export = try ReadExport(text)
    #expect(export.warnings.isEmpty, "\(export.warnings)")
    let seen = export.products.map { product in
      let codes = product.extra.flatMap { name, value -> [String] in
        guard ProductCode.isField(name) else { return [] }
        if case .array(let texts) = value { return texts.map(\.text) }
        return [value.text]
      }.map { $0.filter { $0 != "\"" } }.sorted()
      var sizes: [String] = []
      if case .array(let variants)? = product.extra["variants"] {
        for case .object(let variant) in variants {
          sizes.append("\(variant["sku"]?.text ?? "") \(variant["size"]?.text ?? "")")
        }
      }
      return Seen(
        id: product.id,
        description:
          "\(product.id) \(product.title) \(product.group ?? "-") \(product.brand ?? "-") \(product.images) "
          + "\(product.attributes.sorted { $0.key < $1.key }) \(product.price?.amount ?? "-") "
          + "\(product.price?.currency ?? "-") \(product.availability?.rawValue ?? "-") \(product.labels.sorted()) "
          + "\(product.extra["description"]?.text ?? "-") \(codes) \(sizes)")
    }
    return Set(seen)
  }

  /// Would break if the model of JSON forgot the texts of images (both were without images, and a third entity had them).
  @Test func `a shop of Shopify is the same as CSV and as JSON`() throws {
    let table = try ReadExport(
      """
      Handle,Title,Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Image Alt Text
      mug,Camp mug,North,Color,Red,M-R,10.00,p1.jpg,Red mug
      mug,,,,Blue,M-B,12.00,p2.jpg,Blue mug
      """)
    let document = try ReadExport(
      #"""
      {"products":[{"id":1,"handle":"mug","title":"Camp mug","vendor":"North","options":[{"name":"Color"}],
        "images":[{"id":11,"src":"p1.jpg","alt":"Red mug"},{"id":12,"src":"p2.jpg","alt":"Blue mug"}],
        "variants":[{"id":101,"sku":"M-R","price":"10.00","option1":"Red"},{"id":102,"sku":"M-B","price":"12.00","option1":"Blue"}]}]}
      """#)
    #expect(table.products.map(\.id) == ["mug/red", "mug/blue"])
    #expect(document.products == table.products)
  }

  /// Would break if only colors were looks: all designs of a case for phones were one entity.
  @Test(arguments: [
    """
    Type,SKU,Name,Published,Regular price,Images,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)
    variable,C,Case,1,,c.jpg,,Design,"Fox, Owl",Color,"Black, White"
    variation,C1,Case,1,9,fox.jpg,C,Design,Fox,Color,Black
    variation,C2,Case,1,9,fox.jpg,C,Design,Fox,Color,White
    variation,C3,Case,1,9,owl.jpg,C,Design,Owl,Color,Black
    variation,C4,Case,1,9,owl.jpg,C,Design,Owl,Color,White
    """,
    """
    Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Image Alt Text
    candle,Candle,Scent,Rose,C1,9,1.jpg,Candle of rose
    candle,,,Lemon,C2,9,2.jpg,Candle of lemon
    candle,,,Lemon,C3,9,3.jpg,
    """,
  ]) func `variants that differ in an option that the images follow are entities`(text: String)
    throws
  {
    let export = try ReadExport(text)
    let designs = export.products.compactMap {
      $0.attributes["design"] ?? $0.attributes["scent"]
    }
    #expect(Set(designs).count == 2 && export.products.count == 3)
    #expect(export.products.allSatisfy { $0.images.count == 1 && $0.group != nil })
  }

  /// Would break if each size became an entity because it has its own image: a photo would find all sizes, each with
  /// a lower confidence.
  @Test func `sizes with images of their own stay one color`() throws {
    let export = try ReadExport(
      """
      Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,Image Src,Variant Image
      tee,Tee,Color,Red,Size,S,R-S,9,1.jpg,1.jpg
      tee,,,Red,,M,R-M,9,2.jpg,2.jpg
      tee,,,Blue,,S,B-S,9,3.jpg,3.jpg
      """)
    #expect(export.products.map(\.id) == ["tee/red", "tee/blue"])
    #expect(try export.product("tee/red").images == ["1.jpg", "2.jpg"])
  }
}

/// A product with variants that a seed draws, as several formats write it.
private struct DrawnFamily {
  struct Variant {
    let sku: String
    let color: String
    let size: String
    let price: String
    let isInStock: Bool
    let code: String
    let image: String
  }

  let handle: String
  let title: String
  let brand: String
  let category: String
  let images: [String]
  var variants: [Variant] = []
  let hasColors: Bool
  let hasSizes: Bool

  init(number: Int, _ generator: inout SeededGenerator) {
    handle = "tee\(number)"
    title = "Tee number \(number)"
    brand = ["North", "South"].randomElement(using: &generator) ?? ""
    category = ["shirts", "cups"].randomElement(using: &generator) ?? ""
    let colors = Array(
      ["Red", "Navy blue", "Green"].shuffled(using: &generator).prefix(
        Int.random(in: 0...3, using: &generator)))
    let sizes = Array(["S", "M", "L"].prefix(Int.random(in: 0...3, using: &generator)))
    (hasColors, hasSizes) = (!colors.isEmpty, !sizes.isEmpty)
    var images: [String] = []
    if Bool.random(using: &generator) { images.append("https://i.example/\(handle)-front.jpg") }
    for color in colors where Bool.random(using: &generator) {
      // Its name has the color in it.
      let word = color.lowercased().split(separator: " ").joined(separator: "-")
      images.append("https://i.example/\(handle)-\(word).jpg")
    }
    self.images = images
    for color in colors.isEmpty ? [""] : colors {
      let slug = color.lowercased().split(separator: " ").joined(separator: "-")
      let image =
        !color.isEmpty && Bool.random(using: &generator)
        ? "https://i.example/\(handle)-v-\(slug.prefix(2)).jpg" : ""
      for (index, size) in (sizes.isEmpty ? [""] : sizes).enumerated() {
        let look = slug.isEmpty ? handle : "\(handle)/\(slug)"
        variants.append(
          Variant(
            // Formats with SKUs as ids have the ids of Shopify.
            sku: index == 0 && (!slug.isEmpty || sizes.isEmpty) ? look : "\(look)-\(size)",
            color: color, size: size,
            price: "\(Int.random(in: 5...40, using: &generator)).90",
            isInStock: Bool.random(using: &generator),
            code: "40063813\(Int.random(in: 10_000...99_999, using: &generator))", image: image))
      }
    }
  }

  private var isSimple: Bool { !hasColors && !hasSizes }

  /// The options of the variants, by their names.
  private var options: [(name: String, value: (Variant) -> String)] {
    var options: [(name: String, value: (Variant) -> String)] = []
    if hasColors { options.append(("Color", { $0.color })) }
    if hasSizes { options.append(("Size", { $0.size })) }
    return options
  }

  private static func table(_ header: String, _ rows: [[String: String]]) -> String {
    let columns = header.split(separator: ",").map(String.init)
    return
      ([header]
      + rows.map { row in columns.map { "\"\(row[$0] ?? "")\"" }.joined(separator: ",") })
      .joined(separator: "\n")
  }

  static func shopify(_ shop: [DrawnFamily]) -> String {
    var rows: [[String: String]] = []
    for family in shop {
      for (index, variant) in family.variants.enumerated() {
        var row = [
          "Handle": family.handle, "Variant SKU": variant.sku, "Variant Price": variant.price,
          "Variant Inventory Tracker": "shopify", "Variant Inventory Policy": "deny",
          "Variant Inventory Qty": variant.isInStock ? "3" : "0", "Variant Barcode": variant.code,
          "Variant Image": variant.image,
          "Image Src": index < family.images.count ? family.images[index] : "",
        ]
        if index == 0 {
          row["Title"] = family.title
          (row["Vendor"], row["Type"]) = (family.brand, family.category)
          (row["Body (HTML)"], row["Published"]) = ("<p>Nice &amp; warm</p>", "true")
        }
        for (number, option) in family.options.enumerated() {
          if index == 0 { row["Option\(number + 1) Name"] = option.name }
          row["Option\(number + 1) Value"] = option.value(variant)
        }
        if family.isSimple {
          (row["Option1 Name"], row["Option1 Value"]) = ("Title", "Default Title")
        }
        rows.append(row)
      }
      for image in family.images.dropFirst(family.variants.count) {
        rows.append(["Handle": family.handle, "Image Src": image])
      }
    }
    return table(
      "Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,"
        + "Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Barcode,Image Src,Variant Image",
      rows)
  }

  static func productsJSON(_ shop: [DrawnFamily]) -> String {
    let products = shop.enumerated().map { number, family -> JSONValue in
      let variants = family.variants.enumerated().map { index, variant -> JSONValue in
        var fields: [String: JSONValue] = [
          "id": .integer(Int64(number * 100 + index)), "sku": .string(variant.sku),
          "price": .string(variant.price), "available": .bool(variant.isInStock),
          "barcode": .string(variant.code), "option1": .string("Default Title"), "option2": .null,
          "featured_image": variant.image.isEmpty
            ? .null : .object(["src": .string(variant.image)]),
        ]
        for (number, option) in family.options.enumerated() {
          fields["option\(number + 1)"] = .string(option.value(variant))
        }
        return .object(fields)
      }
      let names = family.isSimple ? ["Title"] : family.options.map(\.name)
      return .object([
        "id": .integer(Int64(number)), "handle": .string(family.handle),
        "title": .string(family.title), "vendor": .string(family.brand),
        "product_type": .string(family.category), "body_html": .string("<p>Nice &amp; warm</p>"),
        "options": .array(names.map { .object(["name": .string($0)]) }),
        "images": .array(family.images.map { .object(["src": .string($0)]) }),
        "variants": .array(variants),
      ])
    }
    return JSONValue.object(["products": .array(products)]).text
  }

  static func wooCommerce(_ shop: [DrawnFamily]) -> String {
    var rows: [[String: String]] = []
    for (number, family) in shop.enumerated() {
      func row(_ kind: String, _ variant: Variant?) -> [String: String] {
        var row = [
          "ID": "\(number)", "Type": kind, "Name": family.title, "Published": "1",
          "Description": "<p>Nice &amp; warm</p>", "Categories": family.category,
          "Brands": family.brand, "SKU": variant?.sku ?? family.handle,
          "In stock?": variant.map { $0.isInStock ? "1" : "0" } ?? "",
          "Regular price": variant?.price ?? "", "GTIN": variant?.code ?? "",
        ]
        for (number, option) in family.options.enumerated() {
          row["Attribute \(number + 1) name"] = option.name
          row["Attribute \(number + 1) value(s)"] =
            variant.map(option.value)
            ?? Set(family.variants.map(option.value)).joined(separator: ", ")
        }
        return row
      }
      var parent = row(
        family.isSimple ? "simple" : "variable", family.isSimple ? family.variants[0] : nil)
      parent["Images"] = family.images.joined(separator: ", ")
      rows.append(parent)
      if family.isSimple { continue }
      for variant in family.variants {
        var row = row("variation", variant)
        (row["Parent"], row["Images"], row["ID"]) = (family.handle, variant.image, "")
        rows.append(row)
      }
    }
    return table(
      "ID,Type,SKU,GTIN,Name,Published,Description,In stock?,Regular price,Categories,Images,Parent,Brands,"
        + "Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)", rows)
  }

  static func wooCommerceREST(_ shop: [DrawnFamily], nested: Bool) -> String {
    var objects: [JSONValue] = []
    for (number, family) in shop.enumerated() {
      func object(_ id: Int, _ variant: Variant?) -> [String: JSONValue] {
        [
          "id": .integer(Int64(id)), "sku": .string(variant?.sku ?? family.handle),
          "price": .string(variant?.price ?? ""), "regular_price": .string(variant?.price ?? ""),
          "sale_price": .string(""), "gtin": variant.map { .string($0.code) } ?? .null,
          "stock_status": variant.map { .string($0.isInStock ? "instock" : "outofstock") } ?? .null,
        ]
      }
      let id = 1000 * (number + 1)
      var product = object(id, family.isSimple ? family.variants[0] : nil)
      product["name"] = .string(family.title)
      product["type"] = .string(family.isSimple ? "simple" : "variable")
      product["description"] = .string("<p>Nice &amp; warm</p>")
      product["categories"] = .array([
        .object(["id": .integer(7), "name": .string(family.category)])
      ])
      product["brands"] = .array([.object(["id": .integer(8), "name": .string(family.brand)])])
      product["images"] = .array(
        family.images.map { .object(["id": .integer(9), "src": .string($0)]) })
      product["attributes"] = .array(
        family.options.map { option in
          .object([
            "name": .string(option.name), "variation": .bool(true),
            "options": .array(Set(family.variants.map(option.value)).map(JSONValue.string)),
          ])
        })
      let variants = family.isSimple ? [] : family.variants
      let variations = variants.enumerated().map { index, variant -> JSONValue in
        var fields = object(id + index + 1, variant)
        (fields["type"], fields["parent_id"]) = (.string("variation"), .integer(Int64(id)))
        fields["name"] = .string(family.title)
        fields["image"] = variant.image.isEmpty ? .null : .object(["src": .string(variant.image)])
        fields["attributes"] = .array(
          family.options.map {
            .object(["name": .string($0.name), "option": .string($0.value(variant))])
          })
        return JSONValue.object(fields)
      }
      if nested, !variations.isEmpty { product["variations"] = .array(variations) }
      objects.append(.object(product))
      if !nested { objects += variations }
    }
    return JSONValue.array(objects).text
  }

  static func magento(_ shop: [DrawnFamily]) -> String {
    var rows: [[String: String]] = []
    for family in shop {
      func row(_ kind: String, _ sku: String, _ variant: Variant?) -> [String: String] {
        [
          "sku": sku, "product_type": kind, "attribute_set_code": "Default", "name": family.title,
          "description": "<p>Nice &amp; warm</p>",
          "categories": "Default Category/\(family.category)",
          "manufacturer": family.brand, "product_online": "1", "price": variant?.price ?? "",
          "is_in_stock": variant.map { $0.isInStock ? "1" : "0" } ?? "",
          "ean": variant?.code ?? "",
        ]
      }
      if !family.isSimple {
        for variant in family.variants {
          var row = row("simple", variant.sku, variant)
          row["base_image"] = variant.image
          rows.append(row)
        }
      }
      var parent = row(
        family.isSimple ? "simple" : "configurable", family.handle,
        family.isSimple ? family.variants[0] : nil)
      parent["base_image"] = family.images.first
      parent["additional_images"] = family.images.dropFirst().joined(separator: ",")
      if !family.isSimple {
        parent["configurable_variations"] = family.variants.map { variant in
          "sku=\(variant.sku),"
            + family.options.map { "\($0.name)=\($0.value(variant))" }.joined(separator: ",")
        }.joined(separator: "|")
      }
      rows.append(parent)
    }
    return table(
      "sku,product_type,attribute_set_code,name,description,categories,manufacturer,product_online,price,is_in_stock,ean,"
        + "base_image,additional_images,configurable_variations", rows)
  }

  static func schemaOrg(_ shop: [DrawnFamily]) -> String {
    let nodes = shop.map { family -> JSONValue in
      func offer(_ variant: Variant) -> [String: JSONValue] {
        [
          "@type": .string("Product"), "sku": .string(variant.sku), "gtin": .string(variant.code),
          "offers": .object([
            "price": .string(variant.price), "priceCurrency": .string("EUR"),
            "availability": .string(
              "https://schema.org/" + (variant.isInStock ? "InStock" : "OutOfStock")),
          ]),
        ]
      }
      var node: [String: JSONValue] = family.isSimple ? offer(family.variants[0]) : [:]
      node["name"] = .string(family.title)
      node["brand"] = .object(["name": .string(family.brand)])
      node["category"] = .string(family.category)
      node["description"] = .string("<p>Nice &amp; warm</p>")
      node["image"] = .array(family.images.map(JSONValue.string))
      if !family.isSimple {
        node["@type"] = .string("ProductGroup")
        node["productGroupID"] = .string(family.handle)
        node["hasVariant"] = .array(
          family.variants.map { variant in
            var fields = offer(variant)
            if !variant.image.isEmpty { fields["image"] = .string(variant.image) }
            for option in family.options {
              fields[option.name.lowercased()] = .string(option.value(variant))
            }
            return .object(fields)
          })
      }
      return .object(node)
    }
    return JSONValue.object([
      "@context": .string("https://schema.org"), "@graph": .array(nodes),
    ]).text
  }
}
