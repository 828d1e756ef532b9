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
    let wide = Kernels.native.lengthenedRows(
      source.bytes, CubicPlaces(from: width, to: columns))
    let whole = Kernels.native.lengthenedColumns(
      wide, rowBytes: 4 * columns, CubicPlaces(from: height, to: rows))
    return PixelBuffer(pixels: whole, width: columns, height: rows)
  }

  /// Returns the size of an image with a longer side of `side` and an aspect ratio as close as whole pixels allow; returns `size` itself if
  /// it is large enough.
  static func enlargedSize(
    of size: (width: Int, height: Int), toLongerSide side: Int
  ) -> (width: Int, height: Int) {
    let longer = max(size.width, size.height)
    // The size is zero if the image's file was truncated while it was read.
    guard longer < side, longer > 0 else { return size }
    func scaled(_ length: Int) -> Int { max(1, (2 * length * side + longer) / (2 * longer)) }
    return (scaled(size.width), scaled(size.height))
  }
}

extension CubicPlaces {
  /// The places of `to` pixels on a line of `from`, of which there are fewer.
  init(from: Int, to: Int) {
    // The place of a new pixel's center among those of the old ones, in units of 1 / (2 · to) of a pixel.
    let places = (0..<to).map { (2 * $0 + 1) * from - to }
    self.init(
      of: from,
      places.map { place in
        let first = (place + 2 * to) / (2 * to) - 1
        // Beyond the ends of a line, its last pixel is repeated.
        let near = (first - 1...first + 2).map { max(0, min(from - 1, $0)) }
        return (SIMD4(near), Self.weights(at: Double(place - 2 * to * first) / Double(2 * to)))
      })
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
}
