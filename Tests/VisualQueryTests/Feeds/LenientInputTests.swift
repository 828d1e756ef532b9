import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Tables and documents that are not quite what they say they are, as programs write them.
@Suite struct LenientInputTests {
  // MARK: Tables

  @Test func `a quoted field of a table with tabs has tabs and line breaks in it`() throws {
    let text =
      "id\ttitle\tnote\tprice\n1\t\"Oak \"\"XL\"\"\"\t\"a\tb\"\t9 EUR\n2\tTV 32\"\tx\t8 EUR\n"
      + "3\t\"Lamp\"\t\"first\nsecond\"\t7 EUR\n4\tRug\tx\t6 EUR\n5\t\"3\"\" pipe\"\t\"one\r\n\r\ntwo\"\t5 EUR\n"
    let export = try ReadExport(text)
    #expect(export.products.map(\.id) == ["1", "2", "3", "4", "5"] && export.warnings.isEmpty)
    #expect(
      export.products.map(\.title) == ["Oak \"XL\"", "TV 32\"", "Lamp", "Rug", "3\" pipe"])
    #expect(try export.product("3").extra["note"] == .string("first\nsecond"))
    #expect(try export.product("1").extra["note"] == .string("a\tb"))
  }

  @Test func `an open quote takes no row behind it`() throws {
    let export = try ReadExport(
      "id\ttitle\tlast\n1\t\"Open\tx\n2\tMug\t\"open too\n3\tRug\t\"x\"\n4\t\"Cut\n5\tBox\ty\n")
    #expect(export.products.map(\.id) == ["1", "2", "3", "5"])
    #expect(export.warnings.count == 1 && export.warnings[0].line == 5)
  }

  @Test func `a quote within a quoted field is part of it`() throws {
    let export = try ReadExport(
      "id,title,price\n\"1\",\"Frame 8\"x10\" oak\",\"9.90 EUR\"\n\"2\" , \"Rug\" ,1 EUR\n\"3\",\"Pan \"deep\"\" ,2 EUR\n4,Mug,3 EUR\n"
    )
    #expect(try export.product("1").title == "Frame 8\"x10\" oak")
    #expect(export.products.contains { $0.id == "4" && $0.price?.amount == "3" })
  }

  @Test func `blanks behind closing quotes are none of a field`() throws {
    let export = try ReadExport("id,title,brand\n\"1\" ,\"Rug\"  ,\"Nord\" \n")
    #expect(export.warnings.isEmpty)
    #expect(try export.product("1").title == "Rug" && export.product("1").brand == "Nord")
  }

  @Test func `the formulas of a spreadsheet are their texts`() throws {
    let export = try ReadExport(
      #"""
      id,title,link,ean,note
      "=""007""",Mug,"=HYPERLINK(""https://s.example/7"",""see"")","=""4006381333931""",=1+1
      ="008",=T("Rug"),https://s.example/8,,"= x"
      """#)
    #expect(export.products.map(\.id) == ["007", "008"])
    let mug = try export.product("007")
    #expect(mug.url == "https://s.example/7" && mug.extra["ean"] == .string("4006381333931"))
    #expect(mug.extra["note"] == .string("=1+1"))
    #expect(try export.product("008").title == "Rug")
  }

  @Test func `one row in another encoding is read, and that is said`() throws {
    var bytes = Array("id,title\n1,Müsli für Größe\n2,Köln\n3,Übung\n4,Äpfel\n".utf8)
    bytes += Array("5,K".utf8) + [0xE4] + Array("se\n6,Schl".utf8) + [0xC3, 0x0A]
    let export = try ReadExport(bytes)
    #expect(export.products.count == 6)
    #expect(try export.product("5").title == "Käse" && export.product("2").title == "Köln")
    #expect(export.warnings.map(\.line) == [6, 7])
    #expect(export.warnings.allSatisfy { $0.field == "row" })
  }

  @Test func `zeros at the end of a file are no row`() throws {
    for text in ["id,title\n1,Mug\n", "id,title\n1,Mug", #"[{"id":1,"name":"Mug"}]"#] {
      let export = try ReadExport(Array(text.utf8) + [UInt8](repeating: 0, count: 700))
      #expect(export.products.map(\.title) == ["Mug"] && export.warnings.isEmpty)
    }
  }

  // MARK: XML

  @Test func `a document of UTF-8 that declares UTF-16 is read`() throws {
    let export = try ReadExport(
      #"<?xml version="1.0" encoding="UTF-16"?><items><item><id>1</id><name>Größe</name></item></items>"#
    )
    #expect(export.products.map(\.title) == ["Größe"])
  }

  @Test func `XML has the references of HTML`() throws {
    let export = try ReadExport(
      "<items><item><id>1</id><name>Caf&eacute;&nbsp;&amp; &lt;3&unknown</name></item><item><id>2</id><name>&Uuml;ber &amp;nbsp; 5&nbsp;&euro;</name><brand n=\"&auml;\">B&ouml;</brand></item></items>"
        .replacing("&unknown", with: ""))
    #expect(export.products.map(\.title) == ["Café & <3", "Über 5 €"])
    #expect(try export.product("2").brand == "Bö")
  }

  @Test func `an address that was escaped twice is the address`() throws {
    let export = try ReadExport(
      "id,title,link,image_link\n1,Salt &amp;amp; pepper,https://s.example/?a=1&amp;b=2,https://s.example/i?w=1&amp;amp;s=2\n2,Mug,https://s.example/&#038;,salt&amp;pepper.jpg\n"
    )
    let salt = try export.product("1")
    #expect(
      salt.url == "https://s.example/?a=1&b=2" && salt.images == ["https://s.example/i?w=1&s=2"])
    // A file may be called so.
    #expect(try export.product("2").images == ["salt&amp;pepper.jpg"])
    #expect(try export.product("2").url == "https://s.example/&")
  }

  @Test func `attributes of elements without a text are fields`() throws {
    let export = try ReadExport(
      #"""
      <range><product id="1"><name>Rug</name><price net="8.00" gross="9.52" currency="CZK"/><producer name="Nord" code="N7"/>
      <category name="Floor"/><card url="https://s.example/1"/><video url="https://s.example/v"/><stand rows="3"/></product>
      <product id="2"><name>Mat</name><price net="1.00" gross="1.19" currency="CZK"/></product></range>
      """#)
    let rug = try export.product("1")
    #expect(rug.price?.amount == "9.52" && rug.price?.currency == "CZK" && rug.brand == "Nord")
    #expect(rug.labels == ["floor"] && rug.url == "https://s.example/1")
    // Nothing of it is lost.
    #expect(
      rug.extra["price.net"] == .string("8.00") && rug.extra["producer.code"] == .string("N7"))
    #expect(rug.extra["stand.rows"] == .string("3"))
  }

  // MARK: Files that are no feeds

  @Test(arguments: [
    ("-- MySQL dump 10.13\n--\n\nCREATE TABLE x (id int);\n", "dump of a database"),
    ("--\n-- PostgreSQL database dump\n--\nSET statement_timeout = 0;\n", "dump of a database"),
    ("\n/* shop */\nINSERT INTO `products` VALUES (1,'Mug');\n", "dump of a database"),
    ("PAR1\u{15}\u{4}\u{15}\u{10}", "Parquet"), ("ARROW1\u{0}\u{0}", "Arrow"),
  ]) func `a file of a database is refused by what it is`(text: String, word: String) throws {
    let error = #expect(throws: FeedError.self) { try ReadExport(text) }
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  /// Would break if quotes within a field were each compared with all of it: a row of 100 KB then took more than a minute.
  @Test func `a field may have thousands of quotes`() throws {
    let title = "x" + String(repeating: "\"b", count: 50_000)
    let export = try ReadExport("id,title,price\n1,\"\(title)\",5 EUR\n")
    #expect(export.products.map(\.id) == ["1"])
  }
}
