import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// The times at which entities were added and changed, as far as a log of fixed size tells.
@Suite struct GenerationLogTests {
  private func line(_ generation: Int, key: Int, change: Int) -> GenerationLog.Line {
    GenerationLog.Line(
      generation: generation, seconds: 1000 * generation, lastKey: key, lastChange: change)
  }

  @Test func `a log is read as it was written`() {
    var log = GenerationLog()
    for number in 1...5 { log.append(line(number, key: number, change: 2 * number)) }
    #expect(GenerationLog(stored: log.text) == log)
    for text in [nil, "", "[]", "{}", "[[1]]", "[[1,2,3,\"4\"]]"] {
      #expect(GenerationLog(stored: text).lines.isEmpty)
    }
    // Earlier versions wrote lines without the last number.
    #expect(GenerationLog(stored: "[[7,1,2,3]]").seal(of: 7) == 0)
    #expect(GenerationLog(stored: "[[7,1,2,3,9]]").seal(of: 7) == 9 && log.seal(of: 6) == nil)
  }

  /// Would break if the log grew with the age of a catalogue, or forgot what is between two lines.
  @Test(arguments: [127, 128, 129, 5000])
  func `a full log knows older generations as ranges`(count: Int) throws {
    var log = GenerationLog()
    for number in 1...count { log.append(line(number, key: number, change: number)) }
    #expect(log.lines.count <= GenerationLog.limit && log.lines.last?.generation == count)
    for number in stride(from: 1, through: count, by: 7) {
      let event = try #require(log.event { $0.lastChange >= number })
      #expect((event.firstGeneration...event.generation).contains(number))
    }
    let newest = try #require(log.event { $0.lastChange >= count })
    #expect(newest.firstGeneration == count && newest.generation == count)
    #expect(log.event { $0.lastChange > count } == nil)
  }

  @Test func `what a newer generation contradicts is dropped`() {
    var log = GenerationLog()
    for number in 1...4 { log.append(line(number, key: 10 * number, change: 10 * number)) }
    log.append(line(5, key: 20, change: 50))
    #expect(log.lines.map(\.generation) == [1, 2, 5])
  }

  private func history(_ shop: DrawnShop, _ id: String) async throws -> [ClosedRange<Int>?]? {
    let catalogue = try Catalogue(directory: shop.index)
    let found = try await EntityLookup(catalogue: catalogue).history(
      of: EntityID(type: .product, value: id))
    return found.map { found in
      [found.added, found.changed].map { $0.map { $0.firstGeneration...$0.generation } }
    }
  }

  /// Would break if a change of one entity were told of another, or a rollback left the log behind.
  @Test func `an entity has the generations of its addition and its last change`() async throws {
    let shop = try DrawnShop()
    for id in ["a", "b"] { try shop.draw(id + ".jpg", seed: 1) }
    try await shop.run([DrawnShop.row("a")])
    try await shop.run([DrawnShop.row("a"), DrawnShop.row("b")])
    try await shop.run([DrawnShop.row("a", #""title":"New""#), DrawnShop.row("b")])
    #expect(try await history(shop, "a") == [1...1, 3...3])
    #expect(try await history(shop, "b") == [2...2, 2...2])
    #expect(try await history(shop, "none") == nil)
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try await history(shop, "a") == [1...1, 3...4])
    #expect(try await history(shop, "b") == [2...2, 2...2])
    let date = try await EntityLookup(catalogue: try Catalogue(directory: shop.index))
      .history(of: EntityID(type: .product, value: "a"))?.changed?.date
    #expect(abs(try #require(date).timeIntervalSinceNow) < 3600)
  }

  /// Would break if an export differed by the times of runs, which are not contents.
  @Test func `the log is no part of an export`() async throws {
    let shop = try DrawnShop()
    try shop.draw("a.jpg", seed: 1)
    try await shop.run([DrawnShop.row("a")])
    let database = try CatalogueDatabase(reading: shop.index)
    #expect(try database.tables.settings.all()[GenerationLog.name] != nil)
    let lines = Mutex("")
    try await CatalogueUpkeep(directory: shop.index).export { line in lines.withLock { $0 += line }
    }
    let text = lines.withLock { $0 }
    #expect(!text.contains(ShopSettings.historyPrefix) && !text.isEmpty)
  }
}
