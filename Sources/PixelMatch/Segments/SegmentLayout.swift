/// The layout of a segment: an immutable file of signatures, stored column by column.
///
/// All numbers are little-endian. The header takes the first 4096 bytes:
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | `VQSEGMNT` |
/// | 8 | 4 | format version, 5 |
/// | 12 | 4 | signature version |
/// | 16 | 8 | number of rows |
/// | 24 | 8 | number of columns, 15, or 16 with embeddings |
/// | 32 | 8 | number of blocks of keypoints |
/// | 40 | 8 | number of keypoints |
/// | 48 | 32 × columns | per column: id (4), bytes of an embedding or zero (4), offset (8), length in bytes (8), checksum (8) |
/// | 4064 | 24 | the place and the checksum of the seals, or zeros |
/// | 4088 | 8 | checksum of the bytes before |
///
/// The columns follow in the order of their ids, each at a multiple of 4096, so that a scan reads
/// only the pages of the columns that it compares. Versions 3 and 4 (with embeddings) have no column of sums and are read, too.
/// Checksums are 64-bit FNV-1a over 8-byte
/// little-endian words. Behind the columns are the seals of all pages (``SegmentSeals``), which earlier versions did not
/// write.
enum SegmentLayout {
  static let magic: [UInt8] = Array("VQSEGMNT".utf8)
  /// The format that is written.
  static let formatVersion: UInt32 = 5
  /// The formats of segments without sums, which scans compare as a whole: without embeddings and with them.
  static let formatVersionsWithoutSums: ClosedRange<UInt32> = 3...4
  static let headerByteCount = 4096
  static let checksumOffset = headerByteCount - 8
  static let columnTableOffset = 48
  static let columnEntryByteCount = 32
  /// The largest number of rows, which postings number in 24 bits.
  static let rowLimit = 1 << VisualWord.bitLimit

  /// The columns of a segment and their ids.
  enum Column: UInt32, CaseIterable {
    /// PDQ hashes in blocks of eight: 4 rows of 8 words, word *w* of hash *c* at `8 w + c`; the
    /// last block is padded with zeros.
    case pdq = 1
    /// Color histograms, 96 bytes, and texture histograms, 48 bytes, alternating: the grades of two
    /// bins a byte, the first in the low half.
    case appearance = 2
    /// The caller's key, 4 bytes.
    case key = 3
    /// The caller's tag, 4 bytes.
    case tag = 4
    /// The caller's filter bits, 8 bytes.
    case filterBits = 5
    /// PDQ quality (1), number of keypoints (1), width (2), height (2) of the working image, zero
    /// (2).
    case shape = 6
    /// Color layouts, 192 bytes each; read for candidates only.
    case layout = 7
    /// The index of the first block of each row's keypoints, and the end of the last row's, 4 bytes
    /// each.
    case keypointStart = 8
    /// Keypoint hashes in blocks of eight: 3 rows of 8 words of 32 bits, word *w* of hash *c* at
    /// `8 w + c`; each row begins a new block.
    case keypointHash = 9
    /// Half the column, half the row and the angle of each keypoint, 3 bytes, in the order of their
    /// hashes.
    case keypointPlace = 10
    /// The number of keypoints of each level, 8 bytes a row.
    case levelCount = 11
    /// The index of the first posting of each visual word, and the end of the last one's, 4 bytes
    /// each.
    case wordStart = 12
    /// The postings of each word (see `VisualWord`), by row and then by number, 8 bytes each.
    case posting = 13
    /// The sums of the histogram bins of all rows, 8 bytes per bin.
    case binSum = 14
    /// The embeddings (see ``ImageEmbedding``), padded with zeros to the length of the longest; rows without one are
    /// zero. The column is missing if no row has one.
    case embedding = 15
    /// The sums of groups of the histogram bins of each row (see `AppearanceSums`), 32 bytes each.
    case appearanceSum = 16

    /// Returns the number of bytes of the column.
    func byteCount(_ size: Size) -> Int {
      switch self {
      case .pdq: (size.rows + 7) / 8 * 256
      case .appearance: size.rows * appearanceByteCount
      case .key, .tag: size.rows * 4
      case .filterBits, .shape, .levelCount: size.rows * 8
      case .layout: size.rows * ColorLayout.byteCount
      case .keypointStart: (size.rows + 1) * 4
      case .keypointHash: size.blocks * keypointBlockByteCount
      case .keypointPlace: size.blocks * 8 * Keypoint.placeByteCount
      case .wordStart: (1 << size.wordBits + 1) * 4
      case .posting: size.keypoints * 8
      case .binSum: binCount * 8
      case .embedding: size.rows * size.embeddingByteCount
      case .appearanceSum: size.rows * AppearanceSums.byteCount
      }
    }
  }

  /// The number of bins of a color and a texture histogram.
  static let binCount = ColorHistogram.binCount + TextureHistogram.binCount
  /// The number of bytes of a color and a texture histogram.
  static let appearanceByteCount = binCount / 2
  /// The number of bytes of the hashes of eight keypoints.
  static let keypointBlockByteCount = 8 * KeypointHash.byteCount

  /// The counts that determine the size of a segment.
  struct Size: Sendable {
    var rows: Int
    /// The number of blocks of eight keypoints.
    var blocks: Int
    /// The number of keypoints without the padding of blocks.
    var keypoints: Int
    /// The number of bytes of a row's embedding; `0` if no row has one.
    var embeddingByteCount = 0
    /// False for a segment of an older version.
    var hasSums = true

    /// The columns that a segment has, in the order of their ids.
    var columns: [Column] {
      Column.allCases.filter { column in
        switch column {
        case .embedding: embeddingByteCount > 0
        case .appearanceSum: hasSums
        default: true
        }
      }
    }
    /// The version of the format.
    var formatVersion: UInt32 {
      let old = SegmentLayout.formatVersionsWithoutSums
      return if hasSums {
        SegmentLayout.formatVersion
      } else {
        embeddingByteCount > 0 ? old.upperBound : old.lowerBound
      }
    }

    /// The number of bits of a visual word.
    var wordBits: Int { VisualWord.bits(rows: rows, keypoints: keypoints) }
  }

  /// Returns the offset of each column and the length of the whole file.
  static func offsets(_ size: Size) -> (columns: [Column: Int], end: Int) {
    var offset = headerByteCount
    var columns: [Column: Int] = [:]
    for column in size.columns {
      columns[column] = offset
      offset += (column.byteCount(size) + 4095) / 4096 * 4096
    }
    return (columns, offset)
  }

  /// Returns the header of a segment.
  ///
  /// - Parameters:
  ///   - checksums: The checksum of each column.
  ///   - seals: The checksum of the second list of ``SegmentSeals``, or `nil` if the segment has none.
  static func header(_ size: Size, checksums: [UInt64], seals: UInt64? = nil) -> [UInt8] {
    let (offsets, end) = offsets(size)
    var header = magic
    header.append(littleEndian: size.formatVersion)
    header.append(littleEndian: UInt32(Signature.version))
    header.append(littleEndian: UInt64(size.rows))
    header.append(littleEndian: UInt64(size.columns.count))
    header.append(littleEndian: UInt64(size.blocks))
    header.append(littleEndian: UInt64(size.keypoints))
    for (column, checksum) in zip(size.columns, checksums) {
      header.append(littleEndian: column.rawValue)
      header.append(littleEndian: UInt32(column == .embedding ? size.embeddingByteCount : 0))
      header.append(littleEndian: UInt64(offsets[column]!))
      header.append(littleEndian: UInt64(column.byteCount(size)))
      header.append(littleEndian: checksum)
    }
    header.append(contentsOf: repeatElement(0, count: SegmentSeals.headerOffset - header.count))
    let places = seals == nil ? [0, 0] : [end, SegmentSeals(after: end).end]
    for number in places.map({ UInt64($0) }) + [seals ?? 0] { header.append(littleEndian: number) }
    header.append(littleEndian: checksum(header.span))
    return header
  }

  /// Returns the checksum of bytes.
  static func checksum(_ bytes: Span<UInt8>) -> UInt64 {
    var checksum = Checksum()
    checksum.add(bytes)
    return checksum.value
  }

  /// The 64-bit FNV-1a of bytes, eight at a time; a shorter remainder is padded with zeros.
  ///
  /// Source: <https://datatracker.ietf.org/doc/html/rfc9923>, widened from bytes to words, because
  /// it protects against damage, not against an adversary.
  struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds bytes; a multiple of eight, except at the end.
    mutating func add(_ bytes: Span<UInt8>) {
      value = Kernels.checksum(bytes, after: value)
    }
  }
}
