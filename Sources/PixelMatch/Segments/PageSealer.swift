/// Makes the seals of a column while its bytes are written.
struct PageSealer {
  /// The bytes of the last page, as long as it is not full.
  private var rest: [UInt8] = []
  /// The seals of the full pages.
  private(set) var seals: [UInt32] = []

  /// Adds bytes that follow those before.
  mutating func add(_ bytes: Span<UInt8>) {
    let size = SegmentSeals.pageByteCount
    var start = 0
    if !rest.isEmpty {
      start = min(size - rest.count, bytes.count)
      for place in 0..<start { rest.append(bytes[place]) }
      guard rest.count == size else { return }
      seals.append(SegmentSeals.seal(of: rest.span))
      rest.removeAll(keepingCapacity: true)
    }
    while bytes.count - start >= size {
      seals.append(SegmentSeals.seal(of: bytes.extracting(start..<start + size)))
      start += size
    }
    for place in start..<bytes.count { rest.append(bytes[place]) }
  }
}
