/// Feeds with counts: a few bytes of an input become a feed of kilobytes whose rows state two counts, such as variants and the bytes
/// of a description. What the feed costs must follow its bytes.
///
/// In an input, byte 1 and a byte *n* begin a part that is repeated *n* × *n* times, and byte 2 ends it; byte 3 in it becomes the
/// number of the repetition. An input that begins with byte 4 is a workbook: texts that cells share, byte 4, and its rows.
enum CostTarget: FuzzTarget {
  static let name = "cost"
  static let byteLimit = 1024
  /// The most bytes of a feed.
  private static let feedLimit = 24 << 10

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    let parts = bytes.split(separator: 4, omittingEmptySubsequences: true)
    if first == 4, parts.count == 2 {
      let (texts, rows) = (expanded(parts[0]), expanded(parts[1]))
      FeedCheck.run(StoredArchive.workbook(texts: texts, rows: rows))
    } else {
      FeedCheck.run(expanded(bytes[...]))
    }
    return true
  }

  /// Returns a feed with its repeated parts, up to the largest length.
  private static func expanded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var feed: [UInt8] = []
    expand(bytes, number: 0, into: &feed)
    return feed
  }

  private static func expand(
    _ bytes: ArraySlice<UInt8>, number: Int, into feed: inout [UInt8]
  ) {
    var rest = bytes
    while let byte = rest.popFirst(), feed.count < feedLimit {
      switch byte {
      case 1:
        let count = rest.popFirst().map { Int($0) * Int($0) } ?? 0
        let part = rest[..<end(of: rest)]
        rest = rest[part.endIndex...].dropFirst()
        if part.isEmpty { continue }
        for number in 0..<count where feed.count < feedLimit {
          expand(part, number: number, into: &feed)
        }
      case 2: continue
      case 3: feed += Array("\(number)".utf8)
      default: feed.append(byte)
      }
    }
  }

  /// Returns the index of the byte that ends a repeated part.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int {
    var depth = 0
    for index in bytes.indices {
      if bytes[index] == 1 { depth += 1 }
      if bytes[index] == 2 {
        if depth == 0 { return index }
        depth -= 1
      }
    }
    return bytes.endIndex
  }

  static func seeds() -> [[UInt8]] {
    let many = "\u{1}\u{10}"
    let variants =
      many + "{\"id\":\u{3},\"sku\":\"s\u{3}\",\"option1\":\"c\u{3}\",\"price\":\"1\"},\u{2}"
      + "{\"id\":9999,\"option1\":\"z\"}"
    return utf8(
      // Cells that share a text.
      "\u{4}<si><t>\(many)texttext\u{2}</t></si>\u{4}<row><c r=\"A1\" t=\"inlineStr\"><is><t>id</t></is></c>"
        + "<c r=\"B1\" t=\"inlineStr\"><is><t>title</t></is></c></row>"
        + "<row>\(many)<c r=\"B2\" t=\"s\"><v>0</v></c>\u{2}</row>",
      // Elements that are deep, and many in the innermost; and long names around many.
      "<yml_catalog><shop><offers><offer id=\"1\"><name>t</name>\u{1}\u{10}<a>\u{2}\u{1}\u{14}<b/>\u{2}\u{1}\u{10}</a>\u{2}</offer>"
        + "</offers></shop></yml_catalog>",
      "<products><product><id>1</id><title>t</title><\u{1}\u{10}long\u{2}>\u{1}\u{10}<b\u{3}>1</b\u{3}>\u{2}</\u{1}\u{10}long\u{2}>"
        + "</product><product/></products>",
      // Variants that share a description, images or options.
      "{\"products\":[{\"id\":1,\"title\":\"t\",\"handle\":\"h\",\"body_html\":\"\(many)word \u{2}\","
        + "\"options\":[{\"name\":\"Color\"}],\"variants\":[\(variants)]}]}",
      "{\"products\":[{\"id\":1,\"title\":\"t\",\"handle\":\"h\",\"images\":[\(many){\"id\":\u{3},\"src\":\"\u{3}.jpg\"},\u{2}"
        + "{\"src\":\"a.jpg\"}],\"options\":[{\"name\":\"Color\"}],\"variants\":["
        + "\u{1}\u{8}{\"id\":\u{3},\"option1\":\"c\u{3}\",\"image_ids\":[\u{1}\u{8}\u{3},\u{2}1]},\u{2}{\"id\":1}]}]}",
      "Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Price\n"
        + "h,t,\(many)word \u{2},Color,c,s,1\n\(many)h,,,,c\u{3},s\u{3},1\n\u{2}",
      "{\"@graph\":[{\"@type\":\"ProductGroup\",\"productGroupID\":\"g\",\"name\":\"t\",\"description\":\"\(many)word \u{2}\","
        + "\"hasVariant\":[\(many){\"sku\":\"s\u{3}\",\"color\":\"c\u{3}\"},\u{2}{\"sku\":\"z\"}]}]}",
      // Levels of objects.
      "\u{1}\u{4}{\"data\":\u{2}{\"x\":1}\u{1}\u{4}}\u{2}",
      "[{\"id\":1,\"title\":\"t\",\"images\":\u{1}\u{4}{\"main\":\u{2}{\"q\":1}\u{1}\u{4}}\u{2}}]",
      // Separators, and columns.
      "id,title,images\n1,t,http://a.example/a.jpg\u{1}\u{40} ;\u{2}b.jpg\n",
      "id,title\(many),column\u{3}\u{2}\n\(many)1,t\(many),1\u{2}\n\u{2}")
  }

  static let dictionary = utf8(
    "\u{1}\u{10}", "\u{1}\u{20}", "\u{2}", "\u{3}", "<a>", "</a>", "<b/>", "<variant>",
    "</variant>",
    "{\"id\":\u{3}},", "\"variants\":[", "\"images\":[", "\"hasVariant\":[", "\"options\":[",
    "\"localized\":{", "<c t=\"s\"><v>0</v></c>", "h,,,,c\u{3},s\u{3},1\n", "\"main\":", "\"data\":"
  )
}

/// ZIP archives of files that are not compressed (APPNOTE.TXT 6.3.10).
private enum StoredArchive {
  static func workbook(texts: [UInt8], rows: [UInt8]) -> [UInt8] {
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return archive([
      (
        "xl/workbook.xml",
        Array(
          "<workbook xmlns:r=\"\(relations)\"><sheets><sheet name=\"a\" r:id=\"r\"/></sheets></workbook>"
            .utf8)
      ),
      (
        "xl/_rels/workbook.xml.rels",
        Array("<Relationships><Relationship Id=\"r\" Target=\"s.xml\"/></Relationships>".utf8)
      ),
      ("xl/sharedStrings.xml", Array("<sst>".utf8) + texts + Array("</sst>".utf8)),
      (
        "xl/s.xml",
        Array("<worksheet><sheetData>".utf8) + rows + Array("</sheetData></worksheet>".utf8)
      ),
    ])
  }

  private static func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var bytes: [UInt8] = []
    var list: [UInt8] = []
    for (name, content) in files {
      let sizes = number(content.count, 4) + number(content.count, 4)
      let common = number(20, 2) + number(0, 12) + sizes + number(name.utf8.count, 2)
      list += [0x50, 0x4B, 1, 2] + number(20, 2) + common + number(0, 12) + number(bytes.count, 4)
      list += Array(name.utf8)
      bytes += [0x50, 0x4B, 3, 4] + common + number(0, 2) + Array(name.utf8) + content
    }
    return bytes + list + [0x50, 0x4B, 5, 6] + number(0, 4) + number(files.count, 2)
      + number(files.count, 2) + number(list.count, 4) + number(bytes.count, 4) + number(0, 2)
  }
}
