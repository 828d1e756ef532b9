/// A visual word: the first bits of a keypoint's hash. Its postings are 64-bit numbers.
///
/// From the lowest bit, a posting in an index of words of *w* bits has *w* bits of the row, the
/// eight bits of the keypoint's angle, and the bits *w* to 55 of its hash. Word and posting
/// together thus have 56 bits of the hash, however long words are, and indexes can be merged
/// without reading hashes.
///
/// A word is just bits, so no vocabulary is trained and segments are independent of each other.
enum VisualWord {
  /// The number of leading bits of a hash that a word and a posting have together.
  static let hashBits = 56
  /// The largest number of bits of a word: a table of 64 MB.
  static let bitLimit = 24
  /// The smallest number of bits of a word.
  private static let leastBits = 8
  /// The logarithm of the smallest mean number of postings of a word. Longer words would be
  /// searched in less time, but a segment would have more starts than it is worth.
  private static let meanLogarithm = 3

  /// Returns the number of bits of a word for a segment: 8 to 16 postings share a word, and a
  /// posting has room for the number of its row.
  static func bits(rows: Int, keypoints: Int) -> Int {
    let byKeypoints = Int.bitWidth - 1 - max(1, keypoints).leadingZeroBitCount - meanLogarithm
    let byRows = Int.bitWidth - max(0, rows - 1).leadingZeroBitCount
    return min(bitLimit, max(leastBits, byKeypoints, byRows))
  }

  /// Returns the length above which the list of a word is skipped. It follows the mean length: a
  /// fixed one would skip most words of a large index and none of a small one.
  static func longestList(bits: Int, keypoints: Int) -> Int {
    max(32, (32 * keypoints) >> bits)
  }

  /// A posting with its word, which together are what an index knows of a keypoint.
  struct Posting {
    /// The row in the segment.
    let row: Int
    private let angle: UInt64
    /// The first ``VisualWord/hashBits`` bits of the hash.
    private let leadingBits: UInt64

    /// Reads a posting of an index whose words have `bits` bits.
    init(_ posting: UInt64, word: Int, bits: Int) {
      row = Int(posting & (1 << UInt64(bits) - 1))
      angle = posting >> UInt64(bits) & 255
      leadingBits = (posting >> UInt64(bits + 8)) << UInt64(bits) | UInt64(word)
    }

    /// Returns the word in an index whose words have `bits` bits.
    func word(bits: Int) -> Int { Int(leadingBits & (1 << UInt64(bits) - 1)) }

    /// Returns the posting of another row in an index whose words have `bits` bits.
    func encoded(row: Int, bits: Int) -> UInt64 {
      ((leadingBits >> UInt64(bits)) << 8 | angle) << UInt64(bits) | UInt64(row)
    }
  }

  /// Returns the word of a hash.
  static func word(of hash: KeypointHash, bits: Int) -> Int {
    Int(hash.words[0] & (1 << UInt32(bits) - 1))
  }

  /// Returns the posting of a keypoint.
  static func posting(row: Int, angle: UInt8, hash: KeypointHash, bits: Int) -> UInt64 {
    let rest = hash.leadingBits >> UInt64(bits)
    return (rest << 8 | UInt64(angle)) << UInt64(bits) | UInt64(row)
  }
}
