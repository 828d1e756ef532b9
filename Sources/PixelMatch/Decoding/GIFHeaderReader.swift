/// Parses the blocks of a GIF (GIF89a, 17 to 27) up to its first image, before giflib reads any byte.
enum GIFHeaderReader {
  static func header(
    of bytes: Span<UInt8>, limits: DecodeLimits, _ shouldStop: () -> Bool
  ) throws(DecodeError) -> ImageHeader {
    func truncated() -> DecodeError {
      DecodeError(
        code: .truncated, message: "GIF has \(bytes.count) bytes and no image in them")
    }
    func byte(_ place: Int) throws(DecodeError) -> Int {
      guard place < bytes.count else { throw truncated() }
      return Int(bytes[place])
    }
    func number(_ place: Int) throws(DecodeError) -> Int {
      try byte(place) | byte(place + 1) << 8
    }
    let flags = try byte(10)
    // A table of colors has 2, 4, … 256 entries of three bytes.
    var pace = AskingPace()
    var place = 13 + (flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1))
    while true {
      switch try byte(place) {
      case 0x21:
        place += 2
        while true {
          if pace.isTime(), shouldStop() { throw .cancelled }
          let length = try byte(place)
          place += 1 + length
          if length == 0 { break }
        }
      case 0x2C:
        let (width, height) = (try number(place + 5), try number(place + 7))
        let isInterlaced = try byte(place + 9) & 0x40 != 0
        guard width > 0, height > 0 else {
          throw DecodeError(
            code: .corrupt,
            message: "GIF is \(width) × \(height) pixels; each side must be at least 1")
        }
        return ImageHeader(
          format: .gif, width: width, height: height, orientation: .up,
          isProgressive: isInterlaced, scanCount: 1, blockCount: 0, isArithmetic: false,
          componentCount: 3, colors: [], pixels: 0..<bytes.count, keptBytesPerPixel: 0)
      case 0x3B:
        throw DecodeError(code: .corrupt, message: "GIF has no image")
      default:
        throw DecodeError(code: .corrupt, message: "GIF has an unknown block at byte \(place)")
      }
    }
  }
}
