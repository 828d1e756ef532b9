import PixelMatch
import TestSupport
import Testing

@Suite struct TopCandidatesTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `keeps what a sort would put first`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limit = Int.random(in: 1...40, using: &generator)
    // Few distances, so that most comparisons are ties.
    let all = (0..<Int.random(in: 0...300, using: &generator)).map { row in
      Candidate(distance: .random(in: 0...9, using: &generator), segment: row % 3, row: row)
    }.shuffled(using: &generator)
    var top = TopCandidates(limit: limit)
    for candidate in all { top.offer(candidate) }
    #expect(top.sorted == Array(all.sorted().prefix(limit)))
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `merging parts gives what the whole gives`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let all = (0..<200).map {
      Candidate(distance: .random(in: 0...20, using: &generator), segment: 0, row: $0)
    }
    var whole = TopCandidates(limit: 15)
    var parts = [TopCandidates](repeating: TopCandidates(limit: 15), count: 3)
    for candidate in all {
      whole.offer(candidate)
      parts[Int.random(in: 0..<3, using: &generator)].offer(candidate)
    }
    var merged = TopCandidates(limit: 15)
    for part in parts { merged.merge(part) }
    #expect(merged.sorted == whole.sorted)
  }

  @Test func `tells the worst distance once it is full`() {
    var top = TopCandidates(limit: 2)
    #expect(top.worstDistance == nil)
    top.offer(Candidate(distance: 5, segment: 0, row: 0))
    #expect(top.worstDistance == nil)
    top.offer(Candidate(distance: 7, segment: 0, row: 1))
    top.offer(Candidate(distance: 6, segment: 0, row: 2))
    #expect(top.worstDistance == 6)
  }
}
