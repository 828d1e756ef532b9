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
  func `a color has the Oklab that the sources give`(vector: OklabVector) {
    let linear = vector.rgb.map { OklabPicture.linear[Int($0)] }
    let lab = OklabPicture.oklab(red: linear[0], green: linear[1], blue: linear[2])
    for axis in 0..<3 { #expect(abs(lab[axis] - vector.lab[axis]) < 2e-4) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the cube of a cube root is the number`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let x = Float.random(in: 0...1, using: &generator)
      let root = OklabPicture.cubeRoots(SIMD4(1, x, 0, 0.5))[1]
      #expect(abs(root * root * root - x) <= 3e-4 * x)
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
