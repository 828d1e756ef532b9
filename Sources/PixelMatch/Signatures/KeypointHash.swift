/// The 96-bit hash of one keypoint: each bit tells which of two pixels of its patch is brighter.
///
/// The patch is first rotated by the keypoint's angle, and each pixel is the sum of 5 × 5 pixels of
/// the keypoint's level (Rublee, Rabaud, Konolige, Bradski, "ORB: an efficient alternative to SIFT
/// or SURF", ICCV 2011, <https://doi.org/10.1109/ICCV.2011.6126544>). The pairs of pixels come from
/// `KeypointPattern`.
public struct KeypointHash: Sendable, Hashable {
  /// The number of bytes of a hash.
  static let byteCount = 12

  /// The words; bit *i* of the hash is bit *i* mod 32 of word *i* / 32.
  public var words: SIMD3<UInt32>

  /// Makes a hash from its words.
  public init(words: SIMD3<UInt32> = .zero) { self.words = words }

  /// The first ``VisualWord/hashBits`` bits, which votes compare.
  var leadingBits: UInt64 {
    (UInt64(words[1]) << 32 | UInt64(words[0])) & (1 << UInt64(VisualWord.hashBits) - 1)
  }

  /// The hash of the patch mirrored at its axis: each pair of the pattern is followed by its mirror image.
  var mirrored: KeypointHash {
    let even = SIMD3<UInt32>(repeating: 0x5555_5555)
    return KeypointHash(words: (words & even) &<< 1 | (words &>> 1) & even)
  }

  /// Returns the number of bits that differ, `0...96`.
  public func hammingDistance(to other: KeypointHash) -> Int {
    let difference = words ^ other.words
    return (0..<3).reduce(0) { $0 + difference[$1].nonzeroBitCount }
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
  /// - Parameter pattern: The 96 pairs of positions, rotated by the keypoint's angle.
  func hash(x: Int, y: Int, _ pattern: [SIMD4<Int8>]) -> KeypointHash {
    KeypointHash(
      words: Kernels.native.patchHash(
        sums.span, width: width, height: height, x: x, y: y, pairs: pattern.span))
  }

  /// Appends the least certain of the first ``VisualWord/bitLimit`` bits, the least certain first. The
  /// certainty of a bit is the absolute difference whose sign it is.
  func appendDoubts(x: Int, y: Int, _ pattern: [SIMD4<Int8>], to doubts: inout [UInt8]) {
    Kernels.native.appendPatchDoubts(
      sums.span, width: width, height: height, x: x, y: y, pairs: pattern.span, to: &doubts)
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
