/// The seals at the end of a segment: a checksum of each of its pages, so that a page is compared before it is first
/// used, however few pages a search reads.
///
/// Behind the columns, which end with a page, follow two lists, each filled with zeros to the end of its last page:
///
/// - the seals of all pages before it, 4 bytes each; that of the header is 0, since the header has its own checksum;
/// - the seals of the pages of the first list, 4 bytes each.
///
/// The header has the offset of the first list (at 4064, 8 bytes), the length of the file (8) and the checksum of the
/// second list (8), or zeros if the segment has no seals. Earlier versions wrote none, and ignore them.
///
/// A seal is the low half of XXH64.
struct SegmentSeals: Sendable, Hashable {
  static let pageByteCount = 4096
  static let headerOffset = SegmentLayout.checksumOffset - 24

  /// The bytes of the seals of the pages before them.
  let pages: Range<Int>
  /// The bytes of the seals of ``pages``.
  let root: Range<Int>

  /// The seals of a file whose columns end at an offset.
  init(after end: Int) {
    func filled(_ byteCount: Int) -> Int {
      (byteCount + Self.pageByteCount - 1) / Self.pageByteCount * Self.pageByteCount
    }
    pages = end..<end + filled(end / Self.pageByteCount * 4)
    root = pages.upperBound..<pages.upperBound + filled(pages.count / Self.pageByteCount * 4)
  }

  /// The length of the file.
  var end: Int { root.upperBound }
  /// The number of pages that have a seal: those before ``root``.
  var pageCount: Int { root.lowerBound / Self.pageByteCount }

  /// Returns the place of the seal of a page.
  func place(ofPage page: Int) -> Int {
    let own = pages.lowerBound / Self.pageByteCount
    return page < own ? pages.lowerBound + 4 * page : root.lowerBound + 4 * (page - own)
  }

  /// Returns the seal of a page.
  static func seal(of page: Span<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: Kernels.seal(of: page))
  }

  /// Returns the bytes of both lists, and the checksum of the second one.
  ///
  /// - Parameter seals: The seals of the pages of all columns, in their order.
  func encoded(_ seals: [UInt32]) -> (bytes: [UInt8], checksum: UInt64) {
    precondition(
      seals.count + 1 == pages.lowerBound / Self.pageByteCount, "each page has one seal")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pages.count + root.count)
    bytes.append(littleEndian: UInt32(0))
    for seal in seals { bytes.append(littleEndian: seal) }
    bytes.append(contentsOf: repeatElement(0, count: pages.count - bytes.count))
    var sealer = PageSealer()
    sealer.add(bytes.span)
    for seal in sealer.seals { bytes.append(littleEndian: seal) }
    bytes.append(contentsOf: repeatElement(0, count: pages.count + root.count - bytes.count))
    return (bytes, Kernels.seal(of: bytes.span.extracting(pages.count..<bytes.count)))
  }

  /// Returns the seals of a file, or `nil` if its header gives none.
  ///
  /// - Parameter header: The header, whose checksum is right.
  static func ofFile(header: [UInt8]) -> (seals: SegmentSeals, checksum: UInt64)? {
    let fields = (0..<3).map {
      header.littleEndian(at: headerOffset + 8 * $0, as: UInt64.self)
    }
    guard fields != [0, 0, 0], let end = Int(exactly: fields[0]), end <= Int.max / 4,
      end >= SegmentLayout.headerByteCount, end % pageByteCount == 0
    else { return nil }
    let seals = SegmentSeals(after: end)
    return fields[1] == UInt64(seals.end) ? (seals, fields[2]) : nil
  }
}
