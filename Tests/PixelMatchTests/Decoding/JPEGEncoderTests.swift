import PixelMatch
import TestSupport
import Testing

/// Encoded images must decode to nearly the same pixels.
@Suite struct JPEGEncoderTests {
  @Test(arguments: [(1, 1), (7, 3), (16, 16), (17, 33), (480, 320)])
  func `what is encoded is decoded alike`(width: Int, height: Int) throws {
    let bytes = (0..<width * height).flatMap { place -> [UInt8] in
      let (x, y) = (place % width, place / width)
      return [UInt8(255 * x / max(1, width)), UInt8(255 * y / max(1, height)), 90, 255]
    }
    let picture = try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes)
    let decoded = try ImageDecoder().decode(picture.jpeg(quality: 95))
    #expect(decoded.width == width && decoded.height == height)
    let difference = zip(decoded.bytes, bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    // Chroma is stored at half size: steep changes in tiny images lose some of it.
    #expect(difference <= 12 * bytes.count)
  }

  /// The memory for a file is allocated before its size is known: noise at full quality takes the
  /// most.
  @Test(arguments: 0..<4 as Range<UInt64>) func `noise has room enough`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (width, height) = (64 + Int(seed), 65)
    let bytes = (0..<4 * width * height).map { _ in
      Bool.random(using: &generator) ? UInt8(255) : 0
    }
    let picture = try PixelBuffer(width: width, height: height, format: .bgra8, bytes: bytes)
    #expect(try ImageDecoder().decode(picture.jpeg(quality: 100)).width == width)
  }
}
