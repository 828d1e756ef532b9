extension PixelBuffer {
  /// Returns a part of the image as RGBA.
  ///
  /// - Precondition: The part is not empty and lies within the image.
  /// - Complexity: O(pixels above its lower edge).
  package func cropped(x: Range<Int>, y: Range<Int>) -> PixelBuffer {
    precondition(
      !x.isEmpty && !y.isEmpty && x.lowerBound >= 0 && y.lowerBound >= 0 && x.upperBound <= width
        && y.upperBound <= height, "the part lies outside the image")
    var pixels: [UInt8] = []
    pixels.reserveCapacity(4 * x.count * y.count)
    if isOpaqueRGBA && colorSpace == .sRGB {
      for row in y {
        let start = row * bytesPerRow
        pixels += bytes[start + 4 * x.lowerBound..<start + 4 * x.upperBound]
      }
      return PixelBuffer(pixels: pixels, width: x.count, height: y.count)
    }
    forEachRGBARow { row, number in
      guard y.contains(number) else { return }
      for index in 4 * x.lowerBound..<4 * x.upperBound { pixels.append(row[index]) }
    }
    return PixelBuffer(pixels: pixels, width: x.count, height: y.count)
  }
}
