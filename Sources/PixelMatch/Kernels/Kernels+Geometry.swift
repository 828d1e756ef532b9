internal import CKernels

/// The alignment of keypoints.
extension Kernels {
  /// Correspondences of keypoints in two images, the likeliest first: one array a number.
  struct CorrespondenceArrays {
    /// The number of correspondences without padding.
    let count: Int
    fileprivate var fromX: [Double] = []
    fileprivate var fromY: [Double] = []
    fileprivate var toX: [Double] = []
    fileprivate var toY: [Double] = []
    fileprivate var scale: [Double] = []
    fileprivate var limit: [Double] = []
    fileprivate var turn: [UInt8] = []

    /// Collects `count` correspondences.
    ///
    /// - Parameter pair: A function that returns one: the positions in both images, the ratio of
    ///   the sizes of the patches, the rotation in 256 steps of a turn, and the square of the error
    ///   at which it stops to count.
    init(
      count: Int,
      _ pair: (Int) -> (
        from: SIMD2<Double>, to: SIMD2<Double>, scale: Double, turn: UInt8, limit: Double
      )
    ) {
      self.count = count
      for index in 0..<(count + 7) / 8 * 8 {
        // A pair with the scale zero agrees with none, and no transform reaches its position.
        let padding = (SIMD2<Double>.zero, SIMD2<Double>(repeating: 1e12), 0.0, UInt8(0), 1.0)
        let (from, to, scale, turn, limit) = index < count ? pair(index) : padding
        fromX.append(from.x)
        fromY.append(from.y)
        toX.append(to.x)
        toY.append(to.y)
        self.scale.append(scale)
        self.turn.append(turn)
        self.limit.append(limit)
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
    of pairs: CorrespondenceArrays, directions: [SIMD2<Double>], partners: Int
  ) -> Similarity? {
    precondition(directions.count <= pairs.count, "more directions than correspondences")
    guard !directions.isEmpty else { return nil }
    let (cosines, sines) = (directions.map(\.x), directions.map(\.y))
    var best = ck_similarity()
    // Sound: each array has `count` numbers and is padded to a multiple of eight.
    let score = unsafe pairs.withLent { lent in
      unsafe ck_best_similarity(lent, cosines, sines, directions.count, partners, &best, level)
    }
    guard score > 0 else { return nil }
    return Similarity(cosine: best.cosine, sine: best.sine, x: best.x, y: best.y)
  }
}

extension Kernels.CorrespondenceArrays {
  /// Lends the arrays as the kernel takes them.
  fileprivate func withLent<Result>(_ body: (UnsafePointer<ck_pairs>) -> Result) -> Result {
    // Sound: the pointers are used during the call only.
    unsafe fromX.withUnsafeBufferPointer { fromX in
      unsafe fromY.withUnsafeBufferPointer { fromY in
        unsafe toX.withUnsafeBufferPointer { toX in
          unsafe toY.withUnsafeBufferPointer { toY in
            unsafe scale.withUnsafeBufferPointer { scale in
              unsafe limit.withUnsafeBufferPointer { limit in
                unsafe turn.withUnsafeBufferPointer { turn in
                  var lent = unsafe ck_pairs(
                    from_x: fromX.baseAddress!, from_y: fromY.baseAddress!,
                    to_x: toX.baseAddress!, to_y: toY.baseAddress!, scale: scale.baseAddress!,
                    limit: limit.baseAddress!, turn: turn.baseAddress!, count: count)
                  return unsafe body(&lent)
                }
              }
            }
          }
        }
      }
    }
  }
}
