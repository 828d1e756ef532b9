/// The boxes of an ISO base media file (ISO/IEC 14496-12, 4.2), read with bounds checks.
struct MediaBoxes: Sendable {
  /// The type and the content of a box.
  typealias Box = (type: String, content: Range<Int>)

  /// The largest number of boxes in one box.
  private static let countLimit = 10_000

  let bytes: [UInt8]
  /// The name of the format in messages.
  let name: String

  /// Returns a number of at most eight bytes, the highest first.
  ///
  /// - Throws: ``DecodeError`` with the code `truncated` if it is not within `range`.
  func number(_ place: Int, _ count: Int, in range: Range<Int>) throws(DecodeError) -> Int {
    guard place >= range.lowerBound, place <= range.upperBound - count else {
      throw DecodeError(code: .truncated, message: "\(name) ends within a box of its header")
    }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the four characters at a place.
  func type(_ place: Int, in range: Range<Int>) throws(DecodeError) -> String {
    _ = try number(place, 4, in: range)
    return String(decoding: bytes[place..<place + 4], as: UTF8.self)
  }

  /// Returns whether a range begins with a text that a zero or the range ends.
  func isText(_ text: String, at range: Range<Int>) -> Bool {
    bytes[range.clamped(to: bytes.indices)].prefix { $0 != 0 }.elementsEqual(text.utf8)
  }

  /// Returns the place of the type of a box, which is before its content, or before the long form of its length.
  func typePlace(of box: Box) throws(DecodeError) -> Int {
    let place = box.content.lowerBound - 4
    return try type(place, in: bytes.indices) == box.type ? place : place - 8
  }

  /// Returns the boxes in a range, up to one of the type `last`. A box that is longer than the range
  /// ends with it.
  func boxes(in range: Range<Int>, upTo last: String? = nil) throws(DecodeError) -> [Box] {
    var boxes: [Box] = []
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      guard boxes.count < Self.countLimit else {
        throw DecodeError(
          code: .tooMuchWork, message: "\(name) has more than \(Self.countLimit) boxes in one")
      }
      var (size, start) = (try number(place, 4, in: range), place + 8)
      if size == 1 {
        // The length has eight bytes. In files below 4 GB the upper four are zero.
        guard try number(place + 8, 4, in: range) == 0 else { throw corrupt("is too long") }
        (size, start) = (try number(place + 12, 4, in: range), place + 16)
      }
      if size == 0 { size = range.upperBound - place }
      guard place + size >= start else { throw corrupt("is shorter than its header") }
      let box = (
        try type(place + 4, in: range), start..<max(start, min(range.upperBound, place + size))
      )
      boxes.append(box)
      if box.0 == last { break }
      place += size
    }
    return boxes
  }

  /// Returns the content of the first box of a type.
  func content(of type: String, in range: Range<Int>) throws(DecodeError) -> Range<Int> {
    guard let box = try boxes(in: range, upTo: type).last, box.type == type else {
      throw DecodeError(
        code: bytes.count < 1024 ? .truncated : .unsupportedFormat,
        message: "\(name) has no still image: the box '\(type)' is missing")
    }
    return box.content
  }

  /// Returns the version and the flags of a full box, and the content after them.
  func full(
    _ content: Range<Int>
  ) throws(DecodeError) -> (version: Int, flags: Int, content: Range<Int>) {
    let word = try number(content.lowerBound, 4, in: content)
    return (word >> 24, word & 0xFF_FFFF, content.lowerBound + 4..<content.upperBound)
  }

  private func corrupt(_ what: String) -> DecodeError {
    DecodeError(code: .corrupt, message: "\(name) is damaged: a box \(what)")
  }
}
