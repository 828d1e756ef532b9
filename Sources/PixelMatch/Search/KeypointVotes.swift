/// Finds the images that share keypoints with a query, using the segments' indexes of visual words.
///
/// Each keypoint of the query looks up its word and the words that differ from it in the least
/// certain bits (Lv, Josephson, Wang, Charikar, Li, "Multi-probe LSH", VLDB 2007). Each posting is
/// compared with the whole hash at once, so a vote is a likely correspondence. A vote weighs more
/// the nearer the hashes and the rarer the word. Votes that rotate the image by about the same
/// angle add up (Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004).
public struct KeypointVotes: Sendable {
  /// An image that received votes.
  public struct Row: Sendable, Hashable {
    /// The row in the segment.
    public let row: Int
    /// The sum of the votes of the best rotation.
    public let weight: Int
    /// A Boolean value that indicates whether the votes are for the mirrored image.
    public let isMirrored: Bool
  }

  /// The largest distance of hashes that vote. The geometric check accepts larger ones.
  static let distanceLimit: UInt32 = 56
  /// The number of bits of a word that are tried both ways.
  private static let doubtfulBits = 5
  /// The largest number of keypoints of a word that is distinctive.
  private static let commonWord = 64
  private static let angleBins = 16
  /// The number of bins of a row: one per rotation, of the original and of the mirrored image.
  private static let binCount = 2 * angleBins

  private let query: QueryKeypoints
  private let kernels: Kernels

  /// Prepares the votes of a query.
  public init(_ query: QueryKeypoints) {
    self.init(query, kernels: .native)
  }

  init(_ query: QueryKeypoints, kernels: Kernels) {
    self.query = query
    self.kernels = kernels
  }

  /// Returns the live rows with the most votes, most first, ties by row.
  ///
  /// - Parameters:
  ///   - live: The segment.
  ///   - limit: The largest number of rows returned.
  ///   - shouldStop: A function that is called between keypoints; `true` ends the search with the
  ///     votes so far.
  /// - Complexity: O(keypoints + rows + votes); 128 bytes per row.
  public func rows(
    in live: LiveSegment, limit: Int, shouldStop: () -> Bool = { false }
  ) -> [Row] {
    let segment = live.segment
    guard segment.keypointCount > 0, query.count > 0 else { return [] }
    var votes = [UInt32](repeating: 0, count: segment.count * Self.binCount)
    for view in query.views {
      for point in query.points.indices {
        if point % 16 == 0, shouldStop() { break }
        collect(point, view, in: segment, into: &votes)
      }
    }
    return Array(Self.counted(votes, in: live).prefix(limit))
  }

  /// Adds the votes of one keypoint to the bins of their rows: those for the original image first,
  /// by rotation, then those for the mirrored image.
  private func collect(
    _ point: Int, _ view: QueryKeypoints.View, in segment: SignatureSegment,
    into votes: inout [UInt32]
  ) {
    let bits = segment.wordBits
    let hash = view.hashes[point]
    let word = Int(hash.words[0] & (1 << UInt64(bits) - 1))
    let doubtful = view.doubtfulBits[point].lazy.filter { $0 < bits }.prefix(Self.doubtfulBits)
    let flips = doubtful.map { 1 << Int($0) }
    let angle = view.angle(of: query.points[point])
    let first = view.isMirrored ? Self.angleBins : 0
    for probe in 0..<1 << flips.count {
      var probed = word
      for (place, flip) in flips.enumerated() where probe >> place & 1 == 1 { probed ^= flip }
      let postings = segment.postings(of: probed)
      guard !postings.isEmpty, postings.count <= Self.commonWord else { continue }
      let rarity = UInt32(
        max(1, bits + 1 - (Int.bitWidth - 1 - postings.count.leadingZeroBitCount)))
      segment.withKeypointIndex { hashes, all in
        kernels.forEachCode(
          in: hashes, at: all.extracting(postings), within: Self.distanceLimit, of: hash.words
        ) { number, distance in
          guard let (row, place) = segment.keypoint(Int(number)) else { return }
          let bin = Self.binCount &* row &+ first &+ Int((place.angle &- angle) >> 4)
          votes[bin] &+= rarity &* (Self.distanceLimit &+ 8 &- distance)
        }
      }
    }
  }

  /// Sums the votes of each row over two neighboring rotations.
  private static func counted(_ votes: [UInt32], in live: LiveSegment) -> [Row] {
    var rows: [Row] = []
    for row in 0..<votes.count / binCount where live.isLive(row) {
      for mirrored in 0...1 {
        let first = binCount &* row &+ angleBins &* mirrored
        var best: UInt32 = 0
        var before = votes[first &+ angleBins &- 1]
        for turn in 0..<angleBins {
          let here = votes[first &+ turn]
          best = max(best, before &+ here)
          before = here
        }
        if best > 0 { rows.append(Row(row: row, weight: Int(best), isMirrored: mirrored == 1)) }
      }
    }
    return rows.sorted { ($1.weight, $0.row) < ($0.weight, $1.row) }
  }
}
