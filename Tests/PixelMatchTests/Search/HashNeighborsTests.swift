import TestSupport
import Testing

@testable import PixelMatch

@Suite struct HashNeighborsTests {
  private struct Pair: Hashable { let first, second: Int }

  /// Groups of hashes that differ in a few bits from one another, at random places and bunched in one part.
  private func hashes(using generator: inout SeededGenerator) -> [PDQHash] {
    (0..<Int.random(in: 0...40, using: &generator)).flatMap { _ -> [PDQHash] in
      let hash = PDQHash.random(using: &generator)
      return (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        var other = hash
        let start = Int.random(in: 0...240, using: &generator)
        let isBunched = Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
          let bit = Int.random(in: isBunched ? start...start + 15 : 0...255, using: &generator)
          other[bit: bit].toggle()
        }
        return other
      }
    }
  }

  /// Would break if a pair were missed, or found once for each equal part.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `the pairs are those of comparing all with all`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let hashes = hashes(using: &generator)
    let limit = Int.random(in: 0...HashNeighbors.largestDistance, using: &generator)
    var expected: [Pair] = []
    for first in hashes.indices {
      for second in hashes.indices.dropFirst(first + 1)
      where hashes[first].hammingDistance(to: hashes[second]) <= limit {
        expected.append(Pair(first: first, second: second))
      }
    }
    var found: [Pair] = []
    HashNeighbors(hashes).forEachPair(maximumDistance: limit) {
      found.append(Pair(first: $0, second: $1))
    }
    #expect(found.count == expected.count && Set(found) == Set(expected))
  }

  /// Would break if the work grew with the square of the hashes: half a billion comparisons take minutes here.
  @Test func `many hashes are within reach`() {
    var generator = SeededGenerator(seed: 7)
    let count = 32_768
    var hashes = (0..<count).map { _ in PDQHash.random(using: &generator) }
    hashes.append(hashes[500])
    hashes[count][bit: 3].toggle()
    var pairs: [[Int]] = []
    HashNeighbors(hashes).forEachPair(maximumDistance: 15) { pairs.append([$0, $1]) }
    #expect(pairs == [[500, count]])
  }
}
