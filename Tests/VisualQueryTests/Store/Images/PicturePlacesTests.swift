import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// An index whose pictures are kept apart from it, and move.
@Suite struct PicturePlacesTests {
  private let shop: DrawnShop
  private var rows: [String] { ["a", "b"].map { DrawnShop.row($0) } }
  private let a = EntityID(type: .product, value: "a")

  init() throws {
    shop = try DrawnShop()
    for (seed, id) in ["a", "b"].enumerated() { try shop.draw("\(id).jpg", seed: UInt64(seed)) }
  }

  private func places() throws -> PicturePlaces {
    try Catalogue(directory: shop.index).picturePlaces
  }

  private func thumbnail() async throws -> [UInt8]? {
    try await EntityThumbnails(catalogue: try Catalogue(directory: shop.index))
      .jpeg(of: a, size: .small)
  }

  @discardableResult private func set(_ settings: ShopSettings) async throws -> Int {
    try await Indexer(directory: shop.index, settings: settings).putSettings()
  }

  /// Moves the pictures to another folder, as a deployment does.
  private func moved() throws -> TemporaryDirectory {
    let other = try TemporaryDirectory()
    for name in ["a.jpg", "b.jpg"] {
      try FileManager.default.moveItem(
        atPath: shop.folder.path + "/" + name, toPath: other.path + "/" + name)
    }
    return other
  }

  @Test func `paths out of the root do not go in`() async throws {
    let other = try TemporaryDirectory()
    _ = try other.copy(shop.folder.path + "/a.jpg", to: "c.jpg")
    let name = try #require(other.path.split(separator: "/").last)
    let outside = [other.path + "/c.jpg", "../\(name)/c.jpg"]
    let rows = outside.enumerated().map { number, path in
      #"{"type":"product","id":"\#(number)","title":"T","images":["\#(path)"]}"#
    }
    let (none, refused) = try await shop.run(rows)
    #expect(none.signedImages == 0)
    #expect(refused.map { $0.reason.contains("--allow-outside DIR") } == [true, true])
    try await set(ShopSettings(outsideFolders: [other.path]))
    let (taken, _) = try await shop.run(rows)
    #expect(taken.signedImages == 1 && taken.sharedImages == 1)
    #expect(try await shop.run(rows).0.unchangedImages == 2)
    // An image that is no longer allowed is not kept for being unchanged.
    try await set(ShopSettings(outsideFolders: []))
    let accepting = IndexOptions(acceptedLosses: Set(CoverageField.allCases))
    let (revoked, again) = try await shop.run(rows, accepting)
    #expect(revoked.unchangedImages == 0 && again.count == 2)
  }

  /// Would break if an index kept full paths, so that it could not be moved.
  @Test func `full paths beneath the root are stored relative to it`() async throws {
    let rows = ["a", "b"].map {
      #"{"type":"product","id":"\#($0)","title":"T","images":["\#(shop.folder.path)/\#($0).jpg"]}"#
    }
    let (progress, refused) = try await shop.run(rows)
    #expect(progress.signedImages == 2 && refused.isEmpty)
    #expect(try await shop.run(rows).0.unchangedImages == 2)
    let other = try moved()
    try await set(ShopSettings(imagesRoot: other.path))
    #expect(try await thumbnail() != nil)
  }

  @Test func `an index is served and goes on where its pictures are now`() async throws {
    try await shop.run(rows)
    #expect(try places().root == shop.folder.path)
    let exported = try await shop.exported()
    let other = try moved()
    await #expect(throws: DecodeError.self) { try await thumbnail() }
    let before = try Catalogue(directory: shop.index).generation
    #expect(try await set(ShopSettings(imagesRoot: other.path)) == before + 1)
    #expect(try await thumbnail() != nil)
    // Without --images-root the feed's own folder would be the root, where no picture is.
    let (progress, refused) = try await shop.run(rows)
    #expect(refused.isEmpty && progress.signedImages == 0 && progress.unchangedImages == 2)
    #expect(progress.changed == 0 && progress.generation == before + 1)
    #expect(try await shop.exported() == exported)
  }

  @Test func `the root belongs to the machine: neither an export nor a rollback has it`()
    async throws
  {
    try await shop.run(rows)
    try await shop.run([DrawnShop.row("a", #""title":"New""#)])
    let lines = try await shop.exported()
    // The name of a feed is its path, by which the next run knows it again.
    let exported = lines.joined().replacing(#"\"name\":\""# + shop.folder.path, with: "")
      .replacing(#""feed":""# + shop.folder.path, with: "")
    #expect(!exported.contains(shop.folder.path), "\(exported)")
    let other = try moved()
    try await set(ShopSettings(imagesRoot: other.path, outsideFolders: ["/srv"]))
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try places() == PicturePlaces(root: other.path, outside: ["/srv"]))
    let file = try shop.folder.write(lines.joined(separator: "\n"), to: "export.jsonl")
    _ = try await CatalogueUpkeep(directory: shop.index).importing(path: file)
    #expect(try places() == PicturePlaces(root: other.path, outside: ["/srv"]))
    #expect(try await thumbnail() != nil)
    let copy = shop.folder.path + "/copy.vq"
    _ = try await CatalogueUpkeep(directory: copy).importing(path: file)
    #expect(try Catalogue(directory: copy).picturePlaces == PicturePlaces())
  }

  /// An export of an earlier version has full paths.
  @Test func `full paths of an old export become relative without decoding`() async throws {
    try await shop.run(rows)
    let lines = try await shop.exported()
    let old = lines.map {
      $0.replacing(#""path":""#, with: #""path":"\#(shop.folder.path)/"#)
    }
    let file = try shop.folder.write(old.joined(separator: "\n"), to: "export.jsonl")
    try FileManager.default.removeItem(atPath: shop.index)
    _ = try await CatalogueUpkeep(directory: shop.index).importing(path: file)
    let (progress, refused) = try await Indexer(directory: shop.index).runCounting(
      shop.folder.write(rows.joined(separator: "\n"), to: "catalogue.jsonl"),
      imagesRoot: shop.folder.path)
    #expect(refused == 0 && progress.signedImages == 0 && progress.unchangedImages == 2)
    #expect(try await shop.exported() == lines)
  }

  /// A run that took every picture for gone would remove them all.
  @Test func `a root that is gone ends the run, unless missing pictures stay`() async throws {
    try await shop.run(rows)
    try await set(ShopSettings(imagesRoot: "/none/such"))
    let before = try await shop.exported()
    let error = await #expect(throws: CatalogueError.self) { try await shop.run(rows) }
    #expect(error?.code == .unreadableInput && error?.message.contains("--images-root") == true)
    let price = #"{"type":"product","id":"a","price":{"amount":"2","currency":"EUR"}}"#
    let (merged, refused) = try await shop.run([price], IndexOptions(onConflict: .merge))
    #expect(refused.isEmpty && merged.changed == 1 && merged.unchangedImages == 1)
    #expect(before.count == (try await shop.exported()).count)
    #expect(try places().root == "/none/such")
  }

  @Test func `missing pictures are counted and named, and are no damage`() async throws {
    try await shop.run(rows)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    #expect(try await upkeep.missingPictures().sentence == nil)
    try FileManager.default.removeItem(atPath: shop.folder.path + "/b.jpg")
    let missing = try await upkeep.missingPictures()
    #expect(missing.count == 1 && missing.total == 2)
    #expect(missing.examples.map(\.id) == ["product:b"] && missing.examples[0].path == "b.jpg")
    #expect(try await upkeep.verify() == [])
    func kinds() async throws -> [CatalogueDoctor.Finding] {
      try await CatalogueDoctor(catalogue: try Catalogue(directory: shop.index)).findings()
        .filter { $0.kind == .missingPicture }
    }
    let findings = try await kinds()
    #expect(findings.map(\.id) == ["product:b"] && findings[0].detail.contains("1 of 2 images"))
    // A kept thumbnail is all that a server needs.
    try shop.draw("b.jpg", seed: 1)
    _ = try await shop.run(rows, settings: ShopSettings(thumbnailSides: [160]))
    try FileManager.default.removeItem(atPath: shop.folder.path + "/b.jpg")
    #expect(try await kinds() == [])
  }
}

extension Indexer {
  /// Runs and counts what is refused.
  fileprivate func runCounting(
    _ path: String, imagesRoot: String
  ) async throws -> (Progress, Int) {
    let progress = try await run(path: path, imagesRoot: imagesRoot)
    return (progress, progress.refused)
  }
}
