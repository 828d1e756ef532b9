/// What the corners of two pictures agree on.
public struct Alignment: Sendable, Hashable {
  /// From the query's working image to the other's, in pixels.
  public let transform: PlaneTransform
  /// Corners, each at another place, that the transform brings onto their counterparts.
  public let inliers: Int
  /// Corners of the other picture that the query has room for, agreeing or not.
  public let visible: Int
  /// Whether the query is mirrored; the transform then mirrors it.
  public let isMirrored: Bool
}

/// Finds how a picture of the catalogue lies in a query's picture.
///
/// Corners with like hashes propose similarities in pairs (Fischler, Bolles, "Random sample
/// consensus", CACM 1981, <https://doi.org/10.1145/358669.358692>). Pairs are not drawn at random
/// but tried in order of their hashes' nearness, each corner with those that its own size and angle
/// agree with, so that a few hundred trials do and every run gives the same. The best similarity is
/// refined to an affine map and to a homography where more corners agree with those.
public struct GeometricCheck: Sendable {
  private static let distanceLimit: UInt32 = 72
  /// Corners that propose transforms at most, and partners that each one tries.
  private static let proposers = 32
  private static let partners = 5
  /// Fewer corners than this say nothing.
  private static let leastInliers = 4

  private let query: QueryKeypoints
  private let size: SIMD2<Double>
  private let words: [[UInt64]]
  private let kernels: Kernels

  /// Prepares to check a query.
  public init(_ query: QuerySignature) {
    self.init(query, kernels: .native)
  }

  init(_ query: QuerySignature, kernels: Kernels) {
    self.query = query.keypoints
    self.kernels = kernels
    size = SIMD2(Double(query.size.x), Double(query.size.y))
    words = query.keypoints.views.map { view in
      view.hashes.flatMap { [$0.words[0], $0.words[1], $0.words[2], $0.words[3]] }
    }
  }

  /// One corner of the query and the corner of the other picture that looks most like it.
  private struct Correspondence {
    let from: SIMD2<Double>
    let to: SIMD2<Double>
    /// The size of the other's patch over the size of the query's.
    let scale: Double
    /// How far the patch is turned, in 256 steps.
    let turn: UInt8
    let distance: UInt32
    /// How far off an inlier may be, in pixels of the other picture.
    let tolerance: Double
  }

  /// How a row's picture lies in the query's, as it is or mirrored, or `nil` where too few corners
  /// agree.
  ///
  /// - Complexity: O(*q k*) for *q* corners of the query and *k* of the row.
  public func alignment(
    of row: Int, in segment: SignatureSegment, isMirrored: Bool
  ) -> Alignment? {
    let pairs = correspondences(row, segment, isMirrored ? 1 : 0)
    guard pairs.count >= Self.leastInliers, let first = bestSimilarity(pairs) else { return nil }
    var best = (transform: first, inliers: Self.inliers(of: first, among: pairs))
    // More freedom than the corners pay for would fit chance.
    for (fit, least) in [
      (LeastSquares.similarity, 5), (LeastSquares.affine, 12), (LeastSquares.homography, 20),
    ] {
      for tolerance in [2.5, 1.0] {
        let near = Self.near(best.transform, pairs, times: tolerance)
        guard near.count >= least, let refined = fit(near), refined.isPlausible else { break }
        let inliers = Self.inliers(of: refined, among: pairs)
        if inliers >= best.inliers { best = (refined, inliers) }
      }
    }
    guard best.inliers >= Self.leastInliers else { return nil }
    let mirror = PlaneTransform(matrix: [-1, 0, size.x, 0, 1, 0, 0, 0, 1])
    let transform = isMirrored ? best.transform.after(mirror) : best.transform
    return Alignment(
      transform: transform, inliers: best.inliers,
      visible: visible(segment.keypointPlaces(at: row), under: transform),
      isMirrored: isMirrored)
  }

  /// How many keypoints of the other picture lie within the query's.
  private func visible(_ places: [Keypoint], under transform: PlaneTransform) -> Int {
    guard let back = transform.inverse else { return 0 }
    return places.count { place in
      let seen = back(Double(place.x) + 0.5, Double(place.y) + 0.5)
      return seen.x >= 0 && seen.y >= 0 && seen.x < size.x && seen.y < size.y
    }
  }

  /// The counterpart of each corner of the query, the likeliest first.
  private func correspondences(
    _ row: Int, _ segment: SignatureSegment, _ view: Int
  ) -> [Correspondence] {
    // Looked up once: another program may change a mapped file between two look-ups.
    let (blocks, count) = segment.keypointBlocks(at: row)
    guard count > 0, query.count > 0 else { return [] }
    let places = segment.keypointPlaces(blocks, count: count)
    let words = words[view]
    let best = segment.withKeypointHashes(blocks: blocks) { hashes in
      kernels.nearestCodes(to: words.span, in: hashes, count: count)
    }
    var pairs: [Correspondence] = []
    for (point, found) in zip(query.points, best) {
      let distance = found >> 16
      guard distance <= Self.distanceLimit else { continue }
      let place = places[Int(found & 0xffff)]
      let x = Double(point.x)
      pairs.append(
        Correspondence(
          from: SIMD2(view == 1 ? size.x - x : x, Double(point.y)),
          to: SIMD2(Double(place.x) + 0.5, Double(place.y) + 0.5),
          scale: place.reduction / Double(point.scale),
          turn: place.angle &- query.views[view].angle(of: point), distance: distance,
          tolerance: 3 + 1.5 * place.reduction))
    }
    // Stable, so that equal distances stay in the order of the corners.
    return pairs.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .map(\.element)
  }

  /// The similarity of a pair of correspondences that most others agree with.
  private func bestSimilarity(_ pairs: [Correspondence]) -> PlaneTransform? {
    var best: (transform: PlaneTransform, score: Double)?
    for pair in pairs.prefix(Self.proposers) {
      var tried = 0
      let motion = Expectation(pair)
      for other in pairs where motion.agrees(with: other) {
        let proposed = PlaneTransform(
          similarityFrom: pair.from, other.from, to: pair.to, other.to)
        guard proposed.isPlausible else { continue }
        let score = Self.score(proposed, pairs)
        if score > (best?.score ?? 0) { best = (proposed, score) }
        tried += 1
        if tried == Self.partners { break }
      }
      // More than half agree: nothing better is left to be found.
      if let best, best.score > 0.5 * Double(pairs.count) { break }
    }
    return best?.transform
  }

  /// Where one correspondence, by its patch's size and angle alone, would have the others.
  private struct Expectation {
    let pair: Correspondence
    private let across: Double
    private let down: Double

    init(_ pair: Correspondence) {
      self.pair = pair
      let (cosine, sine) = IntegerAngle.direction(of: pair.turn)
      across = pair.scale * Double(cosine) / 16384
      down = pair.scale * Double(sine) / 16384
    }

    /// Whether another correspondence lies about there, and not too near to tell.
    func agrees(with other: Correspondence) -> Bool {
      guard abs(Int(Int8(bitPattern: other.turn &- pair.turn))) <= 24,
        other.scale > 0.55 * pair.scale, other.scale < 1.8 * pair.scale
      else { return false }
      let offset = other.from - pair.from
      let expected = SIMD2(
        across * offset.x - down * offset.y, down * offset.x + across * offset.y)
      let length = expected.x * expected.x + expected.y * expected.y
      guard length > 16 * 16 else { return false }
      let miss = other.to - pair.to - expected
      return miss.x * miss.x + miss.y * miss.y < 64 + 0.12 * length
    }
  }

  /// How well the correspondences agree with a transform: each counts up to one.
  private static func score(_ transform: PlaneTransform, _ pairs: [Correspondence]) -> Double {
    let m = transform.matrix
    let (across, down) = (SIMD2(m[0], m[3]), SIMD2(m[1], m[4]))
    let start = SIMD2(m[2], m[5])
    var score = 0.0
    for pair in pairs {
      let miss = across * pair.from.x + down * pair.from.y + start - pair.to
      let (dx, dy) = (miss.x, miss.y)
      let limit = 6.25 * pair.tolerance * pair.tolerance
      score += max(0, 1 - (dx * dx + dy * dy) / limit)
    }
    return score
  }

  private static func near(
    _ transform: PlaneTransform, _ pairs: [Correspondence], times factor: Double
  ) -> [LeastSquares.Pair] {
    let motion = Motion(transform)
    return pairs.lazy.filter { agrees($0, with: transform, motion, times: factor) }
      .map { LeastSquares.Pair(from: $0.from, to: $0.to) }
  }

  /// The size and turn of a transform, which the patches' own must agree with.
  private struct Motion {
    let scale: Double
    let turn: UInt8

    init(_ transform: PlaneTransform) {
      let m = transform.matrix
      scale = max(0, m[0] * m[4] - m[1] * m[3]).squareRoot()
      turn = IntegerAngle.of(x: Int(1e6 * (m[0] + m[4])), y: Int(1e6 * (m[3] - m[1])))
    }
  }

  private static func agrees(
    _ pair: Correspondence, with transform: PlaneTransform, _ motion: Motion,
    times factor: Double = 1
  ) -> Bool {
    let ratio = pair.scale / motion.scale
    guard ratio > 0.55, ratio < 1.8,
      abs(Int(Int8(bitPattern: pair.turn &- motion.turn))) <= 24
    else { return false }
    let miss = transform(pair.from.x, pair.from.y) - pair.to
    let limit = factor * pair.tolerance
    return miss.x * miss.x + miss.y * miss.y <= limit * limit
  }

  /// How many places of either picture have a corner that agrees: corners that several sizes of one
  /// place give count once.
  private static func inliers(of transform: PlaneTransform, among pairs: [Correspondence]) -> Int {
    var from: Set<SIMD2<Int32>> = []
    var to: Set<SIMD2<Int32>> = []
    let motion = Motion(transform)
    for pair in pairs where agrees(pair, with: transform, motion) {
      from.insert(SIMD2(Int32(pair.from.x / 6), Int32(pair.from.y / 6)))
      to.insert(SIMD2(Int32(pair.to.x / 6), Int32(pair.to.y / 6)))
    }
    return min(from.count, to.count)
  }
}
