import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopStore
import VisualQuery

/// The feed that an entity belongs to.
@Suite struct FeedSourceTests {
  private static func rows(_ ids: some Sequence<Int>, _ type: String = "product") -> String {
    ids.map { #"{"type":"\#(type)","id":"\#(type)\#($0)","title":"T"}"# }.joined(separator: "\n")
  }

  /// Runs a feed of a shop without pictures.
  private static func run(
    _ shop: DrawnShop, _ name: String, _ text: String, _ options: IndexOptions = IndexOptions()
  ) async throws -> Indexer.Progress {
    try await Indexer(directory: shop.index).run(
      path: try shop.folder.write(text, to: name), options: options)
  }

  private static func counts(_ shop: DrawnShop) throws -> [String: Int] {
    let feeds = try CatalogueDatabase(reading: shop.index).tables.feeds
    let names = Dictionary(uniqueKeysWithValues: try feeds.all().map { ($0.number, $0.name) })
    return Dictionary(
      try feeds.counts().map { count in
        let name = count.number.map { names[$0] ?? "?" }
        return (name?.split(separator: "/").last.map(String.init) ?? "none", count.count)
      }, uniquingKeysWith: +)
  }

  private static let pruning = IndexOptions(prunesMissing: true)

  /// Would break if the feed of products removed the stores that another feed brought.
  @Test func `a feed removes only what it brought`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "stores.jsonl", Self.rows(0..<3, "store"))
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<10), Self.pruning)
    #expect(try Self.counts(shop) == ["stores.jsonl": 3, "products.jsonl": 10])
    let second = try await Self.run(shop, "products.jsonl", Self.rows(0..<8), Self.pruning)
    #expect(second.removed == 2)
    let stores = try await Self.run(shop, "stores.jsonl", Self.rows(0..<2, "store"), Self.pruning)
    #expect(stores.removed == 1)
    #expect(try Self.counts(shop) == ["stores.jsonl": 2, "products.jsonl": 8])
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  /// Would break if new entities hid how many of the old ones are missing.
  @Test func `the limit counts what the feed had before`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "stores.jsonl", Self.rows(0..<90, "store"))
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<10))
    let limited = IndexOptions(prunesMissing: true, removalLimit: 50)
    let other = try await Self.run(shop, "products.jsonl", Self.rows(4..<40), limited)
    #expect(other.removed == 4)
    let more = try await Self.run(shop, "products.jsonl", Self.rows(30..<100), limited)
    #expect(more.removed == 0)
    #expect(more.unprunedReason == "the feed lacks 26 of 36 entities, and the limit is 50 %")
    #expect(more.neededRemovalLimit == 73)
  }

  /// Would break if an index of an earlier version lost entities in its first night, because they seemed to belong to a feed.
  @Test func `entities without a feed belong to the one that names them next`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<6))
    // An index of a version without feeds.
    let connection = try CatalogueConnection(
      path: shop.index + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute(
      "DROP TABLE entityFeeds; DELETE FROM settings WHERE name GLOB 'feed.*'")
    #expect(try Self.counts(shop) == ["none": 6])
    let first = try await Self.run(shop, "products.jsonl", Self.rows(0..<5), Self.pruning)
    #expect(first.removed == 0 && first.changed == 0)
    #expect(try Self.counts(shop) == ["products.jsonl": 5, "none": 1])
    let second = try await Self.run(shop, "products.jsonl", Self.rows(0..<4), Self.pruning)
    #expect(second.removed == 1)
    #expect(try Self.counts(shop) == ["products.jsonl": 4, "none": 1])
  }

  @Test func `a night without changes makes no generation`() async throws {
    let shop = try DrawnShop()
    let first = try await Self.run(shop, "products.jsonl", Self.rows(0..<3))
    let second = try await Self.run(shop, "products.jsonl", Self.rows(0..<3), Self.pruning)
    #expect(second.generation == first.generation)
  }

  /// Would break if a feed of prices took over the products that it only completes.
  @Test func `a row that completes an entity leaves it with its feed`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<3))
    let prices = (0..<2).map {
      #"{"type":"product","id":"product\#($0)","price":{"amount":"2","currency":"EUR"}}"#
    }.joined(separator: "\n")
    let options = IndexOptions(onConflict: .merge, prunesMissing: true)
    #expect(try await Self.run(shop, "prices.jsonl", prices, options).changed == 2)
    #expect(try Self.counts(shop) == ["products.jsonl": 3])
    // A row that replaces an entity takes it over.
    _ = try await Self.run(shop, "other.jsonl", Self.rows(0..<1))
    #expect(try Self.counts(shop) == ["products.jsonl": 2, "other.jsonl": 1])
    // A program's change does not.
    let value = EntityValue.product(Product(id: "product0", title: "New"))
    let new = EntityValue.product(Product(id: "new", title: "New"))
    _ = try await Indexer(directory: shop.index).update(with: [.put(value), .put(new)])
    #expect(try Self.counts(shop) == ["products.jsonl": 2, "other.jsonl": 1, "none": 1])
  }

  /// Would break if an export, an import, a compaction or a rollback forgot where entities come from.
  @Test func `the feed of an entity survives what is done to the index`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "stores.jsonl", Self.rows(0..<3, "store"))
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<6))
    let before = try Self.counts(shop)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let export = try shop.folder.write(
      try await shop.exported().joined(separator: "\n"), to: "export.jsonl")
    _ = try await upkeep.compact()
    #expect(try Self.counts(shop) == before)
    _ = try await Self.run(shop, "others.jsonl", Self.rows(0..<4))
    #expect(try Self.counts(shop)["others.jsonl"] == 4)
    _ = try await upkeep.rollBack()
    #expect(try Self.counts(shop) == before)
    let copy = try DrawnShop()
    _ = try await Self.run(copy, "first.jsonl", Self.rows(0..<2))
    _ = try await CatalogueUpkeep(directory: copy.index).importing(path: export)
    #expect(try Self.counts(copy) == before)
    let generation = try Catalogue(directory: copy.index).generation
    _ = try await CatalogueUpkeep(directory: copy.index).importing(path: export)
    #expect(try Catalogue(directory: copy.index).generation == generation)
  }

  private static func priced(_ ids: Range<Int>, _ currency: String) -> String {
    ids.map {
      #"{"type":"product","id":"p\#($0)","title":"T","price":{"amount":"2","currency":"\#(currency)"}}"#
    }.joined(separator: "\n")
  }

  /// Would break if the feed of a wrong shop, or of another language with ids of its own, replaced the catalogue.
  @Test(arguments: [20..<40, 18..<300])
  func `a feed with other ids changes nothing`(ids: Range<Int>) async throws {
    let shop = try DrawnShop()
    let limited = IndexOptions(prunesMissing: true, removalLimit: 50)
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<20), limited)
    let before = try await shop.exported()
    let refusal = await #expect(throws: FeedRefusal.self) {
      try await Self.run(
        shop, "products.jsonl", Self.rows(ids).replacing("product18", with: "x"), limited)
    }
    #expect(refusal?.kind == .ids && refusal?.message.contains("had 20 entities") == true)
    #expect(refusal?.advice.contains("--max-removed 100") == true)
    #expect(try await shop.exported() == before)
    let all = IndexOptions(prunesMissing: true, removalLimit: 100)
    #expect(try await Self.run(shop, "products.jsonl", Self.rows(ids), all).removed >= 18)
    // A feed that only adds, under its own name, is not asked about.
    #expect(try await Self.run(shop, "new.jsonl", Self.rows(900..<910), limited).added == 10)
  }

  @Test func `a feed that grew, with the new rows first, is not another one`() async throws {
    let shop = try DrawnShop()
    let limited = IndexOptions(prunesMissing: true, removalLimit: 50)
    _ = try await Self.run(shop, "products.jsonl", Self.rows(0..<5), limited)
    let rows = Self.rows((5..<400).map(\.self) + (0..<5).map(\.self))
    #expect(try await Self.run(shop, "products.jsonl", rows, limited).added == 395)
  }

  /// Would break if one night's prices in another currency, or a forgotten option, were taken for those of the shop.
  @Test func `a feed in another currency changes nothing unless it is accepted`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "p.jsonl", Self.priced(0..<5, "EUR"))
    let before = try await shop.exported()
    let refusal = await #expect(throws: FeedRefusal.self) {
      try await Self.run(shop, "p.jsonl", Self.priced(0..<5, "USD"))
    }
    #expect(refusal?.kind == .currency)
    #expect(refusal?.message.contains("in EUR and has them in USD now") == true)
    #expect(try await shop.exported() == before)
    // One more currency, or no price, is no other feed.
    let mixed = Self.priced(0..<4, "USD") + "\n" + Self.priced(4..<5, "EUR")
    let takesPrices = IndexOptions(acceptedLosses: [.price])
    #expect(try await Self.run(shop, "p.jsonl", mixed, takesPrices).changed == 4)
    let accepted = IndexOptions(acceptsChangedFeed: true, acceptedLosses: [.price])
    _ = try await Self.run(shop, "p.jsonl", Self.priced(0..<5, "SEK"), accepted)
    #expect(try await Self.run(shop, "p.jsonl", Self.priced(0..<5, "SEK")).changed == 0)
    let feeds = try await CatalogueUpkeep(directory: shop.index).feeds()
    #expect(feeds.entries.first?.feed.reading.currencies == ["SEK"])
  }

  @Test func `the currency that a command gave is used again`() async throws {
    let shop = try DrawnShop()
    let rows = "sku;name;price\n1;Mug;9,90\n2;Cup;3,50\n"
    var options = IndexOptions()
    options.feed.currency = "EUR"
    _ = try await Self.run(shop, "p.csv", rows, options)
    let again = try await Self.run(shop, "p.csv", rows)
    #expect(again.changed == 0 && again.feeds.first?.keptOptions == ["--currency EUR"])
    #expect(try await shop.product("1")?.price?.currency == "EUR")
    // Another one is what the caller wants.
    options.feed.currency = "USD"
    options.acceptedLosses = [.price]
    #expect(try await Self.run(shop, "p.csv", rows, options).changed == 2)
  }

  /// Would break if a shop that grows were read as the export of another system from one night to the next.
  @Test func `a feed in another format changes nothing unless it is accepted`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, "feed", Self.rows(0..<3))
    let before = try await shop.exported()
    let table = "sku;name\nproduct0;Mug\n"
    let refusal = await #expect(throws: FeedRefusal.self) {
      try await Self.run(shop, "feed", table)
    }
    #expect(refusal?.kind == .format)
    #expect(refusal?.message.contains("was read as 'JSON Lines' and is 'table' now") == true)
    #expect(try await shop.exported() == before)
    let noted = try await CatalogueUpkeep(directory: shop.index).feeds().entries.first?.lastRun
    #expect(noted?.outcome == .refused)
    #expect(
      try await Self.run(shop, "feed", table, IndexOptions(acceptsChangedFeed: true)).changed == 1)
    #expect(try await Self.run(shop, "feed", table).changed == 0)
  }

  // MARK: Several feeds in one run

  private static func run(
    _ shop: DrawnShop, _ feeds: [(String, String)], _ options: IndexOptions = IndexOptions()
  ) async throws -> (progress: Indexer.Progress, refused: [RefusedRow]) {
    let refused = Mutex<[RefusedRow]>([])
    let inputs = try feeds.map { name, text in
      FeedInput(path: try shop.folder.write(text, to: name), options: options.feed)
    }
    let progress = try await Indexer(directory: shop.index).run(
      feeds: inputs, imagesRoot: nil, options: options, mapping: { _ in },
      refused: { row in if row.kind != .entity { refused.withLock { $0.append(row) } } },
      progress: { _ in })
    return (progress, refused.withLock { $0 })
  }

  @Test func `several feeds become one generation, and each removes what it lacks`() async throws {
    let shop = try DrawnShop()
    func feeds(_ products: Int, _ stores: Int) -> [(String, String)] {
      [("p.jsonl", Self.rows(0..<products)), ("s.jsonl", Self.rows(0..<stores, "store"))]
    }
    let first = try await Self.run(shop, feeds(10, 3), Self.pruning).progress
    #expect(first.generation == 1 && first.entities == 13 && first.added == 13)
    #expect(
      first.feeds.map(\.entities) == [10, 3] && first.feeds.map(\.outcome) == [.done, .done])
    let second = try await Self.run(shop, feeds(9, 2), Self.pruning).progress
    #expect(second.removed == 2 && second.feeds.map(\.removed) == [1, 1])
    #expect(try Self.counts(shop) == ["p.jsonl": 9, "s.jsonl": 2])
    let third = try await Self.run(shop, feeds(9, 2), Self.pruning).progress
    #expect(third.generation == second.generation)
    #expect(third.feeds.map(\.outcome) == [.nothingToDo, .nothingToDo])
  }

  /// Would break if one feed that is wrong took the others with it, or if something of it were removed.
  @Test func `a feed that fails leaves the others`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(
      shop, [("p.jsonl", Self.rows(0..<5)), ("s.jsonl", Self.rows(0..<3, "store"))])
    // The fault comes after rows that were read.
    var options = FeedOptions()
    options.limits.rowCount = 4
    let products = FeedInput(
      path: try shop.folder.write(Self.rows(2..<9), to: "p.jsonl"), options: options)
    let stores = FeedInput(
      path: try shop.folder.write(Self.rows(0..<2, "store"), to: "s.jsonl"), options: FeedOptions())
    func run(_ feeds: [FeedInput]) async throws -> Indexer.Progress {
      try await Indexer(directory: shop.index).run(
        feeds: feeds, imagesRoot: nil, options: Self.pruning, mapping: { _ in },
        refused: { _ in }, progress: { _ in })
    }
    let progress = try await run([products, stores])
    #expect(progress.feeds.map(\.outcome) == [.failed, .done] && progress.removed == 1)
    #expect(try Self.counts(shop)["s.jsonl"] == 2)
    #expect(try #require(try Self.counts(shop)["p.jsonl"]) >= 5)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
    // If all fail, the run does, and changes nothing.
    let before = try await shop.exported()
    await #expect(throws: FeedError.self) { try await run([products]) }
    #expect(try await shop.exported() == before)
  }

  @Test func `of one id in two feeds of a run the first counts, and it is said`() async throws {
    let shop = try DrawnShop()
    let feeds = [("a.jsonl", Self.rows(0..<3)), ("b.jsonl", Self.rows(2..<5))]
    for _ in 0..<2 {
      let run = try await Self.run(shop, feeds, Self.pruning)
      #expect(run.refused.count == 1 && run.refused.first?.id == "product2")
      #expect(run.refused.first?.reason.contains("was already used in the feed '") == true)
      #expect(run.refused.first?.feed?.hasSuffix("/b.jsonl") == true)
      #expect(try Self.counts(shop) == ["a.jsonl": 3, "b.jsonl": 2])
    }
    // In different runs the later one counts.
    let later = try await Self.run(shop, "b.jsonl", Self.rows(2..<5))
    let taken = try #require(later.feeds.first?.taken)
    #expect(taken.keys.first?.hasSuffix("/a.jsonl") == true && taken.values.first?.count == 1)
    #expect(try Self.counts(shop) == ["a.jsonl": 2, "b.jsonl": 3])
  }

  @Test func `a feed can be renamed and removed`() async throws {
    let shop = try DrawnShop()
    _ = try await Self.run(shop, [("a.jsonl", Self.rows(0..<3)), ("b.jsonl", Self.rows(5..<7))])
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let feeds = try await upkeep.feeds().entries.map(\.feed)
    _ = try await upkeep.rename(feeds[0], to: "first")
    #expect(try await upkeep.feeds().entries.map(\.lastRun?.outcome) == [.done, .done])
    let named = IndexOptions(prunesMissing: true, feedName: "first")
    #expect(try await Self.run(shop, "other.jsonl", Self.rows(0..<2), named).removed == 1)
    #expect(try await upkeep.remove(feeds[1]).entities == 2)
    #expect(try Self.counts(shop) == ["first": 2])
    #expect(try await upkeep.feeds().entries.map(\.feed.name) == ["first"])
    #expect(try await upkeep.verify() == [])
  }

  /// Would break if several feeds of one run shared one record, or if one that cannot be opened left none.
  @Test func `each feed of a run is remembered on its own`() async throws {
    let shop = try DrawnShop()
    let prices = (0..<6).map {
      #"{"type":"product","id":"p\#($0)","title":"T","price":{"amount":"9.90","currency":"EUR"}}"#
    }
    let stores = ("s.jsonl", Self.rows(0..<2, "store"))
    _ = try await Self.run(shop, [("p.jsonl", prices.joined(separator: "\n")), stores])
    let bare = (0..<6).map { #"{"type":"product","id":"p\#($0)","title":"T"}"# }
    let (progress, _) = try await Self.run(
      shop, [("p.jsonl", bare.joined(separator: "\n")), stores, ("x.jsonl", "")])
    #expect(progress.feeds.prefix(2).map(\.outcome) == [.refused, .nothingToDo])
    #expect(progress.feeds[0].coverage.kept[.product, .price] == 6)
    #expect(progress.feeds[1].coverage.after[.store, .entities] == 2)
    #expect(progress.feeds[1].coverage.kept == Coverage())
    #expect(progress.coverage.after[.product, .price] == 6)
    let runs = try RunHistory(directory: shop.index).latest()
    func outcome(_ name: String) -> RunRecord.Outcome? {
      runs.first { $0.feed.hasSuffix("/" + name) }?.outcome
    }
    #expect(outcome("p.jsonl") == .refused && outcome("s.jsonl") == .nothingToDo)
    #expect(outcome("x.jsonl") == .failed)
  }
}

/// The names of feeds that nobody names.
@Suite struct FeedNameTests {
  @Test(arguments: [
    ("/f/products.xml", "/f/products.xml"), ("/f/./a/../products.xml", "/f/products.xml"),
    ("//f//products.xml", "/f/products.xml"), ("-", "standard input"),
    ("/f/products-2026-11-28.csv", "/f/products-*.csv"),
    ("/f/products-2026-11-28-0312.csv", "/f/products-*.csv"),
    ("/f/products_20261128T031200Z.csv", "/f/products_*.csv"),
    ("/f/2026-11-28T03:12:00/products.csv", "/f/*/products.csv"),
    ("/f/28.11.2026.xml", "/f/*.xml"), ("/f/export-20261128031200.xml.gz", "/f/export-*.xml.gz"),
    ("/f/feed.1795838400.json", "/f/feed.*.json"), ("/f/feed-1795838400123", "/f/feed-*"),
    // These are no dates.
    ("/f/products-2026-11-28-1.csv", "/f/products-*-1.csv"), ("/f/2026.csv", "/f/2026.csv"),
    ("/f/12345678.csv", "/f/12345678.csv"), ("/f/1000012345.csv", "/f/1000012345.csv"),
    ("/f/shop-1-2.csv", "/f/shop-1-2.csv"), ("/f/2026-28-11.csv", "/f/2026-28-11.csv"),
    ("https://shop.example/feed.xml#x", "https://shop.example/feed.xml"),
    ("https://me:word@shop.example/feed.xml", "https://…@shop.example/feed.xml"),
    ("https://shop.example/2026-11-28/feed.xml", "https://shop.example/*/feed.xml"),
  ])
  func `a name is the place without what changes from night to night`(path: String, name: String) {
    #expect(FeedName.standard(of: path) == name)
  }

  @Test func `a relative path is the same feed as the whole path`() {
    #expect(FeedName.standard(of: "./a.xml") == FeedName.standard(of: "a.xml"))
    #expect(FeedName.standard(of: "a.xml").hasSuffix("/a.xml"))
    #expect(FeedName.standard(of: "a.xml").hasPrefix("/"))
  }

  /// Would break if the token of an address were shown, or two languages of a shop were one feed.
  @Test func `the query of an address tells feeds apart, and is not shown`() {
    let name = FeedName.standard(of: "https://shop.example/feed?lang=de&token=secret")
    #expect(!name.contains("secret") && name.hasPrefix("https://shop.example/feed?"))
    #expect(name != FeedName.standard(of: "https://shop.example/feed?lang=fr&token=secret"))
    #expect(
      FeedName.standard(of: "https://shop.example/feed?t=1795838400")
        == FeedName.standard(of: "https://shop.example/feed?t=1795924800"))
  }

  @Test func `parts of a feed have one name`() {
    let name = FeedName.standard(ofParts: ["/f/part-2.jsonl", "/f/part-10.jsonl"])
    #expect(name == "/f/part-*.jsonl" && FeedName.standard(ofParts: ["/f/part-1.jsonl"]) == name)
  }
}
