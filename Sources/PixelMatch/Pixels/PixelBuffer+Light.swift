extension PixelBuffer {
  /// The number of shares of the pixels of which the brightest one is mostly white, or a reflection of the light.
  private static let shares = 10
  /// The factors of a channel below which the light is neutral already, and above which what is brightest has a color of its own.
  private static let gains = 1.03...1.8

  /// Returns the image as it would be in white light, or `nil` if its light is white, or is to stop.
  ///
  /// The mean of the brightest tenth becomes neutral (the "white patch" of Retinex: Land and McCann, "Lightness and Retinex theory", 1971, of a
  /// share of the pixels instead of one). Alpha is kept.
  ///
  /// - Complexity: O(pixels).
  package func inNeutralLight(shouldStop: () -> Bool) -> PixelBuffer? {
    var pixels = packedRGBA
    let gains = Self.gains(of: pixels)
    guard !shouldStop(), Self.gains.contains(gains.max()) else { return nil }
    let table = (0..<3).map { channel in
      (0...255).map { UInt8(min(255, (Double($0) * gains[channel]).rounded())) }
    }
    for start in stride(from: 0, to: pixels.count, by: 4) {
      for channel in 0..<3 {
        pixels[start + channel] = table[channel][Int(pixels[start + channel])]
      }
    }
    return shouldStop() ? nil : PixelBuffer(pixels: pixels, width: width, height: height)
  }

  /// Returns the factors of the channels that make the brightest pixels neutral, the smallest of them 1.
  private static func gains(of pixels: [UInt8]) -> SIMD3<Double> {
    var counts = [Int](repeating: 0, count: 256)
    var sums = [SIMD3<Int>](repeating: .zero, count: 256)
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let color = SIMD3(
        Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]))
      // The lightness of ITU-R BT.601.
      let bin = (299 * color.x + 587 * color.y + 114 * color.z) / 1000
      counts[bin] += 1
      sums[bin] &+= color
    }
    var (count, sum) = (0, SIMD3<Int>.zero)
    for bin in counts.indices.reversed() where shares * count < pixels.count / 4 {
      count += counts[bin]
      sum &+= sums[bin]
    }
    guard sum.min() > 0 else { return SIMD3(repeating: 1) }
    let means = SIMD3(Double(sum.x), Double(sum.y), Double(sum.z))
    return means.max() / means
  }
}
