@testable import ShopBase
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopStore
import VisualQuery

/// Going back, compaction, export, and finding damage.
@Suite struct CatalogueUpkeepTests {
  /// A shop whose catalogue has replaced signatures and several segments.
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for id in 0..<6 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run((0..<4).map { DrawnShop.row("p\($0)") })
    try shop.draw("p1.jpg", seed: 50)
    try await shop.run((1..<6).map { DrawnShop.row("p\($0)", #""title":"Second""#) })
    return shop
  }

  @Test func `a run is undone, and the undoing too`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let second = try await shop.exported()
    try await shop.run(
      [DrawnShop.row("p0", #""title":"Third""#)],
      IndexOptions(prunesMissing: true, removalLimit: 100))
    let third = try await shop.exported()
    let lookup = EntityLookup(catalogue: try Catalogue(directory: shop.index))
    let state = try await lookup.changes(since: nil, limit: 1000).state

    let generation = try await upkeep.rollBack()
    #expect(try await shop.exported() == second)
    #expect(try await upkeep.verify() == [])
    #expect(try Catalogue(directory: shop.index).generation == generation)
    // Whoever keeps a copy is told of everything that came back.
    let back = EntityLookup(catalogue: try Catalogue(directory: shop.index))
    let changes = try await back.changes(since: state, limit: 1000)
    #expect(changes.upserts.count == 6 && changes.tombstones.isEmpty)

    _ = try await upkeep.rollBack()
    #expect(try await shop.exported() == third)
    #expect(try await upkeep.verify() == [])
    let again = EntityLookup(catalogue: try Catalogue(directory: shop.index))
    #expect(try await again.changes(since: changes.state, limit: 1000).tombstones.count == 5)
  }

  /// The contents of all tables that a reader uses, without the list of changes.
  private static func tables(_ shop: DrawnShop) throws -> [String] {
    let database = try CatalogueDatabase(reading: shop.index)
    return try [
      "SELECT key || type || id || json || rank FROM entities ORDER BY key",
      """
      SELECT name || ' ' || entity || ' ' || place || value || coalesce(folded, '-')
      FROM properties JOIN propertyNames ON number = property ORDER BY name, entity, place
      """,
      "SELECT label || type || entity FROM labels ORDER BY label, type, entity",
      "SELECT label || frequency FROM labelFrequencies WHERE frequency > 0 ORDER BY label",
      "SELECT product || store FROM stock ORDER BY product, store",
      "SELECT store || latitude || longitude FROM places ORDER BY store",
      "SELECT rowid || title || subtitle || labels || names FROM entityText ORDER BY rowid",
      "SELECT entity || position || path || segment || row FROM images ORDER BY entity, position",
      "SELECT id || file FROM segments ORDER BY id",
      "SELECT segment || ' ' || row FROM deadRows ORDER BY segment, row",
    ].flatMap { sql in
      try database.connection.rows(sql, isScan: true) { $0.text(0) }
    }
  }

  /// Would break if a difference between the two generations were overlooked in any table.
  @Test(arguments: 1...4) func `going back and forth restores every table`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let shop = try DrawnShop()
    for id in 0..<8 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    func rows() -> [String] {
      (0..<8).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map { id in
        let word = ["red", "Blue", "green"].randomElement(using: &random)!
        let fields = [
          #""title":"\#(word) thing","labels":["\#(word)"],"size":"\#(word)""#,
          #""title":"Thing","labels":["red","a b"],"\#(word)":\#(id)"#,
        ].randomElement(using: &random)!
        return id % 4 == 3
          ? #"{"type":"store","id":"s\#(id)","stock":["p\#(id - 1)"],\#(fields),"#
            + #""geo":{"latitude":\#(id),"longitude":\#(word.count)}}"#
          : DrawnShop.row("p\(id)", fields)
      }
    }
    for _ in 0..<3 { try await shop.run(rows(), IndexOptions(prunesMissing: true)) }
    let before = try Self.tables(shop)
    if seed % 2 == 0 { try shop.draw("p1.jpg", seed: 90) }
    try await shop.run(rows(), IndexOptions(prunesMissing: true))
    let after = try Self.tables(shop)
    #expect(before != after)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    for expected in [before, after, before] {
      _ = try await upkeep.rollBack()
      #expect(try Self.tables(shop) == expected)
      #expect(try await upkeep.verify() == [])
    }
  }

  /// Would break if the path of the database were put into a URI byte by byte: the generation before was
  /// then not found, and the next run removed the segments that it needs.
  @Test(arguments: ["läden", "a b", "50%", "shop?mode=memory", "x#y", "%41", "日本"])
  func `an index is found and undone whatever its path`(name: String) async throws {
    let shop = try DrawnShop()
    let folder = shop.folder.path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let directory = folder + "/shop.vq"
    try shop.draw("p.jpg", seed: 1)
    for seed in [1, 2, 3] as [UInt64] {
      try shop.draw("p.jpg", seed: seed)
      let path = try shop.folder.write(DrawnShop.row("p", #""title":"\#(seed)""#), to: "c.jsonl")
      _ = try await Indexer(directory: directory).run(path: path)
    }
    let upkeep = CatalogueUpkeep(directory: directory)
    #expect(try await upkeep.status().previousGeneration == 2)
    _ = try await upkeep.rollBack()
    #expect(try await upkeep.verify() == [])
    let found = try await EntityLookup(catalogue: Catalogue(directory: directory)).entities(for: [
      EntityID(type: .product, value: "p")
    ])
    #expect(found.map(\.displayRepresentation.title) == ["2"])
  }

  /// Would break if a rollback that was killed after its commit lost the run that it undid: a second one
  /// then restored what the first had restored, and removed the segment of the undone run.
  @Test func `a rollback that was killed after its commit is undone like any other`() async throws {
    let shop = try await Self.shop()
    try shop.draw("p2.jpg", seed: 60)
    try await shop.run([DrawnShop.row("p2", #""title":"Third""#)])
    let third = try await shop.exported()
    let previous = shop.index + "/" + PreviousCatalogue.fileName
    let undone = shop.index + "/" + PreviousCatalogue.undoneFileName
    let saved = try Data(contentsOf: URL(fileURLWithPath: previous))
    let upkeep = CatalogueUpkeep(directory: shop.index)
    _ = try await upkeep.rollBack()
    // The files as they are between the commit and the renaming.
    try FileManager.default.moveItem(atPath: previous, toPath: undone)
    try saved.write(to: URL(fileURLWithPath: previous))

    _ = try await upkeep.rollBack()
    #expect(try await shop.exported() == third)
    #expect(try await upkeep.verify() == [])
    #expect(!FileManager.default.fileExists(atPath: undone))
  }

  /// Would break if the copy that a killed rollback made before its commit were taken for an undone run
  /// once another generation has been published.
  @Test func `a rollback that was killed before its commit has not happened`() async throws {
    let shop = try DrawnShop()
    for id in 0..<2 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run([DrawnShop.row("p0")])
    let first = try await shop.exported()
    try await shop.run([DrawnShop.row("p1")])
    do {
      let killed = try CatalogueWriter(directory: shop.index)
      try killed.savePrevious(as: PreviousCatalogue.undoneFileName)
    }
    do {
      // Like a change of a single entity, which leaves the saved generation as it is.
      var writer = try CatalogueWriter(directory: shop.index)
      #expect(try writer.remove([EntityID(type: .product, value: "p1")]).count == 1)
    }
    #expect(
      !FileManager.default.fileExists(
        atPath: shop.index + "/" + PreviousCatalogue.undoneFileName))
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try await shop.exported() == first)
  }

  @Test func `without an earlier run there is nothing to go back to`() async throws {
    let shop = try DrawnShop()
    try await shop.run([#"{"type":"product","id":"a","title":"A"}"#])
    let error = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: shop.index).rollBack()
    }
    #expect(error?.code == .missing)
  }

  @Test func `compaction changes no content and leaves nothing behind`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let before = try await shop.exported()
    let reader = try Catalogue(directory: shop.index)
    let generation = try await upkeep.compact()
    let status = try await upkeep.status()
    #expect(status.segments.map(\.rows) == [6] && status.segments.map(\.deadRows) == [0])
    #expect(status.generation == generation && status.images == 6)
    #expect(try await shop.exported() == before)
    #expect(try await upkeep.verify() == [])
    #expect(try await Indexer(directory: upkeep.directory).compact() == generation)
    // A reader that was open before goes on reading.
    let values = try await Matcher(unhurried: reader).values(
      for: SemanticContent(pixelBuffer: SyntheticPicture.scene(width: 96, height: 96, seed: 3)),
      options: MatchOptions(timeout: nil))
    #expect(values.matches.first?.value.id.value == "p3")
  }

  @Test func `an export is taken in byte for byte`() async throws {
    let shop = try await Self.shop()
    let settings = ShopSettings(
      links: LinkSettings(templates: [.product: try LinkTemplate("https://a.example/{id}")]),
      bridge: LabelBridge(targets: ["shoe": ["boot", "sneaker"]]))
    _ = try await Indexer(directory: shop.index, settings: settings).putSettings()
    let lines = try await shop.exported()
    let file = try shop.folder.write(lines.joined(separator: "\n") + "\n", to: "export.jsonl")
    let copy = DrawnCopy(directory: shop.folder.path + "/copy.vq")
    #expect(try await CatalogueUpkeep(directory: copy.directory).importing(path: file) == 6)
    #expect(try await copy.exported() == lines)
    #expect(try await CatalogueUpkeep(directory: copy.directory).verify() == [])
    let damaged = try shop.folder.write(lines[0] + "\n{\"entity\":{}}\n", to: "damaged.jsonl")
    let error = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: copy.directory).importing(path: damaged)
    }
    #expect(error?.code == .unreadableInput && error?.message.contains("line 2") == true)
    #expect(try await copy.exported() == lines)
  }

  /// Would break if the first copy's signatures stayed alive without an image: the catalogue could then never be merged
  /// again.
  @Test func `an export that has an entity twice is refused`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let lines = [before[0], before[1], before[1]]
    let file = try shop.folder.write(lines.joined(separator: "\n"), to: "twice.jsonl")
    let copy = DrawnCopy(directory: shop.folder.path + "/copy.vq")
    for directory in [shop.index, copy.directory] {
      let error = await #expect(throws: CatalogueError.self) {
        try await CatalogueUpkeep(directory: directory).importing(path: file)
      }
      #expect(error?.code == .unreadableInput)
      #expect(error?.message == "line 3 has product:p0 again; an export has each entity once")
    }
    #expect(try await shop.exported() == before)
  }

  /// Would break if one generation took two versions of an entity: the rows of the first would belong to no image.
  @Test func `an entity is written once in a generation`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    do {
      var writer = try CatalogueWriter(directory: shop.index)
      let id = EntityID(type: .product, value: "p0")
      let stored = try #require(try writer.existing(id))
      for title in ["Other", "Another"] {
        let json = stored.json.replacing(#""title":"T""#, with: #""title":"\#(title)""#)
        let signed = SignedEntity(
          value: try EntityTable.entity(json),
          images: stored.images.map { SignedEntity.Image($0) }, refused: [], existing: stored,
          isWhole: true)
        if title == "Other" {
          try writer.put(signed)
        } else {
          let error = #expect(throws: CatalogueError.self) { try writer.put(signed) }
          #expect(error?.message.contains("product:p0") == true)
        }
      }
    }
    #expect(try await shop.exported() == before)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    #expect(try await upkeep.verify() == [])
    _ = try await upkeep.compact()
    #expect(try await shop.exported() == before)
  }

  // MARK: Settings

  /// The settings of a shop with a product's link template, a bridge and public fields.
  private static func settings(_ host: String, _ fields: Set<String>) throws -> ShopSettings {
    ShopSettings(
      links: LinkSettings(templates: [.product: try LinkTemplate("https://\(host)/{id}")]),
      bridge: LabelBridge(targets: ["shoe": [host]]), publicFields: fields)
  }

  /// Would break if a field that a run made public by mistake stayed public.
  @Test(arguments: [true, false]) func `a rollback takes back the settings of its run`(
    hasChanges: Bool
  ) async throws {
    let shop = try DrawnShop()
    let rows = [#"{"type":"product","id":"a","title":"A"}"#]
    try await shop.run(rows, settings: Self.settings("right.example", ["care"]))
    let before = try await shop.exported()
    let changed = hasChanges ? [rows[0].replacing("\"A\"", with: "\"B\"")] : rows
    try await shop.run(changed, settings: Self.settings("wrong.example", ["sku"]))
    let after = try await shop.exported()
    #expect(after[0].contains("wrong.example") && after[0].contains("sku"))
    let upkeep = CatalogueUpkeep(directory: shop.index)
    // Both are of one generation.
    #expect(try await upkeep.status().generation == 2)
    _ = try await upkeep.rollBack()
    #expect(try await shop.exported() == before)
    #expect(try await upkeep.status().publicFields == ["care"])
    _ = try await upkeep.rollBack()
    #expect(try await shop.exported() == after)
  }

  /// Would break if a run that only moves the images took the place of the one before: a rollback leaves the folders as they
  /// are, so that it would then do nothing.
  @Test func `a run that only moves the images is not one to undo`() async throws {
    let shop = try DrawnShop()
    let row = #"{"type":"product","id":"a","title":"A"}"#
    try await shop.run([row])
    let before = try await shop.exported()
    try await shop.run([row.replacing("\"A\"", with: "\"B\"")])
    let folder = try TemporaryDirectory()
    let path = shop.folder.path + "/catalogue.jsonl"
    let moved = try await Indexer(directory: shop.index).run(path: path, imagesRoot: folder.path)
    #expect(moved.generation == 3)
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try await shop.exported() == before)
  }

  /// Would break if a run that fails left its settings behind, as those of a mistyped feed.
  @Test func `a run that fails leaves no settings`() async throws {
    let shop = try DrawnShop()
    let row = #"{"type":"product","id":"a","title":"A"}"#
    try await shop.run([row], settings: Self.settings("right.example", ["care"]))
    let before = try await shop.exported()
    let wrong = try Self.settings("wrong.example", ["sku"])
    let bad = #"{"type":"product","id":"b"}"#
    await #expect(throws: CatalogueError.self) {
      try await shop.run([bad], IndexOptions(isStrict: true), settings: wrong)
    }
    await #expect(throws: CatalogueError.self) {
      let path = try shop.folder.write(row, to: "catalogue.jsonl")
      _ = try await Indexer(directory: shop.index, settings: wrong).run(
        path: path, imagesRoot: shop.folder.path + "/none")
    }
    #expect(try await shop.run([bad], settings: wrong).0.entities == 0)
    try await shop.run([row], IndexOptions(isDryRun: true), settings: wrong)
    #expect(try await shop.exported() == before)
    #expect(try Catalogue(directory: shop.index).generation == 1)
  }

  /// Would break if the rows of a run were read by the schemes of the run before.
  @Test(arguments: [true, false]) func `a run reads links by the schemes that it allows`(
    isDryRun: Bool
  ) async throws {
    let shop = try DrawnShop()
    try await shop.run([#"{"type":"product","id":"a","title":"A"}"#])
    let settings = ShopSettings(links: LinkSettings(allowedSchemes: ["shop"]))
    let (progress, _) = try await shop.run(
      [#"{"type":"product","id":"a","title":"A","url":"shop://a"}"#],
      IndexOptions(isDryRun: isDryRun), settings: settings)
    #expect(progress.warnings == 0 && progress.changed == 1)
  }

  /// Would break if an import that fails replaced the links of the shop, which no rollback would bring back.
  @Test func `an import brings its settings with its entities, or neither`() async throws {
    let shop = try DrawnShop()
    let row = #"{"type":"product","id":"a","title":"A"}"#
    try await shop.run([row], settings: Self.settings("right.example", ["care"]))
    let before = try await shop.exported()
    let other = try DrawnShop()
    try await other.run([row], settings: Self.settings("wrong.example", ["sku"]))
    let export = try await other.exported()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let garbage = try shop.folder.write(export[0] + "\ngarbage\n", to: "garbage.jsonl")
    await #expect(throws: CatalogueError.self) { try await upkeep.importing(path: garbage) }
    #expect(try await shop.exported() == before)
    // An export without entities still has settings.
    let empty = export[0].replacing(#""entities":1"#, with: #""entities":0"#)
    #expect(empty != export[0])
    for text in [empty, export.joined(separator: "\n")] {
      let path = try shop.folder.write(text, to: "export.jsonl")
      _ = try await upkeep.importing(path: path)
      // Each index has the names of its own feeds.
      let settings = [try await shop.exported()[0], export[0]].map {
        $0.replacing(/,?"feed\.[0-9]":"(\\.|[^"\\])*"/, with: "").replacing("{,", with: "{")
      }
      #expect(settings[0] == settings[1])
      _ = try await upkeep.rollBack()
      #expect(try await shop.exported() == before)
    }
  }

  /// Would break if half of a backup passed for the whole of it.
  @Test func `an export that ends between two lines is refused`() async throws {
    let shop = try await Self.shop()
    let export = try await shop.exported()
    let other = try DrawnShop()
    let cut = try other.folder.write(export.dropLast(2).joined(separator: "\n") + "\n", to: "cut")
    let error = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: other.index).importing(path: cut)
    }
    #expect(error?.code == .truncated && error?.message.contains("was cut off") == true)
    #expect(throws: CatalogueError.self) { _ = try Catalogue(directory: other.index) }
  }

  /// Would break if damaged signatures were exported, and were sound in the index that is made of the export.
  @Test func `what is damaged is not exported`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let file = shop.index + "/" + (try await upkeep.status()).segments[0].file
    let handle = try #require(FileHandle(forUpdatingAtPath: file))
    let byteCount = Int(try handle.seekToEnd())
    try handle.seek(toOffset: UInt64(byteCount / 2))
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: UInt64(byteCount / 2))
    try handle.write(contentsOf: Data([byte ^ 1]))
    try handle.close()
    guard try await !upkeep.verify().isEmpty else { return }
    let error = await #expect(throws: CatalogueError.self) { _ = try await shop.exported() }
    #expect(error?.code == .corrupt)
  }

  private struct DrawnCopy {
    let directory: String

    func exported() async throws -> [String] {
      let shop = Lines()
      try await CatalogueUpkeep(directory: directory).export { shop.append($0) }
      return shop.all
    }
  }

  /// Every way to spoil a catalogue that the list names is found.
  @Test(arguments: [
    "UPDATE state SET imageCount = imageCount + 1",
    "UPDATE entities SET json = replace(json, '\"p2\"', '\"other\"') WHERE id = 'p2'",
    "UPDATE entities SET json = replace(json, '\"title\"', '\"name\"') WHERE id = 'p2'",
    "UPDATE images SET row = row + 1 WHERE entity = (SELECT key FROM entities WHERE id = 'p5')",
    "UPDATE images SET row = 99 WHERE entity = (SELECT key FROM entities WHERE id = 'p5')",
    "DELETE FROM deadRows",
    "DELETE FROM entityText WHERE rowid = (SELECT key FROM entities WHERE id = 'p2')",
    "DELETE FROM images WHERE entity = (SELECT key FROM entities WHERE id = 'p5')",
  ]) func `what contradicts itself is found`(damage: String) async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    #expect(try await upkeep.verify() == [])
    let connection = try CatalogueConnection(path: shop.index + "/catalogue.sqlite", mode: .write)
    try connection.execute(damage)
    #expect(try await !upkeep.verify().isEmpty)
  }

  @Test func `a byte that changed in a segment is found`() async throws {
    let shop = try await Self.shop()
    let upkeep = CatalogueUpkeep(directory: shop.index)
    let file = shop.index + "/" + (try await upkeep.status()).segments[0].file
    let handle = try #require(FileHandle(forUpdatingAtPath: file))
    try handle.seek(toOffset: 3 * 4096 + 7)
    try handle.write(contentsOf: Data([0x5A]))
    try handle.close()
    #expect(try await !upkeep.verify().isEmpty)
  }
}
