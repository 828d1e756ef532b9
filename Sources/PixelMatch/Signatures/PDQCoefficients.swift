#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The 16 × 16 lowest cosine terms of an image. The bits of a PDQ hash tell which terms exceed the
/// median.
///
/// The hashes of all eight dihedral variants follow from these terms, because rotating or mirroring
/// an image permutes its cosine terms and changes some of their signs.
package struct PDQCoefficients: Sendable {
  /// The number of terms kept in each direction.
  static let side = 16

  /// The amount of detail, `0...100`; a hash of quality ≤ 49 is too flat to trust.
  package let quality: Int

  /// The terms, row-major, *i* down and *j* across, without the constant terms.
  private let terms: [Float]

  /// The hash of the unchanged image.
  package var hash: PDQHash { hash(of: .original) }

  /// Transforms a 64 × 64 luma plane.
  ///
  /// Sums are computed in index order in single precision, as in the reference, because another
  /// order would give different bits.
  ///
  /// - Parameter plane: 64 × 64 luma values in `0...255`, row-major.
  init(plane: [Float]) {
    terms = Kernels.native.pdqTerms(plane.span, cosines: Self.cosines.span)
    quality = Self.quality(of: plane)
  }

  /// Makes the coefficients of an image with a side of less than five pixels: the zero hash, of
  /// quality 0.
  init() {
    terms = [Float](repeating: 0, count: Self.side * Self.side)
    quality = 0
  }

  /// Returns the hash of the image after `variant` is applied to it.
  package func hash(of variant: DihedralVariant) -> PDQHash {
    var turned = terms
    for i in 0..<Self.side {
      for j in 0..<Self.side {
        let term = terms[i * Self.side + j]
        let here = i * Self.side + j
        let across = j * Self.side + i
        switch variant {
        case .original: turned[here] = term
        case .rotate90: turned[across] = j & 1 == 1 ? term : -term
        case .rotate180: turned[here] = (i + j) & 1 == 1 ? -term : term
        case .rotate270: turned[across] = i & 1 == 1 ? term : -term
        case .flipX: turned[here] = i & 1 == 1 ? term : -term
        case .flipY: turned[here] = j & 1 == 1 ? term : -term
        case .flipPlus1: turned[across] = term
        case .flipMinus1: turned[across] = (i + j) & 1 == 1 ? -term : term
        }
      }
    }
    // The lower of the two middle values, like the median of the reference for 256 values.
    let median = element(ofRank: turned.count / 2 - 1, in: turned)
    var hash = PDQHash()
    for index in turned.indices where turned[index] > median { hash[bit: index] = true }
    return hash
  }

  /// Returns the sum of the differences between neighbors, in whole hundredths of the full range,
  /// divided by 90.
  private static func quality(of plane: [Float]) -> Int {
    min(Kernels.native.pdqSteps(plane.span) / 90, 100)
  }

  /// Row *i* holds √(2/64) · cos(π/128 · (i + 1) · (2j + 1)), for *j* in `0..<64`.
  private static let cosines: [Float] = {
    let scale = Double(Float(2.0 / 64.0).squareRoot())
    return (0..<side * 64).map { index in
      let (i, j) = (index / 64, index % 64)
      return Float(scale * cos(Double.pi / 128 * Double(i + 1) * Double(2 * j + 1)))
    }
  }()
}
