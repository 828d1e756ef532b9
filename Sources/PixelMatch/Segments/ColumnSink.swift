/// Writes a column of a segment part by part.
///
/// At most a megabyte and one part are held, so that a column of any size can be written.
struct ColumnSink<Failure: Error> {
  /// A function that stores bytes at an offset of the file.
  typealias Write = @Sendable (_ bytes: Span<UInt8>, _ offset: Int) throws(Failure) -> Void

  private static var blockByteCount: Int { 1 << 20 }
  /// The number of bytes from which a part is stored from where it is, without a copy.
  private static var directByteCount: Int { 1 << 16 }

  private let write: Write
  private let range: Range<Int>
  /// The bytes that are not written yet.
  private var buffer: [UInt8] = []
  private var checksum = SegmentLayout.Checksum()
  private var sealer = PageSealer()
  private var offset: Int

  /// Makes a sink.
  ///
  /// - Parameter range: The bytes of the column in the file.
  init(_ range: Range<Int>, write: @escaping Write) {
    self.range = range
    self.write = write
    offset = range.lowerBound
  }

  /// Appends bytes.
  mutating func append(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    try flushIfLarge()
  }

  /// Appends bytes.
  mutating func append(copying bytes: Span<UInt8>) throws(Failure) {
    // The checksum is computed over words of eight bytes, so bytes can bypass the buffer only
    // if it holds whole words.
    guard bytes.count >= Self.directByteCount, buffer.count % 8 == 0 else {
      buffer.append(copying: bytes)
      return try flushIfLarge()
    }
    try flush(keeping: 0)
    let whole = bytes.count & ~7
    try store(bytes.extracting(..<whole))
    for place in whole..<bytes.count { buffer.append(bytes[place]) }
  }

  /// Appends an integer.
  ///
  /// A generic function would not be specialized for sinks of other modules, which took most of the time
  /// of a merge.
  mutating func append(littleEndian number: UInt32) throws(Failure) {
    buffer.append(littleEndian: number)
    try flushIfLarge()
  }

  /// Appends an integer.
  mutating func append(littleEndian number: UInt64) throws(Failure) {
    buffer.append(littleEndian: number)
    try flushIfLarge()
  }

  /// Stores bytes at an offset within the column, to which nothing is appended.
  func put(_ bytes: Span<UInt8>, at place: Int) throws(Failure) {
    precondition(buffer.isEmpty, "a column is either appended or put")
    if !bytes.isEmpty { try write(bytes, range.lowerBound + place) }
  }

  /// Reads the column, all of which was put, for its checksum and seals.
  mutating func readBack(
    _ read: (_ range: Range<Int>) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    while offset < range.upperBound {
      let block = offset..<min(range.upperBound, offset + Self.blockByteCount)
      let part = try read(block)
      precondition(part.count == block.count, "stored bytes cannot be read")
      checksum.add(part.span)
      sealer.add(part.span)
      offset += part.count
    }
  }

  /// Ends the column, and fills its last page with zeros.
  ///
  /// - Returns: The checksum, and the seals of the pages.
  consuming func finish() throws(Failure) -> (checksum: UInt64, seals: [UInt32]) {
    try flush(keeping: 0)
    precondition(offset == range.upperBound, "\(offset) is not the end of a column, \(range)")
    let padding = [UInt8](repeating: 0, count: (4096 - offset % 4096) % 4096)
    if !padding.isEmpty { try write(padding.span, offset) }
    sealer.add(padding.span)
    return (checksum.value, sealer.seals)
  }

  private mutating func flushIfLarge() throws(Failure) {
    if buffer.count >= Self.blockByteCount { try flush(keeping: buffer.count % 8) }
  }

  private mutating func flush(keeping rest: Int) throws(Failure) {
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    let whole = bytes.count - rest
    if whole > 0 { try store(bytes.span.extracting(..<whole)) }
    bytes.removeFirst(whole)
    buffer = bytes
  }

  private mutating func store(_ bytes: Span<UInt8>) throws(Failure) {
    checksum.add(bytes)
    sealer.add(bytes)
    try write(bytes, offset)
    offset += bytes.count
  }
}
