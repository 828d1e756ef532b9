@testable import PixelMatch
import TestSupport
import Testing

@Suite struct FlatScanTests {
  private func segment(
    count: Int, using generator: inout SeededGenerator, bits: UInt64 = 0,
    hasEmbeddings: Bool = false
  ) throws -> SignatureSegment {
    var writer = SegmentWriter()
    for row in 0..<count {
      var signature = Signature.random(using: &generator, hasKeypoints: false)
      if hasEmbeddings { signature.embedding = .random(using: &generator) }
      writer.append(signature, key: UInt32(row), filterBits: generator.next() & bits)
    }
    return try SignatureSegment(bytes: writer.encoded())
  }

  @Test(arguments: [0, 1, 2, 7, 8, 9, 2047, 2048, 2049, 4097])
  func `finds a stored hash whatever the size of the catalogue`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let live = [LiveSegment(try segment(count: count, using: &generator))]
    let scan = FlatScan(live)
    #expect(scan.rowCount == count)
    for row in Set([0, count / 2, count - 1]) where row >= 0 && row < count {
      let stored = live[0].segment.signature(at: row)
      let byHash = scan.nearest(to: .hashes([stored.pdq]), limit: 3)
      #expect(byHash.top.sorted.first == Candidate(distance: 0, segment: 0, row: row))
      #expect(byHash.top.sorted.count == min(3, count))
      #expect(byHash.scannedRows == count)
      let byColor = scan.nearest(to: .appearance(stored.color, stored.texture), limit: 3)
      #expect(byColor.top.sorted.first == Candidate(distance: 0, segment: 0, row: row))
    }
  }

  /// Every instruction set that this processor has, with dead rows, filters and bounds.
  @Test(arguments: Kernels.supported, 0..<12 as Range<UInt64>)
  func `every kernel agrees with the reference`(kernels: Kernels, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let segments = try (0..<3).map { _ in
      let count = Int.random(in: 0...300, using: &generator)
      let dead = (0..<count / 5).map { _ in Int.random(in: 0..<count, using: &generator) }
      return LiveSegment(
        try segment(
          count: count, using: &generator, bits: 0b1111,
          hasEmbeddings: Bool.random(using: &generator)), deadRows: dead)
    }
    let scan = FlatScan(segments, kernels: kernels)
    let variants = (0..<Int.random(in: 1...16, using: &generator)).map { _ in
      PDQHash.random(using: &generator)
    }
    let random = Signature.random(using: &generator)
    let appearance = FlatScan.Query.appearance(random.color, random.texture)
    let limit = Int.random(in: 1...60, using: &generator)
    let embedding = FlatScan.Query.embedding(try drawnEmbedding(&generator))
    let queries = [.hashes(variants), .hashes([variants[0]]), appearance, embedding]
    for query in queries {
      for bits in [[], [0b11], [0b1000, 0b101]] as [[UInt64]] {
        for bound in [Int.max, 118, 0] {
          let found = scan.nearest(
            to: query, maximumDistance: bound, limit: limit, anyBits: bits)
          let expected = scan.referenceNearest(
            to: query, maximumDistance: bound, limit: limit, anyBits: bits, in: segments)
          #expect(found.top.sorted == expected)
        }
      }
    }
  }

  /// Would break if an index of an older version found other images than before, or could not be opened.
  @Test(arguments: [false, true])
  func `segments without sums are compared as a whole`(hasEmbeddings: Bool) throws {
    var generator = SeededGenerator(seed: 12)
    let new = try segment(count: 300, using: &generator, hasEmbeddings: hasEmbeddings)
    let old = try SignatureSegment(
      bytes: SegmentLayout.withoutSums(new.storage.bytes(0..<new.byteCount)))
    try old.verify()
    #expect(new.hasSums && !old.hasSums && old.embeddingByteCount == new.embeddingByteCount)
    let random = Signature.random(using: &generator)
    let query = FlatScan.Query.appearance(random.color, random.texture)
    let found = [new, old].map {
      FlatScan([LiveSegment($0, deadRows: [3])]).nearest(to: query, limit: 20).top.sorted
    }
    #expect(found[0] == found[1] && found[0].count == 20)
  }

  /// Would break if the passes of one scan shared their bounds or their filters.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `passes that are scanned together find what each finds alone`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let segments = try [5000, 100].map {
      LiveSegment(try segment(count: $0, using: &generator, bits: 0b11))
    }
    let scan = FlatScan(segments)
    let passes = (0..<4).map { number in
      let random = Signature.random(using: &generator)
      return FlatScan.Pass(
        number == 3 ? .hashes([random.pdq]) : .appearance(random.color, random.texture),
        maximumDistance: number == 1 ? 30_000 : .max, anyBits: number == 2 ? [0b10] : [])
    }
    let parts = (0..<3).map { scan.nearest(of: passes, limit: 20, part: ($0, 3)) }
    for (index, pass) in passes.enumerated() {
      let expected = scan.referenceNearest(
        to: pass.query, maximumDistance: pass.maximumDistance, limit: 20, anyBits: pass.anyBits,
        in: segments)
      var merged = TopCandidates(limit: 20)
      for part in parts { merged.merge(part[index].top) }
      #expect(merged.sorted == expected)
      #expect(parts.reduce(0) { $0 + $1[index].scannedRows } == scan.rowCount)
    }
  }

  /// An embedding as long as one of those that segments have.
  private func drawnEmbedding(_ generator: inout SeededGenerator) throws -> ImageEmbedding {
    var embedding: ImageEmbedding?
    while embedding == nil { embedding = .random(using: &generator) }
    return try #require(embedding)
  }

  /// Would break if a damaged file made its rows the most similar ones.
  @Test func `a length that is no number is as far away as can be`() throws {
    let query = try ImageEmbedding(model: "m", vector: [1, 2, 3])
    var row = query.stored
    // A quiet NaN, little-endian.
    row.replaceSubrange(8..<12, with: [0, 0, 0xC0, 0x7F])
    var (indices, distances) = ([UInt32](repeating: 0, count: 1), [UInt32](repeating: 0, count: 1))
    let hits = Kernels.native.cosineScan(
      row.span, rowByteCount: row.count, query: query.stored.span, limit: .max,
      indices: &indices, distances: &distances)
    #expect(hits == 1 && distances[0] == 1 << 21)
  }

  @Test(arguments: [1, 2, 3, 8])
  func `parts of the work merge to the same answer`(parts: Int) throws {
    var generator = SeededGenerator(seed: 4)
    let segments = try [5000, 9000].map {
      LiveSegment(try segment(count: $0, using: &generator))
    }
    let scan = FlatScan(segments)
    let query = FlatScan.Query.hashes([.random(using: &generator)])
    var merged = TopCandidates(limit: 50)
    var scanned = 0
    for index in 0..<parts {
      let result = scan.nearest(to: query, limit: 50, part: (index, parts))
      merged.merge(result.top)
      scanned += result.scannedRows
    }
    #expect(scanned == scan.rowCount)
    #expect(merged.sorted == scan.nearest(to: query, limit: 50).top.sorted)
  }

  @Test func `stops between chunks and tells how far it came`() throws {
    var generator = SeededGenerator(seed: 9)
    let scan = FlatScan([LiveSegment(try segment(count: 10_000, using: &generator))])
    var asked = 0
    let result = scan.nearest(
      to: .hashes([.random(using: &generator)]), limit: 5,
      shouldStop: {
        asked += 1
        return asked > 2
      })
    #expect(result.scannedRows == 2 * FlatScan.chunk)
    #expect(result.top.sorted.count == 5)
  }

  /// A filter must leave the best of the rows that it accepts, not the accepted ones of the best of
  /// all rows.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a filtered scan finds the nearest of what is wanted`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let whole = LiveSegment(
      try segment(count: 300, using: &generator), deadRows: [1, 2, 60, 61, 299])
    let wanted = whole.keeping { $0 % 7 == 3 }
    #expect(
      (0..<300).allSatisfy {
        wanted.isLive($0) == (whole.isLive($0) && whole.segment.key(at: $0) % 7 == 3)
      })
    let query = FlatScan.Query.hashes([PDQHash.random(using: &generator)])
    let found = FlatScan([wanted]).nearest(to: query, limit: 9).top.sorted
    let all = FlatScan([whole]).nearest(to: query, limit: 300).top.sorted
    #expect(found == Array(all.filter { wanted.isLive($0.row) }.prefix(9)))
  }
}
