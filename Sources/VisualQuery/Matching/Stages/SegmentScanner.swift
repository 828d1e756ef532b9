internal import PixelMatch

/// Runs exact scans over segments, on several threads if there are enough rows.
struct SegmentScanner: Sendable {
  /// The most candidates kept from each pass.
  static let limit = 256
  /// The number of rows below which a scan is not split: waking a thread costs more than it saves.
  private static let splitRows = 100_000

  let threads: Int
  let shouldStop: @Sendable () -> Bool

  /// One scan over all rows, or over those whose filter bits hold all bits of one of the masks.
  struct Pass: Sendable {
    let query: FlatScan.Query
    var labelMasks: [UInt64] = []
  }

  /// Finds the rows nearest to each of some queries.
  @concurrent func nearest(_ passes: [Pass], in segments: [LiveSegment]) async -> CandidateRows {
    let scan = FlatScan(segments)
    var result = CandidateRows(plannedRows: scan.rowCount * passes.count)
    for pass in passes where !shouldStop() {
      let found = await nearest(pass, scan)
      result.scannedRows += found.scannedRows
      for candidate in found.top.sorted {
        let row = SegmentRow(segment: candidate.segment, row: candidate.row)
        result.votes[row] = KeypointVoteCount()
      }
    }
    return result
  }

  private func nearest(_ pass: Pass, _ scan: FlatScan) async -> FlatScan.Result {
    let parts = scan.rowCount < Self.splitRows ? 1 : threads
    guard parts > 1 else { return nearest(pass, scan, part: (0, 1)) }
    return await withTaskGroup(of: FlatScan.Result.self) { group in
      for index in 0..<parts {
        group.addTask { nearest(pass, scan, part: (index, parts)) }
      }
      var all = FlatScan.Result(top: TopCandidates(limit: Self.limit))
      for await part in group {
        all.top.merge(part.top)
        all.scannedRows += part.scannedRows
      }
      return all
    }
  }

  private func nearest(
    _ pass: Pass, _ scan: FlatScan, part: (index: Int, count: Int)
  ) -> FlatScan.Result {
    scan.nearest(
      to: pass.query, limit: Self.limit, anyBits: pass.labelMasks, part: part,
      shouldStop: shouldStop)
  }
}
