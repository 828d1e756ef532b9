import TestSupport
import Testing
@testable import PixelMatch

@Suite struct ImageContentTests {
  /// An image of 320 pixels with a box of one color on a ground of another.
  private func layout(
    x: Range<Int>, y: Range<Int>, thing: [UInt8] = [180, 40, 30], ground: [UInt8] = [240, 240, 238]
  ) throws -> ColorLayout {
    var pixels: [UInt8] = []
    for row in 0..<320 {
      for column in 0..<320 {
        pixels += (x.contains(column) && y.contains(row) ? thing : ground) + [255]
      }
    }
    return Signature(try PixelBuffer(width: 320, height: 320, format: .rgba8, bytes: pixels)).layout
  }

  struct Thing: Sendable, CustomTestStringConvertible {
    let x: Range<Int>
    let y: Range<Int>
    var testDescription: String { "\(x) × \(y)" }
  }

  /// Would break if the shadow beside a thing were a part of it.
  @Test func `a shadow is not content`() throws {
    var pixels: [UInt8] = []
    for row in 0..<320 {
      for column in 0..<320 {
        let isThing = (80..<200).contains(row) && (80..<200).contains(column)
        let isShadow = (160..<220).contains(row) && (200..<300).contains(column)
        let shade: UInt8 = isShadow ? 205 : 240
        pixels += isThing ? [210, 150, 20, 255] : [shade, shade, shade, 255]
      }
    }
    let layout = Signature(
      try PixelBuffer(width: 320, height: 320, format: .rgba8, bytes: pixels)
    ).layout
    let box = try #require(ConvexPolygon(hullOf: ImageContent(layout).corners).box)
    #expect(abs((box.x + box.width) * 320 - 200) < 12, "\(box)")
  }

  /// Would break if a background had to be of one color: that of a studio is darker toward the floor.
  @Test func `a background may change from the top to the bottom`() throws {
    var pixels: [UInt8] = []
    for row in 0..<320 {
      for column in 0..<320 {
        let shade = UInt8(230 - row / 3 + (column - 160) * (column - 160) / 1600)
        let isThing = (100..<220).contains(row) && (120..<200).contains(column)
        pixels += isThing ? [20, 90, 70, 255] : [shade, shade, shade, 255]
      }
    }
    let layout = Signature(
      try PixelBuffer(width: 320, height: 320, format: .rgba8, bytes: pixels)
    ).layout
    let box = try #require(ConvexPolygon(hullOf: ImageContent(layout).corners).box)
    for (found, truth) in [(box.x, 120.0), (box.y, 100), (box.width, 80), (box.height, 120)] {
      #expect(abs(found * 320 - truth) < 16, "\(box)")
    }
  }

  /// Would break if the content ended at whole cells, of which there are eight.
  @Test(arguments: [
    Thing(x: 80..<240, y: 80..<240), Thing(x: 95..<230, y: 52..<300),
    Thing(x: 130..<210, y: 20..<155),
  ])
  func `the content ends where the thing does`(thing: Thing) throws {
    let corners = ImageContent(try layout(x: thing.x, y: thing.y)).corners
    let box = try #require(ConvexPolygon(hullOf: corners).box)
    let found = [box.x, box.y, box.x + box.width, box.y + box.height].map { $0 * 320 }
    let truth = [thing.x.lowerBound, thing.y.lowerBound, thing.x.upperBound, thing.y.upperBound]
    for (place, edge) in zip(found, truth) {
      #expect(abs(place - Double(edge)) < 7, "\(found) is not \(truth)")
    }
  }

  @Test func `without a plain ground the content is the image`() throws {
    let scene = SyntheticPicture.scene(width: 320, height: 320, seed: 5)
    let flat = try layout(x: 0..<0, y: 0..<0)
    for layout in [Signature(scene).layout, flat] {
      let box = try #require(ConvexPolygon(hullOf: ImageContent(layout).corners).box)
      #expect(box == ImageBox(x: 0, y: 0, width: 1, height: 1))
    }
  }
}
