internal import PixelMatch
internal import Reading

/// Searches the parts of the image that may show other things than what was found so far: the cells of a page, the outlines of candidates
/// that lie apart from the sure ones, and the image without the sure ones. In an outline only the best candidates are compared once more;
/// the others are queries of their own. Their candidates draw outlines in turn, and leave less of the image.
struct RegionStage: SearchStage {
  /// The image, or `nil` if only its signature is known: then parts can be named and not searched.
  let image: PixelBuffer?
  let labelMasks: [UInt64]
  let threads: Int
  /// Starts to compute the embedding of a part; `nil` if none is compared.
  let encode: @Sendable (PixelBuffer) -> ImageEncoding?
  static let step = QueryStep.regions
  static let cost = QueryPlan.longCost
  /// Making the proposals costs little, and usually there are none, so the stage runs even if the deadline has
  /// passed.
  static let runsPastDeadline = true

  /// The most rounds of regions, each found by the one before.
  private static let rounds = 3

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    // The search of windows may have added candidates since patches were last compared.
    var isWhole = image.map { state.comparePatches(of: $0) } ?? true
    var proposals = state.standings.proposals
    if state.uncoverCandidates(proposals) { proposals = state.standings.proposals }
    let layout = state.pageCells(of: image)
    let cells = proposals.cells(of: layout ?? [])
    var regions =
      cells
      + proposals.outlines(includesSure: !state.isPage).filter { outline in
        !state.isPage || !cells.contains { $0.box.contains(centerOf: outline.box) }
      }
    if !state.isPage, let remainder = state.query.signature.flatMap(proposals.remainder) {
      regions.append(remainder)
    }
    // If the layout was not computed, there may be cells that were not searched, so the stage
    // has done nothing.
    guard !regions.isEmpty else { return layout == nil ? 0 : isWhole ? 1 : QueryPlan.nearlyAll }
    guard let image else {
      state.notes.unsearchedRegions += regions
      return alignByMarks(regions, in: &state) ? 1 : QueryPlan.nearlyAll
    }
    var looks = regions.map { Look(region: $0, searches: state.findings.searches) }
    var (planned, searched) = (0, 0)
    for _ in 1...Self.rounds where !looks.isEmpty {
      let outcomes = try await search(looks, of: image, within: state, in: catalogue)
      let found = outcomes.compactMap(\.search)
      if !found.isEmpty {
        state.findings.regions += found
        try state.findOwners(in: catalogue)
      }
      for outcome in outcomes { state.notes.shardFaults.add(outcome.shardFaults) }
      planned += looks.count
      searched += found.count
      isWhole = isWhole && outcomes.allSatisfy { $0.isWhole && $0.shardFaults.isEmpty }
      guard found.count == looks.count else { break }
      let scored = state.standings.regions.suffix(found.count)
      looks = zip(found, scored).flatMap(outlines)
      guard !state.isPage, scored.joined().contains(where: Self.isSure) else { continue }
      let now = state.standings.proposals
      // Searches the remainder only if further sure things were found. A single one that was
      // found in its outline is usually all that the image shows.
      if now.covered.count > max(1, proposals.covered.count),
        let remainder = state.query.signature.flatMap(now.remainder)
      {
        looks.append(Look(region: remainder, searches: state.findings.searches))
      }
      proposals = now
    }
    let share = Double(searched) / Double(planned)
    return isWhole ? share : min(share, QueryPlan.nearlyAll)
  }

  /// Compares the candidates that draw outlines with the marks of a signature in place of the pixels in them.
  ///
  /// - Returns: False if the search had to stop before.
  private func alignByMarks(_ regions: [RegionProposal], in state: inout QueryState) -> Bool {
    let outlined = regions.filter { $0.source == .outline }.reduce(into: Set<UInt32>()) {
      $0.formUnion($1.outlined)
    }
    guard !outlined.isEmpty, let signature = state.query.signature,
      let check = PatchCheck(signature)
    else { return true }
    let shouldStop = state.query.shouldStop
    var searches = state.findings.searches.compactMap {
      $0.narrowed(toMarksOf: check, shouldStop: shouldStop)
    }
    guard searches.count == state.findings.searches.count,
      searches.comparePatches(with: nil, signature, shouldStop: shouldStop) != .stopped
    else { return false }
    state.findings.regions.append(
      RegionSearch(
        source: .outline, frame: ImageFrame(signature), outlined: outlined, isWithinPart: false,
        isByMarks: true, searches: searches))
    return true
  }

  /// A part of the image that is to be searched, and the searches whose candidates an outline is compared with.
  private struct Look: Sendable {
    let region: RegionProposal
    let searches: [TypeSearch]
  }

  private static func isSure(_ entity: ScoredEntity) -> Bool {
    entity.confidence >= Calibration.defaultCutOff
  }

  /// Returns the outlines that candidates draw in a part that was searched as an image of its own.
  private func outlines(drawnIn found: RegionSearch, by scored: [ScoredEntity]) -> [Look] {
    guard found.source != .outline else { return [] }
    let drawn = RegionProposals(scored, cutOff: Calibration.defaultCutOff).outlines()
    // A cell of a page shows one thing, so only its first outline is searched.
    return drawn.prefix(found.source == .layout ? 1 : drawn.count).map {
      var region = $0
      region.isWithinPart = true
      return Look(region: region, searches: found.searches)
    }
  }

  /// Searches parts of the image side by side.
  @concurrent private func search(
    _ looks: [Look], of image: PixelBuffer, within state: QueryState, in catalogue: Catalogue
  ) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      for (index, look) in looks.enumerated() {
        group.addTask {
          (index, try await search(look, of: image, within: state, in: catalogue))
        }
      }
      var found = [Outcome](repeating: Outcome(), count: looks.count)
      for try await (index, outcome) in group { found[index] = outcome }
      return found
    }
  }

  /// The search of a part, `nil` if the deadline does not allow it or no shard was reached, and what the
  /// shards failed to do.
  private struct Outcome: Sendable {
    var search: RegionSearch?
    var shardFaults = ShardFaults()
    /// False if the deadline passed before patches were compared.
    var isWhole = true
  }

  /// Runs the stages over one part of the image.
  @concurrent private func search(
    _ look: Look, of image: PixelBuffer, within parent: QueryState, in catalogue: Catalogue
  ) async throws -> Outcome {
    let region = look.region
    let shouldStop = parent.query.shouldStop
    guard !shouldStop(), let pixels = try region.pixels(of: image, shouldStop),
      let signature = QuerySignature(pixels, isSent: false, shouldStop: shouldStop)
    else {
      return Outcome()
    }
    var state = parent
    state.notes.shardFaults = ShardFaults()
    let isOutline = region.source == .outline
    // In an outline, only geometry decides, so no embedding is needed.
    let encoding = isOutline ? nil : encode(pixels)
    state.findings.searches = look.searches.map {
      isOutline
        ? $0.narrowed(to: signature)
        : TypeSearch($0.type, $0.segments, signature, outside: region.filled)
    }
    // The regions run in parallel with each other, so each uses a single thread.
    let stages: [any SearchStage] =
      isOutline
      ? [GeometryStage()]
      : catalogue.candidates.stages(
        for: signature, encoding.map { .computed($0) }, labelMasks: labelMasks, threads: 1,
        isRegion: true, shouldStop: parent.query.shouldStop)
    for stage in stages {
      let share = try await stage.run(on: &state, in: catalogue)
      // If some shards failed, the candidates from the others are still compared.
      let isPart = share > 0 && !state.notes.shardFaults.isEmpty && type(of: stage).isScan
      guard share == 1 || isPart && !parent.query.shouldStop() else {
        return Outcome(shardFaults: state.notes.shardFaults)
      }
      await Task.yield()
    }
    let isWhole =
      !isOutline
      || state.findings.searches.comparePatches(
        with: pixels, signature, shouldStop: parent.query.shouldStop) != .stopped
    let search = RegionSearch(
      source: region.source, frame: ImageFrame(box: region.box, signature),
      outlined: region.outlined, isWithinPart: region.isWithinPart,
      isByMarks: false, searches: state.findings.searches)
    return Outcome(search: search, shardFaults: state.notes.shardFaults, isWhole: isWhole)
  }
}

extension RegionProposal {
  /// Returns the pixels that are searched, or `nil` if it was told to stop.
  fileprivate func pixels(
    of image: PixelBuffer, _ shouldStop: () -> Bool
  ) throws(MatchError) -> PixelBuffer? {
    try filled.isEmpty
      ? image.cropped(to: box) : image.filling(filled, shouldStop: shouldStop)
  }
}
