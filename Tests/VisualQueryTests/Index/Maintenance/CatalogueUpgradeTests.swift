import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Indexes of older versions.
@Suite struct CatalogueUpgradeTests {
  /// The indexes in `Store/Catalogue/Versions`: their name says the version of the tables and that of the signatures.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Store/Catalogue/Versions")
  /// The released versions of the tables with the signatures of today.
  static let released = [7]
  /// The versions of the tables and of the signatures of all others.
  static let outdated = [(7, 5), (7, 6)]

  /// Unpacks the index of a version.
  private func index(
    _ version: Int, signatures: Int = Int(Signature.version), in folder: TemporaryDirectory
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "tar", "-xzf", Self.folder.path + "/index-\(version)-\(signatures).tar.gz", "-C",
      folder.path,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return folder.path + "/shop.vq"
  }

  /// Gives an index the tables that version 6 had: without the words of labels, and without descriptions in the
  /// full text.
  private func makeVersion6(_ directory: String) throws {
    let connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      DROP TABLE labels;
      DELETE FROM labelFrequencies;
      CREATE TABLE labels(
        label TEXT NOT NULL, type TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entities(key),
        PRIMARY KEY(label, type, entity)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX labelsOfEntity ON labels(entity);
      INSERT INTO labels VALUES('mug', 'product', 1);
      DROP TABLE entityText;
      CREATE VIRTUAL TABLE entityText USING fts5(
        title, subtitle, labels, brand, names, prefix = '1 2',
        tokenize = 'porter unicode61 remove_diacritics 2');
      PRAGMA user_version = 6;
      COMMIT;
      """)
  }

  private func rows(_ sql: String, _ directory: String) throws -> [String] {
    let connection = try CatalogueConnection(
      reading: directory + "/" + CatalogueDatabase.fileName)
    return try connection.rows(sql) { $0.onlyText }
  }

  /// Would break if a newer build no longer opened what a shop has on disk.
  @Test(arguments: released)
  func `an index of each released version is opened, or converted by one command`(version: Int)
    async throws
  {
    let folder = try TemporaryDirectory()
    let directory = try index(version, in: folder)
    let upgrade = try await CatalogueUpkeep(directory: directory).upgrade()
    #expect(upgrade.from == version && upgrade.to == CatalogueUpkeep.indexVersion)
    #expect(try await CatalogueUpkeep(directory: directory).verify() == [])
    let catalogue = try Catalogue(directory: directory)
    #expect(catalogue.entityCount == 2 && catalogue.imageCount == 1 && catalogue.generation == 1)
    let response = try await Matcher(unhurried: catalogue).values(
      for: SemanticContent(labels: ["cup"]))
    #expect(response.matches.first?.value.id.value == "mug")
    #expect(response.matches.first?.handoff.url == "https://shop.example/p/mug")
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.image("mug-red.jpg")))
    let seen = try await Matcher(unhurried: catalogue).values(
      for: SemanticContent(pixelBuffer: image), options: MatchOptions(timeout: nil))
    #expect(seen.matches.first?.value.id.value == "mug" && seen.matches.first?.tier == .exact)
  }

  /// Would break if hashes of another kind were compared with those of today, or if the command that cannot convert them
  /// claimed that it did.
  @Test(arguments: outdated)
  func `an index with other signatures is refused, and must be indexed again`(
    version: Int, signatures: Int
  ) async throws {
    let folder = try TemporaryDirectory()
    let directory = try index(version, signatures: signatures, in: folder)
    let before = try rows("SELECT signatureVersion || generation FROM state", directory)
    let opened = #expect(throws: CatalogueError.self) { try Catalogue(directory: directory) }
    let upgraded = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: directory).upgrade()
    }
    for error in [opened, upgraded] {
      #expect(error?.code == .otherSignatureVersion)
      #expect(
        error?.message.hasPrefix(
          "'\(directory)' has signatures of version \(signatures); this build reads "
            + "\(Signature.version); remove it and rebuild it") == true, "\(error?.message ?? "")")
    }
    #expect(try rows("SELECT signatureVersion || generation FROM state", directory) == before)
  }

  /// Would break if a new version of the tables came without a way from the last one.
  @Test func `the newest released version can be converted`() {
    let newest = Self.released.max() ?? 0
    #expect(newest >= CatalogueUpkeep.oldestUpgradeableVersion)
    #expect(newest <= CatalogueUpkeep.indexVersion)
  }

  @Test func `derived tables are made again, and everything else stays`() async throws {
    let folder = try TemporaryDirectory()
    let directory = try index(7, in: folder)
    let words = "SELECT label || words FROM labels ORDER BY label"
    let facts = """
      SELECT json FROM entities UNION ALL SELECT generation || identity || secret FROM state
      UNION ALL SELECT path FROM images UNION ALL SELECT sequence || id FROM changes
      """
    let (labels, before) = (try rows(words, directory), try rows(facts, directory))
    try makeVersion6(directory)
    let error = #expect(throws: CatalogueError.self) { try Catalogue(directory: directory) }
    #expect(error?.code == .otherSchemaVersion)
    #expect(error?.message.hasSuffix("vq catalogue upgrade --index \(directory)") == true)

    // Their tables have the old version.
    let saved = [PreviousCatalogue.fileName, PreviousCatalogue.undoneFileName].map {
      directory + "/" + $0
    }
    for path in saved { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    let upgrade = try await CatalogueUpkeep(directory: directory).upgrade()
    #expect(upgrade == CatalogueUpgrade(from: 6, to: 7, entities: 2))
    #expect(saved.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    #expect(try rows(words, directory) == labels)
    #expect(try rows(facts, directory) == before)
    #expect(try await CatalogueUpkeep(directory: directory).verify() == [])
    // The description is in the full text again.
    #expect(
      try rows("SELECT rowid FROM entityText WHERE entityText MATCH 'enamel'", directory).count
        == 1)
  }

  /// Would break if Ctrl-C left an index that neither version reads.
  @Test func `an interrupted upgrade leaves the index as it was`() async throws {
    let folder = try TemporaryDirectory()
    let directory = try index(7, in: folder)
    try makeVersion6(directory)
    let tables = "SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name"
    let before = try rows(tables, directory)
    let task = Task {
      try await CatalogueUpkeep(directory: directory).upgrade { _, _ in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try rows(tables, directory) == before)
    #expect(try await CatalogueUpkeep(directory: directory).upgrade().entities == 2)
  }

  @Test(arguments: [(5, "remove it and rebuild it"), (8, "use the vq that wrote it")])
  func `a version that cannot be converted is refused with advice`(version: Int, says: String)
    async throws
  {
    let folder = try TemporaryDirectory()
    let directory = try index(7, in: folder)
    let file = directory + "/" + CatalogueDatabase.fileName
    try CatalogueConnection(path: file, mode: .write).execute("PRAGMA user_version = \(version)")
    let error = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: directory).upgrade()
    }
    #expect(error?.code == .otherSchemaVersion && error?.message.contains(says) == true)
  }

  @Test func `a directory that is not there is not made`() async throws {
    let folder = try TemporaryDirectory()
    let upkeep = CatalogueUpkeep(directory: folder.path + "/none.vq")
    let error = await #expect(throws: CatalogueError.self) { try await upkeep.upgrade() }
    #expect(error?.code == .missing)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/none.vq"))
  }
}
