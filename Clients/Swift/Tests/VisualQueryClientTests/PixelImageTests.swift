import Foundation
import Testing

@testable import VisualQueryClient

/// Would break if images were uploaded at full size, in wrong colors, or as files that cannot be read.
@Suite struct PixelImageTests {
  @Test(arguments: [
    (4000, 3000, 1024, 768), (3000, 4000, 768, 1024), (800, 600, 800, 600), (1024, 1, 1024, 1),
    (30000, 3, 1024, 1), (1025, 1024, 1024, 1023),
  ])
  func `the longer side becomes the limit, and no side 0`(
    width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    let size = PixelImage.size(width: width, height: height, longSide: 1024)
    #expect(size == (expectedWidth, expectedHeight))
  }

  @Test func `a buffer's order and padding are those of its rows`() throws {
    let bytes: [UInt8] = [
      1, 2, 3, 255, 4, 5, 6, 255, 99, 99,
      7, 8, 9, 255, 10, 11, 12, 255,
    ]
    let image = try #require(
      PixelImage(width: 2, height: 2, order: .bgra, bytesPerRow: 10, bytes: bytes))
    #expect(image.rgb == [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10])
    #expect(PixelImage(width: 2, height: 3, order: .bgra, bytesPerRow: 10, bytes: bytes) == nil)
    #expect(PixelImage(width: 0, height: 3, bytes: bytes) == nil)
    #expect(PixelImage(width: 3, height: 1, order: .rgba, bytesPerRow: 8, bytes: bytes) == nil)
  }

  @Test func `a scaled pixel is the mean of those that it covers`() throws {
    let image = try #require(
      PixelImage(
        width: 2, height: 2, bytes: [0, 10, 20, 4, 10, 20, 8, 10, 21, 12, 10, 21] as [UInt8]))
    #expect(image.scaled(toLongSide: 1).rgb == [6, 10, 21])
    #expect(image.scaled(toLongSide: 2) == image)
  }

  /// The checksums are those of zlib's `crc32` and `adler32`, computed with Python.
  @Test func `a PNG file has the chunks and checksums of the format`() throws {
    let image = try #require(PixelImage(width: 1, height: 1, bytes: [1, 2, 3] as [UInt8]))
    let hex = image.png.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    #expect(
      hex == "89504e470d0a1a0a" + "0000000d49484452000000010000000108020000" + "00907753de"
        + "0000000f49444154" + "7801010400fbff00010203000e0007" + "2da233ec"
        + "0000000049454e44ae426082")
  }
}
