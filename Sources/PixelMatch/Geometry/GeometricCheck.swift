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

/// A keypoint of the query and the most similar keypoint of the other image.
struct KeypointCorrespondence {
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

/// Finds the position of a catalogue image in a query image.
///
/// Keypoints with similar hashes propose similarities in pairs (Fischler, Bolles, "Random sample
/// consensus", CACM 1981, <https://doi.org/10.1145/358669.358692>). Pairs are not drawn at random
/// but tried in order of hash distance, each keypoint with those that agree with its own size and
/// angle. A few hundred trials are enough, and every run gives the same result. The best similarity
/// is refined to an affine map and to a homography if more keypoints agree with these.
public struct GeometricCheck: Sendable {
  private static let distanceLimit: UInt32 = 27
  /// The number of keypoints that propose transforms, and of partners tried with each of them, at
  /// most.
  private static let proposers = 32
  private static let partners = 5
  /// The smallest number of agreeing keypoints that is significant.
  private static let leastInliers = 4

  private let query: QueryKeypoints
  private let size: SIMD2<Double>
  private let words: [[UInt32]]
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
      view.hashes.flatMap { [$0.words[0], $0.words[1], $0.words[2]] }
    }
  }

  /// Returns how the image of a row is positioned in the query image, original or mirrored, or
  /// `nil` if too few keypoints agree.
  ///
  /// - Complexity: O(*q k*) for *q* keypoints of the query and *k* of the row.
  public func alignment(
    of row: Int, in segment: SignatureSegment, isMirrored: Bool
  ) -> Alignment? {
    let pairs = correspondences(row, segment, isMirrored ? 1 : 0)
    guard pairs.count >= Self.leastInliers,
      let first = bestSimilarity(pairs)
    else {
      return nil
    }
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
    of transform: PlaneTransform, _ pairs: [KeypointCorrespondence], isMirrored: Bool
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
      let seen = back(place.center.x, place.center.y)
      return seen.x >= 0 && seen.y >= 0 && seen.x < size.x && seen.y < size.y
    }
  }

  /// Returns the counterpart of each keypoint of the query, the likeliest first.
  private func correspondences(
    _ row: Int, _ segment: SignatureSegment, _ view: Int
  ) -> [KeypointCorrespondence] {
    let places = segment.keypointPlaces(at: row)
    let words = words[view]
    let blocks = segment.keypointBlocks(at: row).blocks
    // Another program may change a mapped file between two reads.
    guard !places.isEmpty, !words.isEmpty, places.count <= 8 * blocks.count else { return [] }
    let best = segment.withKeypointHashes(blocks: blocks) { hashes in
      kernels.nearestCodes(to: words.span, in: hashes, count: places.count)
    }
    var pairs: [KeypointCorrespondence] = []
    for (point, found) in zip(query.points, best) {
      let distance = found >> 16
      guard distance <= Self.distanceLimit else { continue }
      let place = places[Int(found & 0xffff)]
      let x = Double(point.x)
      pairs.append(
        KeypointCorrespondence(
          from: SIMD2(view == 1 ? size.x - x : x, Double(point.y)),
          to: place.center,
          scale: place.reduction / Double(point.scale),
          turn: place.angle &- query.views[view].angle(of: point), distance: distance,
          tolerance: 3 + 1.5 * place.reduction))
    }
    // Stable: equal distances keep the order of the keypoints.
    let order = pairs.indices.map { pairs[$0].distance << 16 | UInt32($0) }.sorted()
    return order.map { pairs[Int($0 & 0xffff)] }
  }

  /// Returns the similarity of the pair of correspondences that most others agree with.
  private func bestSimilarity(_ pairs: [KeypointCorrespondence]) -> PlaneTransform? {
    let arrays = Kernels.CorrespondenceArrays(count: pairs.count) { index in
      let pair = pairs[index]
      // The error, squared, at which a pair stops to count: 2.5 times that of an inlier.
      return (pair.from, pair.to, pair.scale, pair.turn, 6.25 * pair.tolerance * pair.tolerance)
    }
    let directions = pairs.prefix(Self.proposers).map { pair in
      let (cosine, sine) = IntegerAngle.direction(of: pair.turn)
      return SIMD2(pair.scale * Double(cosine) / 16384, pair.scale * Double(sine) / 16384)
    }
    return kernels.bestSimilarity(of: arrays, directions: directions, partners: Self.partners).map {
      PlaneTransform(cosine: $0.cosine, sine: $0.sine, x: $0.x, y: $0.y)
    }
  }

  private static func near(
    _ transform: PlaneTransform, _ pairs: [KeypointCorrespondence], times factor: Double
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
    _ pair: KeypointCorrespondence, with transform: PlaneTransform, _ motion: Motion,
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
  private static func inliers(
    of transform: PlaneTransform, among pairs: [KeypointCorrespondence]
  ) -> Int {
    var from = PositionSet()
    var to = PositionSet()
    let motion = Motion(transform)
    for pair in pairs where agrees(pair, with: transform, motion) {
      from.insert(pair.from)
      to.insert(pair.to)
    }
    return min(from.count, to.count)
  }

  /// The positions in a working image, in squares of six pixels.
  private struct PositionSet {
    private static let side = Signature.workingSide / 6 + 1
    private var bits = [UInt64](repeating: 0, count: (side * side + 63) / 64)
    private(set) var count = 0

    mutating func insert(_ position: SIMD2<Double>) {
      let square = Self.square(position.y) * Self.side + Self.square(position.x)
      let bit = UInt64(1) << UInt64(square % 64)
      if bits[square / 64] & bit == 0 {
        bits[square / 64] |= bit
        count += 1
      }
    }

    private static func square(_ place: Double) -> Int { max(0, min(side - 1, Int(place / 6))) }
  }
}
