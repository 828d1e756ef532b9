@testable import ShopIndex
@testable import ShopModel
@testable import ShopSearch
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The product codes of variants. Would break if a code that a phone reads found nothing, or another
/// variant than its own.
@Suite struct VariantCodeTests {
  private static let red = "4006381333931"
  private static let blue = "96385074"

  /// The codes of a product, by whatever name the feed has for them.
  private static func codes(_ product: Product, _ name: String) -> [String] {
    switch product.extra[name] {
    case .string(let text)?: [text]
    case .array(let texts)?:
      texts.compactMap { if case .string(let text) = $0 { text } else { nil } }
    default: []
    }
  }

  /// An export of two colors of one product, with the ids of their entities.
  struct Export: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ids: [String]
    let field: String
    let text: String
  }

  private static let exports = [
    Export(
      testDescription: "Shopify", ids: ["tee/red", "tee/blue"], field: "Variant Barcode",
      text: """
        Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Barcode,Image Src,Variant Image
        tee,Tee,Color,Red,T-R,19.90,\(red),red.jpg,red.jpg
        tee,,,Blue,T-B,21.90,\(blue),blue.jpg,blue.jpg
        """),
    Export(
      testDescription: "WooCommerce", ids: ["T-R", "T-B"], field: "gtin",
      text: """
        ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Name,Published,"Regular price",Images,Parent,"Attribute 1 name","Attribute 1 value(s)"
        44,variable,tee,,Tee,1,,,,Color,"Red, Blue"
        46,variation,T-R,\(red),Tee,1,20,https://w.example/red.jpg,tee,Color,Red
        47,variation,T-B,\(blue),Tee,1,20,https://w.example/blue.jpg,tee,Color,Blue
        """),
    Export(
      testDescription: "Wix", ids: ["T-R", "T-B"], field: "barcode",
      text: """
        handle,fieldType,name,visible,media,price,inventory,sku,barcode,productOptionName1,productOptionChoices1
        tee,PRODUCT,Tee,TRUE,red.jpg;blue.jpg,14.00,IN_STOCK,,,Color,#ff0000:Red;#0000ff:Blue
        tee,VARIANT,,TRUE,,14.00,3,T-R,\(red),,#ff0000:Red
        tee,VARIANT,,TRUE,,15.50,0,T-B,\(blue),,#0000ff:Blue
        """),
    Export(
      testDescription: "Magento", ids: ["T-R", "T-B"], field: "ean",
      text: """
        sku,product_type,name,product_online,price,base_image,additional_attributes,configurable_variations
        T-R,simple,Tee red,1,52.00,/t/red.jpg,"color=Red,ean=\(red)",
        T-B,simple,Tee blue,1,54.00,/t/blue.jpg,"color=Blue,ean=\(blue)",
        tee,configurable,Tee,1,52.00,,,"sku=T-R,color=Red|sku=T-B,color=Blue"
        """),
    Export(
      testDescription: "BigCommerce", ids: ["T-R", "T-B"], field: "gtin",
      text: """
        Item Type,Product ID,Product Name,Product Code/SKU,Price,Product UPC/EAN,Product Image File - 1
        Product,1,Tee,T,25.00,,
          SKU,2,[CS]Color=Red:#f00,T-R,26.00,\(red),a/red.jpg
          SKU,3,[CS]Color=Blue:#00f,T-B,27.00,\(blue),a/blue.jpg
        """),
    Export(
      testDescription: "products.json", ids: ["tee/red", "tee/blue"], field: "barcode",
      text: #"""
        {"products": [{"id": 1, "title": "Tee", "handle": "tee", "options": [{"name": "Color"}], "variants": [
          {"id": 11, "option1": "Red", "price": "10.00", "sku": "T-R", "barcode": "\#(red)"},
          {"id": 12, "option1": "Blue", "price": "11.00", "sku": "T-B", "barcode": "\#(blue)"}]}]}
        """#),
  ]

  @Test(arguments: exports)
  func `each color has its own code`(export: Export) throws {
    let read = try ReadExport(export.text)
    #expect(read.warnings.isEmpty)
    let found = try export.ids.map { Self.codes(try read.product($0), export.field) }
    #expect(found == [[Self.red], [Self.blue]])
  }

  /// Sizes are one entity, which the code of each of them finds.
  @Test(arguments: [
    """
    Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Barcode,Image Src
    tee,Tee,Size,S,T-S,19.90,\(red),tee.jpg
    tee,,,M,T-M,19.90,\(blue),
    """,
    #"""
    {"products": [{"id": "tee", "title": "Tee", "options": [{"name": "Size"}], "images": [], "variants": [
      {"id": 11, "option1": "S", "price": "10.00", "sku": "T-S", "barcode": "\#(red)", "available": false},
      {"id": 12, "option1": "M", "price": "11.00", "sku": "T-M", "barcode": "\#(blue)", "available": true}]}]}
    """#,
  ])
  func `sizes share an entity with all codes`(text: String) async throws {
    let folder = try TemporaryDirectory()
    let name = text.hasPrefix("{") ? "feed.json" : "feed.csv"
    let indexer = Indexer(directory: folder.path + "/shop.vq", pool: WorkerPool(width: 2))
    let path = try folder.write(text, to: name)
    _ = try await indexer.run(
      path: path, options: IndexOptions(feed: FeedOptions(currency: "EUR")))
    let matcher = Matcher(unhurried: try Catalogue(directory: indexer.directory))
    for code in [Self.red, Self.blue] {
      var content = SemanticContent(labels: [])
      content.codes = [code]
      let answer = try await matcher.values(for: content)
      #expect(answer.matches.map(\.value.id.value) == ["tee"] && answer.unmatchedCodes.isEmpty)
      guard case .product(let product)? = answer.matches.first?.value else { continue }
      #expect(product.attributes["size"] == "S, M")
      #expect(product.extra["variants"].map { "\($0)".contains("T-M") } == true)
    }
  }

  /// Also the only code of a feed, which is its id.
  @Test func `a product whose id is its code is found by it`() throws {
    let export = try ReadExport("ean,name,image\n\(Self.red),Mug,mug.jpg\nx,Cup,cup.jpg\n")
    #expect(export.products.map { Self.codes($0, "ean") } == [[Self.red], []])
  }

  /// Would break if the mark by which spreadsheets keep a number as text were part of the number.
  @Test(arguments: [
    "sku,name,ean\n1,T,'4006381333931",
    #"{"type":"product","id":"1","title":"T","ean":"'4006381333931"}"#,
  ]) func `a code has no apostrophe before it`(text: String) throws {
    let export = try ReadExport(text)
    let product = try export.product("1")
    #expect(export.warnings.isEmpty && product.extra["ean"] == .string("4006381333931"))
  }

  /// Would break if codes that a spreadsheet rounded were stored without a word: they find nothing.
  @Test(arguments: ["4.01234E+12", "4,01235E+12", "4E+12"]) func `rounded codes are reported`(
    code: String
  ) throws {
    let export = try ReadExport("sku;name;ean\n1;T;\(code)")
    #expect(
      export.warnings.map(\.field) == ["ean"]
        && export.warnings.first?.reason.contains("spreadsheet") == true)
    let ids = try ReadExport("ean;name\n\(code);T\n\(code);U")
    #expect(ids.products.map(\.id) == [code] && ids.warnings.map(\.kind) == [.field, .row])
    #expect(ids.warnings.allSatisfy { $0.field == "id" && $0.reason.contains("spreadsheet") })
  }
}
