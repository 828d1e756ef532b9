@testable import ShopIndex
@testable import ShopModel
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The files of marketplaces, and tables whose columns have usual names.
@Suite struct MarketplaceExportTests {
  @Test func `an eBay listing file with variations`() throws {
    let export = try ReadExport(
      """
      #INFO,Version=0.0.2,Template= eBay-draft-listings-template_US,,,,,,
      *Action(SiteID=US|Country=US|Currency=USD|Version=1193),CustomLabel,*Title,Relationship,RelationshipDetails,PicURL,*StartPrice,*Quantity,*Description
      Add,TEE,Tee,,Color=Red;Blue,https://e.example/a.jpg|https://e.example/b.jpg,,,Soft
      ,TEE-R,,Variation,Color=Red,https://e.example/red.jpg,12.50,3,
      ,TEE-B,,Variation,Color=Blue,Blue=https://e.example/blue.jpg,13.50,3,
      Add,CAP,Cap,,,https://e.example/cap.jpg,9.99,1,
      """, FeedOptions())
    #expect(
      export.format == .eBay && export.products.map(\.id) == ["TEE-R", "TEE-B", "TEE", "CAP"])
    let blue = try export.product("TEE-B")
    #expect(blue.title == "Tee" && blue.attributes["color"] == "Blue")
    #expect(blue.images == ["https://e.example/blue.jpg"])
    #expect(blue.extra["RelationshipDetails"] == nil)
    #expect(blue.price == (try Price(amount: "13.50", currency: "USD")))
    #expect(try export.product("TEE").images.count == 2)
  }

  @Test func `an Amazon flat file, whose third line names the columns`() throws {
    let export = try ReadExport(
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
    let export = try ReadExport(
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
    let export = try ReadExport(text)
    let product = try #require(export.products.first)
    #expect(product.id == "x" && product.title == "A" && product.images == ["a.jpg", "b.jpg"])
    #expect(product.price?.amount == "14.90" && export.warnings.isEmpty)
  }

  @Test func `a mapping reads any table`() throws {
    let fields = [
      ("id", "Nr."), ("title", "What, it is"), ("images", "Pic"), ("attributes.fit", "Cut"),
    ]
    let options = FeedOptions(
      fields: fields.compactMap { FieldAssignment(target: $0.0, column: $0.1) })
    let export = try ReadExport(
      "Nr.,\"What, it is\",Pic,Cut,Title\n7,Mug,m.jpg,slim,other\n", options)
    let mug = try #require(export.products.first)
    #expect(
      mug.id == "7" && mug.title == "Mug" && mug.images == ["m.jpg"]
        && mug.attributes == ["fit": "slim"])
    #expect(mug.extra["Title"] == .string("other"))
    let error = #expect(throws: FeedError.self) { try ReadExport("a,b\n1,2\n", options) }
    #expect(error?.message.contains("no column 'Nr.'") == true)
    #expect(FieldAssignment(target: "titel", column: "x") == nil)
  }

  /// Bytes that are not text were read as text in another encoding, and refused for its columns.
  @Test(
    arguments: [
      ([0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10], "image (JPEG)"),
      ([UInt8](repeating: 0, count: 20), "begins with zeros"),
      ([0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0], "image (HEIC)"),
      ([0x49, 0x49, 0x2A, 0x00, 0xFF, 0xFE], "image (TIFF)"),
      (Array("BM".utf8) + [0x36, 0x10, 0x0E, 0] + Array(repeating: 0, count: 40), "image (BMP)"),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1], ".xls"), ([0x28, 0xB5, 0x2F, 0xFD, 0x24], "zstd"),
    ] as [([UInt8], String)])
  func `a file of bytes is told by them`(bytes: [UInt8], word: String) throws {
    let error = #expect(throws: FeedError.self) { try ReadExport(bytes) }
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test func `a table whose first column begins like a bitmap is read`() throws {
    let export = try ReadExport("BMW part,name,sku,image\nx,Mirror,a,a.jpg\n")
    #expect(export.products.map(\.id) == ["a"])
  }

  /// Would break if a file that is not a feed were read as an empty one, or refused with a page of text.
  @Test(arguments: [
    ("<html><body><h1>502 Bad Gateway</h1></body></html>", "502 Bad Gateway"),
    ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "<Error>"),
    ("PK\u{3}\u{4}xl/workbook", ".xlsx"), ("just some words\nand more\n", "--map id=COLUMN"),
    (
      (0..<300).map { "Column number \($0)" }.joined(separator: ",") + "\n1,2",
      "--map id=COLUMN,title=COLUMN"
    ),
  ]) func `what is no feed is refused in one line`(text: String, word: String) throws {
    let error = #expect(throws: FeedError.self) { try ReadExport(text) }
    let message = try #require(error?.message)
    #expect(message.contains(word), "\(message)")
    // The path of the test's folder is longer than those of shops.
    let name = message.split(separator: "'").first.map(String.init) ?? ""
    #expect(message.count - name.count <= 200 && !message.contains("\n"), "\(message)")
  }
}
