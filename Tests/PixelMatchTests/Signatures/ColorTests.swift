@testable import PixelMatch
import TestSupport
import Testing

@Suite struct ColorTests {
  private func picture(_ bytes: [UInt8], _ width: Int, _ height: Int) throws -> OklabPicture {
    OklabPicture(try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes))
  }

  private func histogram(_ picture: OklabPicture) -> ColorHistogram {
    ColorHistogram(picture, weights: PixelWeights(picture))
  }

  /// Returns the similarity in a catalogue without images, where all colors are equally rare.
  private func likeness(_ a: ColorHistogram, _ b: ColorHistogram) -> Double {
    AppearanceRarity([]).similarity(a, b)
  }

  /// Returns a disc of one color on a background of another.
  private func disc(
    _ color: [UInt8], on ground: [UInt8], side: Int = 64, radius: Int = 20
  ) throws -> OklabPicture {
    var bytes: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (dx, dy) = (x - side / 2, y - side / 2)
        bytes += (dx * dx + dy * dy < radius * radius ? color : ground) + [255]
      }
    }
    return try picture(bytes, side, side)
  }

  @Test func `a red and a blue shirt stay apart`() throws {
    let red = histogram(try disc([200, 30, 40], on: [255, 255, 255]))
    let blue = histogram(try disc([30, 50, 200], on: [255, 255, 255]))
    let darker = histogram(try disc([160, 24, 32], on: [240, 240, 240]))
    #expect(likeness(red, darker) > 0.6)
    #expect(likeness(red, blue) < 0.35)
  }

  /// Would break if a plain background outweighed the object.
  @Test func `a studio background hardly counts`() throws {
    let white = histogram(try disc([200, 30, 40], on: [250, 250, 250]))
    let grey = histogram(try disc([200, 30, 40], on: [150, 150, 150]))
    #expect(likeness(white, grey) > 0.7)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `similarity is symmetric, 1 for itself and within 0 and 1`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let a = Signature.random(using: &generator).color
    let b = Signature.random(using: &generator).color
    #expect(likeness(a, a) == 1)
    #expect(likeness(a, b) == likeness(b, a))
    #expect((0...1).contains(likeness(a, b)))
    #expect(a.distance(to: b) == b.distance(to: a))
  }

  @Test(arguments: [(1, 1), (1, 200), (200, 1), (5, 7), (16, 16), (17, 40)])
  func `every shape has a histogram and a layout`(width: Int, height: Int) throws {
    let bytes = SyntheticPicture.pattern(width: width, height: height, seed: 2)
    let small = try picture(bytes, width, height)
    let root = histogram(small).bins.reduce(0) { $0 + Int($1) * Int($1) }
    // Shares sum to 1, and each bin is rounded.
    #expect(abs(Double(root) / (255 * 255) - 1) < 0.05)
    #expect(ColorLayout(small).bytes.count == ColorLayout.byteCount)
  }

  @Test(arguments: DihedralVariant.allCases)
  func `a turned layout is the layout of the turned picture`(variant: DihedralVariant) throws {
    let side = 64
    var generator = SeededGenerator(seed: 5)
    let bytes = SyntheticPicture.discs(width: side, height: side, using: &generator)
    var turned: [UInt8] = []
    for i in 0..<side {
      for j in 0..<side {
        let (row, column) = source(of: variant, i, j, last: side - 1)
        turned += bytes[4 * (row * side + column)..<4 * (row * side + column) + 4]
      }
    }
    let expected = ColorLayout(try picture(turned, side, side))
    let actual = ColorLayout(try picture(bytes, side, side)).applying(variant)
    // A rotated cell sums its pixels in another order.
    for (a, b) in zip(expected.bytes, actual.bytes) { #expect(abs(Int(a) - Int(b)) <= 1) }
  }

  @Test func `a change of light is a shift, not a residual`() throws {
    let day = ColorLayout(try disc([180, 60, 60], on: [200, 200, 200]))
    let dusk = ColorLayout(try disc([165, 50, 45], on: [185, 186, 180]))
    let blue = ColorLayout(try disc([60, 60, 180], on: [200, 200, 200]))
    let light = day.difference(from: dusk)
    #expect(light.shift > light.residual)
    #expect(day.difference(from: blue).residual > 4 * light.residual)
    #expect(day.difference(from: day).residual < 1e-6)
  }
}
