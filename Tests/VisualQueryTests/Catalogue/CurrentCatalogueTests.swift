import Foundation
import TestSupport
import Testing
@testable import VisualQuery

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
    try await Matcher(catalogue: current.catalogue(), pool: pool)
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
    let before = Matcher(catalogue: try current.catalogue())
    try await Self.index(2, folder)
    let content = SemanticContent(labels: ["thing"])
    let options = MatchOptions(timeout: nil)
    let old = try await before.values(for: content, options: options)
    #expect(old.matches.first?.display.title == "generation 1")
    let after = Matcher(catalogue: try current.catalogue())
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
}
