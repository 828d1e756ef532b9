@testable import PixelMatch

/// Damaged segments: opening, reading, scanning, voting and aligning.
///
/// A segment has at least 60 KB, most of them zeros. Therefore an input is a list of changes to a valid one:
/// one byte of flags, then seven bytes a change (``Change``).
enum SegmentTarget: FuzzTarget {
  static let name = "segment"
  static let byteLimit = 1 + 24 * Change.byteCount

  /// Bytes that are written over the segment's.
  private struct Change {
    static let byteCount = 7

    let places: Range<Int>
    let value: [UInt8]

    /// Column (1), offset in it (2), number of bytes less one (1), value (3).
    init(_ bytes: ArraySlice<UInt8>, columns: [Range<Int>]) {
      let bytes = Array(bytes)
      let column = columns[Int(bytes[0]) % columns.count]
      let distance = Int(bytes[1]) | Int(bytes[2]) << 8
      let offset = column.lowerBound + distance % max(1, column.count)
      places = offset..<max(offset, min(column.upperBound, offset + 1 + Int(bytes[3] & 7)))
      // The sign of the last byte goes on, so that numbers near 2^32 and 2^64 are reached.
      let rest: UInt8 = bytes[6] & 0x80 == 0 ? 0 : 0xFF
      value = bytes[4...6] + [UInt8](repeating: rest, count: 5)
    }
  }

  private static let valid: [UInt8] = {
    var writer = SegmentWriter()
    // Small pictures have few corners, which most of the time goes to.
    for row in 0..<11 {
      let picture = PictureCheck.picture(32 + 4 * (row % 5), 48 - 3 * row)
      var signature = Signature(picture)
      if row % 3 > 0 { signature.embedding = embedding(row) }
      writer.append(
        signature, key: UInt32(row), tag: UInt32(row % 3), filterBits: 1 << UInt64(row))
    }
    return writer.encoded()
  }()

  private static func embedding(_ row: Int) -> ImageEmbedding? {
    try? ImageEmbedding(
      model: row == 7 ? "other" : "model", vector: (0..<40).map { Float($0 * row % 17) })
  }

  /// The header, then the columns.
  private static let columns: [Range<Int>] = {
    var columns = [0..<SegmentLayout.headerByteCount]
    for number in SegmentLayout.Column.allCases.indices {
      let entry = SegmentLayout.columnTableOffset + number * SegmentLayout.columnEntryByteCount
      let offset = valid.littleEndian(at: entry + 8, as: UInt64.self)
      let length = valid.littleEndian(at: entry + 16, as: UInt64.self)
      columns.append(Int(offset)..<Int(offset + length))
    }
    return columns
  }()

  private static let query = QuerySignature(PictureCheck.picture(40, 45))

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let flags = bytes.first else { return false }
    var changed = valid
    for start in stride(from: 1, through: bytes.count - Change.byteCount, by: Change.byteCount) {
      let change = Change(bytes[start..<start + Change.byteCount], columns: columns)
      for (place, byte) in zip(change.places, change.value) { changed[place] = byte }
    }
    // Flag 1: the header's checksum stays wrong. Flag 2: the file is cut off.
    if flags & 1 == 0 { repairChecksum(of: &changed) }
    if flags & 2 != 0 { changed.removeLast(changed.count * Int(flags >> 2) / 64) }
    guard let segment = try? SignatureSegment(bytes: changed) else { return true }
    let isSound = (try? segment.verify()) != nil
    precondition(
      !isSound || columns.dropFirst().allSatisfy { changed[$0] == valid[$0] },
      "damage is not noticed")
    search(segment)
    return true
  }

  private static func repairChecksum(of bytes: inout [UInt8]) {
    let checksum = SegmentLayout.checksum(bytes.span.extracting(0..<SegmentLayout.checksumOffset))
    for place in 0..<8 {
      bytes[SegmentLayout.checksumOffset + place] =
        UInt8(truncatingIfNeeded: checksum >> UInt64(8 * place))
    }
  }

  private static func search(_ segment: SignatureSegment) {
    let live = LiveSegment(segment, deadRows: [2])
    let scan = FlatScan([live])
    let view = query.views[0]
    for question in [
      FlatScan.Query.hashes(view.variants), .appearance(view.color, view.texture),
      .embedding(embedding(5)!),
    ] {
      let found = scan.nearest(to: question, limit: 5, anyBits: [1, 2, 4])
      for candidate in found.top.sorted {
        precondition(
          candidate.row < segment.count && live.isLive(candidate.row), "a row is not one")
      }
    }
    let check = GeometricCheck(query)
    for row in KeypointVotes(query.keypoints).rows(in: live, limit: 4) {
      _ = check.alignment(of: row.row, in: segment, isMirrored: row.isMirrored)
    }
    _ = EmbeddingContrast(embedding(5)!, in: [LiveSegment](repeating: live, count: 4))?
      .distinction(of: embedding(2))
    _ = AppearanceRarity([live]).similarity(view.color, view.color)
    for row in 0..<min(segment.count, 64) {
      _ = (segment.key(at: row), segment.tag(at: row), segment.isFlat(row))
      _ = try? Signature(encoded: segment.signature(at: row).encoded)
    }
  }

  static func seeds() -> [[UInt8]] {
    // No change; then, for each column, its first number made large, negative and zero.
    [[0], [1], [2 | 8]]
      + columns.indices.flatMap { column in
        [[0xFF, 0xFF, 0x7F], [0xFF, 0xFF, 0xFF], [0, 0, 0]].map { value in
          [0, UInt8(column), 16, 0, 3] + value
        }
      }
  }
}
