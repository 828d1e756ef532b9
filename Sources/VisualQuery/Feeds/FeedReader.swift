/// Reads a shop's products and stores from a feed in any ``FeedFormat``, which is recognized by its
/// first bytes and its header. Feeds may be compressed with gzip.
///
/// An invalid row is returned as rejected, and reading continues with the next one. The memory is
/// that of one row and of the ids so far.
public struct FeedReader: ~Copyable {
  /// The format of the feed and the meaning of its fields.
  public let mapping: FeedMapping
  private var format: any FeedFormatReader
  private var records: RecordReader
  private var entities: FeedEntities
  private let byteCount: Int?

  /// Opens a file, a folder of images, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - allowedSchemes: The schemes that links may have besides `https`.
  ///   - currency: The currency of prices that do not name one.
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, also if a table does not name its
  ///   columns.
  public init(
    path: String, allowedSchemes: Set<String> = [], currency: String? = nil
  ) throws(CatalogueError) {
    let isFolder = path != "-" && FileStatus(path)?.isDirectory == true
    var records = try RecordReader(path: isFolder ? "/dev/null" : path)
    let head = isFolder ? .folder(path: path) : try FeedHead(of: path, &records)
    var recognized: (any FeedFormatReader)?
    for format in feedFormats where recognized == nil {
      recognized = try format.init(head, &records, currency: currency)
    }
    guard let recognized else { preconditionFailure("the last format takes every feed") }
    format = recognized
    mapping = recognized.mapping
    self.records = records
    entities = FeedEntities(allowedSchemes: allowedSchemes)
    byteCount = path == "-" ? nil : FileStatus(path)?.byteCount
  }

  /// Returns the next record, which is not parsed yet, or `nil` at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  mutating func nextRecord() throws(CatalogueError) -> FeedRecord? {
    try format.next(from: &records)
  }

  /// Returns the next row, or `nil` at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`.
  public mutating func next() throws(CatalogueError) -> FeedRow? {
    try nextRecord().map { entities.row(FeedEntities.parse($0), over: nil) }
  }

  /// Returns the seed of the records' hashes: everything besides the record that determines the
  /// result.
  ///
  /// - Parameter text: The options of the run.
  func hashSeed(_ text: String) -> [UInt8] {
    let columns = mapping.fields.map { "\($0.name)=\($0.target ?? "")" }
    return Array("\(FeedEntities.rulesVersion)\n\(mapping.format)\n\(columns)\n\(text)".utf8)
  }

  /// Returns the estimated number of rows once `rows` are read, or `nil` if the length is unknown.
  func estimatedRows(after rows: Int) -> Int? {
    let consumed = records.consumedByteCount
    guard let byteCount, consumed > 0 else { return nil }
    return max(rows, rows * byteCount / consumed)
  }
}
