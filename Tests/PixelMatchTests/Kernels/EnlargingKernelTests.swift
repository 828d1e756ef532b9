import TestSupport
import Testing

@testable import PixelMatch

/// The kernels that enlarge: every instruction set against the plain twin, bit for bit.
@Suite struct EnlargingKernelTests {
  private struct Line {
    let places: CubicPlaces
    let sources: [(pixels: SIMD4<Int>, weights: SIMD4<Int32>)]
  }

  /// Returns random places with weights from far below zero to far above one.
  private func line(
    of count: Int, to longer: Int, using generator: inout SeededGenerator
  ) -> Line {
    let sources = (0..<longer).map { _ in
      var pixels = SIMD4<Int>.zero
      var weights = SIMD4<Int32>.zero
      for index in 0..<4 {
        pixels[index] = Int.random(in: 0..<count, using: &generator)
        weights[index] = Int32.random(in: -9000...20_000, using: &generator)
      }
      weights[3] += CubicPlaces.one - weights.wrappedSum()
      return (pixels, weights)
    }
    return Line(places: CubicPlaces(of: count, sources), sources: sources)
  }

  /// Returns the mix of four bytes, each a distance apart from the place of its pixel or row.
  private func mixed(
    _ bytes: [UInt8], _ source: (pixels: SIMD4<Int>, weights: SIMD4<Int32>), stride: Int,
    at first: Int
  ) -> UInt8 {
    var sum = Int(CubicPlaces.one) / 2
    for index in 0..<4 {
      let byte: UInt8 = bytes[first + stride * source.pixels[index]]
      sum += Int(byte) * Int(source.weights[index])
    }
    return UInt8(max(0, min(255, sum >> 14)))
  }

  /// Would break if a copy for one processor rounded or clamped in another way, or read beside its pixels.
  @Test(arguments: Kernels.supported, 0..<12 as Range<UInt64>)
  func `rows and columns are those of the plain twin`(kernels: Kernels, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (width, height) = (
      Int.random(in: 1...40, using: &generator), Int.random(in: 1...9, using: &generator)
    )
    let pixels = (0..<4 * width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let across = line(of: width, to: width + Int(seed) * 3, using: &generator)
    var wide: [UInt8] = []
    for row in 0..<height {
      for source in across.sources {
        for channel in 0..<4 {
          wide.append(mixed(pixels, source, stride: 4, at: 4 * row * width + channel))
        }
      }
    }
    #expect(kernels.lengthenedRows(pixels, across.places) == wide)
    let down = line(of: height, to: height + Int(seed), using: &generator)
    var tall: [UInt8] = []
    for source in down.sources {
      for byte in 0..<4 * width { tall.append(mixed(pixels, source, stride: 4 * width, at: byte)) }
    }
    #expect(kernels.lengthenedColumns(pixels, rowBytes: 4 * width, down.places) == tall)
  }
}
