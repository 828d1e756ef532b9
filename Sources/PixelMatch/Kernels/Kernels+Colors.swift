internal import CKernels

/// Colors in Oklab: lightness, *a* and *b*.
extension Kernels {
  /// Converts the cube roots of the three cones' responses to Oklab.
  static func oklab(ofCones cones: SIMD3<Float>) -> SIMD3<Float> {
    let color = ck_oklab_of_cones(cones[0], cones[1], cones[2])
    return SIMD3(color.lightness, color.a, color.b)
  }

  /// Appends a row of RGBA pixels in Oklab.
  ///
  /// - Parameters:
  ///   - rgba: Four bytes a pixel.
  ///   - linear: The linear light of each of 256 bytes.
  ///   - colors: Receives a color for each pixel.
  func appendOklab(
    of rgba: Span<UInt8>, linear: Span<Float>, to colors: inout [SIMD3<Float>]
  ) {
    let count = Self.pixelCount(rgba)
    precondition(linear.count == 256, "a byte has 256 values")
    guard count > 0 else { return }
    colors.append(addingCapacity: count) { free in
      // Sound: the row has four bytes per pixel, there is room for all of them, and a vector of three floats occupies
      // four floats in memory.
      unsafe rgba.withUnsafeBufferPointer { rgba in
        unsafe linear.withUnsafeBufferPointer { linear in
          unsafe free.withUnsafeMutableBufferPointer { free, filled in
            let floats = unsafe UnsafeMutableRawPointer(free.baseAddress!).assumingMemoryBound(
              to: Float.self)
            unsafe ck_oklab(rgba.baseAddress!, count, linear.baseAddress!, floats, level)
            filled += count
          }
        }
      }
    }
  }

  /// Computes the weights of pixels: the cube of 1 / (1 + 5 *d*), where *d* is the squared distance from the center,
  /// times how surely the pixel does not belong to a plain background, 0.03 to 1.
  ///
  /// - Parameters:
  ///   - across: The squared distance of each column.
  ///   - down: The squared distance of each row.
  ///   - ground: The color of the background, or `nil` if there is none.
  func colorWeights(
    _ colors: Span<SIMD3<Float>>, across: [Float], down: [Float], ground: SIMD3<Float>?
  ) -> [Float] {
    let (width, height) = (across.count, down.count)
    precondition(
      colors.count == width * height, "\(colors.count) colors for \(width) × \(height) pixels")
    let ground = ground.map { [$0[0], $0[1], $0[2]] }
    // Sound: there is a color for each pixel, a vector of three floats occupies four floats in memory, the background
    // has three, and as many weights are written as there are pixels.
    return unsafe [Float](unsafeUninitializedCapacity: colors.count) { weights, count in
      unsafe colors.withUnsafeBytes { colors in
        let colors = unsafe colors.baseAddress?.assumingMemoryBound(to: Float.self)
        guard let colors = unsafe colors, let weights = weights.baseAddress else { return }
        unsafe ck_color_weights(
          colors, width, height, across, down, ground, weights, level)
      }
      count = colors.count
    }
  }

  /// Distributes the weight of each color over the bins around it.
  ///
  /// - Returns: The sums of 192 bins; that of lightness *l*, *a* and *b* is at `64 l + 8 a + b`. The total is that of
  ///   the weights.
  func colorBins(
    _ colors: Span<SIMD3<Float>>, weights: Span<Float>
  ) -> (bins: [Float], total: Float) {
    let count = colors.count
    precondition(weights.count == count, "\(weights.count) weights for \(count) colors")
    var bins = [Float](repeating: 0, count: Int(CK_COLOR_BINS))
    guard count > 0 else { return (bins, 0) }
    // Sound: there is a weight for each color, a vector of three floats occupies four floats in
    // memory, and the result has room for all bins.
    let total = unsafe colors.withUnsafeBytes { colors in
      unsafe weights.withUnsafeBufferPointer { weights in
        unsafe ck_color_bins(
          colors.baseAddress!.assumingMemoryBound(to: Float.self), weights.baseAddress!, count,
          &bins, level)
      }
    }
    return (bins, total)
  }

  /// Distributes the differences between every other pixel and those `reach` to its right and below
  /// it over the surrounding bins, each times the weight of the pixel.
  ///
  /// - Returns: The sums of 64 bins; that of steps of lightness *l*, *a* and *b* is at `16 l + 4 a + b`.
  ///   The total counts each weight as often as it was added.
  func stepBins(
    _ colors: Span<SIMD3<Float>>, weights: Span<Float>, width: Int, height: Int, reach: Int
  ) -> (bins: [Float], total: Float) {
    precondition(width >= 1 && height >= 1 && reach >= 1, "an image or a step of no pixels")
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
