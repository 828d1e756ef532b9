import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Spreadsheets of the OpenDocument format, as LibreOffice and others write them.
@Suite struct OpenDocumentFeedTests {
  /// Returns an archive of files that are not compressed (APPNOTE.TXT 6.3.10).
  static func archive(_ files: [(name: String, text: String)]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var bytes: [UInt8] = []
    var list: [UInt8] = []
    for (name, text) in files {
      let sizes = number(text.utf8.count, 4) + number(text.utf8.count, 4)
      let common =
        number(20, 2) + number(0, 8) + [0, 0, 0, 0] + sizes + number(name.utf8.count, 2)
      list += [0x50, 0x4B, 1, 2] + number(20, 2) + common + number(0, 12) + number(bytes.count, 4)
      list += Array(name.utf8)
      bytes += [0x50, 0x4B, 3, 4] + common + number(0, 2) + Array(name.utf8) + Array(text.utf8)
    }
    return bytes + list + [0x50, 0x4B, 5, 6] + number(0, 4) + number(files.count, 2)
      + number(files.count, 2) + number(list.count, 4) + number(bytes.count, 4) + number(0, 2)
  }

  private static func document(
    _ tables: String, type: String = "application/vnd.oasis.opendocument.spreadsheet"
  ) -> [UInt8] {
    let namespaces = ["office", "table", "text", "style", "calcext", "xlink"].map {
      "xmlns:\($0)=\"urn:\($0)\""
    }.joined(separator: " ")
    return archive([
      ("mimetype", type),
      (
        "content.xml",
        """
        <?xml version="1.0" encoding="UTF-8"?><office:document-content \(namespaces)><office:automatic-styles>
        <style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>
        <style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>
        </office:automatic-styles><office:body><office:spreadsheet>\(tables)</office:spreadsheet></office:body></office:document-content>
        """
      ),
    ])
  }

  private static func row(_ texts: [String]) -> String {
    "<table:table-row>"
      + texts.map {
        "<table:table-cell office:value-type=\"string\"><text:p>\($0)</text:p></table:table-cell>"
      }.joined() + "</table:table-row>"
  }

  private static let shop = document(
    """
    <table:table table:name="Notes" table:style-name="ta2">\(row(["sku", "name", "price"]))\(row(["X", "Hidden", "1"]))</table:table>
    <table:table table:name="Products" table:style-name="ta1"><table:table-column table:number-columns-repeated="1024"/>
    <table:table-header-rows>\(row(["SKU", "Name", "Preis", "Bild", "Since", "Active", "Note"]))</table:table-header-rows>
    <table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
    <table:table-row><table:table-cell office:value-type="float" office:value="4006381333931"><text:p>4,00638E+12</text:p></table:table-cell>
    <table:table-cell office:value-type="string"><text:p>Camp <text:span text:style-name="T1">mug</text:span><text:s text:c="1"/>&amp; co</text:p>
    <office:annotation><text:p>ask Anna</text:p></office:annotation></table:table-cell>
    <table:table-cell office:value-type="currency" office:currency="CHF" office:value="14.9"><text:p>14,90 CHF</text:p></table:table-cell>
    <table:table-cell office:value-type="string"><text:p><text:a xlink:href="https://other.example/">https://img.example/1.jpg</text:a></text:p></table:table-cell>
    <table:table-cell office:value-type="date" office:date-value="2025-01-21T00:00:00"><text:p>21.01.25</text:p></table:table-cell>
    <table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>
    <table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16377"/></table:table-row>
    <table:table-row><table:table-cell office:value-type="string"><text:p>T2</text:p></table:table-cell><table:table-cell><text:p>Oak</text:p><text:p>tray</text:p></table:table-cell>
    <table:table-cell office:value-type="float" office:value="0.1000000000000000055"><text:p>0,1</text:p></table:table-cell><table:covered-table-cell/>
    <table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="string"><text:p>last</text:p></table:table-cell></table:table-row>
    <table:table-row table:number-rows-repeated="1048571"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>
    """)

  @Test func `the first visible sheet is a table`() throws {
    let export = try ReadExport(Self.shop, name: "shop.ods")
    #expect(export.products.map(\.id) == ["4006381333931", "T2"])
    let mug = try export.product("4006381333931")
    #expect(mug.title == "Camp mug & co" && mug.images == ["https://img.example/1.jpg"])
    #expect(mug.price?.amount == "14.9" && mug.price?.currency == "CHF")
    #expect(mug.extra["Since"] == .string("2025-01-21") && mug.extra["Note"] == nil)
    let tray = try export.product("T2")
    #expect(tray.title.hasPrefix("Oak") && tray.price?.amount == "0.1")
    #expect(tray.extra["Note"] == .string("last"))
  }

  @Test(arguments: ["Notes", "1"]) func `a sheet is named or numbered`(sheet: String) throws {
    let options = FeedOptions(currency: "EUR", sheet: sheet)
    #expect(try ReadExport(Self.shop, options, name: "shop.ods").products.map(\.id) == ["X"])
    let error = #expect(throws: FeedError.self) {
      try ReadExport(Self.shop, FeedOptions(sheet: "Preise"), name: "shop.ods")
    }
    #expect(
      error?.message.contains("no sheet 'Preise'; its sheets are 'Notes', 'Products'") == true)
  }

  /// Would break if a few bytes could fill the memory: a row that is repeated a million times, or a long cell in each column.
  @Test(arguments: [
    "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell table:number-columns-repeated=\"4000\"><text:p>abc</text:p></table:table-cell></table:table-row>",
    "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell table:number-columns-repeated=\"4\"><text:p>abc</text:p></table:table-cell></table:table-row>",
    "<table:table-row table:number-rows-repeated=\"9223372036854775807\"><table:table-cell><text:p>abc</text:p></table:table-cell></table:table-row>",
  ]) func `repeated cells are limited before they are made`(row: String) throws {
    let table =
      "<table:table table:name=\"A\">\(Self.row(["id", "title", "price"]))\(row)</table:table>"
    let error = #expect(throws: FeedError.self) {
      try ReadExport(Self.document(table), name: "shop.ods")
    }
    #expect(error?.message.contains("limit") == true || error?.message.contains("times") == true)
  }

  @Test func `a row whose repeated cells become too much is rejected, and the others are read`()
    throws
  {
    let cell =
      "<table:table-cell table:number-columns-repeated=\"4096\"><text:p>\(String(repeating: "a", count: 5000))</text:p></table:table-cell>"
    let rows =
      Self.row(["id", "title", "price"]) + Self.row(["a", "A", "1"])
      + "<table:table-row>\(cell)</table:table-row>" + Self.row(["b", "B", "1"])
    let export = try ReadExport(
      Self.document("<table:table table:name=\"A\">\(rows)</table:table>"), name: "shop.ods")
    #expect(export.products.map(\.id) == ["a", "b"])
    #expect(export.warnings.map(\.kind) == [.row] && export.warnings[0].line == 3)
    #expect(export.warnings[0].reason.contains("more than 1048576 bytes, which is the limit"))
  }

  @Test func `other documents, and those with a password, are refused with the reason`() throws {
    func message(_ bytes: [UInt8]) -> String {
      let error = #expect(throws: FeedError.self) { try ReadExport(bytes, name: "shop.ods") }
      return error?.message ?? ""
    }
    let text = Self.document("", type: "application/vnd.oasis.opendocument.text")
    #expect(message(text).contains("without a workbook"))
    #expect(message(Self.document("")).contains("without sheets"))
    let spreadsheet = "application/vnd.oasis.opendocument.spreadsheet"
    let locked = Self.archive([
      ("mimetype", spreadsheet), ("content.xml", "\u{1}\u{2}"),
      ("META-INF/manifest.xml", "<manifest:encryption-data/>"),
    ])
    #expect(message(locked).contains("password"))
    let damaged = Self.archive([("mimetype", spreadsheet), ("content.xml", "<a><b></a>")])
    #expect(message(damaged).contains("damaged spreadsheet"))
    #expect(message(Self.archive([("mimetype", spreadsheet)])).contains("no file 'content.xml'"))
  }

  /// Would break if a part of a document, or one of damaged bytes, were read beyond its end, or taken for a whole one.
  @Test(arguments: [30, 200, 1500, 3000]) func `a truncated document is refused`(count: Int) throws
  {
    #expect(throws: FeedError.self) {
      try ReadExport(Array(Self.shop.prefix(count)), name: "shop.ods")
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func `a damaged document ends with an error or rows`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.shop
    for _ in 0..<3 {
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
    }
    do {
      _ = try ReadExport(bytes, name: "shop.ods")
    } catch {
      #expect(error is FeedError)
    }
  }
}
