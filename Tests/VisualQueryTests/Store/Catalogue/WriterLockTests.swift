@testable import ShopModel
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// The lock that keeps other runs from writing.
@Suite struct WriterLockTests {
  /// Would break if a run that has waited for one that removed its catalogue held the lock of the removed
  /// file: a third run would make another file, and write at the same time.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), .timeLimit(.minutes(30)),
    arguments: [false, true])
  func `a run that has waited locks the file that others find`(removesDirectory: Bool) async throws
  {
    let folder = try TemporaryDirectory()
    let directory = folder.path + "/shop.vq"
    try CatalogueFolder.make(directory)
    let first = try WriterLock(directory: directory)
    let pool = WorkerPool(width: 1)
    async let third = withTaskExecutorPreference(pool) { @concurrent in
      let second = try WriterLock(directory: directory, waiting: .seconds(1200))
      let error = #expect(throws: CatalogueError.self) { _ = try WriterLock(directory: directory) }
      _ = consume second
      return error
    }
    while openCount(of: "/shop.vq/" + WriterLock.fileName, in: folder) < 2 {
      try await Task.sleep(for: .milliseconds(1))
    }
    let removed = removesDirectory ? directory : directory + "/" + WriterLock.fileName
    try FileManager.default.removeItem(atPath: removed)
    _ = consume first
    #expect(try await third?.code == .locked)
  }

  /// Would break if a run wrote into the index that took the place of its own, over the files of that one.
  @Test func `a run whose directory is replaced leaves the other one alone`() async throws {
    let shop = try DrawnShop()
    let rows = try (1...3).map { number in
      try shop.draw("\(number).jpg", seed: UInt64(number))
      return DrawnShop.row("\(number)")
    }
    try await shop.run(Array(rows.prefix(1)))
    let (index, other) = (shop.index, shop.folder.path + "/other.vq")
    try FileManager.default.copyItem(atPath: index, toPath: other)
    let files = try Self.contents(of: other)
    let path = try shop.folder.write(rows.joined(separator: "\n"), to: "catalogue.jsonl")
    let isFirst = Mutex(true)
    let error = await #expect(throws: CatalogueError.self) {
      try await Indexer(directory: index).run(
        path: path,
        progress: { _ in
          guard
            isFirst.withLock({ first in
              defer { first = false }; return first
            })
          else { return }
          try? FileManager.default.moveItem(atPath: index, toPath: index + ".old")
          try? FileManager.default.moveItem(atPath: other, toPath: index)
        })
    }
    #expect(error?.code == .locked && error?.message.contains("was replaced") == true)
    #expect(try Self.contents(of: index) == files)
    #expect(try await CatalogueUpkeep(directory: index + ".old").verify() == [])
  }

  /// The bytes of the files of a directory, without those that readers write.
  private static func contents(of directory: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: directory + "/" + $0)))
      })
  }

  /// Would break if files were asked for by a name in bytes and made by its text: the run then looked for its lock for ever.
  @Test(.timeLimit(.minutes(30)))
  func `a directory whose name is not UTF-8 is one and the same`() async throws {
    let shop = try DrawnShop()
    try shop.draw("a.jpg", seed: 1)
    let feed = try shop.folder.write(DrawnShop.row("a"), to: "feed.jsonl")
    let index = FileName.text(Array(shop.folder.path.utf8) + Array("/shop".utf8) + [0xFF])
    _ = try await Indexer(directory: index).run(path: feed)
    #expect(try Catalogue(directory: index).imageCount == 1)
    #expect(Folder.names(in: shop.folder.path).contains(FileName.text(Array("shop".utf8) + [0xFF])))
  }

  /// Returns the number of this process's descriptors of a file.
  private func openCount(of name: String, in folder: TemporaryDirectory) -> Int {
    let end = URL(fileURLWithPath: folder.path).lastPathComponent + name
    let files = FileManager.default
    let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.count { descriptor in
      let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
      return path?.hasSuffix(end) == true
    }
  }
}
