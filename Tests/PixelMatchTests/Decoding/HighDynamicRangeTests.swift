import Foundation
import PixelMatch
import TestSupport
import Testing

/// Images with the transfer functions of ITU-R BT.2100, encoded here by its formulas.
@Suite struct HighDynamicRangeTests {
  enum Transfer: UInt8, Sendable, CaseIterable {
    case pq = 16
    case hlg = 18

    /// Returns the bytes of a color of the display in cd/m² with the primaries of BT.2020.
    func bytes(_ color: [Double]) -> [UInt8] {
      switch self {
      case .pq:
        return color.map { luminance in
          let power = pow(max(0, luminance) / 10_000, 0.1593017578125)
          let value = pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
          return UInt8((255 * value).rounded())
        }
      case .hlg:
        let shares = color.map { max(0, $0) / 1000 }
        let luminance = 0.2627 * shares[0] + 0.678 * shares[1] + 0.0593 * shares[2]
        return shares.map { share in
          let scene = luminance > 0 ? share * pow(luminance, 1 / 1.2 - 1) : 0
          let value =
            scene <= 1 / 12
            ? (3 * scene).squareRoot()
            : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
          return UInt8((255 * min(1, value)).rounded())
        }
      }
    }
  }

  /// Returns the color of the display of an sRGB color, whose white has 203 cd/m².
  private static func light(_ rgb: [UInt8]) -> [Double] {
    let linear = rgb.map { byte -> Double in
      let value = Double(byte) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    let rows = [
      [0.627404, 0.329283, 0.043313], [0.069097, 0.919541, 0.011362],
      [0.016391, 0.088013, 0.895595],
    ]
    return rows.map { row in 203 * zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  private static func file(
    _ transfer: Transfer, width: Int, height: Int, _ colors: [[Double]]
  ) -> [UInt8] {
    let png = PNGFile.rgb(
      width: width, height: height, pixels: colors.flatMap(transfer.bytes), isInterlaced: false)
    return PNGFile.inserting([PNGFile.chunk("cICP", [9, transfer.rawValue, 0, 1])], into: png)
  }

  /// Would break if the values were taken for those of sRGB: PQ made them gray and dark.
  @Test(arguments: Transfer.allCases)
  func `an image without highlights has the colors of its sRGB twin`(transfer: Transfer) throws {
    let standard = SyntheticPicture.pattern(width: 64, height: 48, seed: 2)
    let colors = stride(from: 0, to: standard.count, by: 4).map {
      Self.light(Array(standard[$0..<$0 + 3]))
    }
    let picture = try ImageDecoder().picture(
      Self.file(transfer, width: 64, height: 48, colors), longerSide: 64)
    #expect(picture.profile?.isApplied == true)
    #expect(picture.profile?.name == "cICP 9/\(transfer.rawValue)/0/1")
    let differences = zip(rgba(picture.pixels), standard).map { abs(Int($0) - Int($1)) }
    // Eight bits of PQ have 148 steps up to white, and the dark channel of a saturated color depends on the last bit of
    // the bright ones.
    #expect(differences.max()! <= 40)
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 1)
  }

  /// Would break if highlights were clipped, or if they darkened what is below white.
  @Test(arguments: Transfer.allCases)
  func `highlights are rolled off, and what is darker stays`(transfer: Transfer) throws {
    let shares = [0.25, 0.5, 1, 1.5, 2, 3, 4.9]
    let colors = shares.map { [203 * $0, 203 * $0, 203 * $0] }
    let pixels = rgba(
      try ImageDecoder().decode(Self.file(transfer, width: 7, height: 1, colors)))
    let grays = stride(from: 0, to: 28, by: 4).map { Int(pixels[$0]) }
    #expect(abs(grays[0] - 137) <= 2 && abs(grays[1] - 188) <= 2, "\(grays)")
    #expect(zip(grays, grays.dropFirst()).allSatisfy { $0 < $1 }, "\(grays)")
    #expect(grays[2] > 225 && grays.last == 255, "\(grays)")
    #expect(stride(from: 0, to: 28, by: 4).allSatisfy { pixels[$0] == pixels[$0 + 2] })
  }

  /// Would break if each channel were rolled off on its own, which makes bright colors pale.
  @Test(arguments: Transfer.allCases)
  func `a bright color keeps its hue`(transfer: Transfer) throws {
    let red = Self.light([230, 60, 40])
    let file = Self.file(transfer, width: 2, height: 1, [red, red.map { 3 * $0 }])
    let pixels = rgba(try ImageDecoder().decode(file)).map(Int.init)
    // The ratio of two channels, in linear light, which the sRGB curve keeps nearly.
    let (dark, bright) = (
      Double(pixels[1]) / Double(pixels[0]), Double(pixels[5]) / Double(pixels[4])
    )
    #expect(pixels[4] > pixels[0] && abs(dark - bright) < 0.04, "\(pixels)")
  }

  /// Would break if transparent pixels became the brightest light there is, 10 000 cd/m², beside which the rest
  /// is dark.
  @Test(arguments: Transfer.allCases)
  func `what is transparent is as white as paper`(transfer: Transfer) throws {
    let plain = PictureVector.bytes(of: "rgba8.png")
    let file = PNGFile.inserting(
      [PNGFile.chunk("cICP", [9, transfer.rawValue, 0, 1])], into: plain)
    let picture = try ImageDecoder().decode(file)
    // The last column is transparent.
    let pixel = rgba(picture)[(4 * (picture.width - 1))..<(4 * picture.width)].map(Int.init)
    #expect(pixel.max()! - pixel.min()! <= 20 && pixel[0] > 225, "\(pixel)")
  }

  @Test(arguments: Transfer.allCases)
  func `the conversion can be cancelled`(transfer: Transfer) throws {
    let file = Self.file(transfer, width: 2, height: 1, [[10, 20, 30], [300, 200, 100]])
    var calls = 0
    _ = try ImageDecoder().decode(file) {
      calls += 1
      return false
    }
    for last in 1...calls {
      var count = 0
      let error = #expect(throws: DecodeError.self) {
        try ImageDecoder().decode(file) {
          count += 1
          return count == last
        }
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func `a signal of another range is still ignored, with a reason`() throws {
    let png = PNGFile.rgb(width: 1, height: 1, pixels: [9, 9, 9], isInterlaced: false)
    let file = PNGFile.inserting([PNGFile.chunk("cICP", [9, 16, 0, 0])], into: png)
    let picture = try ImageDecoder().picture(file, longerSide: 1)
    #expect(picture.profile?.reasonIgnored?.contains("range 0 is not supported") == true)
  }
}
