/// Writes the columns of a segment one after the other, and the header at the end.
///
/// At most a megabyte is held, so that a segment of any size can be written.
struct SegmentSink<Failure: Error> {
  private static var blockByteCount: Int { 1 << 20 }

  private let write: (_ bytes: [UInt8], _ offset: Int) throws(Failure) -> Void
  private let size: SegmentLayout.Size
  private let columns: [SegmentLayout.Column]
  private var checksums: [UInt64] = []
  /// The bytes of the current column that are not written yet.
  private var buffer: [UInt8] = []
  private var checksum = SegmentLayout.Checksum()
  private var offset = SegmentLayout.headerByteCount

  /// Makes a sink.
  ///
  /// - Parameter write: A function that stores bytes at an offset of the file.
  init(
    _ size: SegmentLayout.Size,
    write: @escaping (_ bytes: [UInt8], _ offset: Int) throws(Failure) -> Void
  ) {
    (self.size, columns) = (size, size.columns)
    self.write = write
    buffer.reserveCapacity(Self.blockByteCount + 4096)
  }

  /// Appends bytes to the current column.
  mutating func append(_ bytes: some Collection<UInt8>) throws(Failure) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.blockByteCount { try flush(keeping: buffer.count % 8) }
  }

  /// Appends an integer to the current column.
  ///
  /// A generic function would not be specialized for sinks of other modules, which took most of the time
  /// of a merge.
  mutating func append(littleEndian number: UInt32) throws(Failure) {
    buffer.append(littleEndian: number)
    if buffer.count >= Self.blockByteCount { try flush(keeping: buffer.count % 8) }
  }

  /// Appends an integer to the current column.
  mutating func append(littleEndian number: UInt64) throws(Failure) {
    buffer.append(littleEndian: number)
    if buffer.count >= Self.blockByteCount { try flush(keeping: buffer.count % 8) }
  }

  /// Stores bytes at an offset within the current column, of which nothing was appended.
  func put(_ bytes: [UInt8], at place: Int) throws(Failure) {
    precondition(buffer.isEmpty, "a column is either appended or put")
    if !bytes.isEmpty { try write(bytes, offset + place) }
  }

  /// Reads the current column, all of which was put, for its checksum.
  mutating func readBack(
    _ column: SegmentLayout.Column, _ read: (_ range: Range<Int>) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let end = offset + column.byteCount(size)
    while offset < end {
      let range = offset..<min(end, offset + Self.blockByteCount)
      let part = try read(range)
      precondition(part.count == range.count, "stored bytes cannot be read")
      var sum = checksum
      sum.add(part.span)
      checksum = sum
      offset += part.count
    }
  }

  /// Ends the current column; its length must be that of the layout.
  mutating func finish(_ column: SegmentLayout.Column) throws(Failure) {
    precondition(column == columns[checksums.count], "columns come in the order of their ids")
    try flush(keeping: 0)
    checksums.append(checksum.value)
    checksum = SegmentLayout.Checksum()
    let padding = (4096 - offset % 4096) % 4096
    if padding > 0 {
      try write([UInt8](repeating: 0, count: padding), offset)
      offset += padding
    }
  }

  /// Writes the header after the last column.
  ///
  /// - Returns: The length of the segment in bytes.
  consuming func finish() throws(Failure) -> Int {
    let expected = SegmentLayout.offsets(size).end
    precondition(offset == expected, "\(offset) bytes of a segment of \(expected)")
    try write(SegmentLayout.header(size, checksums: checksums), 0)
    return offset
  }

  private mutating func flush(keeping rest: Int) throws(Failure) {
    let kept = Array(buffer.suffix(rest))
    buffer.removeLast(rest)
    guard !buffer.isEmpty else {
      buffer = kept
      return
    }
    var sum = checksum
    sum.add(buffer.span)
    checksum = sum
    try write(buffer, offset)
    offset += buffer.count
    buffer.removeAll(keepingCapacity: true)
    buffer += kept
  }
}
