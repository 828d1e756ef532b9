internal import PixelMatch

/// Ends the search if the image as a whole is one of the catalogue's: what follows could neither put another entity before it nor find a second
/// thing beside it.
///
/// The candidates that the hashes have found are compared in detail, a few of them. The search ends if all of this holds (``WholeImage``):
/// the best one agrees by its hash, by the colors of each part of the image, and by keypoints all over it; no other image comes near its score;
/// whatever its rivals may turn out to be, its confidence is the highest that an answer shows; and plain lines part no cell of a page from it.
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
    guard state.plan.isWholeSoFar, let compared = WholeImage.compared(state),
      let layout = state.pageCells(of: image),
      compared.standings.proposals.cells(of: layout).isEmpty
    else { return 1 }
    state.plan.settle()
    state.findings.searches = compared.findings.searches
    return 1
  }
}

/// Tells whether an image of the catalogue is all that the query's image shows.
private enum WholeImage {
  /// The evidence of the hash at which the image may be a copy: 36 of 256 bits differ.
  private static let leastHash = 0.6
  /// The largest differences of the layouts of an image and its copy: of all cells but for the mean, of the means, and of the four cells that differ
  /// most.
  private static let limits = ColorLayout.Difference(residual: 0.05, shift: 0.08, largest: 0.08)
  /// The fewest keypoints that agree, and the evidence of aligned colors, from which on they confirm a copy.
  private static let (leastInliers, leastAlignedColor) = (24, 0.7)
  /// The share of the query's image that the copy covers, as far as nothing else has room in it.
  private static let wholeShare = 0.9
  /// The numbers of candidates that are compared in detail: the best by score, and the best by hash.
  private static let (byScore, byHash) = (12, 8)
  /// The lead of the score over that of any other image: four count, and keypoints that were not compared may bring an image that much nearer.
  /// One copy in 770 gets a confidence that is 0.0001 too high all the same.
  private static let leastLead = 16.0

  /// Returns a state with the candidates that were compared in detail, or `nil` if the search must go on.
  static func compared(_ state: QueryState) -> QueryState? {
    guard state.findings.codeMatches.isEmpty, let signature = state.query.signature,
      state.findings.searches.contains(where: { $0.nearestHash >= leastHash })
    else { return nil }
    var compared = state
    for index in compared.findings.searches.indices {
      guard
        compared.findings.searches[index].narrow(
          toBest: byScore, nearest: byHash, shouldStop: state.query.shouldStop)
      else { return nil }
    }
    let scored = compared.standings.entities
    let sure = scored.filter { $0.confidence >= state.query.cutOff }
    guard let first = sure.first?.image, sure.count < byHash,
      sure.allSatisfy({
        isSettled($0, like: first, in: signature, hasLabels: !state.query.labels.known.isEmpty)
      })
    else { return nil }
    let others = scored.compactMap(\.image).filter { !$0.stored.isSamePicture(as: first.stored) }
    guard others.allSatisfy({ first.score - $0.score >= leastLead }) else { return nil }
    return compared
  }

  /// Returns whether nothing can make an entity less sure, and it is all that the image shows.
  private static func isSettled(
    _ entity: ScoredEntity, like first: BestImage, in signature: QuerySignature, hasLabels: Bool
  ) -> Bool {
    guard let image = entity.image, image.stored.isSamePicture(as: first.stored),
      let covered = image.coveredBox, covered.width * covered.height >= wholeShare
    else { return false }
    let evidence = image.evidence
    guard evidence.hash >= leastHash, evidence.inliers >= leastInliers,
      (evidence[.alignedColor] ?? 0) >= leastAlignedColor, evidence.contradictedShare == 0,
      !hasLabels || (evidence.labels ?? 0) > 0
    else { return false }
    let difference = image.difference(from: signature)
    guard difference.residual <= limits.residual, difference.shift <= limits.shift,
      difference.largest <= limits.largest
    else { return false }
    // Assumes the largest doubt: a rival that was not compared may have as many keypoints, and
    // would then count as a sibling.
    let doubt = Rivals.largestColorDoubt(of: evidence)
    let odds = entity.evidence.reduce(0) { sum, term in
      switch term.kind {
      case .inlierLead: sum + min(0, term.weight)
      // The part of the lead for being far ahead is left out: an image that was not compared may be closer.
      case .lead: sum + (term.weight - Calibration.farLead(of: evidence)) * (1 - doubt)
      default: sum + term.weight
      }
    }
    return odds >= Calibration.highestShown
  }
}
