internal import CImage

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
    let (width, count) = (buffer.width, buffer.width * buffer.height)
    (self.width, height) = (width, buffer.height)
    // Sound: every row has four bytes a pixel, and each of its pixels is written where it stands.
    pixels = unsafe [SIMD3<Float>](unsafeUninitializedCapacity: count) { pixels, pixelCount in
      let colors = unsafe UnsafeMutableRawPointer(pixels.baseAddress!)
        .assumingMemoryBound(to: Float.self)
      buffer.forEachRGBARow { row, y in
        unsafe row.withUnsafeBufferPointer { row in
          unsafe ci_oklab(
            row.baseAddress!, width, Self.linear, colors + 4 * width * y, ci_kernel_level())
        }
      }
      pixelCount = count
    }
  }

  /// Lends the colors as four floats each, the last of which means nothing.
  ///
  /// Sound: that is how a vector of three lies in memory.
  func withColors<Result>(_ body: (UnsafePointer<Float>) -> Result) -> Result {
    unsafe pixels.withUnsafeBytes { bytes in
      unsafe body(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
    }
  }

  /// sRGB's transfer curve, from a byte to linear light in `0...1` (IEC 61966-2-1).
  static let linear: [Float] = (0..<256).map { byte in
    let value = Double(byte) / 255
    return Float(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
  }
}
