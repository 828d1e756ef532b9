@testable import ShopBase
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopStore
import VisualQuery

/// A copy of everything, made while others work.
@Suite struct CatalogueBackupTests {
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for id in 0..<4 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run((0..<3).map { DrawnShop.row("p\($0)") })
    try await shop.run((1..<4).map { DrawnShop.row("p\($0)", #""title":"Second""#) })
    return shop
  }

  private static func exported(_ directory: String) async throws -> [String] {
    let lines = Lines()
    try await CatalogueUpkeep(directory: directory).export { lines.append($0) }
    return lines.all
  }

  /// Would break if a backup answered otherwise, or if an app that kept a state of the original had to begin again.
  @Test func `a backup is the catalogue, with its tokens`() async throws {
    let shop = try await Self.shop()
    let target = shop.folder.path + "/backup.vq"
    let state = try await EntityLookup(catalogue: try Catalogue(directory: shop.index))
      .changes(since: nil, limit: 1000).state
    let made = try await CatalogueUpkeep(directory: shop.index).backUp(to: target)
    #expect(made.generation == 2 && made.entityCount == 4 && made.byteCount > 0)
    let copy = CatalogueUpkeep(directory: target)
    #expect(try await copy.verify() == [])
    #expect(try await shop.exported() == Self.exported(target))
    let changes = try await EntityLookup(catalogue: try Catalogue(directory: target))
      .changes(since: state, limit: 1000)
    #expect(changes.upserts.isEmpty && changes.tombstones.isEmpty)
    #expect(Folder.names(in: shop.folder.path).allSatisfy { !$0.hasSuffix(".partial") })
  }

  /// Would break if a backup could replace another one, or if one that was killed kept the next from its place.
  @Test func `a place that is taken is refused, and what a kill left is not`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let target = shop.folder.path + "/backup.vq"
    try Folder.make(target + ".partial")
    for name in ["catalogue.sqlite", "product-9.segment", "fetched.sqlite"] {
      _ = FileManager.default.createFile(
        atPath: target + ".partial/" + name, contents: Data("half".utf8))
    }
    _ = try await upkeep.backUp(to: target)
    #expect(!Folder.names(in: target).contains("product-9.segment"))
    let error = await #expect(throws: CatalogueError.self) {
      _ = try await upkeep.backUp(to: target)
    }
    #expect(error?.code == .invalidLocation)
    let busy = shop.folder.path + "/busy.vq"
    try CatalogueFolder.make(busy + ".partial")
    let lock = try WriterLock(directory: busy + ".partial")
    let second = await #expect(throws: CatalogueError.self) {
      _ = try await upkeep.backUp(to: busy)
    }
    #expect(second?.code == .locked)
    _ = consume lock
  }

  /// Would break if a backup were made of bytes that are damaged, so that nobody noticed until it is needed.
  @Test func `damage is found, and leaves no backup`() async throws {
    let shop = try await Self.shop()
    let name = try #require(Folder.names(in: shop.index).first { $0.hasSuffix(".segment") })
    let path = shop.index + "/" + name
    var bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    bytes[bytes.count / 2] ^= 1
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    let target = shop.folder.path + "/backup.vq"
    let error = await #expect(throws: CatalogueError.self) {
      _ = try await CatalogueUpkeep(directory: shop.index).backUp(to: target)
    }
    #expect(error?.code == .corrupt)
    #expect(Folder.names(in: shop.folder.path).allSatisfy { !$0.hasPrefix("backup") })
  }

  /// Would break if a run that merges or removes files took them from under a backup.
  @Test func `backups beside runs are each one generation`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let (index, feed) = (shop.index, shop.folder.path + "/runs.jsonl")
    let runs = Task {
      for number in 0..<6 {
        let rows = (0..<4).map { DrawnShop.row("p\($0)", #""title":"Run \#(number)""#) }
        try Data(rows.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: feed))
        _ = try await Indexer(directory: index).run(path: feed)
        _ = try await CatalogueUpkeep(directory: index).compact()
      }
    }
    for number in 0..<6 {
      let target = shop.folder.path + "/backup-\(number).vq"
      _ = try await upkeep.backUp(to: target)
      let titles = Set(
        try await Self.exported(target).compactMap { line in
          line.firstMatch(of: /"title":"([^"]*)"/).map { String($0.1) }
        })
      // All of the first two runs, or all of one later run.
      #expect(titles.count == 1 || titles == ["T", "Second"], "\(titles)")
    }
    try await runs.value
  }
}
