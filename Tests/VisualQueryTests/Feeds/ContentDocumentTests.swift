import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Documents of systems that keep contents, and formats that are told by several signs.
@Suite struct ContentDocumentTests {
  @Test func `entries by language, with references to images`() throws {
    let export = try ReadExport(
      #"""
      {"entries":[
      {"sys":{"id":"r","type":"Entry","publishedVersion":2,"contentType":{"sys":{"id":"shopProduct"}}},"fields":{"title":{"de":"Teppich","en-US":"Rug"},"price":{"en-US":24.5},"kind":{"en-US":{"sys":{"type":"Link","linkType":"Entry","id":"k"}}},"photos":{"en-US":[{"sys":{"type":"Link","linkType":"Asset","id":"a"}}]}}},
      {"sys":{"id":"d","type":"Entry","contentType":{"sys":{"id":"shopProduct"}}},"fields":{"title":{"en-US":"Draft"},"price":{"en-US":1}}},
      {"sys":{"id":"k","type":"Entry","publishedVersion":1,"contentType":{"sys":{"id":"productCategory"}}},"fields":{"title":{"en-US":"Floor"}}}],
      "assets":[{"sys":{"id":"a","type":"Asset"},"fields":{"file":{"en-US":{"url":"//i.example/rug.jpg"}}}}],"locales":[{"code":"en-US","default":true}]}
      """#)
    let rug = try #require(export.products.first)
    #expect(export.products.map(\.id) == ["r"] && rug.title == "Rug" && rug.price?.amount == "24.5")
    #expect(rug.images == ["https://i.example/rug.jpg"])
    #expect(rug.localized["de"]?.title == "Teppich")
    #expect(export.leftOut.count == 2 && export.leftOut.values.allSatisfy { $0 == 1 })
  }

  @Test func `documents in lines, of which drafts and other types are left out`() throws {
    let export = try ReadExport(
      #"""
      {"_id":"p1","_type":"product","title":"Rug","price":9,"slug":{"_type":"slug","current":"rug"},"photo":{"_type":"image","asset":{"_ref":"image-abc-20x30-webp"}}}
      {"_id":"drafts.p2","_type":"product","title":"Secret"}
      {"_id":"a","_type":"author","name":"Ann"}
      {"_id":"p3","_type":"product","title":"Mat","images":[{"_sanityAsset":"image@file://./images/m.png"}]}
      """#)
    #expect(export.products.map(\.id) == ["p1", "p3"])
    #expect(export.products.flatMap(\.images) == ["images/abc-20x30.webp", "images/m.png"])
    #expect(export.leftOut.values.reduce(0, +) == 2)
  }

  @Test func `documents with an id that lasts, and drafts without a day`() throws {
    let export = try ReadExport(
      #"""
      {"data":[{"id":7,"documentId":"x1","title":"Rug","publishedAt":"2026-01-01","cover":{"url":"/u/rug.jpg"}},{"id":8,"documentId":"x2","title":"Mat","publishedAt":null}]}
      """#)
    #expect(export.products.map(\.id) == ["x1"] && export.leftOut.count == 1)
  }

  @Test func `the bulk format has ids in the lines before`() throws {
    let export = try ReadExport(
      #"""
      {"index":{"_id":"7"}}
      {"title":"Rug","price":9}
      {"delete":{"_id":"9"}}
      {"update":{"_id":"8"}}
      {"doc":{"name":"Mat","price":3}}
      """#)
    #expect(export.products.map(\.id) == ["7", "8"] && export.warnings.isEmpty)
    #expect(export.products.map { $0.price?.amount } == ["9", "3"])
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  @Test func `fixtures of programs have products, or are refused`() throws {
    let products = try ReadExport(
      #"""
      [{"model":"shop.producttype","pk":1,"fields":{"name":"Floor"}},{"model":"shop.product","pk":4,"fields":{"name":"Rug","price":"9.00"}}]
      """#)
    #expect(products.products.map(\.id) == ["4"] && products.leftOut.values.reduce(0, +) == 1)
    let error = #expect(throws: FeedError.self) {
      try ReadExport(#"[{"model":"auth.group","pk":1,"fields":{"name":"Staff"}}]"#)
    }
    #expect(error?.message.contains("auth.group") == true)
  }

  @Test func `a node of schema.org in a product makes it no document of them`() throws {
    let export = try ReadExport(
      #"""
      [{"id":"1","title":"Rug","brand":{"@type":"Brand","name":"Nord"},"image":[{"@type":"ImageObject","contentUrl":"https://i.example/r.jpg"}]},{"id":"2","title":"Mat"}]
      """#)
    #expect(export.products.map(\.id) == ["1", "2"] && export.format == .json)
    #expect(try export.product("1").images == ["https://i.example/r.jpg"])
  }

  @Test func `Magento's columns tell it, whatever kinds of products come first`() throws {
    let export = try ReadExport(
      """
      sku,attribute_set_code,product_type,categories,name,product_online,price,base_image,additional_images
      A,Default,simple,Default Category/Floor,Rug,1,9.00,r/r.jpg,"r/r.jpg,r/s.jpg"
      B,Default,bundle,,Mat,2,3.00,m.jpg,
      """)
    #expect(export.format == .magento && export.products.map(\.id) == ["A"])
    #expect(try export.product("A").images.count == 2 && export.product("A").labels == ["floor"])
  }

  @Test func `microdata, and Open Graph if there is none`() throws {
    let page = try ReadExport(
      #"""
      <!doctype html><html><head><meta property="og:title" content="x"></head><body><article itemscope itemtype="https://schema.org/Product">
      <h1 itemprop="name">Oak <b>rug</b> &amp; mat</h1><a itemprop="url" href="https://s.example/r"><img itemprop="image" src="r.jpg"></a><img itemprop="image" src='s.jpg'/>
      <span itemprop="brand" itemscope itemtype="https://schema.org/Brand"><span itemprop="name">Nord</span></span><meta itemprop="sku" content="R1">
      <p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="9.50">9,50</span><meta itemprop="priceCurrency" content="CHF"/><link itemprop="availability" href="https://schema.org/OutOfStock"></p></article></body></html>
      """#)
    let rug = try page.product("R1")
    #expect(
      rug.title == "Oak rug & mat" && rug.images == ["r.jpg", "s.jpg"] && rug.brand == "Nord")
    #expect(rug.price?.currency == "CHF" && rug.availability == .outOfStock)
    let graph = try ReadExport(
      #"""
      <html><head><meta property="og:type" content="product"><meta property="og:title" content="Mat"><meta property="og:image" content="https://s.example/m.jpg"><meta property="og:url" content="https://s.example/m"><meta property="product:price:amount" content="3.00"><meta property="product:price:currency" content="EUR"></head></html>
      """#)
    #expect(graph.products.map(\.title) == ["Mat"] && graph.products[0].price?.amount == "3.00")
    #expect(throws: FeedError.self) {
      try ReadExport("<html><title>Busy</title><p itemprop=name>x</p></html>")
    }
  }
}
