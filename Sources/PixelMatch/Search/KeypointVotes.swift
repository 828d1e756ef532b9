/// Finds the pictures that share corners with a query, through the segments' indexes of visual words.
///
/// Each corner of the query looks up its word and the words that differ from it in the bits that are
/// least certain (Lv, Josephson, Wang, Charikar, Li, "Multi-probe LSH", VLDB 2007). What is found
/// there is held against the whole hash at once, so that a vote is a likely correspondence; it
/// counts more the nearer the hashes and the rarer the word. Votes that turn the picture by about the
/// same angle add up (Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004).
public struct KeypointVotes: Sendable {
  /// A picture that got votes.
  public struct Row: Sendable, Hashable {
    /// Row of the segment.
    public let row: Int
    /// Sum of the votes that agree best.
    public let weight: Int
    /// Whether they are for the mirrored picture.
    public let isMirrored: Bool
  }

  /// Hashes farther apart than this do not vote; the check of the corners' places goes farther.
  static let distanceLimit: UInt32 = 56
  /// Bits of a word that are tried both ways.
  private static let doubtfulBits = 5
  /// A word with more keypoints than this is too common to say anything.
  private static let commonWord = 64
  private static let angleBins = 16
  /// Bins of a row: each turn, of the picture as it is and of the mirrored one.
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

  /// The live rows with most votes, most first, ties by row.
  ///
  /// - Parameters:
  ///   - live: The segment.
  ///   - limit: The most rows that are given.
  ///   - shouldStop: Asked between corners; `true` ends the votes with what there is.
  /// - Complexity: O(corners + rows) and the number of votes; 128 bytes a row.
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

  /// Adds the votes of one corner to the bins of their rows: first those for the picture as it is, by
  /// how far it is turned, then those for the mirrored one.
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

  /// Adds up the votes of each row, over two neighbouring turns.
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
