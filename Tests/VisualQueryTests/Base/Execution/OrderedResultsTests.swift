@testable import ShopSearch
import TestSupport
import Synchronization
import Testing
import VisualQuery

@Suite struct OrderedResultsTests {
  /// Would break if a result were taken before those of earlier work, lost, or taken twice.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `results are taken in the order of the work`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var results = OrderedResults<Int>()
    var underWay: [Int] = []
    var taken: [Int] = []
    var started = 0
    while taken.count < 40 {
      if started < 40, Bool.random(using: &generator) {
        underWay.append(results.start())
        started += 1
      } else if let index = underWay.indices.randomElement(using: &generator) {
        let number = underWay.remove(at: index)
        results.finish(number, with: number)
      }
      while let next = results.takeNext() { taken.append(next) }
      #expect(results.pendingCount == started - taken.count)
    }
    #expect(taken == Array(0..<40))
  }

  private struct Failure: Error {}

  @Test func `the results of a pool come in the order of the items`() async throws {
    var taken: [Int] = []
    try await forEachInOrder(Array(0..<100), on: WorkerPool(width: 4)) { item in
      // Later items are done earlier.
      for _ in 0..<(100 - item) { await Task.yield() }
      return item
    } take: {
      taken.append($0)
    }
    #expect(taken == Array(0..<100))
  }

  @Test func `work can be done one item after another`() async throws {
    let underWay = Mutex(0)
    try await forEachInOrder(Array(0..<20), on: WorkerPool(width: 4), atOnce: 1) { item in
      #expect(
        underWay.withLock {
          $0 += 1; return $0
        } == 1)
      for _ in 0..<10 { await Task.yield() }
      underWay.withLock { $0 -= 1 }
      return item
    } take: { _ in
    }
  }

  /// Would break if an error were swallowed, or if results behind it were taken.
  @Test func `an error ends the work`() async {
    var taken: [Int] = []
    await #expect(throws: Failure.self) {
      try await forEachInOrder(Array(0..<100), on: WorkerPool(width: 2)) { item in
        if item == 10 { throw Failure() }
        return item
      } take: {
        taken.append($0)
      }
    }
    #expect(taken == Array(0..<taken.count) && taken.count <= 10)
  }
}
