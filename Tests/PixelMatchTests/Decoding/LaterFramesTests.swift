@testable import PixelMatch
import TestSupport
import Testing

/// Animations whose first frames show nothing.
@Suite struct LaterFramesTests {
  /// A GIF of 4 × 4 pixels, whose frames have one color each, or two if a frame is to show something.
  ///
  /// - Parameter frames: The indexes of the colors of the two halves of each frame: 0 is white, 1 nearly white, 2 blue.
  private static func gif(_ frames: [(upper: UInt8, lower: UInt8)]) -> [UInt8] {
    var bytes = Array("GIF89a".utf8) + [4, 0, 4, 0, 0x81, 0, 0]
    bytes += [255, 255, 255, 250, 250, 250, 0, 0, 200, 0, 0, 0]
    for frame in frames {
      // The graphics control, the image, and codes of three bits: a clear code before each two pixels keeps their size.
      bytes += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2]
      var (bits, count, data) = (0, 0, [UInt8]())
      func add(_ code: Int) {
        bits |= code << count
        count += 3
        while count >= 8 {
          data.append(UInt8(bits & 255))
          (bits, count) = (bits >> 8, count - 8)
        }
      }
      for pixel in 0..<16 {
        if pixel % 2 == 0 { add(4) }
        add(Int(pixel < 8 ? frame.upper : frame.lower))
      }
      add(5)
      data.append(UInt8(bits & 255))
      bytes += [UInt8(data.count)] + data + [0]
    }
    return bytes + [0x3B]
  }

  private static func files(
    _ bytes: [UInt8], _ format: ImageFormat
  ) throws -> [LaterFrames.File] {
    let frames = try LaterFrames(of: bytes, format) { false }
    return try frames.numbers.compactMap { try frames.file($0) { false } }
  }

  private static func corners(_ bytes: [UInt8]) throws -> (first: [UInt8], last: [UInt8]) {
    let pixels = rgba(try ImageDecoder().decode(bytes))
    return (Array(pixels.prefix(3)), Array(pixels.suffix(4).prefix(3)))
  }

  /// Would break if a product whose animation fades in from white had no image to be found by.
  @Test(.enabled(if: ImageFormat.gif.isReadable), arguments: 1...6)
  func `the first frame that shows something is read`(blank: Int) throws {
    let frames = (0..<blank).map { _ in (UInt8(0), UInt8(1)) } + [(0, 2), (2, 2)]
    let found = try Self.corners(Self.gif(frames))
    #expect(found.first == [255, 255, 255] && found.last == [0, 0, 200])
  }

  @Test(.enabled(if: ImageFormat.gif.isReadable))
  func `the first frame is read if it shows something, or if none does`() throws {
    #expect(try Self.corners(Self.gif([(2, 0), (0, 2)])).first == [0, 0, 200])
    #expect(try Self.corners(Self.gif([(0, 0), (1, 1), (0, 1)])).first == [255, 255, 255])
    #expect(try Self.corners(Self.gif([(2, 2)])).first == [0, 0, 200])
  }

  /// Would break if only whole frames counted: programs that make animations store the part that changes.
  @Test(.enabled(if: ImageFormat.gif.isReadable))
  func `a part is painted over the blank frame`() throws {
    var bytes = Self.gif([(1, 1), (2, 2)])
    // The second image is at column 0 and row 2, and has two rows: the last eight of its pixels are not used.
    let second = Self.gif([(1, 1)]).count - 1 + 8
    (bytes[second + 3], bytes[second + 7]) = (2, 2)
    let found = try Self.corners(bytes)
    #expect(found.first == [250, 250, 250] && found.last == [0, 0, 200])
  }

  /// Would break if damage behind the first frame made an image unreadable that was read before.
  @Test(.enabled(if: ImageFormat.gif.isReadable), arguments: 0..<60)
  func `a file that ends within a later frame is read as far as it goes`(cut: Int) throws {
    let whole = Self.gif([(0, 0), (0, 1), (0, 2)])
    let first = Self.gif([(0, 0)]).count - 1
    guard whole.count - cut >= first else { return }
    let found = try Self.corners(Array(whole.dropLast(cut)))
    #expect(found.first == [255, 255, 255])
  }

  /// Would break if frames behind each other were cut at wrong places: each is a file of its own.
  @Test func `the later frames of an animated WebP are files`() throws {
    let bytes = PictureVector.bytes(of: "../loaded/animated.webp")
    let files = try Self.files(bytes, .webp)
    #expect(!files.isEmpty)
    for file in files where ImageFormat.webp.isReadable {
      let (own, first) = (try ImageDecoder().decode(file.bytes), try ImageDecoder().decode(bytes))
      #expect(own.width == first.width && own.height == first.height)
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `no bytes lead beyond the file`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (format, whole) =
      [
        (ImageFormat.gif, Self.gif([(0, 0), (0, 1), (0, 2)])),
        (.webp, PictureVector.bytes(of: "../loaded/animated.webp")),
        (.png, Self.png([.white, .white, .lowerBlue])),
      ][Int(seed % 3)]
    var bytes = whole
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      bytes[Int.random(in: 6..<bytes.count, using: &generator)] = .random(
        in: 0...255, using: &generator)
    }
    bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &generator))
    let files = try Self.files(bytes, format)
    #expect(files.allSatisfy { $0.bytes.count <= bytes.count + 1 })
  }

  // MARK: PNG

  /// A frame of a PNG of 4 × 4 pixels, or a part of one.
  private struct PNGFrame {
    var x = 0
    var y = 0
    var width = 4
    var height = 4
    /// The indexes of the colors of its upper and lower half: 0 is white, 1 nearly white, 2 blue.
    var upper: UInt8 = 0
    var lower: UInt8 = 0
    /// True if its data are in several chunks.
    var isSplit = false

    static let white = PNGFrame()
    static let nearlyWhite = PNGFrame(upper: 1, lower: 1)
    static let lowerBlue = PNGFrame(upper: 0, lower: 2)
    static let blue = PNGFrame(upper: 2, lower: 2)

    /// The rows, each behind its filter, in a zlib stream that is not compressed.
    var data: [UInt8] {
      var rows: [UInt8] = []
      for row in 0..<height {
        rows.append(0)
        rows += [UInt8](repeating: row < height / 2 ? upper : lower, count: width)
      }
      var (low, high) = (1, 0)
      for byte in rows {
        low = (low + Int(byte)) % 65521
        high = (high + low) % 65521
      }
      let count = UInt8(rows.count)
      let head: [UInt8] = [0x78, 0x01, 1, count, 0, ~count, 255]
      let sum: [Int] = [high >> 8, high & 255, low >> 8, low & 255]
      return head + rows + sum.map { UInt8($0) }
    }
  }

  private static func bigEndian(_ number: Int, bytes: Int = 4) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return bigEndian(content.count) + body + bigEndian(Int(PNGColorChunks.checksum(body.span)))
  }

  /// A PNG with a palette of white, nearly white and blue, whose first frame is the default image.
  ///
  /// - Parameters:
  ///   - isAnimated: False if the default image is no frame of the animation.
  ///   - extra: Chunks before the pixels.
  private static func png(
    _ frames: [PNGFrame], isAnimated: Bool = true, extra: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += chunk("IHDR", bigEndian(4) + bigEndian(4) + [8, 3, 0, 0, 0])
    bytes += chunk("acTL", bigEndian(frames.count - (isAnimated ? 0 : 1)) + bigEndian(0))
    bytes += chunk("PLTE", [255, 255, 255, 250, 250, 250, 0, 0, 200]) + extra
    var sequence = 0
    func next() -> [UInt8] {
      sequence += 1
      return bigEndian(sequence - 1)
    }
    for (index, frame) in frames.enumerated() {
      if index > 0 || isAnimated {
        let sides = [frame.width, frame.height, frame.x, frame.y].flatMap { bigEndian($0) }
        bytes += chunk("fcTL", next() + sides + bigEndian(1, bytes: 2) + [0, 10, 0, 0])
      }
      let parts = frame.isSplit ? frame.data.map { [$0] } : [frame.data]
      for part in parts {
        bytes += index == 0 ? chunk("IDAT", part) : chunk("fdAT", next() + part)
      }
    }
    return bytes + chunk("IEND", [])
  }

  /// Would break if a PNG that fades in from white had no image to be found by, or one whose default image, which
  /// browsers do not show, is blank.
  @Test(arguments: 1...6, [false, true])
  func `the first frame of a PNG that shows something is read`(blank: Int, isAnimated: Bool) throws
  {
    let frames = (0..<blank).map { $0 % 2 == 0 ? PNGFrame.white : .nearlyWhite }
    let found = try Self.corners(Self.png(frames + [.lowerBlue, .blue], isAnimated: isAnimated))
    #expect(found.first == [255, 255, 255] && found.last == [0, 0, 200])
  }

  @Test func `the default image of a PNG is read if it, or no frame, shows something`()
    throws
  {
    #expect(try Self.corners(Self.png([.lowerBlue, .blue])).first == [255, 255, 255])
    #expect(try Self.corners(Self.png([.blue])).first == [0, 0, 200])
    let blank = Self.png([.white, .white, .nearlyWhite], isAnimated: false)
    #expect(try Self.corners(blank).first == [255, 255, 255])
  }

  @Test func `a part of a PNG in several chunks is painted over the blank image`() throws {
    let part = PNGFrame(x: 1, y: 2, width: 3, height: 2, upper: 2, lower: 2, isSplit: true)
    let pixels = rgba(try ImageDecoder().decode(Self.png([.nearlyWhite, part])))
    let row = pixels[48..<64].map(Int.init)
    #expect(row == [250, 250, 250, 255, 0, 0, 200, 255, 0, 0, 200, 255, 0, 0, 200, 255])
    #expect(pixels[0..<32].allSatisfy { $0 >= 250 })
  }

  /// Would break if a part that lies on its side were painted beyond the image.
  @Test func `a part of a PNG that must be turned is not painted`() throws {
    // An orientation of 6 in a TIFF directory of one entry.
    let tiff: [UInt8] =
      Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let part = PNGFrame(x: 0, y: 2, width: 4, height: 2, upper: 2, lower: 2)
    let turned = Self.chunk("eXIf", tiff)
    #expect(try Self.corners(Self.png([.white, part], extra: turned)).first == [255, 255, 255])
    let whole = try Self.corners(Self.png([.white, .lowerBlue], extra: turned))
    #expect(whole.first == [0, 0, 200] && whole.last == [255, 255, 255])
  }

  @Test(arguments: 0..<80)
  func `a PNG that ends within a later frame shows what is before it`(cut: Int) throws {
    let whole = Self.png([.white, .white, .lowerBlue])
    let first = Self.png([.white]).count
    guard whole.count - cut >= first else { return }
    let found = try Self.corners(Array(whole.dropLast(cut)))
    #expect(found.first == [255, 255, 255])
  }

  /// Would break if the chunks of a large frame were copied whatever the deadline.
  @Test func `copying the frames of a PNG can be ended`() throws {
    let frames = try LaterFrames(of: Self.png([.white, .lowerBlue]), .png) { false }
    #expect(throws: DecodeError.self) { try frames.file(1) { true } }
  }
}
