/// A texture histogram of an image: 96 bins of two kinds.
///
/// Patterns: rotation-invariant uniform local binary patterns of brightness at three sizes of the
/// image (Ojala, Pietikäinen, Mäenpää, "Multiresolution gray-scale and rotation invariant texture
/// classification with local binary patterns", TPAMI 2002,
/// <https://doi.org/10.1109/TPAMI.2002.1017623>). Pixels without contrast, for example those of a
/// studio background, do not count.
///
/// Steps: the differences of lightness and color, in Oklab, between pixels a fortieth of the image
/// apart. A net of lemons and a yellow carton have the same colors, but not the same steps.
package struct TextureHistogram: Sendable, Hashable {
  /// The number of bins.
  package static let binCount = 96

  /// The bins, each `255 × √share`. Pattern *p* at size *s* is at `10 s + p`; 30 and 31 hold the
  /// share of pixels with contrast at the first and at the last size; steps of lightness *l*, *a*
  /// and *b* in four grades each are at `32 + 16 l + 4 a + b`.
  package let bins: [UInt8]

  /// Makes a histogram from its bins.
  ///
  /// - Precondition: `bins` has ``binCount`` elements.
  package init(bins: [UInt8]) {
    precondition(bins.count == Self.binCount, "a texture histogram has \(Self.binCount) bins")
    self.bins = bins
  }

  /// Returns the sum of the absolute differences of the bins.
  package func distance(to other: TextureHistogram) -> Int {
    var sum = 0
    for index in 0..<Self.binCount { sum += abs(Int(bins[index]) - Int(other.bins[index])) }
    return sum
  }

  /// The histogram as signatures keep it, in sixteen grades a bin.
  var graded: TextureHistogram { TextureHistogram(bins: HistogramGrade.graded(bins)) }
}

extension TextureHistogram {
  /// The pyramid levels that are used: 1/2, 1/3 and 1/4 of the working image.
  private static let levels = [2, 3, 4]

  /// Counts the patterns and the steps of an image. If the image is too small for a level, it has
  /// no patterns there.
  ///
  /// - Complexity: O(pixels).
  init(_ pyramid: LumaPyramid, _ colors: OklabPicture, weights: PixelWeights) {
    self.init(bins: Self.patterns(of: pyramid) + Self.steps(of: colors, weights))
  }

  private static func patterns(of pyramid: LumaPyramid) -> [UInt8] {
    var bins = [UInt8](repeating: 0, count: 32)
    for (place, level) in Self.levels.enumerated() where level < pyramid.planes.count {
      let plane = pyramid.planes[level]
      let counts = Kernels.native.textureCounts(
        plane.luma.span, width: plane.width, height: plane.height)
      let textured = counts[0..<10].reduce(0, +)
      for pattern in 0..<10 where textured > 0 {
        bins[10 * place + pattern] = Self.byte(counts[pattern], of: textured)
      }
      let share = Self.byte(textured, of: textured + counts[10])
      if place == 0 { bins[30] = share }
      if place == 2 { bins[31] = share }
    }
    return bins
  }

  /// Returns the histogram of the steps from every other pixel to those to its right and below it,
  /// each distributed over the two nearest grades along each axis. Grades follow the root of the
  /// step: small steps are the most frequent and the most significant.
  private static func steps(of colors: OklabPicture, _ weights: PixelWeights) -> [UInt8] {
    let (width, height) = (colors.width, colors.height)
    let (shares, total) = Kernels.native.stepBins(
      colors.pixels.span, weights: weights.weights.span, width: width, height: height,
      reach: max(1, (max(width, height) + 20) / 40))
    guard total > 0 else { return [UInt8](repeating: 0, count: shares.count) }
    return shares.map { UInt8(min(255, (255 * ($0 / total).squareRoot()).rounded())) }
  }

  private static func byte(_ count: UInt32, of total: UInt32) -> UInt8 {
    UInt8((255 * (Float(count) / Float(total)).squareRoot()).rounded())
  }
}
