import TestSupport
import Testing
@testable import PixelMatch

@Suite struct KeypointTests {
  private func keypoints(_ picture: PixelBuffer) -> KeypointSet {
    KeypointSet(LumaPyramid(picture))
  }

  /// Returns the number of keypoints that have a counterpart in the other set at the mapped
  /// position, and the median distance of the hashes of those pairs.
  private func repeated(
    _ set: KeypointSet, in other: KeypointSet, turned: Int, within tolerance: Double,
    _ map: (Double, Double) -> SIMD2<Double>
  ) -> (share: Double, distance: Int) {
    var distances: [Int] = []
    for (point, hash) in zip(set.keypoints, set.hashes) {
      let expected = map(point.center.x, point.center.y)
      let near = other.keypoints.indices.filter { index in
        let candidate = other.keypoints[index]
        let miss = candidate.center - expected
        let turn = Int8(
          bitPattern: candidate.angle &- point.angle &- UInt8(truncatingIfNeeded: turned))
        let limit = tolerance * max(point.reduction, candidate.reduction)
        return miss.x * miss.x + miss.y * miss.y <= limit * limit && abs(Int(turn)) <= 16
      }
      if let best = near.map({ hash.hammingDistance(to: other.hashes[$0]) }).min() {
        distances.append(best)
      }
    }
    distances.sort()
    return (Double(distances.count) / Double(set.count), distances[distances.count / 2])
  }

  /// A quarter turn maps every pixel to a pixel, so hardly any keypoint may be lost.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a quarter turn turns the corners with the picture`(seed: UInt64) {
    let picture = SyntheticPicture.scene(width: 400, height: 320, seed: seed)
    let turned = SyntheticPicture.warped(picture, width: 320, height: 400) { x, y in
      SIMD2(y, 320 - x)
    }
    let found = repeated(keypoints(picture), in: keypoints(turned), turned: 64, within: 2) { x, y in
      SIMD2(320 - y, x)
    }
    #expect(found.share >= 0.85)
    #expect(found.distance <= 9)
  }

  @Test(arguments: [10.0, 33, 57, 120])
  func `any other turn keeps most corners and their hashes`(degrees: Double) {
    let picture = SyntheticPicture.scene(width: 400, height: 400, seed: 9)
    let (cosine, sine) = IntegerAngle.direction(of: UInt8((degrees * 256 / 360).rounded()))
    let (c, s) = (Double(cosine) / 16384, Double(sine) / 16384)
    let turned = SyntheticPicture.warped(picture, width: 400, height: 400) { x, y in
      SIMD2(200 + c * (x - 200) + s * (y - 200), 200 - s * (x - 200) + c * (y - 200))
    }
    let inside = keypoints(picture)
    let middle = inside.keypoints.indices.filter { index in
      let point = inside.keypoints[index]
      let (dx, dy) = (Double(point.x) - 200, Double(point.y) - 200)
      return dx * dx + dy * dy < 160 * 160
    }
    let set = KeypointSet(
      keypoints: middle.map { inside.keypoints[$0] }, hashes: middle.map { inside.hashes[$0] })
    let found = repeated(
      set, in: keypoints(turned), turned: Int((degrees * 256 / 360).rounded()), within: 3
    ) { x, y in
      SIMD2(200 + c * (x - 200) - s * (y - 200), 200 + s * (x - 200) + c * (y - 200))
    }
    #expect(found.share >= 0.55)
    #expect(found.distance <= 64)
  }

  @Test(arguments: [(1.5, 0.5), (2.0, 0.5), (3.0, 0.35)])
  func `a smaller picture has the corners of the coarser levels`(factor: Double, share: Double) {
    let picture = SyntheticPicture.scene(width: 480, height: 480, seed: 5)
    let side = Int(480 / factor)
    let small = picture.reduced(toLongerSide: side)
    let found = repeated(keypoints(small), in: keypoints(picture), turned: 0, within: 3) { x, y in
      SIMD2(x * factor, y * factor)
    }
    #expect(found.share >= share)
    #expect(found.distance <= 64)
  }

  /// Would break if the hash of a mirrored patch were not that of the patch with neighboring bits exchanged.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a mirrored patch has the mirrored hash`(seed: UInt64) {
    let side = Kernels.patchSide
    let samples = PlainPatch.random(seed: seed)
    let rows = stride(from: 0, to: samples.count, by: side).map { samples[$0..<$0 + side] }
    let mirrored = Array(rows.reversed().joined())
    let hash = KeypointHash(words: Kernels.native.patchHash(samples.span))
    #expect(KeypointHash(words: Kernels.native.patchHash(mirrored.span)) == hash.mirrored)
    #expect(hash.mirrored != hash)
  }

  @Test func `mirroring exchanges neighboring bits`() {
    let hash = KeypointHash(words: SIMD3(0b1101, 1 << 31, 0x8000_0001))
    #expect(hash.mirrored == KeypointHash(words: SIMD3(0b1110, 1 << 30, 0x4000_0002)))
    #expect(hash.mirrored.mirrored == hash)
  }

  @Test func `a query knows the corners of its mirror image`() {
    let picture = SyntheticPicture.scene(width: 360, height: 360, seed: 2)
    let mirrored = SyntheticPicture.warped(picture, width: 360, height: 360) { x, y in
      SIMD2(360 - x, y)
    }
    let query = QuerySignature(picture).keypoints
    let truth = QuerySignature(mirrored).keypoints
    var distances: [Int] = []
    for (index, point) in query.points.prefix(query.views[1].hashes.count).enumerated() {
      let near = truth.points.indices.filter {
        abs(truth.points[$0].x - (360 - point.x)) <= 1 && abs(truth.points[$0].y - point.y) <= 1
          && truth.points[$0].scale == point.scale
      }
      let hash = query.views[1].hashes[index]
      if let best = near.map({ hash.hammingDistance(to: truth.views[0].hashes[$0]) }).min() {
        distances.append(best)
      }
    }
    distances.sort()
    #expect(distances.count > query.views[1].hashes.count / 2)
    #expect(distances[distances.count / 2] <= 15)
  }

  /// Would break if one detailed region of an image took all keypoints.
  @Test func `corners are spread over the picture`() {
    let set = keypoints(SyntheticPicture.scene(width: 512, height: 512, seed: 3))
    #expect(set.count == KeypointSet.limit)
    for quadrant in 0..<4 {
      let own = set.keypoints.count {
        ($0.x >= 256 ? 1 : 0) + ($0.y >= 256 ? 2 : 0) == quadrant
      }
      #expect(own >= set.count / 8)
    }
  }

  @Test(arguments: [(1, 1), (1, 512), (512, 1), (23, 23), (24, 24), (25, 512), (31, 40)])
  func `every shape has a pyramid, and a plain one no corner`(width: Int, height: Int) throws {
    let grey = try PixelBuffer(
      width: width, height: height, format: .gray8,
      bytes: [UInt8](repeating: 90, count: width * height))
    #expect(keypoints(grey).count == 0)
    _ = keypoints(SyntheticPicture.scene(width: width, height: height, seed: 1))
  }

  @Test func `angles are nearest to the true ones`() {
    for step in 0..<256 {
      let (cosine, sine) = IntegerAngle.direction(of: UInt8(step))
      #expect(IntegerAngle.of(x: cosine, y: sine) == UInt8(step))
    }
    #expect(IntegerAngle.of(x: 0, y: 0) == 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a packed place comes back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for point in KeypointSet.random(using: &generator).keypoints {
      let place = point.place
      #expect(Keypoint(place: (place[0], place[1], place[2]), level: point.level) == point)
    }
  }

  /// A patch turned by an eighth reaches farthest: 24 pixels each way, and two more for the sums.
  @Test(arguments: 0...255 as ClosedRange<UInt8>)
  func `nothing beyond the turned patch counts`(angle: UInt8) {
    let (side, middle, reach) = (121, 60, 24)
    let inside = PlainPatch.random(seed: 1, count: side * side)
    let outside = PlainPatch.random(seed: 2, count: side * side)
    let sums = inside.map { UInt16($0) }
    let changed = sums.indices.map { place in
      let (dx, dy) = (abs(place % side - middle), abs(place / side - middle))
      return max(dx, dy) <= reach ? sums[place] : UInt16(outside[place])
    }
    var (doubts, others): ([UInt8], [UInt8]) = ([], [])
    let hash = Kernels.native.patchHash(
      sums.span, width: side, height: side, x: middle, y: middle,
      direction: IntegerAngle.direction(of: angle), doubts: &doubts)
    let other = Kernels.native.patchHash(
      changed.span, width: side, height: side, x: middle, y: middle,
      direction: IntegerAngle.direction(of: angle),
      doubts: &others)
    #expect(hash == other && doubts == others)
    #expect(
      Kernels.native.patchAngle(sums.span, width: side, height: side, x: middle, y: middle)
        == Kernels.native.patchAngle(changed.span, width: side, height: side, x: middle, y: middle))
  }
}
