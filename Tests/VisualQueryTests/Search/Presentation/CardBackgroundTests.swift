import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Would break if a thing lost a part of itself, or a photo its background.
@Suite struct CardBackgroundTests {
  /// An image of 60 × 40 pixels whose pixels a function gives.
  private func image(_ color: (Int, Int) -> [UInt8]) -> [UInt8] {
    (0..<40).flatMap { y in (0..<60).flatMap { x in color(x, y) + [0xFF] } }
  }

  private func isThing(_ x: Int, _ y: Int) -> Bool {
    (20..<40).contains(x) && (10..<30).contains(y)
  }

  private func alpha(_ cut: PlainBackground, _ x: Int, _ y: Int) -> UInt8 {
    cut.pixels[4 * (y * 60 + x) + 3]
  }

  @Test func `a plain light background is cut out, with specks of it, and the thing stays`() throws
  {
    let image = image { x, y in
      isThing(x, y) ? [200, 30, 40] : (x, y) == (5, 5) ? [210, 220, 230] : [252, 254, 250]
    }
    let cut = try #require(PlainBackground(image, width: 60, height: 40))
    for y in 0..<40 {
      for x in 0..<60 { #expect((alpha(cut, x, y) == 0xFF) == isThing(x, y), "\(x), \(y)") }
    }
    #expect(cut.pixels[4 * (20 * 60 + 30)..<4 * (20 * 60 + 30) + 3].elementsEqual([200, 30, 40]))
    let dark = cut.pixels(over: [28, 28, 30])
    #expect(dark.prefix(4).elementsEqual([28, 28, 30, 255]))
  }

  @Test func `light within the thing is not background`() throws {
    let image = image { x, y in
      (25..<35).contains(x) && (15..<25).contains(y)
        ? [255, 255, 255] : isThing(x, y) ? [20, 90, 40] : [255, 255, 255]
    }
    let cut = try #require(PlainBackground(image, width: 60, height: 40))
    #expect(alpha(cut, 30, 20) == 0xFF && alpha(cut, 0, 0) == 0)
  }

  @Test func `an image that does not allow it stays as it is`() {
    // A dark background, a gradient, a thing of the background's color with shading, and nothing at all.
    let images = [
      image { x, y in isThing(x, y) ? [200, 30, 40] : [40, 40, 40] },
      image { x, y in isThing(x, y) ? [200, 30, 40] : [UInt8(200 + x / 2), 230, 240] },
      image { x, y in
        let shade = UInt8(255 - (isThing(x, y) ? 9 + (x + y) % 18 : 0))
        return [shade, shade, shade]
      },
      image { _, _ in [255, 255, 255] },
    ]
    for (number, image) in images.enumerated() {
      #expect(PlainBackground(image, width: 60, height: 40) == nil, "image \(number)")
    }
    #expect(PlainBackground([255, 255, 255, 255], width: 1, height: 1) == nil)
  }

  @Test func `files can be read again`() throws {
    let pixels = image { x, y in isThing(x, y) ? [200, 30, 40] : [255, 255, 255] }
    let buffer = try PixelBuffer(width: 60, height: 40, format: .rgba8, bytes: pixels)
    let decoder = ImageDecoder()
    let png = try #require(try CardBackground.transparent.file(of: buffer, decoder))
    #expect(png.type == "image/png" && png.bytes.count < 2000)
    // Transparent pixels are blended with white.
    let read = try decoder.decode(png.bytes)
    #expect((read.width, read.height) == (60, 40))
    read.forEachRGBARow { row, y in
      for x in 0..<60 {
        #expect(row[4 * x] == (isThing(x, y) ? 200 : 255))
      }
    }
    let dark = try #require(try CardBackground.dark.file(of: buffer, decoder))
    #expect(dark.type == "image/jpeg" && dark.bytes.starts(with: [0xFF, 0xD8]))
  }
}
