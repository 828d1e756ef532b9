#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The comparison with a query that has no color.
extension AlignedColor {
  /// Returns the lightness of the gray that cameras and filters make of a color in Oklab: that of the same luma
  /// (ITU-R BT.601), which is not the lightness of the color itself.
  static func grayLightness(of color: SIMD3<Float>) -> Float {
    let roots = cones(color)
    let responses = roots * roots * roots
    // From cone responses to linear sRGB (Ottosson, "A perceptual color space for image processing", 2020).
    let red = (SIMD3<Float>(4.076_741_7, -3.307_711_6, 0.230_969_93) * responses).sum()
    let green = (SIMD3<Float>(-1.268_438, 2.609_757_4, -0.341_319_4) * responses).sum()
    let blue = (SIMD3<Float>(-0.004_196_086, -0.703_418_6, 1.707_614_7) * responses).sum()
    let luma = 0.299 * encoded(red) + 0.587 * encoded(green) + 0.114 * encoded(blue)
    // All three cones respond to a gray with its linear value, and its lightness is the cube root of that.
    return cbrt(decoded(luma))
  }

  /// The sRGB transfer function (IEC 61966-2-1).
  private static func encoded(_ linear: Float) -> Float {
    linear <= 0.003_130_8 ? 12.92 * max(0, linear) : 1.055 * pow(linear, 1 / 2.4) - 0.055
  }

  private static func decoded(_ value: Float) -> Float {
    value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// Returns the root of the mean squared difference of the lightness.
  static func lightnessDifference(_ cells: [Cell]) -> Double {
    let squares = cells.reduce(Float.zero) { sum, cell in
      let difference =
        Kernels.oklab(ofCones: cell.seen)[0] - Kernels.oklab(ofCones: cell.kept)[0]
      return sum + difference * difference
    }
    return Double((squares / Float(cells.count)).squareRoot())
  }
}
