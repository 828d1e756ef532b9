/// Collects signatures and lays them out as the bytes of a segment.
public struct SegmentWriter: Sendable {
  private var rows: [Row] = []

  private struct Row: Sendable {
    let signature: Signature
    let key: UInt32
    let tag: UInt32
    let filterBits: UInt64
  }

  /// Makes an empty segment.
  public init() {}

  /// Number of rows so far.
  public var count: Int { rows.count }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - signature: What is searched for.
  ///   - key: A number of the caller's, given back with a candidate.
  ///   - tag: Another one.
  ///   - filterBits: Bits by which a scan can leave rows out.
  public mutating func append(
    _ signature: Signature, key: UInt32, tag: UInt32 = 0, filterBits: UInt64 = 0
  ) {
    precondition(rows.count < SegmentLayout.rowLimit, "a segment has at most 2^24 rows")
    rows.append(Row(signature: signature, key: key, tag: tag, filterBits: filterBits))
  }

  /// The whole segment, to be written to a file or read back by ``SignatureSegment``.
  public func encoded() -> [UInt8] {
    let (offsets, end) = SegmentLayout.offsets(rows: rows.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end)
    bytes += [UInt8](repeating: 0, count: SegmentLayout.headerByteCount)
    var table: [UInt8] = []
    for column in SegmentLayout.Column.allCases {
      let start = bytes.count
      precondition(start == offsets[column], "columns are laid out in the order of their ids")
      append(column, to: &bytes)
      let checksum = SegmentLayout.checksum(bytes.span.extracting(start..<bytes.count))
      table.append(littleEndian: column.rawValue)
      table.append(littleEndian: UInt32(0))
      table.append(littleEndian: UInt64(start))
      table.append(littleEndian: UInt64(bytes.count - start))
      table.append(littleEndian: checksum)
      let padding = (bytes.count + 4095) / 4096 * 4096 - bytes.count
      bytes.append(contentsOf: repeatElement(0, count: padding))
    }
    var header = SegmentLayout.magic
    header.append(littleEndian: SegmentLayout.formatVersion)
    header.append(littleEndian: UInt32(Signature.version))
    header.append(littleEndian: UInt64(rows.count))
    header.append(littleEndian: UInt64(SegmentLayout.Column.allCases.count))
    header += table
    header.append(
      contentsOf: repeatElement(0, count: SegmentLayout.checksumOffset - header.count))
    header.append(littleEndian: SegmentLayout.checksum(header.span))
    bytes.replaceSubrange(0..<SegmentLayout.headerByteCount, with: header)
    return bytes
  }

  private func append(_ column: SegmentLayout.Column, to bytes: inout [UInt8]) {
    switch column {
    case .pdq:
      for start in stride(from: 0, to: rows.count, by: 8) {
        for word in 0..<4 {
          for place in start..<start + 8 {
            let hash = place < rows.count ? rows[place].signature.pdq : PDQHash()
            bytes.append(littleEndian: hash.words[word])
          }
        }
      }
    case .color: for row in rows { bytes += row.signature.color.bins }
    case .key: for row in rows { bytes.append(littleEndian: row.key) }
    case .tag: for row in rows { bytes.append(littleEndian: row.tag) }
    case .filterBits: for row in rows { bytes.append(littleEndian: row.filterBits) }
    case .shape:
      for row in rows {
        bytes.append(row.signature.pdqQuality)
        bytes.append(0)
        bytes.append(littleEndian: row.signature.width)
        bytes.append(littleEndian: row.signature.height)
        bytes.append(littleEndian: UInt16(0))
      }
    case .layout: for row in rows { bytes += row.signature.layout.bytes }
    }
  }
}
