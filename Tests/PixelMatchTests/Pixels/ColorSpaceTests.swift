@testable import PixelMatch
import TestSupport
import Testing

@Suite struct ColorSpaceTests {
  private static let (width, height) = (60, 40)
  private static let standard = SyntheticPicture.pattern(width: width, height: height, seed: 3)

  private static func buffer(
    _ bytes: [UInt8], _ space: RGBColorSpace, _ format: PixelFormat = .rgba8
  ) throws -> PixelBuffer {
    try PixelBuffer(
      width: width, height: height, format: format, colorSpace: space, bytes: bytes)
  }

  private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.indices.map { $0 % 4 == 0 ? bytes[$0 + 2] : $0 % 4 == 2 ? bytes[$0 - 2] : bytes[$0] }
  }

  @Test(arguments: [PixelFormat.rgba8, .bgra8])
  func `a buffer in Display P3 has rows in sRGB`(format: PixelFormat) throws {
    let pixels = ColorProfileFile.displayP3.pixels(of: Self.standard)
    let bytes = format == .bgra8 ? Self.swapped(pixels) : pixels
    let rows = rgba(try Self.buffer(bytes, .displayP3, format))
    let expected = ColorProfileFile.displayP3.standardPixels(of: pixels)
    #expect(zip(rows, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    #expect(rows != pixels)
  }

  @Test func `gray is the same in Display P3`() throws {
    let gray = (0..<Self.width * Self.height).flatMap { index -> [UInt8] in
      [UInt8(index & 255), UInt8(index & 255), UInt8(index & 255), 255]
    }
    #expect(rgba(try Self.buffer(gray, .displayP3)) == gray)
  }

  /// By the matrices of CSS Color 4 (17), Display P3's red is (1.093, −0.227, −0.150) in sRGB, which is
  /// clipped, and its (102, 153, 102) is (85.1, 154.7, 96.5).
  @Test func `colors outside sRGB are clipped`() throws {
    let pixels = try PixelBuffer(
      width: 2, height: 1, format: .rgb8, colorSpace: .displayP3,
      bytes: [255, 0, 0, 102, 153, 102])
    let converted = rgba(pixels)
    #expect(Array(converted[..<4]) == [255, 0, 0, 255])
    #expect(converted[4] == 85 && converted[5] == 155 && (96...97).contains(converted[6]))
  }

  @Test(arguments: [60, 31, 7])
  func `a reduced copy is in sRGB`(limit: Int) throws {
    let pixels = ColorProfileFile.displayP3.pixels(of: Self.standard)
    let reduced = try Self.buffer(pixels, .displayP3).reduced(toLongerSide: limit)
    #expect(reduced.colorSpace == .sRGB)
    let stored = rgba(try Self.buffer(pixels, .sRGB).reduced(toLongerSide: limit))
    let expected = ColorProfileFile.displayP3.standardPixels(of: stored)
    #expect(zip(rgba(reduced), expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
  }

  @Test func `a cropped part is in sRGB`() throws {
    let pixels = ColorProfileFile.displayP3.pixels(of: Self.standard)
    let picture = try Self.buffer(pixels, .displayP3)
    let part = picture.cropped(x: 10..<50, y: 5..<20)
    #expect(part.colorSpace == .sRGB)
    let start = 4 * (5 * Self.width + 10)
    #expect(Array(rgba(part)[..<4]) == Array(rgba(picture)[start..<start + 4]))
  }

  /// Pins every bit: another C library's `pow` must not move a color.
  @Test func `the conversion has the same bits everywhere`() {
    var samples: [UInt8] = []
    for red in stride(from: 0, to: 256, by: 5) {
      for green in stride(from: 0, to: 256, by: 15) {
        for blue in stride(from: 0, to: 256, by: 51) {
          samples += [UInt8(red), UInt8(green), UInt8(blue), 255]
        }
      }
    }
    for conversion in [
      RGBConversion.displayP3,
      RGBConversion(from: .bt2020, decoding: TransferFunction.bt709.light)!,
    ] {
      conversion.convert(&samples, 0..<samples.count / 4)
    }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in samples { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    #expect(hash == 3_658_998_329_107_346_918)
  }

  @Test(arguments: [
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3], [0, 0, 0, 0, 0, 0, 0, 0],
    [0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 1, 0], [9, 9, 9, 9, 9, 9, 9, 9],
  ])
  func `primaries that span no space have no conversion`(values: [Double]) {
    func color(_ index: Int) -> RGBPrimaries.Chromaticity {
      RGBPrimaries.Chromaticity(values[2 * index], values[2 * index + 1])
    }
    let primaries = RGBPrimaries(red: color(0), green: color(1), blue: color(2), white: color(3))
    let conversion = RGBConversion(from: primaries, decoding: { $0 })
    #expect(conversion.map { _ in true } == nil)
  }
}
