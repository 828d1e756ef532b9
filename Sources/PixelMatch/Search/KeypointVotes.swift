/// Finds the images that share keypoints with a query, using the segments' indexes of visual words.
///
/// Each keypoint of the query looks up its word and the words that differ from it in the least
/// certain bits (Lv, Josephson, Wang, Charikar, Li, "Multi-probe LSH", VLDB 2007). Each posting is
/// compared with the further bits of the hash, so a vote is a likely correspondence. A vote weighs
/// more the nearer the hashes and the rarer the word. Votes that rotate the image by about the same
/// angle add up (Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004); a
/// keypoint counts once for a rotation.
package struct KeypointVotes: Sendable {
  /// An image that received votes.
  package struct Row: Sendable, Hashable {
    /// The row in the segment.
    package let row: Int
    /// The sum of the votes of the best rotation.
    package let weight: Int
    /// A Boolean value that indicates whether the votes are for the mirrored image.
    package let isMirrored: Bool
  }

  private let sources: [Kernels.VoteSource]
  private let depth: WordDepth
  private let kernels: Kernels

  /// Prepares the votes of a query.
  package init(_ query: QueryKeypoints) {
    self.init(query, depth: .bits(Kernels.doubtLimit))
  }

  /// Prepares the votes of a query.
  ///
  /// - Parameter depth: The bits that are tried both ways; ``init(_:)`` passes `.bits(5)`.
  package init(_ query: QueryKeypoints, depth: WordDepth) {
    self.init(query, depth: depth, kernels: .native)
  }

  init(_ query: QueryKeypoints, depth: WordDepth = .bits(Kernels.doubtLimit), kernels: Kernels) {
    self.depth = depth
    self.kernels = kernels
    sources = query.views.map { view in
      Kernels.VoteSource(
        hashes: view.hashes.map(\.leadingBits),
        angles: view.hashes.indices.map { view.angle(of: query.points[$0]) },
        doubts: view.doubts, isMirrored: view.isMirrored)
    }
  }

  /// Returns the live rows with the most votes, most first, ties by row.
  ///
  /// - Parameters:
  ///   - live: The segment.
  ///   - limit: The largest number of rows returned.
  ///   - shouldStop: A function that is called between keypoints; `true` ends the search with the
  ///     votes so far.
  /// - Complexity: O(keypoints + postings of their words); 16 bytes a vote.
  package func rows(
    in live: LiveSegment, limit: Int, shouldStop: () -> Bool = { false }
  ) -> [Row] {
    let segment = live.segment
    let index = index(of: segment)
    if segment.isWordIndexCold { beginReading(segment, longest: index.longest) }
    let hits = segment.withWordIndex { starts, postings in
      kernels.hits(
        of: sources, starts: starts, postings: postings, index: index, depth: depth,
        willRead: segment.listCheck(longest: index.longest), shouldStop: shouldStop)
    }
    return different(in: live, limit: limit) { rows(hits, in: live, limit: $0) }
  }

  /// The share of the rows that may have one image, as its inverse, and the fewest rows that may.
  private static let (copyShare, fewCopies) = (4, 8)
  /// The factor by which more rows are ranked if one image has too many of them, and the number of rows beyond which no more are.
  private static let (rankedMore, rankedMost) = (16, 1 << 16)

  /// Returns the first rows, of which at most a share have one image: if thousands of products have a placeholder, its rows would otherwise
  /// leave no room for any other. The rows that remain of such an image are spread over all that it has.
  ///
  /// - Parameter ranked: Returns the first rows, at most as many as it is given.
  private func different(in live: LiveSegment, limit: Int, _ ranked: (Int) -> [Row]) -> [Row] {
    let most = max(Self.fewCopies, limit / Self.copyShare)
    var (asked, rows) = (limit, ranked(limit))
    // Copies have the same votes.
    let weights = Dictionary(grouping: rows) { $0.weight }
    guard rows.count == limit, weights.values.contains(where: { $0.count > most }) else {
      return rows
    }
    while true {
      let places = Dictionary(grouping: rows.indices) { live.segment.pictureHash(at: rows[$0].row) }
      guard places.values.contains(where: { $0.count > most }) else { break }
      let kept = places.values.flatMap { all in
        all.count <= most ? all : (0..<most).map { all[$0 * all.count / most] }
      }
      if kept.count >= limit || rows.count < asked || asked >= Self.rankedMost {
        return kept.sorted().prefix(limit).map { rows[$0] }
      }
      asked *= Self.rankedMore
      rows = ranked(asked)
    }
    return Array(rows.prefix(limit))
  }

  private func index(of segment: SignatureSegment) -> Kernels.WordIndex {
    Kernels.WordIndex(
      wordBits: segment.wordBits, rowCount: segment.count, longest: segment.longestList)
  }

  private func rows(_ hits: [UInt64], in live: LiveSegment, limit: Int) -> [Row] {
    kernels.rankedVotes(hits, limit: limit, dead: live.deadBits).map {
      Row(row: $0.row, weight: $0.weight, isMirrored: $0.isMirrored)
    }
  }

  /// Returns the words that the keypoints look up in a segment, each once, in ascending order.
  package func words(in segment: SignatureSegment) -> [UInt32] {
    Set(
      sources.flatMap {
        Kernels.probedWords(of: $0, wordBits: segment.wordBits, depth: depth)
      }
    ).sorted()
  }

  /// Returns the same rows as ``rows(in:limit:shouldStop:)``, by posting lists that come from
  /// elsewhere: those of ``words(in:)``. Reads nothing of the segment but its head.
  package func rows(
    in live: LiveSegment, lists: PostingLists, limit: Int, shouldStop: () -> Bool = { false }
  ) -> [Row] {
    let hits = kernels.hits(
      of: sources, words: lists.words, starts: lists.starts.span, postings: lists.postings.span,
      index: index(of: live.segment), depth: depth, shouldStop: shouldStop)
    return rows(hits, in: live, limit: limit)
  }

  /// Makes the system read ahead all postings that the keypoints will look up.
  func beginReading(_ segment: SignatureSegment, longest: Int) {
    segment.beginReading(words: words(in: segment), longest: longest)
  }
}
