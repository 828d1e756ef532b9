/// Reads a shop's products and stores from a feed in any ``FeedFormat``, which is recognized by its
/// first bytes and its header. Feeds may be compressed with gzip.
///
/// An invalid row is returned as rejected, an invalid field as a warning, and reading continues.
/// The memory is that of one row, of the ids so far, and of the first 2 MB, from which the
/// convention of prices is learned; documents of JSON are read as a whole.
package struct FeedReader: ~Copyable {
  /// The number of bytes at the beginning of a feed from which the convention of its prices is
  /// learned.
  private static let surveyLength = 2 << 20
  /// The most records of the survey.
  private static let surveyCount = 5000

  /// The format of the feed and the meaning of its fields.
  package let mapping: FeedMapping
  /// The encoding of the text, or `nil` for UTF-8.
  package var encoding: FeedEncoding? { records.encoding }
  /// The number of rows or files that were left out on purpose so far, by the reason.
  package var leftOut: [String: Int] {
    format.leftOut.merging(entities.leftOut, uniquingKeysWith: +)
  }
  /// The number of entities by what of the feed did not become a part of them, although it looks as if it should.
  package var findings: [FeedFinding: Int] { entities.findings.counts }
  /// The warnings about the entity that was returned last, the next one last.
  private var warnings: [RefusedRow] = []
  private var format: any FeedFormatReader
  private var records: RecordReader
  private var entities: FeedEntities
  private let context: FeedContext
  private let byteCount: Int?
  /// The number of records so far.
  private var recordCount = 0

  /// Opens a file, a folder of images, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - allowedSchemes: The schemes that links may have besides `https`.
  ///   - options: The options by which its rows are read.
  /// - Throws: ``FeedError``, also if a table does not name
  ///   its columns.
  package init(
    path: String, allowedSchemes: Set<String> = [], options: FeedOptions = FeedOptions()
  ) throws(FeedError) {
    try self.init(
      path: path, allowedSchemes: allowedSchemes, options: options, completesIndexed: false)
  }

  /// Opens a feed, of which a table needs no titles if its rows complete entities that are indexed.
  package init(
    path: String, allowedSchemes: Set<String> = [], options: FeedOptions, completesIndexed: Bool
  ) throws(FeedError) {
    let isFolder = path != "-" && FileStatus(path)?.isDirectory == true
    var records = try RecordReader.opening(isFolder ? "/dev/null" : path, options)
    var convention = PriceConvention(localeMark: options.locale.flatMap(LocaleMark.of))
    if !isFolder {
      convention = try Self.survey(records.lookahead(Self.surveyLength), convention, options)
    }
    let context = FeedContext(
      prices: FeedPrices(currency: options.currency, convention: convention), options: options,
      completesIndexed: completesIndexed)
    let head = isFolder ? .folder(path: path) : try FeedHead(of: &records)
    format = try Self.format(head, &records, context)
    mapping = format.mapping
    self.records = records
    self.context = context
    entities = FeedEntities(
      allowedSchemes: allowedSchemes, imagesMap: options.imagesMap,
      rowName: format.mapping.format.rowName)
    byteCount = path == "-" ? nil : FileStatus(path)?.byteCount
  }

  private static func format(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) -> any FeedFormatReader {
    for format in feedFormats {
      if let reader = try format.init(head, &records, context) { return reader }
    }
    preconditionFailure("the last format takes every feed, or refuses it")
  }

  /// Learns the convention of prices from the beginning of a feed.
  private static func survey(
    _ sample: [UInt8], _ convention: PriceConvention, _ options: FeedOptions
  ) -> PriceConvention {
    let lesson = PriceLesson(convention)
    let context = FeedContext(
      prices: FeedPrices(currency: options.currency, learning: lesson), options: options)
    var records = RecordReader(bytes: sample, name: "")
    do throws(FeedError) {
      let head = try FeedHead(of: &records)
      var format = try format(head, &records, context)
      var count = 0
      while count < surveyCount, let record = try format.next(from: &records) {
        _ = try? record.parse()
        count += 1
      }
    } catch {
      // Ignores the error: reading the feed itself meets it again and reports it, unless it is due
      // only to the cut end of the sample.
    }
    return lesson.convention
  }

  /// Returns the next record, which is not parsed yet, or `nil` at the end.
  ///
  /// - Throws: ``FeedError``.
  package mutating func nextRecord() throws(FeedError) -> FeedRecord? {
    guard let record = try format.next(from: &records) else { return nil }
    recordCount += 1
    try context.options.limits.check(rows: recordCount, of: records.name)
    return record
  }

  /// Returns the next row, or `nil` at the end. The warnings about an entity follow it.
  ///
  /// - Throws: ``FeedError``.
  package mutating func next() throws(FeedError) -> FeedRow? {
    if let warning = warnings.popLast() { return .warning(warning) }
    while let record = try nextRecord() {
      switch entities.row(FeedEntities.parse(record), over: nil) {
      case .skipped: continue
      case .refused(let refused): return .refused(refused)
      case .entity(let value, let warnings):
        self.warnings = warnings.reversed()
        return .entity(value, line: record.line)
      }
    }
    return entities.takeUnreported().map(FeedRow.warning)
  }

  /// Returns the seed of the records' hashes: everything besides the record that determines the
  /// result.
  ///
  /// - Parameter text: The options of the run.
  package func hashSeed(_ text: String) -> [UInt8] {
    let columns = mapping.fields.map { "\($0.name)=\($0.target ?? "")" }
    let convention = context.prices.convention.text
    return FeedRecord.shared(
      Array(
        "\(FeedEntities.rulesVersion)\n\(mapping.format)\n\(columns)\n\(convention)\n\(context.options.text)\n\(text)"
          .utf8))
  }

  /// Returns the estimated number of rows once `rows` are read, or `nil` if the length is unknown.
  package func estimatedRows(after rows: Int) -> Int? {
    let consumed = records.consumedByteCount
    guard let byteCount, consumed > 0 else { return nil }
    return max(rows, rows * byteCount / consumed)
  }
}
