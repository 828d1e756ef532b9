/// Collects signatures and encodes them as the bytes of a segment.
package struct SegmentWriter: Sendable {
  /// The largest number of rows.
  package static let rowLimit = SegmentLayout.rowLimit

  private var rows: [Row] = []

  private struct Row: Sendable {
    let signature: Signature
    let key: UInt32
    let tag: UInt32
    let filterBits: UInt64

    var blocks: Int { (signature.keypoints.count + 7) / 8 }
    /// The bins of both histograms.
    var bins: [UInt8] { signature.color.bins + signature.texture.bins }
  }

  /// Makes an empty segment.
  package init() {}

  /// The number of rows so far.
  package var count: Int { rows.count }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - signature: The signature to search.
  ///   - key: A number that is returned with a candidate.
  ///   - tag: A second number that is returned with a candidate.
  ///   - filterBits: Bits by which a scan can exclude rows.
  package mutating func append(
    _ signature: Signature, key: UInt32, tag: UInt32 = 0, filterBits: UInt64 = 0
  ) {
    precondition(rows.count < SegmentLayout.rowLimit, "a segment has at most 2^24 rows")
    rows.append(Row(signature: signature, key: key, tag: tag, filterBits: filterBits))
  }

  /// Returns the whole segment, which can be written to a file or read by ``SignatureSegment``.
  ///
  /// - Parameter isSealed: True to add seals, which a segment that never leaves memory does not need.
  package func encoded(isSealed: Bool = true) -> [UInt8] {
    let size = SegmentLayout.Size(
      rows: rows.count, blocks: rows.reduce(0) { $0 + $1.blocks },
      keypoints: rows.reduce(0) { $0 + $1.signature.keypoints.count },
      embeddingByteCount: rows.reduce(0) { max($0, $1.signature.embedding?.storedByteCount ?? 0) })
    let index = VisualWordIndex(rows.map(\.signature.keypoints), wordBits: size.wordBits)
    let (offsets, end) = SegmentLayout.offsets(size)
    let seals = SegmentSeals(after: end)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(isSealed ? seals.end : end)
    bytes += [UInt8](repeating: 0, count: SegmentLayout.headerByteCount)
    var checksums: [UInt64] = []
    for column in size.columns {
      let start = bytes.count
      precondition(start == offsets[column], "columns are laid out in the order of their ids")
      append(column, index, size, to: &bytes)
      checksums.append(SegmentLayout.checksum(bytes.span.extracting(start..<bytes.count)))
      let padding = (bytes.count + 4095) / 4096 * 4096 - bytes.count
      bytes.append(contentsOf: repeatElement(0, count: padding))
    }
    var rootChecksum: UInt64?
    if isSealed {
      var sealer = PageSealer()
      sealer.add(bytes.span.extracting(SegmentLayout.headerByteCount..<end))
      let encoded = seals.encoded(sealer.seals)
      bytes += encoded.bytes
      rootChecksum = encoded.checksum
    }
    bytes.replaceSubrange(
      0..<SegmentLayout.headerByteCount,
      with: SegmentLayout.header(size, checksums: checksums, seals: rootChecksum))
    return bytes
  }

  private func append(
    _ column: SegmentLayout.Column, _ index: VisualWordIndex, _ size: SegmentLayout.Size,
    to bytes: inout [UInt8]
  ) {
    switch column {
    case .pdq: bytes += Self.blocks(of: rows.map(\.signature.pdq.words))
    case .appearance:
      for row in rows { bytes += HistogramGrade.packed(row.bins) }
    case .key: for row in rows { bytes.append(littleEndian: row.key) }
    case .tag: for row in rows { bytes.append(littleEndian: row.tag) }
    case .filterBits: for row in rows { bytes.append(littleEndian: row.filterBits) }
    case .shape:
      for row in rows {
        bytes.append(row.signature.pdqQuality)
        bytes.append(UInt8(row.signature.keypoints.count))
        bytes.append(littleEndian: row.signature.width)
        bytes.append(littleEndian: row.signature.height)
        bytes.append(littleEndian: UInt16(0))
      }
    case .layout: for row in rows { bytes += row.signature.layout.bytes }
    case .keypointStart:
      var block: UInt32 = 0
      for row in rows {
        bytes.append(littleEndian: block)
        block += UInt32(row.blocks)
      }
      bytes.append(littleEndian: block)
    case .keypointHash:
      for row in rows { Self.append(row.signature.keypoints.hashes, to: &bytes) }
    case .keypointPlace:
      for row in rows {
        let places = row.signature.keypoints.keypoints
        for place in places { bytes += place.place }
        let rest = Keypoint.placeByteCount * (8 * row.blocks - places.count)
        bytes.append(contentsOf: repeatElement(0, count: rest))
      }
    case .levelCount: for row in rows { bytes += row.signature.keypoints.levelCounts }
    case .wordStart: for start in index.starts { bytes.append(littleEndian: start) }
    case .binSum:
      var sums = [UInt64](repeating: 0, count: SegmentLayout.binCount)
      for row in rows {
        for (bin, value) in row.bins.enumerated() { sums[bin] += UInt64(value) }
      }
      for sum in sums { bytes.append(littleEndian: sum) }
    case .posting: for posting in index.postings { bytes.append(littleEndian: posting) }
    case .appearanceSum: for row in rows { bytes += AppearanceSums.row(of: row.bins) }
    case .embedding:
      for row in rows {
        let stored = row.signature.embedding?.stored ?? []
        bytes += stored
        bytes.append(contentsOf: repeatElement(0, count: size.embeddingByteCount - stored.count))
      }
    }
  }

  /// Returns codes in blocks of eight, the last one padded with zeros.
  static func blocks(of codes: [SIMD4<UInt64>]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity((codes.count + 7) / 8 * 256)
    for start in stride(from: 0, to: codes.count, by: 8) {
      for word in 0..<4 {
        for place in start..<start + 8 {
          bytes.append(littleEndian: place < codes.count ? codes[place][word] : 0)
        }
      }
    }
    return bytes
  }

  /// Appends hashes of keypoints in blocks of eight, the last one padded with zeros.
  private static func append(_ hashes: [KeypointHash], to bytes: inout [UInt8]) {
    for start in stride(from: 0, to: hashes.count, by: 8) {
      for word in 0..<3 {
        for place in start..<start + 8 {
          bytes.append(littleEndian: place < hashes.count ? hashes[place].words[word] : 0)
        }
      }
    }
  }
}
