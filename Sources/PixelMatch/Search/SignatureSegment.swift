/// An immutable set of signatures, mapped from a file or held in memory.
///
/// Opening reads the header alone: a catalogue of a million pictures opens at once, and a scan
/// reads only the columns that it compares.
public final class SignatureSegment: Sendable {
  /// Number of rows.
  public let count: Int
  /// Length of the file in bytes.
  public var byteCount: Int { storage.count }

  private let storage: MappedBytes
  private let path: String?
  private let offsets: [Int]
  private let checksums: [UInt64]

  /// Maps a segment file.
  ///
  /// The header's checksum, the versions and every offset are checked here; the columns' own
  /// checksums, which takes reading them all, in ``verify()``.
  ///
  /// - Throws: ``SegmentError``, every code.
  /// - Complexity: O(1).
  public convenience init(path: String) throws(SegmentError) {
    try self.init(storage: MappedBytes(path: path), path: path)
  }

  /// Makes a segment from bytes such as ``SegmentWriter`` gives.
  ///
  /// - Throws: ``SegmentError``.
  public convenience init(bytes: [UInt8]) throws(SegmentError) {
    try self.init(storage: MappedBytes(copying: bytes), path: nil)
  }

  private init(storage: MappedBytes, path: String?) throws(SegmentError) {
    func fail(_ code: SegmentError.Code, _ message: String) -> SegmentError {
      SegmentError(code: code, path: path, message: message)
    }
    let length = storage.count
    let magicByteCount = SegmentLayout.magic.count
    guard length >= magicByteCount, storage.bytes(0..<magicByteCount) == SegmentLayout.magic else {
      throw fail(.notASegment, "the file does not begin like a segment")
    }
    guard length >= SegmentLayout.headerByteCount else {
      throw fail(
        .truncated,
        "segment has \(length) bytes; its header alone has \(SegmentLayout.headerByteCount)")
    }
    let format = storage.integer(at: 8, as: UInt32.self)
    guard format == SegmentLayout.formatVersion else {
      throw fail(
        .otherFormatVersion,
        "segment is of format \(format); this build reads \(SegmentLayout.formatVersion)")
    }
    let header = storage.bytes(0..<SegmentLayout.checksumOffset)
    let stored = storage.integer(at: SegmentLayout.checksumOffset, as: UInt64.self)
    guard SegmentLayout.checksum(header.span) == stored else {
      throw fail(.corrupt, "the checksum of the header is wrong")
    }
    let version = storage.integer(at: 12, as: UInt32.self)
    guard version == UInt32(Signature.version) else {
      throw fail(
        .otherSignatureVersion,
        "signatures are of version \(version); this build reads \(Signature.version)")
    }
    let rows = storage.integer(at: 16, as: UInt64.self)
    let columns = SegmentLayout.Column.allCases
    guard rows <= SegmentLayout.rowLimit,
      storage.integer(at: 24, as: UInt64.self) == UInt64(columns.count)
    else {
      throw fail(.corrupt, "the header gives \(rows) rows or another number of columns")
    }
    count = Int(rows)
    let (expected, end) = SegmentLayout.offsets(rows: count)
    guard length >= end else {
      throw fail(.truncated, "segment has \(length) of \(end) bytes")
    }
    var offsets: [Int] = []
    var checksums: [UInt64] = []
    for (place, column) in columns.enumerated() {
      let entry =
        SegmentLayout.columnTableOffset + place * SegmentLayout.columnEntryByteCount
      guard storage.integer(at: entry, as: UInt32.self) == column.rawValue,
        storage.integer(at: entry + 8, as: UInt64.self) == UInt64(expected[column]!),
        storage.integer(at: entry + 16, as: UInt64.self)
          == UInt64(column.byteCount(rows: count))
      else { throw fail(.corrupt, "column \(column) does not stand where it should") }
      offsets.append(expected[column]!)
      checksums.append(storage.integer(at: entry + 24, as: UInt64.self))
    }
    self.storage = storage
    self.path = path
    self.offsets = offsets
    self.checksums = checksums
  }

  /// Reads every column and compares its checksum.
  ///
  /// - Throws: ``SegmentError`` with the code `corrupt`.
  public func verify() throws(SegmentError) {
    for column in SegmentLayout.Column.allCases {
      let start = offset(column)
      let bytes = storage.bytes(start..<start + column.byteCount(rows: count))
      guard SegmentLayout.checksum(bytes.span) == checksums[Int(column.rawValue) - 1] else {
        throw SegmentError(
          code: .corrupt, path: path, message: "the checksum of column \(column) is wrong")
      }
    }
  }

  /// The caller's number of a row.
  public func key(at row: Int) -> UInt32 {
    storage.integer(at: place(.key, row, 4), as: UInt32.self)
  }

  /// The caller's second number of a row.
  public func tag(at row: Int) -> UInt32 {
    storage.integer(at: place(.tag, row, 4), as: UInt32.self)
  }

  /// The caller's bits of a row.
  public func filterBits(at row: Int) -> UInt64 {
    storage.integer(at: place(.filterBits, row, 8), as: UInt64.self)
  }

  /// The signature of a row.
  public func signature(at row: Int) -> Signature {
    let shape = place(.shape, row, 8)
    let color = place(.color, row, ColorHistogram.binCount)
    let layout = place(.layout, row, ColorLayout.byteCount)
    var words = SIMD4<UInt64>.zero
    let block = offset(.pdq) + row / 8 * 256 + row % 8 * 8
    for word in 0..<4 { words[word] = storage.integer(at: block + 64 * word, as: UInt64.self) }
    return Signature(
      width: storage.integer(at: shape + 2, as: UInt16.self),
      height: storage.integer(at: shape + 4, as: UInt16.self), pdq: PDQHash(words: words),
      pdqQuality: storage.integer(at: shape, as: UInt8.self),
      color: ColorHistogram(bins: storage.bytes(color..<color + ColorHistogram.binCount)),
      layout: ColorLayout(bytes: storage.bytes(layout..<layout + ColorLayout.byteCount)))
  }

  /// Lends a run of rows of a column to a kernel.
  ///
  /// - Parameter rows: Within `0..<count`; for `pdq`, from a multiple of eight, and up to the end
  ///   of the block that holds the last of them.
  func withColumn<Result>(
    _ column: SegmentLayout.Column, rows: Range<Int>,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= count, "rows outside the segment")
    let start = offset(column)
    let range = column.byteCount(rows: rows.lowerBound)..<column.byteCount(rows: rows.upperBound)
    return unsafe storage.withBytes(start + range.lowerBound..<start + range.upperBound, body)
  }

  private func offset(_ column: SegmentLayout.Column) -> Int {
    offsets[Int(column.rawValue) - 1]
  }

  private func place(_ column: SegmentLayout.Column, _ row: Int, _ width: Int) -> Int {
    precondition(row >= 0 && row < count, "row \(row) is outside 0..<\(count)")
    return offset(column) + row * width
  }
}
