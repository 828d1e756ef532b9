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

  /// `1` for equal histograms, `0` for those without a common bin: one minus the Bray–Curtis
  /// dissimilarity of the bins.
  public func similarity(to other: ColorHistogram) -> Double {
    var total = 0
    for index in 0..<Self.binCount { total += Int(bins[index]) + Int(other.bins[index]) }
    return total == 0 ? 0 : 1 - Double(distance(to: other)) / Double(total)
  }
}

extension ColorHistogram {
  private static let lightnessBins = 3
  private static let chromaBins = 8
  /// Chroma from which on all colors fall into the outermost bins; sRGB reaches 0.32.
  private static let chromaLimit: Float = 0.25

  /// Counts the colors of a picture.
  ///
  /// - Complexity: O(pixels), eight bins each.
  init(_ picture: OklabPicture) {
    let background = StudioBackground(picture)
    var shares = [Float](repeating: 0, count: Self.binCount)
    var total: Float = 0
    for y in 0..<picture.height {
      let down = (Float(y) + 0.5) / Float(picture.height) - 0.5
      for x in 0..<picture.width {
        let across = (Float(x) + 0.5) / Float(picture.width) - 0.5
        let pixel = picture.pixels[y &* picture.width &+ x]
        // About a Gaussian of 0.22 of the side, without an exponential, whose last bit differs
        // between C libraries.
        let falloff = 1 + 5 * (down * down + across * across)
        var weight = 1 / (falloff * falloff * falloff)
        weight *= background.foreground(pixel)
        total += weight
        Self.spread(pixel, weight, into: &shares)
      }
    }
    bins = shares.map { share in
      UInt8(min(255, (255 * (share / total).squareRoot()).rounded()))
    }
  }

  /// Shares `weight` among the two nearest bins along each of the three axes.
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
  private static func bin(_ place: Float, of count: Int) -> (lower: Int, fraction: Float) {
    let clamped = max(0, min(Float(count - 1), place))
    let lower = min(Int(clamped), count - 2)
    return (lower, clamped - Float(lower))
  }

  /// The root of the chroma: bins are finer near grey, where most colors of real pictures lie.
  private static func companded(_ chroma: Float) -> Float {
    let root = min(1, abs(chroma) / chromaLimit).squareRoot()
    return ((chroma < 0 ? -root : root) + 1) / 2 * Float(chromaBins - 1)
  }
}

/// The plain color behind a studio picture's object, where there is one.
private struct StudioBackground {
  /// The border's color, or `nil` where the border is not of one color.
  private let color: SIMD3<Float>?

  init(_ picture: OklabPicture) {
    let depth = max(1, min(picture.width, picture.height) / 32)
    var border: [SIMD3<Float>] = []
    for y in 0..<picture.height {
      for x in 0..<picture.width
      where min(y, picture.height - 1 - y) < depth || min(x, picture.width - 1 - x) < depth {
        border.append(picture.pixels[y * picture.width + x])
      }
    }
    func median(_ axis: Int) -> Float { border.map { $0[axis] }.sorted()[border.count / 2] }
    let middle = SIMD3(median(0), median(1), median(2))
    let near = border.count { squaredLength($0 - middle) < 0.06 * 0.06 }
    color = near * 10 > border.count * 6 ? middle : nil
  }

  /// How sure a pixel belongs to the object: a background keeps a little weight, since the object
  /// may have its color.
  func foreground(_ pixel: SIMD3<Float>) -> Float {
    guard let color else { return 1 }
    let distance = squaredLength(pixel - color).squareRoot()
    return max(0.03, min(1, (distance - 0.03) / 0.05))
  }
}

private func squaredLength(_ vector: SIMD3<Float>) -> Float {
  vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}
