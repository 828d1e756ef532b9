#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small image in Oklab, a color space in which equal distances look about equally different.
///
/// Every step uses additions, multiplications, divisions and square roots only, which IEEE 754
/// rounds the same way everywhere, so that histograms agree bit for bit on every processor.
///
/// Source: Ottosson, "A perceptual color space for image processing", 2020,
/// <https://bottosson.github.io/posts/oklab/>.
struct OklabPicture: Sendable, Hashable {
  /// The number of columns.
  let width: Int
  /// The number of rows.
  let height: Int
  /// The pixels, row-major: lightness in `0...1`, then *a* (green to red) and *b* (blue to yellow)
  /// in about ±0.3.
  let pixels: [SIMD3<Float>]

  init(width: Int, height: Int, pixels: [SIMD3<Float>]) {
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  /// Converts an sRGB image of any format.
  ///
  /// A cube root starts with a third of the exponent, followed by one step of Halley's method. Its
  /// error is at most 10⁻⁴: a fortieth of the smallest step of a byte.
  ///
  /// - Complexity: O(pixels), three cube roots each: reduce the image first.
  init(_ buffer: PixelBuffer) {
    var pixels: [SIMD3<Float>] = []
    pixels.reserveCapacity(buffer.width * buffer.height)
    buffer.forEachRGBARow { row, _ in
      Kernels.native.appendOklab(of: row, linear: Self.linear.span, to: &pixels)
    }
    self.init(width: buffer.width, height: buffer.height, pixels: pixels)
  }

  /// The transfer curve of sRGB, from a byte to linear light in `0...1` (IEC 61966-2-1).
  static let linear: [Float] = (0..<256).map { byte in
    let value = Double(byte) / 255
    return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
  }
}
