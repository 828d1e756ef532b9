import TestSupport
import Testing

@testable import PixelMatch

/// Segments that were damaged at rest: whoever reads a damaged page learns it before the result is given away.
@Suite struct SegmentSealTests {
  private static let query = QuerySignature(
    SyntheticPicture.scene(width: 128, height: 128, seed: 3))

  /// A segment with an image that the query finds among random ones.
  private static func bytes(seed: UInt64, hasEmbeddings: Bool) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var writer = SegmentWriter()
    for row in 0..<150 {
      var signature =
        row == 70
        ? Signature(SyntheticPicture.scene(width: 128, height: 128, seed: 3))
        : Signature.random(using: &generator)
      if hasEmbeddings { signature.embedding = .random(using: &generator) }
      writer.append(signature, key: UInt32(row), tag: UInt32(row % 3), filterBits: 5)
    }
    return writer.encoded()
  }

  /// The results of what a search does with a segment.
  private struct Results: Equatable {
    var candidates: [[Candidate]] = []
    var votes: [KeypointVotes.Row] = []
    var signatures: [Signature] = []
    var keys: [UInt32] = []
    var sums: [UInt64] = []
    var lists: [[UInt8]] = []
  }

  /// What a search reads of a segment.
  private enum Reading: Int, CaseIterable, Sendable {
    case hashes, appearances, embeddings, votes, signatures, keys, sums, lists

    func read(_ segment: SignatureSegment) -> Results {
      let live = LiveSegment(segment)
      let own = query.views[0]
      var results = Results()
      func scan(_ target: FlatScan.Query) {
        results.candidates.append(FlatScan([live]).nearest(to: target, limit: 40).top.sorted)
      }
      switch self {
      case .hashes: scan(.hashes(own.variants))
      case .appearances: scan(.appearance(own.color, own.texture))
      case .embeddings:
        if let embedding = segment.embedding(at: 2) { scan(.embedding(embedding)) }
      case .votes: results.votes = KeypointVotes(query.keypoints).rows(in: live, limit: 20)
      case .signatures:
        results.signatures = [3, 70, 149].map { segment.signature(at: $0) }
      case .keys:
        results.keys = [0, 149].flatMap { [segment.key(at: $0), segment.tag(at: $0)] }
        results.keys.append(UInt32(live.keeping { $0 % 2 == 0 }.liveCount))
      case .sums: results.sums = segment.binSums
      case .lists:
        segment.forEachList(ofRows: { $0 % 2 == 0 }) { word, bytes in
          results.lists.append([UInt8(word & 255)] + bytes)
        }
      }
      return results
    }
  }

  /// Damages bytes behind the header: flips a bit, exchanges two pages, or empties one.
  private static func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    let pages = 1..<bytes.count / 4096
    let page = Int.random(in: pages, using: &generator) * 4096
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      bytes[page + Int.random(in: 0..<4096, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
    case 1:
      let other = Int.random(in: pages, using: &generator) * 4096
      for place in 0..<4096 { bytes.swapAt(page + place, other + place) }
    default:
      for place in page..<page + 4096 { bytes[place] = 0 }
    }
  }

  @Test(arguments: 0..<150 as Range<UInt64>)
  func `damage at rest gives the same results or an error`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let clean = Self.bytes(seed: 1, hasEmbeddings: seed % 3 == 0)
    let intact = try SignatureSegment(bytes: clean)
    #expect(intact.isSealed)
    var bytes = clean
    Self.damage(&bytes, using: &generator)
    for reading in Reading.allCases {
      // Each kind of reading alone, so that none depends on the checks of another one.
      guard let damaged = try? SignatureSegment(bytes: bytes) else { continue }
      let isEqual = reading.read(damaged) == reading.read(intact)
      #expect(isEqual || (try? damaged.checkUnchanged()) == nil, "\(reading)")
    }
    try intact.checkUnchanged()
    guard bytes != clean, let damaged = try? SignatureSegment(bytes: bytes) else { return }
    #expect(throws: SegmentError.self) { try damaged.verify() }
    #expect(!damaged.wasVerified)
    #expect(throws: SegmentError.self) { try damaged.checkUnchanged() }
  }

  @Test(arguments: [0, 1, 9, 200])
  func `nothing is wrong with an intact segment, whatever is read first`(rows: Int) throws {
    var generator = SeededGenerator(seed: 8)
    var writer = SegmentWriter()
    for row in 0..<rows { writer.append(.random(using: &generator), key: UInt32(row)) }
    let segment = try SignatureSegment(bytes: writer.encoded())
    for row in 0..<rows { _ = segment.signature(at: row) }
    try segment.checkUnchanged()
    #expect(!segment.wasVerified)
    try segment.verify()
    #expect(segment.wasVerified)
    let stopped = try SignatureSegment(bytes: writer.encoded())
    #expect(try !stopped.verify { _ in false })
    #expect(!stopped.wasVerified)
  }

  /// Earlier versions wrote no seals, and read files that have some.
  @Test
  func `a segment without seals is read like before, and its columns are what they are with seals`()
    throws
  {
    let sealed = Self.bytes(seed: 1, hasEmbeddings: true)
    var generator = SeededGenerator(seed: 1)
    var writer = SegmentWriter()
    for row in 0..<20 { writer.append(.random(using: &generator), key: UInt32(row)) }
    let (own, bare) = (writer.encoded(), writer.encoded(isSealed: false))
    let segment = try SignatureSegment(bytes: bare)
    #expect(!segment.isSealed)
    try segment.verify()
    #expect(segment.wasVerified)
    #expect(own[4096..<bare.count] == bare[4096...])
    #expect(own[..<SegmentSeals.headerOffset] == bare[..<SegmentSeals.headerOffset])
    #expect(try SignatureSegment(bytes: sealed).isSealed)
  }

  /// The file of a copy in engine mode has holes in place of signatures. Would break if they counted as damage, or if
  /// damage beside them did not.
  @Test func `only the columns that a head has are compared`() throws {
    var bytes = Self.bytes(seed: 2, hasEmbeddings: true)
    let header = Array(bytes[..<SegmentHead.headerByteCount])
    let ranges = try #require(SegmentHead.ranges(header: header))
    for place in header.count..<bytes.count where !ranges.contains(where: { $0.contains(place) }) {
      bytes[place] = 0
    }
    let folder = try TemporaryDirectory()
    let head = try SignatureSegment(headAt: try folder.write(bytes, to: "a.segment"))
    _ = (head.embedding(at: 3), head.pdq(at: 3), head.keypoints(at: 3), head.key(at: 3))
    try head.checkUnchanged()
    try head.verify()
    bytes[head.offset(.key) + 9] ^= 1
    let damaged = try SignatureSegment(headAt: try folder.write(bytes, to: "b.segment"))
    _ = damaged.key(at: 3)
    #expect(throws: SegmentError.self) { try damaged.checkUnchanged() }
  }

  @Test func `a file that ends within its seals is truncated`() throws {
    let bytes = Self.bytes(seed: 1, hasEmbeddings: false)
    for lost in [1, 4096, 4097] {
      let error = #expect(throws: SegmentError.self) {
        try SignatureSegment(bytes: Array(bytes.dropLast(lost)))
      }
      #expect(error?.code == .truncated)
    }
  }
}
