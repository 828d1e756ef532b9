@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopBase
import VisualQuery

@Suite struct FIFOQueueTests {
  /// A pool under steady load would otherwise keep every job that it ever ran.
  @Test func `memory is that of what waits, also if the queue is never empty`() {
    var queue = FIFOQueue<Int>()
    for number in 0..<3 { queue.append(number) }
    for number in 0..<10_000 {
      queue.append(number + 3)
      #expect(queue.popFirst() == number)
      #expect(queue.storedCount <= 8)
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `what comes first goes first`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = FIFOQueue<Int>()
    var twin: [Int] = []
    for number in 0..<300 {
      if Int.random(in: 0..<5, using: &generator) < 3 {
        queue.append(number)
        twin.append(number)
      } else {
        #expect(queue.popFirst() == (twin.isEmpty ? nil : twin.removeFirst()))
      }
    }
    while let first = queue.popFirst() { #expect(first == twin.removeFirst()) }
    #expect(twin.isEmpty)
  }
}
