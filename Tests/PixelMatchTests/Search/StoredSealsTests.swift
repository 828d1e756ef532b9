import TestSupport
import Testing

@testable import PixelMatch

/// What a store outside a segment's file keeps to notice damage.
@Suite struct StoredSealsTests {
  private static func segment(rows: Int) throws -> SignatureSegment {
    var generator = SeededGenerator(seed: 6)
    var writer = SegmentWriter()
    for row in 0..<rows { writer.append(.random(using: &generator), key: UInt32(row)) }
    return try SignatureSegment(bytes: writer.encoded())
  }

  /// Of few images words are listed, of many each has a bit.
  @Test(arguments: [0, 1, 5, 400]) func `words come back as they were written`(rows: Int) throws {
    let segment = try Self.segment(rows: rows)
    var words = StoredWords(of: segment)
    var expected: Set<UInt32> = []
    segment.forEachList(ofRows: { _ in true }) { word, _ in
      words.insert(word)
      expected.insert(word)
    }
    #expect(words.count == expected.count)
    let encoded = words.encoded
    #expect(encoded.count <= StoredWords.mostEncodedByteCount)
    let read = try #require(StoredWords(encoded: encoded))
    #expect(read == words)
    let last = HashChunk.firstWord + UInt32(HashChunk.wordCount)
    for word in expected { #expect(read.contains(word)) }
    #expect(!read.contains(last) && !read.contains(.max))
    let others = (0..<1000).map { UInt32($0 * 7919) % last }.filter { !expected.contains($0) }
    #expect(others.allSatisfy { !read.contains($0) })
    for wrong in [[], [9], [0, 0], [0, 25], [7, 9], encoded + [0], [1, 9, 0]] {
      #expect(StoredWords(encoded: wrong) == nil)
    }
  }

  @Test func `a seal depends on the segment, the kind and the place`() {
    let bytes: [UInt8] = [1, 2, 3]
    let (one, other) = (
      StoredSeals(of: "product-1p.segment"), StoredSeals(of: "product-2p.segment")
    )
    let all = [one, other].flatMap { seals in
      [
        seals.seal(ofList: bytes, word: 4), seals.seal(ofList: bytes, word: 5),
        seals.seal(ofList: [1, 2], word: 4), seals.seal(ofSignature: bytes, row: 4),
        seals.seal(ofRecord: bytes),
      ]
    }
    #expect(Set(all).count == all.count)
  }
}
