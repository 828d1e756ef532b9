/// An immutable set of signatures, mapped from a file or held in memory.
///
/// Opening reads the header only: a catalogue of a million images opens at once, and a scan reads
/// only the columns that it compares.
package final class SignatureSegment: Sendable {
  /// The number of rows.
  package let count: Int
  /// The length of the file in bytes.
  package var byteCount: Int { storage.count }

  let storage: SealedBytes
  private let path: String?
  /// True if the file has only the columns of ``SegmentHead``.
  private let isHead: Bool
  let size: SegmentLayout.Size
  private let offsets: [Int]
  private let checksums: [UInt64]

  /// Maps a segment file.
  ///
  /// Checks the header's checksum, the versions and every offset. ``verify()`` checks the columns'
  /// own checksums, which requires reading all columns.
  ///
  /// - Throws: ``SegmentError`` with any code.
  /// - Complexity: O(1).
  package convenience init(path: String) throws(SegmentError) {
    try self.init(storage: MappedBytes(path: path), path: path)
  }

  /// Maps a file that has only the columns of ``SegmentHead``, with holes in place of the others.
  ///
  /// - Throws: ``SegmentError`` with any code.
  package convenience init(headAt path: String) throws(SegmentError) {
    try self.init(storage: MappedBytes(path: path), path: path, isHead: true)
  }

  /// Makes a segment from bytes, for example those of ``SegmentWriter``.
  ///
  /// - Throws: ``SegmentError``.
  package convenience init(bytes: [UInt8]) throws(SegmentError) {
    try self.init(storage: MappedBytes(copying: bytes), path: nil)
  }

  /// - Complexity: O(1), and one byte for each megabyte to check the seals of the seals.
  private init(
    storage: MappedBytes, path: String?, isHead: Bool = false
  ) throws(SegmentError) {
    self.isHead = isHead
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
    let old = SegmentLayout.formatVersionsWithoutSums
    let hasSums = format == SegmentLayout.formatVersion
    guard hasSums || old.contains(format) else {
      throw fail(
        .otherFormatVersion,
        "segment is of format \(format); this build reads \(old.lowerBound) to "
          + "\(SegmentLayout.formatVersion)")
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
    let columnCount = storage.integer(at: 24, as: UInt64.self)
    var size = SegmentLayout.Size(rows: 0, blocks: 0, keypoints: 0, hasSums: hasSums)
    let hasEmbeddings = columnCount == size.columns.count + 1
    guard rows <= SegmentLayout.rowLimit,
      hasSums
        ? hasEmbeddings || columnCount == size.columns.count
        : columnCount == size.columns.count + (format == old.upperBound ? 1 : 0)
    else {
      throw fail(.corrupt, "the header gives \(rows) rows or another number of columns")
    }
    let blocks = storage.integer(at: 32, as: UInt64.self)
    let keypoints = storage.integer(at: 40, as: UInt64.self)
    let blockLimit = rows * UInt64((KeypointSet.limit + 7) / 8)
    guard blocks <= blockLimit, keypoints <= 8 * blocks else {
      throw fail(.corrupt, "the header gives \(keypoints) keypoints in \(blocks) blocks")
    }
    (size.rows, size.blocks, size.keypoints) = (Int(rows), Int(blocks), Int(keypoints))
    if hasEmbeddings {
      let entry =
        SegmentLayout.columnTableOffset
        + Int(SegmentLayout.Column.embedding.rawValue - 1) * SegmentLayout.columnEntryByteCount
      size.embeddingByteCount = Int(storage.integer(at: entry + 4, as: UInt32.self))
      guard size.embeddingByteCount > ImageEmbedding.headByteCount,
        size.embeddingByteCount <= ImageEmbedding.storedByteLimit, size.embeddingByteCount % 8 == 0
      else {
        throw fail(.corrupt, "the header gives embeddings of \(size.embeddingByteCount) bytes")
      }
    }
    count = Int(rows)
    let (expected, end) = SegmentLayout.offsets(size)
    guard length >= end else {
      throw fail(.truncated, "segment has \(length) of \(end) bytes")
    }
    var offsets = [Int](repeating: 0, count: SegmentLayout.Column.allCases.count)
    var checksums = [UInt64](repeating: 0, count: offsets.count)
    for (place, column) in size.columns.enumerated() {
      let entry =
        SegmentLayout.columnTableOffset + place * SegmentLayout.columnEntryByteCount
      guard storage.integer(at: entry, as: UInt32.self) == column.rawValue,
        storage.integer(at: entry + 8, as: UInt64.self) == UInt64(expected[column]!),
        storage.integer(at: entry + 16, as: UInt64.self)
          == UInt64(column.byteCount(size))
      else { throw fail(.corrupt, "column \(column) has a wrong offset") }
      let index = Int(column.rawValue) - 1
      offsets[index] = expected[column]!
      checksums[index] = storage.integer(at: entry + 24, as: UInt64.self)
    }
    if let (seals, checksum) = SegmentSeals.ofFile(header: header) {
      guard seals.pages.lowerBound == end else {
        throw fail(.corrupt, "the seals have a wrong offset")
      }
      guard length >= seals.end else {
        throw fail(.truncated, "segment has \(length) of \(seals.end) bytes")
      }
      let sum = storage.withSpan(of: seals.root, as: UInt8.self) { Kernels.seal(of: $0) }
      guard sum == checksum else { throw fail(.corrupt, "the checksum of the seals is wrong") }
      let present = SegmentHead.columns.map {
        expected[$0]!..<expected[$0]! + $0.byteCount(size)
      }
      self.storage = SealedBytes(storage, seals, present: isHead ? present : nil)
    } else {
      self.storage = SealedBytes(storage)
    }
    self.path = path
    self.size = size
    self.offsets = offsets
    self.checksums = checksums
    fingerprint = stored
    try checkUnchanged()
  }

  /// The checksum of the header, which includes the checksums of all columns. It identifies the
  /// content.
  package let fingerprint: UInt64

  /// Checks that the file was not changed since it was opened, and that no damaged page was read.
  ///
  /// Other programs may write to a mapped file or truncate it; reads then return wrong bytes or
  /// zeros. Each page is compared with its seal before it is first read, and is read even if it is damaged.
  /// Call this after a search, and discard the result if it throws. A file that is removed
  /// or replaced by a rename counts as unchanged.
  ///
  /// - Throws: ``SegmentError`` with the code `truncated` or `corrupt`.
  /// - Complexity: O(1), one system call.
  package func checkUnchanged() throws(SegmentError) {
    switch storage.bytes.change() {
    case nil:
      guard let fault = storage.fault else { return }
      throw SegmentError(code: .corrupt, path: path, message: fault)
    case .truncated(let byteCount):
      throw SegmentError(
        code: .truncated, path: path,
        message: "the file was truncated while in use, to \(byteCount) of \(storage.count) bytes")
    case .rewritten:
      throw SegmentError(
        code: .corrupt, path: path, message: "the file was written to while in use")
    case .lost:
      throw SegmentError(
        code: .truncated, path: path, message: "a part of the file could not be read")
    }
  }

  /// The identity of the file, or `nil` for bytes in memory.
  package var fileIdentity: MappedFileIdentity? { storage.bytes.identity }

  /// True if ``verify(goingOnIf:)`` has read all of it before, and found no damage.
  package var wasVerified: Bool { storage.wasVerified }

  /// True if each page has a seal. Segments of earlier versions have none; a merge adds them.
  package var isSealed: Bool { storage.isSealed }

  /// Reads every column that the file has, and compares its checksum and the seals of its pages.
  ///
  /// - Parameter goesOn: Returns whether to read a further number of bytes.
  /// - Returns: False if it was stopped before the end.
  /// - Throws: ``SegmentError`` with the code `corrupt`, or the errors of ``checkUnchanged()``.
  @discardableResult
  package func verify(
    goingOnIf goesOn: (_ byteCount: Int) -> Bool = { _ in true }
  ) throws(SegmentError) -> Bool {
    for column in isHead ? SegmentHead.columns : size.columns {
      guard let sum = checksum(of: column, goesOn) else { return false }
      guard sum == checksums[Int(column.rawValue) - 1] else {
        storage.note("the checksum of column \(column) is wrong")
        break
      }
    }
    try checkUnchanged()
    storage.noteVerified()
    return true
  }

  /// The number of bytes whose checksum is computed before their memory is given back.
  private static let checkedByteCount = 16 << 20

  /// - Returns: `nil` if it was stopped.
  private func checksum(
    of column: SegmentLayout.Column, _ goesOn: (_ byteCount: Int) -> Bool
  ) -> UInt64? {
    // With the padding of the last page.
    let end = offset(column) + (column.byteCount(size) + 4095) / 4096 * 4096
    var checksum = SegmentLayout.Checksum()
    for start in stride(from: offset(column), to: end, by: Self.checkedByteCount) {
      let range = start..<min(end, start + Self.checkedByteCount)
      guard goesOn(range.count) else { return nil }
      storage.check(range)
      let own = start..<min(range.upperBound, offset(column) + column.byteCount(size))
      storage.bytes.withSpan(of: own, as: UInt8.self) { checksum.add($0) }
      storage.bytes.releaseMemory(range)
    }
    return checksum.value
  }

  /// Gives back the memory of what was read so far, which stays in the system's cache of files.
  func releaseMemory() {
    storage.bytes.releaseMemory(0..<storage.count)
  }

  /// Returns the caller's key of a row.
  package func key(at row: Int) -> UInt32 {
    storage.integer(at: place(.key, row, 4), as: UInt32.self)
  }

  /// Returns the caller's tag of a row.
  package func tag(at row: Int) -> UInt32 {
    storage.integer(at: place(.tag, row, 4), as: UInt32.self)
  }

  /// Returns the caller's filter bits of a row.
  package func filterBits(at row: Int) -> UInt64 {
    storage.integer(at: place(.filterBits, row, 8), as: UInt64.self)
  }

  /// Returns the signature of a row.
  package func signature(at row: Int) -> Signature {
    let size = ownSize(at: row)
    let appearance = appearance(at: row)
    return Signature(
      width: UInt16(size.width), height: UInt16(size.height), pdq: pdq(at: row),
      pdqQuality: pdqQuality(at: row), color: appearance.color, layout: layout(at: row),
      texture: appearance.texture, keypoints: keypoints(at: row), embedding: embedding(at: row))
  }

  /// Returns the embedding of a row, or `nil` if it has none.
  package func embedding(at row: Int) -> ImageEmbedding? {
    guard size.embeddingByteCount > 0 else { return nil }
    return ImageEmbedding(
      stored: storage.bytes(range(.embedding, row, size.embeddingByteCount)))
  }

  /// Returns the model of a row's embedding; `0` if it has none. The segment must have embeddings.
  func embeddingModel(at row: Int) -> UInt64 {
    storage.integer(at: place(.embedding, row, size.embeddingByteCount), as: UInt64.self)
  }

  /// The number of bytes of a row's embedding; `0` if no row has one.
  var embeddingByteCount: Int { size.embeddingByteCount }

  /// Returns the hash of a row.
  package func pdq(at row: Int) -> PDQHash {
    precondition(row >= 0 && row < count, "row \(row) is outside 0..<\(count)")
    return PDQHash(words: words(at: offset(.pdq) + row / 8 * 256 + row % 8 * 8))
  }

  /// Returns the quality of a row's hash, `0...100`.
  package func pdqQuality(at row: Int) -> UInt8 {
    storage.integer(at: place(.shape, row, 8), as: UInt8.self)
  }

  /// Returns whether the image of a row is too plain to be identified by its hash or its keypoints.
  package func isFlat(_ row: Int) -> Bool {
    pdqQuality(at: row) < Signature.trustedQuality && keypointBlocks(at: row).count < 8
  }

  /// Returns the width and height of a row's working image in pixels.
  package func size(at row: Int) -> (width: Int, height: Int) {
    Signature.workingSize(of: ownSize(at: row))
  }

  /// Returns the width and height of a row's image in pixels, before it was enlarged.
  package func ownSize(at row: Int) -> (width: Int, height: Int) {
    let shape = place(.shape, row, 8)
    return (
      Int(storage.integer(at: shape + 2, as: UInt16.self)),
      Int(storage.integer(at: shape + 4, as: UInt16.self))
    )
  }

  /// Returns the histograms of a row.
  package func appearance(at row: Int) -> (color: ColorHistogram, texture: TextureHistogram) {
    let bins = HistogramGrade.unpacked(
      storage.bytes(range(.appearance, row, SegmentLayout.appearanceByteCount)))
    return (
      ColorHistogram(bins: Array(bins[..<ColorHistogram.binCount])),
      TextureHistogram(bins: Array(bins[ColorHistogram.binCount...]))
    )
  }

  /// A Boolean value that indicates whether the segment has sums of bins; those of older versions have none.
  var hasSums: Bool { size.hasSums }

  /// The sum of each bin over all rows.
  var binSums: [UInt64] {
    (0..<SegmentLayout.binCount).map {
      storage.integer(at: offset(.binSum) + 8 * $0, as: UInt64.self)
    }
  }

  /// Returns the color layout of a row.
  package func layout(at row: Int) -> ColorLayout {
    ColorLayout(bytes: storage.bytes(range(.layout, row, ColorLayout.byteCount)))
  }

  /// Returns the keypoints of a row.
  func keypoints(at row: Int) -> KeypointSet {
    let places = keypointPlaces(at: row)
    let blocks = keypointBlocks(at: row).blocks
    // Another program may change a mapped file between two reads.
    guard places.count <= 8 * blocks.count else { return KeypointSet(keypoints: [], hashes: []) }
    let size = SegmentLayout.keypointBlockByteCount
    return KeypointSet(
      keypoints: places,
      hashes: places.indices.map { index in
        let start = offset(.keypointHash) + size * (blocks.lowerBound + index / 8) + index % 8 * 4
        var words = SIMD3<UInt32>.zero
        for word in 0..<3 { words[word] = storage.integer(at: start + 32 * word, as: UInt32.self) }
        return KeypointHash(words: words)
      })
  }

  /// Returns the positions of a row's keypoints; none if the file is damaged.
  func keypointPlaces(at row: Int) -> [Keypoint] {
    // Reads the count once: another program may change a mapped file between two reads.
    let (blocks, count) = keypointBlocks(at: row)
    let counts = storage.bytes(range(.levelCount, row, KeypointSet.levelCountByteCount))
    guard let levels = KeypointSet.levels(ofCounts: counts), levels.count == count else {
      return []
    }
    let start = offset(.keypointPlace) + 8 * Keypoint.placeByteCount * blocks.lowerBound
    let places = storage.bytes(start..<start + Keypoint.placeByteCount * count)
    return levels.indices.map { index in
      let place = Keypoint.placeByteCount * index
      return Keypoint(
        place: (places[place], places[place + 1], places[place + 2]), level: levels[index])
    }
  }

  /// Returns the centers of a row's keypoints in pixels of its working image; none if the file is damaged.
  package func keypointCenters(at row: Int) -> [SIMD2<Double>] {
    keypointPlaces(at: row).map(\.center)
  }

  /// Returns the blocks and the number of a row's keypoints; none if the file is damaged.
  func keypointBlocks(at row: Int) -> (blocks: Range<Int>, count: Int) {
    let start = place(.keypointStart, row, 4)
    let first = Int(storage.integer(at: start, as: UInt32.self))
    let end = Int(storage.integer(at: start + 4, as: UInt32.self))
    let count = Int(storage.integer(at: place(.shape, row, 8) + 1, as: UInt8.self))
    guard first <= end, end <= size.blocks, count <= KeypointSet.limit,
      count <= 8 * (end - first)
    else { return (0..<0, 0) }
    return (first..<end, count)
  }

  /// The number of bits of a visual word, that is, of the first bits of a keypoint's hash.
  var wordBits: Int { size.wordBits }
  /// The number of keypoints of all rows.
  var keypointCount: Int { size.keypoints }

  /// Lends a range of rows of a column.
  ///
  /// - Parameter rows: The rows, within `0..<count`. For `pdq`, the range starts at a multiple of
  ///   eight, and the span extends to the end of the block of the last row.
  func withColumn<Element: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
    _ column: SegmentLayout.Column, rows: Range<Int>, as type: Element.Type,
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= count, "rows outside the segment")
    func byteCount(_ rows: Int) -> Int { column.byteCount(size(ofRows: rows)) }
    let start = offset(column)
    return try storage.withSpan(
      of: start + byteCount(rows.lowerBound)..<start + byteCount(rows.upperBound), as: type, body)
  }

  /// The size of a number of rows without keypoints.
  private func size(ofRows rows: Int) -> SegmentLayout.Size {
    SegmentLayout.Size(
      rows: rows, blocks: 0, keypoints: 0, embeddingByteCount: size.embeddingByteCount)
  }

  /// Lends the bytes of the keypoints of neighboring rows in a column of blocks.
  func withKeypoints<Failure: Error>(
    _ column: SegmentLayout.Column, rows: Range<Int>,
    _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let width = column.byteCount(SegmentLayout.Size(rows: 0, blocks: 1, keypoints: 0))
    let blocks = keypointBlocks(at: rows.lowerBound).blocks.lowerBound
    let end = keypointBlocks(at: rows.upperBound - 1).blocks.upperBound
    try storage.withSpan(
      of: offset(column) + width * blocks..<offset(column) + width * end, as: UInt8.self, body)
  }

  /// Lends the keypoint hashes of some blocks.
  func withKeypointHashes<Result>(
    blocks: Range<Int>, _ body: (Span<UInt32>) -> Result
  ) -> Result {
    precondition(blocks.upperBound <= size.blocks, "blocks outside the segment")
    let start = offset(.keypointHash)
    let width = SegmentLayout.keypointBlockByteCount
    return storage.withSpan(
      of: start + width * blocks.lowerBound..<start + width * blocks.upperBound, as: UInt32.self,
      body)
  }

  /// Returns a function that compares the pages of the lists of some words with their seals, or `nil` if all pages
  /// were compared.
  ///
  /// - Parameter longest: The length above which a list is not read.
  func listCheck(longest: Int) -> ((_ words: [UInt32]) -> Void)? {
    if storage.isChecked { return nil }
    // A query reads the starts of tens of thousands of words, so their pages are compared at once.
    let starts = offset(.wordStart)
    let range = starts..<starts + SegmentLayout.Column.wordStart.byteCount(size)
    storage.check(range)
    return { [storage, postings = offset(.posting), keypoints = size.keypoints] words in
      storage.bytes.withSpan(of: range, as: UInt32.self) { starts in
        for word in words {
          let (from, end) = (Int(starts[Int(word)]), Int(starts[Int(word) + 1]))
          guard from < end, end <= keypoints, end - from <= longest else { continue }
          storage.check(postings + 8 * from..<postings + 8 * end)
        }
      }
    }
  }

  /// Lends the index of visual words: the first posting of each word, and all postings. Its pages are not compared with
  /// their seals: call the function of ``listCheck(longest:)`` before a list is read.
  func withWordIndex<Result>(
    _ body: (_ starts: Span<UInt32>, _ postings: Span<UInt64>) -> Result
  ) -> Result {
    let starts = offset(.wordStart)
    let postings = offset(.posting)
    return storage.bytes.withSpan(
      of: starts..<starts + SegmentLayout.Column.wordStart.byteCount(size), as: UInt32.self
    ) { starts in
      storage.bytes.withSpan(of: postings..<postings + 8 * size.keypoints, as: UInt64.self) {
        postings in
        body(starts, postings)
      }
    }
  }

  private func words(at offset: Int) -> SIMD4<UInt64> {
    var words = SIMD4<UInt64>.zero
    for word in 0..<4 { words[word] = storage.integer(at: offset + 64 * word, as: UInt64.self) }
    return words
  }

  func range(_ column: SegmentLayout.Column, _ row: Int, _ width: Int) -> Range<Int> {
    let start = place(column, row, width)
    return start..<start + width
  }

  func offset(_ column: SegmentLayout.Column) -> Int {
    offsets[Int(column.rawValue) - 1]
  }

  private func place(_ column: SegmentLayout.Column, _ row: Int, _ width: Int) -> Int {
    precondition(row >= 0 && row < count, "row \(row) is outside 0..<\(count)")
    return offset(column) + row * width
  }
}
