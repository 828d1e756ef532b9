/// Parses the chunks of a PNG (ISO/IEC 15948, 5.3) on bounds-checked memory, before libpng reads
/// any byte.
enum PNGHeaderReader {
  /// The largest accepted number of chunks besides pixels and texts, more than any real image has.
  static let chunkCountLimit = 1000
  /// The largest accepted number of texts. Each is skipped in less than a microsecond; tools that keep
  /// metadata write some thousands.
  static let textCountLimit = 100_000
  /// The largest number of bytes of a row, which libpng decodes in one call: 2 MiB, of 262 144 pixels with 16 bits in each of four channels. Rows of real images
  /// have some 200 KB.
  private static let rowByteLimit = 1 << 21
  /// The number of channels of each color type (PNG, 11.2.1).
  private static let channels: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
  /// The number of chunks between two questions whether to stop: a file may have millions of empty ones.
  private static let chunksPerQuestion = 1 << 12
  /// The type of the chunks that hold pixels, IDAT, as a number. A file may have millions of them, too many to make a text of each.
  private static let pixelType = 0x4944_4154
  private static let texts: Set<String> = ["tEXt", "zTXt", "iTXt"]

  static func header(
    of bytes: Span<UInt8>, limits: DecodeLimits, _ shouldStop: () -> Bool
  ) throws(DecodeError) -> ImageHeader {
    func number(_ offset: Int) -> Int {
      Int(bytes[offset]) << 24 | Int(bytes[offset + 1]) << 16 | Int(bytes[offset + 2]) << 8
        | Int(bytes[offset + 3])
    }
    func name(_ offset: Int) -> String {
      String(decoding: (0..<4).map { bytes[offset + $0] }, as: UTF8.self)
    }
    guard bytes.count >= 33 else {
      throw DecodeError(
        code: .truncated, message: "PNG has \(bytes.count) bytes; its header alone has 33")
    }
    guard name(12) != "CgBI" else {
      throw DecodeError(
        code: .unsupportedFormat,
        message: """
          PNG of Xcode (CgBI), which only Apple's systems read, is not supported; send the original \
          file, or convert it with 'xcrun pngcrush -revert-iphone-optimizations'
          """)
    }
    guard number(8) == 13, name(12) == "IHDR" else {
      throw DecodeError(
        code: .corrupt, message: "PNG does not begin with an IHDR chunk of 13 bytes")
    }
    let (width, height) = (number(16), number(20))
    guard width > 0, height > 0, width < 1 << 31, height < 1 << 31 else {
      throw DecodeError(
        code: .corrupt, message: "PNG is \(width) × \(height) pixels; each side must be at least 1")
    }
    try limits.check(width: width, height: height)
    let rowByteCount = (width * Int(bytes[24]) * (channels[bytes[25]] ?? 1) + 7) / 8
    guard rowByteCount <= rowByteLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: "PNG has rows of \(rowByteCount) bytes; the limit is \(rowByteLimit)")
    }
    var orientation = Orientation.up
    var place = 33
    var chunks = 0
    var (textCount, textBytes) = (0, 0)
    var colors = PNGColorChunks()
    var hasPixels = false
    var pace = AskingPace(steps: chunksPerQuestion)
    while place + 8 <= bytes.count {
      if pace.isTime(), shouldStop() { throw .cancelled }
      let length = number(place)
      if number(place + 4) == pixelType {
        hasPixels = true
        place += 12 + length
        continue
      }
      let type = name(place + 4)
      if type == "IEND" { break }
      if type == "PLTE", length % 3 != 0 {
        throw DecodeError(
          code: .corrupt,
          message: "PNG is damaged: its palette has \(length) bytes; each color has 3")
      }
      if texts.contains(type) {
        textCount += 1
        textBytes += length
      } else {
        chunks += 1
      }
      guard chunks <= chunkCountLimit, textCount <= textCountLimit else {
        throw DecodeError(
          code: .tooMuchWork,
          message: chunks > chunkCountLimit
            ? "PNG has more than \(chunkCountLimit) chunks besides its pixels and texts"
            : "PNG has more than \(textCountLimit) texts")
      }
      guard length <= limits.chunkByteLimit, textBytes <= limits.chunkByteLimit else {
        throw DecodeError(
          code: .tooMuchWork,
          message: """
            PNG has \(max(length, textBytes)) bytes in \(type) chunks; the limit is \
            \(limits.chunkByteLimit)
            """)
      }
      if !hasPixels { colors.add(type, at: place + 4, length: length, in: bytes) }
      // An orientation after the pixels is ignored (https://github.com/w3c/png/issues/310).
      if type == "eXIf", !hasPixels, place + 8 + length <= bytes.count {
        let content = bytes.extracting(place + 8..<place + 8 + length)
        orientation = EXIFOrientation.orientation(inTIFF: content) ?? orientation
      }
      place += 12 + length
    }
    return ImageHeader(
      format: .png, width: width, height: height, orientation: orientation,
      isProgressive: bytes[28] == 1, scanCount: 1, blockCount: 0, isArithmetic: false,
      // Bit 1 of the color type stands for color (PNG, 11.2.1).
      componentCount: bytes[25] & 2 == 0 ? 1 : 3, colors: colors.declarations,
      pixels: 0..<bytes.count, keptBytesPerPixel: 0)
  }
}
