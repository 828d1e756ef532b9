/// A Google Merchant feed as a table
/// (<https://support.google.com/merchants/answer/7052112>), and the catalogues of Meta, Pinterest
/// and others in the same layout.
struct MerchantFeed: FeedFormatReader {
  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let rows: TableRows
  /// The column that says for which language or country a row replaces fields of another, as in additional feeds of Meta.
  private let overrideColumn: Int?

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let header) = head, header.has("id", "title"), !header.has("type"),
      header.has("link") || header.has("imagelink")
    else { return nil }
    let targets = ColumnVocabulary.targets(of: header.columns)
    mapping = FeedMapping(format: .merchant, header.columns, targets)
    overrideColumn = header.index("override")
    var rows = TableRows(
      header: header, names: header.columns.map(MerchantFields.normalized), targets: targets,
      isNative: false, context: context)
    try rows.findParents(&records)
    self.rows = rows
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    guard let overrideColumn else { return try rows.next(from: &records) }
    while let record = try records.next() {
      if case .bytes(let bytes, _) = record, let fields = try? rows.header.fields(bytes),
        FeedText.isValue(fields[overrideColumn])
      {
        leftOut["rows of languages and countries, which translate other rows", default: 0] += 1
        continue
      }
      return rows.record(record)
    }
    return nil
  }
}

/// The fields of a Google Merchant feed.
enum MerchantFields {
  /// Returns a name in lower case, with `_` for spaces and hyphens, and without `g:`.
  static func normalized(_ column: String) -> String {
    var name = column.lowercased().trimmed
    if name.hasPrefix("g:") { name.removeFirst(2) }
    return String(name.map { $0 == " " || $0 == "-" ? "_" : $0 })
  }
}
