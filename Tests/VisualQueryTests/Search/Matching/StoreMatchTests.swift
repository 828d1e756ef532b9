import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct StoreMatchTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func answer(_ content: SemanticContent, _ options: MatchOptions) async throws
    -> MatchResponse
  {
    try await Matcher(unhurried: try await Self.shared.value.1).values(
      for: content, options: options)
  }

  private func picture(_ path: String) throws -> SemanticContent {
    try SemanticContent(decoding: ImageDecoder().contents(ofFile: path))
  }

  @Test func `a product brings the stores that stock it, just as surely`() async throws {
    let answer = try await answer(picture(SampleShop.image("oats.jpg")), MatchOptions(timeout: nil))
    #expect(answer.matches.map(\.value.id.value) == ["oats", "market", "pavilion"])
    #expect(Set(answer.matches.map(\.confidence)).count == 1)
    for store in answer.matches.dropFirst() {
      #expect(store.stocks == EntityID(type: .product, value: "oats"))
      #expect(store.evidence.map(\.kind) == [.stock])
      let logOdds = store.evidence.reduce(0) { $0 + $1.weight }
      #expect(abs(1 / (1 + exp(-logOdds)) - store.confidence) < 1e-9)
      #expect(store.distanceMeters == nil && store.isOpen == nil)
    }
  }

  @Test(
    arguments: [
      (GeoPoint(latitude: 48.1, longitude: 11.6), ["pavilion", "market"]),
      (GeoPoint(latitude: 51, longitude: 7), ["market", "pavilion"]),
    ] as [(GeoPoint, [String])])
  func `nearer stores come first`(near: GeoPoint, order: [String]) async throws {
    let answer = try await answer(
      picture(SampleShop.image("oats.jpg")), MatchOptions(timeout: nil, near: near))
    let stores = answer.matches.filter { $0.value.id.type == .store }
    #expect(stores.map(\.value.id.value) == order)
    let distances = stores.compactMap(\.distanceMeters)
    #expect(distances.count == 2 && distances == distances.sorted() && distances[0] < 20_000)
  }

  /// Saturday noon and Sunday noon in Germany.
  @Test(arguments: [("2026-11-21T11:00:00Z", true), ("2026-11-22T11:00:00Z", false)])
  func `whether a store is open is told for its own clock`(time: String, isOpen: Bool) async throws
  {
    let answer = try await answer(
      picture(SampleShop.image("oats.jpg")),
      MatchOptions(timeout: nil, date: try Date(time, strategy: .iso8601)))
    let market = answer.matches.first { $0.value.id.value == "market" }
    #expect(market?.isOpen == isOpen)
    #expect(answer.matches[0].isOpen == nil)
  }

  @Test func `stores alone are found by their stock, and by their own picture`() async throws {
    let options = MatchOptions(types: [.store], timeout: nil)
    let stock = try await answer(picture(SampleShop.image("kettle.jpg")), options)
    #expect(stock.matches.map(\.value.id.value) == ["alpine"])
    let own = try await answer(picture(SampleShop.image("store-harbour.jpg")), options)
    #expect(own.matches.first?.value.id.value == "harbour")
    #expect(own.matches.first?.stocks == nil)
  }

  @Test func `limits and filters of stores hold`() async throws {
    let content = try picture(SampleShop.image("mug-red.jpg"))
    let limited = try await answer(
      content, MatchOptions(typeLimits: [.product: 5, .store: 1], timeout: nil))
    #expect(limited.matches.count { $0.value.id.type == .store } == 1)
    let none = try await answer(
      content, MatchOptions(typeLimits: [.product: 5, .store: 0], timeout: nil))
    #expect(none.matches.allSatisfy { $0.value.id.type == .product })
    // Stores that are never shown make no further page, either.
    #expect(!none.hasMore)
    let filter = EntityFilter(comparators: [EntityComparator("address", .contains("hamburg"))])
    let filtered = try await answer(
      content, MatchOptions(types: [.store], filters: [.store: filter], timeout: nil))
    #expect(filtered.matches.map(\.value.id.value) == ["harbour"])
  }

  @Test func `a filter is applied before the search`() async throws {
    let content = try picture(SampleShop.image("mug-red.jpg"))
    let filter = EntityFilter(comparators: [EntityComparator("id", .notEqualTo("mug-red"))])
    let others = try await answer(
      content,
      MatchOptions(
        types: [.product], filters: [.product: filter], minimumConfidence: 0, timeout: nil))
    #expect(!others.matches.isEmpty)
    #expect(others.matches.allSatisfy { $0.value.id.value != "mug-red" })
    #expect(others.matches.first?.value.id.value.hasPrefix("mug-") == true)
    let labels = try await answer(
      content,
      MatchOptions(
        types: [.product], filters: [.product: EntityFilter(labels: ["Lamps"])],
        minimumConfidence: 0, timeout: nil))
    #expect(
      labels.matches.allSatisfy { $0.value.labels.contains("lamp") } && !labels.matches.isEmpty)
    let nothing = try await answer(
      content,
      MatchOptions(
        types: [.product], filters: [.product: EntityFilter(labels: ["zebra"])], timeout: nil))
    #expect(nothing.matches.isEmpty && nothing.emptyReason == .filteredOut)
    let words = try await answer(
      SemanticContent(labels: ["mug"]),
      MatchOptions(types: [.product], filters: [.product: filter], timeout: nil))
    #expect(words.matches.map(\.value.id.value) == ["mug-blue", "mug-cream", "mug-green"])
  }

  @Test func `texts are in the language that was asked for`() async throws {
    let answer = try await answer(
      picture(SampleShop.image("oats.jpg")), MatchOptions(timeout: nil, locale: "de-AT"))
    #expect(answer.matches[0].display.title == "Honig-Haferflocken")
    #expect(answer.matches[1].display.title == "Northlight Market")
  }

  /// A chain with more stores than are looked at between two looks at the deadline: an answer that
  /// leaves some out must not claim to be complete.
  @Test(arguments: [true, false])
  func `stores that the deadline cut short are told`(stops: Bool) async throws {
    let folder = try TemporaryDirectory()
    let rows = (0..<1100).map { #"{"type":"store","id":"s\#($0)","title":"S","stock":["p"]}"# }
    _ = try await Indexer(directory: folder.path + "/i.vq")
      .run(path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    let product = ScoredEntity(
      key: 9999, type: .product, evidence: [], confidence: 0.9, tier: .near)
    var stores = StockedStores(MatchOptions())
    try stores.add(
      RankedEntity(entity: product, id: EntityID(type: .product, value: "p")),
      in: Catalogue(directory: folder.path + "/i.vq"), isAllowed: { _ in true },
      shouldStop: { stops })
    #expect(stores.isWhole == !stops)
    #expect(stores.merged(with: []).count == MatchOptions.maximumLimit)
  }

  @Test func `a further page tells whether stores are open, too`() async throws {
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    let options = MatchOptions(
      limit: 1, typeLimits: [:], timeout: nil,
      date: try Date("2026-11-21T11:00:00Z", strategy: .iso8601))
    let first = try await matcher.values(
      for: picture(SampleShop.image("oats.jpg")), options: options)
    let next = try await matcher.values(continuing: #require(first.continuation))
    #expect(next.matches.first?.isOpen == true)
  }
}
