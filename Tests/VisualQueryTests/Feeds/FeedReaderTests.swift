@testable import ShopModel
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
@testable import ShopFeeds
import VisualQuery

@Suite struct FeedReaderTests {
  @Test func `a store's hours and other names come from CSV, too`() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      "type,id,title,synonyms,openingHours,timeZone,featured\n"
        + "store,s,S,a|b,Mo-Fr 09:00-18:00|Sa 10:00-14:00,Europe/Berlin,true\n"
        + "store,t,T,,,,maybe\n", to: "c.csv")
    var reader = try FeedReader(path: path)
    guard case .entity(.store(let store), _)? = try reader.next() else {
      Issue.record("no store")
      return
    }
    #expect(store.synonyms == ["a", "b"] && store.isFeatured)
    #expect(store.openingHours?.lines.count == 2)
    guard case .entity(.store, _)? = try reader.next(), case .warning(let row)? = try reader.next()
    else {
      Issue.record("no warning")
      return
    }
    #expect(row.field == "featured" && row.id == "t")
  }

  private func rows(_ bytes: [UInt8]) throws -> [FeedRow] {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(path: try folder.write(bytes, to: "catalogue"))
    var rows: [FeedRow] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  private func rows(_ text: String) throws -> [FeedRow] { try rows(Array(text.utf8)) }

  struct Bad: CustomTestStringConvertible, Sendable {
    let row: String
    let field: String?
    let reason: String
    var testDescription: String { row }

    init(_ row: String, _ field: String?, _ reason: String) {
      self.row = row
      self.field = field
      self.reason = reason
    }
  }

  @Test(arguments: [
    Bad(#"{"type":"product","id":"a"}"#, "title", "is missing"),
    Bad(#"{"type":"product","title":"T"}"#, "id", "is missing"),
    Bad(#"{"id":"a","title":"T"}"#, "type", #"is missing; add "type":"product""#),
    Bad(#"{"type":"product","id":"","title":"T"}"#, "id", "is missing"),
    Bad(#"{"type":"produkt","id":"a","title":"T"}"#, "type", "is 'produkt'"),
    Bad(#"{"type":"product","id":7.5,"title":"T"}"#, "id", "must be a string; found a number"),
    Bad(#"{"type":"product","id":"a\u0007","title":"T"}"#, "id", "control characters"),
    Bad(
      #"{"type":"product","id":"\#(String(repeating: "x", count: 257))","title":"T"}"#, "id",
      "the limit is 256"),
    Bad(#"{"type":"product","id":"a","title":"#, nil, "is not JSON"),
    Bad(#"[1]"#, nil, "must be an object; found a list"),
    Bad(#"{"type":"product","id":"a","title":"T",}"#, nil, "expected a name in quotes at byte 39"),
  ])
  func `a bad row is refused by field and reason, and the next one is read`(bad: Bad) throws {
    let good = #"{"type":"product","id":"good","title":"Good"}"#
    let rows = try rows(
      "\(good)\n\(bad.row)\n\n{\"type\":\"store\",\"id\":\"good\",\"title\":\"G\"}\n")
    try #require(rows.count == 3)
    guard case .refused(let refused) = rows[1] else {
      Issue.record("the row was taken")
      return
    }
    #expect(refused.line == 2)
    #expect(refused.field == bad.field)
    #expect(refused.reason.contains(bad.reason), "\(refused.reason)")
    guard case .entity(let value, let line) = rows[2] else {
      Issue.record("the row after it was refused")
      return
    }
    #expect(value.id == EntityID(type: .store, value: "good") && line == 4)
  }

  /// Would break if the report of a row of a table lacked the row, which could then not be corrected.
  @Test func `a table's row of an unknown type is kept for its report`() throws {
    let rows = try rows("type,id,title\nprodukt,c,C\nProduct,d,D\n")
    try #require(rows.count == 2)
    guard case .refused(let refused) = rows[0] else {
      Issue.record("the row was taken")
      return
    }
    #expect(refused.id == "c" && refused.field == "type")
    #expect(refused.reason == "is 'produkt'; expected product or store")
    #expect(
      refused.row
        == .object(["type": .string("produkt"), "id": .string("c"), "title": .string("C")]))
  }

  /// Would break if one bad field cost the product, or went without a word.
  @Test(arguments: [
    Bad(#"{"type":"product","id":"a","title":"T","images":[1]}"#, "images", "list of strings"),
    Bad(#"{"type":"product","id":"a","title":"T","url":"/p/a"}"#, "url", "must be absolute"),
    Bad(
      #"{"type":"product","id":"a","title":"T","url":"JavaScript:alert(1)"}"#, "url", "'javascript'"
    ),
    Bad(#"{"type":"product","id":"a","title":"T","url":"data:text/html,x"}"#, "url", "'data'"),
    Bad(#"{"type":"product","id":"a","title":"T","url":"https://x/ y"}"#, "url", "blanks"),
    Bad(#"{"type":"product","id":"a","title":"T","price":14.9}"#, "price", "has no currency"),
    Bad(
      #"{"type":"product","id":"a","title":"T","price":{"amount":"14,90","currency":"EUR"}}"#,
      "price", "'14,90'"),
    Bad(
      #"{"type":"product","id":"a","title":"T","price":{"amount":"14.90","currency":"Euro"}}"#,
      "price", "'Euro'"),
    Bad(
      #"{"type":"product","id":"a","title":"T","availability":"maybe"}"#, "availability", "'maybe'"),
    Bad(
      #"{"type":"store","id":"a","title":"T","geo":{"latitude":91,"longitude":0}}"#, "geo",
      "-90...90"),
    Bad(#"{"type":"store","id":"a","title":"T","geo":{"latitude":1}}"#, "geo", "both numbers"),
    Bad(
      #"{"type":"product","id":"a","title":"T","labels":["\#(String(repeating: "w ", count: 5000))"]}"#,
      "labels", "of 10000 bytes; the limit is 256"),
    Bad(
      #"{"type":"product","id":"a","title":"T","labels":["\#(String(repeating: "e\u{301}", count: 86))"]}"#,
      "labels", "of 258 bytes; the limit is 256"),
    Bad(
      #"{"type":"product","id":"a","title":"T","labels":[\#((0..<257).map { "\"\($0)\"" }.joined(separator: ","))]}"#,
      "labels", "has 257 labels; the limit is 256"),
    Bad(
      #"{"type":"product","id":"a","title":"T","attributes":{"color":1}}"#, "attributes", "strings"),
    Bad(
      #"{"type":"store","id":"a","title":"T","openingHours":["always"],"timeZone":"Europe/Berlin"}"#,
      "openingHours", "'always'"),
  ])
  func `a bad field is left out with a warning, and the entity goes in`(bad: Bad) throws {
    let rows = try rows("\(bad.row)\n{\"type\":\"store\",\"id\":\"good\",\"title\":\"G\"}\n")
    try #require(rows.count == 3)
    guard case .entity(let value, 1) = rows[0], case .warning(let warning) = rows[1],
      case .entity(_, 2) = rows[2]
    else {
      Issue.record("\(rows)")
      return
    }
    #expect(value.id.value == "a" && value.text.title == "T")
    #expect(warning.line == 1 && warning.kind == .field && warning.field == bad.field)
    #expect(warning.reason.contains(bad.reason), "\(warning.reason)")
  }

  /// Would break if hours were left out and only their time zone was named.
  @Test(arguments: [
    (#""openingHours":["Mo 09:00-10:00"],"timeZone":"Mars/X""#, ["is 'Mars/X'", "is left out"]),
    (#""openingHours":["Mo 9-25"],"timeZone":"Mars/X""#, ["is 'Mars/X'", "is 'Mo 9-25'"]),
    (#""openingHours":["Mo 09:00-10:00"]"#, ["is missing", "is left out"]),
    (#""openingHours":["Mo 9-25"]"#, ["is missing", "is 'Mo 9-25'"]),
    (#""openingHours":["Mo 09:00-10:00"],"timeZone":1"#, ["must be a string", "is left out"]),
    (#""openingHours":["Mo 9-25"],"timeZone":1"#, ["must be a string", "is 'Mo 9-25'"]),
    (#""openingHours":[1],"timeZone":"Mars/X""#, ["is 'Mars/X'", "must be a list of strings"]),
  ])
  func `hours and their time zone are named if both are left out`(
    fields: String, reasons: [String]
  ) throws {
    let rows = try rows(#"{"type":"store","id":"a","title":"T",\#(fields)}"#)
    let warnings = rows.compactMap {
      if case .warning(let row) = $0 { row } else { nil }
    }.sorted { ($1.field ?? "") < ($0.field ?? "") }
    #expect(warnings.map(\.field) == ["timeZone", "openingHours"])
    #expect(zip(warnings, reasons).allSatisfy { $0.reason.contains($1) }, "\(warnings)")
  }

  /// Would break if a list of rejected rows were rejected in turn, with reports within reports.
  @Test func `the report of a row that could not be read is passed over`() throws {
    let report = #"{"kind":"row","line":3,"reason":"has 2 fields; the header has 3"}"#
    let nested =
      #"{"field":"type","kind":"row","line":1,"reason":"is missing; add \"type\":\"product\"","row":\#(report)}"#
    let long = #"{"field":"title","id":"b","kind":"row","line":4,"reason":"is missing"}"#
    let row = #"{"type":"product","id":"a","title":"A"}"#
    let wrapped = #"{"kind":"row","line":5,"reason":"is too long","row":\#(row)}"#
    let back = try ReadExport([report, nested, long, wrapped].joined(separator: "\n"))
    #expect(back.products.map(\.id) == ["a"] && back.warnings.isEmpty)
    #expect(
      back.leftOut == ["rows that an earlier run could not read, to be corrected in the feed": 3])
  }

  /// Numbers for ids, and a single text for a list, are what many programs write.
  @Test func `an id may be a number, and a list one text`() throws {
    let row = #"{"type":"product","id":7,"title":"T","labels":"mug","image":"a.jpg"}"#
    guard case .entity(.product(let product), _)? = try rows(row).first else {
      Issue.record("no product")
      return
    }
    #expect(product.id == "7" && product.labels == ["mug"] && product.images == ["a.jpg"])
  }

  /// The semicolon of `&amp;` separated two labels, and `&gt;` did not separate the steps of a path.
  @Test func `categories have entities of HTML`() throws {
    let export = try ReadExport(
      "sku,name,category\na,Mug,Home &amp; Kitchen\nb,Cup,Home &gt; Kitchen &gt; Cups\n")
    #expect(try export.product("a").labels == ["home & kitchen"])
    #expect(try export.product("b").labels == ["kitchen", "cups"])
  }

  @Test func `an id that comes twice is refused, and the first line is named`() throws {
    let row = #"{"type":"product","id":"a","title":"T"}"#
    guard case .refused(let refused)? = try rows("\(row)\n\(row)").last else {
      Issue.record("the second was taken")
      return
    }
    #expect(refused.line == 2 && refused.field == "id" && refused.reason.contains("line 1"))
  }

  @Test func `bytes that are not UTF-8 are refused with their line`() throws {
    var bytes = Array(#"{"type":"product","id":"a","title":"T"}"#.utf8)
    bytes += [10] + Array(#"{"type":"product","id":"b","title":""#.utf8) + [0xFF, 0xFE]
    bytes += Array(#""}"#.utf8)
    guard case .refused(let refused)? = try rows(bytes).last else {
      Issue.record("the row was taken")
      return
    }
    #expect(refused.line == 2 && refused.reason == "is not UTF-8")
  }

  private static func deep(_ depth: Int, id: String = "deep") -> String {
    let lists = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    return #"{"type":"product","id":"\#(id)","title":"T","x":\#(lists)}"#
  }

  /// Would break if a row went in that is one level too deep, or one were refused that is not. The
  /// report of a row adds a level, which must not make a corrected row unreadable.
  @Test func `a row may nest 32 levels, and so may one within a report`() throws {
    let report = #"{"line":1,"reason":"r","row":\#(Self.deep(32, id: "fed back"))}"#
    let rows = try rows(
      [Self.deep(32), report, Self.deep(33), Self.deep(34), Self.deep(500)].joined(separator: "\n"))
    try #require(rows.count == 5)
    for row in rows.prefix(2) {
      guard case .entity(let value, _) = row else {
        Issue.record("refused: \(row)")
        continue
      }
      // It can be stored, exported and read again.
      #expect(try EntityValue(json: JSONValue(stored: value.json.text)) == value)
    }
    for row in rows.dropFirst(2) {
      guard case .refused(let refused) = row else {
        Issue.record("taken: \(row)")
        continue
      }
      #expect(refused.reason.contains("nests lists and objects deeper than 3"))
      #expect(refused.row == nil)
    }
  }

  /// The row of an entity with thousands of missing images was written once for each of them.
  @Test func `reports of many images have the row in the first, and can be fed back`() async throws
  {
    let folder = try TemporaryDirectory()
    let names = (0..<30).map { "\"none\($0).jpg\"" }.joined(separator: ",")
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A","images":[\#(names)]}"#, to: "feed.jsonl")
    let reports = Mutex<[RefusedRow]>([])
    let indexer = Indexer(directory: folder.path + "/i.vq", pool: WorkerPool(width: 2))
    let progress = try await indexer.run(
      path: feed, refused: { row in reports.withLock { $0.append(row) } })
    let written = reports.withLock { $0 }
    #expect(progress.refusedImages == 30 && written.count == 30)
    #expect(written.map { $0.row != nil } == [true] + Array(repeating: false, count: 29))
    let encoder = JSONEncoder()
    let lines = try written.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    let back = try ReadExport(lines.joined(separator: "\n"))
    #expect(back.products.map(\.id) == ["a"] && back.warnings.isEmpty)
    // A row that has the fields of a report by chance is still read as a row.
    let own = #"{"kind":"image","reason":"new","title":"B","id":"b","type":"product"}"#
    #expect(try ReadExport(own).products.map(\.id) == ["b"])
  }

  /// Would break if ids were compared as Swift compares strings: to a database, to links and to
  /// other programs these are two ids.
  @Test func `an id is its bytes, precomposed or not`() throws {
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    let rows = try rows(
      (ids + ids).map { #"{"type":"product","id":"\#($0)","title":"T"}"# }.joined(separator: "\n"))
    let taken = rows.compactMap {
      if case .entity(let value, _) = $0 { value.id.value } else { nil }
    }
    #expect(taken.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
    guard case .refused(let refused)? = rows.last else {
      Issue.record("the fourth was taken")
      return
    }
    #expect(refused.reason == "was already used in line 2")
  }

  /// Would break if such a number reached the report of refused rows, which as JSON cannot hold it.
  @Test(arguments: ["inf", "nan", "-infinity", "1e999"])
  func `a coordinate is a finite number`(text: String) throws {
    let rows = try rows("type,id,title,geo.latitude,geo.longitude\nstore,s,S,\(text),1\n")
    guard case .entity(.store(let store), _)? = rows.first, case .warning(let warning)? = rows.last
    else {
      Issue.record("\(rows)")
      return
    }
    #expect(store.geo == nil && warning.field == "geo" && warning.reason.contains("two numbers"))
  }

  @Test func `a row beyond the limit is passed over`() throws {
    let good = #"{"type":"product","id":"a","title":"T"}"#
    let long = "{\"x\":\"" + String(repeating: "y", count: RecordReader.recordLimit) + "\"}"
    let rows = try rows("\(long)\n\(good)")
    guard case .refused(let refused)? = rows.first, case .entity? = rows.last else {
      Issue.record("\(rows.count) rows")
      return
    }
    #expect(rows.count == 2 && refused.line == 1 && refused.reason.contains("1048576"))
  }

  @Test func `a byte order mark and Windows line ends do not show`() throws {
    let rows = try rows("\u{FEFF}{\"type\":\"product\",\"id\":\"a\",\"title\":\"T\"}\r\n\r\n")
    guard case .entity(let value, 1)? = rows.first, rows.count == 1 else {
      Issue.record("\(rows)")
      return
    }
    #expect(value.id.value == "a")
  }

  @Test func `CSV gives the same entities as JSON Lines`() throws {
    let csv = """
      type,id,title,labels,images,price,geo.latitude,geo.longitude,stock,color\r
      product,a,"A ""red"" mug, large",mug|cup,a.jpg|b.jpg,14.90 EUR,,,,red\r
      store,b,"Two
      lines",,,,53.5,10,a|c,\r
      """
    let json = #"""
      {"type":"product","id":"a","title":"A \"red\" mug, large","labels":["mug","cup"],"images":["a.jpg","b.jpg"],"price":{"amount":"14.90","currency":"EUR"},"color":"red"}
      {"type":"store","id":"b","title":"Two\nlines","geo":{"latitude":53.5,"longitude":10},"stock":["a","c"]}
      """#
    func entities(_ text: String) throws -> [EntityValue] {
      try rows(text).compactMap { if case .entity(let value, _) = $0 { value } else { nil } }
    }
    #expect(try entities(csv) == entities(json))
    #expect(try entities(csv).count == 2)
  }

  @Test(arguments: [
    ("product,a", "has 2 fields"), ("product,a,\"open", "no closing quote"),
    ("product,a,\"x\"y", "after its closing quote"),
    // The lines that an open quote swallows are counted.
    ("product,a,\"open\nproduct,b,B\nproduct,c,C", "2 more lines were taken as part of it"),
  ])
  func `broken CSV is refused by what is wrong`(row: String, reason: String) throws {
    guard case .refused(let refused)? = try rows("type,id,title\n\(row)\n").first else {
      Issue.record("the row was taken")
      return
    }
    #expect(refused.reason.contains(reason), "\(refused.reason)")
  }

  @Test func `a file that is neither is refused whole`() throws {
    let error = #expect(throws: FeedError.self) { try rows("hello, world\n1,2\n") }
    #expect(error?.message.contains("no column for id and title (2 columns: hello, world)") == true)
    #expect(throws: FeedError.self) {
      _ = try FeedReader(path: "/no/such/file")
    }
  }

  @Test func `an empty file has no rows`() throws { #expect(try rows("").isEmpty) }

  /// Would break if the lines behind a stray quote were counted nowhere.
  @Test func `a stray quote is reported with the lines that it takes`() throws {
    let export = try ReadExport(
      "sku,name,image\n1,\"Monitor 24,p01.jpg\n2,Pear,p02.jpg\n3,Plum,p03.jpg\n4,\"Fig, dried\",p04.jpg\n5,Kiwi,p05.jpg\n"
    )
    #expect(export.products.map(\.id) == ["5"])
    #expect(
      export.warnings.map(\.reason) == [
        "field 2 continues after its closing quote; 3 more lines were taken as part of it"
      ])
  }

  /// Would break if two rows between stray quotes became one product without a word.
  @Test func `a title with a line break is reported`() throws {
    let export = try ReadExport(
      "sku,name,image\n1,\"Monitor 24,p01.jpg\n2,TV 55\",p02.jpg\n3,Kiwi,p03.jpg\n")
    #expect(export.warnings.map(\.field) == ["title"])
    #expect(
      export.warnings.first?.reason.contains("line break") == true
        && export.warnings.first?.line == 2)
  }

  /// Would break if a product with an empty list were taken for a document without products.
  @Test func `a product with an empty list is reported`() throws {
    let export = try ReadExport(#"[{"id":1,"variants":[]},{"sku":"2","items":[]}]"#)
    #expect(export.warnings.map(\.field) == ["title", "title"])
  }

  /// Would break if an answer without products were a row without a type.
  @Test(arguments: [#"{"products":[]}"#, "[]", " [ ]\n", #"{"data":{"items":[]}}"#])
  func `a document without products has no rows`(text: String) throws {
    #expect(try rows(text).isEmpty)
  }

  /// Would break if the report of an answer such as that of a server were about a single field.
  @Test func `an object without the fields of an entity is reported as such`() throws {
    let export = try ReadExport(#"{"error":"unauthorized"}"#)
    #expect(
      export.warnings.map(\.reason) == ["has none of the fields type, id and title; found 'error'"])
  }

  /// Would break if each page of a sitemap were a row without an id.
  @Test(arguments: ["urlset", "sitemapindex"]) func `a sitemap is refused whole`(root: String)
    throws
  {
    let error = #expect(throws: FeedError.self) {
      try rows("<\(root)><url><loc>https://s.example/</loc></url></\(root)>")
    }
    #expect(error?.message.contains("sitemap") == true)
  }

  /// Would break if such an address were a path on this machine.
  @Test(arguments: [
    "sku,name,image\n1,A,//cdn.example/a.jpg",
    #"{"type":"product","id":"1","title":"A","images":["//cdn.example/a.jpg"]}"#,
  ]) func `an address without a scheme is one of https`(text: String) throws {
    #expect(try ReadExport(text).product("1").images == ["https://cdn.example/a.jpg"])
    let path = text.replacingOccurrences(of: "//cdn.example/", with: "//share/")
    #expect(try ReadExport(path).product("1").images == ["//share/a.jpg"])
  }

  /// Would break if one tag, such as that of a locale, took all languages from an entity.
  @Test func `an unknown language leaves the others`() throws {
    let export = try ReadExport(
      #"{"type":"product","id":"1","title":"A","localized":{"de_DE":{"title":"D"},"!":{"title":"X"},"fr":{"title":"F"}}}"#
    )
    let product = try export.product("1")
    #expect(product.localized.mapValues(\.title) == ["de-DE": "D", "fr": "F"])
    #expect(export.warnings.map(\.field) == ["localized"])
  }

  /// Would break if one of two titles were taken without a word.
  @Test(arguments: [
    #"{"type":"product","id":"1","title":"A","title":"B"}"#,
    #"[{"type":"product","id":"1","title":"A","title":"B"},{"type":"product","id":"2","title":"C"}]"#,
  ]) func `a name that is repeated is reported, and the first value counts`(text: String) throws {
    let export = try ReadExport(text)
    #expect(try export.product("1").title == "A")
    #expect(export.warnings.map(\.field) == ["title"])
    #expect(export.warnings.map(\.kind) == [.field])
  }

  /// Would break if a row could make each answer and the index large.
  @Test func `texts and lists of words end at their limits, with a report`() throws {
    let long = String(repeating: "x", count: 1001)
    let words = (0..<300).map { "\"word\($0)\"" }.joined(separator: ",")
    let heavy = (0..<40).map { "\"\($0)\(String(repeating: "y", count: 198))\"" }
      .joined(separator: ",")
    let export = try ReadExport(
      """
      {"type":"product","id":"1","title":"\(long)","subtitle":"\(long)","brand":"\(long)",\
      "labels":[\(words)],"synonyms":[\(heavy)],"attributes":{"size":"\(long)"},\
      "localized":{"de":{"title":"\(long)"},"fr":{"title":"F"}}}
      """)
    let product = try export.product("1")
    #expect(product.title.count == 1000 && product.subtitle?.count == 1000)
    #expect(product.brand?.count == 1000 && product.attributes["size"]?.count == 1000)
    #expect(product.labels.count == 256 && product.synonyms.count == 20)
    #expect(product.localized["de"]?.title?.count == 1000 && product.localized["fr"]?.title == "F")
    #expect(
      export.warnings.map(\.field) == [
        "title", "subtitle", "brand", "labels", "synonyms", "attributes.size", "localized.de.title",
      ])
    #expect(export.warnings[0].reason == "has 1001 characters; the limit is 1000")
  }
}
