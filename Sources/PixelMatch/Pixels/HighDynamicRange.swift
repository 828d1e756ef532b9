#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A conversion to sRGB of pixels with one of the transfer functions of ITU-R BT.2100: the light of the
/// display is computed, its reference white of 203 cd/m² (ITU-R BT.2408, 2.1) becomes the white of sRGB, and
/// brighter light is rolled off.
///
/// Uses integer arithmetic and tables, like ``RGBConversion``.
struct HighDynamicRange: Sendable {
  /// The transfer functions.
  enum Transfer: Sendable { case pq, hlg }

  /// The luminance of reference white in cd/m².
  private static let referenceWhite = 203.0
  /// The luminance in cd/m² of the display that HLG is computed for, whose system gamma is 1.2
  /// (ITU-R BT.2100, table 5).
  private static let peakOfHLG = 1000.0
  /// The linear light from which on it is rolled off. Diffuse colors stay below; the sRGB value is 225.
  private static let knee = RGBConversion.white * 3 / 4

  /// The value of a channel of reference white.
  let white: UInt8
  /// The linear light of each byte, as a multiple of that of white: of the display for PQ, of the scene with a
  /// largest value of `RGBConversion.white` for HLG.
  private let light: [Int]
  /// The light of the display for each luminance of the scene, if that were its color; empty for PQ.
  private let gains: [Int]
  /// The shares of the channels in the luminance.
  private let luminance: [Int]
  private let matrix: [Int]

  /// - Parameter primaries: The colors of the channels, which must span a color space.
  init(_ transfer: Transfer, from primaries: RGBPrimaries) {
    matrix = RGBConversion.matrix(from: primaries)!
    let unit = Double(RGBConversion.white)
    luminance = primaries.xyzFromRGB!.elements[3..<6].map { Int(($0 * unit).rounded()) }
    switch transfer {
    case .pq:
      light = (0..<256).map { byte in
        Int((Self.luminanceOfPQ(Double(byte) / 255) / Self.referenceWhite * unit).rounded())
      }
      gains = []
      white = 148  // 0.58 of 255
    case .hlg:
      light = (0..<256).map { Int((Self.sceneLightOfHLG(Double($0) / 255) * unit).rounded()) }
      gains = (0...RGBConversion.white).map { luminance in
        let scale = Self.peakOfHLG / Self.referenceWhite
        return Int((pow(Double(luminance) / unit, 0.2) * scale * unit).rounded())
      }
      white = 191  // 0.75 of 255
    }
  }

  /// Returns the luminance of a value in `0...1` (ITU-R BT.2100, table 4).
  private static func luminanceOfPQ(_ value: Double) -> Double {
    let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    let root = pow(value, 1 / m2)
    return 10_000 * pow(max(0, root - c1) / (c2 - c3 * root), 1 / m1)
  }

  /// Returns the light of the scene in `0...1` of a value in `0...1` (ITU-R BT.2100, table 5).
  private static func sceneLightOfHLG(_ value: Double) -> Double {
    let a = 0.17883277
    let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
    return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
  }

  /// Returns the larger of `peak` and the brightest channel of a range of pixels in linear sRGB.
  func peak(of pixels: [UInt8], _ range: Range<Int>, _ peak: Int) -> Int {
    let pixels = pixels.span
    var peak = peak
    for pixel in range { peak = max(peak, brightest(standard(pixels, 4 &* pixel))) }
    return peak
  }

  /// Converts pixels of four bytes in place, and sets the fourth byte to 255.
  ///
  /// - Parameter peak: The brightest channel of the image, which becomes white if it is brighter.
  func convert(_ pixels: inout [UInt8], _ range: Range<Int>, peak: Int) {
    var pixels = pixels.mutableSpan
    let encoded = RGBConversion.encoded
    for pixel in range {
      let place = 4 &* pixel
      let color = standard(pixels.span, place)
      let brightest = brightest(color)
      let target = Self.rolledOff(brightest, peak: peak)
      for channel in 0..<3 {
        // All channels are scaled alike, so that the hue stays.
        let light = max(0, color[channel])
        let scaled = target == brightest ? light : light &* target / brightest
        pixels[place &+ channel] = encoded[min(RGBConversion.white, scaled)]
      }
      pixels[place &+ 3] = 255
    }
  }

  /// Returns the light of a pixel in linear sRGB, which may exceed white or be negative.
  @inline(__always)
  private func standard(_ pixels: Span<UInt8>, _ place: Int) -> InlineArray<3, Int> {
    let light = light.span
    var red = light[Int(pixels[place])]
    var green = light[Int(pixels[place &+ 1])]
    var blue = light[Int(pixels[place &+ 2])]
    if !gains.isEmpty {
      let sum = luminance[0] &* red &+ luminance[1] &* green &+ luminance[2] &* blue
      let gain = gains[max(0, min(RGBConversion.white, sum / RGBConversion.white))]
      red = red &* gain / RGBConversion.white
      green = green &* gain / RGBConversion.white
      blue = blue &* gain / RGBConversion.white
    }
    return InlineArray { channel in
      let row = 3 &* channel
      return
        (matrix[row] &* red &+ matrix[row &+ 1] &* green &+ matrix[row &+ 2] &* blue
        &+ RGBConversion.unit / 2) / RGBConversion.unit
    }
  }

  @inline(__always)
  private func brightest(_ color: InlineArray<3, Int>) -> Int {
    max(0, max(color[0], max(color[1], color[2])))
  }

  /// Rolls light off from the knee on, so that the peak becomes white: y = k + d / (1 + d (1 / (w − k) −
  /// 1 / (p − k))) for a light of k + d. The slope at the knee is 1. An image without brighter light
  /// than white stays as it is.
  private static func rolledOff(_ light: Int, peak: Int) -> Int {
    let (room, span) = (RGBConversion.white - knee, peak - knee)
    guard light > knee, peak > RGBConversion.white else { return light }
    let above = light - knee
    return knee + above * room * span / (room * span + above * (span - room))
  }
}
