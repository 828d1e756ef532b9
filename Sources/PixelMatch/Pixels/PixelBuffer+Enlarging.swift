extension PixelBuffer {
  /// Returns the image with a longer side of `side`, as RGBA in sRGB; returns the image itself if it is large enough.
  ///
  /// Interpolates with Keys's cubic (R. Keys, "Cubic convolution interpolation for digital image processing", 1981,
  /// <https://doi.org/10.1109/TASSP.1981.1163711>), in integers.
  ///
  /// - Complexity: O(pixels of the result).
  package func enlarged(toLongerSide side: Int) -> PixelBuffer {
    let longer = max(width, height)
    guard longer < side else { return self }
    let (columns, rows) = Self.enlargedSize(of: (width, height), toLongerSide: side)
    let source = reduced(toLongerSide: longer)
    let wide = CubicLines(from: width, to: columns).lengthened(
      source.bytes, count: height, pixelStride: 4, lineStrides: (4 * width, 4 * columns))
    let whole = CubicLines(from: height, to: rows).lengthened(
      wide, count: columns, pixelStride: 4 * columns, lineStrides: (4, 4))
    return PixelBuffer(pixels: whole, width: columns, height: rows)
  }

  /// Returns the size of an image with a longer side of `side` and an aspect ratio as close as whole pixels allow; returns `size` itself if
  /// it is large enough.
  static func enlargedSize(
    of size: (width: Int, height: Int), toLongerSide side: Int
  ) -> (width: Int, height: Int) {
    let longer = max(size.width, size.height)
    // A file that was truncated while it is read has images without a size.
    guard longer < side, longer > 0 else { return size }
    func scaled(_ length: Int) -> Int { max(1, (2 * length * side + longer) / (2 * longer)) }
    return (scaled(size.width), scaled(size.height))
  }
}

/// Lines of pixels that become longer.
private struct CubicLines {
  /// The sum of the weights of a pixel.
  private static let one: Int32 = 1 << 14

  /// The four pixels that each new one comes from; beyond the ends of a line, its last pixel.
  private let sources: [SIMD4<Int>]
  private let weights: [SIMD4<Int32>]

  init(from: Int, to: Int) {
    // The place of a new pixel's center among those of the old ones, in units of 1 / (2 · to) of a pixel.
    let places = (0..<to).map { (2 * $0 + 1) * from - to }
    let firsts = places.map { ($0 + 2 * to) / (2 * to) - 1 }
    sources = firsts.map { first in
      let near = (first - 1...first + 2).map { max(0, min(from - 1, $0)) }
      return SIMD4(near)
    }
    weights = zip(places, firsts).map { place, first in
      Self.weights(at: Double(place - 2 * to * first) / Double(2 * to))
    }
  }

  /// Returns the weights of the four pixels around a place, `0..<1` of a pixel behind the second of them.
  private static func weights(at place: Double) -> SIMD4<Int32> {
    let (square, cube) = (place * place, place * place * place)
    let exact = SIMD4(
      2 * square - place - cube, 3 * cube - 5 * square + 2, 4 * square + place - 3 * cube,
      cube - square)
    var weights = SIMD4<Int32>(exact / 2 * Double(one), rounding: .toNearestOrAwayFromZero)
    // The pixel that is nearest takes what rounding leaves, so that the weights add up exactly.
    weights[place < 0.5 ? 1 : 2] += one - weights.wrappedSum()
    return weights
  }

  /// Returns lines of pixels of four bytes, made longer.
  ///
  /// - Parameters:
  ///   - count: The number of lines.
  ///   - pixelStride: The distance of two pixels of a line in bytes, in both images.
  ///   - lineStrides: The distance of two lines in bytes, in the image and in the longer one.
  func lengthened(
    _ bytes: [UInt8], count: Int, pixelStride: Int, lineStrides: (Int, Int)
  ) -> [UInt8] {
    var longer = [UInt8](repeating: 0, count: 4 * count * sources.count)
    for line in 0..<count {
      for (index, (near, weights)) in zip(sources, weights).enumerated() {
        let from = near &* pixelStride &+ line * lineStrides.0
        let to = index * pixelStride + line * lineStrides.1
        for channel in 0..<4 {
          let values = SIMD4<Int32>(
            Int32(bytes[from[0] + channel]), Int32(bytes[from[1] + channel]),
            Int32(bytes[from[2] + channel]), Int32(bytes[from[3] + channel]))
          let sum = (values &* weights).wrappedSum() &+ Self.one / 2
          longer[to + channel] = UInt8(max(0, min(255, sum >> 14)))
        }
      }
    }
    return longer
  }
}
