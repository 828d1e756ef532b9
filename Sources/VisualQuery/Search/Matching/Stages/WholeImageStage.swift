internal import PixelMatch

/// Verifies the likeliest candidates, and ends the search if one of them is all that the image shows: what follows could neither put another
/// entity before it nor find a second thing beside it.
///
/// The search ends if all of this holds (``WholeImage``): keypoints of the first candidate agree all over the image; whatever the candidates that
/// were not verified may turn out to be, its confidence is the highest that an answer shows; and no part of the image is worth a search of its own.
/// Entities with the very same image are found with it.
struct WholeImageStage: SearchStage {
  /// The image, or `nil` if only its signature is known.
  let image: PixelBuffer?
  static let step = QueryStep.wholeImage
  static let cost = 0.25

  /// Returns whether a query can end early: nothing but its image, its labels and its codes decides, only what is sure is shown, and
  /// what would be sure is shown.
  ///
  /// - Parameter types: The types that are searched. If one of them is not shown, or not everywhere, an answer may lack what is sure, and then
  ///   lists what is not.
  static func isWorthwhile(
    for content: SemanticContent, _ options: MatchOptions, _ types: [EntityType], cutOff: Double,
    in catalogue: Catalogue
  ) -> Bool {
    // A caller that wants only sure matches does not need the confidence of the others.
    (options.endsEarly || options.answers == .sure)
      && cutOff >= Calibration.defaultCutOff
      && Calibration.logOdds(of: cutOff) <= Calibration.highestShown
      && types.allSatisfy { options.limit(of: $0) > 0 } && options.radius == nil
      && content.embedding == nil
      && content.texts.isEmpty
      && catalogue.candidates.hasAllSignatures
  }

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard state.plan.isWholeSoFar, let first = try WholeImage.verifyFirst(in: &state, catalogue),
      let layout = state.pageCells(of: image),
      first.standings.proposals.cells(of: layout).isEmpty
    else { return 1 }
    state.plan.settle()
    state.findings.searches = first.findings.searches
    return 1
  }
}

/// Tells whether an image of the catalogue is all that the query's image shows.
private enum WholeImage {
  /// The most entities with the same image.
  private static let mostEntities = 8
  /// The lead of the score over that of any image that was not verified: four count, and keypoints may bring an image that much nearer.
  private static let leastLead = 16.0

  /// Verifies the first candidates, and returns a state with them alone, or `nil` if the search must go on.
  static func verifyFirst(
    in state: inout QueryState, _ catalogue: Catalogue
  ) throws(CatalogueError) -> QueryState? {
    guard state.findings.codeMatches.isEmpty, let signature = state.query.signature else {
      return nil
    }
    var (first, bestOther) = (state, -Double.infinity)
    for index in state.findings.searches.indices {
      guard
        let found = state.findings.searches[index].verifyFirst(shouldStop: state.query.shouldStop)
      else { return nil }
      first.findings.searches[index] = found.search
      bestOther = max(bestOther, found.others)
    }
    try first.findOwners(in: catalogue)
    let sure = first.standings.entities.prefix { $0.confidence >= state.query.cutOff }
    guard let best = sure.first?.image, sure.count < mostEntities,
      best.score - bestOther >= leastLead,
      sure.allSatisfy({ isSettled($0, like: best, in: state) })
    else { return nil }
    let proposals = first.standings.proposals
    guard !proposals.isUnsettled, proposals.outlines(includesSure: true).isEmpty,
      proposals.remainder(of: signature) == nil
    else { return nil }
    return first
  }

  /// Returns whether nothing can make an entity less sure, and it is all that the image shows.
  ///
  /// - Parameter state: The state with all candidates.
  private static func isSettled(
    _ entity: ScoredEntity, like first: BestImage, in state: QueryState
  ) -> Bool {
    guard let image = entity.image, image.stored.isSamePicture(as: first.stored) else {
      return false
    }
    let evidence = image.evidence
    guard Rivals.trust(evidence.inliers) == 1, evidence.contradictedShare == 0,
      state.query.labels.known.isEmpty || (evidence.labels ?? 0) > 0
    else { return false }
    // The best of several images of an entity is far ahead by chance, so that this may not count.
    let images = state.findings.searches.reduce(0) { $0 + $1.imageCount(of: entity.key) }
    let farLead = images > 1 ? Calibration.farLead(of: evidence) : 0
    // Assumes the largest doubt: a rival that was not verified may have as many keypoints, and would then count as a sibling.
    let doubt = Rivals.largestColorDoubt(of: evidence)
    let inlierLead = Rivals.inlierLead(evidence.inliers, over: CopySearch.rivalInliers)
    let odds = entity.evidence.reduce(0) { sum, term in
      switch term.kind {
      case .inlierLead where term.value > inlierLead: sum + term.weight * inlierLead / term.value
      case .lead: sum + (term.weight - farLead) * (1 - doubt)
      default: sum + term.weight
      }
    }
    return odds >= Calibration.highestShown
  }
}
