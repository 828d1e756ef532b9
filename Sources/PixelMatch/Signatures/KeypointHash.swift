/// The 256-bit hash of one keypoint: each bit tells which of two pixels of its patch is brighter.
///
/// The patch is first rotated by the keypoint's angle, and each pixel is the sum of 5 × 5 pixels of
/// the keypoint's level (Rublee, Rabaud, Konolige, Bradski, "ORB: an efficient alternative to SIFT
/// or SURF", ICCV 2011, <https://doi.org/10.1109/ICCV.2011.6126544>). The pairs of pixels come from
/// `KeypointPattern`.
public struct KeypointHash: Sendable, Hashable {
  /// The words; bit *i* of the hash is bit *i* mod 64 of word *i* / 64.
  public var words: SIMD4<UInt64>

  /// Makes a hash from its words.
  public init(words: SIMD4<UInt64> = .zero) { self.words = words }

  /// Returns the number of bits that differ, `0...256`.
  public func hammingDistance(to other: KeypointHash) -> Int {
    let difference = words ^ other.words
    return (0..<4).reduce(0) { $0 + difference[$1].nonzeroBitCount }
  }
}

/// The pixels that keypoint hashes compare, on one level of an image: sums of 5 × 5 pixels.
struct KeypointHasher {
  private let sums: [UInt16]
  private let width: Int
  private let height: Int

  init(_ plane: LumaPyramid.Plane) {
    width = plane.width
    height = plane.height
    sums = plane.boxSums()
  }

  /// Returns the hash of the patch at a position of this level. Pixels of the edge are repeated
  /// beyond it.
  ///
  /// - Parameter pattern: The 256 pairs of positions, rotated by the keypoint's angle.
  func hash(x: Int, y: Int, _ pattern: [SIMD4<Int8>]) -> KeypointHash {
    KeypointHash(
      words: Kernels.native.patchHash(
        sums.span, width: width, height: height, x: x, y: y, pairs: pattern.span))
  }

  /// Returns the certainty of each of the first ``KeypointPattern/wordBits`` bits: the absolute
  /// difference whose sign is the bit.
  func margins(x: Int, y: Int, _ pattern: [SIMD4<Int8>]) -> [UInt16] {
    (0..<KeypointPattern.wordBits).map { bit in
      let (first, second) = compared(pattern[bit], x, y)
      return first < second ? second - first : first - second
    }
  }

  /// Returns the two values of a pair. Pixels of the edge are repeated beyond it.
  private func compared(_ pair: SIMD4<Int8>, _ x: Int, _ y: Int) -> (UInt16, UInt16) {
    func sum(_ x: Int, _ y: Int) -> UInt16 {
      sums[max(0, min(height - 1, y)) * width + max(0, min(width - 1, x))]
    }
    return (
      sum(x + Int(pair[0]), y + Int(pair[1])), sum(x + Int(pair[2]), y + Int(pair[3]))
    )
  }
}

/// The hashers of the levels of a pyramid, each made on first use.
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
