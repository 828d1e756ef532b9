/// A color histogram of an image: 192 bins in Oklab, 3 of lightness by 8 of *a* by 8 of *b*.
///
/// A pixel is distributed over the bins around its color, so that a small change of light has a
/// small effect. It weighs more the nearer it is to the center, where people point, and hardly
/// anything if it belongs to a plain studio background. A bin holds the square root of its share,
/// times 255: the sum of absolute differences of such bins told products apart better than the
/// Jensen–Shannon divergence of the shares, and takes one instruction for 16 to 64 bins.
package struct ColorHistogram: Sendable, Hashable {
  /// The number of bins.
  package static let binCount = 192

  /// The bins, each `255 × √share`; that of lightness *l*, *a* and *b* is at `64 l + 8 a + b`.
  package let bins: [UInt8]

  /// Makes a histogram from its bins.
  ///
  /// - Precondition: `bins` has ``binCount`` elements.
  package init(bins: [UInt8]) {
    precondition(bins.count == Self.binCount, "a color histogram has \(Self.binCount) bins")
    self.bins = bins
  }

  /// Returns the sum of the absolute differences of the bins.
  package func distance(to other: ColorHistogram) -> Int {
    var sum = 0
    for index in 0..<Self.binCount { sum += abs(Int(bins[index]) - Int(other.bins[index])) }
    return sum
  }

  /// The histogram as signatures keep it, in sixteen grades a bin.
  var graded: ColorHistogram { ColorHistogram(bins: HistogramGrade.graded(bins)) }
}

extension ColorHistogram {
  /// Counts the colors of an image. Each pixel is weighted and distributed over the two nearest
  /// bins along each of the three axes. The bins of *a* and *b* follow the root of the chroma up to
  /// 0.25 and are thus finer near gray, where most colors of real images lie; sRGB reaches 0.32.
  ///
  /// - Complexity: O(pixels), eight bins each.
  init(_ picture: OklabPicture, weights: PixelWeights) {
    let (shares, total) = Kernels.native.colorBins(
      picture.pixels.span, weights: weights.weights.span)
    bins = shares.map { share in
      UInt8(min(255, (255 * (share / total).squareRoot()).rounded()))
    }
  }
}
