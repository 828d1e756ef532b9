@testable import ShopSearch
import TestSupport
import Testing
@testable import ShopFeeds
import VisualQuery

@Suite struct XMLItemTests {
  /// Reads all items of a document; a refused one is its line and reason.
  private func items(_ document: [UInt8]) throws -> [String] {
    let folder = try TemporaryDirectory()
    var records = try RecordReader(path: folder.write(document, to: "feed.xml"))
    var stream = XMLItemStream(items: ["item", "entry"], limits: FeedLimits())
    var items: [String] = []
    while let item = try stream.next(from: &records) {
      switch item.fields {
      case .success(let fields):
        let texts = fields.map { "\($0.name)=\($0.text)" }.joined(separator: ",")
        items.append("\(item.line): \(texts)")
      case .failure(let error): items.append("\(item.line)! \(error.reason)")
      }
    }
    return items
  }

  private func items(_ document: String) throws -> [String] { try items(Array(document.utf8)) }

  struct Document: CustomTestStringConvertible, Sendable {
    let what: String
    let xml: String
    let items: [String]
    var testDescription: String { what }
  }

  /// Would break if text that only looks like a tag ended an item, or if a field lost its text.
  @Test(arguments: [
    Document(
      what: "the end of an item within CDATA",
      xml: "<rss><channel>\n<item><t><![CDATA[a</item>b]]></t></item></channel></rss>",
      items: ["2: t=a</item>b"]),
    Document(
      what: "the beginning of an item within a comment",
      xml: "<rss><!-- <item><t>no</t></item> --><item><t>yes</t></item></rss>",
      items: ["1: t=yes"]),
    Document(
      what: "references, white space and an empty element",
      xml: "<rss><item><t> A &amp; B &#x26; C </t><u/></item></rss>", items: ["1: t=A & B & C,u="]),
    Document(
      what: "a link that is an attribute",
      xml: #"<feed><entry><link href="https://x/1"/></entry></feed>"#,
      items: ["1: link=https://x/1"]),
    Document(what: "no item", xml: "<rss><channel/></rss>", items: []),
    Document(
      what: "elements whose names begin like an item's",
      xml: "<rss><items><itemx>no</itemx><item><t>yes</t></item></items></rss>",
      items: ["1: t=yes"]),
  ])
  func `items are elements, not pieces of text`(document: Document) throws {
    #expect(try items(document.xml) == document.items)
  }

  /// Would break if one bad item ended the feed, or if it vanished without a report.
  @Test(arguments: [
    "<item><t>A & B</t></item>", "<item><t>A</u></item>", "<item><t a=b>A</t></item>",
    "<item><t>\u{1}</t></item>",
  ])
  func `an item that is not well-formed is refused and the next one follows`(bad: String) throws {
    let found = try items(
      "<rss><channel>\n<item><t>1</t></item>\n\(bad)\n<item><t>3</t></item>\n<item><t>4</t></item>"
        + "</channel></rss>")
    try #require(found.count == 4, "\(found)")
    #expect(found[0] == "2: t=1" && found[2] == "4: t=3" && found[3] == "5: t=4")
    #expect(found[1].hasPrefix("3! is not well-formed XML: "))
  }

  /// Would break if a fault behind the first chunk lost the line or the tag at a chunk's boundary.
  @Test(arguments: [65_500, 65_530, 65_536, 65_540, 131_060])
  func `a fault is passed wherever the chunks end`(padding: Int) throws {
    let found = try items(
      "<rss><item><t>& </t></item>" + String(repeating: "\n", count: padding)
        + "<item><t>2</t></item></rss>")
    try #require(found.count == 2)
    #expect(found[0].hasPrefix("1! ") && found[1] == "\(padding + 1): t=2")
  }

  @Test func `a document that ends within an item says so`() throws {
    let found = try items("<rss><item><t>1</t></item><item><t>2")
    try #require(found.count == 2)
    #expect(found[0] == "1: t=1" && found[1].hasPrefix("1! is not well-formed XML"))
  }

  /// Would break if declared encodings were read as UTF-8.
  @Test func `the declared encoding is used, also behind a fault`() throws {
    var document = Array(#"<?xml version="1.0" encoding="ISO-8859-1"?><rss><item><t>K"#.utf8)
    document += [0xE4] + Array("se</t></item><item><t>&</t></item><item><t>".utf8)
    document += [0xF6] + Array("l</t></item></rss>".utf8)
    let found = try items(document)
    try #require(found.count == 3)
    #expect(found[0] == "1: t=Käse" && found[2] == "1: t=öl")
  }

  /// Would break if entities could be expanded to gigabytes or read files.
  @Test(arguments: [
    #"<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><item><t>&b;</t></item></rss>"#,
    #"<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item><t>&x;</t></item></rss>"#,
  ])
  func `a document that declares entities is not read`(document: String) throws {
    let error = #expect(throws: FeedError.self) { try items(document) }
    #expect(error?.message.contains("declares entities") == true)
  }

  @Test func `an item beyond the limit is refused and the next one follows`() throws {
    let long = String(repeating: "x", count: RecordReader.recordLimit + 1)
    #expect(
      try items("<rss><item><t>\(long)</t></item><item><t>2</t></item></rss>") == [
        "1! has more than \(RecordReader.recordLimit) bytes, which is the limit", "1: t=2",
      ])
  }

  /// Would break if an item depended on where its bytes were cut.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a document gives the same items however it is cut`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let document = Array(
      """
      <rss><channel><title>no</title>
      <item><g:id>1</g:id><title>Räuber &amp; Co</title><![CDATA[ ]]></item>
      <item><g:id>2</g:id><g:shipping><g:price>3</g:price></g:shipping></item></channel></rss>
      """.utf8)
    let parser = XMLItemParser(items: ["item"], limit: 1000)
    var rest = document[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...20, using: &generator)
      #expect(parser.parse(Array(rest.prefix(count))) == nil)
      rest = rest.dropFirst(count)
    }
    let items = try parser.takeItems().map { try $0.fields.get().map { [$0.name, $0.text] } }
    #expect(
      items == [
        [["g:id", "1"], ["title", "Räuber & Co"]], [["g:id", "2"], ["g:shipping", "3"]],
      ])
  }
}
