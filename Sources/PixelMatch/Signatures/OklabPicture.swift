#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small picture in Oklab, where equal distances look about equally different.
///
/// Every step uses additions, multiplications, divisions and square roots only, which IEEE 754
/// rounds the same way everywhere, so that histograms agree bit for bit on any processor.
///
/// Source: Ottosson, "A perceptual color space for image processing", 2020,
/// <https://bottosson.github.io/posts/oklab/>.
struct OklabPicture: Sendable, Hashable {
  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  /// Row-major: lightness in `0...1`, then *a* (green to red) and *b* (blue to yellow) in about ±0.3.
  let pixels: [SIMD3<Float>]

  init(width: Int, height: Int, pixels: [SIMD3<Float>]) {
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  /// Converts an sRGB picture of any format.
  ///
  /// - Complexity: O(pixels), three cube roots each: reduce the picture first.
  init(_ buffer: PixelBuffer) {
    width = buffer.width
    height = buffer.height
    var pixels: [SIMD3<Float>] = []
    pixels.reserveCapacity(width * height)
    let linear = Self.linear
    let columns = width
    buffer.forEachRGBARow { row, _ in
      for x in 0..<columns {
        pixels.append(
          Self.oklab(
            red: linear[Int(row[4 &* x])], green: linear[Int(row[4 &* x &+ 1])],
            blue: linear[Int(row[4 &* x &+ 2])]))
      }
    }
    self.pixels = pixels
  }

  /// Oklab of one color, from linear light in `0...1`.
  static func oklab(red: Float, green: Float, blue: Float) -> SIMD3<Float> {
    let cones = SIMD4<Float>(
      0.412_221_47 * red + 0.536_332_55 * green + 0.051_445_995 * blue,
      0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue,
      0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue, 1)
    let roots = cubeRoots(cones)
    let (l, m, s) = (roots[0], roots[1], roots[2])
    return SIMD3(
      0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
      1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
      0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s)
  }

  /// Cube roots of four numbers in `0...1`, to within 10⁻⁴ of themselves: a fortieth of the least
  /// step of a byte.
  ///
  /// A third of the exponent as the first guess, then one of Halley's steps. Numbers below 10⁻²⁰
  /// count as that, which no color is.
  static func cubeRoots(_ numbers: SIMD4<Float>) -> SIMD4<Float> {
    let x = numbers.replacing(with: 1e-20, where: numbers .< 1e-20)
    let root = SIMD4<Float>(guess(x[0]), guess(x[1]), guess(x[2]), guess(x[3]))
    let cube = root * root * root
    return root * (cube + x + x) / (cube + cube + x)
  }

  @inline(__always)
  private static func guess(_ x: Float) -> Float {
    Float(bitPattern: x.bitPattern / 3 &+ 709_921_077)
  }

  /// sRGB's transfer curve, from a byte to linear light in `0...1` (IEC 61966-2-1).
  static let linear: [Float] = (0..<256).map { byte in
    let value = Double(byte) / 255
    return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
  }
}
