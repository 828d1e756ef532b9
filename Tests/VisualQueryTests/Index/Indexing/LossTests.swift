import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import ShopIndex

/// What a run does not take from the index without being asked.
@Suite struct LossTests {
  private static func row(
    _ number: Int, price: String? = "10.00", image: Bool = true, more: String = ""
  ) -> String {
    let priced = price.map { #","price":{"amount":"\#($0)","currency":"EUR"}"# } ?? ""
    let pictured = image ? #","images":["p\#(number).jpg"]"# : ""
    let named = #""type":"product","id":"p\#(number)","title":"T\#(number)""#
    return "{\(named)\(priced)\(pictured)\(more)}"
  }

  private static func shop(_ count: Int) async throws -> DrawnShop {
    let shop = try DrawnShop()
    for number in 0..<count { try shop.draw("p\(number).jpg", seed: UInt64(number), side: 64) }
    let (progress, _) = try await shop.run((0..<count).map { row($0) })
    #expect(progress.added == count && progress.keptReason == nil)
    return shop
  }

  /// Would break if one night of a column with another name took all images out of the index.
  @Test func `images stay if no row names any, until that is asked for`() async throws {
    let shop = try await Self.shop(3)
    let bare = (0..<3).map { Self.row($0, image: false, more: #","brand":"B""#) }
    let (kept, _) = try await shop.run(bare)
    #expect(kept.keptReason?.contains("image of 3 of 3 products") == true)
    #expect(kept.outcome == .refused && kept.coverage.kept[.product, .image] == 3)
    #expect(kept.coverage.after[.product, .signature] == 3)
    let product = try #require(try await shop.product("p1"))
    // What the row has is taken all the same.
    #expect(product.images == ["p1.jpg"] && product.brand == "B")
    // The next night asks again, and nothing is published.
    let (again, _) = try await shop.run(bare)
    #expect(again.outcome == .refused && again.generation == kept.generation)
    // A healthy night forgets that anything was kept.
    let (healthy, _) = try await shop.run((0..<3).map { Self.row($0) })
    #expect(healthy.keptReason == nil && healthy.coverage.kept[.product, .image] == 0)
    #expect(try await shop.run((0..<3).map { Self.row($0) }).0.outcome == .nothingToDo)
    try await shop.run(bare)
    let (accepted, _) = try await shop.run(bare, IndexOptions(acceptedLosses: [.image]))
    #expect(accepted.keptReason == nil && accepted.outcome == .done)
    #expect(accepted.coverage.after[.product, .image] == 0)
    #expect(accepted.coverage.after[.product, .signature] == 0)
    #expect(try await shop.product("p1")?.images == [])
    #expect(try await shop.run(bare).0.outcome == .nothingToDo)
  }

  /// Would break if a row that lost little were left with its old value, or were read again each night.
  @Test func `small losses are made in the same run`() async throws {
    let shop = try await Self.shop(12)
    let rows = [Self.row(0, price: nil, image: false)] + (1..<12).map { Self.row($0) }
    let (progress, _) = try await shop.run(rows)
    #expect(progress.keptReason == nil && progress.changed == 1)
    #expect(progress.coverage.after[.product, .price] == 11)
    #expect(progress.coverage.kept == Coverage())
    let product = try #require(try await shop.product("p0"))
    #expect(product.price == nil && product.images.isEmpty)
    let (second, _) = try await shop.run(rows)
    #expect(second.outcome == .nothingToDo && second.generation == progress.generation)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  /// Would break if each night could take a little until nothing is left.
  @Test func `losses of seven nights are added up`() async throws {
    let shop = try DrawnShop()
    func rows(without count: Int) -> [String] {
      (0..<100).map { Self.row($0, price: $0 < count ? nil : "10.00", image: false) }
    }
    try await shop.run(rows(without: 0))
    #expect(try await shop.run(rows(without: 8)).0.keptReason == nil)
    #expect(try await shop.run(rows(without: 16)).0.keptReason == nil)
    let (third, _) = try await shop.run(rows(without: 24))
    #expect(third.keptReason?.contains("24 of 100 products would have lost price") == true)
    #expect(third.coverage.after[.product, .price] == 84)
    // What came back makes room, and what was asked for does not count afterwards.
    try await shop.run(rows(without: 24), IndexOptions(acceptedLosses: [.price]))
    #expect(try await shop.run(rows(without: 30)).0.keptReason == nil)
  }

  /// Would break if the limit of removals counted new entities, or if a few of a small shop were asked about.
  @Test func `what a feed lacks is removed within the limits`() async throws {
    let shop = try DrawnShop()
    let prune = IndexOptions(prunesMissing: true)
    func rows(_ numbers: Range<Int>) -> [String] { numbers.map { Self.row($0, image: false) } }
    try await shop.run(rows(0..<40), prune)
    let (others, _) = try await shop.run(rows(35..<75), prune)
    #expect(others.unprunedReason == "the feed lacks 35 of 40 entities, and the limit is 10 %")
    try await shop.run(rows(0..<40), IndexOptions(prunesMissing: true, removalLimit: 100))
    #expect(try await shop.run(rows(0..<35), prune).0.neededRemovalLimit == 13)
    #expect(try await shop.run(rows(0..<36), prune).0.removed == 4)
    #expect(try await shop.run(rows(0..<33), prune).0.removed == 3)
    let (week, _) = try await shop.run(rows(0..<30), prune)
    #expect(week.unprunedReason?.contains("seven nights lack 10 of 40") == true)
    let (accepted, _) = try await shop.run(
      rows(0..<3), IndexOptions(prunesMissing: true, acceptedLosses: [.entities]))
    #expect(accepted.removed == 30)
    #expect(try await shop.run(rows(0..<2), prune).0.removed == 1)
  }

  /// Would break if a forgotten decimal point or a tax that is suddenly part of prices were shown to customers.
  @Test(arguments: [
    ("rose to more than 3 times", 100.0), ("fell to less than a third", 0.01),
    ("changed by one factor, 1.19", 1.19),
  ])
  func `prices that jump are asked about`(words: String, factor: Double) async throws {
    func price(_ number: Int) -> String { "\((Double(number) * factor * 100).rounded() / 100)" }
    let shop = try DrawnShop()
    func rows(_ price: (Int) -> String) -> [String] {
      (10..<40).map { Self.row($0, price: price($0), image: false) }
    }
    try await shop.run(rows { "\($0).00" })
    let (kept, _) = try await shop.run(rows(price))
    #expect(kept.keptReason?.contains(words) == true, "\(kept.keptReason ?? "")")
    #expect(try await shop.product("p20")?.price?.amount == "20.00")
    #expect(kept.coverage.kept[.product, .price] == 30)
    let (accepted, _) = try await shop.run(rows(price), IndexOptions(acceptedLosses: [.price]))
    #expect(accepted.keptReason == nil)
    #expect(try await shop.product("p20")?.price?.amount == price(20))
    #expect(try await shop.run(rows(price)).0.outcome == .nothingToDo)
  }

  /// Would break if a sale, or a night of many small changes, were taken for a mistake.
  @Test func `prices that change as prices do are taken`() async throws {
    let shop = try DrawnShop()
    func rows(_ price: (Int) -> Int) -> [String] {
      (10..<40).map { Self.row($0, price: "\(price($0)).00", image: false) }
    }
    try await shop.run(rows { $0 * 10 })
    let (some, _) = try await shop.run(rows { $0 < 16 ? $0 * 8 : $0 * 10 })
    #expect(some.keptReason == nil && some.changed == 6)
    #expect(try await shop.product("p10")?.price?.amount == "80.00")
    let (all, _) = try await shop.run(rows { $0 * 10 + $0 % 7 + 1 })
    #expect(all.keptReason == nil && all.coverage.kept == Coverage())
    let (cheap, _) = try await shop.run(rows { $0 == 12 ? 1 : $0 * 10 + $0 % 7 + 1 })
    #expect(cheap.keptReason == nil && cheap.changed == 1)
    #expect(try await shop.product("p12")?.price?.amount == "1.00")
  }

  /// Would break if the limits of the index were not those of its runs.
  @Test func `the limits are settings of the index`() async throws {
    let shop = try DrawnShop()
    func rows(_ count: Int) -> [String] {
      (0..<20).map { Self.row($0, price: $0 < count ? nil : "10.00", image: false) }
    }
    try await shop.run(rows(0))
    var settings = ShopSettings()
    settings.lossLimits = LossLimits()
    settings.lossLimits?.once = 50
    settings.lossLimits?.together = 100
    _ = try await Indexer(directory: shop.index, settings: settings).putSettings()
    #expect(try await shop.run(rows(10)).0.keptReason == nil)
    #expect(try await shop.run(rows(20)).0.keptReason != nil)
  }

  /// Would break if a run that failed left no trace, or if losses that were rolled back counted on.
  @Test func `each run is remembered`() async throws {
    let shop = try await Self.shop(3)
    let history = RunHistory(directory: shop.index)
    _ = try? await shop.run(["nonsense"], IndexOptions(isStrict: true))
    let failed = try #require(try history.latest().first)
    #expect(failed.outcome == .failed && failed.ended != nil)
    #expect(try history.latestSuccesses().first?.outcome == .done)
    try await shop.run([Self.row(0, price: nil), Self.row(1), Self.row(2)])
    let lossy = try #require(try history.latest().first)
    #expect(lossy.outcome == .done && !lossy.isUndone)
    let recent = try history.recent(feed: lossy.feed)
    #expect(RunRecord.loss(of: .price, .product, in: recent).lost == 1)
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try history.latest().first?.isUndone == true)
    #expect(
      RunRecord.loss(of: .price, .product, in: try history.recent(feed: lossy.feed)).lost == 0)
  }

  /// Would break if losses counted for ever, or if the file grew without end.
  @Test func `the history forgets`() throws {
    let folder = try TemporaryDirectory()
    let first = RunHistory(directory: folder.path, now: { 1_000_000 })
    var result = RunRecord.Result()
    result.changes = [.init(type: .product, field: .price, loss: 8)]
    try first.end(try first.begin(feed: "a"), .done, generation: 1, result)
    func loss(after seconds: Int) throws -> Int {
      let later = RunHistory(directory: folder.path, now: { 1_000_000 + seconds })
      return RunRecord.loss(of: .price, .product, in: try later.recent(feed: "a")).lost
    }
    #expect(try loss(after: RunHistory.window - 1) == 8)
    #expect(try loss(after: RunHistory.window) == 0)
    for _ in 0..<RunHistory.limit + 10 {
      try first.end(try first.begin(feed: "b"), .nothingToDo, generation: 1, .init())
    }
    // Runs that did nothing are forgotten first.
    #expect(try first.recent(feed: "a").count == 1)
    #expect(try first.recent(feed: "b").count == RunHistory.limit - 1)
    // One that was killed has begun and not ended.
    _ = try first.begin(feed: "c")
    #expect(try first.latest().contains { $0.feed == "c" && $0.outcome == nil })
  }

  /// Would break if images that cannot be found any more were dropped from most entities.
  @Test func `images that most rows cannot open any more stay`() async throws {
    let shop = try await Self.shop(10)
    let bad = (0..<10).map { number in
      number < 6 ? Self.row(number).replacing("[\"p", with: "[\"gone") : Self.row(number)
    }
    let (kept, refused) = try await shop.run(bad)
    #expect(kept.keptReason?.contains("signature of 6 of 10 products") == true)
    #expect(refused.count == 6 && kept.coverage.after[.product, .signature] == 10)
    #expect(try await shop.product("p0")?.images == ["p0.jpg"])
    let (accepted, _) = try await shop.run(bad, IndexOptions(acceptedLosses: [.signature]))
    #expect(accepted.coverage.after[.product, .signature] == 4)
    #expect(try await shop.product("p0")?.images == ["gone0.jpg"])
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }
}
