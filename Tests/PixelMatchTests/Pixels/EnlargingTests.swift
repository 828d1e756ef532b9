import TestSupport
import Testing

@testable import PixelMatch

/// Enlarges images.
@Suite struct EnlargingTests {
  /// Returns a gray image whose brightness is a function of the place.
  private func gray(_ width: Int, _ height: Int, _ value: (Int, Int) -> Int) -> PixelBuffer {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        pixels += repeatElement(UInt8(value(x, y)), count: 3) + [255]
      }
    }
    return PixelBuffer(pixels: pixels, width: width, height: height)
  }

  /// Would break if an image that is large enough changed, or if a long or narrow one lost its shape.
  @Test(arguments: [
    (width: 10, height: 10, to: [40, 40]), (30, 3, [40, 4]), (1, 39, [1, 40]), (39, 1, [40, 1]),
    (40, 7, [40, 7]), (41, 2, [41, 2]), (1, 1, [40, 40]),
  ])
  func `the longer side grows to the size asked for`(
    _ size: (width: Int, height: Int, to: [Int])
  ) {
    let image = gray(size.width, size.height) { x, y in (x * 31 + y * 17) % 256 }
    let enlarged = image.enlarged(toLongerSide: 40)
    #expect([enlarged.width, enlarged.height] == size.to)
    if max(size.width, size.height) >= 40 {
      #expect(enlarged.packedRGBA == image.packedRGBA)
    }
  }

  /// Would break if a segment that was truncated while it is searched ended the program: its images have no size.
  @Test func `an image without a size has none when it is enlarged`() {
    #expect(PixelBuffer.enlargedSize(of: (0, 0), toLongerSide: 320) == (0, 0))
  }

  /// Would break if the weights of a pixel were far from adding up, or if it were taken from beyond the edge.
  @Test(arguments: [0, 1, 127, 254, 255])
  func `a plain area stays as it is`(_ value: Int) {
    let enlarged = gray(7, 5) { _, _ in value }.enlarged(toLongerSide: 61)
    let plain = gray(enlarged.width, enlarged.height) { _, _ in value }
    #expect(enlarged.packedRGBA == plain.packedRGBA)
  }

  /// Would break if a pixel moved, or if another cubic were used: the reference computes each pixel by itself, in floating point, by
  /// the formula of the paper.
  @Test(arguments: [(9, 23), (16, 40), (10, 39)])
  func `pixels are those of Keys's cubic`(_ from: Int, _ to: Int) {
    var generator = SeededGenerator(seed: UInt64(from))
    let values = (0..<from).map { _ in Int.random(in: 0...255, using: &generator) }
    func kernel(_ distance: Double) -> Double {
      let s = abs(distance)
      if s < 1 { return 1.5 * s * s * s - 2.5 * s * s + 1 }
      return s < 2 ? -0.5 * s * s * s + 2.5 * s * s - 4 * s + 2 : 0
    }
    let line = gray(from, 1) { x, _ in values[x] }.enlarged(toLongerSide: to).packedRGBA
    let column = gray(1, from) { _, y in values[y] }.enlarged(toLongerSide: to)
    for index in 0..<to {
      let place = (Double(index) + 0.5) * Double(from) / Double(to) - 0.5
      let near = Int(place.rounded(.down)) - 1
      let exact = (near...near + 3).reduce(0.0) { sum, source in
        sum + kernel(place - Double(source)) * Double(values[max(0, min(from - 1, source))])
      }
      let expected = max(0, min(255, exact))
      #expect(abs(Double(line[4 * index]) - expected) <= 0.51, "\(index)")
      #expect(line[4 * index] == column.packedRGBA[4 * column.width * index])
    }
  }

  /// Would break if the image of a shop or a query were signed as it is: both must have keypoints of like sizes.
  @Test func `signatures are those of an enlarged image`() {
    let small = SyntheticPicture.scene(width: 90, height: 60, seed: 5)
    let large = small.enlarged(toLongerSide: Signature.leastSide)
    let (own, other) = (Signature(small), Signature(large))
    #expect(own.pdq == other.pdq && own.keypoints == other.keypoints && own.color == other.color)
    #expect(own.layout == other.layout && own.texture == other.texture)
    #expect(QuerySignature(small) == QuerySignature(large))
    // The stored size is that of the image before it was enlarged, so that a small image can be recognized as such.
    #expect(own.width == 90 && own.height == 60)
  }
}
