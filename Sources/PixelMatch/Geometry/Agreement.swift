/// The correspondences of keypoints that agree with one transform after the other.
struct Agreement {
  private let correspondences: Kernels.Correspondences
  private let kernels: Kernels
  /// A bit for each correspondence.
  private var agreeing: [UInt8]
  private var from = PositionSet()
  private var to = PositionSet()

  init(_ correspondences: Kernels.Correspondences, _ kernels: Kernels) {
    self.correspondences = correspondences
    self.kernels = kernels
    agreeing = [UInt8](repeating: 0, count: (correspondences.count + 7) / 8)
  }

  /// Returns the correspondences that a transform maps within `factor` times their tolerance.
  mutating func pairs(
    with transform: PlaneTransform, times factor: Double = 1
  ) -> [LeastSquares.Pair] {
    find(transform, factor)
    var pairs: [LeastSquares.Pair] = []
    pairs.reserveCapacity(agreeing.reduce(0) { $0 + $1.nonzeroBitCount })
    forEachAgreeing { from, to in pairs.append(LeastSquares.Pair(from: from, to: to)) }
    return pairs
  }

  /// Returns the number of positions in either image with a keypoint that agrees. Keypoints of
  /// several sizes at one position count once.
  mutating func inliers(of transform: PlaneTransform) -> Int {
    find(transform, 1)
    var (from, to) = (PositionSet(), PositionSet())
    swap(&from, &self.from)
    swap(&to, &self.to)
    forEachAgreeing { first, second in
      from.insert(first)
      to.insert(second)
    }
    let count = min(from.count, to.count)
    from.removeAll()
    to.removeAll()
    swap(&from, &self.from)
    swap(&to, &self.to)
    return count
  }

  /// Returns the number of positions in either image of some pairs, as ``inliers(of:)`` counts them.
  static func inliers(among pairs: [LeastSquares.Pair]) -> Int {
    var (from, to) = (PositionSet(), PositionSet())
    for pair in pairs {
      from.insert(pair.from)
      to.insert(pair.to)
    }
    return min(from.count, to.count)
  }

  private mutating func find(_ transform: PlaneTransform, _ factor: Double) {
    let m = transform.matrix
    kernels.findAgreeing(
      correspondences, with: m, scale: max(0, m[0] * m[4] - m[1] * m[3]).squareRoot(),
      turn: IntegerAngle.of(x: Int(1e6 * (m[0] + m[4])), y: Int(1e6 * (m[3] - m[1]))),
      times: factor, into: &agreeing)
  }

  private func forEachAgreeing(_ body: (SIMD2<Double>, SIMD2<Double>) -> Void) {
    for (index, byte) in agreeing.enumerated() {
      var bits = byte
      while bits != 0 {
        let places = correspondences.places(at: 8 * index + bits.trailingZeroBitCount)
        body(places.from, places.to)
        bits &= bits - 1
      }
    }
  }
}

/// Positions in a working image, in squares of six pixels.
private struct PositionSet {
  /// The number of squares of six pixels along a side.
  private static let side = Signature.workingSide / 6 + 1
  private var bits: [UInt64] = []
  private var squares: [Int] = []

  var count: Int { squares.count }

  mutating func insert(_ position: SIMD2<Double>) {
    if bits.isEmpty {
      bits = [UInt64](repeating: 0, count: (Self.side * Self.side + 63) / 64)
    }
    let square = Self.square(position.y) * Self.side + Self.square(position.x)
    let bit = UInt64(1) << UInt64(square % 64)
    if bits[square / 64] & bit == 0 {
      bits[square / 64] |= bit
      squares.append(square)
    }
  }

  mutating func removeAll() {
    for square in squares { bits[square / 64] = 0 }
    squares.removeAll(keepingCapacity: true)
  }

  private static func square(_ place: Double) -> Int { max(0, min(side - 1, Int(place / 6))) }
}
