/// The part of a segment's file that knows its rows but not their signatures: keys, tags, filter bits
/// and shapes, where keypoints begin, the sums of the histograms, and the seals of all pages. It has some 32 bytes a row.
package enum SegmentHead {
  static let columns: [SegmentLayout.Column] = [
    .key, .tag, .filterBits, .shape, .keypointStart, .binSum,
  ]

  /// The number of bytes with which a file begins, and that ``ranges(header:)`` takes.
  package static let headerByteCount = SegmentLayout.headerByteCount

  /// Returns the ranges of bytes of the columns, in ascending order, none of them empty.
  ///
  /// - Parameter header: The first ``headerByteCount`` bytes of a file.
  /// - Returns: `nil` if the header is not that of a segment.
  package static func ranges(header: [UInt8]) -> [Range<Int>]? {
    guard header.count == headerByteCount,
      SegmentLayout.checksum(header.span.extracting(0..<SegmentLayout.checksumOffset))
        == header.littleEndian(at: SegmentLayout.checksumOffset, as: UInt64.self)
    else { return nil }
    let rows = header.littleEndian(at: 16, as: UInt64.self)
    let blocks = header.littleEndian(at: 32, as: UInt64.self)
    let keypoints = header.littleEndian(at: 40, as: UInt64.self)
    guard rows <= SegmentLayout.rowLimit, blocks <= rows * UInt64((KeypointSet.limit + 7) / 8),
      keypoints <= 8 * blocks
    else { return nil }
    let size = SegmentLayout.Size(
      rows: Int(rows), blocks: Int(blocks), keypoints: Int(keypoints))
    let offsets = SegmentLayout.offsets(size).columns
    var ranges = columns.map { offsets[$0]!..<offsets[$0]! + $0.byteCount(size) }
    if let seals = SegmentSeals.ofFile(header: header)?.seals {
      ranges.append(seals.pages.lowerBound..<seals.end)
    }
    return ranges.filter { !$0.isEmpty }
  }
}
