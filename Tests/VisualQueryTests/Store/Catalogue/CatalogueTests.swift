@testable import ShopBase
@testable import ShopModel
import Foundation
import TestSupport
import Testing
@testable import ShopStore
import VisualQuery

@Suite struct CatalogueTests {
  /// Made once: signing the sample shop takes seconds in a debug build.
  private static let master = Task {
    let folder = try TemporaryDirectory()
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(path: SampleShop.catalogue)
    return folder
  }

  /// A catalogue of the sample shop in a directory of its own.
  static func sampleCatalogue() async throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(try await master.value.path + "/shop.vq", to: "shop.vq")
    return folder
  }

  private func openError(_ directory: String) -> CatalogueError? {
    #expect(throws: CatalogueError.self) { _ = try Catalogue(directory: directory) }
  }

  private func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Changes bytes of a file in place.
  private func patch(_ path: String, at offset: Int, _ bytes: [UInt8]) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  @Test func `the sample shop goes in and comes back`() async throws {
    let folder = try await Self.sampleCatalogue()
    let catalogue = try Catalogue(directory: folder.path + "/shop.vq")
    #expect(catalogue.generation == 1)
    #expect(catalogue.entityCount(of: .product) == 28)
    #expect(catalogue.entityCount(of: .store) == 4)
    #expect(catalogue.imageCount == 34)
    #expect(
      try catalogue.labelFrequencies(["mug", "bag", "zebra"]) == ["mug": 4, "bag": 4, "zebra": 0])
    let mugs = try await catalogue.keys(
      withLabel: "mug", type: .product, limit: 10, where: { _ in true }, shouldStop: { false }
    ).keys
    let entities = try catalogue.entities(keys: mugs + [999_999])
    #expect(
      Set(entities.values.map(\.id.value)) == ["mug-red", "mug-blue", "mug-green", "mug-cream"])
  }

  @Test func `the full-text index follows the entities`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    let row = try folder.write(
      #"{"type":"product","id":"kettle","title":"Copper pot","brand":"Über"}"#, to: "c.jsonl")
    _ = try await Indexer(directory: directory).run(path: row)
    let connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .read)
    func count(_ words: String) throws -> Int? {
      try connection.first(
        "SELECT count(*) FROM entityText WHERE entityText MATCH ?", [.text(words)]
      ) { $0.integer(0) }
    }
    #expect(try count("enamel mugs") == 4)
    #expect(try count("copper uber") == 1)
    // The text that was replaced is gone.
    #expect(try count("camp kettle") == 0)
  }

  /// Would break if a label of many words were stored once for each of its words.
  @Test func `a label takes few rows, however many words it has`() throws {
    let folder = try TemporaryDirectory()
    let database = try CatalogueDatabase(writing: folder.path)
    var product = Product(id: "a", title: "T")
    product.labels = [(0..<5000).map { "w\($0)" }.joined(separator: " ")]
    try database.begin()
    _ = try database.upsert(.product(product), rowHash: nil)
    let sums = try database.connection.first("SELECT count(*), sum(length(label)) FROM labels") {
      (count: $0.integer(0), length: $0.integer(1))
    }
    let (count, length) = try #require(sums)
    #expect(count == LabelText.headLimit)
    #expect(length < 2 * product.labels[0].utf8.count)
  }

  @Test func `a directory that is not there is missing`() {
    let error = openError("/no/such/shop.vq")
    #expect(error?.code == .missing)
    #expect(error?.message.contains("vq index FEED --index /no/such/shop.vq") == true)
  }

  @Test func `what is no catalogue is told from one`() throws {
    let folder = try TemporaryDirectory()
    #expect(openError(folder.path)?.code == .notACatalogue)
    let file = try folder.write("text", to: "file")
    #expect(openError(file)?.code == .notACatalogue)
    _ = try folder.write([UInt8](repeating: 0xA5, count: 9000), to: CatalogueDatabase.fileName)
    #expect(openError(folder.path)?.code == .notACatalogue)
    _ = try folder.write("", to: CatalogueDatabase.fileName)
    #expect(openError(folder.path)?.message.contains("was interrupted") == true)
    _ = try folder.write("SQLite format 3", to: CatalogueDatabase.fileName)
    #expect(openError(folder.path)?.code == .truncated)
  }

  /// Would break if a first run that was killed at once left something that is reported as another
  /// program's file, so that nobody knows that the same command repairs it.
  @Test func `the beginning of a first index says what it is`() async throws {
    let folder = try TemporaryDirectory()
    let connection = try CatalogueConnection(
      path: folder.path + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL")
    let error = openError(folder.path)
    #expect(error?.code == .notACatalogue)
    #expect(error?.message.contains("its first index run was interrupted") == true)
    #expect(error?.message.contains("vq index FEED --index \(folder.path)") == true)
    let status = await #expect(throws: CatalogueError.self) {
      try await CatalogueUpkeep(directory: folder.path).status()
    }
    #expect(status == error)
  }

  @Test func `another program database is no catalogue`() throws {
    let folder = try TemporaryDirectory()
    let connection = try CatalogueConnection(
      path: folder.path + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute("CREATE TABLE other(x)")
    #expect(openError(folder.path)?.code == .notACatalogue)
    #expect(openError(folder.path)?.message.contains("another program") == true)
  }

  /// Would break if damaged degrees ended the process, which they did.
  @Test(arguments: ["91, 0", "0, -180.5", "9e999, 0"])
  func `a place that is not on the globe is a damage`(degrees: String) async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    let connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .write)
    try connection.execute(
      "UPDATE places SET (latitude, longitude) = (\(degrees)); UPDATE state SET generation = 2")
    let catalogue = try Catalogue(directory: directory)
    let stock = try connection.first("SELECT store, product FROM stock JOIN places USING (store)") {
      (UInt32($0.integer(0)), $0.text(1))
    }
    let (store, product) = try #require(stock)
    let places = #expect(throws: CatalogueError.self) { try catalogue.places(ofStores: [store]) }
    #expect(places?.code == .corrupt && places?.message.contains(CatalogueError.remedy) == true)
    let stores = #expect(throws: CatalogueError.self) {
      try catalogue.read { database throws(CatalogueError) in
        try database.stores.forEach(withProduct: product) { _ in true }
      }
    }
    #expect(stores?.code == .corrupt)
    #expect(
      try await CatalogueUpkeep(directory: directory).verify().contains {
        $0.contains("have a location that is out of range")
      })
  }

  @Test func `a truncated database is told as such`() async throws {
    let folder = try await Self.sampleCatalogue()
    let path = folder.path + "/shop.vq/" + CatalogueDatabase.fileName
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.truncate(atOffset: try handle.seekToEnd() / 2)
    try handle.close()
    #expect(openError(folder.path + "/shop.vq")?.code == .truncated)
  }

  @Test func `a database with damaged pages is corrupt, or answers without them`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    // The schema's own page, behind the header.
    try patch(
      directory + "/" + CatalogueDatabase.fileName, at: 100, [UInt8](repeating: 0xFF, count: 400))
    let error = openError(directory)
    #expect(error?.code == .corrupt)
  }

  @Test func `other versions say which, and how to rebuild`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    func change(_ sql: String) throws {
      let connection = try CatalogueConnection(
        path: directory + "/" + CatalogueDatabase.fileName, mode: .write)
      try connection.execute(sql)
    }
    try change("UPDATE state SET signatureVersion = 77")
    let signatures = openError(directory)
    #expect(signatures?.code == .otherSignatureVersion)
    #expect(signatures?.message.contains("version 77") == true)
    #expect(signatures?.message.contains("vq index FEED") == true)
    try change("UPDATE state SET signatureVersion = 1; PRAGMA user_version = 9")
    #expect(openError(directory)?.code == .otherSchemaVersion)
  }

  @Test func `a second writer is told to wait`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    let lock = try WriterLock(directory: directory)
    let error = await #expect(throws: CatalogueError.self) {
      _ = try await Indexer(directory: directory).run(path: SampleShop.catalogue)
    }
    #expect(error?.code == .locked)
    // Reading is possible while the writer's lock is held.
    _ = try Catalogue(directory: directory)
    _ = lock
  }

  @Test func `a missing, truncated or damaged segment is found when it is opened`() async throws {
    for (damage, code) in [
      ("missing", CatalogueError.Code.corrupt), ("truncated", .truncated), ("damaged", .corrupt),
    ] {
      let folder = try await Self.sampleCatalogue()
      let directory = folder.path + "/shop.vq"
      let segment = try #require(files(in: directory).first { $0.hasSuffix(".segment") })
      let path = directory + "/" + segment
      switch damage {
      case "missing": try FileManager.default.removeItem(atPath: path)
      case "truncated":
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.truncate(atOffset: 5000)
        try handle.close()
      default: try patch(path, at: 16, [99])
      }
      let error = openError(directory)
      #expect(error?.code == code, "\(damage)")
      #expect(error?.message.contains(CatalogueError.remedy) == true)
      // A run that leaves everything as it is must not pass for a success.
      await #expect(throws: CatalogueError.self, "\(damage)") {
        _ = try await Indexer(directory: directory).run(path: SampleShop.catalogue)
      }
    }
  }

  @Test func `a reader keeps its generation while a writer goes on`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    let before = try Catalogue(directory: directory)
    let more = try folder.write(
      #"{"type":"product","id":"new","title":"New","labels":["mug"]}"#, to: "more.jsonl")
    let result = try await Indexer(directory: directory).run(path: more)
    #expect(result.generation == 2)
    #expect(try before.labelFrequencies(["mug"]) == ["mug": 4])
    let after = try Catalogue(directory: directory)
    #expect(after.generation == 2)
    #expect(try after.labelFrequencies(["mug"]) == ["mug": 5])
  }

  @Test func `an abandoned transaction leaves the generation before it`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    do {
      let database = try CatalogueDatabase(writing: directory)
      try database.begin()
      _ = try database.upsert(.product(Product(id: "half", title: "Half")), rowHash: nil)
    }
    let catalogue = try Catalogue(directory: directory)
    #expect(catalogue.generation == 1 && catalogue.entityCount == 32)
  }

  @Test func `a run that was killed while it made the tables is taken up by the next`() async throws
  {
    let folder = try TemporaryDirectory()
    _ = try folder.write("", to: CatalogueDatabase.fileName)
    let row = try folder.write(#"{"type":"product","id":"a","title":"A"}"#, to: "c.jsonl")
    #expect(try await Indexer(directory: folder.path).run(path: row).generation == 1)
    #expect(try Catalogue(directory: folder.path).entityCount == 1)
    // The same for a run that was killed after it wrote a page but before it created a table.
    let other = try TemporaryDirectory()
    do {
      let connection = try CatalogueConnection(
        path: other.path + "/" + CatalogueDatabase.fileName, mode: .write)
      try connection.execute("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL")
    }
    #expect(try await Indexer(directory: other.path).run(path: row).generation == 1)
  }

  @Test func `files of a killed run are removed by the next`() async throws {
    let folder = try await Self.sampleCatalogue()
    let directory = folder.path + "/shop.vq"
    _ = FileManager.default.createFile(
      atPath: directory + "/product-9.segment", contents: Data([1]))
    _ = FileManager.default.createFile(atPath: directory + "/x.segment.tmp", contents: Data([1]))
    _ = try await Indexer(directory: directory).run(path: SampleShop.catalogue)
    #expect(!files(in: directory).contains("product-9.segment"))
    #expect(!files(in: directory).contains("x.segment.tmp"))
    #expect(try Catalogue(directory: directory).imageCount == 34)
  }
}
