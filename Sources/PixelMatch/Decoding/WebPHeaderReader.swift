/// Parses the chunks of a WebP (RFC 9649, 2) on bounds-checked memory, before libwebp reads any byte.
enum WebPHeaderReader {
  /// The largest number of chunks before the pixels, more than any real image has.
  private static let chunkCountLimit = 100

  static func header(
    of bytes: Span<UInt8>, limits: DecodeLimits
  ) throws(DecodeError) -> ImageHeader {
    var found = Found()
    var place = 12
    var end = bytes.count
    var chunks = 0
    while found.size == nil, place + 8 <= end {
      let (type, length) = (name(bytes, place), number(bytes, place + 4, 4))
      let content = place + 8..<min(end, place + 8 + length)
      chunks += 1
      guard chunks <= chunkCountLimit else {
        throw DecodeError(
          code: .tooMuchWork,
          message: "WebP has more than \(chunkCountLimit) chunks before its pixels")
      }
      if type == "ANMF" {
        // A frame begins with 16 bytes of its own, then its chunks follow.
        guard content.count > 16 else { break }
        place = content.lowerBound + 16
        (end, found.pixels) = (content.upperBound, place..<content.upperBound)
        continue
      }
      try found.add(type, content, in: bytes, limits)
      place += 8 + length + length % 2
    }
    guard let (width, height) = found.size else {
      throw DecodeError(
        code: .truncated, message: "WebP has \(bytes.count) bytes and no frame header in them")
    }
    // The metadata follow the pixels.
    found.addMetadata(after: place, in: bytes)
    return ImageHeader(
      format: .webp, width: width, height: height, orientation: found.orientation,
      isProgressive: false, scanCount: 1, blockCount: 0, isArithmetic: false, componentCount: 3,
      colors: found.colors, pixels: found.pixels ?? 0..<bytes.count,
      keptBytesPerPixel: found.isLossless ? 4 : found.hasAlpha ? 1 : 0)
  }

  /// The parts of the chunks that were read.
  private struct Found {
    var size: (width: Int, height: Int)?
    /// The bytes of the first frame of an animation.
    var pixels: Range<Int>?
    var isLossless = false
    var hasAlpha = false
    var orientation = Orientation.up
    var colors: [DeclaredColor] = []

    mutating func add(
      _ type: String, _ content: Range<Int>, in bytes: Span<UInt8>, _ limits: DecodeLimits
    ) throws(DecodeError) {
      let start = content.lowerBound
      switch type {
      case "VP8 " where content.count >= 10:
        // The frame begins with a tag of three bytes and a start code of three bytes. Then come two
        // sizes of 14 bits (RFC 6386, 9.1).
        size = (number(bytes, start + 6, 2) & 0x3FFF, number(bytes, start + 8, 2) & 0x3FFF)
      case "VP8L" where content.count >= 5:
        let bits = number(bytes, start + 1, 4)
        size = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        isLossless = true
      case "ALPH": hasAlpha = true
      case "ICCP":
        try limits.check(profileByteCount: content.count, of: .webp)
        colors = [.profile([content])]
      default: break
      }
    }

    mutating func addMetadata(after start: Int, in bytes: Span<UInt8>) {
      var place = start
      // At most a few chunks of metadata follow: EXIF and XMP.
      for _ in 0..<4 where place + 8 <= bytes.count {
        let length = number(bytes, place + 4, 4)
        if name(bytes, place) == "EXIF", place + 8 + length <= bytes.count {
          let content = bytes.extracting(place + 8..<place + 8 + length)
          // Some writers put the EXIF prefix of a JPEG before the data.
          orientation =
            EXIFOrientation.orientation(inTIFF: content)
            ?? EXIFOrientation.orientation(inAPP1: content) ?? .up
          return
        }
        place += 8 + length + length % 2
      }
    }
  }

  /// Returns a number of `count` bytes, the lowest first.
  private static func number(_ bytes: Span<UInt8>, _ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }

  private static func name(_ bytes: Span<UInt8>, _ place: Int) -> String {
    String(decoding: (0..<4).map { bytes[place + $0] }, as: UTF8.self)
  }
}
