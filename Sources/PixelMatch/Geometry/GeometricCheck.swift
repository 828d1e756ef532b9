/// The alignment of the keypoints of two images.
package struct Alignment: Sendable, Hashable {
  /// The transform from the query's working image to the other's, in pixels.
  package let transform: PlaneTransform
  /// The number of keypoints, each at a different position, that the transform maps onto their
  /// counterparts.
  package let inliers: Int
  /// The number of keypoints of the other image that lie within the query, whether they agree or
  /// not.
  package let visible: Int
  /// A Boolean value that indicates whether the query is mirrored; the transform then mirrors it.
  package let isMirrored: Bool
  /// The parts of the query that hold the inliers.
  package let claim: ImageClaim
  /// The keypoints that agree, in pixels of the query's working image and of the other's. Those of several
  /// sizes at one position count once among ``inliers``, but are all here.
  package let pairs: [LeastSquares.Pair]
}

extension Alignment {
  /// The number of keypoints that may agree by chance, or in a logo.
  package static let chanceInliers = 8

  /// Returns the mean weight of the keypoints that agree, or 1 if there are none.
  ///
  /// - Parameters:
  ///   - size: The size of the query's working image.
  ///   - weight: Returns the weight of a place, in shares of the sides of the query.
  package func share(of size: SIMD2<Int>, weight: (SIMD2<Double>) -> Double) -> Double {
    guard !pairs.isEmpty else { return 1 }
    let sides = SIMD2<Double>(size)
    return pairs.reduce(0) { $0 + weight($1.from / sides) } / Double(pairs.count)
  }

  /// Lays the image of a row over a whole query that is a copy of it. No keypoints are compared; those of the image tell which parts of the
  /// query it claims.
  ///
  /// - Parameter variant: The rotation or reflection of the query that is the image.
  package init(
    whole query: QuerySignature, _ variant: DihedralVariant, of row: Int,
    in segment: SignatureSegment
  ) {
    let transform = PlaneTransform(variant, of: query.views[0], to: segment.size(at: row))
    var claim = ImageClaim()
    if let back = transform.inverse {
      for center in segment.keypointCenters(at: row) {
        let place = back(center.x, center.y)
        claim.insert(x: place.x / Double(query.size.x), y: place.y / Double(query.size.y))
      }
    }
    self.init(
      transform: transform, inliers: 0, visible: 0, isMirrored: variant.isMirrored, claim: claim,
      pairs: [])
  }
}

/// Finds the position of a catalogue image in a query image.
///
/// Keypoints with similar hashes propose similarities in pairs (Fischler, Bolles, "Random sample
/// consensus", CACM 1981, <https://doi.org/10.1145/358669.358692>). Pairs are not drawn at random
/// but tried in order of hash distance, each keypoint with those that agree with its own size and
/// angle. A few hundred trials are enough, and every run gives the same result. The best similarity
/// is refined to an affine map and to a homography if more keypoints agree with these.
package struct GeometricCheck: Sendable {
  /// The greatest number of bits, of 96, that differ between hashes of keypoints that may be the same.
  private static let distanceLimit: UInt32 = 30
  /// The number of keypoints that propose transforms, and of partners tried with each of them, at
  /// most.
  private static let (proposers, partners) = (32, 5)
  /// The smallest number of agreeing keypoints that is significant.
  private static let leastInliers = 4
  /// The factors of the tolerance with which a refined transform is fitted again, one after the other.
  private static let tolerances = [2.5, 1.0]
  /// The distance up to which a keypoint is where a transform puts it, in pixels, and what each reduction of its level adds.
  private static let (tolerance, tolerancePerReduction) = (3.0, 1.5)

  private let query: QueryKeypoints
  private let size: SIMD2<Double>
  private let words: [[UInt32]]
  private let kernels: Kernels

  /// Prepares the check of a query.
  package init(_ query: QuerySignature) {
    self.init(query, kernels: .native)
  }

  init(_ query: QuerySignature, kernels: Kernels) {
    self.init(query.keypoints, size: query.size, kernels: kernels)
  }

  package init(_ keypoints: QueryKeypoints, size: SIMD2<Int>) {
    self.init(keypoints, size: size, kernels: .native)
  }

  /// Prepares the check of a row's image as if it was a query.
  package init(of row: Int, in segment: SignatureSegment) {
    let (width, height) = segment.size(at: row)
    self.init(
      QueryKeypoints(segment.keypoints(at: row)), size: SIMD2(width, height))
  }

  private init(_ keypoints: QueryKeypoints, size: SIMD2<Int>, kernels: Kernels) {
    query = keypoints
    self.kernels = kernels
    self.size = SIMD2(Double(size.x), Double(size.y))
    words = keypoints.views.map { view in
      view.hashes.flatMap { [$0.words[0], $0.words[1], $0.words[2]] }
    }
  }

  /// Returns how the image of a row is positioned in the query image, original or mirrored, or
  /// `nil` if too few keypoints agree.
  ///
  /// - Complexity: O(*q k*) for *q* keypoints of the query and *k* of the row.
  package func alignment(
    of row: Int, in segment: SignatureSegment, isMirrored: Bool
  ) -> Alignment? {
    let pairs = correspondences(row, segment, isMirrored ? 1 : 0)
    guard pairs.count >= Self.leastInliers,
      let first = bestSimilarity(pairs)
    else {
      return nil
    }
    var agreement = Agreement(pairs, kernels)
    var best = (transform: first, inliers: agreement.inliers(of: first))
    // A transform with more degrees of freedom needs more keypoints. With few, it would also fit
    // those that agree by chance.
    for (fit, least) in [
      (LeastSquares.similarity, 5), (LeastSquares.affine, 12), (LeastSquares.homography, 20),
    ] {
      for tolerance in Self.tolerances {
        let near = agreement.pairs(with: best.transform, times: tolerance)
        guard near.count >= least, let refined = fit(near), refined.isPlausible else { break }
        let inliers = agreement.inliers(of: refined)
        if inliers >= best.inliers { best = (refined, inliers) }
      }
    }
    guard best.inliers >= Self.leastInliers else { return nil }
    let mirror = PlaneTransform(matrix: [-1, 0, size.x, 0, 1, 0, 0, 0, 1])
    let transform = isMirrored ? best.transform.after(mirror) : best.transform
    let agreeing = agreement.pairs(with: best.transform).map { pair in
      LeastSquares.Pair(
        from: isMirrored ? SIMD2(size.x - pair.from.x, pair.from.y) : pair.from, to: pair.to)
    }
    return Alignment(
      transform: transform, inliers: best.inliers,
      visible: visible(segment.keypointPlaces(at: row), under: transform),
      isMirrored: isMirrored, claim: claim(of: agreeing), pairs: agreeing)
  }

  /// The parts of the query that hold some correspondences.
  private func claim(of pairs: [LeastSquares.Pair]) -> ImageClaim {
    var claim = ImageClaim()
    for pair in pairs { claim.insert(x: pair.from.x / size.x, y: pair.from.y / size.y) }
    return claim
  }

  /// Returns the number of keypoints of the other image that lie within the query image.
  private func visible(_ places: [Keypoint], under transform: PlaneTransform) -> Int {
    guard let back = transform.inverse?.entries else { return 0 }
    return places.count { place in
      let seen = back(place.center.x, place.center.y)
      return seen.x >= 0 && seen.y >= 0 && seen.x < size.x && seen.y < size.y
    }
  }

  /// Returns the counterpart of each keypoint of the query, the likeliest first.
  private func correspondences(
    _ row: Int, _ segment: SignatureSegment, _ view: Int
  ) -> Kernels.Correspondences {
    let places = segment.keypointPlaces(at: row)
    let words = words[view]
    let blocks = segment.keypointBlocks(at: row).blocks
    // Another program may change a mapped file between two reads.
    let isIntact = !places.isEmpty && !words.isEmpty && places.count <= 8 * blocks.count
    let best =
      isIntact
      ? segment.withKeypointHashes(blocks: blocks) { hashes in
        kernels.nearestCodes(to: words.span, in: hashes, count: places.count)
      } : []
    let order = Self.byDistance(best)
    let (points, mirror) = (query.points, query.views[view])
    return Kernels.Correspondences(count: order.count) { index in
      let point = points[order[index]]
      let place = places[Int(best[order[index]] & 0xffff)]
      let x = Double(point.x)
      return Kernels.Correspondences.Pair(
        from: SIMD2(view == 1 ? size.x - x : x, Double(point.y)), to: place.center,
        scale: place.reduction / Double(point.scale),
        turn: place.angle &- mirror.angle(of: point),
        tolerance: Self.tolerance + Self.tolerancePerReduction * place.reduction)
    }
  }

  /// Returns the indices of the keypoints whose counterparts are near enough, the nearest first; equal
  /// distances keep the order of the keypoints.
  private static func byDistance(_ best: [UInt32]) -> [Int] {
    var starts = [Int](repeating: 0, count: Int(distanceLimit) + 2)
    for found in best where found >> 16 <= distanceLimit { starts[Int(found >> 16) + 1] += 1 }
    for distance in 0...Int(distanceLimit) { starts[distance + 1] += starts[distance] }
    var order = [Int](repeating: 0, count: starts[Int(distanceLimit) + 1])
    for (index, found) in best.enumerated() where found >> 16 <= distanceLimit {
      order[starts[Int(found >> 16)]] = index
      starts[Int(found >> 16)] += 1
    }
    return order
  }

  /// Returns the similarity of the pair of correspondences that most others agree with.
  private func bestSimilarity(_ pairs: Kernels.Correspondences) -> PlaneTransform? {
    let directions = (0..<min(pairs.count, Self.proposers)).map { index in
      let (cosine, sine) = IntegerAngle.direction(of: pairs.turn(at: index))
      let scale = pairs.scale(at: index)
      return SIMD2(scale * Double(cosine) / 16384, scale * Double(sine) / 16384)
    }
    return kernels.bestSimilarity(of: pairs, directions: directions, partners: Self.partners).map {
      PlaneTransform(cosine: $0.cosine, sine: $0.sine, x: $0.x, y: $0.y)
    }
  }
}
