internal import PixelMatch

/// Runs exact scans over segments, on several threads if there are enough rows.
struct SegmentScanner: Sendable {
  /// The most candidates that are kept from each pass, as from any other source.
  static let limit = 256
  /// The number of rows below which a scan is not split: waking a thread costs more than it saves.
  private static let splitRows = 100_000

  let threads: Int
  let shouldStop: @Sendable () -> Bool

  /// Finds the rows nearest to the query of each of some passes.
  @concurrent func nearest(
    _ passes: [FlatScan.Pass], in segments: [LiveSegment]
  ) async -> CandidateRows {
    let scan = FlatScan(segments)
    var result = CandidateRows(plannedRows: scan.rowCount * passes.count)
    for found in await nearest(passes, scan) {
      result.scannedRows += found.scannedRows
      for candidate in found.top.sorted {
        let row = SegmentRow(segment: candidate.segment, row: candidate.row)
        result.votes[row] = KeypointVoteCount()
      }
    }
    return result
  }

  private func nearest(_ passes: [FlatScan.Pass], _ scan: FlatScan) async -> [FlatScan.Result] {
    let parts = scan.rowCount < Self.splitRows ? 1 : threads
    guard parts > 1 else { return nearest(passes, scan, part: (0, 1)) }
    return await withTaskGroup(of: [FlatScan.Result].self) { group in
      for index in 0..<parts {
        group.addTask { nearest(passes, scan, part: (index, parts)) }
      }
      var all = passes.map { _ in FlatScan.Result(top: TopCandidates(limit: Self.limit)) }
      for await part in group {
        for (index, found) in part.enumerated() {
          all[index].top.merge(found.top)
          all[index].scannedRows += found.scannedRows
        }
      }
      return all
    }
  }

  private func nearest(
    _ passes: [FlatScan.Pass], _ scan: FlatScan, part: (index: Int, count: Int)
  ) -> [FlatScan.Result] {
    scan.nearest(of: passes, limit: Self.limit, part: part, shouldStop: shouldStop)
  }
}
