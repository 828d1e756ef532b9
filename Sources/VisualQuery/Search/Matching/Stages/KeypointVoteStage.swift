internal import PixelMatch

/// Lets the query's keypoints vote for images through the segments' indexes of visual words.
struct KeypointVoteStage: SearchStage {
  let signature: QuerySignature
  let threads: Int
  let shouldStop: @Sendable () -> Bool
  static let step = QueryStep.votes
  static let cost = QueryPlan.longCost
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    try await state.addCandidates(from: catalogue) { segments in await votes(in: segments) }
  }

  private func votes(in segments: [LiveSegment]) async -> CandidateRows {
    var sum = VoteTally()
    for tally in await tallies(of: segments) {
      sum.votes += tally.votes
      sum.scannedRows += tally.scannedRows
    }
    sum.plannedRows = segments.reduce(0) { $0 + $1.segment.count }
    return sum.candidates
  }

  /// Counts the votes of each segment, segments side by side.
  private func tallies(of segments: [LiveSegment]) async -> [VoteTally] {
    let parts = min(threads, segments.count)
    guard parts > 1 else { return segments.indices.map { tally(of: $0, in: segments) } }
    return await withTaskGroup(of: [VoteTally].self) { group in
      for part in 0..<parts {
        group.addTask {
          stride(from: part, to: segments.count, by: parts).map { tally(of: $0, in: segments) }
        }
      }
      var all: [VoteTally] = []
      for await tallies in group { all += tallies }
      return all
    }
  }

  private func tally(of index: Int, in segments: [LiveSegment]) -> VoteTally {
    if shouldStop() { return VoteTally() }
    let live = segments[index]
    let votes = KeypointVotes(signature.keypoints)
      .rows(in: live, limit: VoteTally.limit, shouldStop: shouldStop)
    // Votes that were stopped do not count as a scan, because the keypoints that are left may
    // be the decisive ones.
    return VoteTally(
      votes: votes.map { (SegmentRow(segment: index, row: $0.row), $0) },
      scannedRows: shouldStop() ? 0 : live.segment.count)
  }
}

/// The votes within some segments, and the number of rows that they could reach.
struct VoteTally: Sendable {
  /// The most vote results kept; an image and its mirror count apart.
  static let limit = SegmentScanner.limit

  var votes: [(row: SegmentRow, vote: KeypointVotes.Row)] = []
  var scannedRows = 0
  var plannedRows = 0

  /// The rows with the most votes.
  var candidates: CandidateRows {
    var result = CandidateRows(scannedRows: scannedRows, plannedRows: plannedRows)
    let ranked = votes.sorted { ($1.vote.weight, $0.row) < ($0.vote.weight, $1.row) }
    for (row, vote) in ranked.prefix(Self.limit) {
      var votes = result.votes[row] ?? KeypointVoteCount()
      if vote.isMirrored { votes.mirrored = vote.weight } else { votes.upright = vote.weight }
      result.votes[row] = votes
    }
    return result
  }
}
