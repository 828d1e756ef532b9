import Testing

@testable import ShopFeeds
import VisualQuery

/// Links into the shop's app that feeds have beside the link of the page.
@Suite struct AppLinkTests {
  private static let page = "https://shop.example/p/1"
  private static let link = "nord://p/1"

  private static let feeds = [
    """
    id,title,price,link,image_link,ios_url,ios_app_store_id,ios_app_name
    1,Mug,10.00 EUR,https://shop.example/p/1,1.jpg,nord://p/1,1234567,Nord
    """,
    """
    id\ttitle\tprice\tlink\timage_link\tapplink.ios_url\tapplink.android_url
    1\tMug\t10.00 EUR\thttps://shop.example/p/1\t1.jpg\tnord://p/1\tnord://a/1
    """,
    """
    Nummer;Name;Preis;Bild;Link;al:ios:url;al:ios:app_store_id
    1;Mug;10,00;1.jpg;https://shop.example/p/1;nord://p/1;123
    """,
    """
    {"type":"product","id":"1","title":"Mug","url":"https://shop.example/p/1","ios_url":"nord://p/1"}
    """,
    """
    [{"id":"1","title":"Mug","link":"https://shop.example/p/1","price":"10.00 EUR",
      "applink":{"ios_url":"nord://p/1","ios_app_store_id":"123"}}]
    """,
    """
    <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><g:title>Mug</g:title>
    <g:link>https://shop.example/p/1</g:link><g:price>10.00 EUR</g:price><g:ios_url>nord://p/1</g:ios_url></item></channel></rss>
    """,
    """
    <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><g:title>Mug</g:title>
    <g:link>https://shop.example/p/1</g:link><g:price>10.00 EUR</g:price>
    <applink property="ios_app_store_id" content="123"/><applink property="ios_url" content="nord://p/1"/></item></channel></rss>
    """,
    """
    <products><product><id>1</id><name>Mug</name><price>10.00 EUR</price><url>https://shop.example/p/1</url>
    <ios_url>nord://p/1</ios_url></product><product><id>2</id><name>Lamp</name><price>1 EUR</price></product></products>
    """,
    """
    <html><head><meta property="og:type" content="product"><meta property="og:title" content="Mug">
    <meta property="og:url" content="https://shop.example/p/1"><meta property="product:sku" content="1">
    <meta property="product:price:amount" content="10.00"><meta property="product:price:currency" content="EUR">
    <meta property="al:ios:url" content="nord://p/1"><meta property="al:ios:app_store_id" content="123"></head></html>
    """,
  ]

  /// Would break if the app opened the page in a browser, although the feed says how it opens the product.
  @Test(arguments: feeds)
  func `the link into the app is the link of the entity`(feed: String) throws {
    let export = try ReadExport(Array(feed.utf8), allowedSchemes: ["nord"])
    let product = try export.product("1")
    #expect(product.url == Self.link)
    #expect(product.extra["webURL"] == .string(Self.page))
    #expect(export.warnings.isEmpty && export.findings.keys.allSatisfy { $0.kind != .appLink })
  }

  /// Would break if a feed could bring links with a scheme that the shop did not name, or lost that of its page.
  @Test(arguments: feeds)
  func `a link with a scheme that the shop does not accept is kept and said`(feed: String) throws {
    let export = try ReadExport(Array(feed.utf8))
    let product = try export.product("1")
    #expect(product.url == Self.page && product.extra["webURL"] == nil)
    #expect(export.findings[FeedFinding(kind: .appLink, field: "nord")] == 1)
    #expect(export.warnings.isEmpty)
  }

  @Test(arguments: [
    ("https://shop.example/app/1", "https://shop.example/app/1"), ("", page), ("1234567", page),
    ("javascript:alert(1)", page), ("nord:", page), ("nord:// p", page),
  ])
  func `a universal link needs no scheme, and what is no link is none`(
    text: String, url: String
  ) throws {
    let feed = """
      id,title,price,link,image_link,ios_url,iphone_url
      1,Mug,10.00 EUR,\(Self.page),1.jpg,\(text),
      """
    let export = try ReadExport(Array(feed.utf8), allowedSchemes: ["nord"])
    #expect(try export.product("1").url == url)
  }

  @Test func `the number of the app in its store is no link`() throws {
    let feed = """
      id,title,price,link,image_link,ios_app_store_id,al:ios:app_name
      1,Mug,10.00 EUR,\(Self.page),1.jpg,1234567,nord://x
      """
    let product = try ReadExport(Array(feed.utf8), allowedSchemes: ["nord"]).product("1")
    #expect(product.url == Self.page && product.extra["ios_app_store_id"] == .string("1234567"))
  }
}
