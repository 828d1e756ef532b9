extension PixelBuffer {
  /// The number of shares of the pixels of which the brightest one is mostly white, or a reflection of the light.
  private static let shares = 10
  /// The factors of a channel below which the light is neutral already, and above which what is brightest has a color of its own.
  private static let gains = 1.03...1.8

  /// The share of the pixels of which the darkest one is mostly black.
  private static let dark = 0.01
  /// The least part of the range that a veil or a low contrast takes, in values of 256.
  private static let leastVeil = 24.0
  /// The most by which a range is stretched: what is left of one that is narrower is noise.
  private static let mostStretch = 2.5

  /// Returns the image as it would be in white light, or `nil` if its light is white, or is to stop.
  ///
  /// The mean of the brightest tenth becomes neutral (the "white patch" of Retinex: Land and McCann, "Lightness and Retinex theory", 1971, of a
  /// share of the pixels instead of one). Alpha is kept.
  ///
  /// - Complexity: O(pixels).
  package func inNeutralLight(shouldStop: () -> Bool) -> PixelBuffer? {
    let pixels = packedRGBA
    let gains = Self.gains(of: pixels).factors
    guard Self.gains.contains(gains.max()) else { return nil }
    return mapped(pixels, shouldStop) { value, channel in value * gains[channel] }
  }

  /// Returns the image as it would be in white light and without a veil, or `nil` if its range is full, or is to stop: the darkest hundredth of its values
  /// becomes black, and its brightest tenth white.
  ///
  /// - Complexity: O(pixels).
  package func inFullRange(shouldStop: () -> Bool) -> PixelBuffer? {
    let pixels = packedRGBA
    let (factors, white) = Self.gains(of: pixels)
    let gains = Self.gains.upperBound >= factors.max() ? factors : SIMD3(repeating: 1)
    let black = Self.darkest(of: pixels)
    guard black + (255 - white) >= Self.leastVeil else { return nil }
    let stretch = 255 / max(1, white - black)
    guard stretch <= Self.mostStretch else { return nil }
    return mapped(pixels, shouldStop) { value, channel in
      (value * gains[channel] - black) * stretch
    }
  }

  /// Returns the image with other values, or `nil` if it is to stop.
  private func mapped(
    _ packed: [UInt8], _ shouldStop: () -> Bool, _ value: (Double, _ channel: Int) -> Double
  ) -> PixelBuffer? {
    var pixels = packed
    if shouldStop() { return nil }
    let table = (0..<3).map { channel in
      (0...255).map { UInt8(max(0, min(255, value(Double($0), channel).rounded()))) }
    }
    for start in stride(from: 0, to: pixels.count, by: 4) {
      for channel in 0..<3 {
        pixels[start + channel] = table[channel][Int(pixels[start + channel])]
      }
    }
    return shouldStop() ? nil : PixelBuffer(pixels: pixels, width: width, height: height)
  }

  /// Returns the value that a hundredth of the pixels has in its darkest channel or less.
  private static func darkest(of pixels: [UInt8]) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for start in stride(from: 0, to: pixels.count, by: 4) {
      counts[Int(min(pixels[start], pixels[start + 1], pixels[start + 2]))] += 1
    }
    var count = 0
    for (value, own) in counts.enumerated() {
      count += own
      if Double(count) >= dark * Double(pixels.count / 4) { return Double(value) }
    }
    return 255
  }

  /// Returns the factors of the channels that make the brightest pixels neutral, the smallest of them 1, and the value that they then have.
  private static func gains(of pixels: [UInt8]) -> (factors: SIMD3<Double>, white: Double) {
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
    guard sum.min() > 0 else { return (SIMD3(repeating: 1), 255) }
    let means = SIMD3(Double(sum.x), Double(sum.y), Double(sum.z))
    return (means.max() / means, means.max() / Double(count))
  }
}
