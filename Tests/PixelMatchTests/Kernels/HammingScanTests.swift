import TestSupport
import Testing
@testable import PixelMatch

/// The scan of hashes of every instruction set against the plain twin. Some take several blocks at a time, or queries in
/// groups, and add distances in bytes.
@Suite struct HammingScanTests {
  private static let limits: [UInt32] = [0, 60, 110, 254, 255, 256, .max]

  /// The opposite bits of the mirror images of a picture: top to bottom, left to right, and both.
  private static let mirrorBits: [UInt64] = [
    0, 0x0000_FFFF_0000_FFFF, 0x5555_5555_5555_5555, 0x5555_AAAA_5555_AAAA,
  ]

  /// Compares the hits, their order and their distances with those of the definition, for all limits.
  private func expectHits(_ kernels: Kernels, _ codes: [PDQHash], _ queries: [PDQHash]) {
    var blocks = [UInt64](repeating: 0, count: 4 * codes.count)
    for (index, code) in codes.enumerated() {
      for word in 0..<4 { blocks[index / 8 * 32 + 8 * word + index % 8] = code.words[word] }
    }
    let words = queries.flatMap { query in (0..<4).map { query.words[$0] } }
    let least = codes.map { code in queries.map { code.hammingDistance(to: $0) }.min()! }
    var indices = [UInt32](repeating: .max, count: codes.count)
    var distances = indices
    for limit in Self.limits {
      let count = kernels.hammingScan(
        blocks.span, queries: words.span, limit: limit, indices: &indices, distances: &distances)
      let expected = least.indices.filter { least[$0] <= Int(limit) }
      #expect(indices.prefix(count).map { Int($0) } == expected)
      #expect(distances.prefix(count).map { Int($0) } == expected.map { least[$0] })
    }
  }

  /// Random codes, of which some are a query or its complement.
  private func codes(
    _ blockCount: Int, near queries: [PDQHash], _ generator: inout SeededGenerator
  ) -> [PDQHash] {
    (0..<8 * blockCount).map { index in
      let query = queries[Int.random(in: 0..<queries.count, using: &generator)]
      switch index % 5 {
      case 1: return query
      case 3: return PDQHash(words: ~query.words)
      default: return PDQHash.random(using: &generator)
      }
    }
  }

  /// Would break if a query were left out or counted twice because of its place among the others, or if codes changed
  /// places.
  @Test(arguments: Kernels.supported, Array(1...17) + [24, 33])
  func `any number of queries finds the nearest of each code`(kernels: Kernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let queries = (0..<count).map { _ in PDQHash.random(using: &generator) }
    for blockCount in [1, 3, 4, 7, 8] {
      expectHits(kernels, codes(blockCount, near: queries, &generator), queries)
    }
  }

  /// Would break if codes after a number of whole groups of blocks were forgotten, read twice, or told with the index of
  /// others.
  @Test(arguments: Kernels.supported, [255, 256, 257, 262])
  func `many blocks are compared to the last`(kernels: Kernels, blockCount: Int) {
    var generator = SeededGenerator(seed: UInt64(blockCount))
    let queries = (0..<3).map { _ in PDQHash.random(using: &generator) }
    expectHits(kernels, codes(blockCount, near: queries, &generator), queries)
  }

  /// Would break if a byte of a distance overflowed: with one query, the least distance of its complement is 256.
  @Test(arguments: Kernels.supported, [1, 2, 3, 8, 20])
  func `a complement is 256 bits away`(kernels: Kernels, count: Int) {
    var generator = SeededGenerator(seed: 7)
    let query = PDQHash.random(using: &generator)
    var near = query
    near[bit: 255].toggle()
    let codes = [query, near, PDQHash(words: ~query.words), PDQHash(words: ~near.words)]
    expectHits(
      kernels, (0..<8).flatMap { _ in codes }, [PDQHash](repeating: query, count: count))
  }

  /// Would break if a hash were taken for a mirror image of another that it resembles only in part, or if the bits in
  /// which mirror images are not opposite were counted wrongly.
  @Test(arguments: Kernels.supported, 0..<24 as Range<UInt64>)
  func `mirror images are compared as what they are`(kernels: Kernels, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queries: [PDQHash] = []
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let hash = PDQHash.random(using: &generator)
      // The hashes range from exact mirror images to ones that share only a quarter of their bits.
      let changes = [0, 1, 8, 30, 200][Int.random(in: 0..<5, using: &generator)]
      for bits in Self.mirrorBits {
        var image = PDQHash(words: hash.words ^ SIMD4(repeating: bits))
        for _ in 0..<Int.random(in: 0...changes, using: &generator) {
          // For every third seed, all changes are beyond the first word.
          let first = seed % 3 == 0 ? 64 : 0
          image[bit: Int.random(in: first..<256, using: &generator)].toggle()
        }
        queries.append(image)
      }
    }
    queries.shuffle(using: &generator)
    queries.removeLast(Int.random(in: 0..<3, using: &generator))
    expectHits(kernels, codes(9, near: queries, &generator), queries)
  }
}
