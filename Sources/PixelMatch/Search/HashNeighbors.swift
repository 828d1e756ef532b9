/// Finds all pairs of hashes that differ in few bits, without comparing every hash with every other.
///
/// A hash has 16 parts of 16 bits. Two hashes that differ in at most 31 bits have a part in which they differ in at most one,
/// so a hash is compared only with those whose part is equal or differs in one bit (M. Norouzi, A. Punjani, D. Fleet: "Fast
/// Search in Hamming Space with Multi-Index Hashing", CVPR 2012, <https://arxiv.org/abs/1307.2982>). The result is exact.
package struct HashNeighbors: Sendable {
  /// The largest distance for which no pair is missed.
  package static let largestDistance = 2 * partCount - 1
  /// The number of parts of 16 bits that a hash has.
  static let partCount = 16

  private let hashes: [PDQHash]

  /// Takes hashes, each once: equal ones are pairs like others, and *n* of them are *n*² / 2 pairs.
  package init(_ hashes: [PDQHash]) { self.hashes = hashes }

  /// Calls `body` once for each pair within a distance, with the indices of its hashes, the smaller one first.
  ///
  /// - Parameters:
  ///   - maximumDistance: The largest accepted distance, inclusive, in `0...31`.
  ///   - body: Takes a pair; an error that it throws ends the search.
  /// - Complexity: O(*n* · *b*) for *n* hashes, where *b* is the number of hashes with a given part: *n* / 65 536 if parts are
  ///   evenly distributed, more for images with much in common. 8 bytes of memory per hash.
  package func forEachPair<Failure: Error>(
    maximumDistance: Int, _ body: (_ first: Int, _ second: Int) throws(Failure) -> Void
  ) throws(Failure) {
    precondition((0...Self.largestDistance).contains(maximumDistance), "pairs would be missed")
    // Two hashes within the distance have a part that is equal or differs in one bit. Each mask is one such
    // difference.
    let masks: [UInt16] = [0] + (maximumDistance < Self.partCount ? [] : (0..<16).map { 1 << $0 })
    for number in 0..<Self.partCount {
      let buckets = Buckets(hashes, number)
      for first in hashes.indices {
        let value = Self.part(number, of: hashes[first])
        for mask in masks {
          for place in buckets.places(of: value ^ mask).reversed() {
            let second = Int(buckets.indices[place])
            // The indices of a bucket ascend and are visited from the end, so all
            // remaining ones are smaller and were paired already.
            guard second > first else { break }
            guard hashes[first].hammingDistance(to: hashes[second]) <= maximumDistance,
              !isFound(first, second, before: number, differingBits: masks.count > 1 ? 1 : 0)
            else { continue }
            try body(first, second)
          }
        }
      }
    }
  }

  /// Returns whether one of the parts before `number` has found a pair.
  private func isFound(
    _ first: Int, _ second: Int, before number: Int, differingBits: Int
  ) -> Bool {
    (0..<number).contains { number in
      let difference =
        Self.part(number, of: hashes[first]) ^ Self.part(number, of: hashes[second])
      return difference.nonzeroBitCount <= differingBits
    }
  }

  private static func part(_ number: Int, of hash: PDQHash) -> UInt16 {
    UInt16(truncatingIfNeeded: hash.words[number / 4] >> UInt64(16 * (number % 4)))
  }

  /// The indices of hashes by the value of one part, ascending within a value.
  private struct Buckets {
    let indices: [UInt32]
    private let starts: [UInt32]

    init(_ hashes: [PDQHash], _ number: Int) {
      var ends = [UInt32](repeating: 0, count: 1 << 16 + 1)
      for hash in hashes { ends[Int(part(number, of: hash)) + 1] += 1 }
      for value in 1..<ends.count { ends[value] += ends[value - 1] }
      starts = ends
      var indices = [UInt32](repeating: 0, count: hashes.count)
      for (index, hash) in hashes.enumerated() {
        let value = Int(part(number, of: hash))
        indices[Int(ends[value])] = UInt32(index)
        ends[value] += 1
      }
      self.indices = indices
    }

    func places(of value: UInt16) -> Range<Int> {
      Int(starts[Int(value)])..<Int(starts[Int(value) + 1])
    }
  }
}
