import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// The treatment of entities that are already indexed.
@Suite struct IndexOptionsTests {
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for (seed, id) in ["a", "b", "c"].enumerated() {
      try shop.draw("\(id).jpg", seed: UInt64(seed))
    }
    let fields = #""title":"T","brand":"B","labels":["x"]"#
    let (progress, _) = try await shop.run(["a", "b", "c"].map { DrawnShop.row($0, fields) })
    #expect(progress.added == 3 && progress.signedImages == 3)
    return shop
  }

  @Test func `a row takes an entity's place, is laid over it, or leaves it`() async throws {
    let shop = try await Self.shop()
    let row = #"{"type":"product","id":"a","title":"New"}"#
    #expect(try await shop.run([row], IndexOptions(onConflict: .keep)).0.changed == 0)
    #expect(try await shop.product("a")?.title == "T")
    // Nor does it take another image.
    try shop.draw("a.jpg", seed: 9)
    let (kept, _) = try await shop.run([DrawnShop.row("a")], IndexOptions(onConflict: .keep))
    #expect(kept.changed == 0 && kept.signedImages == 0)
    try shop.draw("a.jpg", seed: 0)
    let (merged, _) = try await shop.run([row], IndexOptions(onConflict: .merge))
    #expect(merged.changed == 1 && merged.signedImages == 0)
    let product = try #require(try await shop.product("a"))
    #expect(product.title == "New" && product.brand == "B" && product.images == ["a.jpg"])
    try await shop.run([row])
    let replaced = try #require(try await shop.product("a"))
    #expect(replaced.brand == nil && replaced.images.isEmpty)
  }

  @Test func `a row that is laid over an entity needs no more than what changes`() async throws {
    let shop = try await Self.shop()
    let price = #"{"type":"product","id":"b","price":{"amount":"2","currency":"EUR"}}"#
    #expect(try await shop.run([price]).1.map(\.field) == ["title"])
    let (_, refused) = try await shop.run([price], IndexOptions(onConflict: .merge))
    #expect(refused.isEmpty)
    let product = try #require(try await shop.product("b"))
    #expect(product.title == "T" && product.price?.amount == "2")
  }

  @Test func `what no row names is removed, and what a refused row names is not`() async throws {
    let shop = try await Self.shop()
    let bad = #"{"type":"product","id":"b"}"#
    let prune = IndexOptions(prunesMissing: true)
    let (progress, _) = try await shop.run([DrawnShop.row("a"), bad], prune)
    #expect(progress.removed == 1)
    #expect(try await shop.ids() == ["a", "b"])
    let (nameless, _) = try await shop.run([DrawnShop.row("a"), "nonsense"].map(\.self), prune)
    #expect(nameless.removed == 0 && nameless.unprunedReason != nil)
    let (empty, _) = try await shop.run([bad], prune)
    #expect(empty.removed == 0 && empty.unprunedReason != nil)
    #expect(try await shop.ids() == ["a", "b"])
  }

  /// An index of generation 1 without entities once looked like a success to whatever came after.
  @Test(arguments: ["", "nonsense\n", #"{"type":"product","id":"b"}"# + "\n"])
  func `a first run without entities leaves nothing`(text: String) async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/shop.vq")
    let path = try folder.write(text, to: "feed.jsonl")
    let progress = try? await indexer.run(path: path)
    #expect(progress.map { $0.entities == 0 && $0.generation == 0 } != false)
    #expect(!FileManager.default.fileExists(atPath: indexer.directory))
    // Other files of the directory stay.
    try FileManager.default.createDirectory(
      atPath: indexer.directory, withIntermediateDirectories: true)
    _ = try folder.write("a note", to: "shop.vq/note.txt")
    _ = try? await indexer.run(path: path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: indexer.directory) == ["note.txt"])
  }

  @Test func `a run without entities leaves an index as it was`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let other = try TemporaryDirectory()
    let path = try other.write("", to: "feed.jsonl")
    let progress = try await Indexer(directory: shop.index).run(
      path: path, imagesRoot: other.path, options: IndexOptions(prunesMissing: true))
    #expect(progress.entities == 0 && progress.generation == 1)
    #expect(try await shop.exported() == before)
    #expect(try Catalogue(directory: shop.index).generation == 1)
  }

  @Test func `a dry run says what would be and changes no byte`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let names = try FileManager.default.contentsOfDirectory(atPath: shop.index).sorted()
    try shop.draw("d.jpg", seed: 9)
    let rows = [DrawnShop.row("a", #""title":"New""#), DrawnShop.row("d")]
    let options = IndexOptions(prunesMissing: true, removalLimit: 100, isDryRun: true)
    let (progress, _) = try await shop.run(rows, options)
    #expect((progress.added, progress.changed, progress.removed) == (1, 1, 2))
    #expect(try await shop.exported() == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shop.index).sorted() == names)
    let none = Indexer(directory: shop.folder.path + "/none.vq")
    let path = try shop.folder.write(DrawnShop.row("a"), to: "one.jsonl")
    #expect(try await none.run(path: path, options: options).added == 1)
    #expect(!FileManager.default.fileExists(atPath: none.directory))
  }

  @Test func `a strict run ends with what is refused`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let error = await #expect(throws: CatalogueError.self) {
      try await shop.run(
        [DrawnShop.row("a", #""title":"New""#), #"{"type":"product","id":"b"}"#],
        IndexOptions(isStrict: true))
    }
    #expect(error?.code == .refusedRow)
    #expect(try await shop.exported() == before)
  }

  /// A copy, a move or a checkout gives files new times; decoding them all again would cost a
  /// night.
  @Test func `a file that was only written again is not decoded again`() async throws {
    let shop = try await Self.shop()
    for (seed, id) in ["a", "b", "c"].enumerated() {
      try shop.draw("\(id).jpg", seed: UInt64(seed))
    }
    try shop.draw("b.jpg", seed: 7)
    let fields = #""title":"T","brand":"B","labels":["x"]"#
    let rows = ["a", "b", "c"].map { DrawnShop.row($0, fields) }
    let (progress, _) = try await shop.run(rows)
    #expect(progress.signedImages == 1 && progress.unchangedImages == 2)
    #expect(try await shop.run(rows).0.changed == 0)
  }

  /// The same bytes below another header are another row.
  @Test func `a row is known by its columns too`() async throws {
    let shop = try DrawnShop()
    func table(_ header: String) -> [String] { [header, "product,a,One,Two"] }
    try await shop.run(table("type,id,title,subtitle"))
    try await shop.run(table("type,id,subtitle,title"))
    #expect(try await shop.product("a")?.title == "Two")
    let (third, _) = try await shop.run(table("type,id,subtitle,title"))
    #expect(third.changed == 0 && third.entities == 1)
  }

  /// A known row is not parsed; a second copy of it must be noticed all the same.
  @Test func `a row that stands there twice is refused every night`() async throws {
    let shop = try await Self.shop()
    let rows = [DrawnShop.row("a"), DrawnShop.row("b"), DrawnShop.row("a")]
    for _ in 0..<3 {
      let (progress, refused) = try await shop.run(rows)
      #expect(progress.entities == 2 && refused.map(\.id) == ["a"] && refused[0].line == 3)
    }
  }

  /// An unchanged row is not read again, but the images that it names may still have changed.
  /// The list of rejected rows, fed back, put the second row in the place of the first.
  @Test func `a repeated row that is fed back stays rejected until it has an id`() async throws {
    let shop = try await Self.shop()
    let rows = [DrawnShop.row("a", #""title":"First""#), DrawnShop.row("a", #""title":"Second""#)]
    let report = try #require(try await shop.run(rows).1.first)
    let line = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    try await shop.run([line])
    #expect(try await shop.product("a")?.title == "First")
    let mended = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    var row = try #require(mended["row"] as? [String: Any])
    row["id"] = "d"
    let again = try JSONSerialization.data(
      withJSONObject: mended.merging(["row": row]) { $1 })
    try await shop.run([String(decoding: again, as: UTF8.self)])
    #expect(try await shop.product("d")?.title == "Second")
  }

  @Test func `a row that is known is looked at again where more than the row counts`() async throws
  {
    let shop = try await Self.shop()
    let rows = [DrawnShop.row("a"), DrawnShop.row("x"), DrawnShop.row("b")]
    for _ in 0..<2 {
      // Refused every night, until it is there.
      #expect(try await shop.run(rows).1.map(\.id) == ["x"])
    }
    try shop.draw("x.jpg", seed: 8)
    let (found, refused) = try await shop.run(rows)
    #expect(refused.isEmpty && found.signedImages == 1 && found.changed == 1)
    try FileManager.default.removeItem(atPath: shop.folder.path + "/x.jpg")
    #expect(try await shop.run(rows).1.map(\.id) == ["x"])
    let (twice, again) = try await shop.run(rows + [DrawnShop.row("a")])
    #expect(twice.entities == 3 && again.map(\.line) == [2, 4])
    // The same rows with other pictures.
    let other = try TemporaryDirectory()
    for id in ["a", "b", "x"] {
      let picture = SyntheticPicture.scene(width: 96, height: 96, seed: UInt64(id.utf8.first!))
      _ = try other.write(picture.jpeg(), to: "\(id).jpg")
    }
    let path = try shop.folder.write(rows.joined(separator: "\n"), to: "catalogue.jsonl")
    let moved = try await Indexer(directory: shop.index).run(path: path, imagesRoot: other.path)
    #expect(moved.signedImages == 3)
    // A row of another feed laid over it, and then the first again.
    try await shop.run(
      [#"{"type":"product","id":"a","title":"Sale"}"#], IndexOptions(onConflict: .merge))
    try await shop.run(rows)
    #expect(try await shop.product("a")?.title == "T")
  }

  @Test func `a refused row can be mended and fed back`() async throws {
    let shop = try await Self.shop()
    let rows = [
      #"{"type":"product","id":"d","title":"","price":3}"#, DrawnShop.row("e"), "nonsense",
    ]
    let (_, refused) = try await shop.run(rows)
    #expect(refused.map(\.line) == [1, 2, 3])
    try shop.draw("e.jpg", seed: 5)
    let encoder = JSONEncoder()
    let lines = try refused.prefix(2).map {
      String(decoding: try encoder.encode($0), as: UTF8.self)
    }
    let mended = lines.map {
      $0.replacing(#""title":"""#, with: #""title":"D","brand":"D""#).replacing(
        #","price":3"#, with: ""
      ).replacing(#""price":3,"#, with: "")
    }
    let (progress, again) = try await shop.run(mended)
    #expect(again.isEmpty && progress.added == 1 && progress.signedImages == 1)
    #expect(try await shop.product("d")?.brand == "D")
  }

  /// Would break if one night with an unmounted folder removed all images from the index.
  @Test func `a run that can open none of the images changes nothing`() async throws {
    let shop = try await Self.shop()
    let rows = ["a", "b", "c"].map { DrawnShop.row($0, #""title":"New""#) }
    let empty = try TemporaryDirectory()
    let path = try shop.folder.write(rows.joined(separator: "\n"), to: "catalogue.jsonl")
    let before = try await shop.exported()
    for options in [IndexOptions(), IndexOptions(prunesMissing: true, removalLimit: 5)] {
      let error = await #expect(throws: CatalogueError.self) {
        try await Indexer(directory: shop.index).run(
          path: path, imagesRoot: empty.path, options: options)
      }
      #expect(error?.code == .unreadableInput && error?.message.contains(empty.path) == true)
    }
    #expect(try await shop.exported() == before)
    // The root is the one before, too.
    #expect(try await shop.run(rows).1.isEmpty)
    for id in ["b", "c"] {
      try FileManager.default.removeItem(atPath: shop.folder.path + "/\(id).jpg")
    }
    let accepting = IndexOptions(acceptedLosses: Set(CoverageField.allCases))
    let (progress, refused) = try await shop.run(rows, accepting)
    #expect(refused.map(\.id) == ["b", "c"] && progress.withoutImages == 2)
  }

  /// Would break if the loss of a single file, among images that come from elsewhere, kept all rows from being indexed.
  @Test func `one missing file among other images is only reported`() async throws {
    let shop = try DrawnShop()
    for id in ["a", "b"] { try shop.draw(id + ".jpg", seed: 1) }
    try await shop.run([DrawnShop.row("a"), DrawnShop.row("b")])
    let picture = SyntheticPicture.scene(width: 96, height: 96, seed: 2)
    let other = EntityValue.product(Product(id: "m", title: "M"))
    _ = try await Indexer(directory: shop.index).update(with: [
      .put(other, images: [.encoded(picture.jpeg(), address: nil)])
    ])
    let uploaded = try #require(try await shop.product("m")?.images.first)
    let others = #"{"type":"product","id":"m","title":"New","images":["\#(uploaded)"]}"#
    try FileManager.default.removeItem(atPath: shop.folder.path + "/a.jpg")
    let (progress, refused) = try await shop.run([DrawnShop.row("a"), others])
    #expect(refused.map(\.id) == ["a"] && progress.changed == 2)
    // Two of them are probably a folder that is not mounted.
    try await shop.run([DrawnShop.row("b")])
    try shop.draw("a.jpg", seed: 1)
    try await shop.run([DrawnShop.row("a"), others])
    for id in ["a", "b"] {
      try FileManager.default.removeItem(atPath: shop.folder.path + "/\(id).jpg")
    }
    await #expect(throws: CatalogueError.self) {
      try await shop.run([DrawnShop.row("a"), DrawnShop.row("b"), others])
    }
  }

  /// Would break if a file that is being written took the image from its entity.
  @Test(arguments: ["empty", "truncated"])
  func `a damaged file leaves the previous image`(damage: String) async throws {
    let shop = try await Self.shop()
    let file = shop.folder.path + "/a.jpg"
    let bytes = try #require(FileManager.default.contents(atPath: file))
    let rows = ["a", "b", "c"].map { DrawnShop.row($0) }
    let count = damage == "empty" ? 0 : bytes.count / 3
    _ = try shop.folder.write([UInt8](bytes.prefix(count)), to: "a.jpg")
    for _ in 0..<2 {
      let (progress, refused) = try await shop.run(rows)
      #expect(refused.map(\.id) == ["a"] && progress.withoutImages == 0)
      #expect(refused.first?.reason.hasSuffix("its previous version is kept") == true)
      #expect(try Catalogue(directory: shop.index).imageCount == 3)
    }
    try shop.draw("a.jpg", seed: 9)
    let (progress, refused) = try await shop.run(rows)
    #expect(refused.isEmpty && progress.signedImages == 1)
  }
}
