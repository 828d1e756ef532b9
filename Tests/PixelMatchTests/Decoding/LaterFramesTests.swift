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
    let files = Array(LaterFrames(of: bytes, .webp) { false }.files)
    #expect(!files.isEmpty)
    for file in files where ImageFormat.webp.isReadable {
      let (own, first) = (try ImageDecoder().decode(file.bytes), try ImageDecoder().decode(bytes))
      #expect(own.width == first.width && own.height == first.height)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `no bytes lead beyond the file`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes =
      seed % 2 == 0
      ? Self.gif([(0, 0), (0, 1), (0, 2)]) : PictureVector.bytes(of: "../loaded/animated.webp")
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      bytes[Int.random(in: 6..<bytes.count, using: &generator)] = .random(
        in: 0...255, using: &generator)
    }
    bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &generator))
    let files = LaterFrames(of: bytes, seed % 2 == 0 ? .gif : .webp) { false }.files
    #expect(files.allSatisfy { $0.bytes.count <= bytes.count + 1 })
  }
}
