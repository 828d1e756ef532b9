import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct EntityCursorTests {
  /// A catalogue of products without images, which is made at once.
  private struct Shop {
    let folder: TemporaryDirectory
    var directory: String { folder.path + "/i.vq" }

    init(_ count: Int) async throws {
      folder = try TemporaryDirectory()
      // A feed without rows would make no index.
      _ = try await Indexer(directory: directory).putSettings()
      try await put(0..<count)
    }

    func put(_ numbers: Range<Int>, price: Int = 1) async throws {
      let rows = numbers.map {
        let type = $0 % 10 == 9 ? "store" : "product"
        return #"{"type":"\#(type)","id":"e\#($0)","title":"\#($0)","size":\#($0 % 4 * price)}"#
      }
      _ = try await Indexer(directory: directory)
        .run(path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    }

    func remove(_ numbers: [Int]) async throws {
      _ = try await Indexer(directory: directory).remove(numbers.map(Shop.id))
    }

    static func id(_ number: Int) -> EntityID {
      EntityID(type: number % 10 == 9 ? .store : .product, value: "e\(number)")
    }

    /// All pages, each from the newest generation; `between` is called before each but the first.
    func pages(
      _ limit: Int, _ comparators: [EntityComparator] = [],
      types: Set<EntityType> = Set(EntityType.allCases),
      between: (Int) async throws -> Void = { _ in }
    ) async throws -> [[EntityID]] {
      var pages: [[EntityID]] = []
      var cursor: EntityCursor?
      repeat {
        if !pages.isEmpty { try await between(pages.count) }
        let page = try await EntityLookup(catalogue: Catalogue(directory: directory))
          .page(after: cursor, matching: comparators, types: types, limit: limit)
        pages.append(page.entities.map(\.id))
        cursor = page.cursor
      } while cursor != nil
      return pages
    }
  }

  /// Would break if a page began at a number of entities instead of at a key, or in an order that changes.
  @Test func `each of 10 000 entities appears once, while the catalogue changes`() async throws {
    let shop = try await Shop(10_000)
    let removed = [5, 1500, 4000, 9998]
    let pages = try await shop.pages(1000) { page in
      switch page {
      case 1: try await shop.put(10_000..<10_300)
      case 2: try await shop.remove(removed)
      case 4: try await shop.put(0..<200, price: 2)
      case 6:
        // One that was given already is removed and comes back under a new key.
        try await shop.remove([7])
        try await shop.put(7..<8)
      default: break
      }
    }
    let ids = pages.flatMap { $0 }
    #expect(Set(ids).count == ids.count)
    let throughout = Set((0..<10_000).map(Shop.id)).subtracting((removed + [7]).map(Shop.id))
    #expect(throughout.isSubset(of: ids))
    // The others are those that were given before they were removed, and none that came later.
    #expect(Set(ids).subtracting(throughout) == Set([5, 1500, 7].map(Shop.id)))
  }

  @Test(arguments: [1, 7, 40, 99, 100, 101, 1000]) func `pages have at most their limit`(
    limit: Int
  ) async throws {
    let shop = try await Shop(100)
    let size = [EntityComparator("size", .equalTo(2))]
    let lists = [
      try await shop.pages(limit), try await shop.pages(limit, types: [.store]),
      try await shop.pages(limit, size),
      try await shop.pages(limit, [EntityComparator("size", .notEqualTo(2))], types: [.product]),
    ]
    for (pages, count) in zip(lists, [100, 10, 25, 65]) {
      let ids = pages.flatMap { $0 }
      #expect(ids.count == count && Set(ids).count == count)
      #expect(pages.dropLast().allSatisfy { $0.count == limit } && pages.count <= count / limit + 1)
      #expect(pages.count == 1 || pages.last?.isEmpty == false)
    }
  }

  @Test func `a catalogue without entities has one empty page`() async throws {
    #expect(try await Shop(0).pages(10) == [[]])
    #expect(try await Shop(3).pages(10, types: []) == [[]])
  }

  @Test func `a cursor continues its own list only`() async throws {
    let shop = try await Shop(20)
    let lookup = EntityLookup(catalogue: try Catalogue(directory: shop.directory))
    let cursor = try #require(try await lookup.page(after: nil, limit: 5).cursor)
    #expect(cursor.description.utf8.count <= 250)
    let state = try await lookup.changes(since: nil, limit: 5).state
    let otherShop = try await Shop(20)
    let other = EntityLookup(catalogue: try Catalogue(directory: otherShop.directory))
    func code(_ body: () async throws -> EntityPage) async -> MatchError.Code? {
      do {
        _ = try await body()
        return nil
      } catch {
        return (error as? MatchError)?.code
      }
    }
    let size = [EntityComparator("size", .equalTo(2))]
    #expect(await code { try await lookup.page(after: cursor) } == nil)
    #expect(await code { try await lookup.page(after: cursor, types: [.store]) } == .invalidToken)
    #expect(await code { try await lookup.page(after: cursor, matching: size) } == .invalidToken)
    #expect(await code { try await other.page(after: cursor) } == .invalidToken)
    for text in ["", "x", cursor.description + "A", state] {
      #expect(await code { try await lookup.page(after: EntityCursor(text)) } == .invalidToken)
    }
    await #expect(throws: MatchError.self) {
      try await lookup.changes(since: cursor.description)
    }
  }
}
