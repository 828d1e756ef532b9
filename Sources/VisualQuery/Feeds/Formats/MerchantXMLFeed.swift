/// A Google Merchant feed in XML: the items are `item` of RSS 2.0 or `entry` of Atom.
///
/// An item that is not well-formed is rejected, and reading continues with the next one.
struct MerchantXMLFeed: FeedFormatReader {
  let mapping = FeedMapping(
    format: .merchant,
    fields: MerchantFields.columns.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  private var items = XMLItemStream(items: ["item", "entry"])

  init?(_ head: FeedHead, _ records: inout RecordReader, currency: String?) {
    guard case .xml = head else { return nil }
  }

  mutating func next(from records: inout RecordReader) throws(CatalogueError) -> FeedRecord? {
    try items.next(from: &records).map(Self.record)
  }

  private static func record(_ item: XMLItemParser.Item) -> FeedRecord {
    switch item.fields {
    case .failure(let error): return FeedRecord(line: item.line, error)
    case .success(let fields):
      // White space and comments between fields do not change the contents of an item.
      let bytes = fields.flatMap { field -> [UInt8] in
        Array(field.name.utf8) + [0] + Array(field.text.utf8) + [0]
      }
      return FeedRecord(line: item.line, bytes: bytes) { () throws(FieldError) in
        try MerchantFields.product(
          fields.map { (MerchantFields.normalized($0.name), $0.text) })
      }
    }
  }
}
