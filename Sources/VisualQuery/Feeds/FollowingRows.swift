/// A format in which the rows of variants and images follow the row of their product.
protocol FollowingRowsFeed: FeedFormatReader {
  /// The entities of finished products, which wait to be read.
  var queue: RecordQueue { get set }
  /// The product whose rows are being read.
  var group: ProductFamily? { get set }

  /// Reads a row, which begins a product, after ``finish()``, or belongs to the one before.
  mutating func read(_ bytes: [UInt8], _ line: Int) throws(FieldError)

  /// Queues the entities of a product, or leaves it out.
  mutating func take(_ group: ProductFamily)
}

extension FollowingRowsFeed {
  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      guard let record = try records.next() else {
        if group == nil { return nil }
        finish()
        continue
      }
      guard case .bytes(let bytes, let line) = record else { return .unread(record) }
      do throws(FieldError) {
        try read(bytes, line)
      } catch {
        return FeedRecord(line: line, error)
      }
    }
  }

  /// Ends the product whose rows were read.
  mutating func finish() {
    guard let group else { return }
    self.group = nil
    take(group)
  }
}
