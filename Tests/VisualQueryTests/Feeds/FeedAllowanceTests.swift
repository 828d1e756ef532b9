import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// What one row may become: two counts that it states, of which the product is far more than the row.
@Suite struct FeedAllowanceTests {
  private static func options(
    bytes: Int = 64_000_000, variants: Int = 1000, levels: Int = 64
  ) -> FeedOptions {
    var options = FeedOptions(currency: "EUR")
    options.limits = FeedLimits(rowByteCount: bytes, variantCount: variants, levelCount: levels)
    return options
  }

  // MARK: Cells that share a text

  private static func workbook(_ rows: String, text: String) -> [UInt8] {
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return OpenDocumentFeedTests.archive([
      (
        "xl/workbook.xml",
        "<workbook xmlns:r=\"\(relations)\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
      ),
      (
        "xl/_rels/workbook.xml.rels",
        "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
      ),
      ("xl/sharedStrings.xml", "<sst><si><t>\(text)</t></si></sst>"),
      ("xl/worksheets/sheet1.xml", "<worksheet><sheetData>\(rows)</sheetData></worksheet>"),
    ])
  }

  private static func row(_ number: Int, _ texts: [String]) -> String {
    let cells = zip(["A", "B", "C"], texts).map {
      "<c r=\"\($0)\(number)\" t=\"inlineStr\"><is><t>\($1)</t></is></c>"
    }
    return "<row>\(cells.joined())</row>"
  }

  /// 3 KB with a text of a megabyte became 20 GB.
  @Test(arguments: ["the cells of a row", "one cell"])
  func `cells that share a long text reject their row, and the others are read`(place: String)
    throws
  {
    let cells = (0..<4000).map { index in
      let letter = Character(Unicode.Scalar(UInt8(65 + index % 26)))
      let column = place == "one cell" ? "B" : "\(letter)\(letter)"
      return "<c r=\"\(column)3\" t=\"s\"><v>0</v></c>"
    }
    let rows =
      Self.row(1, ["id", "title", "note"]) + Self.row(2, ["a", "A", "line\nbreak"])
      + "<row>\(cells.joined())</row>" + Self.row(4, ["b", "B", "2"])
    let bytes = Self.workbook(rows, text: String(repeating: "a", count: 200_000))
    let export = try ReadExport(bytes, name: "shop.xlsx")
    #expect(export.products.map(\.id) == ["a", "b"])
    #expect(export.warnings.map(\.kind) == [.row] && export.warnings[0].line == 4)
    #expect(export.warnings[0].reason.contains("more than 1048576 bytes, which is the limit"))
  }

  /// Each row of a few bytes is as wide as the widest one, or repeats a text.
  @Test func `rows that share a text may not become more than compressed data may`() throws {
    let rows = (1..<400).map { "<row><c r=\"B\($0)\" t=\"s\"><v>0</v></c></row>" }.joined()
    let bytes = Self.workbook(
      Self.row(1, ["id", "title"]) + rows, text: String(repeating: "a", count: 900_000))
    let error = #expect(throws: FeedError.self) { try ReadExport(bytes, name: "shop.xlsx") }
    #expect(error?.message.contains("--max-feed-ratio") == true)
  }

  // MARK: Paths of elements

  /// 57 KB took 17 s, and 0.5 MB some 20 minutes: each field has a path, which is as long as the item is deep.
  @Test(arguments: [
    ("products", "product", "<id>2</id><title>T</title>"),
    ("yml_catalog><shop><offers", "offer", "<name>T</name>"),
  ])
  func `an item that is nested too deeply is rejected, and the next one is read`(
    root: String, item: String, fields: String
  ) throws {
    let deep =
      String(repeating: "<a>", count: 3000) + String(repeating: "<b/>", count: 3000)
      + String(repeating: "</a>", count: 3000)
    let end = root.split(separator: "<").reversed().map {
      "</\($0.prefix { $0 != ">" })>"
    }.joined()
    let text =
      "<\(root)><\(item) id=\"1\"><id>1</id><title>D</title>\(deep)</\(item)>\n"
      + "<\(item) id=\"2\">\(fields)</\(item)>\(end)"
    for options in [Self.options(), Self.options(levels: 5000)] {
      let export = try ReadExport(text, options)
      #expect(export.products.map(\.id).contains("2"))
      if options == Self.options() {
        #expect(
          export.warnings.map(\.reason) == [
            "nests elements deeper than 64 levels, which is the limit of a row (--max-row-levels)"
          ])
      }
    }
  }

  /// 5 KB took 2 s: each field had the name of the element around it, and was searched for the words of many languages.
  @Test func `a name of an element is limited like one of JSON`() throws {
    for (start, end) in [
      (String(repeating: "n", count: 300), nil),
      ("x \(String(repeating: "n", count: 300))=\"1\"", "x"),
    ] {
      let text =
        "<products><product><id>1</id><title>T</title><\(start)><b>1</b></\(end ?? start)></product>"
        + "<product><id>2</id><title>T</title></product></products>"
      let export = try ReadExport(text)
      #expect(export.products.map(\.id) == ["2"])
      #expect(export.warnings.map(\.reason) == ["has a name of 300 bytes; the limit is 256"])
    }
    let table = try ReadExport("id,title,\(String(repeating: "n", count: 300))\n1,T,x\n")
    #expect(table.products.first?.extra.keys.map(\.utf8.count) == [64])
  }

  @Test func `paths are counted, however few levels there are`() throws {
    let name = String(repeating: "n", count: 250)
    let (start, end) = (
      String(repeating: "<\(name)>", count: 60), String(repeating: "</\(name)>", count: 60)
    )
    let parts = (0..<6000).map { "<b\($0)>1</b\($0)>" }.joined()
    let text =
      "<products><product><id>1</id><title>T</title>\(start)\(parts)\(end)</product>"
      + "<product><id>2</id><title>T</title></product></products>"
    let field = FieldAssignment(target: "title", column: "title")!
    let export = try ReadExport(text, FeedOptions(fields: [field]))
    #expect(export.products.map(\.id) == ["2"] && export.warnings.count == 1)
    #expect(export.warnings.first?.reason.contains("--max-row-bytes") == true)
    #expect(export.warnings.first?.field?.hasPrefix("b") == true)
  }

  @Test func `a field that a thousand elements repeat is kept as a list`() throws {
    let words = (0..<2000).map { "<word>\($0)</word>" }.joined()
    let export = try ReadExport(
      "<products><product><id>1</id><title>T</title>\(words)</product></products>")
    guard case .array(let texts)? = export.products.first?.extra["word"] else {
      Issue.record("no list")
      return
    }
    #expect(texts.count == 2000 && texts.last == .string("1999"))
  }

  // MARK: Variants

  /// A product with five variants in several formats, and another one behind it.
  private static let families: [(name: String, text: String)] = [
    (
      "products.json",
      #"{"products":[{"id":1,"title":"T","handle":"h","body_html":"DESCRIPTION","options":[{"name":"Color"}],"variants":["#
        + (1...5).map { #"{"id":\#($0)0,"sku":"s\#($0)","option1":"c\#($0)","price":"1"}"# }
        .joined(separator: ",")
        + #"]},{"id":2,"title":"U","handle":"u","variants":[{"id":3,"price":"1"}]}]}"#
    ),
    (
      "WooCommerce",
      #"[{"id":1,"sku":"p","name":"T","type":"variable","description":"DESCRIPTION","attributes":[{"name":"Color","variation":true,"options":["c1"]}],"variations":["#
        + (1...5).map {
          #"{"id":\#($0),"sku":"s\#($0)","price":"1","attributes":[{"name":"Color","option":"c\#($0)"}]}"#
        }.joined(separator: ",") + #"]},{"id":2,"sku":"u","name":"U","price":"1"}]"#
    ),
    (
      "Shopify",
      "Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Price\nh,T,DESCRIPTION,Color,c1,s1,1\n"
        + (2...5).map { "h,,,,c\($0),s\($0),1\n" }.joined() + "u,U,,,,,1\n"
    ),
    (
      "schema.org",
      #"{"@context":"https://schema.org","@graph":[{"@type":"ProductGroup","productGroupID":"h","name":"T","description":"DESCRIPTION","hasVariant":["#
        + (1...5).map { #"{"sku":"s\#($0)","color":"c\#($0)","offers":{"price":"1"}}"# }
        .joined(separator: ",") + #"]},{"@type":"Product","sku":"u","name":"U"}]}"#
    ),
    (
      "XML",
      "<products><product><id>h</id><name>T</name><description>DESCRIPTION</description>"
        + (1...5).map {
          "<variant><sku>s\($0)</sku><color>c\($0)</color><price>1</price></variant>"
        }.joined() + "</product><product><id>u</id><name>U</name></product></products>"
    ),
    (
      "Wix",
      "handleId,fieldType,name,description,sku,price,visible,productOptionName1,productOptionDescription1\n"
        + "h,Product,T,DESCRIPTION,,1,true,Color,\n"
        + (1...5).map { "h,Variant,,,s\($0),,true,,c\($0)\n" }.joined()
        + "u,Product,U,,,1,true,,\n"
    ),
  ]

  @Test(arguments: families.indices)
  func `variants beyond the largest number are left out with a word`(index: Int) throws {
    let (name, text) = Self.families[index]
    let all = try ReadExport(text)
    #expect(all.products.count == 6 && all.warnings.isEmpty, "\(name): \(all.products.map(\.id))")
    let export = try ReadExport(text, Self.options(variants: 3))
    #expect(export.products.count == 4 && export.products.last?.title == "U", "\(name)")
    #expect(
      export.warnings.map(\.reason) == [
        "has 5 variants; the limit of a row is 3 (--max-row-variants), and the first 3 are read"
      ], "\(name)")
    #expect(export.warnings.first?.field == "variants")
  }

  /// 1.2 MB of variants that share a description became more than 6 GB.
  @Test(arguments: families.indices)
  func `variants whose shared texts become too much are left out with a word`(index: Int) throws {
    let (name, text) = Self.families[index]
    let long = text.replacing("DESCRIPTION", with: String(repeating: "word ", count: 3000))
    let export = try ReadExport(long, Self.options(bytes: 60_000))
    let count = export.products.count - 1
    #expect((2...4).contains(count) && export.products.last?.title == "U", "\(name) \(count)")
    #expect(
      export.warnings.map(\.reason) == [
        "would become more than 60000 bytes, which is the limit of a row (--max-row-bytes); "
          + "\(5 - count) of its variants are left out"
      ], "\(name)")
    #expect(try ReadExport(long).products.count == 6)
  }

  @Test func `entities that repeat a long text many times are counted`() throws {
    let (_, text) = Self.families[0]
    let variants = (1...400).map {
      #"{"id":\#($0)0,"sku":"s\#($0)","option1":"c\#($0)","price":"1"}"#
    }.joined(separator: ",")
    let long = text.replacing("DESCRIPTION", with: String(repeating: "word ", count: 4000))
      .replacing(#""variants":["#, with: #""variants":["# + variants + ",", maxReplacements: 1)
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(
      path: folder.write(long, to: "f.json"), options: FeedOptions(currency: "EUR"))
    var count = 0
    while try reader.next() != nil { count += 1 }
    // The last five have the ids of the first.
    #expect(count == 401)
    #expect(reader.findings == [FeedFinding(kind: .repeated, field: "description"): 400])
  }

  /// Would break if a limit of our own removed what the shop sells.
  @Test func `the entities of variants that are left out are not removed`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    for (_, text) in Self.families {
      let path = try folder.write(text, to: "feed")
      let first = try await indexer.run(
        path: path,
        options: IndexOptions(
          prunesMissing: true, removalLimit: 100, feed: FeedOptions(currency: "EUR"),
          acceptsChangedFeed: true))
      #expect(first.entities == 6)
      // Also in the next run, in which all rows are unchanged.
      for _ in 0..<2 {
        let run = try await indexer.run(
          path: path, options: IndexOptions(prunesMissing: true, feed: Self.options(variants: 3)))
        #expect(run.removed == 0 && run.unprunedReason == nil && run.entities == 4)
      }
    }
  }

  /// 2000 variants of 5000 images warned 2000 times.
  @Test func `the looks of a product share twenty warnings and the number of the others`() throws {
    let variants = (1...50).map {
      #"{"id":\#($0),"option1":"c\#($0)","price":"nonsense"}"#
    }.joined(separator: ",")
    func product(_ name: String) -> String {
      #"{"id":1,"title":"T","handle":"\#(name)","options":[{"name":"Color"}],"variants":[\#(variants)]}"#
    }
    let export = try ReadExport(#"{"products":[\#(product("a")),\#(product("b"))]}"#)
    #expect(export.products.count == 100 && export.warnings.count == 42)
    #expect(export.warnings.reduce(0) { $0 + $1.count } == 100)
    let counts = export.warnings.filter { $0.count > 1 }
    #expect(
      counts.map(\.reason) == Array(repeating: "30 further invalid fields were left out", count: 2))
    #expect(counts.map(\.id) == ["a/c50", "b/c50"])
  }

  @Test func `images belong to the variants that they name and that name them`() throws {
    let export = try ReadExport(
      #"{"products":[{"id":1,"title":"T","handle":"h","options":[{"name":"Color"}],"#
        + #""images":[{"id":7,"src":"r.jpg"},{"id":8,"src":"b.jpg","variant_ids":[12]},{"id":9,"src":"r2.jpg","variant_ids":[11]}],"#
        + #""variants":[{"id":11,"option1":"Red","image_id":7,"price":"1"},{"id":12,"option1":"Blue","price":"1"}]}]}"#
    )
    #expect(export.products.map(\.images) == [["r.jpg", "r2.jpg"], ["b.jpg"]])
  }

  // MARK: Steps

  /// The time doubled with each level, so that 40 levels took forever.
  @Test(arguments: [
    String(repeating: #"{"data":"#, count: 60) + #"{"x":1}"# + String(repeating: "}", count: 60),
    #"[{"id":1,"title":"T","images":"# + String(repeating: #"{"main":"#, count: 28) + #"{"q":1}"#
      + String(repeating: "}", count: 28) + "}]",
    #"[{"id":1,"title":"T","price":"# + String(repeating: #"{"value":1,"amount":"#, count: 28) + "1"
      + String(repeating: "}", count: 28) + "}]",
    #"[{"id":1,"title":"T","price":"#
      + String(repeating: #"{"price value":{"amount":2},"value":1,"amount":"#, count: 28) + "1"
      + String(repeating: "}", count: 28) + "}]",
  ])
  func `nested objects are looked at once`(text: String) throws {
    _ = try? ReadExport(text)
    // With the list of a caller's mapping, which is at the innermost level.
    let record = FieldAssignment(target: "record", column: "x")!
    _ = try? ReadExport(text, FeedOptions(fields: [record]))
  }

  @Test func `a list is found within eight levels of objects`() throws {
    let row = #"[{"id":"a","title":"A"}]"#
    for names in [["data", "items"], ["shop", "data"], ["a", "b", "c", "products"]] {
      let text =
        names.map { #"{"\#($0)":"# }.joined() + row + String(repeating: "}", count: names.count)
      #expect(try ReadExport(text).products.map(\.id) == ["a"])
    }
  }

  @Test func `separators between addresses are looked at once`() throws {
    let text =
      "http://a.example/1.jpg" + String(repeating: " ;", count: 200_000)
      + "http://a.example/2.jpg"
    #expect(ImageList.names(in: text) == ["http://a.example/1.jpg", "http://a.example/2.jpg"])
  }

  @Test func `variations of a product that occurs twice belong to the first`() throws {
    let export = try ReadExport(
      #"[{"id":1,"sku":"p","name":"T","type":"variable"},{"id":1,"sku":"q","name":"U","type":"variable"},"#
        + #"{"id":2,"sku":"r","type":"variation","parent_id":1,"price":"1","attributes":[{"name":"Color","option":"Red"}]},"#
        + #"{"id":3,"sku":"b","type":"variation","parent_id":1,"price":"1","attributes":[{"name":"Color","option":"Blue"}]}]"#
    )
    #expect(export.products.map(\.id) == ["r", "b", "1"])
  }

  /// A header of a megabyte was hashed with each row.
  @Test func `what all rows share is hashed once`() {
    let long = [UInt8](repeating: 7, count: 100_000)
    #expect(FeedRecord.shared(long).count <= 20 && FeedRecord.shared([1, 2]) == [1, 2])
    #expect(FeedRecord.shared(long) != FeedRecord.shared(long + [8]))
  }
}
