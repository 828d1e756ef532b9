internal import PixelMatch

/// Compares the aligned candidates once more with the image in neutral light, if the colors contradict all of them: a colored light
/// makes a thing look as if it had another color.
///
/// The light is that of the image alone, not one that would make a candidate fit: a sibling in another color gains nothing by it.
struct LightStage: SearchStage {
  /// The image, or `nil` if only its signature is known: then the look is named and not done.
  let image: PixelBuffer?
  static let step = QueryStep.light

  /// The evidence of aligned colors at which they agree.
  private static let agreeingColor = 0.5
  /// The addition to the log-odds of what is found in the full range. Many images have no black: a teal thing in its range may look black.
  private static let rangePrior = -0.7

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard !state.isPage, !state.standings.isAnySure else { return 1 }
    let aligned = state.standings.entities.filter { Self.isContradicted($0.image?.evidence) }
    guard !aligned.isEmpty else { return 1 }
    guard let image else {
      state.notes.unsearchedRegions.append(.neutralLight)
      return 1
    }
    let keys = Set(aligned.map(\.key))
    if let neutral = image.inNeutralLight(shouldStop: state.query.shouldStop) {
      guard Self.look(at: neutral, for: keys, prior: 0, &state) else { return 0 }
      if state.standings.isAnySure { return 1 }
    }
    if let full = image.inFullRange(shouldStop: state.query.shouldStop) {
      guard Self.look(at: full, for: keys, prior: Self.rangePrior, &state) else { return 0 }
    }
    return state.query.shouldStop() ? 0 : 1
  }

  /// Compares the candidates with the image in another light.
  ///
  /// - Returns: False if the query is to stop.
  private static func look(
    at image: PixelBuffer, for aligned: Set<UInt32>, prior: Double, _ state: inout QueryState
  ) -> Bool {
    let shouldStop = state.query.shouldStop
    guard let signature = QuerySignature(image, isSent: false, shouldStop: shouldStop) else {
      return false
    }
    var searches = state.findings.searches.map { $0.narrowed(to: signature) }
    for index in searches.indices {
      guard searches[index].verifyGeometry(shouldStop: shouldStop) == 1 else { return false }
    }
    guard searches.comparePatches(with: image, signature, shouldStop: shouldStop) != .stopped
    else { return false }
    state.findings.regions.append(
      RegionSearch(
        source: .light, frame: ImageFrame(signature), outlined: aligned,
        isWithinPart: false, prior: prior, isByMarks: false, searches: searches))
    return true
  }

  /// Returns whether keypoints align a candidate whose colors are others.
  private static func isContradicted(_ evidence: MeasuredEvidence?) -> Bool {
    guard let evidence, evidence.inliers >= Rivals.claimingInliers else { return false }
    return evidence.contradictedShare > 0 || (evidence[.alignedColor] ?? 0) < agreeingColor
  }
}

extension RegionProposal {
  /// The whole image, in neutral light.
  fileprivate static let neutralLight = RegionProposal(
    source: .light, box: .whole)
}
