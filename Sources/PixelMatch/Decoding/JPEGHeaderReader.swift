/// Parses the markers of a JPEG (ITU-T T.81, annex B) on bounds-checked memory, before libjpeg
/// reads any byte.
enum JPEGHeaderReader {
  private static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9
  private static let app1: UInt8 = 0xE1
  private static let app2: UInt8 = 0xE2

  static func header(
    of bytes: Span<UInt8>, limits: DecodeLimits, _ shouldStop: () -> Bool
  ) throws(DecodeError) -> ImageHeader {
    var frame: Frame?
    var profile = JPEGProfileParts()
    var orientation = Orientation.up
    var scans = 0
    var place = 2
    var pace = AskingPace(steps: bytesPerQuestion)
    while place < bytes.count {
      let start = place
      let piece = min(bytes.count, place + bytesPerQuestion)
      let next = nextMarker(in: bytes, from: &place, before: piece)
      if pace.isTime(after: markerCost + place - start), shouldStop() { throw .cancelled }
      guard let marker = next else {
        if piece == bytes.count { break }
        continue
      }
      if marker == endOfImage { break }
      // Markers without a length: TEM, RSTn and a stray SOI.
      if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
      guard place + 2 <= bytes.count else { break }
      let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      // A length below 2, the size of the length field itself, is left to libjpeg: it reads an
      // application segment of that length as empty.
      let end = place + max(2, length)
      let content = place + 2..<min(end, bytes.count)
      switch marker {
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        // libjpeg itself rejects a second frame.
        if frame == nil { frame = try Frame(marker, bytes.extracting(content)) }
      case app1 where orientation == .up:
        orientation = EXIFOrientation.orientation(inAPP1: bytes.extracting(content)) ?? .up
      case app2 where scans == 0: profile.add(content, in: bytes)
      case startOfScan:
        scans += 1
      default: break
      }
      place = end
    }
    guard let frame else {
      throw DecodeError(
        code: .truncated, message: "JPEG has \(bytes.count) bytes and no frame header in them")
    }
    guard scans > 0 else {
      throw DecodeError(
        code: .truncated,
        message: "JPEG has \(bytes.count) bytes: 0 of \(frame.height) rows are there")
    }
    return ImageHeader(
      format: .jpeg, width: frame.width, height: frame.height, orientation: orientation,
      isProgressive: frame.isProgressive || scans > 1, scanCount: scans,
      blockCount: frame.blockCount, isArithmetic: frame.isArithmetic,
      componentCount: frame.componentCount, colors: try profile.declaration(limits: limits),
      pixels: 0..<bytes.count, keptBytesPerPixel: 0)
  }

  /// The number of bytes that are looked at between two questions whether to stop, and the cost of a marker in bytes: a file may have millions of
  /// empty segments.
  private static let (bytesPerQuestion, markerCost) = (1 << 18, 64)

  /// Returns the second byte of the next marker before an end, and moves `place` past it, or to where the search goes on behind the end.
  ///
  /// Skips entropy-coded data, in which a 0xFF is followed by 0x00 or a restart marker.
  private static func nextMarker(
    in bytes: Span<UInt8>, from place: inout Int, before end: Int
  ) -> UInt8? {
    let last = end &- 1
    var index = place
    while index < last {
      // Skips quickly over the compressed data, which is most of the file: 32 or eight bytes per
      // step.
      if index &+ 32 <= last,
        markerBytes(in: bytes, at: index) | markerBytes(in: bytes, at: index &+ 8)
          | markerBytes(in: bytes, at: index &+ 16) | markerBytes(in: bytes, at: index &+ 24) == 0
      {
        index &+= 32
        continue
      }
      if index &+ 8 <= last {
        let marked = markerBytes(in: bytes, at: index)
        guard marked != 0 else {
          index &+= 8
          continue
        }
        index &+= marked.trailingZeroBitCount / 8
      } else if bytes[index] != 0xFF {
        index &+= 1
        continue
      }
      let code = bytes[index &+ 1]
      if code != 0x00 && code != 0xFF && !(0xD0...0xD7).contains(code) {
        place = index + 2
        return code
      }
      // A fill byte may be the first one of a marker.
      index &+= code == 0xFF ? 1 : 2
    }
    place = index
    return nil
  }

  /// Returns a value whose lowest set bit is in the first of the eight bytes from `index` on that is 0xFF, whose complement is 0; 0 if
  /// none is (Warren, "Hacker's Delight", 6-1).
  @inline(__always)
  private static func markerBytes(in bytes: Span<UInt8>, at index: Int) -> UInt64 {
    let word = UInt64(littleEndian: bytes.word(at: index))
    return (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080
  }

  /// The frame header (B.2.2).
  private struct Frame {
    let width: Int
    let height: Int
    let isProgressive: Bool
    let isArithmetic: Bool
    let blockCount: Int
    let componentCount: Int

    init(_ marker: UInt8, _ content: Span<UInt8>) throws(DecodeError) {
      let kind = marker & 0x0F
      guard kind <= 2 || kind == 9 || kind == 10 else {
        let name = [3, 7, 11, 15].contains(kind) ? "lossless JPEG" : "hierarchical JPEG"
        throw DecodeError(
          code: .unsupportedFormat, message: "\(name) is not supported; send baseline JPEG or PNG")
      }
      guard content.count >= 6, content.count >= 6 + 3 * Int(content[5]), content[5] > 0 else {
        throw DecodeError(code: .truncated, message: "JPEG ends within its frame header")
      }
      guard content[0] == 8 else {
        throw DecodeError(
          code: .unsupportedFormat,
          message: "JPEG of \(content[0]) bits a sample is not supported; send 8 bits")
      }
      height = Int(content[1]) << 8 | Int(content[2])
      width = Int(content[3]) << 8 | Int(content[4])
      guard width > 0, height > 0 else {
        throw DecodeError(
          code: .corrupt,
          message: "JPEG is \(width) × \(height) pixels; each side must be 1...65535")
      }
      isProgressive = kind == 2 || kind == 10
      isArithmetic = kind >= 9
      let components = Int(content[5])
      componentCount = components
      var samples: [(across: Int, down: Int)] = []
      for component in 0..<components {
        let factors = content[6 + 3 * component + 1]
        samples.append((max(1, Int(factors >> 4)), max(1, Int(factors & 15))))
      }
      let across = samples.map(\.across).max()!
      let down = samples.map(\.down).max()!
      var blocks = 0
      for sample in samples {
        let columns = (width * sample.across + across - 1) / across
        let rows = (height * sample.down + down - 1) / down
        blocks += (columns + 7) / 8 * ((rows + 7) / 8)
      }
      blockCount = blocks
    }
  }
}
