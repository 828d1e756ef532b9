import TestSupport
import Testing
@testable import PixelMatch

/// The keypoints of windows.
@Suite struct WindowKeypointsTests {
  private static let image = SyntheticPicture.scene(width: 1000, height: 750, seed: 21)

  /// Would break if windows did not cover the image, or if a keypoint were placed elsewhere than it lies.
  @Test func `windows cover the image, and their keypoints lie in them`() throws {
    let signature = QuerySignature(Self.image)
    let windows = try #require(WindowKeypoints(Self.image, signature, shouldStop: { false }))
    let whole = signature.keypoints.points.map { place($0, signature) }
    var seen = Set<SIMD2<Int>>()
    for number in 0..<WindowKeypoints.count {
      let points = windows.keypoints(ofWindow: number).points
      #expect(points.count > 60 && points.count <= 400)
      let (left, top) = (Double(number % 4) * 0.2, Double(number / 4) * 0.2)
      for point in points.map({ place($0, signature) }) {
        #expect(point.x > left - 0.01 && point.x < left + 0.41)
        #expect(point.y > top - 0.01 && point.y < top + 0.41)
        seen.insert(cell(point))
      }
    }
    #expect(seen.isSuperset(of: whole.map(cell)))
  }

  /// Would break if the corners of its surroundings left too few for a small thing: of a window it has a share, too.
  @Test func `a busy window has more keypoints than a whole image`() throws {
    var generator = SeededGenerator(seed: 5)
    let tiles = (0..<100 * 75).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let bytes = (0..<1000 * 750).flatMap { place in
      let tile = tiles[place / 1000 / 10 * 100 + place % 1000 / 10]
      return [tile, tile, tile, 255]
    }
    let busy = try PixelBuffer(width: 1000, height: 750, format: .rgba8, bytes: bytes)
    let windows = try #require(WindowKeypoints(busy, QuerySignature(busy), shouldStop: { false }))
    #expect(windows.keypoints(ofWindow: 5).count > 300)
  }

  /// The position of a keypoint in shares of the sides.
  private func place(
    _ point: QueryKeypoints.Point, _ signature: QuerySignature
  ) -> SIMD2<Double> {
    SIMD2(Double(point.x) / Double(signature.size.x), Double(point.y) / Double(signature.size.y))
  }

  /// The cell of a grid of 12 × 12 that a position lies in.
  private func cell(_ place: SIMD2<Double>) -> SIMD2<Int> {
    SIMD2(Int(12 * place.x), Int(12 * place.y))
  }

  /// Would break if the patch of a keypoint were read from another place or level than that of a whole image.
  @Test func `a keypoint of a window has the hash that it has in the whole image`() throws {
    let signature = QuerySignature(Self.image)
    let whole = Dictionary(
      zip(signature.keypoints.points, signature.keypoints.views[0].hashes)
        .filter(\.0.isFine).map { ($0, $1) }, uniquingKeysWith: { $1 })
    let windows = try #require(WindowKeypoints(Self.image, signature, shouldStop: { false }))
    var both = 0
    for number in 0..<WindowKeypoints.count {
      let found = windows.keypoints(ofWindow: number)
      for (point, hash) in zip(found.points, found.views[0].hashes) {
        guard let known = whole[point] else { continue }
        both += 1
        #expect(hash == known)
      }
    }
    #expect(both > 100)
  }

  @Test(arguments: [(640, false), (700, true)])
  func `windows show no more of an image that is hardly larger than its working image`(
    side: Int, isWorthwhile: Bool
  ) {
    let image = SyntheticPicture.scene(width: side, height: side / 2, seed: 3)
    #expect(WindowKeypoints.isWorthwhile(for: QuerySignature(image)) == isWorthwhile)
  }
}
