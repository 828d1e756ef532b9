@testable import ShopModel
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Documents of JSON, HTML and XML.
@Suite struct DocumentFeedTests {
  @Test(arguments: [
    #"[{"id": 1, "title": "Mug", "price": 14.9, "category": "cups", "image": "a.jpg"}]"#,
    #"{"products": [{"sku": "1", "name": "Mug", "price": "14.90", "images": [{"src": "a.jpg"}]}], "total": 1}"#,
    "{\n  \"id\": \"1\",\n  \"name\": \"Mug\",\n  \"price\": {\"amount\": 14.9},\n  \"photos\": [\"a.jpg\"]\n}",
    #"{"_embedded": {"items": [{"identifier": "1", "values": {"name": [{"data": "Mug", "locale": "en_US"}], "price": [{"data": [{"amount": "14.90", "currency": "EUR"}]}], "image": [{"data": "a.jpg"}]}}]}}"#,
  ]) func `a document of JSON`(text: String) throws {
    let export = try ReadExport(text)
    let mug = try #require(export.products.first)
    #expect(export.format == .json && export.products.count == 1 && export.warnings.isEmpty)
    #expect(mug.id == "1" && mug.title == "Mug" && mug.images == ["a.jpg"])
    #expect(mug.price.flatMap { Double($0.amount) } == 14.9)
  }

  @Test func `variants within an object become entities`() throws {
    let export = try ReadExport(
      #"""
      {"products": [{"id": 1, "title": "Tee", "handle": "tee", "options": [{"name": "Color"}],
        "images": [{"src": "r.jpg"}, {"src": "b.jpg"}], "variants": [
        {"id": 11, "option1": "Red", "price": "10.00", "sku": "T-R", "featured_image": {"src": "r.jpg"}},
        {"id": 12, "option1": "Blue", "price": "11.00", "sku": "T-B", "featured_image": {"src": "b.jpg"}}]}]}
      """#)
    // The ids are those of the CSV export.
    #expect(export.products.map(\.id) == ["tee/red", "tee/blue"])
    let blue = try export.product("tee/blue")
    #expect(blue.group == "tee" && blue.attributes["color"] == "Blue" && blue.images == ["b.jpg"])
    // The handle is kept, because link templates use it.
    #expect(blue.extra["handle"] == .string("tee"))
  }

  /// Sizes other than the first, and variants beside those with colors, were left out.
  @Test func `no variant within an object is lost`() throws {
    let export = try ReadExport(
      #"""
      {"products": [{"id": 1, "title": "Tee", "handle": "tee", "options": ["Color", "Size"], "images": [{"src": "t.jpg"}], "variants": [
        {"id": 11, "option1": "Red", "option2": "S", "price": "10.00", "sku": "R-S"},
        {"id": 12, "option1": "Red", "option2": "M", "price": "10.00", "sku": "R-M"},
        {"id": 13, "option1": "Blue", "option2": "S", "price": "11.00", "sku": "B-S"},
        {"id": 14, "option2": "L", "price": "12.00", "sku": "L"}]}]}
      """#)
    #expect(export.products.map(\.id) == ["tee/red", "tee/blue", "tee"])
    let red = try export.product("tee/red")
    #expect(red.attributes == ["color": "Red", "size": "S, M"] && red.group == "tee")
    #expect(red.extra["variants"].map { "\($0)".contains("R-M") } == true)
    #expect(try export.product("tee/blue").extra["sku"] == .string("B-S"))
    let rest = try export.product("tee")
    #expect(rest.attributes == ["size": "L"] && rest.group == "tee")
    // If each color had this image, which shows none in particular, a photo would find all of them alike.
    #expect(rest.images == ["t.jpg"] && red.images.isEmpty)
  }

  /// A size without an image of its own was an entity that took the left-over image of the product.
  @Test func `a variant without an image joins its color`() throws {
    let export = try ReadExport(
      #"""
      {"products": [{"handle": "tee", "title": "Tee", "image": "t.jpg", "variants": [
        {"sku": "b", "color": "Red", "size": "M"},
        {"sku": "a", "color": "Red", "size": "S", "image": "r.jpg"},
        {"sku": "d", "color": "Blue", "size": "L", "image": "b.jpg"}]}]}
      """#)
    let red = try export.product("b")
    #expect(red.images == ["r.jpg"] && red.attributes["size"] == "M, S")
    #expect(try export.product("d").images == ["b.jpg"])
    #expect(export.products.count == 3 && export.products.last?.images == ["t.jpg"])
  }

  /// A group on one line was rejected: only documents of several lines had their variants.
  @Test(arguments: [1, 2]) func `groups of variants on lines`(count: Int) throws {
    let lines = (0..<count).map { number in
      #"{"@context":"https://schema.org","@type":"ProductGroup","productGroupID":"g\#(number)","name":"Tee","#
        + #""hasVariant":[{"sku":"r\#(number)","color":"Red"},{"sku":"b\#(number)","color":"Blue"}]}"#
    }
    let export = try ReadExport(lines.joined(separator: "\n"))
    #expect(export.products.map(\.id) == Array(["r0", "b0", "r1", "b1"].prefix(2 * count)))
    #expect(export.products.allSatisfy { $0.title == "Tee" && $0.group?.first == "g" })
    #expect(export.warnings.isEmpty)
  }

  /// Each line was rejected for lack of a type, and reports of rejected rows were taken for rows.
  @Test(arguments: ["vq.signed/1", "vq.refused/1", "vq.export/1"])
  func `files of the program itself are told apart`(schema: String) throws {
    let error = #expect(throws: FeedError.self) {
      try ReadExport(#"{"bridge":{},"schema":"\#(schema)","line":1}"#)
    }
    #expect(error?.message.contains("vq ") == true)
  }

  /// Only the first of several fields with one name was kept.
  @Test func `repeated fields of XML are a list`() throws {
    let export = try ReadExport(
      """
      <SHOP><SHOPITEM><ITEM_ID>a</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><IMGURL>a.jpg</IMGURL>
      <GIFT>Cup</GIFT><GIFT>Bag</GIFT><GIFT>Pen</GIFT><NOTE>x</NOTE></SHOPITEM></SHOP>
      """)
    let gifts = try export.product("a").extra
    #expect(gifts["gift"] == .array(["Cup", "Bag", "Pen"].map(JSONValue.string)))
    #expect(gifts["note"] == .string("x"))
  }

  @Test func `a page of HTML with a group of variants`() throws {
    let export = try ReadExport(
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
    let export = try ReadExport(
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

  /// Offers of YML name their categories by numbers, which were no labels; and the list of a large shop is longer
  /// than the beginning by which documents are recognized.
  @Test(arguments: [3, 3000])
  func `offers have the categories that the document declares`(count: Int) throws {
    let others = (10..<10 + count).map { #"<category id="\#($0)">Category \#($0)</category>"# }
    let export = try ReadExport(
      #"""
      <?xml version="1.0" encoding="UTF-8"?><yml_catalog date="2026-01-01"><shop><categories>
      \#(others.joined(separator: "\n"))
      <category id="1">Посуда &amp; кухня</category><category id="2" parentId="1">Кружки</category>
      </categories><offers><offer id="a"><name>Кружка</name><categoryId>2</categoryId><picture>a.jpg</picture></offer>
      <offer id="b"><name>Нож</name><categoryId>1</categoryId></offer>
      <offer id="c"><name>Миска</name><categoryId>99999</categoryId></offer></offers></shop></yml_catalog>
      """#)
    #expect(export.products.map(\.id) == ["a", "b", "c"])
    #expect(try export.product("a").labels == ["посуда & кухня", "кружки"])
    #expect(try export.product("b").labels == ["посуда & кухня"])
    #expect(try export.product("c").labels.isEmpty)
  }

  /// Would break if only tables left out drafts: products that the shop does not show would be found.
  @Test(arguments: [
    #"[{"sku":"1","name":"A","status":"active"},{"sku":"2","name":"B","status":"draft"},{"sku":"3","name":"C","published":false},{"sku":"4","name":"D","active":0}]"#,
    #"{"sku":"1","name":"A","published":true}"# + "\n"
      + #"{"sku":"2","name":"B","status":"archived"}"#
      + "\n" + #"{"sku":"3","name":"C","status":"private"}"# + "\n"
      + #"{"sku":"4","name":"D","enabled":"no"}"#,
    "<products><product><id>1</id><name>A</name><active>1</active></product><product><id>2</id><name>B</name><active>0</active></product>"
      + "<product><id>3</id><name>C</name><published>false</published></product><product><id>4</id><name>D</name><status>draft</status></product></products>",
    "sku,name,published,status\n1,A,true,active\n2,B,true,draft\n3,C,false,active\n4,D,,disabled",
  ]) func `drafts are left out and counted`(text: String) throws {
    let export = try ReadExport(text)
    #expect(export.products.map(\.id) == ["1"] && export.warnings.isEmpty)
    #expect(export.leftOut == ["drafts and unpublished products (--include-drafts)": 3])
    let all = try ReadExport(text, FeedOptions(includesDrafts: true))
    #expect(all.products.count == 4 && all.leftOut.isEmpty)
  }

  /// Would break if the first of the known names were the item at any depth: each product would be rejected.
  @Test(arguments: [
    "<SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Mug</PRODUCTNAME><PRODUCT>Mug, red</PRODUCT><IMGURL>a.jpg</IMGURL></SHOPITEM></SHOP>",
    "<products><product><id>1</id><name>Mug</name><images><item>a.jpg</item></images></product><product><id>2</id><name>Cup</name></product></products>",
    "<products><product><id>1</id><name>Mug</name><image>a.jpg</image><variants><item><color>Red</color></item></variants></product></products>",
    "<rss><product><item><id>1</id><title>Mug</title><image>a.jpg</image></item><item><id>2</id><title>Cup</title></item></product></rss>",
  ]) func `items are the outer ones of the known elements`(text: String) throws {
    let export = try ReadExport(text)
    let mug = try export.product("1")
    #expect(mug.title == "Mug" && mug.images == ["a.jpg"] && export.warnings.isEmpty)
  }

  /// Would break if the address of a category became labels such as `https:`.
  @Test func `of a category, the name is a label`() throws {
    let export = try ReadExport(
      """
      <products><product><id>1</id><name>Mug</name><category><name>Mugs</name><url>https://s.example/mugs</url></category></product>
      <product><id>2</id><name>Cup</name><categories><item>Cups</item></categories></product></products>
      """)
    let mug = try export.product("1")
    #expect(!mug.labels.contains { $0.contains("example") || $0.contains("https") })
    #expect(mug.extra["category.url"] == .string("https://s.example/mugs"))
    #expect(try export.product("2").labels == ["cups"] || export.product("2").labels == ["Cups"])
  }

  /// Would break if the stock of stores were taken for a quantity.
  @Test(arguments: [#"["berlin"]"#, #"[{"id":"berlin","quantity":3}]"#])
  func `a list as stock is kept`(stock: String) throws {
    let export = try ReadExport(#"[{"sku":"1","name":"A","stock":\#(stock)}]"#)
    let product = try export.product("1")
    #expect(product.availability == nil && product.extra["stock"] != nil)
    #expect(export.warnings.isEmpty)
  }

  /// Would break if the name and the value of a Heureka parameter were two fields: its color would not be one.
  @Test func `parameters of Heureka are fields of their names`() throws {
    let export = try ReadExport(
      """
      <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>červená</VAL></PARAM>
      <PARAM><PARAM_NAME>Objem</PARAM_NAME><VAL>0,3 l</VAL></PARAM></SHOPITEM></SHOP>
      """)
    let mug = try export.product("1")
    #expect(mug.attributes == ["color": "červená"] && mug.labels == ["červená"])
    #expect(mug.extra["objem"] == .string("0,3 l"))
  }

  /// Would break if an empty SKU, or one that another color has, were an id: the colors would be rejected.
  @Test(arguments: [#""""#, #""CAP""#, "null"])
  func `colors without a SKU of their own have the ids of their variants`(sku: String) throws {
    let export = try ReadExport(
      #"""
      {"products": [{"id": 1, "title": "Cap", "handle": "", "options": ["Color"], "variants": [
        {"id": 11, "option1": "Red", "sku": \#(sku)}, {"id": 12, "option1": "Blue", "sku": \#(sku)}]}]}
      """#)
    #expect(export.products.map(\.id) == [sku == #""CAP""# ? "CAP" : "11", "12"])
    #expect(export.products.allSatisfy { $0.group == "1" } && export.warnings.isEmpty)
  }

  /// Would break if the first of two ids counted: entries of Atom would be known by their addresses.
  @Test func `fields of Merchant precede those of Atom`() throws {
    let export = try ReadExport(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><entry><id>tag:s.example,2026:1</id>
      <title>Short</title><g:title>Long</g:title><g:id>A1</g:id></entry></feed>
      """)
    #expect(try export.product("A1").title == "Long")
  }

  /// Would break if the number of an entity in a document passed for that of a line.
  @Test func `repeated ids of a document name the entity`() throws {
    let export = try ReadExport(
      "[\n\n{\"sku\":\"1\",\"name\":\"A\"},\n{\"sku\":\"1\",\"name\":\"B\"}]")
    #expect(export.warnings.map(\.reason) == ["was already used in entity 1"])
  }

  /// Would break if a list of attributes were taken for the attributes of an entity: each row had a warning, and no color.
  @Test(arguments: [
    "[]", #"[{"id":0,"name":"Color","options":["Red","Blue"]},{"name":"Fit","option":"Slim"}]"#,
  ])
  func `lists of attributes are attributes`(list: String) throws {
    let export = try ReadExport(#"[{"id":1,"name":"Tee","attributes":\#(list)}]"#)
    let expected = list == "[]" ? [:] : ["color": "Red, Blue", "fit": "Slim"]
    #expect(try export.product("1").attributes == expected)
    #expect(export.warnings.isEmpty)
  }
}
