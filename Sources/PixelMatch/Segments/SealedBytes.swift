internal import Synchronization

/// The bytes of a segment, each page of which is compared with its seal before it is first read.
///
/// A page that is damaged is lent nevertheless, since a scan cannot stop at each page: ``fault`` then has the damage, and
/// whoever reads asks for it before the result is given away.
final class SealedBytes: Sendable {
  /// The bytes as they are.
  let bytes: MappedBytes
  private let seals: SegmentSeals?
  /// The parts of the columns that the file has, or `nil` if it has all of them. The others are holes, which are read as
  /// zeros.
  private let present: [Range<Int>]?
  /// The pages that were compared with their seals, and behind them one number that says that all bytes were compared.
  private let checked: PageMarks
  private let found = Mutex<String?>(nil)

  /// Makes bytes without seals.
  init(_ bytes: MappedBytes) {
    (self.bytes, seals, present, checked) = (bytes, nil, nil, PageMarks(count: 1))
  }

  /// Makes bytes with seals, whose second list is intact.
  init(_ bytes: MappedBytes, _ seals: SegmentSeals, present: [Range<Int>]? = nil) {
    (self.bytes, self.seals, self.present) = (bytes, seals, present)
    checked = PageMarks(count: seals.pageCount + 1)
    // The header has a checksum of its own.
    checked.insert(0)
  }

  /// The number of bytes.
  var count: Int { bytes.count }
  /// True if the pages have seals.
  var isSealed: Bool { seals != nil }
  /// The first damage that was found, or `nil` if none was.
  var fault: String? { found.withLock { $0 } }

  /// Notes that damage was found.
  func note(_ fault: String) { found.withLock { $0 = $0 ?? fault } }

  /// True if all bytes that anybody reads were compared.
  var wasVerified: Bool { checked.firstUnmarked(in: checked.count - 1..<checked.count) == nil }

  /// Notes that all bytes that anybody reads were compared.
  func noteVerified() { checked.insert(checked.count - 1) }

  /// True if nothing is left to compare: the pages have no seals, or all were compared.
  var isChecked: Bool { seals == nil || wasVerified }

  /// Compares the pages of a range with their seals, unless they were compared before.
  func check(_ range: Range<Int>) {
    guard let seals, !range.isEmpty, !wasVerified else { return }
    let size = SegmentSeals.pageByteCount
    let end = min((range.upperBound - 1) / size + 1, seals.pageCount)
    var pages = min(range.lowerBound / size, end)..<end
    while let page = checked.firstUnmarked(in: pages) {
      compare(page, seals)
      pages = page + 1..<pages.upperBound
    }
  }

  private func compare(_ page: Int, _ seals: SegmentSeals) {
    let place = seals.place(ofPage: page)
    let range = page * SegmentSeals.pageByteCount..<(page + 1) * SegmentSeals.pageByteCount
    if let present, range.lowerBound < seals.pages.lowerBound,
      !present.contains(where: { $0.overlaps(range) })
    {
      return checked.insert(page)
    }
    // The second list was compared when the file was opened.
    if place < seals.root.lowerBound { check(place..<place + 4) }
    let seal = bytes.withSpan(of: range, as: UInt8.self) { SegmentSeals.seal(of: $0) }
    if seal == bytes.integer(at: place, as: UInt32.self) {
      checked.insert(page)
    } else {
      note("the bytes from \(range.lowerBound) to \(range.upperBound - 1) are damaged")
    }
  }

  /// Lends integers, as ``MappedBytes/withSpan(of:as:_:)`` does.
  func withSpan<Element: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
    of range: Range<Int>, as type: Element.Type,
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    check(range)
    return try bytes.withSpan(of: range, as: type, body)
  }

  /// Returns a copy of the bytes of `range`, which must lie within the bytes.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    check(range)
    return bytes.bytes(range)
  }

  /// Returns the little-endian integer at `offset`.
  func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    check(offset..<offset + Number.bitWidth / 8)
    return bytes.integer(at: offset, as: type)
  }
}
