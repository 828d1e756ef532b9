import Foundation
import TestSupport
import Testing
@testable import PixelMatch

@Suite struct PostingListsTests {
  /// A segment with some images, and a query like one of them.
  private static func sample(
    seed: UInt64
  ) throws -> (live: LiveSegment, query: QuerySignature, signatures: [Signature]) {
    var generator = SeededGenerator(seed: seed)
    let scene = SyntheticPicture.scene(width: 300, height: 260, seed: seed)
    var signatures = (0..<80).map { _ in Signature.random(using: &generator) }
    signatures[17] = Signature(scene)
    var writer = SegmentWriter()
    for (row, signature) in signatures.enumerated() {
      writer.append(signature, key: UInt32(1000 + row), tag: UInt32(row % 3))
    }
    let segment = try SignatureSegment(bytes: writer.encoded())
    return (LiveSegment(segment, deadRows: [3, 4]), QuerySignature(scene), signatures)
  }

  /// The lists of some words, from parts of the rows as shards have them.
  private static func lists(
    of segment: SignatureSegment, _ words: [UInt32], parts: Int
  ) -> PostingLists {
    let wanted = Set(words)
    var lists: [(word: UInt32, bytes: [UInt8])] = []
    for part in (0..<parts).reversed() {
      segment.forEachList(ofRows: { $0 % parts == part }) { word, bytes in
        if wanted.contains(word) { lists.append((word, bytes)) }
      }
    }
    return PostingLists(lists)
  }

  /// Would break if candidates depended on where the lists are: candidates of one server, of three
  /// shards and of the embedded index must be the same.
  @Test(
    arguments: [1, 3, 7],
    [WordDepth.bits(0), .bits(1), .bits(2), .bits(5), .fetched])
  func `fetched lists give the votes of the index`(
    parts: Int, depth: WordDepth
  ) throws {
    let (live, query, _) = try Self.sample(seed: UInt64(parts))
    let votes = KeypointVotes(query.keypoints, depth: depth)
    let words = votes.words(in: live.segment)
    #expect(words == Set(words).sorted())
    let lists = Self.lists(of: live.segment, words, parts: parts)
    let expected = votes.rows(in: live, limit: 40)
    #expect(votes.rows(in: live, lists: lists, limit: 40) == expected)
    #expect(expected.first?.row == 17)
  }

  /// Would break if a larger segment, whose words are longer, were searched no deeper: among a million images, four
  /// words for a keypoint lose a ninth of the photos that sixteen find.
  @Test(arguments: [(8, 2), (22, 2), (23, 3), (24, 4)])
  func `longer words are looked up with more doubtful bits`(wordBits: Int, doubts: Int) {
    #expect(WordDepth.fetched.doubts(wordBits: wordBits, isMirrored: false) == doubts)
    #expect(WordDepth.fetched.doubts(wordBits: wordBits, isMirrored: true) == 1)
    #expect(WordDepth.bits(5).doubts(wordBits: wordBits, isMirrored: true) == 5)
  }

  /// Would break if words that no shard has, or none at all, led out of the lists.
  @Test func `missing lists give no votes`() throws {
    let (live, query, _) = try Self.sample(seed: 5)
    let votes = KeypointVotes(query.keypoints, depth: .bits(1))
    #expect(votes.rows(in: live, lists: PostingLists([]), limit: 9).isEmpty)
    let last = try #require(votes.words(in: live.segment).last)
    let one = Self.lists(of: live.segment, [last], parts: 1)
    #expect(votes.rows(in: live, lists: one, limit: 9).count <= 9)
    #expect(HashChunkVotes(query).rows(in: live, lists: PostingLists([]), limit: 9).isEmpty)
  }

  /// Damaged lists come from a database; they may cost votes, but nothing else.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `damaged lists never trap`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (live, query, _) = try Self.sample(seed: 2)
    let votes = KeypointVotes(query.keypoints, depth: .bits(1))
    let words = votes.words(in: live.segment) + HashChunkVotes(query).words
    let damaged = PostingLists(
      words.map { word in
        (
          word,
          (0..<Int.random(in: 0...4000, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
        )
      })
    for row in votes.rows(in: live, lists: damaged, limit: 20) { #expect(row.row < 80) }
    for row in HashChunkVotes(query).rows(in: live, lists: damaged, limit: 20) {
      #expect(row.row < 80)
    }
  }

  /// Would break if a plain image could not be found without keypoints.
  @Test func `equal chunks of a hash find an image without keypoints`() throws {
    let (live, query, signatures) = try Self.sample(seed: 9)
    let chunks = HashChunkVotes(query)
    let lists = Self.lists(of: live.segment, chunks.words, parts: 3)
    let rows = chunks.rows(in: live, lists: lists, limit: 10)
    #expect(rows.first?.row == 17)
    #expect((rows.first?.count ?? 0) >= 8)
    // The definition in plain code, for all rows.
    let variants = query.views.flatMap(\.variants).map(HashChunk.words)
    var expected: [HashChunkVotes.Row] = []
    for (row, signature) in signatures.enumerated() where live.isLive(row) {
      guard signature.pdqQuality >= 50 else { continue }
      let own = Set(HashChunk.words(of: signature.pdq))
      let count = variants.map { own.intersection($0).count }.max() ?? 0
      if count >= 2 { expected.append(.init(row: row, count: count)) }
    }
    #expect(rows == expected.sorted { ($1.count, $0.row) < ($0.count, $1.row) })
  }

  /// Would break if a copy in engine mode fetched other bytes than it reads.
  @Test func `a head knows the rows of its segment`() throws {
    let folder = try TemporaryDirectory()
    var writer = SegmentWriter()
    var generator = SeededGenerator(seed: 4)
    for key in 0..<100 as Range<UInt32> {
      writer.append(Signature.random(using: &generator), key: key * 7, tag: key % 5)
    }
    let bytes = writer.encoded()
    let ranges = try #require(
      SegmentHead.ranges(header: Array(bytes.prefix(SegmentHead.headerByteCount))))
    var head = [UInt8](repeating: 0, count: bytes.count)
    for range in [0..<SegmentHead.headerByteCount] + ranges {
      head.replaceSubrange(range, with: bytes[range])
    }
    let path = folder.path + "/head.segment"
    try Data(head).write(to: URL(fileURLWithPath: path))
    let (whole, found) = (
      try SignatureSegment(bytes: bytes), try SignatureSegment(headAt: path)
    )
    try found.verify()
    #expect(throws: SegmentError.self) { try SignatureSegment(path: path).verify() }
    #expect(found.fingerprint == whole.fingerprint && found.binSums == whole.binSums)
    #expect(found.wordBits == whole.wordBits && found.longestList == whole.longestList)
    for row in 0..<100 {
      #expect(found.key(at: row) == whole.key(at: row) && found.tag(at: row) == whole.tag(at: row))
      #expect(found.size(at: row) == whole.size(at: row))
      #expect(found.isFlat(row) == whole.isFlat(row))
    }
  }

  /// Would break if a damaged header made a copy ask for bytes that are not there.
  @Test(arguments: [0, 12, 16, 17, 23, 32, 39, 40, 47, 4090])
  func `a damaged header has no ranges`(place: Int) {
    var bytes = SegmentWriter().encoded()
    bytes[place] ^= 0x55
    #expect(SegmentHead.ranges(header: bytes) == nil)
    #expect(SegmentHead.ranges(header: Array(bytes.prefix(100))) == nil)
  }
}
