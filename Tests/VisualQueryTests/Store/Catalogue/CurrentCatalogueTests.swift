@testable import ShopBase
import Foundation
@testable import PixelMatch
import TestSupport
import Testing
@testable import ShopStore
import VisualQuery

/// Queries while the catalogue changes under them.
@Suite struct CurrentCatalogueTests {
  /// A catalogue of 20 entities whose titles all name the generation.
  private static func index(_ generation: Int, _ folder: TemporaryDirectory) async throws {
    let rows = (0..<20).map {
      #"{"type":"product","id":"p\#($0)","title":"generation \#(generation)","labels":["thing"]}"#
    }
    let path = try folder.write(rows.joined(separator: "\n"), to: "g\(generation).jsonl")
    _ = try await Indexer(directory: folder.path + "/i.vq").run(path: path)
  }

  private static func answer(_ current: CurrentCatalogue, _ pool: WorkerPool) async throws
    -> MatchResponse
  {
    try await Matcher(unhurried: current.catalogue(), pool: pool)
      .values(
        for: SemanticContent(labels: ["thing"]),
        options: MatchOptions(limit: 100, typeLimits: [:], timeout: nil))
  }

  @Test func `each answer belongs to one generation, and the newest comes at once`() async throws {
    let folder = try TemporaryDirectory()
    try await Self.index(1, folder)
    let current = try CurrentCatalogue(directory: folder.path + "/i.vq")
    let pool = WorkerPool(width: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var last = 0
          for _ in 0..<40 {
            let answer = try await Self.answer(current, pool)
            #expect(answer.matches.count == 20)
            let titles = Set(answer.matches.map(\.display.title))
            #expect(titles == ["generation \(answer.generation)"])
            #expect(answer.generation >= last)
            last = answer.generation
          }
        }
      }
      group.addTask {
        for generation in 2...12 { try await Self.index(generation, folder) }
      }
      try await group.waitForAll()
    }
    #expect(try current.catalogue().generation == 12)
    #expect(try current.catalogue() === current.catalogue())
  }

  @Test func `a query keeps the generation that it began with`() async throws {
    let folder = try TemporaryDirectory()
    try await Self.index(1, folder)
    let current = try CurrentCatalogue(directory: folder.path + "/i.vq")
    let before = Matcher(unhurried: try current.catalogue())
    try await Self.index(2, folder)
    let content = SemanticContent(labels: ["thing"])
    let options = MatchOptions(timeout: nil)
    let old = try await before.values(for: content, options: options)
    #expect(old.matches.first?.display.title == "generation 1")
    let after = Matcher(unhurried: try current.catalogue())
    let new = try await after.values(for: content, options: options)
    #expect(new.matches.first?.display.title == "generation 2")
  }

  @Test func `a directory that is replaced is opened anew`() async throws {
    let folder = try TemporaryDirectory()
    try await Self.index(1, folder)
    let current = try CurrentCatalogue(directory: folder.path + "/i.vq")
    let other = try TemporaryDirectory()
    for generation in [1, 2, 3] { try await Self.index(generation, other) }
    try FileManager.default.moveItem(atPath: folder.path + "/i.vq", toPath: folder.path + "/old.vq")
    try FileManager.default.moveItem(atPath: other.path + "/i.vq", toPath: folder.path + "/i.vq")
    let answer = try await Self.answer(current, WorkerPool(width: 1))
    #expect(answer.generation == 3 && answer.matches[0].display.title == "generation 3")
  }

  /// The result code of SQLite for a file that cannot be opened (<https://www.sqlite.org/rescode.html#cantopen>).
  private static let cannotOpen: Int32 = 14

  /// Would break if a process that may open too few files told its operator to undo the last run, which would lose entities.
  @Test(arguments: [EMFILE, ENFILE, ENOMEM])
  func `a lack of open files is not damage`(number: Int32) {
    let error = Catalogue.damage(
      SegmentError("open", "/shop.vq/product-1.segment", number), of: "product-1.segment",
      in: "/shop.vq")
    #expect(error.code == .exhausted && error.file == nil && error.isLackOfAccess)
    #expect(!error.message.contains("rollback") && !error.message.contains("new directory"))
    let stored = CatalogueError(
      StorageError(
        sqlite: Self.cannotOpen, "unable to open", "/shop.vq/catalogue.sqlite", number: number))
    #expect(stored.code == .exhausted, "\(stored.message)")
  }

  /// A directory that is not writable, for root too: SQLite can neither open nor make its log, whose
  /// name is a link to itself.
  private struct UnwritableCatalogue {
    let folder: TemporaryDirectory
    var directory: String { folder.path + "/i.vq" }
    var file: String { directory + "/" + CatalogueDatabase.fileName }

    init() async throws {
      folder = try TemporaryDirectory()
      try await CurrentCatalogueTests.index(1, folder)
      try lock()
    }

    func lock() throws {
      try FileManager.default.createSymbolicLink(
        atPath: file + "-wal", withDestinationPath: file + "-wal")
    }

    func unlock() throws { try FileManager.default.removeItem(atPath: file + "-wal") }
  }

  /// Would break if each request opened the catalogue again because SQLite can make no log, or if a
  /// generation that the owner of the directory publishes were not seen.
  @Test func `in a directory that is not writable, only a new generation is opened`()
    async throws
  {
    let shop = try await UnwritableCatalogue()
    let current = try CurrentCatalogue(directory: shop.directory)
    let first = try current.catalogue()
    #expect(try current.catalogue() === first)
    try shop.unlock()
    try await Self.index(2, shop.folder)
    try shop.lock()
    let second = try current.catalogue()
    #expect(second.generation == 2)
    #expect(try current.catalogue() === second)
    #expect(current.damage == nil)
  }

  /// Would break if a generation were seen only when its writer has ended.
  @Test func `in a directory that is not writable, a writer's generations are seen at once`()
    async throws
  {
    let shop = try await UnwritableCatalogue()
    let current = try CurrentCatalogue(directory: shop.directory)
    #expect(try current.catalogue().generation == 1)
    try shop.unlock()
    let writer = try CatalogueDatabase(writing: shop.directory)
    for generation in 2...3 {
      try writer.begin()
      #expect(try writer.commit() == generation)
      let newest = try current.catalogue()
      #expect(newest.generation == generation)
      #expect(try current.catalogue() === newest)
    }
  }

  /// Would break if a log that cannot be read ended a service whose generation is intact, or if a
  /// generation were read from a file that has been written to: nothing keeps a writer from it.
  @Test func `the open generation answers while a log cannot be read, if its file is as it was`()
    async throws
  {
    let shop = try await UnwritableCatalogue()
    let current = try CurrentCatalogue(directory: shop.directory)
    let first = try current.catalogue()
    try shop.unlock()
    try FileManager.default.createDirectory(
      atPath: shop.file + "-wal", withIntermediateDirectories: false)
    #expect(try current.catalogue() === first)
    #expect(current.damage?.code == .notPermitted)

    let contents = try #require(FileManager.default.contents(atPath: shop.file))
    let handle = try #require(FileHandle(forWritingAtPath: shop.file))
    try handle.write(contentsOf: contents)
    try handle.close()
    let error = #expect(throws: CatalogueError.self) { try current.catalogue() }
    #expect(error?.code == .notPermitted)

    try shop.unlock()
    try shop.lock()
    #expect(try current.catalogue().generation == 1)
    #expect(current.damage == nil)
  }

  /// Would break if a refused access were taken for damage, after which all signatures are read: here,
  /// one of them has another byte.
  @Test func `a refused access is not damage`() async throws {
    let shop = try DrawnShop()
    for id in 0..<6 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run((0..<6).map { DrawnShop.row("p\($0)") })
    let segment = try #require(
      FileHandle(forUpdatingAtPath: shop.index + "/product-1.segment"))
    try segment.seek(toOffset: 3 * 4096 + 7)
    try segment.write(contentsOf: Data([0x5A]))
    try segment.close()
    let current = try CurrentCatalogue(directory: shop.index)
    // The connection that looks for new generations reads for the first time with the next request.
    let log = shop.index + "/" + CatalogueDatabase.fileName + "-wal"
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
    #expect(try current.catalogue().generation == 1)
  }
}
