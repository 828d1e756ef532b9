@testable import PixelMatch

extension SegmentLayout {
  /// Returns a segment as older versions wrote it, without the column of sums.
  static func withoutSums(_ bytes: [UInt8]) throws -> [UInt8] {
    let segment = try SignatureSegment(bytes: bytes)
    var size = segment.size
    size.hasSums = false
    let checksums = size.columns.indices.map { place in
      bytes.littleEndian(
        at: columnTableOffset + place * columnEntryByteCount + 24, as: UInt64.self)
    }
    let columns = bytes[headerByteCount..<segment.offset(.appearanceSum)]
    return header(size, checksums: checksums) + columns
  }
}
