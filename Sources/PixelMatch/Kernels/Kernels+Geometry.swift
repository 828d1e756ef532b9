internal import CKernels

/// The alignment of keypoints.
extension Kernels {
  /// Correspondences of keypoints in two images, the likeliest first: one column a number.
  struct Correspondences {
    /// A keypoint of the query and the most similar keypoint of the other image.
    struct Pair {
      let from: SIMD2<Double>
      let to: SIMD2<Double>
      /// The size of the other patch divided by the size of the query's patch.
      let scale: Double
      /// The rotation of the patch, in 256 steps of a turn.
      let turn: UInt8
      /// The largest error of an inlier, in pixels of the other image.
      let tolerance: Double
    }

    /// The number of correspondences.
    let count: Int
    /// The length of a column, a multiple of eight.
    fileprivate let length: Int
    /// The columns: x and y in the query, x and y in the other image, scale, limit, tolerance.
    private let columns: [Double]
    private let turns: [UInt8]

    /// The distance at which a pair stops to count, in tolerances, squared.
    private static let limit = 6.25

    /// Collects `count` correspondences.
    init(count: Int, _ pair: (Int) -> Pair) {
      self.count = count
      let length = (count + 7) / 8 * 8
      self.length = length
      var columns = [Double](repeating: 0, count: 7 * length)
      var turns = [UInt8](repeating: 0, count: length)
      // A padding pair has the scale zero and an unreachable position, so that it never counts as
      // agreeing.
      let far = SIMD2(repeating: 1e12)
      let padding = Pair(from: .zero, to: far, scale: 0, turn: 0, tolerance: 0)
      var span = columns.mutableSpan
      for index in 0..<length {
        let pair = index < count ? pair(index) : padding
        span[index] = pair.from.x
        span[length + index] = pair.from.y
        span[2 * length + index] = pair.to.x
        span[3 * length + index] = pair.to.y
        span[4 * length + index] = pair.scale
        span[5 * length + index] =
          index < count ? Self.limit * pair.tolerance * pair.tolerance : 1
        span[6 * length + index] = pair.tolerance
        turns[index] = pair.turn
      }
      (self.columns, self.turns) = (columns, turns)
    }

    /// The position of a keypoint in the query, and that of its counterpart.
    func places(at index: Int) -> (from: SIMD2<Double>, to: SIMD2<Double>) {
      (
        SIMD2(columns[index], columns[length + index]),
        SIMD2(columns[2 * length + index], columns[3 * length + index])
      )
    }

    /// The rotation of a patch, in 256 steps of a turn.
    func turn(at index: Int) -> UInt8 { turns[index] }

    /// The size of a patch divided by the size of the query's.
    func scale(at index: Int) -> Double { columns[4 * length + index] }

    /// Lends the columns as the kernels take them.
    fileprivate func withLent<Result>(_ body: (UnsafePointer<ck_pairs>) -> Result) -> Result {
      // Sound: each column has `length` numbers, and the pointers are used during the call only.
      unsafe columns.withUnsafeBufferPointer { columns in
        unsafe turns.withUnsafeBufferPointer { turns in
          let first = columns.baseAddress!
          var lent = unsafe ck_pairs(
            from_x: first, from_y: first + length, to_x: first + 2 * length,
            to_y: first + 3 * length, scale: first + 4 * length, limit: first + 5 * length,
            tolerance: first + 6 * length, turn: turns.baseAddress!, count: count)
          return unsafe body(&lent)
        }
      }
    }
  }

  /// A rotation and a scale, then a translation.
  struct Similarity {
    var cosine = 0.0
    var sine = 0.0
    var x = 0.0
    var y = 0.0
  }

  /// Finds the similarity that most correspondences agree with, of those that two of them propose
  /// whose patches have similar sizes and rotations.
  ///
  /// - Parameters:
  ///   - directions: The cosine and the sine of the rotation of each of the first correspondences,
  ///     times its scale. These propose.
  ///   - partners: The largest number of correspondences that are tried with each of them.
  /// - Complexity: O(`directions.count` × `partners` × correspondences).
  func bestSimilarity(
    of pairs: Correspondences, directions: [SIMD2<Double>], partners: Int
  ) -> Similarity? {
    precondition(directions.count <= pairs.count, "more directions than correspondences")
    guard !directions.isEmpty else { return nil }
    let (cosines, sines) = (directions.map { $0.x }, directions.map { $0.y })
    var best = ck_similarity()
    // Sound: each array has `count` numbers and is padded to a multiple of eight.
    let score = unsafe pairs.withLent { lent in
      unsafe ck_best_similarity(lent, cosines, sines, directions.count, partners, &best, level)
    }
    guard score > 0 else { return nil }
    return Similarity(cosine: best.cosine, sine: best.sine, x: best.x, y: best.y)
  }

  /// Finds the correspondences that agree with a map of the plane, within `factor` times their
  /// tolerance.
  ///
  /// - Parameters:
  ///   - matrix: The nine entries of the map, row by row.
  ///   - scale: The scale of the map, which those of the patches must agree with.
  ///   - turn: Its rotation, in 256 steps of a turn.
  ///   - agreeing: Receives a bit for each correspondence, eight a byte.
  func findAgreeing(
    _ pairs: Correspondences, with matrix: [Double], scale: Double, turn: UInt8,
    times factor: Double, into agreeing: inout [UInt8]
  ) {
    precondition(8 * agreeing.count >= pairs.count, "there is no bit for every correspondence")
    precondition(matrix.count == 9, "a map of the plane has nine entries")
    guard pairs.count > 0 else { return }
    let m = matrix
    var map = ck_plane_map(
      matrix: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]), scale: scale, turn: turn)
    // Sound: the columns are padded to a multiple of eight, and `agreeing` has a byte for every
    // eight pairs.
    unsafe pairs.withLent { lent in
      unsafe ck_agreeing_pairs(lent, &map, factor, &agreeing, level)
    }
  }
}
