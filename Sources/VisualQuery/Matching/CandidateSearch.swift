internal import PixelMatch

/// The scans of one query: each in parts over the worker threads, until the deadline.
struct CandidateSearch: Sendable {
  /// Candidates kept of each scan.
  static let limit = 256
  /// Rows below which a scan is not split: waking a thread costs more than it saves.
  private static let splitRows = 100_000

  let signature: QuerySignature
  let labelMasks: [UInt64]
  let threads: Int
  let shouldStop: @Sendable () -> Bool

  /// The candidates of one type, and how much of the work was done for them.
  struct Result: Sendable {
    var rows: Set<Row> = []
    var scannedRows = 0
    var plannedRows = 0
  }

  /// A row of one of the segments that were scanned.
  struct Row: Sendable, Hashable {
    let segment: Int
    let row: Int
  }

  /// Scans hashes first, which is cheap, then colors, then, where labels are known, the colors of
  /// the rows that have one of them.
  @concurrent func candidates(in segments: [LiveSegment]) async -> Result {
    let scan = FlatScan(segments)
    let rows = scan.rowCount
    let color = FlatScan.Query.color(signature.signature.color)
    var passes: [(query: FlatScan.Query, anyBits: [UInt64])] = [
      (.hashes(signature.variants), []), (color, []),
    ]
    if !labelMasks.isEmpty { passes.append((color, labelMasks)) }
    var result = Result(plannedRows: rows * passes.count)
    for pass in passes where !shouldStop() {
      let found = await nearest(to: pass.query, anyBits: pass.anyBits, in: scan, rows: rows)
      result.scannedRows += found.scannedRows
      for candidate in found.top.sorted {
        result.rows.insert(Row(segment: candidate.segment, row: candidate.row))
      }
    }
    return result
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
