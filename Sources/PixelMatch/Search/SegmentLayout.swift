/// Where everything stands in a segment: an immutable file of signatures, column by column.
///
/// All numbers are little-endian. The header takes the first 4096 bytes:
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | `VQSEGMNT` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | signature version |
/// | 16 | 8 | number of rows |
/// | 24 | 8 | number of columns |
/// | 32 | 32 × columns | per column: id (4), zero (4), offset (8), length in bytes (8), checksum (8) |
/// | 4088 | 8 | checksum of the bytes before |
///
/// Columns follow in the order of their ids, each at a multiple of 4096, so that a scan reads only
/// the pages of what it compares. Checksums are 64-bit FNV-1a over 8-byte little-endian words.
enum SegmentLayout {
  static let magic: [UInt8] = Array("VQSEGMNT".utf8)
  static let formatVersion: UInt32 = 1
  static let headerByteCount = 4096
  static let checksumOffset = headerByteCount - 8
  static let columnTableOffset = 32
  static let columnEntryByteCount = 32
  /// More rows than this would not fit the 32-bit numbers that scans give.
  static let rowLimit = 1 << 24

  /// What is stored of each row.
  enum Column: UInt32, CaseIterable {
    /// PDQ hashes in blocks of eight: 4 rows of 8 words, word *w* of hash *c* at `8 w + c`; the
    /// last block is filled up with zeros.
    case pdq = 1
    /// Color histograms, 192 bytes each.
    case color = 2
    /// The caller's number, 4 bytes.
    case key = 3
    /// The caller's second number, 4 bytes.
    case tag = 4
    /// The caller's bits to filter by, 8 bytes.
    case filterBits = 5
    /// PDQ quality (1), zero (1), width (2), height (2) of the working image, zero (2).
    case shape = 6
    /// Color layouts, 768 bytes each; read for candidates only, so it comes last.
    case layout = 7

    /// Bytes that the column takes for `rows` rows.
    func byteCount(rows: Int) -> Int {
      switch self {
      case .pdq: (rows + 7) / 8 * 256
      case .color: rows * ColorHistogram.binCount
      case .key, .tag: rows * 4
      case .filterBits, .shape: rows * 8
      case .layout: rows * ColorLayout.byteCount
      }
    }
  }

  /// The first offset of each column, and the length of the whole file, for `rows` rows.
  static func offsets(rows: Int) -> (columns: [Column: Int], end: Int) {
    var offset = headerByteCount
    var columns: [Column: Int] = [:]
    for column in Column.allCases {
      columns[column] = offset
      offset += (column.byteCount(rows: rows) + 4095) / 4096 * 4096
    }
    return (columns, offset)
  }

  /// 64-bit FNV-1a, taking eight bytes a step; a shorter rest is filled up with zeros.
  ///
  /// Source: <https://datatracker.ietf.org/doc/html/rfc9923>, widened from bytes to words, since
  /// it guards against damage, not against an adversary.
  static func checksum(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var index = 0
    while index < bytes.count {
      var word: UInt64 = 0
      for place in 0..<min(8, bytes.count - index) {
        word |= UInt64(bytes[index + place]) << UInt64(8 * place)
      }
      hash = (hash ^ word) &* 0x0000_0100_0000_01b3
      index += 8
    }
    return hash
  }
}
