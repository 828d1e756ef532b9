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
  /// A cube root begins with a third of the exponent and takes one of Halley's steps, which comes
  /// within 10⁻⁴ of it: a fortieth of the least step of a byte.
  ///
  /// - Complexity: O(pixels), three cube roots each: reduce the picture first.
  init(_ buffer: PixelBuffer) {
    let width = buffer.width
    var pixels = [SIMD3<Float>](repeating: .zero, count: width * buffer.height)
    buffer.forEachRGBARow { row, y in
      Kernels.native.oklab(row, linear: Self.linear.span, into: &pixels, at: y * width)
    }
    self.init(width: width, height: buffer.height, pixels: pixels)
  }

  /// sRGB's transfer curve, from a byte to linear light in `0...1` (IEC 61966-2-1).
  static let linear: [Float] = (0..<256).map { byte in
    let value = Double(byte) / 255
    return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
  }
}
