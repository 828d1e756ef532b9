@testable import ShopStore
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Filters against their meaning, and their limits.
@Suite struct FilterTests {
  private static let drawn = Task { try await DrawnEntities(count: 120, seed: 1) }
  /// More products than are looked at in one part.
  private static let many = Task { try await DrawnEntities(count: 600, seed: 2) }

  private static let properties = [
    "type", "id", "title", "subtitle", "brand", "group", "availability", "address", "price",
    "currency", "latitude", "longitude", "labels", "stock", "synonyms", "images", "size", "weight",
    "absent",
  ]

  /// Returns whether a condition names a property that no entity has, or compares a number with another text.
  private static func isRefused(_ comparator: EntityComparator) -> Bool {
    let values: [PropertyValue] =
      switch comparator.comparison {
      case .equalTo(let value), .notEqualTo(let value), .lessThan(let value),
        .lessThanOrEqualTo(let value), .greaterThan(let value), .greaterThanOrEqualTo(let value):
        [value]
      case .isBetween(let low, let high): [low, high]
      case .contains, .hasPrefix, .hasSuffix: []
      }
    let isNumber = ["price", "latitude", "longitude"].contains(comparator.property.name)
    return comparator.property.name == "absent"
      || isNumber
        && values.contains { if case .text(let text) = $0 { Double(text) == nil } else { false } }
  }

  private static func operand(_ random: inout SeededGenerator) -> PropertyValue {
    Bool.random(using: &random)
      ? .text(
        (DrawnEntities.texts + ["14.90", "product", "inStock"]).randomElement(using: &random)!)
      : .number([0, 1, 2.5, 7, 12, 14.9, -3.5, 100].randomElement(using: &random)!)
  }

  private static func comparator(_ random: inout SeededGenerator) -> EntityComparator {
    let text = (DrawnEntities.texts + ["1", "s", "2.5", "Store", "ss"]).randomElement(
      using: &random)!
    let (low, high) = (operand(&random), operand(&random))
    let comparisons: [EntityComparator.Comparison] = [
      .equalTo(low), .notEqualTo(low), .lessThan(low), .lessThanOrEqualTo(low), .greaterThan(low),
      .greaterThanOrEqualTo(low), .isBetween(low, high), .contains(text), .hasPrefix(text),
      .hasSuffix(text),
    ]
    return EntityComparator(
      EntityProperty(properties.randomElement(using: &random)!),
      comparisons.randomElement(using: &random)!)
  }

  /// Would break if a stored property, its folded text or the join of conditions differed from what
  /// the documentation says, for any comparator, property, mode, type or order.
  @Test(arguments: 1...8)
  func `filters give what each entity says`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let drawn = try await Self.drawn.value
    let all = try await drawn.all()
    #expect(all.count == 120)
    let lookup = EntityLookup(catalogue: drawn.catalogue, pool: WorkerPool(width: 1))
    for _ in 0..<100 {
      var filter = EntityFilter(mode: Bool.random(using: &random) ? .and : .or)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        filter.comparators.append(Self.comparator(&random))
      }
      let sorts = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        EntitySort(
          by: EntityProperty(Self.properties.randomElement(using: &random)!),
          order: Bool.random(using: &random) ? .ascending : .descending)
      }
      let types: Set<EntityType> = [[.product], [.store], [.product, .store]]
        .randomElement(using: &random)!
      let limit = [1, 7, 1000].randomElement(using: &random)!
      if filter.comparators.contains(where: Self.isRefused) {
        let filter = filter
        await #expect(throws: MatchError.self) {
          try await lookup.entities(matching: filter.comparators, mode: filter.mode)
        }
        continue
      }
      let found = try await lookup.entities(
        matching: filter.comparators, mode: filter.mode, types: types, sortedBy: sorts,
        limit: limit)
      let expected = all.filter { types.contains($0.id.type) }
        .filter { FilterSemantics.passes(filter, $0) }
        .sorted { FilterSemantics.precedes($0, $1, sorts) }
      #expect(found.map(\.id) == expected.prefix(limit).map(\.id), "\(filter) \(sorts)")
    }
  }

  /// Would break if entities that are looked at one by one met other conditions than all at once, or if
  /// keys that were kept for an earlier question answered another one.
  @Test(arguments: 1...4)
  func `the first entities are those of the whole list`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let catalogue = try await Self.many.value.catalogue
    for _ in 0..<20 {
      var filter = EntityFilter(mode: Bool.random(using: &random) ? .and : .or)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        filter.comparators.append(Self.comparator(&random))
      }
      guard !filter.comparators.contains(where: Self.isRefused) else { continue }
      let types: [EntityType] = [[.product], [.store], [.product, .store]]
        .randomElement(using: &random)!
      let limit = [1, 7, 1000].randomElement(using: &random)!
      let first = try await catalogue.firstKeys(
        matching: filter, types: types, limit: limit, lookingAt: .max
      ) { false }
      let lookup = EntityLookup(catalogue: catalogue, pool: WorkerPool(width: 1))
      for _ in 0..<2 {
        let listed = try await lookup.entities(
          matching: filter.comparators, mode: filter.mode, types: Set(types), limit: limit)
        let ids = try catalogue.ids(keys: #require(first))
        #expect(listed.map(\.id) == first?.compactMap { ids[$0] }, "\(filter)")
      }
    }
  }

  /// Would break if looking at single entities, of which hardly any is accepted, went on without end.
  @Test func `a rare property is not looked for one entity after another`() async throws {
    let catalogue = try await Self.many.value.catalogue
    let filter = EntityFilter(comparators: [try #require(EntityComparator("title=nothing"))])
    for (most, isFound) in [(255, false), (1000, false), (.max, true)] {
      let first = try await catalogue.firstKeys(
        matching: filter, types: [.product], limit: 10, lookingAt: most
      ) { false }
      #expect((first == []) == isFound && (first == nil) != isFound)
    }
  }

  /// Would break if an id that is a number, as most shops have it, were compared as one: 1001 was "1001.0", which no id is, and
  /// a group 1001 was also that of 1001-B.
  @Test func `texts are texts, also if they are numbers`() async throws {
    let folder = try TemporaryDirectory()
    let rows = [
      #"{"type":"product","id":"1001","title":"Cup","group":"1001","size":"42","sku":"0042"}"#,
      #"{"type":"product","id":"01001","title":"Mug 123","group":"1001-B","size":"42-44"}"#,
      #"{"type":"product","id":"1e3","title":"42","labels":["5"],"size":7.5}"#,
    ]
    let index = folder.path + "/i.vq"
    _ = try await Indexer(directory: index).run(
      path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    func ids(_ comparator: EntityComparator?) async throws -> [String] {
      let lookup = EntityLookup(catalogue: try Catalogue(directory: index))
      return try await lookup.entities(matching: [#require(comparator)]).map(\.id.value).sorted()
    }
    #expect(try await ids(EntityComparator("id=1001")) == ["1001"])
    #expect(try await ids(EntityComparator("id=01001")) == ["01001"])
    #expect(try await ids(EntityComparator("id", .equalTo(1001))) == ["1001"])
    #expect(try await ids(EntityComparator("group=1001")) == ["1001"])
    #expect(try await ids(EntityComparator("group!=1001")) == ["01001", "1e3"])
    #expect(try await ids(EntityComparator("title<3")) == [])
    #expect(try await ids(EntityComparator("title=42")) == ["1e3"])
    #expect(try await ids(EntityComparator("labels=5")) == ["1e3"])
    // A field of the shop's own is compared as a number if both values are numbers.
    #expect(try await ids(EntityComparator("size<42.5")) == ["1001", "1e3"])
    #expect(try await ids(EntityComparator("size>40")) == ["1001"])
    #expect(try await ids(EntityComparator("size=42-44")) == ["01001"])
    #expect(try await ids(EntityComparator("sku=42")) == ["1001"])
  }

  /// Would break if a replaced or removed entity kept a stored property.
  @Test func `filters follow the entities`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    func index(_ row: String) async throws {
      _ = try await indexer.run(path: folder.write(row, to: "c.jsonl"))
    }
    func ids(_ condition: String) async throws -> [String] {
      let lookup = EntityLookup(catalogue: try Catalogue(directory: folder.path + "/i.vq"))
      return try await lookup.entities(matching: [#require(EntityComparator(condition))])
        .map(\.id.value)
    }
    try await index(#"{"type":"product","id":"p","title":"One","labels":["a","b"],"size":"L"}"#)
    #expect(try await ids("labels=b") == ["p"])
    try await index(#"{"type":"product","id":"p","title":"Two","labels":["a"],"color":"red"}"#)
    #expect(try await ids("labels=b") == [])
    #expect(try await ids("size=L") == [])
    #expect(try await ids("title=Two") == ["p"])
    #expect(try await ids("color!=blue") == ["p"])
    _ = try await indexer.remove([EntityID(type: .product, value: "p")])
    #expect(try await ids("title=Two") == [])
    #expect(try await ids("size!=L") == [])
  }

  /// Would break if a question could ask for more work than the limits say.
  @Test func `too many or too long conditions are refused`() async throws {
    let lookup = EntityLookup(catalogue: try await Self.drawn.value.catalogue)
    func code(
      _ comparators: [EntityComparator], _ sorts: [EntitySort] = []
    ) async throws -> MatchError.Code? {
      do {
        _ = try await lookup.entities(matching: comparators, sortedBy: sorts)
        return nil
      } catch let error as MatchError {
        return error.code
      }
    }
    let one = EntityComparator("title", .contains("x"))
    let limit = EntityFilter.comparatorLimit
    #expect(try await code(Array(repeating: one, count: limit)) == nil)
    #expect(try await code(Array(repeating: one, count: limit + 1)) == .invalidFilter)
    let text = String(repeating: "x", count: EntityComparator.textLimit)
    #expect(try await code([EntityComparator("title", .hasSuffix(text))]) == nil)
    for comparison in [
      EntityComparator.Comparison.hasSuffix(text + "x"), .equalTo(.text(text + "x")),
      .isBetween(.text("a"), .text(text + "x")),
    ] {
      #expect(try await code([EntityComparator("title", comparison)]) == .invalidFilter)
    }
    let sorts = Array(repeating: EntitySort(by: "title"), count: EntitySort.countLimit)
    #expect(try await code([], sorts) == nil)
    #expect(try await code([], sorts + [EntitySort(by: "id")]) == .invalidFilter)
  }
}
