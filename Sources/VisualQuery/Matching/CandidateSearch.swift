internal import PixelMatch

/// The scans of one query: each in parts over the worker threads, until the deadline.
struct CandidateSearch: Sendable {
  /// Candidates kept of each scan.
  static let limit = 256
  /// Candidates kept of the votes.
  static let voteLimit = 256
  /// Rows below which a scan is not split: waking a thread costs more than it saves.
  private static let splitRows = 100_000

  let signature: QuerySignature
  let labelMasks: [UInt64]
  let threads: Int
  let shouldStop: @Sendable () -> Bool

  /// The candidates of one type, and how much of the work was done for them.
  struct Result: Sendable {
    /// Each row with its votes, where it got any.
    var rows: [Row: Votes] = [:]
    var scannedRows = 0
    var plannedRows = 0
  }

  /// A row of one of the segments that were scanned.
  struct Row: Sendable, Hashable {
    let segment: Int
    let row: Int
  }

  /// How much the query's corners speak for a row.
  struct Votes: Sendable, Hashable {
    /// For the picture as it is.
    var upright = 0
    /// For the mirrored picture.
    var mirrored = 0

    var best: Int { max(upright, mirrored) }
  }

  /// Scans hashes first, which is cheap, then counts the votes of corners, then scans colors and
  /// textures, then, where labels are known, those of the rows that have one of them.
  @concurrent func candidates(in segments: [LiveSegment]) async -> Result {
    let scan = FlatScan(segments)
    let rows = scan.rowCount
    let appearances = signature.views.map { FlatScan.Query.appearance($0.color, $0.texture) }
    var passes: [(query: FlatScan.Query, anyBits: [UInt64])] = [
      (.hashes(signature.views.flatMap(\.variants)), [])
    ]
    passes += appearances.map { ($0, []) }
    if !labelMasks.isEmpty { passes.append((appearances[0], labelMasks)) }
    var result = Result(plannedRows: rows * (passes.count + 1))
    for (number, pass) in passes.enumerated() where !shouldStop() {
      let found = await nearest(to: pass.query, anyBits: pass.anyBits, in: scan, rows: rows)
      result.scannedRows += found.scannedRows
      for candidate in found.top.sorted {
        let place = Row(segment: candidate.segment, row: candidate.row)
        if result.rows[place] == nil { result.rows[place] = Votes() }
      }
      if number == 0 { await vote(in: segments, into: &result) }
    }
    return result
  }

  /// Adds the live rows with most votes.
  private func vote(in segments: [LiveSegment], into result: inout Result) async {
    let counted = await votes(in: segments)
    result.scannedRows += counted.reduce(0) { $0 + $1.rows }
    let all = counted.flatMap(\.votes).sorted {
      ($1.votes.weight, $0.place.segment, $0.place.row)
        < ($0.votes.weight, $1.place.segment, $1.place.row)
    }
    for (place, vote) in all.prefix(Self.voteLimit) {
      var known = result.rows[place] ?? Votes()
      if vote.isMirrored { known.mirrored = vote.weight } else { known.upright = vote.weight }
      result.rows[place] = known
    }
  }

  private typealias Counted = (votes: [(place: Row, votes: KeypointVotes.Row)], rows: Int)

  /// The votes of each segment, segments side by side.
  private func votes(in segments: [LiveSegment]) async -> [Counted] {
    let parts = min(threads, segments.count)
    guard parts > 1 else { return segments.indices.map { votes($0, in: segments) } }
    return await withTaskGroup(of: [Counted].self) { group in
      for part in 0..<parts {
        group.addTask {
          stride(from: part, to: segments.count, by: parts).map { votes($0, in: segments) }
        }
      }
      var all: [Counted] = []
      for await counted in group { all += counted }
      return all
    }
  }

  private func votes(_ number: Int, in segments: [LiveSegment]) -> Counted {
    if shouldStop() { return ([], 0) }
    let live = segments[number]
    let found = KeypointVotes(signature.keypoints)
      .rows(in: live.segment, limit: 2 * Self.voteLimit, shouldStop: shouldStop)
    let votes = found.lazy.filter { live.isLive($0.row) }
      .map { (Row(segment: number, row: $0.row), $0) }
    return (Array(votes), live.segment.count)
  }

  private func nearest(
    to query: FlatScan.Query, anyBits: [UInt64], in scan: FlatScan, rows: Int
  ) async -> FlatScan.Result {
    let parts = rows < Self.splitRows ? 1 : threads
    guard parts > 1 else {
      return scan.nearest(
        to: query, limit: Self.limit, anyBits: anyBits, shouldStop: shouldStop)
    }
    return await withTaskGroup(of: FlatScan.Result.self) { group in
      for index in 0..<parts {
        group.addTask {
          scan.nearest(
            to: query, limit: Self.limit, anyBits: anyBits, part: (index, parts),
            shouldStop: shouldStop)
        }
      }
      var all = FlatScan.Result(top: TopCandidates(limit: Self.limit))
      for await part in group {
        all.top.merge(part.top)
        all.scannedRows += part.scannedRows
      }
      return all
    }
  }
}
