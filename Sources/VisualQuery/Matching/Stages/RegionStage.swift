internal import PixelMatch

/// Searches the parts of the image that may show other things than what was found so far: the cells of a
/// page, and the outlines of candidates that lie apart from the sure ones. A cell is a query of its own; in an
/// outline only the best candidates of the whole image are compared once more.
struct RegionStage: SearchStage {
  /// The image, or `nil` if only its signature is known: then parts can be named and not searched.
  let image: PixelBuffer?
  let labelMasks: [UInt64]
  let threads: Int
  static let cost = 4.0
  /// The proposals cost little, and mostly there are none.
  static let runsPastDeadline = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    func proposed() -> RegionProposals {
      RegionProposals(state.scoredEntities(), cutOff: Calibration.defaultCutOff)
    }
    var proposals = proposed()
    if state.uncoverCandidates(proposals) { proposals = proposed() }
    let layout = image.map(PageLayout.cells) ?? []
    state.isPage = !layout.isEmpty
    let cells = proposals.cells(of: layout)
    let boxes = cells.isEmpty ? proposals.outlines() : cells
    guard !boxes.isEmpty else { return 1 }
    guard let image else {
      state.unsearchedOutlines = boxes
      return 1
    }
    let source: SearchedRegion.Source = cells.isEmpty ? .outline : .layout
    let parent = state
    let found = try await withThrowingTaskGroup(of: (Int, RegionSearch?).self) { group in
      for (index, box) in boxes.enumerated() {
        group.addTask {
          (index, try await search(box, of: image, source, within: parent, in: catalogue))
        }
      }
      var found = [RegionSearch?](repeating: nil, count: boxes.count)
      for try await (index, search) in group { found[index] = search }
      return found
    }
    state.regions = found.compactMap { $0 }
    return Double(state.regions.count) / Double(boxes.count)
  }

  /// Runs the stages over one part of the image; `nil` if the deadline does not allow it.
  @concurrent private func search(
    _ box: PictureRegion, of image: PixelBuffer, _ source: SearchedRegion.Source,
    within parent: QueryState, in catalogue: Catalogue
  ) async throws -> RegionSearch? {
    guard !parent.shouldStop(),
      let signature = QuerySignature(
        try image.cropped(to: box), shouldStop: { parent.shouldStop() })
    else { return nil }
    var state = parent
    state.searches = parent.searches.map {
      source == .layout
        ? TypeSearch($0.type, $0.segments, signature) : $0.narrowed(to: signature)
    }
    // Regions are searched side by side, so that each has one thread.
    let stages: [any SearchStage] =
      source == .layout
      ? imageStages(
        signature, labelMasks: labelMasks, threads: 1, shouldStop: parent.shouldStop)
      : [GeometryStage()]
    for stage in stages {
      guard try await stage.run(on: &state, in: catalogue) == 1 else { return nil }
      await Task.yield()
    }
    return RegionSearch(
      source: source, frame: ImageFrame(box: box, signature), searches: state.searches)
  }
}

/// Returns the stages that search an image, the cheapest first.
func imageStages(
  _ signature: QuerySignature, labelMasks: [UInt64], threads: Int,
  shouldStop: @escaping @Sendable () -> Bool
) -> [any SearchStage] {
  let scanner = SegmentScanner(threads: threads, shouldStop: shouldStop)
  return [
    HashScanStage(signature: signature, scanner: scanner),
    KeypointVoteStage(signature: signature, threads: threads, shouldStop: shouldStop),
    AppearanceScanStage(signature: signature, labelMasks: labelMasks, scanner: scanner),
    GeometryStage(),
  ]
}
