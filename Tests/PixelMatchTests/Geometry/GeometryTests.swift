import TestSupport
import Testing
@testable import PixelMatch

@Suite struct GeometryTests {
  private func segment(_ pictures: [PixelBuffer]) throws -> SignatureSegment {
    var writer = SegmentWriter()
    for (row, picture) in pictures.enumerated() {
      writer.append(Signature(picture), key: UInt32(row))
    }
    return try SignatureSegment(bytes: writer.encoded())
  }

  struct Truth: CustomTestStringConvertible, Sendable {
    let name: String
    /// From the query to the image, both of 400 × 400 pixels.
    let transform: PlaneTransform
    var isMirrored = false
    let leastInliers: Int
    var testDescription: String { name }
  }

  static let truths = [
    Truth(name: "the same", transform: .init(cosine: 1, sine: 0, x: 0, y: 0), leastInliers: 80),
    Truth(
      name: "turned by 20 degrees",
      transform: .init(cosine: 0.9397, sine: 0.342, x: 80, y: -56), leastInliers: 40),
    Truth(
      name: "the middle, twice as large",
      transform: .init(cosine: 0.5, sine: 0, x: 100, y: 100), leastInliers: 12),
    Truth(
      name: "small on a grey ground",
      transform: .init(cosine: 2, sine: 0, x: -150, y: -210), leastInliers: 25),
    Truth(
      name: "sheared", transform: .init(matrix: [1, 0.22, -40, 0.05, 0.9, 20, 0, 0, 1]),
      leastInliers: 30),
    Truth(
      name: "in perspective",
      transform: .init(matrix: [1.1, 0.08, -30, 0.02, 1.15, -20, 0.0002, 0.0004, 1]),
      leastInliers: 30),
    Truth(
      name: "mirrored", transform: .init(matrix: [-1, 0, 400, 0, 1, 0, 0, 0, 1]), isMirrored: true,
      leastInliers: 60),
  ]

  @Test(arguments: truths)
  func `a known transform is found within four pixels`(truth: Truth) throws {
    let picture = SyntheticPicture.scene(width: 400, height: 400, seed: 21)
    let query = SyntheticPicture.warped(picture, width: 400, height: 400) { x, y in
      truth.transform(x, y)
    }
    let found = try #require(
      GeometricCheck(QuerySignature(query))
        .alignment(of: 0, in: segment([picture]), isMirrored: truth.isMirrored))
    #expect(found.inliers >= truth.leastInliers)
    #expect(found.isMirrored == truth.isMirrored)
    for (x, y) in [(120.0, 130.0), (280, 150), (200, 200), (140, 270), (250, 260)] {
      let place = truth.transform(x, y)
      guard place.x > 0, place.y > 0, place.x < 400, place.y < 400 else { continue }
      let miss = found.transform(x, y) - place
      #expect(miss.x * miss.x + miss.y * miss.y <= 16, "\(x), \(y) is off by \(miss)")
    }
  }

  /// Would break if chance produced a match: keypoints of unrelated images that happen to align.
  @Test(arguments: 30..<38 as Range<UInt64>)
  func `strangers do not agree`(seed: UInt64) throws {
    let query = SyntheticPicture.scene(width: 400, height: 400, seed: seed)
    let other = SyntheticPicture.scene(width: 400, height: 400, seed: seed + 100)
    let found = GeometricCheck(QuerySignature(query))
      .alignment(of: 0, in: try segment([other]), isMirrored: false)
    #expect((found?.inliers ?? 0) < 14)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `least squares find the transform that made the pairs`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    let similarity = PlaneTransform(
      cosine: random(-2...2), sine: random(-2...2), x: random(-90...90), y: random(-90...90))
    let affine = PlaneTransform(matrix: [
      random(0.5...2), random(-0.4...0.4), random(-90...90), random(-0.4...0.4), random(0.5...2),
      random(-90...90), 0, 0, 1,
    ])
    let homography = PlaneTransform(
      matrix: affine.matrix[..<6] + [random(-0.0005...0.0005), random(-0.0005...0.0005), 1])
    let places = (0..<12).map { _ in SIMD2(random(0...500), random(0...500)) }
    for (truth, fit) in [
      (similarity, LeastSquares.similarity), (affine, LeastSquares.affine),
      (homography, LeastSquares.homography),
    ] {
      let pairs = places.map { LeastSquares.Pair(from: $0, to: truth($0.x, $0.y)) }
      let found = try #require(fit(pairs))
      for pair in pairs {
        let miss = found(pair.from.x, pair.from.y) - pair.to
        #expect(abs(miss.x) < 1e-3 && abs(miss.y) < 1e-3)
      }
      let back = try #require(truth.inverse)
      let there = truth(100, 50)
      let again = back(there.x, there.y)
      #expect(abs(again.x - 100) < 1e-6 && abs(again.y - 50) < 1e-6)
    }
  }

  @Test func `pairs on a line or at one place give no transform`() {
    let line = (0..<6).map {
      LeastSquares.Pair(from: SIMD2(Double($0), 0), to: SIMD2(0, Double($0)))
    }
    #expect(LeastSquares.affine(line) == nil)
    #expect(LeastSquares.homography(line) == nil)
    let one = [LeastSquares.Pair](repeating: .init(from: .one, to: .one), count: 6)
    #expect(LeastSquares.similarity(one) == nil)
  }

  @Test(arguments: DihedralVariant.allCases)
  func `a variant's transform takes the corners where the variant takes them`(
    variant: DihedralVariant
  ) {
    let view = QuerySignature(SyntheticPicture.scene(width: 200, height: 200, seed: 1)).views[0]
    let transform = PlaneTransform(variant, of: view, to: (200, 200))
    var cells = [UInt8](repeating: 0, count: ColorLayout.byteCount)
    cells[0] = 200
    let turned = ColorLayout(bytes: cells).applying(variant)
    let place = transform(5, 5)
    let cell = Int(place.y * 8 / 200) * 8 + Int(place.x * 8 / 200)
    #expect(turned.bytes[3 * cell] == 200)
  }
}
