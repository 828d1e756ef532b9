/// The 96-bit hash of one keypoint: the signs of 96 projections of the gradients of its patch.
///
/// The patch is 18 × 18 samples, two pixels of the keypoint's level apart and each the sum of 5 × 5 pixels, turned by the
/// keypoint's angle. Its gradients are summed by eight directions in 5 × 5 overlapping cells, as in SIFT (Lowe, "Distinctive
/// image features from scale-invariant keypoints", IJCV 2004, <https://doi.org/10.1023/B:VISI.0000029664.99615.94>). A bit is
/// the sign of a weighted sum of the roots of these sums (Arandjelović, Zisserman, "Three things everyone should know to improve
/// object retrieval", CVPR 2012, <https://doi.org/10.1109/CVPR.2012.6248018>). The weights are learned from pairs of patches that
/// show the same, by `Scripts/learn_keypoint_hash.py` (Strecha, Bronstein, Bronstein, Fua, "LDAHash: Improved matching with
/// smaller descriptors", TPAMI 2012, <https://doi.org/10.1109/TPAMI.2011.103>). A sign depends on neither the brightness nor the
/// contrast of a patch.
package struct KeypointHash: Sendable, Hashable {
  /// The number of bytes of a hash.
  static let byteCount = 12

  /// The words; bit *i* of the hash is bit *i* mod 32 of word *i* / 32.
  package var words: SIMD3<UInt32>

  /// Makes a hash from its words.
  package init(words: SIMD3<UInt32> = .zero) { self.words = words }

  /// The first ``VisualWord/hashBits`` bits, which votes compare.
  var leadingBits: UInt64 {
    (UInt64(words[1]) << 32 | UInt64(words[0])) & (1 << UInt64(VisualWord.hashBits) - 1)
  }

  /// The hash of the patch mirrored at its axis: each projection with an even number is followed by that of the mirrored patch.
  var mirrored: KeypointHash {
    let even = SIMD3<UInt32>(repeating: 0x5555_5555)
    return KeypointHash(words: (words & even) &<< 1 | (words &>> 1) & even)
  }

  /// Returns the number of bits that differ, `0...96`.
  package func hammingDistance(to other: KeypointHash) -> Int {
    let difference = words ^ other.words
    return (0..<3).reduce(0) { $0 + difference[$1].nonzeroBitCount }
  }
}

/// The pixels that the angles and hashes of keypoints are computed from, on one level of an image: sums of 5 × 5 pixels.
struct KeypointHasher {
  private let sums: [UInt16]
  private let width: Int
  private let height: Int

  init(_ plane: LumaPyramid.Plane) {
    width = plane.width
    height = plane.height
    sums = plane.boxSums()
  }

  /// Returns the angle of the patch at a position of this level, and its hash if it is turned by that angle. Pixels of the
  /// edge are repeated beyond it.
  ///
  /// - Parameter doubts: Receives the least certain of the first ``VisualWord/bitLimit`` bits, the least certain first. The
  ///   certainty of a bit is the size of the projection whose sign it is.
  func describe(x: Int, y: Int, doubts: inout [UInt8]) -> (angle: UInt8, hash: KeypointHash) {
    let angle = Kernels.native.patchAngle(sums.span, width: width, height: height, x: x, y: y)
    let words = Kernels.native.patchHash(
      sums.span, width: width, height: height, x: x, y: y,
      direction: IntegerAngle.direction(of: angle), doubts: &doubts)
    return (angle, KeypointHash(words: words))
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

  /// Prepares all levels at once.
  init(all pyramid: LumaPyramid) {
    self.pyramid = pyramid
    made = pyramid.planes.map { KeypointHasher($0) }
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
