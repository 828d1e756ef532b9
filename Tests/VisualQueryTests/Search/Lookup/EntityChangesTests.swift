@testable import ShopBase
@testable import ShopFeeds
@testable import ShopIndex
@testable import ShopModel
@testable import ShopScale
@testable import ShopStore
import Foundation
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// An app that keeps a copy of the entities, and what it is told.
@Suite struct EntityChangesTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/i.vq" }

  init() throws { folder = try TemporaryDirectory() }

  private func put(_ rows: [(id: String, title: String)]) async throws {
    let lines = rows.map { #"{"type":"product","id":"\#($0.id)","title":"\#($0.title)"}"# }
    _ = try await Indexer(directory: directory)
      .run(path: folder.write(lines.joined(separator: "\n"), to: "c.jsonl"))
  }

  private func lookup() throws -> EntityLookup {
    EntityLookup(catalogue: try Catalogue(directory: directory))
  }

  /// The copy after all changes since a state, in pages of a given size.
  private func sync(
    _ copy: inout [String: String], _ state: inout String?, pageSize: Int = 2,
    stoppingAfter pages: Int = .max
  ) async throws {
    var left = pages
    while left > 0 {
      let changes = try await lookup().changes(since: state, limit: pageSize)
      for value in changes.upserts { copy[value.id.value] = value.displayRepresentation.title }
      for id in changes.tombstones { copy[id.value] = nil }
      state = changes.state
      #expect(changes.state.utf8.count <= 250)
      if !changes.hasMore { return }
      left -= 1
    }
  }

  @Test func `a copy stays in step, also after interruptions`() async throws {
    try await put((0..<7).map { ("p\($0)", "one") })
    var copy: [String: String] = [:]
    var state: String?
    try await sync(&copy, &state, stoppingAfter: 2)
    #expect(copy.count == 4)
    // Meanwhile some change, one of those that the copy has and one that it lacks.
    try await put([("p0", "two"), ("p6", "two"), ("new", "one")])
    _ = try await Indexer(directory: directory)
      .remove([EntityID(type: .product, value: "p1"), EntityID(type: .product, value: "p5")])
    try await sync(&copy, &state)
    #expect(
      copy == ["p0": "two", "p2": "one", "p3": "one", "p4": "one", "p6": "two", "new": "one"])
    let settled = state
    try await sync(&copy, &state)
    #expect(state == settled)
    // Removed and put in again.
    try await put([("p1", "back")])
    let back = try await lookup().changes(since: state)
    #expect(back.upserts.map(\.id.value) == ["p1"] && back.tombstones.isEmpty)
  }

  @Test func `who begins anew is told nothing of what is gone`() async throws {
    try await put([("a", "A"), ("b", "B")])
    let removed = try await Indexer(directory: directory).remove([
      EntityID(type: .product, value: "a"), EntityID(type: .product, value: "none"),
    ])
    #expect(removed.map(\.value) == ["a"])
    let changes = try await lookup().changes(since: nil)
    #expect(changes.upserts.map(\.id.value) == ["b"] && changes.tombstones.isEmpty)
    #expect(try await lookup().entities(matching: "A").isEmpty)
    #expect(try lookup().catalogue.entityCount == 1)
  }

  @Test func `an unchanged run tells nothing new`() async throws {
    try await put([("a", "A")])
    let state = try await lookup().changes(since: nil).state
    try await put([("a", "A")])
    let changes = try await lookup().changes(since: state)
    #expect(changes.upserts.isEmpty && changes.tombstones.isEmpty && !changes.hasMore)
  }

  /// Would break if the first state of an index that was written before generations were logged were refused at once.
  @Test func `an index without a log gives states that it takes`() async throws {
    try await put([("a", "A"), ("b", "B"), ("c", "C")])
    let connection = try CatalogueConnection(path: directory + "/catalogue.sqlite", mode: .write)
    try connection.execute("DELETE FROM settings WHERE name = '\(GenerationLog.name)'")
    let first = try await lookup().changes(since: nil, limit: 2)
    let second = try await lookup().changes(since: first.state, limit: 2)
    #expect(first.upserts.count == 2 && second.upserts.map(\.id.value) == ["c"])
    try await put([("d", "D")])
    #expect(try await lookup().changes(since: second.state).upserts.map(\.id.value) == ["d"])
  }

  /// Would break if an app whose state is of lost generations were told that nothing has changed.
  @Test func `a state from before a backup was restored is refused`() async throws {
    try await put([("a", "A")])
    let kept = try await lookup().changes(since: nil).state
    let copy = directory + ".copy"
    try FileManager.default.copyItem(atPath: directory, toPath: copy)
    let tag = try lookup().catalogue.generationTag
    try await put([("a", "lost"), ("b", "lost")])
    let lost = try await lookup().changes(since: kept).state
    let lostTag = try lookup().catalogue.generationTag
    try FileManager.default.removeItem(atPath: directory)
    try FileManager.default.moveItem(atPath: copy, toPath: directory)
    func isRefused(_ state: String) async throws -> Bool {
      do {
        _ = try await lookup().changes(since: state)
        return false
      } catch let error as MatchError {
        return error.code == .invalidToken
      }
    }
    #expect(try lookup().catalogue.generationTag == tag)
    #expect(try await isRefused(lost))
    try await put([("c", "C"), ("d", "D")])
    #expect(try lookup().catalogue.generation == 2)
    #expect(try await isRefused(lost))
    #expect(try lookup().catalogue.generationTag != lostTag)
    let changes = try await lookup().changes(since: kept)
    #expect(changes.upserts.map(\.id.value) == ["c", "d"] && changes.tombstones.isEmpty)
  }

  @Test func `a state of another catalogue, or none at all, is told apart`() async throws {
    try await put([("a", "A")])
    let other = try EntityChangesTests()
    try await other.put([("a", "A")])
    let foreign = try await other.lookup().changes(since: nil).state
    let own = try await lookup().changes(since: nil).state
    let lookup = try lookup()
    for text in [
      foreign.description, "", "x", own + "A", String(own.dropLast()),
      String(repeating: "A", count: 251),
    ] {
      await #expect { _ = try await lookup.changes(since: text) } throws: {
        ($0 as? MatchError)?.code == .invalidToken
      }
    }
  }
}
