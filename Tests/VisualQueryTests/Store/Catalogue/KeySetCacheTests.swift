import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

@Suite struct KeySetCacheTests {
  private static func question(_ number: Int) -> KeySetCache.Question {
    .filter(EntityFilter(comparators: [EntityComparator("title", .contains("t\(number)"))]))
  }

  /// Would break if a set was given for another question, or was changed.
  @Test func `what is kept is given back`() {
    var cache = KeySetCache()
    for number in 0..<50 {
      cache.keep(KeySet([UInt32(number), 70_000]), of: Self.question(number))
    }
    for number in 0..<50 {
      #expect(cache.keys(of: Self.question(number)) == KeySet([UInt32(number), 70_000]))
    }
    #expect(cache.keys(of: .type(.product)) == nil)
    let either = EntityFilter(
      comparators: [EntityComparator("title", .contains("t1"))], mode: .or)
    #expect(cache.keys(of: .filter(either)) == nil)
  }

  /// Would break if strangers' filters could fill the memory, or if a set in use was dropped before one
  /// that was not asked for.
  @Test func `memory has a bound, and what was asked for last stays`() {
    let limit = 100_000
    var cache = KeySetCache(byteLimit: limit)
    for number in 0..<500 {
      cache.keep(KeySet([UInt32(32_768)]), of: Self.question(number))
      #expect(cache.byteCount <= limit)
      #expect(cache.keys(of: Self.question(number)) != nil)
      #expect(cache.keys(of: Self.question(0)) != nil)
    }
    #expect(cache.keys(of: Self.question(1)) == nil)
  }

  /// Would break if one set could take more than all memory, or if long texts were free.
  @Test func `what exceeds the bound alone is not kept`() {
    var cache = KeySetCache(byteLimit: 10_000)
    cache.keep(KeySet([UInt32(1_000_000)]), of: Self.question(1))
    #expect(cache.keys(of: Self.question(1)) == nil)
    let long = String(repeating: "x", count: 20_000)
    let filter = EntityFilter(comparators: [EntityComparator("title", .contains(long))])
    cache.keep(KeySet(), of: .filter(filter))
    #expect(cache.keys(of: .filter(filter)) == nil)
    #expect(cache.byteCount == 0)
  }
}
