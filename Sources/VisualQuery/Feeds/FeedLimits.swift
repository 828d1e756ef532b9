/// The limits of a feed. A run ends with an error at the first row or byte beyond those of the whole feed; what a single row has
/// beyond its own limits is left out and reported.
package struct FeedLimits: Sendable, Hashable {
  /// The largest number of rows.
  package var rowCount: Int
  /// The largest number of bytes, after decompression.
  package var byteCount: Int
  /// The largest number of bytes that one byte of compressed data may become on average. A few bytes can become
  /// gigabytes of rows.
  package var expansion: Int
  /// The largest number of bytes of the entities that one row becomes, and of everything that is made on the way.
  package var rowByteCount: Int
  /// The largest number of variants of one row, or of rows that belong together.
  package var variantCount: Int
  /// The largest number of levels at which elements of a row are nested.
  package var levelCount: Int

  /// The number of decompressed bytes up to which any expansion is accepted.
  static let expansionFloor = 4_000_000

  /// Makes limits; the defaults are those of the command.
  package init(
    rowCount: Int = 10_000_000, byteCount: Int = 20_000_000_000, expansion: Int = 200,
    rowByteCount: Int = 64_000_000, variantCount: Int = 1000, levelCount: Int = 64
  ) {
    self.rowCount = rowCount
    self.byteCount = byteCount
    self.expansion = expansion
    self.rowByteCount = rowByteCount
    self.variantCount = variantCount
    self.levelCount = levelCount
  }

  /// The text by which runs whose rows may become something else are told apart; empty for the default limits.
  var text: String {
    let standard = FeedLimits()
    let isStandard =
      rowByteCount == standard.rowByteCount && variantCount == standard.variantCount
      && levelCount == standard.levelCount
    return isStandard ? "" : "\n\(rowByteCount) \(variantCount) \(levelCount)"
  }

  /// No limits, for files that `vq` itself has written.
  package static let none = FeedLimits(
    rowCount: .max, byteCount: .max, expansion: .max, rowByteCount: .max, variantCount: .max,
    levelCount: .max)

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
