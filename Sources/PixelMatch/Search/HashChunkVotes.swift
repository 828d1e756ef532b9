/// The votes of parts of a query's hashes: images that share two of the 16 chunks of 16 bits of one of its
/// variants (Norouzi, Punjani, Fleet, "Fast search in Hamming space with multi-index hashing", CVPR 2012).
///
/// It finds plain images, which have no keypoints, where hashes cannot be scanned. Two images whose hashes differ in
/// 16 bits share six chunks on average; two that differ in 60 share one or none.
package struct HashChunkVotes: Sendable {
  /// An image that received votes.
  package struct Row: Sendable, Hashable {
    /// The row in the segment.
    package let row: Int
    /// The number of equal chunks under the best variant.
    package let count: Int
  }

  /// The fewest equal chunks that count: one is shared by chance.
  private static let leastCount = 2

  private let variants: [[UInt32]]

  /// Prepares the votes of a query. Hashes of flat images have none.
  package init(_ query: QuerySignature) {
    variants = query.views.filter { $0.pdqQuality >= Signature.trustedQuality }
      .flatMap(\.variants).map(HashChunk.words)
  }

  /// The words that are looked up, each once, in ascending order.
  package var words: [UInt32] { Set(variants.joined()).sorted() }

  /// Returns the live rows that share the most chunks, most first, ties by row.
  package func rows(in live: LiveSegment, lists: PostingLists, limit: Int) -> [Row] {
    var best: [Int: Int] = [:]
    for words in variants {
      var counts: [Int: Int] = [:]
      for word in words {
        for row in lists.postings(of: word) where row < live.segment.count {
          counts[Int(row), default: 0] += 1
        }
      }
      for (row, count) in counts { best[row] = max(best[row] ?? 0, count) }
    }
    let rows = best.filter { $1 >= Self.leastCount && live.isLive($0) }
      .map { Row(row: $0, count: $1) }
    return Array(rows.sorted { ($1.count, $0.row) < ($0.count, $1.row) }.prefix(limit))
  }
}

/// The chunks of a hash as words of posting lists, behind those of keypoints.
enum HashChunk {
  /// The first word.
  static let firstWord = UInt32(1) << UInt32(VisualWord.bitLimit)
  /// The number of words.
  static let wordCount = HashNeighbors.partCount << 16

  /// Returns the 16 words of a hash.
  static func words(of hash: PDQHash) -> [UInt32] {
    (0..<16).map { chunk in
      let bits = hash.words[chunk / 4] >> UInt64(16 * (chunk % 4)) & 0xFFFF
      return firstWord + UInt32(chunk) << 16 + UInt32(bits)
    }
  }

  /// Returns the length above which a list is skipped.
  static func longestList(rows: Int) -> Int { max(32, (32 * rows) >> 16) }
}
