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

  /// The candidates that a stage found in one type, and how much of it was done.
  struct Result: Sendable {
    /// Each row with its votes, where it got any.
    var rows: [Row: Votes] = [:]
    var scannedRows = 0
    var plannedRows = 0
  }

  /// A row of one of the segments that were scanned.
  struct Row: Sendable, Hashable, Comparable {
    let segment: Int
    let row: Int

    static func < (a: Row, b: Row) -> Bool { (a.segment, a.row) < (b.segment, b.row) }
  }

  /// How much the query's corners speak for a row.
  struct Votes: Sendable, Hashable {
    /// For the picture as it is.
    var upright = 0
    /// For the mirrored picture.
    var mirrored = 0

    var best: Int { max(upright, mirrored) }
  }

  /// The best rows by hashes, by the votes of corners, or by colors and textures and, where labels
  /// are known, by the same of the rows that have one of them.
  @concurrent func found(_ stage: SearchStage, in segments: [LiveSegment]) async -> Result {
    let scan = FlatScan(segments)
    switch stage {
    case .hashes:
      let hashes = FlatScan.Query.hashes(signature.views.flatMap(\.variants))
      return await scanned([(hashes, [])], scan)
    case .votes: return await voted(in: segments)
    case .appearance:
      let appearances = signature.views.map { FlatScan.Query.appearance($0.color, $0.texture) }
      let labelled = labelMasks.isEmpty ? [] : [(appearances[0], labelMasks)]
      return await scanned(appearances.map { ($0, []) } + labelled, scan)
    case .words, .geometry: return Result()
    }
  }

  private func scanned(
    _ passes: [(query: FlatScan.Query, anyBits: [UInt64])], _ scan: FlatScan
  ) async -> Result {
    let rows = scan.rowCount
    var result = Result(plannedRows: rows * passes.count)
    for pass in passes where !shouldStop() {
      let found = await nearest(to: pass.query, anyBits: pass.anyBits, in: scan, rows: rows)
      result.scannedRows += found.scannedRows
      for candidate in found.top.sorted {
        result.rows[Row(segment: candidate.segment, row: candidate.row)] = Votes()
      }
    }
    return result
  }

  /// The rows with most votes.
  private func voted(in segments: [LiveSegment]) async -> Result {
    let counted = await votes(in: segments)
    var result = Result(
      scannedRows: counted.reduce(0) { $0 + $1.rows },
      plannedRows: segments.reduce(0) { $0 + $1.segment.count })
    let all = counted.flatMap(\.votes).sorted {
      ($1.votes.weight, $0.place) < ($0.votes.weight, $1.place)
    }
    for (place, vote) in all.prefix(Self.voteLimit) {
      var known = result.rows[place] ?? Votes()
      if vote.isMirrored { known.mirrored = vote.weight } else { known.upright = vote.weight }
      result.rows[place] = known
    }
    return result
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
      .rows(in: live, limit: Self.voteLimit, shouldStop: shouldStop)
    let votes = found.map { (Row(segment: number, row: $0.row), $0) }
    // Corners that were not looked at may have been those that matter.
    return (votes, shouldStop() ? 0 : live.segment.count)
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
