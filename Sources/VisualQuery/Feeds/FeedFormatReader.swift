internal import PixelMatch

/// Reads the feeds of one format. A new format is one file with a type that conforms to this
/// protocol, and one line in ``feedFormats``.
protocol FeedFormatReader: SendableMetatype {
  /// Makes a reader if a feed has this format, or returns `nil` if it has another.
  ///
  /// - Parameters:
  ///   - head: The beginning of the feed.
  ///   - records: The feed, after its header.
  ///   - context: The options, and the convention of prices.
  /// - Throws: ``FeedError`` if it has this format, but cannot
  ///   be read.
  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError)

  /// The meaning of the fields.
  var mapping: FeedMapping { get }

  /// The rows and files that are left out on purpose, by the reason.
  var leftOut: [String: Int] { get }

  /// Returns the next record, or `nil` at the end of the feed.
  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord?
}

extension FeedFormatReader {
  var leftOut: [String: Int] { [:] }
}

/// The formats, in the order in which a feed is tried. The table takes what no other format knows,
/// or rejects it.
let feedFormats: [any FeedFormatReader.Type] = [
  FolderFeed.self, HTMLFeed.self, SchemaOrgFeed.self, JSONDocumentFeed.self,
  JSONLinesFeed.self, SalesforceFeed.self, XMLFeed.self, ProductSearchFeed.self, MappedFeed.self,
  FamilyTableFeed.self, StoreTableFeed.self,
  ShopifyFeed.self,
  MagentoFeed.self, WooCommerceFeed.self, BigCommerceFeed.self, SquarespaceFeed.self,
  WixFeed.self, EBayFeed.self, MerchantFeed.self,
  TableFeed.self,
]

/// The beginning of a feed, from which its format is recognized.
enum FeedHead {
  case empty
  case folder(path: String)
  /// JSON, with the bytes that were read so far.
  case json(start: ArraySlice<UInt8>)
  /// XML, with the beginning of its text.
  case xml(start: String)
  case html
  /// A table, with the fields of its first record.
  case table(TableHeader)

  /// The number of bytes by which formats are recognized.
  static let startLength = 1 << 16

  /// Reads as much of a feed as is required to recognize it. The header of a table is taken from
  /// `records`.
  init(of records: inout RecordReader) throws(FeedError) {
    let start = try records.lookahead(Self.startLength)
    if let kind = UnreadableFile.kind(of: records.firstBytes) ?? UnreadableFile.kind(ofText: start)
    {
      throw FeedError(message: "'\(records.name)' \(kind)")
    }
    switch try records.peek() {
    case nil: self = .empty
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json(start: start[...])
    case UInt8(ascii: "<"):
      let text = String(decoding: start, as: UTF8.self)
      self = Self.isHTML(text) ? .html : .xml(start: text)
    default: self = .table(try TableHeader(&records))
    }
  }

  /// Returns whether the first element of a text is one of HTML.
  private static func isHTML(_ text: String) -> Bool {
    let start = text.prefix(4096).lowercased()
    if start.contains("<!doctype html") { return true }
    var rest = start[...]
    while let open = rest.firstIndex(of: "<") {
      let name = rest[rest.index(after: open)...].prefix { $0.isLetter || "!?:".contains($0) }
      if !name.hasPrefix("?"), !name.hasPrefix("!") {
        return ["html", "head", "body", "div", "script", "p", "meta", "h"].contains(String(name))
      }
      guard let close = rest[open...].firstIndex(of: ">") else { return false }
      rest = rest[close...]
    }
    return false
  }
}

/// Files that are not feeds, with what to do about them.
enum UnreadableFile {
  private static let kinds: [(magic: [UInt8], message: String)] = [
    (
      Array("PK\u{3}\u{4}".utf8),
      "is a ZIP archive without a workbook (.xlsx, .ods) in it; unpack it"
    ),
    (
      [0xD0, 0xCF, 0x11, 0xE0],
      "is a workbook of an old Excel (.xls); open it and save it as 'CSV UTF-8'"
    ),
    (Array("%PDF".utf8), "is a PDF document; export the products as CSV, XML or JSON"),
    (Array("SQLite format 3".utf8), "is a database; export the products as CSV, XML or JSON"),
    (Array("ARROW1".utf8) + [0], "is a table in Arrow; convert it to CSV or JSON Lines"),
    (Array("Obj".utf8) + [0x01], "is a table in Avro; convert it to CSV or JSON Lines"),
    ([0x28, 0xB5, 0x2F, 0xFD], "is compressed with zstd; decompress it, or use gzip"),
    (Array("BZh".utf8), "is compressed with bzip2; decompress it, or use gzip"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "is compressed with xz; decompress it, or use gzip"),
    // Recognizes input that consists of zeros, such as the endless /dev/zero.
    ([UInt8](repeating: 0, count: 16), "begins with zeros; a feed is text"),
  ]

  /// Returns the kind of a file by its first bytes, or `nil` if it may be a feed.
  static func kind(of start: [UInt8]) -> String? {
    let format = ImageFormat.sniffedName(of: start)
    // A text may begin with the letters `BM`, too; only a bitmap has four reserved zero bytes
    // at offset 6.
    let isBitmap = format == "BMP" && start.dropFirst(6).prefix(4).allSatisfy { $0 == 0 }
    if isBitmap || imageFormats.contains(format) {
      return "is an image (\(format)); to index images, give their folder"
    }
    let isControl = start.dropFirst(4).first.map { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }
    if start.starts(with: "PAR1".utf8), isControl == true {
      return "is a table in Parquet; convert it to CSV or JSON Lines"
    }
    return kinds.first { start.starts(with: $0.magic) }?.message
  }

  /// Returns the kind of a text by its first statement, or `nil` if it may be a feed.
  static func kind(ofText start: [UInt8]) -> String? {
    let lines = start.prefix(1 << 14).split { $0 == 0x0A || $0 == 0x0D }.lazy.map {
      String(decoding: $0.prefix(200), as: UTF8.self).trimmed.lowercased()
    }
    for line in lines {
      if line.hasPrefix("/*!") || line.hasPrefix("-- ") && line.contains(" dump") { return dump }
      let isComment = ["--", "/*", "*", "#"].contains(where: line.hasPrefix)
      if line.isEmpty || isComment { continue }
      return statements.contains(where: line.hasPrefix) ? dump : nil
    }
    return nil
  }

  private static let dump =
    "is a dump of a database (SQL); export the table of products as CSV or JSON"
  private static let statements = [
    "create table ", "create database ", "insert into ", "drop table ", "set sql_mode",
    "set names ", "set statement_timeout", "start transaction;", "begin transaction;",
    "pragma foreign_keys", "lock tables ", "use `",
  ]

  private static let imageFormats: Set<String> = [
    "JPEG", "PNG", "HEIC", "AVIF", "WebP", "GIF", "TIFF", "JPEG XL", "JPEG 2000", "ICO",
    "Photoshop (PSD)",
  ]
}
