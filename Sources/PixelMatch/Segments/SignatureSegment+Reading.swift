/// Asks the system to read ahead the parts of a large segment that a search is about to need.
///
/// Without it, a search waits for each missing page, and the system reads many pages beside it: up to the whole
/// file. Advice changes no byte, so that nothing depends on it but time.
extension SignatureSegment {
  /// The parts of a row that a search reads at a time.
  package enum RowPart: Sendable, Hashable {
    /// The color, the texture and the quality, which are compared with those of the query.
    case appearance
    /// The keypoints and the color layout, which are aligned with those of the query.
    case alignment
  }

  /// The length of postings below which the system is told nothing: such a segment is soon read as a whole.
  private static let largeByteCount = 64 << 20

  private var isLarge: Bool { 8 * size.keypoints >= Self.largeByteCount }

  /// True if the index of visual words is large and mostly not in memory, so that
  /// ``beginReading(words:longest:)`` saves a wait for each word.
  var isWordIndexCold: Bool { isLarge && !storage.bytes.isResident(postings) }

  private var postings: Range<Int> {
    offset(.posting)..<offset(.posting) + 8 * size.keypoints
  }

  /// Tells the system to read ahead the postings of some words, all at the same time, and to read only single pages
  /// of postings from now on.
  ///
  /// - Parameter words: The words, ascending, so that their starts are read in the order of the file.
  func beginReading(words: [UInt32], longest: Int) {
    storage.bytes.expectSinglePages(postings)
    storage.bytes.beginReading(
      withWordIndex { starts, all in
        words.compactMap { word -> Range<Int>? in
          let (start, end) = (Int(starts[Int(word)]), Int(starts[Int(word) + 1]))
          guard start < end, end <= all.count, end - start <= longest else { return nil }
          return postings.lowerBound + 8 * start..<postings.lowerBound + 8 * end
        }
      })
  }

  /// Tells the system to read ahead a part of some rows, all at the same time, if the segment is large and most of
  /// them are not in memory.
  package func beginReading(_ part: RowPart, of rows: [Int]) {
    guard isLarge, !storage.bytes.isResident(rows.map { leadingByte(of: part, $0) }) else { return }
    readAhead(part, of: rows)
  }

  /// Lets the system begin to read a part of some rows, all at once.
  func readAhead(_ part: RowPart, of rows: [Int]) {
    switch part {
    case .appearance:
      storage.bytes.beginReading(
        rows.flatMap { row in
          [
            range(.appearance, row, SegmentLayout.appearanceByteCount), range(.key, row, 4),
            range(.shape, row, 8),
          ]
        })
    case .alignment:
      storage.bytes.expectSinglePages(offset(.layout)..<offset(.levelCount))
      storage.bytes.beginReading(
        rows.flatMap { row in
          [
            range(.layout, row, ColorLayout.byteCount), range(.keypointStart, row, 8),
            range(.levelCount, row, KeypointSet.levelCountByteCount),
          ]
        })
      storage.bytes.beginReading(rows.flatMap(keypointRanges))
    }
  }

  private func leadingByte(of part: RowPart, _ row: Int) -> Int {
    switch part {
    case .appearance: range(.appearance, row, SegmentLayout.appearanceByteCount).lowerBound
    case .alignment: range(.layout, row, ColorLayout.byteCount).lowerBound
    }
  }

  /// The bytes of a row's keypoints.
  private func keypointRanges(of row: Int) -> [Range<Int>] {
    let blocks = keypointBlocks(at: row).blocks
    func bytes(_ column: SegmentLayout.Column, _ width: Int) -> Range<Int> {
      offset(column) + width * blocks.lowerBound..<offset(column) + width * blocks.upperBound
    }
    return [
      bytes(.keypointHash, SegmentLayout.keypointBlockByteCount),
      bytes(.keypointPlace, 8 * Keypoint.placeByteCount),
    ]
  }
}
