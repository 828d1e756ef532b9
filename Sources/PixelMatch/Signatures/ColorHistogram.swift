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
  private static let lightnessBins = 3
  private static let chromaBins = 8
  /// Chroma from which on all colors fall into the outermost bins; sRGB reaches 0.32.
  private static let chromaLimit: Float = 0.25

  /// Counts the colors of a picture, each pixel by its weight.
  ///
  /// - Complexity: O(pixels), eight bins each.
  init(_ picture: OklabPicture, weights: PixelWeights) {
    var shares = [Float](repeating: 0, count: Self.binCount)
    for index in picture.pixels.indices {
      Self.spread(picture.pixels[index], weights.weights[index], into: &shares)
    }
    let total = weights.total
    bins = shares.map { share in
      UInt8(min(255, (255 * (share / total).squareRoot()).rounded()))
    }
  }

  /// Shares `weight` among the two nearest bins along each of the three axes.
  @inline(__always)
  private static func spread(_ pixel: SIMD3<Float>, _ weight: Float, into shares: inout [Float]) {
    let (l, lightness) = bin(pixel[0] * Float(lightnessBins) - 0.5, of: lightnessBins)
    let (a, greenRed) = bin(companded(pixel[1]), of: chromaBins)
    let (b, blueYellow) = bin(companded(pixel[2]), of: chromaBins)
    let first = 64 &* l &+ 8 &* a &+ b
    let dark = weight * (1 - lightness)
    let light = weight * lightness
    shares[first] += dark * (1 - greenRed) * (1 - blueYellow)
    shares[first &+ 1] += dark * (1 - greenRed) * blueYellow
    shares[first &+ 8] += dark * greenRed * (1 - blueYellow)
    shares[first &+ 9] += dark * greenRed * blueYellow
    shares[first &+ 64] += light * (1 - greenRed) * (1 - blueYellow)
    shares[first &+ 65] += light * (1 - greenRed) * blueYellow
    shares[first &+ 72] += light * greenRed * (1 - blueYellow)
    shares[first &+ 73] += light * greenRed * blueYellow
  }

  /// The lower of the two bins around a place, and how far the place lies towards the upper one.
  @inline(__always)
  private static func bin(_ place: Float, of count: Int) -> (lower: Int, fraction: Float) {
    let clamped = max(0, min(Float(count - 1), place))
    let lower = min(Int(clamped), count - 2)
    return (lower, clamped - Float(lower))
  }

  /// The root of the chroma: bins are finer near grey, where most colors of real pictures lie.
  @inline(__always)
  private static func companded(_ chroma: Float) -> Float {
    let root = min(1, abs(chroma) / chromaLimit).squareRoot()
    return ((chroma < 0 ? -root : root) + 1) / 2 * Float(chromaBins - 1)
  }
}
