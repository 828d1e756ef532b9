@testable import ShopStore
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Mappings of fields that callers give, and what is said about fields that nothing reads.
@Suite struct FeedMappingTests {
  private static let xml = """
    <export><artikl kod="A1"><popis_kratky>Hrnek velký</popis_kratky><castka>129</castka><media><hlavni soubor="https://i.example/1.jpg"/><dalsi soubor="https://i.example/2.jpg"/></media><firma>Nord</firma></artikl>
    <artikl kod="A2"><popis_kratky>Miska</popis_kratky><castka>99</castka><media><hlavni soubor="https://i.example/3.jpg"/></media><firma>Nord</firma></artikl></export>
    """
  private static let json = #"""
    {"meta":{"count":2},"sortiment":[{"info":{"kod":"A1","popis":"Hrnek velký"},"castka":{"hodnota":129},"media":[{"soubor":"https://i.example/1.jpg"},{"soubor":"https://i.example/2.jpg"}],"firma":"Nord"},
     {"info":{"kod":"A2","popis":"Miska"},"castka":{"hodnota":99},"media":[{"soubor":"https://i.example/3.jpg"}],"firma":"Nord"}]}
    """#
  private static let table =
    "kod;popis_kratky;castka;soubory;firma\nA1;Hrnek velký;129;https://i.example/1.jpg|https://i.example/2.jpg;Nord\nA2;Miska;99;https://i.example/3.jpg;Nord\n"

  struct Mapped: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let map: String
  }

  private static let feeds = [
    Mapped(
      testDescription: "XML", text: xml,
      map:
        "record=//artikl,id=@kod,title={firma} {popis_kratky},price=castka,images=media/hlavni/@soubor,images=media/dalsi/@soubor,brand=firma,currency=CZK,url=https://s.example/{@kod}"
    ),
    Mapped(
      testDescription: "XML with whole paths", text: xml,
      map:
        "record=artikl,id=artikl/@kod,title={firma} {popis_kratky},price=/artikl/castka,images=artikl/media/hlavni/@soubor,images=dalsi/@soubor,brand=firma,currency=\"CZK\",url=https://s.example/{@kod}"
    ),
    Mapped(
      testDescription: "JSON", text: json,
      map:
        "record=sortiment,id=info/kod,title={firma} {info/popis},price=castka/hodnota,images=media/soubor,brand=firma,currency=CZK,url=https://s.example/{info/kod}"
    ),
    Mapped(
      testDescription: "a table", text: table,
      map:
        "id=kod,title={firma} {popis_kratky},price=castka,images=soubory,brand=firma,currency=CZK,url=https://s.example/{kod}"
    ),
  ]

  /// Would break if only tables could be mapped: a shop with another XML had no way in.
  @Test(arguments: feeds) func `fields of any feed are mapped`(feed: Mapped) throws {
    let fields = try #require(FieldAssignment.list(feed.map))
    let export = try ReadExport(feed.text, FeedOptions(fields: fields))
    #expect(export.warnings.isEmpty && export.products.map(\.id) == ["A1", "A2"])
    let mug = try export.product("A1")
    #expect(
      mug.title == "Nord Hrnek velký" && mug.brand == "Nord" && mug.url == "https://s.example/A1")
    #expect(mug.price == (try Price(amount: "129", currency: "CZK")))
    #expect(mug.images == ["https://i.example/1.jpg", "https://i.example/2.jpg"])
  }

  /// Would break if one column could have one meaning only.
  @Test func `a column may have two meanings`() throws {
    let fields = try #require(FieldAssignment.list("id=Name,title=Name,labels=Art"))
    let export = try ReadExport("Name;Art\nMug;cups\n", FeedOptions(fields: fields))
    #expect(export.products.map(\.id) == ["Mug"] && export.products.map(\.labels) == [["cups"]])
  }

  @Test(arguments: ["", "colour=x", "title", "title=", "=x"]) func `other texts are no mapping`(
    text: String
  ) {
    #expect(FieldAssignment.list(text) == nil)
  }

  @Test(arguments: [("feed.xml", xml), ("feed.json", json), ("feed.csv", table)])
  func `a mapping is proposed from names and values`(name: String, text: String) throws {
    let folder = try TemporaryDirectory()
    let columns = try FeedColumns(path: folder.write(text, to: name))
    let fields = try #require(FieldAssignment.list(columns.mapping))
    let export = try ReadExport(
      Array(text.utf8), FeedOptions(currency: "CZK", fields: fields), name: name)
    // The element that repeats is taken for the record, the field with unique values for the id, and fields whose
    // values look like images or names for those.
    #expect(export.products.map(\.id) == ["A1", "A2"], "\(columns.mapping)")
    #expect(
      export.products.allSatisfy {
        !$0.images.isEmpty && ["Hrnek velký", "Miska"].contains($0.title)
      }, "\(columns.mapping)")
  }

  @Test(arguments: [
    (
      "feed.map.toml",
      "# a mapping\nid = \"kod\"\ntitle = 'popis_kratky' # the name\nimages = [\"soubory\"]\ncurrency = \"CZK\"\nprice = \"castka\"\n"
    ),
    (
      "feed.map.json",
      #"{"id": "kod", "title": "popis_kratky", "images": ["soubory"], "currency": "CZK", "price": "castka"}"#
    ),
  ]) func `a mapping stands in a file beside the feed`(name: String, text: String) throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(Self.table, to: "feed.csv")
    #expect(MappingFile.path(beside: feed) == nil)
    let path = try folder.write(text, to: name)
    #expect(MappingFile.path(beside: feed) == path)
    let fields = try MappingFile.assignments(path: path)
    let export = try ReadExport(Self.table, FeedOptions(fields: fields))
    #expect(
      export.products.map(\.title) == ["Hrnek velký", "Miska"]
        && export.products.allSatisfy { $0.price != nil })
  }

  @Test(arguments: ["title", "colour = \"x\"", "title = name", "title = \"name", "# nothing"])
  func `a file that is no mapping names the line`(text: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: "feed.map.toml")
    let error = #expect(throws: FeedError.self) { try MappingFile.assignments(path: path) }
    #expect(error?.message.contains("line 1") == true)
  }

  /// Would break if a feed lost its prices without a word.
  @Test(arguments: [
    ("sku,name,vk_netto\n1,Mug,9.90\n2,Cup,8.50\n", FeedFinding.Kind.price, "vk_netto"),
    ("sku,name,cover\n1,Mug,https://i.example/1.jpg?v=1\n", .images, "cover"),
    (
      "<products><product><id>1</id><name>Mug</name><media><cover file=\"x\">pics/1.png</cover></media></product><product><id>2</id><name>Cup</name></product></products>",
      .images, "media.cover"
    ),
    (#"[{"id":1,"name":"Mug","assetx":[{"uri":"https://i.example/1.webp"}]}]"#, .images, "assetx"),
    ("sku,name,bestandshinweis\n1,Mug,auf Lager\n", .availability, "bestandshinweis"),
    ("sku,name,title_fr\n1,Mug,Tasse\n", .language, "title_fr"),
    ("sku,name,shop_page_link\n1,Mug,https://s.example/1\n", .url, "shop_page_link"),
    ("sku,name,expiration_date\n1,Mug,2027-01-31\n", .dates, "expiration_date"),
    ("sku,name,Verfügbar ab\n1,Mug,31.01.2027\n", .dates, "Verfügbar ab"),
    (
      "<rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel><item><g:id>1</g:id><title>Mug</title><g:availability_date>2027-01-31T00:00Z</g:availability_date></item></channel></rss>",
      .dates, "availability_date"
    ),
  ]) func `what is not read is counted`(text: String, kind: FeedFinding.Kind, field: String) throws
  {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(
      path: folder.write(text, to: "f"), options: FeedOptions(currency: "EUR"))
    while try reader.next() != nil {}
    #expect(
      reader.findings.keys.contains(FeedFinding(kind: kind, field: field)), "\(reader.findings)")
  }

  /// Would break if each number were reported as a price.
  @Test(arguments: [
    "sku,name,price,weight\n1,Mug,9.90,1.50\n",
    "sku,name,weight,length,rating\n1,Mug,1.50,2.50,4.50\n",
    "sku,name,shipping_cost,vat\n1,Mug,4.90,19.00\n", "sku,name,notes\n1,Mug,see page 12\n",
  ]) func `other numbers are no prices`(text: String) throws {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(
      path: folder.write(text, to: "f"), options: FeedOptions(currency: "EUR"))
    while try reader.next() != nil {}
    #expect(!reader.findings.keys.contains { $0.kind == .price }, "\(reader.findings)")
  }

  /// Would break if each night had to name the mapping again, or if another feed were read by it.
  @Test func `an index keeps the mapping of a feed`() async throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.table, to: "f.csv")
    let indexer = Indexer(directory: folder.path + "/i.vq")
    func run(_ path: String, _ map: String = "", forgets: Bool = false) async throws -> Int {
      var options = FeedOptions(currency: "CZK", fields: FieldAssignment.list(map) ?? [])
      options.forgetsMapping = forgets
      return try await indexer.run(path: path, options: IndexOptions(feed: options)).entities
    }
    await #expect(throws: FeedError.self) { try await run(path) }
    #expect(try await run(path, "id=kod,title={firma} {popis_kratky},salePrice=castka") == 2)
    // A later run without the mapping uses the stored one.
    #expect(try await run(path) == 2)
    let other = try folder.write("id,title\nx,X\n", to: "other.csv")
    #expect(try await run(other) == 1)
    #expect(try await run(other, forgets: true) == 1)
    // Each feed has a mapping of its own.
    #expect(try await run(path) == 2)
    await #expect(throws: FeedError.self) { try await run(path, forgets: true) }
  }

  @Test func `a strict run ends where a part of the feed is lost`() async throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("sku,name,vk_netto\n1,Mug,9.90\n", to: "f.csv")
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let options = IndexOptions(isStrict: true, feed: FeedOptions(currency: "EUR"))
    await #expect(throws: CatalogueError.self) {
      try await indexer.run(path: path, options: options)
    }
    let progress = try await indexer.run(
      path: path, options: IndexOptions(feed: FeedOptions(currency: "EUR")))
    #expect(progress.findings == [FeedFinding(kind: .price, field: "vk_netto"): 1])
  }
}
