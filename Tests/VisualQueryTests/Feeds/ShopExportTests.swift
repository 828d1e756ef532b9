import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import VisualQuery

/// The exports of shop systems: the headers are theirs, the values are ours.
@Suite struct ShopExportTests {
  private struct Export {
    let format: FeedFormat
    var products: [Product] = []
    var warnings: [RefusedRow] = []
    var leftOut: [String: Int] = [:]
    var encoding: FeedEncoding?

    func product(_ id: String) throws -> Product { try #require(products.first { $0.id == id }) }
  }

  private static func read(
    _ bytes: [UInt8], _ options: FeedOptions = FeedOptions(currency: "EUR"),
    name: String = "export.csv"
  ) throws -> Export {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(path: folder.write(bytes, to: name), options: options)
    var export = Export(format: reader.mapping.format)
    while let row = try reader.next() {
      switch row {
      case .entity(.product(let product), _): export.products.append(product)
      case .entity: Issue.record("a store")
      case .refused(let row), .warning(let row): export.warnings.append(row)
      }
    }
    (export.leftOut, export.encoding) = (reader.leftOut, reader.encoding)
    return export
  }

  private static func read(
    _ text: String, _ options: FeedOptions = FeedOptions(currency: "EUR")
  ) throws -> Export {
    try read(Array(text.utf8), options)
  }

  private static let shopify = """
    Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,Image Src,Image Alt Text,Variant Image,Status
    tee,"<b>Soft</b> tee &amp; co",<p>Nice</p>,Northlight,Shirts,cotton,true,Color,Red,Size,S,T-R-S,19.90,red.jpg,,red.jpg,active
    tee,,,,,,,,Red,,M,T-R-M,19.90,blue.jpg,,red.jpg,
    tee,,,,,,,,Blue,,S,T-B-S,21.90,detail.jpg,,blue.jpg,
    cup,Cup,,V,T,,true,Farbe,Gelb,,,C-Y,9.90,cup-1.jpg,Tasse in gelb,,active
    cup,,,,,,,,Grün,,,C-G,9.90,cup-grün.jpg,,,
    draft,Draft,,V,T,,false,Title,Default Title,,,D1,9.90,d.jpg,,,draft
    lamp,Lamp,,V,T,,true,Title,Default Title,,,L1,"1,299.00",l.jpg,,,active
    """

  /// Would break if the answer to a picture of the red one said that it is black, or if a SKU or a
  /// price were lost.
  @Test func `a Shopify product becomes one entity for each color`() throws {
    let export = try Self.read(Self.shopify)
    #expect(export.format == .shopify && export.warnings.isEmpty)
    #expect(
      export.products.map(\.id) == ["tee/red", "tee/blue", "tee", "cup/gelb", "cup/grün", "lamp"])
    let red = try export.product("tee/red")
    #expect(red.title == "Soft tee & co" && red.group == "tee" && red.images == ["red.jpg"])
    #expect(red.attributes == ["color": "Red", "size": "S, M"] && red.price?.amount == "19.90")
    #expect(red.extra["variants"].map { "\($0)".contains("T-R-M") } == true)
    #expect(red.extra["description"] == .string("Nice") && red.extra["Option1 Value"] == nil)
    let blue = try export.product("tee/blue")
    #expect(blue.price?.amount == "21.90" && blue.extra["sku"] == .string("T-B-S"))
    // An image that belongs to no variant still finds the product.
    #expect(try export.product("tee").images == ["detail.jpg"])
    #expect(try export.product("cup/gelb").images == ["cup-1.jpg"])
    #expect(try export.product("cup/grün").attributes["color"] == "Grün")
    let lamp = try export.product("lamp")
    #expect(lamp.price?.amount == "1299.00" && lamp.group == nil && lamp.attributes.isEmpty)
    #expect(export.leftOut.values.reduce(0, +) == 1)
    let all = try Self.read(Self.shopify, FeedOptions(currency: "EUR", includesDrafts: true))
    #expect(try all.product("draft").availability == .discontinued)
  }

  @Test func `a WooCommerce export with variations`() throws {
    let export = try Self.read(
      """
      ID,Type,SKU,Name,Published,"Is featured?","Visibility in catalog","Short description",Description,"In stock?",Stock,"Sale price","Regular price",Categories,Tags,Images,Parent,"Attribute 1 name","Attribute 1 value(s)","Attribute 1 visible","Attribute 1 global"
      44,variable,tee,"Tee",1,1,visible,Short.,Long.,1,,,,"Clothing > Shirts, Sale",,"https://w.example/front.jpg, https://w.example/green.jpg",,Color,"Blue, Green",1,1
      45,simple,cap,Cap,1,0,visible,,,1,,18,20,Clothing,,https://w.example/cap.jpg,,,,,
      46,variation,tee-green,"Tee - Green",1,0,visible,,,1,,,20,,,https://w.example/green.jpg,tee,Color,Green,,1
      47,variation,tee-blue,"Tee - Blue",1,0,visible,,,0,,,15,,,https://w.example/blue.jpg,id:44,Color,Blue,,1
      48,simple,d,Draft,-1,0,visible,,,1,,,20,,,https://w.example/d.jpg,,,,,
      49,variation,orphan,"Orphan - Red",1,0,visible,,,1,,,20,,,https://w.example/o.jpg,gone,Color,Red,,1
      """)
    #expect(export.format == .wooCommerce && export.warnings.isEmpty)
    #expect(export.products.map(\.id) == ["cap", "orphan", "tee-green", "tee-blue", "tee"])
    #expect(try export.product("cap").price?.amount == "18")
    let blue = try export.product("tee-blue")
    #expect(blue.title == "Tee" && blue.group == "tee" && blue.attributes == ["color": "Blue"])
    #expect(blue.price?.amount == "15" && blue.availability == .outOfStock)
    #expect(blue.labels == ["clothing", "shirts", "sale", "blue"])
    #expect(try export.product("tee").images == ["https://w.example/front.jpg"])
    #expect(try export.product("orphan").group == "gone")
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  private static let magento = """
    sku,store_view_code,attribute_set_code,product_type,categories,product_websites,name,description,short_description,weight,product_online,tax_class_name,visibility,price,special_price,special_price_from_date,special_price_to_date,url_key,base_image,small_image,thumbnail_image,additional_images,additional_attributes,qty,is_in_stock,configurable_variations,configurable_variation_labels
    MH01-S-Black,,Top,simple,"Default Category/Men/Hoodies,Default Category/Men",base,Hoodie-S-Black,,,,1,,"Not Visible Individually",52.0000,,,,hoodie-s-black,/m/h/black.jpg,/m/h/black.jpg,/m/h/black.jpg,"/m/h/black.jpg,/m/h/black-back.jpg","color=Black,size=S",5.0000,1,,
    MH01-M-Black,,Top,simple,"Default Category/Men/Hoodies",base,Hoodie-M-Black,,,,1,,"Not Visible Individually",52.0000,,,,hoodie-m-black,/m/h/black.jpg,,,,"color=Black,size=M",5.0000,1,,
    MH01-S-Gray,,Top,simple,"Default Category/Men/Hoodies",base,Hoodie-S-Gray,,,,1,,"Not Visible Individually",54.0000,,,,hoodie-s-gray,/m/h/gray.jpg,,,,"color=Gray,size=S",0.0000,0,,
    MH01,,Top,configurable,"Default Category/Men/Hoodies",base,Hoodie,<p>Warm &amp; soft</p>,,,1,,"Catalog, Search",52.0000,,,,hoodie,/m/h/both.jpg,,,,"material=Cotton|Fleece,climate=Cold",0.0000,1,"sku=MH01-S-Black,size=S,color=Black|sku=MH01-M-Black,size=M,color=Black|sku=MH01-S-Gray,size=S,color=Gray","size=Size,color=Color"
    MH01,de,Top,,,,Kapuzenpulli,,,,,,,,,,,,,,,,,,,,
    24-MB01,,Bag,simple,"Default Category/Gear/Bags",base,Bag,,,,1,,"Catalog, Search",34.0000,30.0000,,,bag,/m/b/bag.jpg,no_selection,,,,100.0000,1,,
    24-MB02,,Bag,simple,"Default Category/Gear/Bags",base,Off,,,,2,,"Catalog, Search",34.0000,,,,off,/m/b/off.jpg,,,,,100.0000,1,,
    """

  @Test func `a Magento export with configurable products`() throws {
    let export = try Self.read(Self.magento)
    #expect(export.format == .magento && export.warnings.isEmpty)
    #expect(export.products.map(\.id) == ["24-MB01", "MH01-S-Black", "MH01-S-Gray", "MH01"])
    let black = try export.product("MH01-S-Black")
    #expect(black.title == "Hoodie" && black.group == "MH01")
    #expect(black.images == ["m/h/black.jpg", "m/h/black-back.jpg"])
    #expect(black.attributes == ["color": "Black", "size": "S, M", "material": "Cotton, Fleece"])
    #expect(black.price?.amount == "52.00" && black.availability == .inStock)
    #expect(black.extra["description"] == .string("Warm & soft"))
    // The address is that of the configurable product, which customers can open.
    #expect(black.extra["url_key"] == .string("hoodie"))
    #expect(try export.product("MH01-S-Gray").availability == .outOfStock)
    #expect(try export.product("MH01").images == ["m/h/both.jpg"])
    let bag = try export.product("24-MB01")
    #expect(bag.price?.amount == "30.00" && bag.labels == ["gear", "bags"])
    #expect(export.leftOut.values.sorted() == [1, 1])
  }

  /// Would break if a gzip or a slow pipe gave other variants than a file.
  @Test func `configurable products come from standard input, too`() throws {
    var records = RecordReader(bytes: Array(Self.magento.utf8), name: "-")
    let context = FeedContext(prices: FeedPrices(currency: "EUR"), options: FeedOptions())
    let head = try FeedHead(of: &records)
    var feed = try #require(try MagentoFeed(head, &records, context))
    var count = 0
    while let record = try feed.next(from: &records) {
      _ = try record.parse()
      count += 1
    }
    #expect(count == 4)
  }

  @Test func `a BigCommerce export with SKUs`() throws {
    let export = try Self.read(
      """
      Item Type,Product ID,Product Name,Product Type,Product Code/SKU,Brand Name,Product Description,Price,Sale Price,Product Visible?,Current Stock Level,Category,Product Image ID - 1,Product Image File - 1,Product Image URL - 1,Product URL
      Product,1,Journal,P,SJ,OFS,<p>x</p>,25.00,0,Y,4,Shop All;Shop All/Paper,10,a/img.jpg,https://b.example/img.jpg,/journal/
        SKU,2,"[RT]Size=Small,[CS]Color=Red:#f00",,SJ-R,,,26.00,,,1,,11,a/red.jpg,,
        SKU,3,"[RT]Size=Small,[CS]Color=Blue:#00f",,SJ-B,,,27.00,,,1,,12,a/blue.jpg,,
      Product,4,Hidden,P,H,OFS,,25.00,,N,4,Shop All,,,,
      """)
    #expect(export.format == .bigCommerce && export.products.map(\.id) == ["SJ-R", "SJ-B", "SJ"])
    let blue = try export.product("SJ-B")
    #expect(blue.attributes == ["color": "Blue", "size": "Small"] && blue.price?.amount == "27.00")
    #expect(blue.group == "SJ" && blue.images == ["a/blue.jpg"] && blue.brand == "OFS")
    #expect(try export.product("SJ").images == ["https://b.example/img.jpg"])
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  @Test func `a BigCommerce export of version 3`() throws {
    let export = try Self.read(
      """
      Item,ID,Name,Type,SKU,Options,Current Stock,Price,Sale Price,Brand ID,Categories,Description,Product URL,Is Visible,Variant Image URL,Internal Image URL (Export),Image URL (Import),Image Description
      Product,1,Mug,physical,M,,3,14.90,,2,3,<b>Good</b>,/mug/,TRUE,,,,
      Variant,2,,,M-R,Type=Swatch|Name=Color|Value=Red[#ff0000]Type=Rectangle|Name=Size|Value=L,1,15.90,,,,,,,https://b.example/r.jpg,,,
      Variant,3,,,M-B,Type=Swatch|Name=Color|Value=Blue[#0000ff]Type=Rectangle|Name=Size|Value=L,1,15.90,,,,,,,https://b.example/b.jpg,,,
      Image,4,,,,,,,,,,,,,,https://b.example/all.jpg,,All colors
      """)
    #expect(export.format == .bigCommerce && export.products.map(\.id) == ["M-R", "M-B", "M"])
    #expect(try export.product("M-B").attributes == ["color": "Blue", "size": "L"])
    #expect(try export.product("M").images == ["https://b.example/all.jpg"])
  }

  @Test func `a PrestaShop export`() throws {
    let export = try Self.read(
      """
      Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Tax rules ID;Reference #;Manufacturer;Quantity;Description;Image URLs (x,y,z...)
      1;1;T-Shirt;Men,Clothes;19.120000;1;demo_1;Northlight;300;<p>Soft</p>;http://p.example/1.jpg,http://p.example/2.jpg
      2;0;Off;Men;23.900000;1;demo_2;;0;;http://p.example/3.jpg
      """)
    let shirt = try #require(export.products.first)
    #expect(export.format == .table && export.products.count == 1 && shirt.price?.amount == "19.12")
    #expect(shirt.images == ["http://p.example/1.jpg", "http://p.example/2.jpg"])
    #expect(shirt.labels == ["men", "clothes"] && shirt.extra["description"] == .string("Soft"))
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  @Test func `an eBay listing file with variations`() throws {
    let export = try Self.read(
      """
      #INFO,Version=0.0.2,Template= eBay-draft-listings-template_US,,,,,,
      *Action(SiteID=US|Country=US|Currency=USD|Version=1193),CustomLabel,*Title,Relationship,RelationshipDetails,PicURL,*StartPrice,*Quantity,*Description
      Add,TEE,Tee,,Color=Red;Blue,https://e.example/a.jpg|https://e.example/b.jpg,,,Soft
      ,TEE-R,,Variation,Color=Red,https://e.example/red.jpg,12.50,3,
      ,TEE-B,,Variation,Color=Blue,https://e.example/blue.jpg,13.50,3,
      Add,CAP,Cap,,,https://e.example/cap.jpg,9.99,1,
      """, FeedOptions())
    #expect(
      export.format == .eBay && export.products.map(\.id) == ["TEE-R", "TEE-B", "TEE", "CAP"])
    let blue = try export.product("TEE-B")
    #expect(blue.title == "Tee" && blue.attributes["color"] == "Blue")
    #expect(blue.price == (try Price(amount: "13.50", currency: "USD")))
    #expect(try export.product("TEE").images.count == 2)
  }

  @Test func `an Amazon flat file, whose third line names the columns`() throws {
    let export = try Self.read(
      """
      TemplateType=fptcustom\tVersion=2019.1006\tThe top 3 rows are for Amazon.com use only.\t\t\t\t\t\t
      Seller SKU\tProduct Name\tBrand Name\tStandard Price\tCurrency\tMain Image URL\tOther Image URL\tParent SKU\tColor
      item_sku\titem_name\tbrand_name\tstandard_price\tcurrency\tmain_image_url\tother_image_url1\tparent_sku\tcolor_name
      M-R\tMug\tNorthlight\t14.90\tUSD\thttps://a.example/r.jpg\thttps://a.example/r2.jpg\tM\tRed
      """, FeedOptions())
    let mug = try #require(export.products.first)
    #expect(mug.id == "M-R" && mug.title == "Mug" && mug.group == "M" && mug.brand == "Northlight")
    #expect(mug.images == ["https://a.example/r.jpg", "https://a.example/r2.jpg"])
    #expect(mug.attributes["color"] == "Red" && mug.price?.currency == "USD")
  }

  @Test func `a Meta catalogue`() throws {
    let export = try Self.read(
      """
      id,title,description,availability,condition,price,link,image_link,brand,google_product_category,fb_product_category,quantity_to_sell_on_facebook,sale_price,item_group_id,color,size,material,additional_image_link
      1,Tee,Soft,available for order,new,"1,299.00 USD",https://m.example/1,https://m.example/1.jpg,N,Apparel & Accessories > Clothing,,5,,g,Red,M,Cotton,"https://m.example/2.jpg,https://m.example/3.jpg"
      """, FeedOptions())
    let tee = try #require(export.products.first)
    #expect(export.format == .merchant && tee.images.count == 3 && tee.group == "g")
    #expect(tee.attributes == ["color": "Red", "size": "M", "material": "Cotton"])
    #expect(tee.availability == .backOrder && tee.price?.amount == "1299.00")
  }

  /// Would break if a column that shops name otherwise were lost.
  @Test(arguments: [
    "SKU;Name;Image;Price\nx;A;a.jpg, b.jpg;14,90",
    "artikelnr|bezeichnung|bild|preis\nx|A|a.jpg;b.jpg|14.90",
    "product_id\tproduct_name\timage_url\tphoto 2\tprice\nx\tA\ta.jpg\tb.jpg\t14.90",
    "sep=,\nRéférence,Nom,Images,Prix\nx,A,\"a.jpg,b.jpg\",\"14,90 €\"",
    "Code,Titolo,Foto1,Foto2,Price (EUR)\nx,A,a.jpg,b.jpg,14.90",
    "Type;ID;Title;Images;Price\nProduct;x;A;a.jpg|b.jpg;14.90 EUR",
    "sku;name-en_US;image_1;image_2;price-EUR\nx;A;a.jpg;b.jpg;14.90",
    "ordernumber;name(de);category_id;image;images;price\nx;A;7;a.jpg;b.jpg;14,90",
  ]) func `columns under their usual other names`(text: String) throws {
    let export = try Self.read(text)
    let product = try #require(export.products.first)
    #expect(product.id == "x" && product.title == "A" && product.images == ["a.jpg", "b.jpg"])
    #expect(product.price?.amount == "14.90" && export.warnings.isEmpty)
  }

  @Test(arguments: [
    #"[{"id": 1, "title": "Mug", "price": 14.9, "category": "cups", "image": "a.jpg"}]"#,
    #"{"products": [{"sku": "1", "name": "Mug", "price": "14.90", "images": [{"src": "a.jpg"}]}], "total": 1}"#,
    "{\n  \"id\": \"1\",\n  \"name\": \"Mug\",\n  \"price\": {\"amount\": 14.9},\n  \"photos\": [\"a.jpg\"]\n}",
    #"{"_embedded": {"items": [{"identifier": "1", "values": {"name": [{"data": "Mug", "locale": "en_US"}], "price": [{"data": [{"amount": "14.90", "currency": "EUR"}]}], "image": [{"data": "a.jpg"}]}}]}}"#,
  ]) func `a document of JSON`(text: String) throws {
    let export = try Self.read(text)
    let mug = try #require(export.products.first)
    #expect(export.format == .json && export.products.count == 1 && export.warnings.isEmpty)
    #expect(mug.id == "1" && mug.title == "Mug" && mug.images == ["a.jpg"])
    #expect(mug.price.flatMap { Double($0.amount) } == 14.9)
  }

  @Test func `variants within an object become entities`() throws {
    let export = try Self.read(
      #"""
      {"products": [{"id": 1, "title": "Tee", "handle": "tee", "options": [{"name": "Color"}],
        "images": [{"src": "r.jpg"}, {"src": "b.jpg"}], "variants": [
        {"id": 11, "option1": "Red", "price": "10.00", "sku": "T-R", "featured_image": {"src": "r.jpg"}},
        {"id": 12, "option1": "Blue", "price": "11.00", "sku": "T-B", "featured_image": {"src": "b.jpg"}}]}]}
      """#)
    #expect(export.products.map(\.id) == ["T-R", "T-B"])
    let blue = try export.product("T-B")
    #expect(blue.group == "tee" && blue.attributes["color"] == "Blue" && blue.images == ["b.jpg"])
  }

  @Test func `a page of HTML with a group of variants`() throws {
    let export = try Self.read(
      #"""
      <!DOCTYPE html><html><head><script type="application/ld+json">{"@context": "https://schema.org",
      "@type": "ProductGroup", "productGroupID": "G", "name": "Mug &amp; cup", "brand": {"name": "N"}, "hasVariant": [
      {"@type": "Product", "sku": "m-r", "color": "Red", "image": "r.jpg", "offers": {"price": "14.90",
       "priceCurrency": "EUR", "url": "https://s.example/r"}},
      {"sku": "m-b", "color": "Blue", "image": "b.jpg", "offers": [{"@type": "Offer"}, {"price": 15,
       "priceCurrency": "EUR", "availability": "InStock"}]}]}</script></head></html>
      """#, FeedOptions())
    #expect(export.format == .html && export.products.map(\.id) == ["m-r", "m-b"])
    let red = try export.product("m-r")
    #expect(
      red.title == "Mug & cup" && red.group == "G" && red.url == "https://s.example/r"
        && red.brand == "N")
    #expect(red.attributes["color"] == "Red" && red.price?.amount == "14.90")
    #expect(try export.product("m-b").availability == .inStock)
  }

  @Test func `XML with items of another name`() throws {
    let export = try Self.read(
      """
      <?xml version="1.0" encoding="UTF-8"?><yml_catalog><shop><name>S</name><offers>
      <offer id="7" available="true"><url>https://s.example/7</url><price>1490</price><currencyId>RUB</currencyId>
      <picture>7.jpg</picture><picture>8.jpg</picture><name>Кружка</name><vendor>V</vendor>
      <delivery><price>5</price></delivery><param name="Цвет">Красный</param></offer></offers></shop></yml_catalog>
      """, FeedOptions())
    let mug = try #require(export.products.first)
    #expect(
      export.format == .xml && mug.id == "7" && mug.title == "Кружка"
        && mug.images == ["7.jpg", "8.jpg"])
    #expect(
      mug.price == (try Price(amount: "1490", currency: "RUB")) && mug.availability == .inStock)
    #expect(mug.attributes["color"] == "Красный" && mug.brand == "V")
  }

  @Test func `a mapping reads any table`() throws {
    let fields = [
      ("id", "Nr."), ("title", "What, it is"), ("images", "Pic"), ("attributes.fit", "Cut"),
    ]
    let options = FeedOptions(
      fields: fields.compactMap { FieldAssignment(target: $0.0, column: $0.1) })
    let export = try Self.read(
      "Nr.,\"What, it is\",Pic,Cut,Title\n7,Mug,m.jpg,slim,other\n", options)
    let mug = try #require(export.products.first)
    #expect(
      mug.id == "7" && mug.title == "Mug" && mug.images == ["m.jpg"]
        && mug.attributes == ["fit": "slim"])
    #expect(mug.extra["Title"] == .string("other"))
    let error = #expect(throws: CatalogueError.self) { try Self.read("a,b\n1,2\n", options) }
    #expect(error?.message.contains("no column 'Nr.'") == true)
    #expect(FieldAssignment(target: "titel", column: "x") == nil)
  }

  /// Would break if a file that is no feed were read as an empty one, or refused in a page of text.
  @Test(arguments: [
    ("<html><body><h1>502 Bad Gateway</h1></body></html>", "502 Bad Gateway"),
    ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "<Error>"),
    ("PK\u{3}\u{4}xl/workbook", ".xlsx"), ("just some words\nand more\n", "--map id=COLUMN"),
    (
      (0..<300).map { "Column number \($0)" }.joined(separator: ",") + "\n1,2",
      "--map id=COLUMN,title=COLUMN"
    ),
  ]) func `what is no feed is refused in one line`(text: String, word: String) throws {
    let error = #expect(throws: CatalogueError.self) { try Self.read(text) }
    let message = try #require(error?.message)
    #expect(error?.code == .unreadableInput && message.contains(word), "\(message)")
    // The path of the test's folder is longer than those of shops.
    let name = message.split(separator: "'").first.map(String.init) ?? ""
    #expect(message.count - name.count <= 200 && !message.contains("\n"), "\(message)")
  }

  struct Encoded: CustomTestStringConvertible, Sendable {
    let what: String
    let bytes: [UInt8]
    let name: String?
    var testDescription: String { what }
  }

  private static let table = "id;title;image\n1;Käse für 5 €;a.jpg\n2;Öl;b.jpg\n"

  private static func windows1252(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      (0x80...0xFF).first { SingleByteEncoding.windows1252.scalar($0) == scalar }
        ?? UInt8(scalar.value)
    }
  }

  private static func utf16(_ text: String, isBigEndian: Bool, hasMark: Bool) -> [UInt8] {
    ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit -> [UInt8] in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [
    Encoded(what: "UTF-8 with a mark", bytes: [0xEF, 0xBB, 0xBF] + Array(table.utf8), name: nil),
    Encoded(what: "Windows-1252", bytes: windows1252(table), name: "Windows-1252"),
    Encoded(
      what: "UTF-16 of Excel",
      bytes: utf16(table.replacing(";", with: "\t"), isBigEndian: false, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "UTF-16, big end first", bytes: utf16(table, isBigEndian: true, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "UTF-16 without a mark", bytes: utf16(table, isBigEndian: false, hasMark: false),
      name: "UTF-16"),
    Encoded(
      what: "Windows line ends", bytes: Array(table.replacing("\n", with: "\r\n").utf8), name: nil),
    Encoded(
      what: "carriage returns", bytes: Array(table.replacing("\n", with: "\r").utf8), name: nil),
    Encoded(
      what: "XML in Windows-1252",
      bytes: windows1252(
        "<?xml version='1.0' encoding='windows-1252'?><rss><item><id>1</id><title>Käse für 5 €</title></item>"
          + "<item><id>2</id><title>Öl</title></item></rss>"), name: "Windows-1252"),
    Encoded(
      what: "XML in UTF-16",
      bytes: utf16(
        "<?xml version='1.0' encoding='utf-16'?><rss><item><id>1</id><title>Käse für 5 €</title></item>"
          + "<item><id>2</id><title>Öl</title></item></rss>", isBigEndian: false, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "XML that declares nothing and is Windows-1252",
      bytes: windows1252(
        "<rss><item><id>1</id><title>Käse für 5 €</title></item><item><id>2</id><title>Öl</title></item></rss>"
      ),
      name: "Windows-1252"),
  ]) func `encodings are recognized`(encoded: Encoded) throws {
    let export = try Self.read(encoded.bytes)
    #expect(export.products.map(\.title) == ["Käse für 5 €", "Öl"])
    #expect(export.encoding?.name == encoded.name && export.warnings.isEmpty)
  }

  /// Would break if a character at the end of a chunk were lost.
  @Test(arguments: [1, 2, 3, 7, 1000]) func `text is the same however it is cut`(size: Int) {
    let text = "äöü 😀 " + String(repeating: "x", count: 50) + "€"
    for isBigEndian in [true, false] {
      var decoder = TextDecoder()
      var buffer: [UInt8] = []
      var rest = Self.utf16(text, isBigEndian: isBigEndian, hasMark: true)[...]
      // The mark comes whole, as the reader ensures.
      for count in [64] + Array(repeating: size, count: 1000) where !rest.isEmpty {
        let start = buffer.count
        buffer += rest.prefix(count)
        rest = rest.dropFirst(count)
        decoder.decode(&buffer, from: start)
      }
      decoder.finish(&buffer)
      #expect(String(decoding: buffer, as: UTF8.self) == "\u{FEFF}" + text)
    }
  }

  @Test(arguments: [
    ("<b>Bold</b> &amp; co &#39;x&#39;", "Bold & co 'x'"), ("a < b && c > d", "a < b && c > d"),
    ("Size <M>", "Size <M>"), ("A&nbsp;B &uuml; &#x27;&#8364;&#128;", "A B ü '€€"),
    ("<p>One</p><ul><li>Two</li><li>Three</li></ul>", "One\nTwo\nThree"),
    ("x<script>alert('1 < 2')</script>y<!-- no -->z", "xyz"),
    ("R&D &unknown; &", "R&D &unknown; &"),
    ("<p class=\"a\">open", "open"), ("<b", "<b"), ("5\" <br/> wide", "5\"\nwide"),
  ]) func `HTML becomes text`(html: String, text: String) { #expect(PlainText.text(html) == text) }

  @Test(
    arguments: [
      ("a.jpg", ["a.jpg"]), ("a.jpg, b.jpg", ["a.jpg", "b.jpg"]),
      ("a.jpg|b.jpg", ["a.jpg", "b.jpg"]),
      ("a.jpg;b.png", ["a.jpg", "b.png"]), ("Mug, large.jpg", ["Mug, large.jpg"]),
      ("https://x/a.jpg,https://x/b.jpg", ["https://x/a.jpg", "https://x/b.jpg"]),
      ("https://x/w_1,h_2/a.jpg", ["https://x/w_1,h_2/a.jpg"]),
      ("https://x/a.jpg https://x/b.jpg", ["https://x/a.jpg", "https://x/b.jpg"]),
      ("[\"a.jpg\", \"b.jpg\"]", ["a.jpg", "b.jpg"]), ("no_selection", []), ("", []),
      ("my photo.jpg", ["my photo.jpg"]),
    ] as [(String, [String])]) func `a field may list images`(text: String, names: [String])
  {
    #expect(ImageList.names(in: text) == names)
  }
}

/// Files in Magento's layout, of which nothing but the size is of a shop.
@Suite struct LargeExportTests {
  private static func rows(productCount: Int) -> String {
    var rows = [
      "sku,store_view_code,attribute_set_code,product_type,categories,name,product_online,price,url_key,base_image,additional_images,additional_attributes,qty,is_in_stock,configurable_variations"
    ]
    for product in 0..<productCount {
      var children: [String] = []
      for color in 0..<4 {
        for size in ["XS", "S", "M", "L", "XL"].prefix(color == 0 ? 4 : 5) {
          let sku = "P\(product)-\(size)-C\(color)"
          children.append("sku=\(sku),size=\(size),color=C\(color)")
          rows.append(
            "\(sku),,Top,simple,Default Category/Tops,\(sku),1,\(20 + color).0000,\(sku),/c\(color)-main.jpg,\"/c\(color)-main.jpg,/c\(color)-alt.jpg\",\"color=C\(color),size=\(size)\",5,1,"
          )
        }
      }
      rows.append(
        "P\(product),,Top,configurable,Default Category/Tops,Product \(product),1,,p\(product),/c0-main.jpg,,,0,1,\"\(children.joined(separator: "|"))\""
      )
    }
    return rows.joined(separator: "\n")
  }

  /// Would break if variants were lost among many.
  @Test func `two thousand rows with configurable products are read`() throws {
    let folder = try TemporaryDirectory()
    let rows = Self.rows(productCount: 100)
    #expect(rows.split(separator: "\n").count == 2001)
    var reader = try FeedReader(
      path: folder.write(rows, to: "export.csv"), options: FeedOptions(currency: "USD"))
    var groups: [String: Set<String>] = [:]
    while let row = try reader.next() {
      guard case .entity(.product(let product), _) = row, product.images.count == 2 else {
        Issue.record("\(row)")
        return
      }
      groups[product.group ?? "", default: []].insert(product.attributes["color"] ?? "")
    }
    #expect(groups.count == 100 && groups.values.allSatisfy { $0.count == 4 })
  }

  /// Would break if entities of several rows were taken for changed ones in the next run.
  @Test func `a second run over configurable products changes nothing`() async throws {
    let folder = try TemporaryDirectory()
    for color in 0..<4 {
      let picture = SyntheticPicture.scene(width: 48, height: 48, seed: UInt64(color))
      for view in ["main", "alt"] {
        _ = try folder.write(picture.jpeg(), to: "c\(color)-\(view).jpg")
      }
    }
    let path = try folder.write(Self.rows(productCount: 2), to: "export.csv")
    let options = IndexOptions(feed: FeedOptions(currency: "USD"))
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let first = try await indexer.run(path: path, options: options)
    #expect(first.entities == 8 && first.refused == 0 && first.warnings == 0)
    #expect(first.signedImages == 16 && first.withoutImages == 0)
    let second = try await indexer.run(path: path, options: options)
    #expect(second.changed == 0 && second.signedImages == 0 && second.unchangedImages == 16)
  }
}
