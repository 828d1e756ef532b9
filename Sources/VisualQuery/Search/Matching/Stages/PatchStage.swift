internal import PixelMatch

/// Compares the patches of aligned candidates with the image if keypoints leave in doubt which of them it shows.
struct PatchStage: SearchStage {
  /// The image, or `nil` if only its signature is known. If that has no marks, patches cannot be compared, and the image is named as not
  /// searched.
  let image: PixelBuffer?
  static let step = QueryStep.patches

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    if image == nil, state.query.signature?.marks == nil {
      if state.standings.isUnsettled { state.notes.unsearchedRegions.append(.wholeOutline) }
      return 1
    }
    return state.comparePatches(of: image) ? 1 : 0
  }
}

extension RegionProposal {
  /// The whole image, to be compared once more with what keypoints find in it.
  fileprivate static let wholeOutline = RegionProposal(
    source: .outline, box: .whole)
}
