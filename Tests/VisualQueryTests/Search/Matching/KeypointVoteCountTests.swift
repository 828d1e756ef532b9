import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct KeypointVoteCountTests {
  /// Would break if a few votes that came about by chance turned a query around: its keypoints would then align with
  /// nothing, and an image that is found with a confidence of 0.9 would be lost after a crop by one pixel.
  @Test(arguments: [
    (0, 0, false), (1000, 1000, false), (1000, 1499, false), (1000, 1501, true), (0, 1, true),
    (1, 0, false),
  ])
  func `a query is mirrored only if the votes say so clearly`(
    upright: Int, mirrored: Int, isMirrored: Bool
  ) {
    let votes = KeypointVoteCount(upright: upright, mirrored: mirrored)
    #expect(votes.isMirrored == isMirrored)
    #expect(votes.best == max(upright, mirrored))
  }
}
