import Testing

@testable import ShopStore
import VisualQuery

/// Would break if a value counted twice, two values counted as one, or a question could fill the memory.
@Suite struct FacetCounterTests {
  private func count(_ values: [(UInt32, SQLiteValue)], prefix: String? = nil) -> FacetCounter {
    var counter = FacetCounter(prefix: prefix)
    for (entity, value) in values {
      let isWithinLimit = counter.add(value, of: entity)
      #expect(isWithinLimit)
    }
    return counter
  }

  @Test func `an entity counts once for each of its values`() {
    let counter = count([
      (1, .text("a")), (1, .text("b")), (1, .text("a")), (2, .text("a")), (3, .null),
    ])
    let facet = counter.facet("f", limit: 10)
    #expect(
      facet.values == [.init(value: .text("a"), count: 2), .init(value: .text("b"), count: 1)])
    #expect(facet.entityCount == 2 && facet.valueCount == 2 && facet.range == nil)
    #expect(counter.facet("f", limit: 1).values.count == 1)
  }

  @Test func `texts that look the same but differ in their bytes are two values`() {
    let facet = count([(1, .text("\u{E9}")), (2, .text("e\u{301}"))]).facet("f", limit: 10)
    #expect(facet.values.map(\.count) == [1, 1])
  }

  @Test func `numbers have a range, and whole ones are those with a fraction of zero`() {
    let facet = count([(1, .integer(2)), (2, .number(2)), (3, .number(-1.5))]).facet("f", limit: 10)
    #expect(facet.range == -1.5...2)
    #expect(facet.values.first == .init(value: .number(2), count: 2))
  }

  @Test func `only values with the prefix count, whatever the case and accents`() {
    let facet = count(
      [(1, .text("Élan")), (2, .text("elastic")), (3, .text("other")), (4, .integer(5))],
      prefix: "el"
    ).facet("f", limit: 10)
    #expect(facet.values.map(\.value) == [.text("elastic"), .text("Élan")])
    #expect(facet.entityCount == 2)
  }

  @Test func `too many different values are told`() {
    var counter = FacetCounter(prefix: nil)
    var accepted = 0
    while accepted <= FacetCounter.distinctLimit,
      counter.add(.integer(accepted), of: UInt32(accepted))
    { accepted += 1 }
    #expect(accepted == FacetCounter.distinctLimit)
  }
}
