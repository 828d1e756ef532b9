extension SignatureSegment {
  /// Returns whether the stored signatures of two rows are equal but for their embeddings.
  ///
  /// Bytes are compared, since the signatures of thousands of candidates with one image would take milliseconds to make.
  package func hasSamePicture(at row: Int, as other: SignatureSegment, at otherRow: Int) -> Bool {
    if self === other, row == otherRow { return true }
    guard pdq(at: row) == other.pdq(at: otherRow) else { return false }
    let widths: [(SegmentLayout.Column, Int)] = [
      (.shape, 8), (.appearance, SegmentLayout.appearanceByteCount),
      (.layout, ColorLayout.byteCount), (.levelCount, KeypointSet.levelCountByteCount),
    ]
    for (column, width) in widths
    where !hasSameBytes(
      range(column, row, width), as: other, other.range(column, otherRow, width))
    {
      return false
    }
    let (own, others) = (keypointBlocks(at: row), other.keypointBlocks(at: otherRow))
    guard own.count == others.count, own.blocks.count == others.blocks.count else { return false }
    func bytes(
      _ column: SegmentLayout.Column, of segment: SignatureSegment, _ blocks: Range<Int>
    ) -> Range<Int> {
      let size = column.byteCount(SegmentLayout.Size(rows: 0, blocks: 1, keypoints: 0))
      let start = segment.offset(column)
      return start + size * blocks.lowerBound..<start + size * blocks.upperBound
    }
    return [SegmentLayout.Column.keypointHash, .keypointPlace].allSatisfy {
      hasSameBytes(
        bytes($0, of: self, own.blocks), as: other, bytes($0, of: other, others.blocks))
    }
  }

  /// Returns a hash of what ``hasSamePicture(at:as:at:)`` compares first: rows with the same image have the same one, within a
  /// process.
  package func pictureHash(at row: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(pdq(at: row))
    storage.withSpan(of: range(.layout, row, ColorLayout.byteCount), as: UInt64.self) { words in
      for index in words.indices { hasher.combine(words[index]) }
    }
    return hasher.finalize()
  }

  private func hasSameBytes(
    _ range: Range<Int>, as other: SignatureSegment, _ otherRange: Range<Int>
  ) -> Bool {
    // All of these columns consist of whole words.
    storage.withSpan(of: range, as: UInt64.self) { own in
      other.storage.withSpan(of: otherRange, as: UInt64.self) { others in
        own.count == others.count && own.indices.allSatisfy { own[$0] == others[$0] }
      }
    }
  }
}
