/// The alignment of the keypoints of two images.
public struct Alignment: Sendable, Hashable {
  /// The transform from the query's working image to the other's, in pixels.
  public let transform: PlaneTransform
  /// The number of keypoints, each at a different position, that the transform maps onto their
  /// counterparts.
  public let inliers: Int
  /// The number of keypoints of the other image that lie within the query, whether they agree or
  /// not.
  public let visible: Int
  /// A Boolean value that indicates whether the query is mirrored; the transform then mirrors it.
  public let isMirrored: Bool
  /// The parts of the query that hold the inliers.
  public let claim: ImageClaim
}

/// Finds the position of a catalogue image in a query image.
///
/// Keypoints with similar hashes propose similarities in pairs (Fischler, Bolles, "Random sample
/// consensus", CACM 1981, <https://doi.org/10.1145/358669.358692>). Pairs are not drawn at random
/// but tried in order of hash distance, each keypoint with those that agree with its own size and
/// angle. A few hundred trials are enough, and every run gives the same result. The best similarity
/// is refined to an affine map and to a homography if more keypoints agree with these.
public struct GeometricCheck: Sendable {
  private static let distanceLimit: UInt32 = 72
  /// The number of keypoints that propose transforms, and of partners tried with each of them, at
  /// most.
  private static let proposers = 32
  private static let partners = 5
  /// The smallest number of agreeing keypoints that is significant.
  private static let leastInliers = 4

  private let query: QueryKeypoints
  private let size: SIMD2<Double>
  private let words: [[UInt64]]
  private let kernels: Kernels

  /// Prepares the check of a query.
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

  /// A keypoint of the query and the most similar keypoint of the other image.
  private struct Correspondence {
    let from: SIMD2<Double>
    let to: SIMD2<Double>
    /// The size of the other patch divided by the size of the query's patch.
    let scale: Double
    /// The rotation of the patch, in 256 steps of a turn.
    let turn: UInt8
    let distance: UInt32
    /// The largest error of an inlier, in pixels of the other image.
    let tolerance: Double
  }

  /// Returns how the image of a row is positioned in the query image, original or mirrored, or
  /// `nil` if too few keypoints agree.
  ///
  /// - Complexity: O(*q k*) for *q* keypoints of the query and *k* of the row.
  public func alignment(
    of row: Int, in segment: SignatureSegment, isMirrored: Bool
  ) -> Alignment? {
    let pairs = correspondences(row, segment, isMirrored ? 1 : 0)
    guard pairs.count >= Self.leastInliers, let first = bestSimilarity(pairs) else { return nil }
    var best = (transform: first, inliers: Self.inliers(of: first, among: pairs))
    // A transform with more degrees of freedom needs more keypoints, otherwise it fits chance.
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
      isMirrored: isMirrored, claim: claim(of: best.transform, pairs, isMirrored: isMirrored))
  }

  /// The parts of the query that hold the correspondences which agree with a transform.
  private func claim(
    of transform: PlaneTransform, _ pairs: [Correspondence], isMirrored: Bool
  ) -> ImageClaim {
    var claim = ImageClaim()
    let motion = Motion(transform)
    for pair in pairs where Self.agrees(pair, with: transform, motion) {
      let x = isMirrored ? size.x - pair.from.x : pair.from.x
      claim.insert(x: x / size.x, y: pair.from.y / size.y)
    }
    return claim
  }

  /// Returns the number of keypoints of the other image that lie within the query image.
  private func visible(_ places: [Keypoint], under transform: PlaneTransform) -> Int {
    guard let back = transform.inverse else { return 0 }
    return places.count { place in
      let seen = back(Double(place.x) + 0.5, Double(place.y) + 0.5)
      return seen.x >= 0 && seen.y >= 0 && seen.x < size.x && seen.y < size.y
    }
  }

  /// Returns the counterpart of each keypoint of the query, the likeliest first.
  private func correspondences(
    _ row: Int, _ segment: SignatureSegment, _ view: Int
  ) -> [Correspondence] {
    // Read once: another program may change a mapped file between two reads.
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
    // Stable: equal distances keep the order of the keypoints.
    return pairs.enumerated()
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .map(\.element)
  }

  /// Returns the similarity of the pair of correspondences that most others agree with.
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
      // More than half agree: no better similarity can be found.
      if let best, best.score > 0.5 * Double(pairs.count) { break }
    }
    return best?.transform
  }

  /// The positions of other correspondences as predicted by the patch size and angle of one.
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

    /// Returns whether another correspondence lies near its predicted position, and not too near to
    /// this one to be significant.
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

  /// Returns how well the correspondences agree with a transform; each counts up to one.
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

  /// The scale and rotation of a transform, which those of the patches must agree with.
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

  /// Returns the number of positions in either image with a keypoint that agrees. Keypoints of
  /// several sizes at one position count once.
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
