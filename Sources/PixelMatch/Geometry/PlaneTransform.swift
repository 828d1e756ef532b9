/// A map from the plane of one image to that of another: a similarity, an affine map or a
/// homography.
package struct PlaneTransform: Sendable, Hashable {
  /// The entries, row-major 3 × 3; the last entry is 1.
  package let matrix: [Double]

  /// Makes a transform from its nine entries.
  ///
  /// - Precondition: `matrix` has nine entries.
  package init(matrix: [Double]) {
    precondition(matrix.count == 9, "a transform of the plane has nine entries")
    self.matrix = matrix
  }

  /// Makes the transform that rotates and scales by a complex number, then translates.
  init(cosine: Double, sine: Double, x: Double, y: Double) {
    matrix = [cosine, -sine, x, sine, cosine, y, 0, 0, 1]
  }

  /// Returns the position that a point is mapped to.
  package func callAsFunction(_ x: Double, _ y: Double) -> SIMD2<Double> { entries(x, y) }

  /// The entries outside of an array, for loops over points.
  struct Entries {
    fileprivate let first, second, third: SIMD3<Double>

    /// Returns the position that a point is mapped to.
    func callAsFunction(_ x: Double, _ y: Double) -> SIMD2<Double> {
      let depth = third.x * x + third.y * y + third.z
      return SIMD2(
        (first.x * x + first.y * y + first.z) / depth,
        (second.x * x + second.y * y + second.z) / depth)
    }
  }

  var entries: Entries {
    Entries(
      first: SIMD3(matrix[0], matrix[1], matrix[2]),
      second: SIMD3(matrix[3], matrix[4], matrix[5]),
      third: SIMD3(matrix[6], matrix[7], matrix[8]))
  }

  /// Returns the transform that applies `other` first, then this one.
  func after(_ other: PlaneTransform) -> PlaneTransform {
    var product = [Double](repeating: 0, count: 9)
    for i in 0..<3 {
      for j in 0..<3 {
        for k in 0..<3 { product[3 * i + j] += matrix[3 * i + k] * other.matrix[3 * k + j] }
      }
    }
    return PlaneTransform(matrix: product.map { $0 / product[8] })
  }

  /// The inverse transform, or `nil` if there is none.
  package var inverse: PlaneTransform? {
    let m = matrix
    let cofactors = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ]
    let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
    guard abs(determinant) > 1e-12, abs(cofactors[8]) > 1e-12 else { return nil }
    return PlaneTransform(matrix: cofactors.map { $0 / cofactors[8] })
  }

  /// The largest ratio of the factors along two directions, and the largest factor, of what a camera or a screenshot produces.
  private static let (largestStretch, largestScale) = (2.5, 12.0)

  /// A Boolean value that indicates whether a camera or a screenshot can produce the transform: no
  /// reflection or fold, little stretch, a scale factor between 1/12 and 12, and hardly any
  /// perspective over a working image.
  var isPlausible: Bool {
    let (a, b, c, d) = (matrix[0], matrix[1], matrix[3], matrix[4])
    let determinant = a * d - b * c
    let squares = a * a + b * b + c * c + d * d
    let (stretch, area) = (Self.largestStretch, Self.largestScale * Self.largestScale)
    guard determinant > 1 / area, determinant < area else { return false }
    // Equivalent to a ratio of the singular values of at most `stretch`, without computing them.
    guard squares <= (stretch + 1 / stretch) * determinant else { return false }
    return abs(matrix[6]) < 1e-3 && abs(matrix[7]) < 1e-3
  }
}

extension PlaneTransform {
  /// Makes the transform that maps a view of a query, rotated and mirrored, onto the whole of
  /// another image.
  package init(
    _ variant: DihedralVariant, of view: QuerySignature.View, to: (width: Int, height: Int)
  ) {
    // Six coefficients of the map of the unit square: two rows, each with the factors of column
    // and row and a constant.
    let unit: [Double] =
      switch variant {
      case .original: [1, 0, 0, 0, 1, 0]
      case .rotate90: [0, 1, 0, -1, 0, 1]
      case .rotate180: [-1, 0, 1, 0, -1, 1]
      case .rotate270: [0, -1, 1, 1, 0, 0]
      case .flipX: [1, 0, 0, 0, -1, 1]
      case .flipY: [-1, 0, 1, 0, 1, 0]
      case .flipPlus1: [0, 1, 0, 1, 0, 0]
      case .flipMinus1: [0, -1, 1, -1, 0, 1]
      }
    let (fromWidth, fromHeight) = (Double(view.size.x), Double(view.size.y))
    let (toWidth, toHeight) = (Double(to.width), Double(to.height))
    let whole = PlaneTransform(matrix: [
      unit[0] * toWidth / fromWidth, unit[1] * toWidth / fromHeight, unit[2] * toWidth,
      unit[3] * toHeight / fromWidth, unit[4] * toHeight / fromHeight, unit[5] * toHeight, 0, 0, 1,
    ])
    self = whole.after(
      PlaneTransform(cosine: 1, sine: 0, x: -Double(view.origin.x), y: -Double(view.origin.y)))
  }
}
