@testable import ShopBase
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// Catalogues whose files other programs change while they are searched.
@Suite struct ChangedCatalogueTests {
  /// An open catalogue of drawn products, and a question that the first of them answers.
  private struct Fixture {
    let shop: DrawnShop
    let current: CurrentCatalogue
    let pool = WorkerPool(width: 2)

    init() async throws {
      shop = try DrawnShop()
      for number in 0..<6 { try shop.draw("p\(number).jpg", seed: UInt64(number)) }
      try await shop.run((0..<6).map { DrawnShop.row("p\($0)") })
      current = try CurrentCatalogue(directory: shop.index)
    }

    var content: SemanticContent {
      SemanticContent(pixelBuffer: SyntheticPicture.scene(width: 96, height: 96, seed: 0))
    }

    func answer() async throws -> MatchResponse {
      try await Matcher(unhurried: try current.catalogue(), pool: pool).values(
        for: content, options: MatchOptions(timeout: nil))
    }

    func path(_ file: String) -> String { shop.index + "/" + file }

    /// The segment files, by name.
    func segments() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: shop.index)
        .filter { $0.hasSuffix(".segment") }.sorted()
    }

    /// Writes into a file in place, as `cp` and `rsync --inplace` do.
    func overwrite(_ file: String, with bytes: Data) throws {
      let handle = try #require(FileHandle(forWritingAtPath: path(file)))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
    }

    func truncate(_ file: String, to byteCount: Int) throws {
      let handle = try #require(FileHandle(forWritingAtPath: path(file)))
      try handle.truncate(atOffset: UInt64(byteCount))
      try handle.close()
    }
  }

  private static func isRightAnswer(_ answer: MatchResponse) -> Bool {
    answer.matches.first?.value.id == EntityID(type: .product, value: "p0")
  }

  enum Change: CaseIterable, Sendable {
    case truncated, emptied, replacedInPlace, grown, overwritten
  }

  @Test(arguments: Change.allCases)
  func `a segment that is changed in place is told until it is restored`(change: Change)
    async throws
  {
    let fixture = try await Fixture()
    #expect(Self.isRightAnswer(try await fixture.answer()))
    let file = try #require(try fixture.segments().first)
    let bytes = try #require(FileManager.default.contents(atPath: fixture.path(file)))
    switch change {
    case .truncated: try fixture.truncate(file, to: 8192)
    case .emptied: try fixture.truncate(file, to: 0)
    case .grown: try fixture.overwrite(file, with: bytes + [0])
    case .overwritten:
      try fixture.overwrite(
        file, with: Data(bytes.dropLast(5000) + [UInt8](repeating: 7, count: 5000)))
    case .replacedInPlace:
      let other = try await Fixture()
      try other.shop.draw("p5.jpg", seed: 99)
      try FileManager.default.removeItem(atPath: other.shop.index)
      try await other.shop.run((0..<6).map { DrawnShop.row("p\($0)") })
      let name = try #require(try other.segments().first)
      try fixture.overwrite(
        file, with: try #require(FileManager.default.contents(atPath: other.path(name))))
    }
    for _ in 0..<2 {
      let error = await #expect(throws: CatalogueError.self) { try await fixture.answer() }
      #expect(error?.file == file)
      #expect(error?.generation == 1)
      #expect(fixture.current.damage?.file == file)
    }
    try fixture.overwrite(file, with: bytes)
    #expect(Self.isRightAnswer(try await fixture.answer()))
    #expect(fixture.current.damage == nil)
  }

  @Test func `a segment that is truncated during a search spoils no answer`() async throws {
    let fixture = try await Fixture()
    let file = try #require(try fixture.segments().first)
    let matcher = Matcher(unhurried: try fixture.current.catalogue(), pool: fixture.pool)
    var answers = matcher.answers(for: fixture.content, options: MatchOptions(timeout: nil))
      .makeAsyncIterator()
    _ = try await answers.next()
    try fixture.truncate(file, to: 4096)
    let error = await #expect(throws: CatalogueError.self) {
      while try await answers.next() != nil {}
    }
    #expect(error?.code == .truncated && error?.file == file)
  }

  @Test func `a new generation takes the place of a damaged one`() async throws {
    let fixture = try await Fixture()
    let file = try #require(try fixture.segments().first)
    try fixture.truncate(file, to: 4096)
    await #expect(throws: CatalogueError.self) { try await fixture.answer() }
    try FileManager.default.removeItem(atPath: fixture.shop.index)
    try await fixture.shop.run((0..<6).map { DrawnShop.row("p\($0)") })
    #expect(Self.isRightAnswer(try await fixture.answer()))
  }

  @Test func `the former generation answers while the newest is damaged`() async throws {
    let fixture = try await Fixture()
    #expect(try await fixture.answer().generation == 1)
    try fixture.shop.draw("p6.jpg", seed: 6)
    try await fixture.shop.run((0..<7).map { DrawnShop.row("p\($0)") })
    let file = try #require(try fixture.segments().last)
    let bytes = try #require(FileManager.default.contents(atPath: fixture.path(file)))
    try fixture.truncate(file, to: 4096)
    let former = try await fixture.answer()
    #expect(Self.isRightAnswer(former) && former.generation == 1)
    #expect(fixture.current.damage?.file == file && fixture.current.damage?.generation == 2)
    try fixture.overwrite(file, with: bytes)
    #expect(try await fixture.answer().generation == 2)
    #expect(fixture.current.damage == nil)
  }

  /// SQLite maps this file; what it reads of a truncated one would end the process with SIGBUS.
  @Test(arguments: [0, 100, 4096, 20_000])
  func `truncated shared memory ends no process and spoils no answer`(byteCount: Int) async throws {
    let fixture = try await Fixture()
    // After this run, the write-ahead log has pages that readers find only by its index in shared memory.
    try fixture.shop.draw("p6.jpg", seed: 6)
    try await fixture.shop.run((0..<7).map { DrawnShop.row("p\($0)") })
    try await Self.expectNoAnswer(of: fixture, whileTruncatedTo: byteCount)
    #expect(Self.isRightAnswer(try await fixture.answer()))
  }

  /// As long as a query holds a connection, SQLite keeps the shared memory of the process.
  private static func expectNoAnswer(
    of fixture: Fixture, whileTruncatedTo byteCount: Int
  ) async throws {
    let running = Matcher(unhurried: try fixture.current.catalogue(), pool: fixture.pool)
    #expect(try await fixture.answer().generation == 2)
    try fixture.truncate("catalogue.sqlite-shm", to: byteCount)
    let first = await #expect(throws: CatalogueError.self) {
      try await running.values(for: fixture.content)
    }
    #expect(first?.file == "catalogue.sqlite-shm")
    let second = await #expect(throws: CatalogueError.self) { try await fixture.answer() }
    #expect(second?.file == "catalogue.sqlite-shm")
  }

  @Test func `compaction makes no signatures of what has gone`() async throws {
    let fixture = try await Fixture()
    try fixture.shop.draw("p6.jpg", seed: 6)
    try await fixture.shop.run((0..<7).map { DrawnShop.row("p\($0)") })
    let file = try #require(try fixture.segments().first)
    try fixture.truncate(file, to: 8192)
    await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: fixture.shop.index).compact()
    }
    #expect(try fixture.segments().contains(file))
  }
}
