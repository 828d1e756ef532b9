import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Signing apart from the index, as batch engines do.
@Suite struct FeedSignerTests {
  private static func lines(_ shop: DrawnShop, _ rows: [String]) async throws -> [String] {
    let path = try shop.folder.write(rows.joined(separator: "\n"), to: "part.jsonl")
    let lines = Mutex<[String]>([])
    _ = try await FeedSigner().run(path: path, places: PicturePlaces(root: shop.folder.path)) {
      line in lines.withLock { $0.append(line) }
    }
    return lines.withLock { $0 }
  }

  private static func shop() throws -> (shop: DrawnShop, rows: [String]) {
    let shop = try DrawnShop()
    for id in 0..<6 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    return (shop, (0..<6).map { DrawnShop.row("p\($0)") })
  }

  /// Would break if a signature depended on where it was computed: a catalogue that was signed in
  /// parts, which came back in another order, must be the one that is signed at once.
  @Test func `parts that were signed apart give the index of the whole`() async throws {
    let (shop, rows) = try Self.shop()
    try await shop.run(rows)
    let whole = try await shop.exported()
    let parts = [Array(rows[3...]), Array(rows[..<3])]
    var paths: [String] = []
    for (number, part) in parts.enumerated() {
      let signed = try await Self.lines(shop, part)
      #expect(signed == (try await Self.lines(shop, part)))
      paths.append(
        try shop.folder.write(signed.joined(separator: "\n") + "\n", to: "\(number).signed"))
    }
    let directory = shop.folder.path + "/signed.vq"
    let upkeep = CatalogueUpkeep(directory: directory)
    let first = try await upkeep.indexing(signed: paths)
    #expect(first.added == 6 && first.signedImages == 6)
    #expect(try await upkeep.verify() == [])
    func timeless(_ lines: [String]) -> [String] {
      // The feed has another name, since it is another file.
      lines.map {
        $0.replacing(/"modified":[0-9]+/, with: "")
          .replacing(/"feed":"[^"]*",/, with: "")
          .replacing(/"feed\.1":"(\\.|[^"\\])*"/, with: "")
      }
    }
    let exported = Mutex<[String]>([])
    try await upkeep.export { line in exported.withLock { $0.append(line) } }
    #expect(timeless(exported.withLock { $0 }) == timeless(whole))
    // Unchanged entities are not written again.
    let second = try await upkeep.indexing(signed: paths)
    #expect(second.changed == 0 && second.generation == first.generation)
    let pruned = try await upkeep.indexing(signed: [paths[0]], prunesMissing: true)
    #expect(pruned.removed == 3)
    #expect(try await upkeep.verify() == [])
  }

  /// Would break if a rejected row were lost on its way through a batch engine.
  @Test func `a rejected row and image are lines, which the index reports`() async throws {
    let (shop, rows) = try Self.shop()
    let lines = try await Self.lines(
      shop, [rows[0], "{nonsense", DrawnShop.row("gone"), rows[0], rows[1]])
    #expect(lines.count { $0.contains(SignedLine.schema) } == 3)
    #expect(lines.count { $0.contains(SignedLine.refusedSchema) } == 3)
    let path = try shop.folder.write((lines + lines).joined(separator: "\n"), to: "twice.signed")
    let refused = Mutex<[RefusedRow]>([])
    let directory = shop.folder.path + "/signed.vq"
    let progress = try await CatalogueUpkeep(directory: directory).indexing(signed: [path]) {
      row in refused.withLock { $0.append(row) }
    }
    // A part that came twice counts once.
    #expect(progress.entities == 3 && progress.refused == 9)
    #expect(refused.withLock { $0 }.contains { $0.reason == "was already used" })
    #expect(try await CatalogueUpkeep(directory: directory).verify() == [])
  }

  @Test(arguments: [
    ("not json", CatalogueError.Code.unreadableInput), ("[]", .unreadableInput),
    (#"{"schema":"vq.other/1"}"#, .unreadableInput),
    (#"{"schema":"vq.signed/1","signatureVersion":0}"#, .otherSignatureVersion),
    (#"{"schema":"vq.signed/1","entity":{},"images":[]}"#, .otherSignatureVersion),
    (#"{"schema":"vq.refused/1","kind":"none"}"#, .unreadableInput),
  ])
  func `a line of something else is refused`(line: String, code: CatalogueError.Code) async throws {
    let (shop, _) = try Self.shop()
    let path = try shop.folder.write(line, to: "x.signed")
    let error = try await #require(throws: CatalogueError.self) {
      _ = try await CatalogueUpkeep(directory: shop.folder.path + "/x.vq").indexing(signed: [path])
    }
    #expect(error.code == code && error.message.contains("x.signed"))
  }

  /// Would break if an entity were removed because its row was only unreadable: which entity it means cannot be known.
  @Test func `nothing is removed if a rejected row has no readable id`() async throws {
    let (shop, rows) = try Self.shop()
    let directory = shop.folder.path + "/signed.vq"
    let upkeep = CatalogueUpkeep(directory: directory)
    func index(_ rows: [String]) async throws -> Indexer.Progress {
      let text = try await Self.lines(shop, rows).joined(separator: "\n")
      let path = try shop.folder.write(text, to: "feed.signed")
      return try await upkeep.indexing(
        signed: [path], prunesMissing: true, removalLimit: 100)
    }
    #expect(try await index(rows).added == 6)
    let nameless = try await index([rows[0], "{nonsense"])
    #expect(nameless.removed == 0)
    #expect(nameless.unprunedReason == "a rejected row has no readable id")
    let named = try await index([rows[0], #"{"type":"product","id":"p1"}"#])
    #expect(named.removed == 4 && named.unprunedReason == nil)
  }

  /// Would break if a bad line took those before it with it, of which the message says that they were indexed.
  @Test func `the lines before a bad one are indexed`() async throws {
    let (shop, rows) = try Self.shop()
    let lines = try await Self.lines(shop, rows)
    let whole = try shop.folder.write(lines[0], to: "whole.signed")
    let bad = try shop.folder.write(
      [lines[1], "not json", lines[2]].joined(separator: "\n"), to: "bad.signed")
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let error = try await #require(throws: CatalogueError.self) {
      _ = try await upkeep.indexing(signed: [whole, bad], prunesMissing: true)
    }
    #expect(error.code == .unreadableInput && error.message.contains("line 2 of"))
    #expect(try await shop.ids() == ["p0", "p1"])
    #expect(try await upkeep.verify() == [])
    // The second run continues, and its own bad line removes nothing either.
    await #expect(throws: CatalogueError.self) {
      _ = try await upkeep.indexing(signed: [bad], prunesMissing: true)
    }
    #expect(try await shop.ids() == ["p0", "p1"])
  }

  /// Would break if Ctrl-C took back what was read so far.
  @Test func `the lines before a cancellation are indexed`() async throws {
    let (shop, rows) = try Self.shop()
    let lines = try await Self.lines(shop, [rows[0], rows[1], "{nonsense", rows[2]])
    let path = try shop.folder.write(lines.joined(separator: "\n"), to: "feed.signed")
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let task = Task {
      try await upkeep.indexing(signed: [path], prunesMissing: true) { _ in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await shop.ids() == ["p0", "p1"])
    #expect(try await upkeep.verify() == [])
  }

  /// Would break if a feed that has no entity to give left an empty index behind.
  @Test(arguments: ["", "not json"]) func `a first run without entities leaves nothing`(
    text: String
  ) async throws {
    let shop = try DrawnShop()
    let path = try shop.folder.write(text, to: "feed.signed")
    let progress = try? await CatalogueUpkeep(directory: shop.index).indexing(signed: [path])
    #expect(progress.map { $0.entities == 0 && $0.generation == 0 } != false)
    #expect(!FileManager.default.fileExists(atPath: shop.index))
  }
}
