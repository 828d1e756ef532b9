import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// The candidates that are kept of those with one image.
@Suite struct CopyLimitTests {
  private static let (one, other) = (
    SyntheticPicture.scene(width: 200, height: 200, seed: 1),
    SyntheticPicture.scene(width: 200, height: 200, seed: 2)
  )

  /// A search that has found 300 rows of one image and then two of another.
  private static func search(labels: (UInt32) -> Double?) throws -> TypeSearch {
    var writer = SegmentWriter()
    let (signature, another) = (Signature(one), Signature(other))
    for key in UInt32(0)..<300 { writer.append(signature, key: key) }
    for key in UInt32(300)..<302 { writer.append(another, key: key) }
    let segment = try SignatureSegment(bytes: writer.encoded())
    var search = TypeSearch(.product, [LiveSegment(segment)], QuerySignature(one))
    // Found by two scans, of which the second one finds some rows again.
    for rows in [150..<302, 0..<200] {
      var found = CandidateRows()
      for row in rows { found.votes[SegmentRow(segment: 0, row: row)] = KeypointVoteCount() }
      search.add(found, labels: labels)
    }
    return search
  }

  /// Would break if a question among thousands of equal images cost more the more of them there are, or if they displaced another image.
  @Test func `one image takes few places, and others keep theirs`() throws {
    let search = try Self.search { _ in nil }
    let keys = search.candidates.values.map(\.key).sorted()
    let copies = keys.filter { $0 < 300 }
    #expect(copies.count == 33)
    #expect(keys.suffix(2) == [300, 301])
    // Variants that are side by side may be one product: those that are kept are from all over what was found first.
    #expect(copies.first == 150 && (copies.last ?? 0) > 290)
    #expect(zip(copies, copies.dropFirst()).allSatisfy { $1 - $0 <= 5 })
  }

  /// Would break if a product that the label names were left out, since the others have its image.
  @Test func `who has the label of the query is kept`() throws {
    let search = try Self.search { $0 % 3 == 0 ? 0.5 : 0 }
    let keys = Set(search.candidates.values.map(\.key))
    #expect(keys.isSuperset(of: stride(from: 0, to: 300, by: 3)))
    #expect(keys.count { $0 % 3 != 0 && $0 < 300 } <= 33)
  }

  /// Would break if a product were left out whose text was read, since the others have its image.
  @Test func `what words have found is kept`() throws {
    var search = try Self.search { _ in nil }
    var found = CandidateRows(areNamed: true)
    for row in 0..<300 { found.votes[SegmentRow(segment: 0, row: row)] = KeypointVoteCount() }
    search.add(found) { _ in nil }
    #expect(search.candidates.count == 302)
  }
}
