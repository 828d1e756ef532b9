/// The 256 bits at one keypoint: which of two places of its patch is brighter, 256 times.
///
/// The patch is turned upright by the keypoint's angle first, and each place is the sum of 5 × 5
/// pixels of the keypoint's level (Rublee, Rabaud, Konolige, Bradski, "ORB: an efficient alternative
/// to SIFT or SURF", ICCV 2011, <https://doi.org/10.1109/ICCV.2011.6126544>). The places come from
/// `KeypointPattern`.
public struct KeypointHash: Sendable, Hashable {
  /// Bit *i* stands at bit *i* mod 64 of word *i* / 64.
  public var words: SIMD4<UInt64>

  /// Makes a hash of its bits.
  public init(words: SIMD4<UInt64> = .zero) { self.words = words }

  /// Number of bits that differ, `0...256`.
  public func hammingDistance(to other: KeypointHash) -> Int {
    let difference = words ^ other.words
    return (0..<4).reduce(0) { $0 + difference[$1].nonzeroBitCount }
  }
}

/// The places that keypoint hashes compare, on one level of a picture: sums of 5 × 5 pixels.
struct KeypointHasher {
  private let sums: [UInt16]
  private let width: Int
  private let height: Int

  init(_ plane: LumaPyramid.Plane) {
    width = plane.width
    height = plane.height
    sums = plane.boxSums()
  }

  /// The hash of the patch at a place of this level; the picture's edge goes on outwards.
  ///
  /// - Parameter pattern: The 256 pairs of places, turned by the keypoint's angle.
  func hash(x: Int, y: Int, _ pattern: [SIMD4<Int8>]) -> KeypointHash {
    KeypointHash(
      words: Kernels.native.patchHash(
        sums.span, width: width, height: height, x: x, y: y, pairs: pattern.span))
  }

  /// How clear each of the first ``KeypointPattern/wordBits`` bits is: the difference that it is the
  /// sign of.
  func margins(x: Int, y: Int, _ pattern: [SIMD4<Int8>]) -> [UInt16] {
    (0..<KeypointPattern.wordBits).map { bit in
      let (first, second) = compared(pattern[bit], x, y)
      return first < second ? second - first : first - second
    }
  }

  /// The picture's edge goes on outwards.
  private func compared(_ pair: SIMD4<Int8>, _ x: Int, _ y: Int) -> (UInt16, UInt16) {
    func sum(_ x: Int, _ y: Int) -> UInt16 {
      sums[max(0, min(height - 1, y)) * width + max(0, min(width - 1, x))]
    }
    return (
      sum(x + Int(pair[0]), y + Int(pair[1])), sum(x + Int(pair[2]), y + Int(pair[3]))
    )
  }
}

/// The hashers of a pyramid's levels, each made when it is first asked for.
struct LevelHashers {
  private let pyramid: LumaPyramid
  private var made: [KeypointHasher?]

  init(_ pyramid: LumaPyramid) {
    self.pyramid = pyramid
    made = [KeypointHasher?](repeating: nil, count: pyramid.planes.count)
  }

  subscript(level: Int) -> KeypointHasher {
    mutating get {
      if let hasher = made[level] { return hasher }
      let hasher = KeypointHasher(pyramid.planes[level])
      made[level] = hasher
      return hasher
    }
  }
}
