@testable import ShopIndex
@testable import ShopModel
@testable import ShopSearch
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The exports of hosted shop systems: the headers are theirs, the values are ours.
@Suite struct HostedShopExportTests {
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
    let export = try ReadExport(Self.shopify)
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
    let all = try ReadExport(Self.shopify, FeedOptions(currency: "EUR", includesDrafts: true))
    #expect(try all.product("draft").availability == .discontinued)
  }

  /// Would break if a draft whose stock is not tracked could be bought.
  @Test func `a draft is not in stock`() throws {
    let text = "Handle,Title,Status,Variant Price,Variant Inventory Tracker\na,Mug,draft,10,\n"
    let export = try ReadExport(text, FeedOptions(currency: "EUR", includesDrafts: true))
    #expect(try export.product("a").availability == .discontinued)
  }

  @Test func `a BigCommerce export with SKUs`() throws {
    let export = try ReadExport(
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
    let export = try ReadExport(
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

  /// A color without an image of its own has its SKU and its price, but no image that another entity has,
  /// too: either would hold the other down.
  @Test func `a color of a Shopify product is an entity also without an image`() throws {
    let header =
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Variant Image\n"
    let none = try ReadExport(
      header + "tee,Tee,Color,Red,T-R,19.90,front.jpg,\ntee,,,Blue,T-B,21.90,back.jpg,\n")
    #expect(none.products.map(\.id) == ["tee/red", "tee/blue", "tee"])
    #expect(none.products.map(\.images) == [[], [], ["front.jpg", "back.jpg"]])
    #expect(none.products.allSatisfy { $0.group == "tee" && $0.title == "Tee" })
    let blue = try none.product("tee/blue")
    #expect(blue.price?.amount == "21.90" && blue.extra["sku"] == .string("T-B"))
    #expect(blue.attributes == ["color": "Blue"])
    // The remaining image is that of the only color without one.
    let one = try ReadExport(
      header + "tee,Tee,Color,Red,T-R,19.90,front.jpg,red.jpg\ntee,,,Blue,T-B,21.90,red.jpg,\n")
    #expect(one.products.map(\.id) == ["tee/red", "tee/blue"])
    #expect(one.products.map(\.images) == [["red.jpg"], ["front.jpg"]])
    // Sizes look alike, so they stay one entity.
    let sizes = try ReadExport(
      header + "tee,Tee,Size,S,T-S,19.90,front.jpg,\ntee,,,M,T-M,19.90,,\n")
    #expect(sizes.products.map(\.id) == ["tee"])
  }

  private static let squarespace = """
    Product ID [Non Editable],Variant ID [Non Editable],Product Type [Non Editable],Product Page,Product URL,Title,Description,SKU,Option Name 1,Option Value 1,Option Name 2,Option Value 2,Option Name 3,Option Value 3,Price,Sale Price,On Sale,Stock,Categories,Tags,Weight,Length,Width,Height,Visible,Hosted Image URLs
    5f01,9a01,PHYSICAL,shop,camp-mug,Camp mug,<p>Enamel</p>,SQ-R,Color,Red,Size,S,,,14.00,9.00,Yes,3,"/cups, /outdoor",sale,0,0,0,0,Yes,https://images.example/mug-red.jpg https://images.example/mug-blue.jpg
    ,9a02,,,,,,SQ-B,Color,Blue,Size,S,,,15.00,9.00,No,0,,,0,0,0,0,,
    5f02,9a03,PHYSICAL,shop,lantern,Lantern,,SQ-L,,,,,,,40.00,0.00,No,Unlimited,,,0,0,0,0,Yes,https://images.example/lantern.jpg
    5f03,9a04,PHYSICAL,shop,off,Off,,SQ-O,,,,,,,40.00,0.00,No,1,,,0,0,0,0,No,https://images.example/off.jpg
    """

  /// Rows of variants have no title: they were refused.
  @Test func `a Squarespace export, whose variants have no title`() throws {
    let export = try ReadExport(Self.squarespace)
    #expect(export.format == .squarespace && export.warnings.isEmpty)
    #expect(export.products.map(\.id) == ["SQ-R", "SQ-B", "5f02"])
    let red = try export.product("SQ-R")
    #expect(red.title == "Camp mug" && red.group == "5f01" && red.price?.amount == "9.00")
    #expect(red.images == ["https://images.example/mug-red.jpg"] && red.availability == .inStock)
    #expect(red.attributes == ["color": "Red", "size": "S"])
    #expect(
      red.extra["description"] == .string("Enamel") && red.extra["slug"] == .string("camp-mug"))
    let blue = try export.product("SQ-B")
    #expect(blue.title == "Camp mug" && blue.price?.amount == "15.00")
    #expect(blue.images == ["https://images.example/mug-blue.jpg"])
    #expect(blue.availability == .outOfStock)
    #expect(try export.product("5f02").availability == .inStock)
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  private static let wixProducts = [
    """
    handleId,fieldType,name,description,productImageUrl,collection,sku,ribbon,price,surcharge,visible,discountMode,discountValue,inventory,weight,cost,productOptionName1,productOptionType1,productOptionDescription1
    p1,Product,Camp mug,<p>Enamel</p>,0a1_red~mv2.jpg;https://w.example/blue.jpg,Cups;Sale,,,14.00,,true,PERCENT,0,InStock,,,Color,COLOR,#ff0000:Red;#0000ff:Blue
    p1,Variant,,,,,W-R,,,0,true,,,3,,,Color,COLOR,#ff0000:Red
    p1,Variant,,,,,W-B,,,1.50,true,,,0,,,Color,COLOR,#0000ff:Blue
    p2,Product,Off,,https://w.example/off.jpg,,W-O,,9,,false,,,InStock,,,,,
    """,
    """
    handle,fieldType,name,visible,plainDescription,media,mediaAltText,ribbon,brand,price,strikethroughPrice,inventory,sku,barcode,weight,productOptionName1,productOptionType1,productOptionChoices1
    p1,PRODUCT,Camp mug,TRUE,<p>Enamel</p>,0a1_red~mv2.jpg,,,,14.00,,IN_STOCK,,,,Color,COLOR_SWATCHES,#ff0000:Red;#0000ff:Blue
    p1,MEDIA,,,,https://w.example/blue.jpg,,,,,,,,,,,,
    p1,VARIANT,,TRUE,,,,,,14.00,,3,W-R,,,,,#ff0000:Red
    p1,VARIANT,,TRUE,,,,,,15.50,,0,W-B,,,,,#0000ff:Blue
    p2,PRODUCT,Off,FALSE,,https://w.example/off.jpg,,,,9,,IN_STOCK,W-O,,,,,
    """,
  ]

  /// Rows of variants have no name, and their images are those of the product.
  @Test(arguments: wixProducts)
  func `a Wix export, whose variants have no name`(text: String) throws {
    let export = try ReadExport(text)
    #expect(export.format == .wix && export.warnings.isEmpty)
    #expect(export.products.map(\.id) == ["W-R", "W-B"])
    let red = try export.product("W-R")
    #expect(red.title == "Camp mug" && red.group == "p1" && red.price?.amount == "14.00")
    #expect(red.images == ["https://static.wixstatic.com/media/0a1_red~mv2.jpg"])
    #expect(red.attributes == ["color": "Red"] && red.availability == .inStock)
    #expect(red.extra["description"] == .string("Enamel"))
    let blue = try export.product("W-B")
    #expect(blue.price?.amount == "15.50" && blue.availability == .outOfStock)
    #expect(blue.images == ["https://w.example/blue.jpg"])
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// A surcharge that is not an amount of money once ended the process, and cents below zero were written as `0.0-50`.
  @Test(arguments: [
    ("inf", "is '14.00 + inf'"), ("nan", "is '14.00 + nan'"), ("1e300", "is '14.00 + 1e300'"),
    ("-14.50", "is '-0.50'"), ("-15.05", "is '-1.05'"),
  ])
  func `an odd surcharge of Wix costs no more than the price`(text: String, reason: String) throws {
    let row = "p1,Variant,,,,,W-B,,,"
    let export = try ReadExport(Self.wixProducts[0].replacing(row + "1.50", with: row + text))
    #expect(export.products.map(\.id) == ["W-R", "W-B"])
    #expect(try export.product("W-B").price == nil)
    #expect(try export.product("W-R").price?.amount == "14.00")
    let warning = try #require(export.warnings.first)
    #expect(export.warnings.count == 1 && warning.id == "W-B" && warning.field == "price")
    #expect(warning.reason.hasPrefix(reason))
  }

  @Test func `a Wix variant may cost less than its product`() throws {
    let text = Self.wixProducts[0].replacing(",1.50,true", with: ",-13.95,true")
    #expect(try ReadExport(text).product("W-B").price?.amount == "0.05")
  }

  /// Would break if what the shop sells without counting it, or beyond its stock, were out of stock.
  @Test(arguments: [
    ("", "0", "deny", Availability.inStock), ("", "", "deny", .inStock),
    ("shopify", "0", "continue", .backOrder),
    ("shopify", "-5", "CONTINUE", .backOrder), ("shopify", "3", "continue", .inStock),
    ("shopify", "0", "deny", .outOfStock),
  ])
  func `the stock of Shopify counts if it is tracked`(
    tracker: String, quantity: String, policy: String, expected: Availability
  ) throws {
    let old = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src\n"
        + "pot,Pot,Title,Default Title,\(tracker),\(quantity),\(policy),9.00,p.jpg")
    let new = try ReadExport(
      "Title,URL handle,Option1 name,Option1 value,Price,Inventory tracker,Inventory quantity,Continue selling when out of stock\n"
        + "Pot,pot,Title,Default Title,9.00,\(tracker),\(quantity),\(policy)")
    #expect(
      try old.product("pot").availability == expected && new.product("pot").availability == expected
    )
  }

  /// Would break if a product were out of stock because its first size is.
  @Test func `a size that can be ordered makes its product so`() throws {
    let export = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price\n"
        + "tee,Tee,Size,S,shopify,0,deny,9.00\ntee,,,M,shopify,0,continue,9.00")
    #expect(try export.product("tee").availability == .backOrder)
  }

  /// Would break if a level that BigCommerce does not count were one.
  @Test func `the stock of BigCommerce counts if it is tracked`() throws {
    let old = try ReadExport(
      """
      Item Type,Product Name,Product Code/SKU,Price,Current Stock Level,Track Inventory
      Product,Pan,PAN,20.00,0,none
      SKU,[RT]Color=Red,PAN-R,,0,
      SKU,[RT]Color=Blue,PAN-B,,0,
      Product,Pot,POT,20.00,0,by product
      Product,Lid,LID,20.00,5,by product
      SKU,[RT]Color=Red,LID-R,,0,
      SKU,[RT]Color=Blue,LID-B,,0,
      """)
    let found = old.products.map { "\($0.id) \($0.availability?.rawValue ?? "")" }
    #expect(
      found == [
        "PAN-R inStock", "PAN-B inStock", "POT outOfStock", "LID-R inStock", "LID-B inStock",
      ])
    let new = try ReadExport(
      "Item,ID,Name,SKU,Options,Inventory Tracking,Current Stock,Price\nProduct,1,Pan,PAN,,none,0,20.00\nProduct,2,Pot,POT,,product,0,20.00"
    )
    #expect(new.products.map(\.availability) == [.inStock, .outOfStock])
  }

  /// Would break if the mapping named fields as kept that are dropped.
  @Test func `the discount of a Wix product is kept`() throws {
    let mug = try ReadExport(
      "handleId,fieldType,name,price,discountMode,discountValue\nm,Product,Mug,20,PERCENT,10"
    ).product("m")
    #expect(
      mug.extra["discountMode"] == .string("PERCENT") && mug.extra["discountValue"] == .string("10")
    )
  }

  /// Would break if two colors of one product had one id: the second was rejected.
  @Test func `colors of Shopify that differ in marks only have ids of their own`() throws {
    let export = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant Price\ntee,Tee,Color,Rot / Weiß,9\ntee,,,Rot/Weiß,9\ntee,,,Blau,9"
    )
    #expect(export.products.map(\.id) == ["tee/rot-weiß", "tee/rot-weiß-2", "tee/blau"])
    #expect(export.warnings.isEmpty)
  }

  /// Would break if the report of the columns named some as kept that are not.
  @Test func `columns that a format reads are not reported as kept`() throws {
    let shopify = "Handle,Title,Status,Published,Variant SKU,Image Position,Option1 Name,Fabric\n"
    let woo =
      "ID,Type,SKU,Name,Published,Images,Regular price,Attribute 1 name,Attribute 1 value(s),Weight\n"
    for (header, kept) in [(shopify, ["Fabric"]), (woo, ["ID", "Weight"])] {
      let folder = try TemporaryDirectory()
      let reader = try FeedReader(path: folder.write(header, to: "f.csv"))
      #expect(reader.mapping.fields.filter { $0.target == nil }.map(\.name) == kept)
    }
  }

  /// Would break if a product were shown with the price before its discount.
  @Test(arguments: [
    ("PERCENT", "10", "18.00", "19.35"), ("AMOUNT", "2.5", "17.50", "19.00"),
    ("PERCENT", "", "20", "21.50"),
    ("PERCENT", "100", "20", "21.50"), ("PERCENT", "0.0", "20", "21.50"),
    ("PERCENT", "nan", "20", "21.50"),
  ])
  func `a discount of Wix reduces the price`(
    mode: String, value: String, expected: String, variant: String
  ) throws {
    let export = try ReadExport(
      """
      handleId,fieldType,name,price,surcharge,sku,discountMode,discountValue,productOptionName1,productOptionDescription1
      m,Product,Mug,20,,,\(mode),\(value),,
      w,Product,Wok,20,,,\(mode),\(value),Color,
      w,Variant,,,,W-R,,,,Red
      w,Variant,,,1.50,W-B,,,,Blue
      """)
    #expect(try export.product("m").price?.amount == expected)
    #expect(try export.product("W-R").price?.amount == expected)
    let blue = try export.product("W-B")
    #expect(blue.price?.amount == variant && export.warnings.isEmpty)
  }
}
