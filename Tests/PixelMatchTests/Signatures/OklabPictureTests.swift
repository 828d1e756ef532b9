@testable import PixelMatch
import TestSupport
import Testing

/// A color whose Oklab is known: from the table of the paper, and from the CSS Color 4 samples.
struct OklabVector: CustomTestStringConvertible, Sendable {
  let rgb: [UInt8]
  let lab: [Float]
  var testDescription: String { "\(rgb)" }
}

@Suite struct OklabPictureTests {
  @Test(arguments: [
    OklabVector(rgb: [255, 255, 255], lab: [1, 0, 0]),
    OklabVector(rgb: [0, 0, 0], lab: [0, 0, 0]),
    OklabVector(rgb: [255, 0, 0], lab: [0.62796, 0.22486, 0.12585]),
    OklabVector(rgb: [0, 255, 0], lab: [0.86644, -0.23389, 0.17950]),
    OklabVector(rgb: [0, 0, 255], lab: [0.45201, -0.03246, -0.31153]),
  ])
  func `a color has the Oklab that the sources give`(vector: OklabVector) throws {
    let pixel = try PixelBuffer(width: 1, height: 1, format: .rgba8, bytes: vector.rgb + [255])
    let lab = OklabPicture(pixel).pixels[0]
    for axis in 0..<3 { #expect(abs(lab[axis] - vector.lab[axis]) < 2e-4) }
  }

  /// For gray, all three cone responses are the linear light, and lightness is its cube root.
  @Test func `the cube of a grey's lightness is its light`() throws {
    for byte in 1...255 as ClosedRange<UInt8> {
      let pixel = try PixelBuffer(
        width: 1, height: 1, format: .rgba8, bytes: [byte, byte, byte, 255])
      let (root, light) = (OklabPicture(pixel).pixels[0][0], OklabPicture.linear[Int(byte)])
      #expect(abs(root * root * root - light) <= 4e-4 * light)
    }
  }

  /// Pins every bit: another C library's `pow` must not move a color.
  @Test func `the transfer curve has the same bits everywhere`() {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for value in OklabPicture.linear {
      hash = (hash ^ UInt64(value.bitPattern)) &* 0x0000_0100_0000_01b3
    }
    #expect(hash == 2_089_510_805_844_735_862)
  }
}
