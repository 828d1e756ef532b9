internal import CKernels

/// Correspondences between keypoints of two images, as the kernel takes them: one array a number.
struct CorrespondenceArrays {
  /// The number of correspondences without padding.
  private(set) var count = 0
  fileprivate var fromX: [Double] = []
  fileprivate var fromY: [Double] = []
  fileprivate var toX: [Double] = []
  fileprivate var toY: [Double] = []
  fileprivate var scale: [Double] = []
  fileprivate var limit: [Double] = []
  fileprivate var turn: [UInt8] = []

  /// Collects correspondences, the likeliest first.
  init(_ pairs: [KeypointCorrespondence]) {
    for pair in pairs {
      // The error, squared, at which a pair stops to count: 2.5 times that of an inlier.
      append(pair, limit: 6.25 * pair.tolerance * pair.tolerance)
    }
    count = pairs.count
    let padding = KeypointCorrespondence(
      from: .zero, to: SIMD2(repeating: 1e12), scale: 0, turn: 0, distance: 0, tolerance: 0)
    while turn.count % 8 != 0 { append(padding, limit: 1) }
  }

  private mutating func append(_ pair: KeypointCorrespondence, limit: Double) {
    fromX.append(pair.from.x)
    fromY.append(pair.from.y)
    toX.append(pair.to.x)
    toY.append(pair.to.y)
    scale.append(pair.scale)
    turn.append(pair.turn)
    self.limit.append(limit)
  }
}

extension Kernels {
  /// Finds the similarity that most correspondences agree with, of those that two of them propose
  /// whose patches have similar sizes and rotations.
  ///
  /// - Parameters:
  ///   - proposers: The largest number of correspondences that propose.
  ///   - partners: The largest number of correspondences that are tried with each of them.
  /// - Complexity: O(`proposers` × `partners` × correspondences).
  func bestSimilarity(
    of pairs: CorrespondenceArrays, proposers: Int, partners: Int
  ) -> PlaneTransform? {
    let proposers = min(proposers, pairs.count)
    guard proposers > 0 else { return nil }
    let directions = (0..<proposers).map { index in
      let (cosine, sine) = IntegerAngle.direction(of: pairs.turn[index])
      return (
        pairs.scale[index] * Double(cosine) / 16384, pairs.scale[index] * Double(sine) / 16384
      )
    }
    let (cosines, sines) = (directions.map(\.0), directions.map(\.1))
    var best = ck_similarity()
    // Sound: each array has `count` numbers and is padded to a multiple of eight.
    let score = unsafe pairs.fromX.withUnsafeBufferPointer { fromX in
      unsafe pairs.fromY.withUnsafeBufferPointer { fromY in
        unsafe pairs.toX.withUnsafeBufferPointer { toX in
          unsafe pairs.toY.withUnsafeBufferPointer { toY in
            unsafe pairs.scale.withUnsafeBufferPointer { scale in
              unsafe pairs.limit.withUnsafeBufferPointer { limit in
                unsafe pairs.turn.withUnsafeBufferPointer { turn in
                  var lent = unsafe ck_pairs(
                    from_x: fromX.baseAddress!, from_y: fromY.baseAddress!,
                    to_x: toX.baseAddress!, to_y: toY.baseAddress!, scale: scale.baseAddress!,
                    limit: limit.baseAddress!, turn: turn.baseAddress!, count: pairs.count)
                  return unsafe ck_best_similarity(
                    &lent, cosines, sines, proposers, partners, &best, level)
                }
              }
            }
          }
        }
      }
    }
    return score > 0
      ? PlaneTransform(cosine: best.cosine, sine: best.sine, x: best.x, y: best.y) : nil
  }
}
