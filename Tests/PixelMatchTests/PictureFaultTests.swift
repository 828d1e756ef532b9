@testable import PixelMatch
import TestSupport
import Testing

/// Images that show no single thing.
@Suite struct PictureFaultTests {
  private static func picture(
    _ width: Int, _ height: Int, _ color: (_ x: Int, _ y: Int) -> [UInt8]
  ) throws -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height { for x in 0..<width { bytes += color(x, y) } }
    return try PixelBuffer(width: width, height: height, format: .rgb8, bytes: bytes)
  }

  /// Draws lines of letters of some strokes, with an optional thing beside them.
  private static func text(lines: Int, letters: Int = 14, thing: Int = 0) throws -> PixelBuffer {
    try picture(400, 300) { x, y in
      let (column, row) = ((x - 30) / 24, (y - 30) / 40)
      let (dx, dy) = ((x - 30) % 24, (y - 30) % 40)
      let isLetter =
        x >= 30 && y >= 30 && column < letters && row < lines && dx < 14 && dy < 20
        && (dx < 4 || dy < 4 || (column + row) % 3 == 0 && dy > 15)
      let isThing = x > 380 - thing && y > 280 - thing && x < 380 && y < 280
      return isLetter ? [20, 20, 40] : isThing ? [180, 40, 30] : [250, 248, 245]
    }
  }

  /// Puts scenes beside each other with gaps of a color.
  private static func collage(_ columns: Int, _ rows: Int, gap: Int) throws -> PixelBuffer {
    let scenes = (0..<columns * rows).map {
      SyntheticPicture.scene(width: 160, height: 160, seed: UInt64($0 + 1))
    }
    let pixels = try scenes.map { try ImageDecoder().decode($0.jpeg(quality: 95)).packedRGBA }
    let side = 160 + gap
    return try picture(columns * side + gap, rows * side + gap) { x, y in
      let (column, row) = ((x - gap) / side, (y - gap) / side)
      let (dx, dy) = ((x - gap) % side, (y - gap) % side)
      guard x >= gap, y >= gap, dx < 160, dy < 160, column < columns, row < rows else {
        return [252, 252, 252]
      }
      let start = 4 * (dy * 160 + dx)
      return Array(pixels[row * columns + column][start..<start + 3])
    }
  }

  /// Would break if an image of a thing with some words on it were taken for text.
  @Test func `text is told from a thing with words on it`() throws {
    #expect(PictureFault.isText(try Self.text(lines: 4)))
    #expect(PictureFault.isText(try Self.text(lines: 2)))
    #expect(!PictureFault.isText(try Self.text(lines: 1)))
    #expect(!PictureFault.isText(try Self.text(lines: 2, letters: 4)))
    #expect(!PictureFault.isText(try Self.text(lines: 2, thing: 120)))
    #expect(!PictureFault.isText(try Self.picture(40, 30) { _, _ in [255, 255, 255] }))
    #expect(!PictureFault.isText(try Self.picture(1, 1) { _, _ in [0, 0, 0] }))
    #expect(!PictureFault.isText(SyntheticPicture.scene(width: 300, height: 200, seed: 3)))
  }

  /// Would break if things on a plain ground, or a frame around an image, were taken for several images.
  @Test func `several images are told from several things`() throws {
    for (columns, rows) in [(2, 2), (2, 1), (1, 3), (3, 3)] {
      #expect(PictureFault.isCollage(try Self.collage(columns, rows, gap: 8)))
    }
    #expect(!PictureFault.isCollage(try Self.collage(1, 1, gap: 12)))
    #expect(!PictureFault.isCollage(try Self.text(lines: 4)))
    let things = try Self.picture(300, 200) { x, y in
      (40..<120).contains(x) && (60..<140).contains(y)
        || (180..<260).contains(x) && (60..<140).contains(y) ? [30, 90, 160] : [255, 255, 255]
    }
    #expect(!PictureFault.isCollage(things))
    #expect(!PictureFault.isCollage(try Self.picture(40, 30) { _, _ in [9, 9, 9] }))
    #expect(!PictureFault.isCollage(try Self.picture(1, 1) { _, _ in [9, 9, 9] }))
  }

  /// Would break if an image of a shop were taken for text or a collage.
  @Test func `images of a shop are neither`() throws {
    for name in ["mug-red", "oats", "tea-mint", "notebook", "blanket-red", "coffee-tin"] {
      let picture = try ImageDecoder().decode(
        ImageDecoder().contents(ofFile: SampleShop.image("\(name).jpg")))
      #expect(!PictureFault.isText(picture) && !PictureFault.isCollage(picture), "\(name)")
    }
  }
}
