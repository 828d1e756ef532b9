/// The limits of a feed. A run ends with an error at the first row or byte beyond them.
package struct FeedLimits: Sendable, Hashable {
  /// The largest number of rows.
  package var rowCount: Int
  /// The largest number of bytes, after decompression.
  package var byteCount: Int
  /// The largest number of bytes that one byte of compressed data may become on average. A few bytes can become
  /// gigabytes of rows.
  package var expansion: Int

  /// The number of decompressed bytes up to which any expansion is accepted.
  static let expansionFloor = 4_000_000

  /// Makes limits; the defaults are those of the command.
  package init(
    rowCount: Int = 10_000_000, byteCount: Int = 20_000_000_000, expansion: Int = 200
  ) {
    self.rowCount = rowCount
    self.byteCount = byteCount
    self.expansion = expansion
  }

  /// No limits, for files that `vq` itself has written.
  package static let none = FeedLimits(rowCount: .max, byteCount: .max, expansion: .max)

  /// Checks the bytes so far.
  ///
  /// - Parameters:
  ///   - decompressed: The number of bytes after decompression.
  ///   - compressed: The number of bytes before, or `nil` if the feed is not compressed.
  func check(
    decompressed: Int, compressed: Int?, of name: String
  ) throws(FeedError) {
    if decompressed > byteCount {
      throw excess(of: name, "more than \(byteCount) bytes", "--max-feed-bytes")
    }
    guard let compressed, decompressed > Self.expansionFloor,
      decompressed / expansion > compressed
    else { return }
    throw excess(
      of: name, "compressed data of more than \(expansion) times their size", "--max-feed-ratio")
  }

  /// Checks the number of rows so far.
  func check(rows: Int, of name: String) throws(FeedError) {
    if rows > rowCount { throw excess(of: name, "more than \(rowCount) rows", "--max-rows") }
  }

  private func excess(of name: String, _ found: String, _ option: String) -> FeedError {
    FeedError(
      message:
        "'\(name)' has \(found), which is the limit (\(option)); the rows before may have been indexed"
    )
  }
}
