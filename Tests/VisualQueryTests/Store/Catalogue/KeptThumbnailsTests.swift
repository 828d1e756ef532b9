import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// Thumbnails that an index keeps for servers that do not have the pictures.
@Suite struct KeptThumbnailsTests {
  private let shop: DrawnShop
  private let sizes = ShopSettings(thumbnailSides: [16, 160])
  private var rows: [String] { ["a", "b"].map { DrawnShop.row($0) } }

  init() throws {
    shop = try DrawnShop()
    for (seed, id) in ["a", "b"].enumerated() {
      try shop.draw("\(id).jpg", seed: UInt64(seed), side: 300)
    }
  }

  private func jpeg(_ id: String, _ size: EntityThumbnails.Size = .small) async throws -> [UInt8]? {
    try await EntityThumbnails(catalogue: try Catalogue(directory: shop.index))
      .jpeg(of: EntityID(type: .product, value: id), size: size)
  }

  private func removePictures() throws {
    for id in ["a", "b"] {
      try FileManager.default.removeItem(atPath: shop.folder.path + "/\(id).jpg")
    }
  }

  /// The thumbnails in the file, whoever uses them.
  private func keptCount() throws -> Int {
    let connection = try CatalogueConnection(
      reading: shop.index + "/" + KeptThumbnails.fileName)
    return try #require(
      try connection.first("SELECT count(*) FROM thumbnails") { $0.onlyInteger })
  }

  @Test func `thumbnails that are kept are served without the pictures`() async throws {
    let (first, _) = try await shop.run(rows)
    #expect(first.thumbnails == 0)
    let made = try await jpeg("a")
    let (progress, _) = try await shop.run(rows, settings: sizes)
    #expect(progress.thumbnails == 4 && progress.signedImages == 0 && progress.changed == 0)
    try removePictures()
    #expect(try await jpeg("a") == made)
    // A size that is not kept is made of the largest one.
    let large = try #require(try await jpeg("b", .large))
    #expect((120...160).contains(try ImageDecoder().decode(large).width))
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  @Test func `without kept thumbnails and without pictures there is an error`() async throws {
    try await shop.run(rows)
    try removePictures()
    await #expect(throws: DecodeError.self) { try await jpeg("a") }
  }

  /// Would decode the whole shop every night.
  @Test func `a run with the same sizes makes none, and later runs make those of what is new`()
    async throws
  {
    let (first, _) = try await shop.run(rows, settings: sizes)
    #expect(first.thumbnails == 4 && first.generation == 1)
    for settings in [sizes, ShopSettings()] {
      let (again, _) = try await shop.run(rows, settings: settings)
      #expect(again.thumbnails == 0 && again.generation == 1 && again.unchangedImages == 2)
    }
    try shop.draw("c.jpg", seed: 7)
    let (more, _) = try await shop.run(rows + [DrawnShop.row("c")])
    #expect(more.thumbnails == 2 && more.signedImages == 1)
    // Another title leaves the picture's thumbnails as they are.
    let (titled, _) = try await shop.run([DrawnShop.row("a", #""title":"New""#)])
    #expect(titled.thumbnails == 0 && titled.changed == 1)
    let (wider, _) = try await shop.run(
      rows, settings: ShopSettings(thumbnailSides: [16, 160, 480]))
    #expect(wider.thumbnails == 2)
  }

  @Test func `a file of thumbnails that is lost is made again`() async throws {
    try await shop.run(rows, settings: sizes)
    try FileManager.default.removeItem(atPath: shop.index + "/" + KeptThumbnails.fileName)
    #expect(try await shop.run(rows).0.thumbnails == 4)
    #expect(try await jpeg("a") != nil)
  }

  @Test func `a picture that changed has its own thumbnail, and the old one comes back with it`()
    async throws
  {
    try await shop.run(rows, settings: sizes)
    let old = try #require(try await jpeg("a"))
    try shop.draw("a.jpg", seed: 9, side: 300)
    try await shop.run(rows)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    _ = try await upkeep.compact()
    try removePictures()
    let new = try #require(try await jpeg("a"))
    #expect(new != old)
    #expect(try keptCount() == 6)
    _ = try await upkeep.rollBack()
    #expect(try await jpeg("a") == old)
    _ = try await upkeep.rollBack()
    #expect(try await jpeg("a") == new)
  }

  @Test func `thumbnails that nothing names go with compaction, and all of them with none`()
    async throws
  {
    try await shop.run(rows, settings: sizes)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    _ = try await Indexer(directory: shop.index).remove([EntityID(type: .product, value: "b")])
    #expect(try await jpeg("b") == nil)
    try await shop.run([DrawnShop.row("a", #""title":"New""#)])
    try await shop.run([DrawnShop.row("a", #""title":"Newer""#)])
    _ = try await upkeep.compact()
    #expect(try keptCount() == 2)
    try await shop.run([DrawnShop.row("a")], settings: ShopSettings(thumbnailSides: []))
    _ = try await upkeep.compact()
    #expect(try keptCount() == 0)
  }

  @Test func `a dry run makes none`() async throws {
    let (progress, _) = try await shop.run(rows, IndexOptions(isDryRun: true), settings: sizes)
    #expect(progress.thumbnails == 0)
    try await shop.run(rows)
    _ = try await shop.run(rows, IndexOptions(isDryRun: true), settings: sizes)
    #expect(
      !FileManager.default.fileExists(atPath: shop.index + "/" + KeptThumbnails.fileName))
  }

  @Test func `a damaged file of thumbnails is told`() async throws {
    try await shop.run(rows, settings: sizes)
    _ = try Data(repeating: 0xA5, count: 40_000).write(
      to: URL(fileURLWithPath: shop.index + "/" + KeptThumbnails.fileName))
    let error = await #expect(throws: CatalogueError.self) { try await shop.run(rows) }
    #expect(error?.code == .corrupt && error?.message.contains("remove it") == true)
  }
}
