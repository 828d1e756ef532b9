#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A conversion of red, green and blue to sRGB: a transfer function, a matrix, and the inverse of
/// sRGB's transfer function. Colors outside sRGB are clipped.
///
/// Uses integer arithmetic and tables. Equal channels of a space with the transfer function of sRGB
/// keep their value.
struct RGBConversion: Sendable {
  /// The linear light of white. The darkest steps of sRGB are five of these units apart.
  static let white = 1 << 14
  /// The unit of the matrix.
  static let unit = 1 << 14
  /// The largest accepted coefficient. Those of real spaces are below 3.
  private static let coefficientLimit = 16.0
  /// The largest difference of the white of a profile from D50, in each channel of sRGB.
  private static let whiteTolerance = 0.005

  /// The linear light of each byte.
  private let light: [Int]
  /// Rows for red, green and blue of sRGB, each with a sum of `unit`, so that gray remains gray.
  private let matrix: [Int]

  static let displayP3 = RGBConversion(from: .displayP3, decoding: TransferFunction.sRGB.light)!

  /// Makes a conversion, or returns `nil` if the primaries do not span a color space.
  ///
  /// - Parameters:
  ///   - primaries: The colors of the channels.
  ///   - decoding: The transfer function, from `0...1` to linear light in `0...1`.
  init?(from primaries: RGBPrimaries, decoding: (Double) -> Double) {
    guard let matrix = Self.matrix(from: primaries) else { return nil }
    self.init(matrix, decoding)
  }

  /// Makes a conversion from the colors of a profile, or returns `nil` if its white is not that of profiles.
  ///
  /// - Parameters:
  ///   - colors: The matrix from linear light to XYZ, whose white is D50 (ICC.1:2022, 9.2.44).
  ///   - decoding: As above.
  init?(fromProfile colors: Matrix3, decoding: (Double) -> Double) {
    guard let target = RGBPrimaries.sRGB.xyzFromRGB?.inverse,
      let adaptation = RGBPrimaries.adaptationFromD50
    else { return nil }
    let exact = target * adaptation * colors
    // Rounding gives each row the sum of a unit, which must not change the colors.
    guard (exact * [1, 1, 1]).allSatisfy({ abs($0 - 1) <= Self.whiteTolerance }),
      let matrix = Self.rounded(exact)
    else { return nil }
    self.init(matrix, decoding)
  }

  private init(_ matrix: [Int], _ decoding: (Double) -> Double) {
    self.matrix = matrix
    light = (0..<256).map { byte in
      let value = decoding(Double(byte) / 255)
      return Int((max(0, min(1, value.isNaN ? 0 : value)) * Double(Self.white)).rounded())
    }
  }

  /// Returns the rows for red, green and blue of sRGB, each with a sum of `unit`, or `nil` if the
  /// primaries do not span a color space.
  static func matrix(from primaries: RGBPrimaries) -> [Int]? {
    guard let source = primaries.xyzFromRGB, let target = RGBPrimaries.sRGB.xyzFromRGB?.inverse,
      let adaptation = primaries.adaptationToD65
    else { return nil }
    return rounded(target * adaptation * source)
  }

  private static func rounded(_ exact: Matrix3) -> [Int]? {
    guard exact.elements.allSatisfy({ abs($0) <= Self.coefficientLimit }) else { return nil }
    var matrix = exact.elements.map { Int(($0 * Double(Self.unit)).rounded()) }
    for row in 0..<3 {
      let sum = matrix[3 * row..<3 * row + 3].reduce(0, +)
      matrix[4 * row] += Self.unit - sum
    }
    return matrix
  }

  /// A Boolean value that indicates whether no byte changes by more than `tolerance`.
  func isIdentity(tolerance: Int) -> Bool {
    var samples: [UInt8] = []
    for corner in 1..<8 {
      for value in stride(from: 0, through: 255, by: 15) {
        for channel in 0..<3 { samples.append(corner >> channel & 1 == 1 ? UInt8(value) : 0) }
        samples.append(255)
      }
    }
    var converted = samples
    convert(&converted, 0..<samples.count / 4)
    return zip(samples, converted).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
  }

  /// Converts pixels of four bytes in place. The fourth byte of each is kept.
  func convert(_ pixels: inout [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= pixels.count / 4)
    var pixels = pixels.mutableSpan
    let (light, matrix, encoded) = (light.span, matrix.span, Self.encoded.span)
    let (half, unit, white) = (Self.unit / 2, Self.unit, Self.white)
    for pixel in range {
      let place = 4 &* pixel
      let red = light[Int(pixels[place])]
      let green = light[Int(pixels[place &+ 1])]
      let blue = light[Int(pixels[place &+ 2])]
      for channel in 0..<3 {
        let row = 3 &* channel
        let sum =
          matrix[row] &* red &+ matrix[row &+ 1] &* green &+ matrix[row &+ 2] &* blue &+ half
        pixels[place &+ channel] = encoded[max(0, min(white, sum / unit))]
      }
    }
  }

  /// The byte in sRGB of each linear light from 0 to `white`.
  static let encoded: [UInt8] = (0...white).map { light in
    UInt8((255 * TransferFunction.sRGB.value(Double(light) / Double(white))).rounded())
  }
}

/// A transfer function of the form of IEC 61966-2-1: linear near black, then a power.
struct TransferFunction: Sendable {
  let gamma: Double
  let scale: Double
  let offset: Double
  let slope: Double
  /// The value from which on the power applies.
  let threshold: Double

  static let sRGB = TransferFunction(
    gamma: 2.4, scale: 1 / 1.055, offset: 0.055 / 1.055, slope: 1 / 12.92, threshold: 0.04045)
  /// ITU-R BT.709, item 1.2, inverted.
  static let bt709 = TransferFunction(
    gamma: 1 / 0.45, scale: 1 / 1.099, offset: 0.099 / 1.099, slope: 1 / 4.5, threshold: 0.081)

  static func power(_ gamma: Double) -> TransferFunction {
    TransferFunction(gamma: gamma, scale: 1, offset: 0, slope: 0, threshold: 0)
  }

  /// Returns the linear light of a value in `0...1`.
  func light(_ value: Double) -> Double {
    value < threshold ? slope * value : pow(scale * value + offset, gamma)
  }

  /// Returns the value of a linear light in `0...1`. The slope must not be zero.
  func value(_ light: Double) -> Double {
    light < slope * threshold ? light / slope : (pow(light, 1 / gamma) - offset) / scale
  }
}
