internal import CKernels

/// Colors in Oklab: lightness, *a* and *b*.
extension Kernels {
  /// Converts the cube roots of the three cones' responses to Oklab.
  static func oklab(ofCones cones: SIMD3<Float>) -> SIMD3<Float> {
    let color = ck_oklab_of_cones(cones[0], cones[1], cones[2])
    return SIMD3(color.lightness, color.a, color.b)
  }

  /// Converts a row of RGBA pixels to Oklab.
  ///
  /// - Parameters:
  ///   - rgba: Four bytes a pixel.
  ///   - linear: The linear light of each of 256 bytes.
  ///   - out: Receives a color for each pixel, the first at `start`.
  func oklab(
    _ rgba: Span<UInt8>, linear: Span<Float>, into out: inout [SIMD3<Float>],
    at start: Int
  ) {
    let count = Self.pixelCount(rgba)
    precondition(linear.count == 256, "a byte has 256 values")
    precondition(start >= 0 && start <= out.count - count, "there is no room for the row")
    guard count > 0 else { return }
    // Sound: the row has four bytes per pixel, `out` has room for all of them from `start` on, and
    // a vector of three floats occupies four floats in memory.
    unsafe rgba.withUnsafeBufferPointer { rgba in
      unsafe linear.withUnsafeBufferPointer { linear in
        unsafe out.withUnsafeMutableBytes { out in
          let floats = unsafe out.baseAddress!.assumingMemoryBound(to: Float.self)
          unsafe ck_oklab(
            rgba.baseAddress!, count, linear.baseAddress!, floats + 4 * start, level)
        }
      }
    }
  }

  /// Distributes the weight of each color over the bins around it.
  ///
  /// - Returns: The sums of 192 bins; that of lightness *l*, *a* and *b* is at `64 l + 8 a + b`.
  func colorBins(_ colors: Span<SIMD3<Float>>, weights: Span<Float>) -> [Float] {
    let count = colors.count
    precondition(weights.count == count, "\(weights.count) weights for \(count) colors")
    var bins = [Float](repeating: 0, count: Int(CK_COLOR_BINS))
    guard count > 0 else { return bins }
    // Sound: there is a weight for each color, a vector of three floats occupies four floats in
    // memory, and the result has room for all bins.
    unsafe colors.withUnsafeBytes { colors in
      unsafe weights.withUnsafeBufferPointer { weights in
        unsafe ck_color_bins(
          colors.baseAddress!.assumingMemoryBound(to: Float.self), weights.baseAddress!, count,
          &bins, level)
      }
    }
    return bins
  }

  /// Distributes the differences between every other pixel and those `reach` to its right and below
  /// it over the surrounding bins, each times the weight of the pixel.
  ///
  /// - Returns: The sums of 64 bins; that of steps of lightness *l*, *a* and *b* is at `16 l + 4 a + b`.
  ///   The total counts each weight as often as it was added.
  func stepBins(
    _ colors: Span<SIMD3<Float>>, weights: Span<Float>, width: Int, height: Int, reach: Int
  ) -> (bins: [Float], total: Float) {
    precondition(width >= 1 && height >= 1 && reach >= 1, "a picture or a step of no pixels")
    precondition(
      colors.count == width * height && weights.count == width * height,
      "\(colors.count) colors and \(weights.count) weights for \(width) × \(height) pixels")
    var bins = [Float](repeating: 0, count: Int(CK_STEP_BINS))
    // Sound: there is a color and a weight for each pixel, a vector of three floats occupies four
    // floats in memory, and the result has room for all bins.
    let total = unsafe colors.withUnsafeBytes { colors in
      unsafe weights.withUnsafeBufferPointer { weights in
        unsafe ck_step_bins(
          colors.baseAddress!.assumingMemoryBound(to: Float.self), weights.baseAddress!, width,
          height, reach, &bins, level)
      }
    }
    return (bins, total)
  }
}
