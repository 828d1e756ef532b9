/// The chromaticities of the channels and the white of an RGB color space (CIE 1931 x and y).
struct RGBPrimaries: Sendable, Hashable {
  /// The chromaticity of a color.
  struct Chromaticity: Sendable, Hashable {
    let x, y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    /// The color with a luminance of 1, or `nil` if there is none.
    fileprivate var xyz: [Double]? {
      guard y > 0.0001, x >= 0, x + y <= 1.0001 else { return nil }
      return [x / y, 1, (1 - x - y) / y]
    }
  }

  let red, green, blue, white: Chromaticity

  private static let d65 = Chromaticity(0.3127, 0.3290)
  private static let d50 = Chromaticity(0.34567, 0.35850)

  static let sRGB = RGBPrimaries(
    red: Chromaticity(0.64, 0.33), green: Chromaticity(0.30, 0.60),
    blue: Chromaticity(0.15, 0.06), white: d65)
  static let displayP3 = RGBPrimaries(
    red: Chromaticity(0.680, 0.320), green: Chromaticity(0.265, 0.690),
    blue: Chromaticity(0.150, 0.060), white: d65)
  static let bt2020 = RGBPrimaries(
    red: Chromaticity(0.708, 0.292), green: Chromaticity(0.170, 0.797),
    blue: Chromaticity(0.131, 0.046), white: d65)
  /// ITU-R BT.601 with 625 lines.
  static let bt601Of625 = RGBPrimaries(
    red: Chromaticity(0.64, 0.33), green: Chromaticity(0.29, 0.60),
    blue: Chromaticity(0.15, 0.06), white: d65)
  /// ITU-R BT.601 with 525 lines, SMPTE 170M.
  static let bt601Of525 = RGBPrimaries(
    red: Chromaticity(0.630, 0.340), green: Chromaticity(0.310, 0.595),
    blue: Chromaticity(0.155, 0.070), white: d65)
  /// SMPTE RP 431-2, the cinema's white.
  static let dciP3 = RGBPrimaries(
    red: Chromaticity(0.680, 0.320), green: Chromaticity(0.265, 0.690),
    blue: Chromaticity(0.150, 0.060), white: Chromaticity(0.314, 0.351))

  /// Returns whether the coordinates differ by at most 0.002.
  func isNearly(_ other: RGBPrimaries) -> Bool {
    zip([red, green, blue, white], [other.red, other.green, other.blue, other.white])
      .allSatisfy { abs($0.x - $1.x) <= 0.002 && abs($0.y - $1.y) <= 0.002 }
  }

  /// The matrix from linear light to XYZ, or `nil` if the colors do not span a space (Lindbloom,
  /// http://www.brucelindbloom.com/Eqn_RGB_XYZ_Matrix.html).
  var xyzFromRGB: Matrix3? {
    guard let red = red.xyz, let green = green.xyz, let blue = blue.xyz, let white = white.xyz
    else { return nil }
    let columns = Matrix3(columns: red, green, blue)
    guard let shares = columns.inverse.map({ $0 * white }) else { return nil }
    return columns * Matrix3(diagonal: shares)
  }

  /// The adaptation of the white to that of sRGB (Bradford), or `nil` if there is none.
  var adaptationToD65: Matrix3? { Self.adaptation(from: white) }

  /// The adaptation of the white of ICC profiles to that of sRGB.
  static let adaptationFromD50 = adaptation(from: d50)

  private static func adaptation(from white: Chromaticity) -> Matrix3? {
    if white == d65 { return Matrix3(diagonal: [1, 1, 1]) }
    let cones = Matrix3([
      0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296,
    ])
    guard let source = white.xyz, let target = d65.xyz, let back = cones.inverse else {
      return nil
    }
    let gains = zip(cones * target, cones * source).map { $0 / $1 }
    guard gains.allSatisfy({ $0 > 0.05 && $0 < 20 }) else { return nil }
    return back * Matrix3(diagonal: gains) * cones
  }
}

/// A matrix of 3 × 3 numbers.
struct Matrix3: Sendable {
  /// The elements, row by row.
  let elements: [Double]

  init(_ elements: [Double]) {
    precondition(elements.count == 9, "nine elements")
    self.elements = elements
  }

  init(columns a: [Double], _ b: [Double], _ c: [Double]) {
    self.init((0..<3).flatMap { [a[$0], b[$0], c[$0]] })
  }

  init(diagonal values: [Double]) {
    self.init([values[0], 0, 0, 0, values[1], 0, 0, 0, values[2]])
  }

  static func * (left: Matrix3, right: [Double]) -> [Double] {
    (0..<3).map { row in
      left.elements[3 * row] * right[0] + left.elements[3 * row + 1] * right[1]
        + left.elements[3 * row + 2] * right[2]
    }
  }

  static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
    let columns = (0..<3).map { column in
      left * (0..<3).map { right.elements[3 * $0 + column] }
    }
    return Matrix3(columns: columns[0], columns[1], columns[2])
  }

  /// The inverse, or `nil` if the matrix is nearly singular.
  var inverse: Matrix3? {
    let m = elements
    func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[d] - m[b] * m[c] }
    let cofactors = [
      minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5),
      minor(5, 3, 8, 6), minor(0, 2, 6, 8), minor(2, 0, 5, 3),
      minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4),
    ]
    let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
    guard abs(determinant) > 1e-6 else { return nil }
    return Matrix3(cofactors.map { $0 / determinant })
  }
}
