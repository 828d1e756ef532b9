@testable import ShopIndex
@testable import ShopModel
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The exports of shop systems that run on servers of shops: the headers are theirs, the values are ours.
@Suite struct InstalledShopExportTests {
  @Test func `a WooCommerce export with variations`() throws {
    let export = try ReadExport(
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
    let export = try ReadExport(Self.magento)
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

  @Test func `a PrestaShop export`() throws {
    let export = try ReadExport(
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

  /// Would break if a reduction between dates were kept for simple products only.
  @Test func `variants keep their reductions with dates`() throws {
    let woo = try ReadExport(
      """
      ID,Type,SKU,Name,Published,Date sale price starts,Date sale price ends,Sale price,Regular price,Images,Parent,Attribute 1 name,Attribute 1 value(s)
      1,simple,A,A,1,2026-01-01,2026-02-01,39,45,a.jpg,,,
      2,variable,B,B,1,,,,,"r.jpg, b.jpg",,Color,"Red, Blue"
      3,variation,B-R,B,1,2026-01-01,2026-02-01,39,45,r.jpg,B,Color,Red
      4,variation,B-B,B,1,,,38,45,b.jpg,B,Color,Blue
      """)
    for id in ["A", "B-R"] {
      let product = try woo.product(id)
      #expect(product.price?.amount == "45" && product.extra["Sale price"] == .string("39"))
      #expect(product.extra["Date sale price ends"] == .string("2026-02-01"))
    }
    #expect(
      try woo.product("B-B").price?.amount == "38" && woo.product("B-B").extra["Sale price"] == nil)
    let magento = try ReadExport(
      """
      sku,product_type,attribute_set_code,name,price,special_price,special_price_to_date,base_image,configurable_variations
      T-R,simple,Default,Tee red,45,39,2026-02-01,r.jpg,
      T-B,simple,Default,Tee blue,45,,,b.jpg,
      T,configurable,Default,Tee,,,,t.jpg,"sku=T-R,color=Red|sku=T-B,color=Blue"
      """)
    let red = try magento.product("T-R")
    #expect(red.price?.amount == "45" && red.extra["special_price"] == .string("39"))
    #expect(red.extra["special_price_to_date"] == .string("2026-02-01"))
    #expect(try magento.product("T-B").extra["special_price"] == nil)
  }

  /// Would break if the line breaks that the exporter writes as `\\n` were letters of the next word.
  @Test func `descriptions of WooCommerce have line breaks`() throws {
    let mug = try ReadExport(
      #"""
      Type,SKU,Name,Published,Images,Description,Short description
      simple,A,Mug,1,a.jpg,Hard\nsoft,Large\nsmall
      """#
    ).product("A")
    #expect(
      mug.extra["description"] == .string("Hard\nsoft")
        && mug.extra["shortDescription"] == .string("Large\nsmall"))
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
    // Both views of a color are one image, which is analyzed once.
    #expect(first.signedImages + first.sharedImages == 16 && first.withoutImages == 0)
    let second = try await indexer.run(path: path, options: options)
    #expect(second.changed == 0 && second.signedImages == 0 && second.unchangedImages == 16)
  }
}
