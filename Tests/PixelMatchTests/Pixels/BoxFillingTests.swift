import Testing
@testable import PixelMatch

/// Known things are removed from an image before the rest is searched.
@Suite struct BoxFillingTests {
  private func picture(
    width: Int, height: Int, _ color: (Int, Int) -> (UInt8, UInt8, UInt8)
  ) -> PixelBuffer {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (red, green, blue) = color(x, y)
        pixels += [red, green, blue, 255]
      }
    }
    return PixelBuffer(pixels: pixels, width: width, height: height)
  }

  /// Would break if a trace of the removed thing, or an edge around it, were left.
  @Test func `a thing on a plain background leaves the background`() {
    let plain = picture(width: 40, height: 30) { _, _ in (200, 180, 90) }
    let thing = picture(width: 40, height: 30) { x, y in
      let isInside = (10..<30).contains(x) && (6..<24).contains(y)
      return isInside ? (0, UInt8(7 * x), UInt8(9 * y)) : (200, 180, 90)
    }
    let box = ImageBox(x: 10 / 40.0, y: 6 / 30.0, width: 20 / 40.0, height: 18 / 30.0)
    #expect(thing.filling([box], shouldStop: { false })!.packedRGBA == plain.packedRGBA)
  }

  /// Would break if borders of different colors met in an edge.
  @Test func `a gradient goes on through the box`() {
    let gradient = picture(width: 64, height: 64) { x, y in (UInt8(3 * x), UInt8(2 * y + 40), 128) }
    let filled = gradient.filling(
      [ImageBox(x: 0.25, y: 0.25, width: 0.5, height: 0.5)], shouldStop: { false })!
    let (before, after) = (gradient.packedRGBA, filled.packedRGBA)
    for index in before.indices {
      #expect(abs(Int(before[index]) - Int(after[index])) <= 32)
      let (x, y) = (index / 4 % 64, index / 256)
      let isInside = (16..<48).contains(x) && (16..<48).contains(y)
      #expect(isInside || before[index] == after[index])
    }
  }

  @Test(arguments: [
    ImageBox(x: 0, y: 0, width: 1, height: 1), ImageBox(x: -3, y: -1, width: 9, height: 4),
  ])
  func `a box of the whole image becomes white`(box: ImageBox) {
    let red = picture(width: 5, height: 4) { _, _ in (250, 0, 0) }
    #expect(
      red.filling([box], shouldStop: { false })!.packedRGBA == [UInt8](repeating: 255, count: 80))
  }

  @Test(arguments: [
    ImageBox(x: 0.5, y: 0.5, width: 0, height: 0.2), ImageBox(x: 2, y: 0, width: 1, height: 1),
    ImageBox(x: .nan, y: 0.2, width: .nan, height: 0), ImageBox(x: 0.4, y: 0, width: -1, height: 1),
  ])
  func `a box without pixels changes nothing`(box: ImageBox) {
    let red = picture(width: 5, height: 4) { x, _ in (250, UInt8(x), 0) }
    #expect(red.filling([box], shouldStop: { false })!.packedRGBA == red.packedRGBA)
  }
}
