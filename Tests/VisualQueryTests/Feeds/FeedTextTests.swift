import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The text on a thing, as feeds bring it.
@Suite struct FeedTextTests {
  private static func text(of product: Product) -> JSONValue? { product.extra["text"] }

  private static func list(_ lines: String...) -> JSONValue {
    .array(lines.map(JSONValue.string))
  }

  // Would break if a format lost the lines, or kept only the first one.
  @Test(arguments: [
    "type,id,title,text\nproduct,a,A,\"OAT DRINK\n1 l\"\n",
    "SKU;Name;Price;text\na;A;1,00;\"OAT DRINK\n1 l\"\n",
    "id\ttitle\tlink\ttext\na\tA\thttps://shop.example/a\tOAT DRINK|1 l\n",
    #"{"type":"product","id":"a","title":"A","text":["OAT DRINK","1 l"]}"#,
    #"{"type":"product","id":"a","title":"A","text":"OAT DRINK\r\n\n 1 l "}"#,
    #"{"sku":"a","name":"A","price":"1.00","text":["OAT DRINK","1 l"]}"#,
    #"[{"sku":"a","name":"A","price":"1.00","text":["OAT DRINK","1 l"]}]"#,
    "<products><product><id>a</id><name>A</name><text>OAT DRINK</text><text>1 l</text></product></products>",
    "Title,SKU,Option Name 1,Option Value 1,Price,Hosted Image URLs,text\nA,a,,,1.00,,OAT DRINK|1 l\n",
    "handleId,fieldType,name,price,productImageUrl,text\na,Product,A,1.00,,OAT DRINK|1 l\n",
    "Handle,Title,Vendor,Variant Price,Image Src,text\na,A,V,1.00,,OAT DRINK|1 l\n",
    #"{"@context":"https://schema.org","@type":"Product","sku":"a","name":"A","text":["OAT DRINK","1 l"]}"#,
    """
    <rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><title>A</title>
    <g:price>1.00 EUR</g:price><g:text>OAT DRINK</g:text><g:text>1 l</g:text></item></channel></rss>
    """,
  ])
  func `every format carries the lines`(feed: String) throws {
    let export = try ReadExport(feed)
    #expect(Self.text(of: try export.product("a")) == Self.list("OAT DRINK", "1 l"))
    #expect(export.warnings.isEmpty)
  }

  @Test func `a mapping names the field`() throws {
    var options = FeedOptions(currency: "EUR")
    options.fields = try #require(FieldAssignment.list("id=Nr,title=Was,text=Aufdruck"))
    let export = try ReadExport("Nr;Was;Aufdruck\na;A;OAT DRINK\n", options)
    #expect(Self.text(of: try export.product("a")) == Self.list("OAT DRINK"))
  }

  // Would break if one product could fill the index of words, or if a cut went without a word.
  @Test func `ten thousand lines are cut, with a warning`() throws {
    let lines = (0..<10_000).map { "\"L\($0)\"" }.joined(separator: ",")
    let export = try ReadExport(#"{"type":"product","id":"a","title":"A","text":[\#(lines)]}"#)
    guard case .array(let kept)? = Self.text(of: try export.product("a")) else {
      Issue.record("no lines")
      return
    }
    #expect(kept.count == TextLimits.lineCount && kept.last == .string("L999"))
    let warning = try #require(export.warnings.first)
    #expect(warning.field == "text" && warning.reason.hasPrefix("has 10000 lines with 48890 "))
  }

  @Test func `long lines are cut, each and all together`() throws {
    let line = String(repeating: "\u{E4}", count: 1500)
    let lines = Array(repeating: "\"\(line)\"", count: 30).joined(separator: ",")
    let export = try ReadExport(#"{"type":"product","id":"a","title":"A","text":[\#(lines)]}"#)
    guard case .array(let kept)? = Self.text(of: try export.product("a")) else {
      Issue.record("no lines")
      return
    }
    #expect(kept.count == 20 && kept.allSatisfy { $0.text.unicodeScalars.count == 1002 })
    #expect(export.warnings.count == 1)
    // What another export had under "extra" has the same limits.
    let nested = try ReadExport(
      #"{"type":"product","id":"a","title":"A","extra":{"text":["\#(line)"]}}"#)
    #expect(Self.text(of: try nested.product("a"))?.text.unicodeScalars.count == 1004)
    #expect(nested.warnings.count == 1)
  }

  // Would break if a mark of direction could reorder what stands beside a line, or letters were reversed.
  @Test func `control characters and marks of direction are left out`() throws {
    let feed =
      #"{"type":"product","id":"a","title":"A","text":["A\u0007B\u202E C","\u200Fחלב\u200F 3%","\u0001"," "]}"#
    let export = try ReadExport(feed)
    #expect(Self.text(of: try export.product("a")) == Self.list("A B C", "חלב 3%"))
  }

  @Test(arguments: [
    (#"{"de":"HAFER"}"#, "found an object", JSONValue?.none), ("7", "found a number", nil),
    (#"["HAFER",7]"#, "found a list with something else", .array([.string("HAFER")])),
    ("null", "", nil), ("[]", "", nil), (#""""#, "", nil),
  ])
  func `something else is left out with a warning`(
    json: String, reason: String, kept: JSONValue?
  ) throws {
    let export = try ReadExport(#"{"type":"product","id":"a","title":"A","text":\#(json)}"#)
    let text = Self.text(of: try export.product("a"))
    #expect(text == kept || text == .null && kept == nil)
    #expect(export.warnings.count == (reason.isEmpty ? 0 : 1))
    #expect(export.warnings.allSatisfy { $0.reason.contains(reason) })
  }
}
