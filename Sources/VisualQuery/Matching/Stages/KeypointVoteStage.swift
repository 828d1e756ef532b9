internal import PixelMatch

/// Lets the query's keypoints vote for images through the segments' indexes of visual words.
struct KeypointVoteStage: SearchStage {
  /// The most vote results kept; an image and its mirror count apart.
  private static let limit = 256

  let signature: QuerySignature
  let threads: Int
  let shouldStop: @Sendable () -> Bool
  static let cost = 4.0
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    try await state.addCandidates(from: catalogue) { segments in await votes(in: segments) }
  }

  private func votes(in segments: [LiveSegment]) async -> CandidateRows {
    let tallies = await tallies(of: segments)
    var result = CandidateRows(
      scannedRows: tallies.reduce(0) { $0 + $1.rows },
      plannedRows: segments.reduce(0) { $0 + $1.segment.count })
    let ranked = tallies.flatMap(\.votes).sorted {
      ($1.vote.weight, $0.row) < ($0.vote.weight, $1.row)
    }
    for (row, vote) in ranked.prefix(Self.limit) {
      var votes = result.votes[row] ?? KeypointVoteCount()
      if vote.isMirrored { votes.mirrored = vote.weight } else { votes.upright = vote.weight }
      result.votes[row] = votes
    }
    return result
  }

  /// The votes within one segment, and the number of rows that they could reach.
  private struct Tally: Sendable {
    var votes: [(row: SegmentRow, vote: KeypointVotes.Row)] = []
    var rows = 0
  }

  /// Counts the votes of each segment, segments side by side.
  private func tallies(of segments: [LiveSegment]) async -> [Tally] {
    let parts = min(threads, segments.count)
    guard parts > 1 else { return segments.indices.map { tally(of: $0, in: segments) } }
    return await withTaskGroup(of: [Tally].self) { group in
      for part in 0..<parts {
        group.addTask {
          stride(from: part, to: segments.count, by: parts).map { tally(of: $0, in: segments) }
        }
      }
      var all: [Tally] = []
      for await tallies in group { all += tallies }
      return all
    }
  }

  private func tally(of index: Int, in segments: [LiveSegment]) -> Tally {
    if shouldStop() { return Tally() }
    let live = segments[index]
    let votes = KeypointVotes(signature.keypoints)
      .rows(in: live, limit: Self.limit, shouldStop: shouldStop)
    // Keypoints that did not vote may have been those that matter.
    return Tally(
      votes: votes.map { (SegmentRow(segment: index, row: $0.row), $0) },
      rows: shouldStop() ? 0 : live.segment.count)
  }
}
