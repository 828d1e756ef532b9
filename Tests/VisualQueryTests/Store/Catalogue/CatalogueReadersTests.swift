@testable import ShopBase
import Synchronization
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// Connections, deadlines and plans of the statements that answer requests.
@Suite struct CatalogueReadersTests {
  private static let drawn = Task { try await DrawnEntities(count: 600, seed: 2) }

  private static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

  /// Says `true` from its `count`th question on.
  private final class Stop: Sendable {
    private let left: Mutex<Int>
    init(after count: Int) { left = Mutex(count) }
    var isOver: Bool {
      left.withLock { left in
        left -= 1
        return left < 0
      }
    }
  }

  private static func index(_ title: String, _ folder: TemporaryDirectory) async throws {
    let row = #"{"type":"product","id":"p","title":"\#(title)"}"#
    _ = try await Indexer(directory: folder.path + "/i.vq")
      .run(path: folder.write(row, to: "c.jsonl"))
  }

  /// Would break if a statement ran on after its reader has given up.
  @Test func `a statement stops when it is told to, and its connection goes on`() async throws {
    let catalogue = try await Self.drawn.value.catalogue
    let stop = Stop(after: 3)
    let error = try #require(throws: CatalogueError.self) {
      try catalogue.read(stoppingWhen: { stop.isOver }) { database throws(CatalogueError) in
        _ = try database.connection.statement(Self.endless, isScan: true).step()
      }
    }
    #expect(error.code == .timedOut)
    #expect(try catalogue.key(of: EntityID(type: .product, value: "0-0")) != nil)
  }

  /// Would break if readers shared a connection: the inner read would wait for the outer one forever.
  @Test func `as many can read at once as there are connections, and no more`() async throws {
    let folder = try TemporaryDirectory()
    try await Self.index("one", folder)
    let catalogue = try Catalogue(directory: folder.path + "/i.vq", readers: 2)
    let stop = Stop(after: 2)
    let error = try #require(throws: CatalogueError.self) {
      try catalogue.read { _ throws(CatalogueError) in
        try catalogue.read { _ throws(CatalogueError) in
          // The third leaves when it is told to stop.
          try catalogue.read(stoppingWhen: { stop.isOver }) { _ throws(CatalogueError) in }
        }
      }
    }
    #expect(error.code == .timedOut)
    try catalogue.read { _ throws(CatalogueError) in
      try catalogue.read { _ throws(CatalogueError) in }
    }
  }

  /// Would break if a connection of a generation was opened after a newer one was published.
  @Test func `all connections keep the generation that they were opened with`() async throws {
    let folder = try TemporaryDirectory()
    try await Self.index("one", folder)
    let catalogue = try Catalogue(directory: folder.path + "/i.vq", readers: 3)
    try await Self.index("two", folder)
    var generations: [Int] = []
    func read(_ depth: Int) throws(CatalogueError) {
      if depth == 0 { return }
      try catalogue.read { database throws(CatalogueError) in
        generations.append(try database.state.current().generation)
        try read(depth - 1)
      }
    }
    try read(3)
    #expect(generations == [1, 1, 1])
    #expect(try Catalogue(directory: folder.path + "/i.vq").generation == 2)
  }

  /// - Parameter word: A word of its own for each query, since the keys of a filter are kept.
  private static func conditions(_ count: Int, _ word: String) -> [EntityComparator] {
    (0..<count).map { EntityComparator("title", .contains("\(word)\($0)")) }
  }

  /// Would break if a filter went on behind its deadline, or gave part of an answer for the whole.
  @Test func `a query that does not end in time says so`() async throws {
    let catalogue = try await Self.drawn.value.catalogue
    let whole = SteppingClock()
    let lookup = EntityLookup(
      catalogue: catalogue, pool: WorkerPool(width: 1), timeout: .seconds(1000), clock: whole)
    _ = try await lookup.entities(matching: Self.conditions(32, "whole"), mode: .or)
    #expect(whole.lookCount > 32)
    for sorts in [[], [EntitySort(by: "title")]] {
      let clock = SteppingClock()
      let hurried = EntityLookup(
        catalogue: catalogue, pool: WorkerPool(width: 1), timeout: .milliseconds(5), clock: clock)
      let error = try await #require(throws: CatalogueError.self) {
        _ = try await hurried.entities(
          matching: Self.conditions(32, "hurried\(sorts.count)"), mode: .or, sortedBy: sorts)
      }
      #expect(error.code == .timedOut)
      #expect(clock.lookCount < 12)
    }
  }

  /// Would break if a client that has gone left its query behind.
  @Test func `a query whose task is cancelled ends`() async throws {
    let catalogue = try await Self.drawn.value.catalogue
    let task = Mutex<Task<Void, any Error>?>(nil)
    let clock = SteppingClock { look in if look == 6 { task.withLock { $0?.cancel() } } }
    let lookup = EntityLookup(
      catalogue: catalogue, pool: WorkerPool(width: 1), timeout: .seconds(1000), clock: clock)
    let query = task.withLock { task in
      let query = Task {
        _ = try await lookup.entities(matching: Self.conditions(32, "cancelled"), mode: .or)
      }
      task = query
      return query
    }
    await #expect(throws: CancellationError.self) { try await query.value }
    #expect(clock.lookCount < 12)
  }

  /// Would break if a match showed entities that its filters may not let through.
  @Test func `a match whose filters do not end shows nothing and says why`() async throws {
    let catalogue = try await Self.drawn.value.catalogue
    let filter = EntityFilter(comparators: Self.conditions(32, "match"), mode: .or)
    func answer(_ timeout: Duration) async throws -> MatchResponse {
      let matcher = Matcher(
        catalogue: catalogue, pool: WorkerPool(width: 1), clock: SteppingClock())
      return try await matcher.values(
        for: SemanticContent(labels: ["mug"]),
        options: MatchOptions(filters: [.product: filter, .store: filter], timeout: timeout))
    }
    let late = try await answer(.milliseconds(8))
    #expect(late.matches.isEmpty && !late.isComplete && late.coverage == 0)
    #expect(late.emptyReason == .filterTimedOut)
    let whole = try await answer(.seconds(1000))
    #expect(whole.isComplete && whole.emptyReason == .filteredOut)
  }

  /// Runs every kind of question that a request can ask.
  private static func askEverything(_ catalogue: Catalogue) async throws {
    let lookup = EntityLookup(catalogue: catalogue)
    let id = EntityID(type: .product, value: "0-0")
    _ = try await lookup.entities(for: [id])
    _ = try await EntityThumbnails(catalogue: catalogue).jpeg(of: id, size: .small)
    _ = try await lookup.changes(since: nil)
    let comparisons: [EntityComparator.Comparison] = [
      .equalTo("a"), .notEqualTo(1), .lessThan("b"), .greaterThan(2), .isBetween(1, "c"),
      .contains("m"), .hasPrefix("m"), .hasSuffix("g"),
    ]
    for types: Set<EntityType> in [[.product], [.store], [.product, .store]] {
      _ = try await lookup.suggestedEntities(types: types)
      _ = try await lookup.entities(matching: "mug re", types: types)
      _ = try await lookup.entities(matching: "strese mug", types: types)
      for property: EntityProperty in ["id", "type", "price", "labels", "size"] {
        for comparison in comparisons {
          // A number is never compared with a text.
          if property == "price",
            [.equalTo("a"), .lessThan("b"), .isBetween(1, "c")].contains(comparison)
          {
            continue
          }
          for sorts in [
            [], [EntitySort(by: property), EntitySort(by: "title", order: .descending)],
          ] {
            _ = try await lookup.entities(
              matching: [EntityComparator(property, comparison)], types: types, sortedBy: sorts,
              limit: 3)
          }
        }
      }
      for try await _ in lookup.allEntities(types: types, pageSize: 400) {}
    }
    let filter = EntityFilter(
      labels: ["mug"], comparators: [EntityComparator("title", .contains("m"))])
    let options = MatchOptions(
      filters: [.product: filter, .store: filter], minimumConfidence: 0, timeout: nil,
      near: GeoPoint(latitude: 1, longitude: 2))
    let matcher = Matcher(unhurried: catalogue)
    for options in [options, MatchOptions(minimumConfidence: 0, timeout: nil)] {
      let answer = try await matcher.values(
        for: SemanticContent(labels: ["mug", "unknown"]), options: options)
      if let token = answer.continuation { _ = try await matcher.values(continuing: token) }
    }
  }

  /// Would break if a statement on the way of a request read a table that grows with the catalogue from
  /// one end to the other. In a debug build such a statement traps in any test, too.
  @Test func `no statement of a request reads a whole table`() async throws {
    let drawn = try await Self.drawn.value
    try await Self.askEverything(drawn.catalogue)
    let statements = drawn.catalogue.readers.preparedSQL
    #expect(statements.count > 30)
    let planner = try CatalogueConnection(
      path: drawn.folder.path + "/i.vq/" + CatalogueDatabase.fileName, mode: .read)
    for statement in statements where statement != Self.endless {
      #expect(try planner.scans(of: statement) == [], "\(statement)")
    }
    for scan in [
      "SELECT json FROM entities WHERE json LIKE '%a%'",
      "SELECT entity FROM properties WHERE value = 1",
      "SELECT rowid FROM entityText",
      "SELECT a.key FROM changes JOIN entities a ON a.json = changes.id",
    ] {
      #expect(try !planner.scans(of: scan).isEmpty, "\(scan)")
    }
  }
}
