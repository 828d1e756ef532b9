internal import PixelMatch

/// Compares the aligned candidates once more with the image in neutral light, if the colors contradict all of them: a colored light
/// makes a thing look as if it had another color.
///
/// The light is that of the image alone, not one that would make a candidate fit: a sibling in another color gains nothing by it.
struct LightStage: SearchStage {
  /// The image, or `nil` if only its signature is known: then the look is named and not done.
  let image: PixelBuffer?
  static let step = QueryStep.light
  static let cost = 1.0

  /// The evidence of aligned colors at which they agree.
  private static let agreeingColor = 0.5

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard !state.isPage, !state.standings.isAnySure else { return 1 }
    let aligned = state.standings.entities.filter { Self.isContradicted($0.image?.evidence) }
    guard !aligned.isEmpty else { return 1 }
    guard let image else {
      state.notes.unsearchedRegions.append(.neutralLight)
      return 1
    }
    let shouldStop = state.query.shouldStop
    guard let neutral = image.inNeutralLight(shouldStop: shouldStop) else {
      return shouldStop() ? 0 : 1
    }
    guard let signature = QuerySignature(neutral, isSent: false, shouldStop: shouldStop) else {
      return 0
    }
    var searches = state.findings.searches.map { $0.narrowed(to: signature) }
    for index in searches.indices {
      guard searches[index].verifyGeometry(shouldStop: shouldStop) == 1 else { return 0 }
    }
    let outcome = searches.comparePatches(with: neutral, signature, shouldStop: shouldStop)
    guard outcome != .stopped else { return 0 }
    state.findings.regions.append(
      RegionSearch(
        source: .light, frame: ImageFrame(signature), outlined: Set(aligned.map(\.key)),
        isWithinPart: false, isByMarks: false, searches: searches))
    return 1
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
    source: .light, box: PictureRegion(x: 0, y: 0, width: 1, height: 1))
}
