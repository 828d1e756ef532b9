/// A table of stores, such as the one of Google Business Profile: its columns are a place, an address or opening hours, and none is what
/// a product has.
struct StoreTableFeed: FeedFormatReader {
  let mapping: FeedMapping
  private let header: TableHeader
  private let context: FeedContext

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let header) = head, context.map == nil else { return nil }
    let names = header.columns.map(\.trimmed)
    let lowercased = Set(names.map { $0.lowercased() })
    guard !lowercased.isSuperset(of: ["type", "id", "title"]), !context.completesIndexed,
      StoreRecord.areStores(names.map(StoreRecord.path))
    else { return nil }
    self.header = header
    self.context = context
    let row = JSONValue.object(
      Dictionary(names.map { ($0, JSONValue.string("")) }, uniquingKeysWith: { first, _ in first }))
    let targets = Dictionary(
      StoreRecord.fields(of: [row]).map { ($0.name, $0.target) }, uniquingKeysWith: { $1 ?? $0 })
    mapping = FeedMapping(
      format: .table, name: "table of stores", fields: names.map { ($0, targets[$0] ?? nil) })
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    guard let record = try records.next() else { return nil }
    guard case .bytes(let bytes, let line) = record else { return .unread(record) }
    let (header, context) = (header, context)
    return FeedRecord(line: line, bytes: bytes) { () throws(FieldError) in
      let (fields, encoding) = try header.read(bytes)
      var draft = StoreRecord(Array(zip(header.columns.map(\.trimmed), fields)).map { ($0, $1) })
        .draft
      if let encoding {
        draft.warn("row", "is not UTF-8, unlike the feed; it was read as \(encoding)")
      }
      return draft.finished(context)
    }
  }
}
