/// The frames of an animated PNG (PNG, third edition, 4.8 and 11.3.6). The default image is that of an ordinary PNG; programs that
/// play the animation do not show it unless it is the first frame.
extension LaterFrames {
  /// The types of chunks, as numbers: a file may have millions of them, too many to make a text of each.
  private enum Chunk {
    static let pixels = 0x4944_4154
    static let frame = 0x6663_544C
    static let framePixels = 0x6664_4154
    static let end = 0x4945_4E44
    /// The chunks of the file that count for all frames: `PLTE`, `tRNS`, `sBIT`, `gAMA`, `cHRM`, `sRGB`, `iCCP`, `cICP` and `eXIf`.
    static let shared: Set<Int> = [
      0x504C_5445, 0x7452_4E53, 0x7342_4954, 0x6741_4D41, 0x6348_524D, 0x7352_4742, 0x6943_4350,
      0x6349_4350, 0x6558_4966,
    ]
  }

  /// The end of the header, IHDR, with the signature before it.
  private static let headerEnd = 33
  /// The most bytes of pixels in a chunk of a file that is made, between two questions whether to stop.
  private static let partByteCount = AskingPace.pixels

  /// Returns the default image, and the frames after it up to one that is cut off. The bytes of the default image are empty.
  static func framesOfPNG(
    _ bytes: [UInt8], _ shouldStop: () -> Bool
  ) throws(DecodeError) -> [Frame] {
    guard bytes.count > headerEnd else { return [] }
    var frames: [Frame] = []
    var open: (start: Int, box: ImageRectangle, hasPixels: Bool)?
    var pace = AskingPace()
    var place = headerEnd
    while place + 12 <= bytes.count, frames.count < limit {
      if pace.isTime(), shouldStop() { throw .cancelled }
      let (length, type) = (number(bytes, at: place), number(bytes, at: place + 4))
      let end = place + 12 + length
      guard end <= bytes.count else { break }
      if type == Chunk.pixels, frames.isEmpty {
        let size = ImageRectangle(
          x: 0, y: 0, width: number(bytes, at: 16), height: number(bytes, at: 20))
        frames.append(Frame(bytes: place..<place, box: size))
      }
      if type == Chunk.framePixels, length > 4 { open?.hasPixels = true }
      if type == Chunk.frame || type == Chunk.end {
        if let frame = open, frame.hasPixels {
          frames.append(Frame(bytes: frame.start..<place, box: frame.box))
        }
        open = nil
      }
      if type == Chunk.end { break }
      if type == Chunk.frame, length == 26, !frames.isEmpty {
        let box = ImageRectangle(
          x: number(bytes, at: place + 20), y: number(bytes, at: place + 24),
          width: number(bytes, at: place + 12), height: number(bytes, at: place + 16))
        open = (end, box, false)
      }
      place = end
    }
    return frames
  }

  /// Returns a PNG with the pixels of a frame.
  ///
  /// - Parameter head: The bytes before the default image.
  /// - Throws: ``DecodeError`` with the code `cancelled`.
  static func png(
    of frame: Frame, _ head: Range<Int>, in bytes: [UInt8], _ shouldStop: () -> Bool
  ) throws(DecodeError) -> [UInt8] {
    var file = Array(bytes[..<8])
    let size = bigEndian(frame.box.width) + bigEndian(frame.box.height)
    append(0x4948_4452, size + bytes[24..<29], to: &file)
    for chunk in chunks(in: headerEnd..<head.upperBound, of: bytes)
    where Chunk.shared.contains(number(bytes, at: chunk.lowerBound + 4)) {
      file += bytes[chunk]
    }
    for chunk in chunks(in: frame.bytes, of: bytes)
    where number(bytes, at: chunk.lowerBound + 4) == Chunk.framePixels {
      // Four bytes before the pixels are a number of the chunk, and four behind them a checksum.
      var start = chunk.lowerBound + 12
      while start < chunk.upperBound - 4 {
        if shouldStop() { throw .cancelled }
        let end = min(start + partByteCount, chunk.upperBound - 4)
        append(Chunk.pixels, Array(bytes[start..<end]), to: &file)
        start = end
      }
    }
    append(Chunk.end, [], to: &file)
    return file
  }

  /// Appends a chunk with its length and checksum.
  private static func append(_ type: Int, _ content: [UInt8], to file: inout [UInt8]) {
    file += bigEndian(content.count)
    let body = bigEndian(type) + content
    file += body
    file += bigEndian(Int(PNGColorChunks.checksum(body.span)))
  }

  /// Returns the places of the chunks in a range that ends behind a chunk.
  private static func chunks(
    in range: Range<Int>, of bytes: [UInt8]
  ) -> some Sequence<Range<Int>> {
    sequence(state: range.lowerBound) { (place: inout Int) -> Range<Int>? in
      guard place < range.upperBound else { return nil }
      let chunk = place..<place + 12 + number(bytes, at: place)
      place = chunk.upperBound
      return chunk
    }
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> Int {
    Int(bytes[place]) << 24 | Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8
      | Int(bytes[place + 3])
  }
}
