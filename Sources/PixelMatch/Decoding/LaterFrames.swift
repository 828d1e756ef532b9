/// The frames of an animated GIF, WebP or PNG after the first one, each as a file of its own.
///
/// Animations often fade in from one color, or begin with a transparent frame, so that their first frame shows nothing. A later frame may be a part of
/// the image that changes: it is painted over the first one.
struct LaterFrames {
  /// The most frames that are looked at.
  static let limit = 32

  /// A frame of a file.
  struct Frame {
    let bytes: Range<Int>
    let box: ImageRectangle
  }

  /// A rectangle in pixels.
  struct ImageRectangle: Hashable {
    let x, y, width, height: Int
  }

  /// A frame as a file.
  struct File {
    let bytes: [UInt8]
    /// Its place in the first frame.
    let box: ImageRectangle
  }

  private let bytes: [UInt8]
  /// The bytes before the first frame, with the size of the file and the colors of all frames.
  private let head: Range<Int>
  private let frames: [Frame]
  private let format: ImageFormat

  /// Finds the frames; there are none in other formats.
  ///
  /// - Throws: ``DecodeError`` with the code `cancelled`.
  /// - Complexity: O(blocks) of the file, at most of ``limit`` frames.
  init(
    of bytes: [UInt8], _ format: ImageFormat, shouldStop: () -> Bool
  ) throws(DecodeError) {
    frames =
      switch format {
      case .gif: try Self.framesOfGIF(bytes, shouldStop)
      case .webp: Self.framesOfWebP(bytes)
      case .png: try Self.framesOfPNG(bytes, shouldStop)
      default: []
      }
    (self.bytes, self.format) = (bytes, format)
    head =
      0..<(format == .gif ? Self.headEnd(ofGIF: bytes) : frames.first?.bytes.lowerBound ?? 0)
  }

  /// The numbers of the frames after the first one.
  var numbers: Range<Int> { 1..<max(1, frames.count) }

  /// Returns a frame as a file, or `nil` if it does not lie within the first one.
  ///
  /// - Parameters:
  ///   - number: One of the ``numbers``.
  ///   - shouldStop: A function that is called between parts of the file; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError`` with the code `cancelled`.
  func file(_ number: Int, shouldStop: () -> Bool) throws(DecodeError) -> File? {
    let (frame, first) = (frames[number], frames[0].box)
    let box = ImageRectangle(
      x: frame.box.x - first.x, y: frame.box.y - first.y, width: frame.box.width,
      height: frame.box.height)
    guard box.x >= 0, box.y >= 0, box.x + box.width <= first.width,
      box.y + box.height <= first.height
    else { return nil }
    if format == .png {
      return File(bytes: try Self.png(of: frame, head, in: bytes, shouldStop), box: box)
    }
    var file = Array(bytes[head]) + bytes[frame.bytes]
    if format == .gif {
      file.append(0x3B)
    } else {
      let size = UInt32(clamping: file.count - 8)
      for byte in 0..<4 { file[4 + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
    }
    return File(bytes: file, box: box)
  }

  /// Returns a number whose lowest byte is the first.
  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }

  private static func headEnd(ofGIF bytes: [UInt8]) -> Int {
    guard bytes.count > 13 else { return 0 }
    // A table of colors has 2, 4, … 256 entries of three bytes.
    let end = 13 + (bytes[10] & 0x80 == 0 ? 0 : 3 << (Int(bytes[10]) & 7 + 1))
    return min(end, bytes.count)
  }

  /// Returns the frames, each with the extensions before it, up to one that is cut off (GIF89a, 20 to 23).
  private static func framesOfGIF(
    _ bytes: [UInt8], _ shouldStop: () -> Bool
  ) throws(DecodeError) -> [Frame] {
    var frames: [Frame] = []
    var pace = AskingPace()
    var (start, place) = (headEnd(ofGIF: bytes), headEnd(ofGIF: bytes))
    while place + 10 < bytes.count, frames.count < limit {
      let isImage = bytes[place] == 0x2C
      guard isImage || bytes[place] == 0x21 else { break }
      let sides = (0..<4).map { number(bytes, place + 1 + 2 * $0, 2) }
      // The data of an image begin after its colors and the size of its codes.
      let flags = bytes[place + 9]
      place += isImage ? 11 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags) & 7 + 1)) : 2
      while place < bytes.count, bytes[place] != 0 {
        if pace.isTime(), shouldStop() { throw .cancelled }
        place += 1 + Int(bytes[place])
      }
      place += 1
      guard place <= bytes.count else { break }
      if !isImage { continue }
      frames.append(
        Frame(
          bytes: start..<place,
          box: ImageRectangle(x: sides[0], y: sides[1], width: sides[2], height: sides[3])))
      start = place
    }
    return frames
  }

  /// Returns the chunks `ANMF`, up to one that is cut off (RFC 9649, 2.7.1).
  private static func framesOfWebP(_ bytes: [UInt8]) -> [Frame] {
    var frames: [Frame] = []
    var place = 12
    // The first frame is behind a few chunks, and metadata are at the end.
    for _ in 0..<limit + 8 {
      guard place + 8 <= bytes.count else { break }
      let length = number(bytes, place + 4, 4)
      let end = place + 8 + length + length % 2
      guard end <= bytes.count else { break }
      if bytes[place..<place + 4].elementsEqual("ANMF".utf8), length > 16 {
        let sides = (0..<4).map { number(bytes, place + 8 + 3 * $0, 3) }
        frames.append(
          Frame(
            bytes: place..<end,
            box: ImageRectangle(
              x: 2 * sides[0], y: 2 * sides[1], width: sides[2] + 1, height: sides[3] + 1)))
      }
      place = end
    }
    return frames
  }
}

extension PixelBuffer {
  /// The largest difference of a value from the first pixel's in an image that shows nothing.
  private static let blankDifference = 12

  /// Returns whether all pixels have nearly one color.
  ///
  /// - Throws: ``DecodeError`` with the code `cancelled`.
  /// - Complexity: O(pixels), or O(1) for most images that show something.
  func isBlank(_ shouldStop: () -> Bool) throws(DecodeError) -> Bool {
    enum End: Error { case difference, stop }
    var (first, pace) = ([UInt8](), AskingPace())
    do throws(End) {
      try forEachRGBARow { (row, _) throws(End) in
        if pace.isTime(after: width), shouldStop() { throw .stop }
        if first.isEmpty { first = (0..<4).map { row[$0] } }
        for place in 0..<4 * width
        where abs(Int(row[place]) - Int(first[place & 3])) > Self.blankDifference {
          throw .difference
        }
      }
      return true
    } catch {
      if case .stop = error { throw .cancelled }
      return false
    }
  }

  /// Returns an image of the color of the first pixel, on which a part is painted.
  ///
  /// - Parameter box: The place of the part, which lies within the image.
  func painted(
    with part: PixelBuffer, at box: LaterFrames.ImageRectangle, width: Int, height: Int
  ) -> PixelBuffer {
    var color: [UInt8] = []
    forEachRGBARow { row, _ in
      if color.isEmpty { color = (0..<4).map { row[$0] } }
    }
    var pixels = [UInt8](repeating: 255, count: 4 * width * height)
    for place in pixels.indices { pixels[place] = color[place & 3] }
    part.forEachRGBARow { row, y in
      let start = 4 * ((box.y + y) * width + box.x)
      for index in 0..<4 * min(part.width, width - box.x) { pixels[start + index] = row[index] }
    }
    return PixelBuffer(pixels: pixels, width: width, height: height)
  }
}
