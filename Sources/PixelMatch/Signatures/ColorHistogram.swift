/// How much of a picture has which color: 192 bins in Oklab, 3 of lightness by 8 of *a* by 8 of *b*.
///
/// A pixel is shared among the bins around its color, so that a small change of light moves little.
/// It counts more the nearer it is to the centre, where people point, and hardly at all where it
/// belongs to a plain studio background. A bin holds the square root of its share, times 255:
/// the sum of absolute differences of such bins told products apart better than the Jensen–Shannon
/// divergence of the shares, and takes one instruction for 16 to 64 bins.
public struct ColorHistogram: Sendable, Hashable {
  /// Number of bins.
  public static let binCount = 192

  /// Each `255 × √share`; the bin of lightness *l*, *a* and *b* stands at `64 l + 8 a + b`.
  public let bins: [UInt8]

  /// Makes a histogram from its bins.
  ///
  /// - Precondition: There are ``binCount`` of them.
  public init(bins: [UInt8]) {
    precondition(bins.count == Self.binCount, "a color histogram has \(Self.binCount) bins")
    self.bins = bins
  }

  /// Sum of the absolute differences of the bins.
  public func distance(to other: ColorHistogram) -> Int {
    var sum = 0
    for index in 0..<Self.binCount { sum += abs(Int(bins[index]) - Int(other.bins[index])) }
    return sum
  }

}

extension ColorHistogram {
  /// Counts the colors of a picture, each pixel by its weight, shared among the two nearest bins along
  /// each of the three axes. The bins of *a* and *b* follow the root of the chroma up to 0.25 and are
  /// thus finer near grey, where most colors of real pictures lie; sRGB reaches 0.32.
  ///
  /// - Complexity: O(pixels), eight bins each.
  init(_ picture: OklabPicture, weights: PixelWeights) {
    let shares = Kernels.native.colorBins(picture.pixels.span, weights: weights.weights.span)
    let total = weights.total
    bins = shares.map { share in
      UInt8(min(255, (255 * (share / total).squareRoot()).rounded()))
    }
  }
}
