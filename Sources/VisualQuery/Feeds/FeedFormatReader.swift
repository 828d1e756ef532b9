/// Reads the feeds of one format. A new format is one file with a type that conforms to this
/// protocol, and one line in ``feedFormats``.
protocol FeedFormatReader: SendableMetatype {
  /// Makes a reader if a feed has this format, or returns `nil` if it has another.
  ///
  /// - Parameters:
  ///   - head: The beginning of the feed.
  ///   - records: The feed, after its header.
  ///   - currency: The currency of prices that do not name one.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput` if it has this format, but cannot be
  ///   read.
  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) throws(CatalogueError)

  /// The meaning of the fields.
  var mapping: FeedMapping { get }

  /// Returns the next record, or `nil` at the end of the feed.
  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord?
}

/// The formats, in the order in which a feed is tried. The last one takes any table and any JSON.
let feedFormats: [any FeedFormatReader.Type] = [
  FolderFeed.self, SchemaOrgFeed.self, MerchantXMLFeed.self, ProductSearchFeed.self,
  ShopifyFeed.self, MerchantFeed.self, CSVFeed.self, JSONLinesFeed.self,
]

/// The beginning of a feed, from which its format is recognized.
enum FeedHead {
  case empty
  case folder(path: String)
  /// JSON, with the bytes that were read so far.
  case json(start: ArraySlice<UInt8>)
  case xml
  /// A table, with the fields of its first record.
  case table(TableHeader)

  /// Reads as much of a feed as is required to recognize it. The header of a table is taken from
  /// `records`.
  init(of path: String, _ records: inout RecordReader) throws(CatalogueError) {
    let start = try records.beginning()
    switch try records.peek() {
    case nil: self = .empty
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json(start: start)
    case UInt8(ascii: "<"): self = .xml
    default: self = .table(try TableHeader(&records, start))
    }
  }
}

/// Returns the first record of a table.
struct TableHeader: Sendable {
  let columns: [String]
  let isTabbed: Bool
  let line: Int

  fileprivate init(
    _ records: inout RecordReader, _ start: ArraySlice<UInt8>
  ) throws(CatalogueError) {
    isTabbed = start.prefix { $0 != 0x0A }.contains(0x09)
    records.hasQuotes = !isTabbed
    guard case .bytes(let header, let line)? = try records.next() else {
      throw CatalogueError(
        code: .unreadableInput, message: "'\(records.name)' begins with a line beyond the limit")
    }
    self.line = line
    do throws(FieldError) {
      columns = try isTabbed ? CSVRecord.tabbedFields(header) : CSVRecord.fields(header)
    } catch {
      throw Self.unreadable(records.name, error)
    }
  }

  /// Returns the fields of a record.
  func fields(_ record: [UInt8]) throws(FieldError) -> [String] {
    let fields = try isTabbed ? CSVRecord.tabbedFields(record) : CSVRecord.fields(record)
    guard fields.count == columns.count else {
      throw FieldError(
        field: nil, reason: "has \(fields.count) fields; the header has \(columns.count)")
    }
    return fields
  }

  /// Returns the fields of a record with the names of their columns.
  func namedFields(_ record: [UInt8]) throws(FieldError) -> [(name: String, text: String)] {
    zip(columns, try fields(record)).map { ($0, $1) }
  }

  /// Returns the error of a table in an unknown format.
  static func unreadable(_ name: String, _ error: FieldError) -> CatalogueError {
    CatalogueError(
      code: .unreadableInput,
      message: """
        '\(name)' is neither JSON Lines, whose rows begin with {, nor CSV: \
        \(error.field.map { "column '\($0)'" } ?? "the header") \(error.reason); feeds of Google \
        Merchant, Shopify and schema.org are recognized by their columns
        """)
  }
}
