internal import PixelMatch

/// Looks for small things in a large image in which nothing is sure, one window at a time: what takes up a tenth
/// of an image has few of its keypoints, and fewer of its votes.
///
/// Keypoints of a window propose candidates and outline them; ``RegionStage`` then compares the outlined parts too.
struct WindowStage: SearchStage {
  /// The image, or `nil` if only its signature is known: then the stage can be named and not run.
  let image: PixelBuffer?
  static let step = QueryStep.windows
  static let cost = 2 * QueryPlan.longCost
  /// The stage also runs after the deadline: usually it has nothing to do and is then complete. If it does have
  /// something to do, it leaves that undone.
  static let runsPastDeadline = true

  /// The number of candidates of a window whose geometry is verified.
  private static let verified = 24
  /// The number of bits of a word that are tried both ways: there are many keypoints.
  private static let doubts = 2

  /// A candidate that keypoints of a window align.
  private struct Found: Sendable {
    let search: Int
    let row: SegmentRow
    let alignment: Alignment
  }

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard let signature = state.query.signature, WindowKeypoints.isWorthwhile(for: signature),
      !state.standings.isAnySure
    else { return 1 }
    guard state.pageCells(of: image) != nil else { return 0 }
    guard !state.isPage else { return 1 }
    guard let image else {
      state.notes.unsearchedRegions.append(.windows)
      return 1
    }
    let (searches, shouldStop) = (state.findings.searches, state.query.shouldStop)
    guard let windows = WindowKeypoints(image, signature, shouldStop: shouldStop) else { return 0 }
    let found = await withTaskGroup(of: (Int, [Found]?).self) { group in
      for window in 0..<WindowKeypoints.count {
        group.addTask {
          if shouldStop() { return (window, nil) }
          let keypoints = windows.keypoints(ofWindow: window)
          return (window, Self.found(by: keypoints, windows.size, searches, shouldStop))
        }
      }
      var found = [[Found]?](repeating: nil, count: WindowKeypoints.count)
      for await (window, part) in group { found[window] = part }
      return found.compactMap(\.self)
    }
    if found.contains(where: { !$0.isEmpty }) {
      state.findings.searches.forgetPatches()
      // In the order of the windows, so that every run gives the same answer.
      for index in state.findings.searches.indices {
        try state.addAligned(
          found.joined().filter { $0.search == index }.map { ($0.row, $0.alignment) }, to: index,
          in: catalogue)
      }
    }
    return Double(found.count) / Double(WindowKeypoints.count)
  }

  /// Returns the candidates that the keypoints of a window align, or `nil` if the search is to stop.
  private static func found(
    by keypoints: QueryKeypoints, _ size: SIMD2<Int>, _ searches: [TypeSearch],
    _ shouldStop: @Sendable () -> Bool
  ) -> [Found]? {
    let votes = KeypointVotes(keypoints, depth: .bits(doubts))
    let check = GeometricCheck(keypoints, size: size)
    let found = searches.enumerated().flatMap { index, search in
      let ranked = search.segments.enumerated().flatMap { segment, live in
        votes.rows(in: live, limit: verified, shouldStop: shouldStop).map {
          (row: SegmentRow(segment: segment, row: $0.row), weight: $0.weight)
        }
      }.sorted { ($1.weight, $0.row) < ($0.weight, $1.row) }
      return ranked.prefix(verified).compactMap { candidate -> Found? in
        if shouldStop() { return nil }
        let segment = search.segments[candidate.row.segment].segment
        return check.alignment(of: candidate.row.row, in: segment, isMirrored: false).flatMap {
          RegionProposals.isOutline($0)
            ? Found(search: index, row: candidate.row, alignment: $0) : nil
        }
      }
    }
    return shouldStop() ? nil : found
  }
}

extension RegionProposal {
  /// The whole image, to be searched in windows.
  fileprivate static let windows = RegionProposal(
    source: .windows, box: .whole)
}
