import TestSupport
import Testing
@testable import PixelMatch

/// The patches of an image at the places where an alignment puts them.
@Suite struct PatchCheckTests {
  private static let side = 400

  private static func segment(_ picture: PixelBuffer) throws -> SignatureSegment {
    var writer = SegmentWriter()
    writer.append(Signature(picture), key: 0)
    return try SignatureSegment(bytes: writer.encoded())
  }

  private static func scene(_ seed: UInt64) -> PixelBuffer {
    SyntheticPicture.scene(width: side, height: side, seed: seed)
  }

  private static func agreement(
    of picture: PixelBuffer, in query: PixelBuffer, under transform: PlaneTransform
  ) throws -> PatchAgreement? {
    PatchCheck(query, QuerySignature(query), shouldStop: { false })!
      .agreement(of: 0, in: try segment(picture), under: transform)
  }

  /// A photo of a picture: warped, with half the light at one side, and noise.
  private static func photo(
    of picture: PixelBuffer, _ transform: PlaneTransform, seed: UInt64
  ) throws -> PixelBuffer {
    let warped = SyntheticPicture.warped(picture, width: side, height: side) { transform($0, $1) }
    var generator = SeededGenerator(seed: seed)
    var bytes = SyntheticPicture.rgba(warped)
    for pixel in 0..<side * side {
      let light = 1 - 0.5 * Double(pixel % side) / Double(side)
      for channel in 0..<3 {
        let noise = Double.random(in: -4...4, using: &generator)
        let value = Double(bytes[4 * pixel + channel]) * light + noise
        bytes[4 * pixel + channel] = UInt8(max(0, min(255, value)))
      }
    }
    return try PixelBuffer(width: side, height: side, format: .rgba8, bytes: bytes)
  }

  /// Would break if the patches were looked up elsewhere, at another size or turned another way.
  @Test(arguments: GeometryTests.truths.filter { $0.name != "small on a grey ground" })
  func `nearly all patches of the very thing look the same`(truth: GeometryTests.Truth) throws {
    let picture = Self.scene(21)
    let query = try Self.photo(of: picture, truth.transform, seed: 3)
    let found = try #require(try Self.agreement(of: picture, in: query, under: truth.transform))
    #expect(found.visible >= 15 && found.share >= 0.95, "\(found)")
  }

  /// Would break if a signature could not tell that the very thing is in an image that stays on the phone.
  @Test(arguments: GeometryTests.truths.filter { $0.name != "small on a grey ground" })
  func `nearly all patches of the very thing agree with marks`(truth: GeometryTests.Truth) throws {
    let picture = Self.scene(21)
    let query = try Self.photo(of: picture, truth.transform, seed: 3)
    let check = try #require(PatchCheck(QuerySignature(query)))
    let found = try #require(
      check.agreement(of: 0, in: try Self.segment(picture), under: truth.transform))
    #expect(found.visible >= 15 && found.share >= 0.95, "\(found)")
  }

  /// A thing in the middle of a busy image of 1000 pixels a side, of which it takes up a twentieth.
  private static func busyImage(_ truth: PlaneTransform, of picture: PixelBuffer) -> PixelBuffer {
    let (thing, ground) = (
      SyntheticPicture.rgba(picture),
      SyntheticPicture.scene(
        width: 1000, height: 1000, seed: 77)
    )
    var bytes = SyntheticPicture.rgba(ground)
    for y in 0..<1000 {
      for x in 0..<1000 {
        let place = truth(Double(x) / 1000 * 512, Double(y) / 1000 * 512)
        let (column, row) = (Int(place.x.rounded()), Int(place.y.rounded()))
        guard (0..<side).contains(column), (0..<side).contains(row) else { continue }
        for channel in 0..<3 {
          bytes[4 * (1000 * y + x) + channel] = thing[4 * (side * row + column) + channel]
        }
      }
    }
    return try! PixelBuffer(width: 1000, height: 1000, format: .rgba8, bytes: bytes)
  }

  /// Would break if a small thing were known by no more than the keypoints of a whole image, or if marks led an alignment astray.
  @Test(arguments: 21..<25 as Range<UInt64>)
  func `marks align a small thing by more than its keypoints`(seed: UInt64) throws {
    let picture = Self.scene(seed)
    let truth = PlaneTransform(cosine: 3.5, sine: 0.4, x: -600, y: -800)
    let query = QuerySignature(Self.busyImage(truth, of: picture))
    let segment = try Self.segment(picture)
    let known = try #require(
      GeometricCheck(query).alignment(of: 0, in: segment, isMirrored: false))
    let better = try #require(PatchCheck(query)).realigned(known, of: 0, in: segment)
    #expect(2 * better.inliers > 3 * known.inliers, "\(known.inliers), \(better.inliers)")
    for place in [SIMD2(210.0, 230), SIMD2(240, 260)] {
      let miss = better.transform(place.x, place.y) - truth(place.x, place.y)
      #expect((miss * miss).sum().squareRoot() < 12, "\(miss)")
    }
    // Of another thing, marks agree by chance only.
    let other = try Self.segment(Self.scene(seed + 100))
    let wrong = try #require(PatchCheck(query)).realigned(known, of: 0, in: other)
    #expect(wrong.inliers == known.inliers)
  }

  /// Would break if marks agreed by chance.
  @Test(arguments: 30..<38 as Range<UInt64>)
  func `few patches of another thing agree with marks`(seed: UInt64) throws {
    let truth = GeometryTests.truths[5].transform
    let query = try Self.photo(of: Self.scene(seed), truth, seed: 3)
    let check = try #require(PatchCheck(QuerySignature(query)))
    let found = try #require(
      check.agreement(of: 0, in: try Self.segment(Self.scene(seed + 100)), under: truth))
    #expect(found.visible >= 40 && found.share <= 0.5, "\(found)")
  }

  /// Would break if patches looked the same by chance.
  @Test(arguments: 30..<38 as Range<UInt64>)
  func `hardly a patch of another thing looks the same`(seed: UInt64) throws {
    let truth = GeometryTests.truths[5].transform
    let query = try Self.photo(of: Self.scene(seed), truth, seed: 3)
    let found = try #require(
      try Self.agreement(of: Self.scene(seed + 100), in: query, under: truth))
    #expect(found.visible >= 40 && found.share <= 0.3, "\(found)")
  }

  /// Would break if a thing that shares a part of a design were taken for the very thing.
  @Test func `of a thing that is half the same, half the patches look the same`() throws {
    let (one, other) = (Self.scene(1), Self.scene(2))
    let same = PlaneTransform(cosine: 1, sine: 0, x: 0, y: 0)
    var bytes = SyntheticPicture.rgba(one)
    let half = 4 * Self.side * Self.side / 2
    bytes.replaceSubrange(half..., with: SyntheticPicture.rgba(other)[half...])
    let query = try PixelBuffer(
      width: Self.side, height: Self.side, format: .rgba8, bytes: bytes)
    let found = try #require(try Self.agreement(of: one, in: query, under: same))
    #expect((0.3...0.75).contains(found.share), "\(found)")
  }

  /// Would break if what the query does not show, or too small to tell, counted against the image.
  @Test func `what the query cannot show does not count`() throws {
    let picture = Self.scene(21)
    let whole = try #require(
      try Self.agreement(
        of: picture, in: picture, under: PlaneTransform(cosine: 1, sine: 0, x: 0, y: 0)))
    // The left half.
    let part = try PixelBuffer(
      width: Self.side / 2, height: Self.side, bytesPerRow: 4 * Self.side, format: .rgba8,
      bytes: SyntheticPicture.rgba(picture))
    let half = try #require(
      try Self.agreement(
        of: picture, in: part, under: PlaneTransform(cosine: 1, sine: 0, x: 0, y: 0)))
    #expect(half.visible < 2 * whole.visible / 3 && half.share >= 0.95, "\(half) of \(whole)")
    let tiny = PlaneTransform(cosine: 20, sine: 0, x: -3800, y: -3800)
    let small = SyntheticPicture.warped(picture, width: Self.side, height: Self.side) {
      tiny($0, $1)
    }
    #expect(try Self.agreement(of: picture, in: small, under: tiny) == nil)
  }

  /// Would break if a fold or a place at infinity stopped the program.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `any transform is survived`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let matrix = (0..<8).map { index in
      Double.random(in: -1...1, using: &generator) * (index % 3 == 2 ? 400 : index < 6 ? 2 : 0.02)
    }
    let picture = Self.scene(seed)
    let found = try Self.agreement(
      of: picture, in: picture, under: PlaneTransform(matrix: matrix + [1]))
    #expect((0...1).contains(found?.share ?? 0))
  }
}
