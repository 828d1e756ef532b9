import PixelMatch
import TestSupport
import Testing
@testable import VisualQuery

/// Which candidates' patches are compared with the query.
@Suite struct PatchComparisonTests {
  /// A search that has aligned five images of entity 1 and one of each of two siblings, which differ in nothing.
  private static func alignedSearch(_ query: PixelBuffer) throws -> TypeSearch {
    var writer = SegmentWriter()
    for key in [1, 1, 1, 1, 1, 2, 3] as [UInt32] { writer.append(Signature(query), key: key) }
    let segment = try SignatureSegment(bytes: writer.encoded())
    var search = TypeSearch(.product, [LiveSegment(segment)], QuerySignature(query))
    var rows = CandidateRows()
    for row in 0..<segment.count {
      rows.votes[SegmentRow(segment: 0, row: row)] = KeypointVoteCount(upright: 100)
    }
    search.add(rows) { _ in nil }
    #expect(search.verifyGeometry(shouldStop: { false }) == 1)
    return search
  }

  private static func comparedKeys(_ searches: [TypeSearch]) -> [UInt32] {
    searches.flatMap(\.candidates.values).filter { $0.measured.patches != nil }.map(\.key).sorted()
  }

  /// Would break if many images of a thing in one color hid that it looks the same in others: then it was shown in the wrong one.
  @Test func `each entity is compared by one image, so that siblings are, too`() throws {
    let query = SyntheticPicture.scene(width: 300, height: 300, seed: 9)
    var searches = [try Self.alignedSearch(query)]
    let isDone = searches.comparePatches(
      with: query, QuerySignature(query), shouldStop: { false })
    #expect(isDone)
    #expect(Self.comparedKeys(searches) == [1, 2, 3])
  }

  /// Would break if on a busy machine a candidate seemed to be the only one whose patches look the same.
  @Test(arguments: 0..<6)
  func `the patches of all are compared, or of none`(looks: Int) throws {
    let query = SyntheticPicture.scene(width: 300, height: 300, seed: 9)
    var searches = [try Self.alignedSearch(query)]
    var left = looks
    let isDone = searches.comparePatches(with: query, QuerySignature(query)) {
      left -= 1
      return left < 0
    }
    #expect(isDone == (looks >= 4))
    #expect(Self.comparedKeys(searches) == (isDone ? [1, 2, 3] : []))
  }
}
