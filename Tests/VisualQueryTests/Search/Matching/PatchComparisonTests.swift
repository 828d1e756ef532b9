import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// The candidates whose patches are compared with the query.
@Suite struct PatchComparisonTests {
  /// A search that has aligned five images of entity 1 and one of each of two siblings, which differ in nothing.
  private static func alignedSearch(_ query: PixelBuffer) throws -> TypeSearch {
    try alignedSearch(query, images: [1, 1, 1, 1, 1, 2, 3].map { (query, $0) })
  }

  /// A search that has aligned images, each with the key of its entity.
  private static func alignedSearch(
    _ query: PixelBuffer, images: [(image: PixelBuffer, key: UInt32)]
  ) throws -> TypeSearch {
    var writer = SegmentWriter()
    for (image, key) in images { writer.append(Signature(image), key: key) }
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
    let outcome = searches.comparePatches(
      with: query, QuerySignature(query), shouldStop: { false })
    #expect(outcome == .compared)
    #expect(Self.comparedKeys(searches) == [1, 2, 3])
  }

  /// Would break if the patches of another image were compared than the one that the entity is shown by: they would not count.
  @Test func `the image that an entity is shown by is compared`() throws {
    let query = SyntheticPicture.scene(width: 300, height: 300, seed: 9)
    var gray = SyntheticPicture.rgba(query)
    for pixel in stride(from: 0, to: gray.count, by: 4) {
      let (red, green, blue) = (Int(gray[pixel]), Int(gray[pixel + 1]), Int(gray[pixel + 2]))
      let luma = UInt8((299 * red + 587 * green + 114 * blue) / 1000)
      for channel in 0..<3 { gray[pixel + channel] = luma }
    }
    var search = try Self.alignedSearch(
      query,
      images: [
        (SyntheticPicture.picture(gray, 300, 300), 1),
        (query.cropped(x: 0..<240, y: 0..<240), 1),
      ])
    let inliers = search.candidates.mapValues { $0.measured.alignment?.inliers ?? 0 }
    try #require(
      inliers[SegmentRow(segment: 0, row: 0)]! > inliers[SegmentRow(segment: 0, row: 1)]!)
    var searches = [search]
    let outcome = searches.comparePatches(with: query, QuerySignature(query), shouldStop: { false })
    #expect(outcome == .compared)
    search = searches[0]
    var (best, nearest) = (BestImages(), NearestImages())
    search.mergeBestImages(
      into: &best, &nearest, frame: ImageFrame(QuerySignature(query)), own: { _ in nil })
    let shown = try #require(best.inOrderOfKeys.first { $0.key == 1 }).image
    #expect(shown.row.row == 1 && shown.evidence.patches != nil)
  }

  /// Would break if of two things in one image the one took the place of the other's siblings: then one of these seemed to be the only one.
  @Test func `siblings are compared in each part of the image`() throws {
    let query = SyntheticPicture.scene(width: 600, height: 300, seed: 9)
    let (left, right) = (
      query.cropped(x: 0..<330, y: 0..<300), query.cropped(x: 360..<600, y: 0..<300)
    )
    var searches = [
      try Self.alignedSearch(
        query, images: [(left, 1), (left, 2), (left, 3), (right, 4), (right, 5), (right, 6)])
    ]
    let outcome = searches.comparePatches(with: query, QuerySignature(query), shouldStop: { false })
    #expect(outcome == .compared)
    #expect(Self.comparedKeys(searches) == [1, 2, 3, 4, 5, 6])
  }

  /// Would break if on a busy machine a candidate seemed to be the only one whose patches look the same.
  @Test(arguments: [0, 1, 2, 3, 5, 8, 13, 100_000])
  func `the patches of all are compared, or of none`(looks: Int) throws {
    let query = SyntheticPicture.scene(width: 300, height: 300, seed: 9)
    var searches = [try Self.alignedSearch(query)]
    var left = looks
    let outcome = searches.comparePatches(with: query, QuerySignature(query)) {
      left -= 1
      return left < 0
    }
    if looks == 0 { #expect(outcome == .stopped) }
    if looks == 100_000 { #expect(outcome == .compared) }
    #expect(Self.comparedKeys(searches) == (outcome == .compared ? [1, 2, 3] : []))
  }
}
