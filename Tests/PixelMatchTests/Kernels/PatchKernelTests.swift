import TestSupport
import Testing
@testable import PixelMatch

/// The kernels of the angles and hashes of patches: every instruction set against the plain twin, bit for bit.
@Suite struct PatchKernelTests {
  private static let places = [
    (0, 0), (59, 0), (0, 49), (59, 49), (30, 25), (25, 24), (14, 20), (44, 34),
  ]

  /// A plane of smooth brightness with noise, so that directions differ from place to place.
  private static func plane(width: Int = 60, height: Int = 50, seed: UInt64) -> PlainPatch.Plane {
    let noise = PlainPatch.random(seed: seed, count: width * height)
    let sums = noise.indices.map { index in
      let (x, y) = (index % width, index / width)
      let smooth = 90 * x + 70 * y + (x * y * Int(seed + 3)) % 900
      return UInt16((smooth + Int(noise[index]) / Int(1 + seed * seed)) % 6376)
    }
    return PlainPatch.Plane(sums: sums, width: width, height: height)
  }

  private static func angle(_ kernels: Kernels, _ plane: PlainPatch.Plane, _ x: Int, _ y: Int)
    -> UInt8
  {
    kernels.patchAngle(plane.sums.span, width: plane.width, height: plane.height, x: x, y: y)
  }

  // MARK: Angles

  @Test(arguments: Kernels.supported, places)
  func `an angle is the peak of the histogram of gradients`(kernels: Kernels, place: (Int, Int)) {
    for seed in 0..<12 as Range<UInt64> {
      let plane = Self.plane(seed: seed)
      #expect(
        Self.angle(kernels, plane, place.0, place.1)
          == PlainPatch.angle(in: plane, x: place.0, y: place.1))
    }
  }

  /// Would break if gradients were read past the last row or column of a plane that is smaller than a patch.
  @Test(arguments: Kernels.supported, [(1, 1), (1, 30), (30, 1), (2, 3), (13, 9)])
  func `small planes have angles and hashes, too`(kernels: Kernels, size: (Int, Int)) {
    let plane = Self.plane(width: size.0, height: size.1, seed: 1)
    let (x, y) = (size.0 / 2, size.1 / 2)
    let angle = Self.angle(kernels, plane, x, y)
    #expect(angle == PlainPatch.angle(in: plane, x: x, y: y))
    var doubts: [UInt8] = []
    let words = kernels.patchHash(
      plane.sums.span, width: plane.width, height: plane.height, x: x, y: y,
      direction: IntegerAngle.direction(of: angle),
      doubts: &doubts)
    let values = PlainPatch.values(
      of: PlainPatch.samples(in: plane, x: x, y: y, angle: angle))
    #expect(words == PlainPatch.words(of: values) && doubts == PlainPatch.doubts(of: values))
  }

  /// Would break if a step of the polynomial, a quadrant or the parabola were wrong in the twin as well. A bin has eight steps.
  @Test(arguments: 0...255 as ClosedRange<UInt8>)
  func `the angle of a slope is its direction`(truth: UInt8) {
    let (cosine, sine) = IntegerAngle.direction(of: truth)
    let sums = (0..<40 * 40).map { index in
      UInt16(3000 + ((index % 40 - 20) * cosine + (index / 40 - 20) * sine) / 300)
    }
    let plane = PlainPatch.Plane(sums: sums, width: 40, height: 40)
    let found = Self.angle(.native, plane, 20, 20)
    #expect(abs(Int(Int8(bitPattern: found &- truth))) <= 4, "\(found) for \(truth)")
  }

  @Test func `a plain patch has an angle`() {
    let plane = PlainPatch.Plane(
      sums: [UInt16](repeating: 900, count: 900), width: 30, height: 30)
    #expect(Self.angle(.native, plane, 15, 15) == PlainPatch.angle(in: plane, x: 15, y: 15))
  }

  // MARK: Hashes

  @Test(arguments: Kernels.supported, places)
  func `a bit is the sign of a projection of the turned patch`(
    kernels: Kernels, place: (Int, Int)
  ) {
    for (seed, angle) in [(0, 0), (1, 32), (2, 64), (3, 77), (4, 141), (5, 200), (6, 255)] {
      let plane = Self.plane(seed: UInt64(seed))
      let angle = UInt8(angle)
      let values = PlainPatch.values(
        of: PlainPatch.samples(in: plane, x: place.0, y: place.1, angle: angle))
      var doubts: [UInt8] = [99]
      let words = kernels.patchHash(
        plane.sums.span, width: plane.width, height: plane.height, x: place.0, y: place.1,
        direction: IntegerAngle.direction(of: angle), doubts: &doubts)
      #expect(words == PlainPatch.words(of: values))
      #expect(doubts == [99] + PlainPatch.doubts(of: values))
    }
  }

  /// Would break if a sum overflowed: the steepest gradients are those between 0 and 6375.
  @Test(arguments: Kernels.supported)
  func `the steepest patches are hashed exactly`(kernels: Kernels) {
    let side = PlainPatch.side
    for (across, down) in [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2), (3, 5)] {
      for inverse in [0, 1] {
        let samples = (0..<side * side).map { index in
          let band = index % side * across / 2 + index / side * down / 2
          return Int16((band / 2 + inverse) % 2 * 6375)
        }
        let values = PlainPatch.values(of: samples)
        #expect(kernels.patchHash(samples.span) == PlainPatch.words(of: values))
      }
    }
    for seed in 0..<30 as Range<UInt64> {
      let extremes = PlainPatch.random(seed: seed).map { $0 % 2 * 6375 }
      #expect(
        kernels.patchHash(extremes.span)
          == PlainPatch.words(of: PlainPatch.values(of: extremes)))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `brightness changes no bit, and contrast hardly any`(seed: UInt64) {
    let samples = PlainPatch.random(seed: seed).map { $0 / 5 }
    let hash = KeypointHash(words: Kernels.native.patchHash(samples.span))
    let brighter = samples.map { $0 + 1000 }
    #expect(KeypointHash(words: Kernels.native.patchHash(brighter.span)) == hash)
    // Roots are rounded down.
    let stronger = samples.map { $0 * 4 }
    let other = KeypointHash(words: Kernels.native.patchHash(stronger.span))
    #expect(hash.hammingDistance(to: other) <= 3)
  }

  @Test func `a patch without gradients has no bit set`() {
    let samples = [Int16](repeating: 4000, count: PlainPatch.side * PlainPatch.side)
    #expect(Kernels.native.patchHash(samples.span) == .zero)
  }

  /// Hashes since version 6. Another one is another version of signatures.
  @Test(arguments: Kernels.supported)
  func `hashes of this version stay what they are`(kernels: Kernels) {
    let expected: [SIMD3<UInt32>] = [
      SIMD3(818_328_690, 12_917_130, 230_047_485),
      SIMD3(1_066_433_469, 1_131_333_657, 3_486_251_261),
      SIMD3(847_296_498, 3_234_791_936, 1_326_692_595),
      SIMD3(937_178_995, 196_929_087, 2_943_268_731),
    ]
    for (seed, words) in expected.enumerated() {
      #expect(kernels.patchHash(PlainPatch.random(seed: UInt64(seed)).span) == words)
    }
  }

  /// Would break if weights were made again without mirrored pairs, or if a bit told nothing.
  @Test func `each projection is followed by that of the mirrored patch`() {
    let mirrored = (0..<201).map { input in
      let (row, column, direction) = (input / 40, input / 8 % 5, input % 8)
      return input == 200 ? 200 : (4 - row) * 40 + column * 8 + (8 - direction) % 8
    }
    for bit in stride(from: 0, to: 96, by: 2) {
      let (own, next) = (PlainPatch.projections[bit], PlainPatch.projections[bit + 1])
      #expect(next == mirrored.map { own[$0] } && next != own)
    }
    #expect(Set(PlainPatch.projections).count == 96)
    #expect(PlainPatch.projections.allSatisfy { $0.allSatisfy { abs($0) <= 127 } })
  }
}
