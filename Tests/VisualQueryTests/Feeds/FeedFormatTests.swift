@testable import ShopIndex
@testable import ShopModel
@testable import ShopSearch
import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The formats in which shops have their products already. The samples are our own, written by the
/// formats' public specifications.
@Suite struct FeedFormatTests {
  private static func read(
    _ text: String, currency: String? = nil
  ) throws -> (format: FeedFormat, entities: [EntityValue], refused: [RefusedRow]) {
    try read(Array(text.utf8), currency: currency)
  }

  private static func read(
    _ bytes: [UInt8], currency: String? = nil
  ) throws -> (format: FeedFormat, entities: [EntityValue], refused: [RefusedRow]) {
    let folder = try TemporaryDirectory()
    let path = try folder.write(bytes, to: "catalogue")
    var reader = try FeedReader(path: path, options: FeedOptions(currency: currency))
    var (entities, refused): ([EntityValue], [RefusedRow]) = ([], [])
    while let row = try reader.next() {
      switch row {
      case .entity(let value, _): entities.append(value)
      case .refused(let row), .warning(let row): refused.append(row)
      }
    }
    return (reader.mapping.format, entities, refused)
  }

  private static func product(_ value: EntityValue?) -> Product? {
    if case .product(let product)? = value { product } else { nil }
  }

  private static func json(_ values: [EntityValue]) -> [String] { values.map(\.json.text) }

  @Test func `a Merchant feed by tabs`() throws {
    let feed = """
      id\ttitle\tdescription\tlink\timage_link\tadditional_image_link\tprice\tavailability\tproduct_type\titem_group_id
      m1\tMug 5" tall\tA "mug"\thttps://a.example/m1\tm1.jpg\tm2.jpg,m3.jpg\t14.90 EUR\tin_stock\tHome > Kitchen > Mugs\tg
      m2\tBad\t\thttps://a.example/m2\tm4.jpg\t\tcheap\tin_stock\t\t
      m3\tShort
      """
    let read = try Self.read(feed)
    #expect(read.format == .merchant)
    #expect(
      Self.json(read.entities) == [
        #"{"availability":"inStock","extra":{"description":"A \"mug\"","product_type":"Home > Kitchen > Mugs"},"group":"g","id":"m1","images":["m1.jpg","m2.jpg","m3.jpg"],"labels":["kitchen","mugs"],"price":{"amount":"14.90","currency":"EUR"},"title":"Mug 5\" tall","type":"product","url":"https://a.example/m1"}"#,
        #"{"availability":"inStock","extra":{"priceText":"cheap"},"id":"m2","images":["m4.jpg"],"title":"Bad","type":"product","url":"https://a.example/m2"}"#,
      ])
    #expect(read.refused.map(\.line) == [3, 4] && read.refused[0].field == "price")
    #expect(read.refused.map(\.kind) == [.field, .row])
  }

  /// Would break if the empty rows that spreadsheets write were rejected rows without an id, because of which nothing is pruned.
  @Test(arguments: [";;", "; ;\t", "  ;;;;;"]) func `an empty row is no row`(row: String) throws {
    let read = try Self.read("type;id;title\n\(row)\nproduct;a;Mug\n\(row)\n\(row)")
    #expect(read.refused.isEmpty && read.entities.map(\.id.value) == ["a"])
  }

  /// Would break if a table of empty rows were said to be too long.
  @Test func `a table of empty rows is told as such`() throws {
    let error = #expect(throws: FeedError.self) { try Self.read(";;;\n;;;\n") }
    #expect(error?.message.hasSuffix("has only empty rows") == true)
  }

  @Test(arguments: ["rss", "feed"]) func `a Merchant feed as XML`(root: String) throws {
    let (item, link) =
      root == "rss"
      ? ("item", "<link>https://a.example/1</link>")
      : ("entry", #"<link href="https://a.example/1"/>"#)
    let feed = """
      <?xml version="1.0"?><\(root) xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>
      <\(item)><g:id>1</g:id><title>Mug &amp; cup</title>\(link)<g:image_link>a.jpg</g:image_link>
      <g:additional_image_link>b.jpg</g:additional_image_link><g:price>3.00 EUR</g:price>
      <g:sale_price>2.50 EUR</g:sale_price><description><![CDATA[<b>Big</b>]]></description></\(item)>
      <\(item)><g:id>2</g:id><title>Broken</g:title></\(item)>
      <\(item)><g:id>3</g:id><title>Last</title><link>https://a.example/3</link></\(item)></\(root)>
      """
    let read = try Self.read(feed)
    #expect(read.format == .merchant)
    #expect(read.entities.map(\.id.value) == ["1", "3"])
    let product = try #require(Self.product(read.entities.first))
    #expect(product.title == "Mug & cup" && product.url == "https://a.example/1")
    #expect(product.images == ["a.jpg", "b.jpg"] && product.price?.amount == "2.50")
    #expect(product.extra["description"] == .string("Big"))
    #expect(read.refused.map(\.line) == [5])
  }

  /// Found by fuzzing: Foundation's parser ended the process.
  @Test func `an item of a Merchant feed that is not UTF-8 is refused, and the next one read`()
    throws
  {
    let feed =
      Array("<rss><channel><item><g:id>1</g:id><tit".utf8) + [0xC9]
      + Array("e>A</title></item><item><g:id>2</g:id><title>Bé</title></item></channel></rss>".utf8)
    let read = try Self.read(feed)
    #expect(
      read.refused.map(\.reason) == ["is not well-formed XML: not well-formed (invalid token)"])
    #expect(read.entities.map(\.id.value) == ["2"])
  }

  @Test(arguments: [
    ("Handle,Title,Vendor,Type,Tags,Variant SKU,Variant Price,Image Src", "Image Src"),
    ("URL handle,Title,Vendor,Type,Tags,SKU,Price,Product image URL", "Product image URL"),
  ]) func `a Shopify export, its further rows among it`(header: String, image: String) throws {
    let export = """
      \(header)
      camp-mug,Camp mug,Northlight,Mugs,"enamel, red",S1,14.90,red.jpg
      camp-mug,,,,,S2,15.90,blue.jpg
      camp-mug,,,,,,,red.jpg
      lamp,"Lamp, large",Northlight,,,L1,80.00,lamp.jpg
      """
    let read = try Self.read(export, currency: "EUR")
    #expect(read.format == .shopify && read.refused.isEmpty)
    let products = read.entities.compactMap {
      if case .product(let product) = $0 { product } else { nil }
    }
    #expect(products.map(\.id) == ["camp-mug", "lamp"])
    #expect(products[0].images == ["red.jpg", "blue.jpg"])
    #expect(products[0].labels == ["mugs", "enamel", "red"] && products[0].brand == "Northlight")
    #expect(products[0].price?.amount == "14.90" && products[1].title == "Lamp, large")
    let bare = try Self.read(export)
    let product = try #require(Self.product(bare.entities.first))
    #expect(product.price == nil && product.extra["priceText"] == .string("14.90"))
  }

  @Test func `the eight columns of Product Search`() throws {
    let read = try Self.read(
      """
      gs://bucket/photos/a.jpg,i1,set,p1,apparel-v2,Red shirt,"color=red,style=plain",
      gs://bucket/photos/b.jpg,i2,set,p1,apparel-v2,Red shirt,,"0,0,1,0,1,1,0,1"
      c.png,i3,set,p2,homegoods-v2,,,
      too,few
      """)
    #expect(read.format == .productSearch)
    #expect(read.entities.map(\.id.value) == ["p1", "p2"])
    #expect(read.entities.map(\.imagePaths) == [["photos/a.jpg", "photos/b.jpg"], ["c.png"]])
    #expect(read.entities[0].labels == ["apparel-v2", "red", "plain"])
    #expect(read.refused.map(\.line) == [4])
  }

  @Test func `products and stores of schema.org`() throws {
    let document = """
      {"@context": "https://schema.org", "@graph": [
        {"@type": "Product", "sku": "m1", "name": "Mug", "image": ["a.jpg", {"url": "b.jpg"}],
         "brand": {"@type": "Brand", "name": "Northlight"}, "category": "Home > Mugs", "color": "red",
         "offers": {"@type": "Offer", "price": 14.9, "priceCurrency": "EUR",
                    "availability": "https://schema.org/InStock"}},
        {"@type": ["GroceryStore"], "branchCode": "s1", "name": "Market", "image": "s.jpg",
         "address": {"@type": "PostalAddress", "streetAddress": "Quay 4", "addressLocality": "Hamburg"},
         "geo": {"latitude": "53.5", "longitude": 10}},
        {"@type": "Product", "name": "Nameless"},
        {"@type": "WebSite", "name": "Shop"}]}
      """
    let read = try Self.read(document)
    #expect(read.format == .schemaOrg)
    #expect(
      Self.json(read.entities) == [
        #"{"attributes":{"color":"red"},"availability":"inStock","brand":"Northlight","id":"m1","images":["a.jpg","b.jpg"],"labels":["home","mugs","red"],"price":{"amount":"14.9","currency":"EUR"},"title":"Mug","type":"product"}"#,
        #"{"address":"Quay 4, Hamburg","geo":{"latitude":53.5,"longitude":10},"id":"s1","images":["s.jpg"],"title":"Market","type":"store"}"#,
      ])
    #expect(read.refused.map(\.field) == ["sku"])
    // A place that JSON cannot hold is left out.
    let nowhere = #"""
      [{"@type": "Store", "branchCode": "s", "name": "S", "geo": {"latitude": "nan", "longitude": 1}}]
      """#
    #expect(
      try Self.json(Self.read(nowhere).entities) == [#"{"id":"s","title":"S","type":"store"}"#])
    // A product code is kept even if it is also the id, and even if only the offer has it. Opening hours without a
    // time zone are reported.
    let more = try Self.read(
      #"""
      [{"@type": "Product", "gtin14": "04006381333931", "name": "A"},
       {"@type": "Product", "sku": "b", "name": "B", "offers": {"price": 1, "gtin12": "036000291452"}},
       {"@type": "Store", "branchCode": "s", "name": "S", "openingHours": "Mo-Fr 09:00-18:00"}]
      """#)
    #expect(
      Self.json(Array(more.entities.prefix(2))).map { $0.contains(/"gtin1[24]":"0(4006381|36000)/) }
        == [true, true])
    #expect(more.refused.contains { $0.field == "openingHours" && $0.reason.contains("timeZone") })
    let lines = #"""
      {"@type":"Product","sku":"a","name":"A"}
      {"type":"product","id":"b","title":"B"}
      """#
    #expect(try Self.read(lines).entities.map(\.id.value) == ["a", "b"])
  }

  /// Would break if one row too deep made a file of many rows look like one document, which is
  /// refused whole.
  @Test func `nodes that are too deep are refused one by one`() throws {
    func node(_ id: String, _ depth: Int) -> String {
      let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return #"{"@type":"Product","sku":"\#(id)","name":"N","description":\#(lists)}"#
    }
    for text in [
      [node("a", 100), node("b", 1)].joined(separator: "\n"),
      "[\n" + [node("a", 40), node("b", 1)].joined(separator: ",\n") + "\n]",
    ] {
      let read = try Self.read(text)
      #expect(read.entities.map(\.id.value) == ["b"])
      #expect(read.refused.map { $0.reason.contains("deeper than 3") } == [true])
    }
    let error = #expect(throws: FeedError.self) {
      try Self.read("[\n" + node("a", 100) + "\n]")
    }
    #expect(error?.message.contains("64 levels") == true)
  }

  /// Would break if rows of two handles that differ only in their bytes became one product.
  @Test func `a handle is its bytes`() throws {
    let read = try Self.read(
      """
      Handle,Title,Vendor,Type,Tags,Variant SKU,Variant Price,Image Src
      caf\u{E9},One,V,T,,S1,1.00,a.jpg
      cafe\u{301},Two,V,T,,S2,2.00,b.jpg
      """)
    #expect(read.entities.map(\.imagePaths) == [["a.jpg"], ["b.jpg"]])
  }

  @Test func `a folder of pictures`() async throws {
    let folder = try TemporaryDirectory()
    for inner in ["cups/small", "shop.vq", "old.jpg"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + inner, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/cups/back", withDestinationPath: folder.path)
    for name in [
      "red-mug.jpg", "B.PNG", "cup.jfif", ".hidden.jpg", "cups/small/red-mug.jpg", "shop.vq/c.jpg",
      "old.jpg/lamp.jpg",
    ] {
      _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: name)
    }
    for (name, text) in [
      ("notes.txt", "a note"), ("a.scan", "II*\0\u{8}\0\0\0"), ("b.dat", "%PDF-1.7"),
      ("c", "II*\0"),
      ("page.webp", "<html>"),
    ] {
      _ = try folder.write(text, to: name)
    }
    var reader = try FeedReader(path: folder.path)
    var titles: [String] = []
    while case .entity(.product(let product), _)? = try reader.next() {
      titles.append("\(product.id): \(product.title), \(product.images)")
    }
    #expect(
      titles == [
        #"B: B, ["B.PNG"]"#, #"cup: cup, ["cup.jfif"]"#,
        #"cups/small/red-mug: red mug, ["cups/small/red-mug.jpg"]"#,
        #"old.jpg/lamp: lamp, ["old.jpg/lamp.jpg"]"#,
        #"page: page, ["page.webp"]"#, #"red-mug: red mug, ["red-mug.jpg"]"#,
      ])
    #expect(reader.leftOut == [".txt files": 1, "TIFF files": 2, "PDF files": 1])
    let empty = try TemporaryDirectory()
    #expect(throws: FeedError.self) { _ = try FeedReader(path: empty.path) }
  }

  /// Made by `gzip -9`: two members, one after the other.
  @Test func `what is compressed is read as what it holds`() throws {
    let line = #"{"type":"product","id":"ID","title":"T"}"# + "\n"
    let texts = ["a", "b"].map { line.replacing("ID", with: $0) }
    let folder = try TemporaryDirectory()
    var compressed: [UInt8] = []
    for text in texts {
      let path = try folder.write(text, to: "part")
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
      process.arguments = ["-9", "-c", path]
      process.standardOutput = output
      try process.run()
      compressed += [UInt8](output.fileHandleForReading.readDataToEndOfFile())
      process.waitUntilExit()
    }
    #expect(try Self.read(compressed).entities.map(\.id.value) == ["a", "b"])
    for damaged in [Array(compressed.dropLast(9)), Array(compressed.prefix(20)) + [1, 2, 3, 4]] {
      #expect(throws: FeedError.self) { try Self.read(damaged) }
    }
  }

  /// Whatever comes, rows are read or refused, and memory is bounded.
  @Test(arguments: 0..<60 as Range<UInt64>) func `noise ends in refusals`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "<item>", "</item>", "<g:id>1</g:id>", "\t", ",", "\"", "\n", "id,title,link\n",
      "id\ttitle\tlink\n", "Handle,Title\n", #"{"@type":"Product"}"#, "[", "{", "}", "&x;",
      "\u{1F}\u{8B}", "é",
    ]
    let text = (0..<60).map { _ in pieces.randomElement(using: &generator)! }.joined()
    do {
      _ = try Self.read(text)
    } catch is FeedError {
      // A typed error is an accepted result.
    }
  }

  /// Would break if words for none were values: unrelated products would be one card of grouped answers.
  @Test(arguments: ["0", " ", "00", "NULL", "n/a", "None", "-", "#N/A"])
  func `words for none are no group, brand or color`(word: String) throws {
    let json = #""title":"T","group":"\#(word)","brand":"\#(word)""#
    for text in [
      "sku,name,parent_id,brand,color,category\na,T,\(word),\(word),\(word),\(word)",
      "type,id,title,group,brand,attributes.color,labels\nproduct,a,T,\(word),\(word),\(word),",
      #"[{"id":"a","name":"T","parent_id":"\#(word)","brand":"\#(word)","color":"\#(word)"}]"#,
      #"{"type":"product","id":"a",\#(json)}"#,
    ] {
      let product = try ReadExport(text).product("a")
      #expect(product.group == nil, "\(text)")
      // A brand and a color may be a number.
      guard Int(word) == nil else { continue }
      #expect(
        product.brand == nil && product.attributes.isEmpty && product.labels.isEmpty, "\(text)")
    }
  }

  /// Would break if only plain numbers were quantities: such a product would have no availability, and nobody would know.
  @Test(arguments: [
    ("10+", Availability.inStock), (">10", .inStock), ("1.234,00", .inStock), ("1 234", .inStock),
    ("5 Stk.", .inStock),
    ("ja", .inStock), ("unlimited", .inStock), ("0 Stk", .outOfStock), ("0,00", .outOfStock),
    ("-3", .outOfStock),
    ("nein", .outOfStock),
  ]) func `quantities may have marks and units`(text: String, expected: Availability) throws {
    for export in [
      try ReadExport("sku;name;stock\n1;A;\(text)"),
      try ReadExport("sku;name;Bestand\n1;A;\(text)"),
      try ReadExport(#"[{"sku":"1","name":"A","stock":"\#(text)"}]"#),
    ] {
      #expect(try export.product("1").availability == expected && export.warnings.isEmpty)
    }
  }

  /// Would break if a quantity or an availability that is not understood vanished.
  @Test(arguments: [
    ("quantity", "a few"), ("quantity", "<5"), ("quantity", "10-50"), ("availability", "2 weeks"),
    ("availability", "soon"),
  ]) func `the text of an unclear availability is kept`(column: String, text: String) throws {
    let export = try ReadExport("sku;name;\(column)\n1;A;\(text)")
    let product = try export.product("1")
    #expect(product.availability == nil && product.extra["availabilityText"] == .string(text))
    #expect(export.warnings.map(\.field) == ["availability"])
  }

  /// Would break if a number were read as one with a unit in a field that may have a time of delivery.
  @Test(arguments: ["10+", ">10", "3"]) func `an availability may be a number`(text: String) throws
  {
    #expect(
      try ReadExport("sku;name;availability\n1;A;\(text)").product("1").availability == .inStock)
  }

  /// Would break if one column made a feed for ads an export of Shopify, whose images and ids are in other columns.
  @Test func `a table for ads with a column for the handle is none of Shopify`() throws {
    let export = try ReadExport(
      """
      id,title,link,image_link,price,handle
      1,Mug,https://shop.example/p/1,https://shop.example/1.jpg,10.00 EUR,mug
      """)
    #expect(export.format == .merchant)
    let product = try export.product("1")
    #expect(
      product.images == ["https://shop.example/1.jpg"] && product.extra["handle"] == .string("mug"))
    let own = try ReadExport(
      """
      ID,Handle,Title,Variant Price,Image Src,Link
      77,mug,Mug,10.00,https://shop.example/1.jpg,https://shop.example/p/1
      """)
    #expect(own.format == .shopify && own.products[0].extra["ID"] == .string("77"))
  }
}
