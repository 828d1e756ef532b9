@testable import ShopStore
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Changes of single entities, with images from memory.
@Suite struct IndexerUpdateTests {
  private static func photo(_ seed: UInt64) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    return try PixelBuffer(
      width: 64, height: 48, format: .rgba8,
      bytes: SyntheticPicture.discs(width: 64, height: 48, count: 9, using: &generator))
  }

  private static func product(
    _ id: String, price: String = "1.00", labels: [String] = ["thing"], images: [String] = []
  ) throws -> EntityValue {
    .product(
      Product(
        id: id, title: "T \(id)", labels: labels, images: images,
        price: try Price(amount: price, currency: "EUR")))
  }

  /// An index in a folder of its own, with two threads.
  private struct Shop {
    let folder: TemporaryDirectory
    let indexer: Indexer
    let outcomes = Outcomes()

    init(_ settings: ShopSettings = ShopSettings()) throws {
      folder = try TemporaryDirectory()
      indexer = Indexer(
        directory: folder.path + "/i.vq", settings: settings, pool: WorkerPool(width: 2))
    }

    var directory: String { indexer.directory }
    var catalogue: Catalogue { get throws { try Catalogue(directory: directory) } }

    func update(
      _ changes: [EntityChange], _ options: UpdateOptions = UpdateOptions()
    ) async throws -> Indexer.Progress {
      try await indexer.update(with: changes, options: options) { [outcomes] in outcomes.append($0)
      }
    }

    func best(_ pixels: PixelBuffer) async throws -> String? { try await found(pixels).first }

    func found(_ pixels: PixelBuffer) async throws -> [String] {
      try await Matcher(unhurried: try catalogue).values(
        for: SemanticContent(pixelBuffer: pixels), options: MatchOptions(timeout: nil)
      ).matches.map(\.value.id.value)
    }

    func entity(_ id: String) async throws -> EntityValue? {
      try await EntityLookup(catalogue: try catalogue)
        .entities(for: [EntityID(type: .product, value: id)]).first
    }

    func findings() async throws -> [String] {
      try await CatalogueUpkeep(directory: directory).verify()
    }
  }

  @Test func `an entity with pixels from memory is found, and not signed again`() async throws {
    let shop = try Shop()
    let changes: [EntityChange] = [
      .put(try Self.product("a"), images: [.pixels(try Self.photo(1))]),
      .put(
        try Self.product("b"), images: [.pixels(try Self.photo(2)), .pixels(try Self.photo(3))]),
    ]
    let first = try await shop.update(changes)
    #expect(first.added == 2 && first.signedImages == 3 && first.generation == 1)
    #expect(try await shop.best(try Self.photo(3)) == "b")
    let second = try await shop.update(changes)
    #expect(second.generation == 1 && second.signedImages == 0 && second.unchangedImages == 3)
    #expect(shop.outcomes.all.map(\.effect) == [.added, .added, .unchanged, .unchanged])
    #expect(try await shop.findings() == [])
  }

  @Test func `bytes, pixels and files are signed alike, and all other entities stay`() async throws
  {
    let shop = try Shop(ShopSettings(imagesRoot: SampleShop.folder.path + "/shop"))
    let feed = try shop.folder.write(
      ["kettle", "lamp"].map {
        #"{"type":"product","id":"\#($0)","title":"T","images":["images/kettle.jpg"]}"#
      }.joined(separator: "\n"), to: "feed.jsonl")
    _ = try await shop.indexer.run(path: feed)
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.image("kettle.jpg"))
    let mug = try ImageDecoder().contents(ofFile: SampleShop.image("mug-red.jpg"))
    let progress = try await shop.update([
      .put(
        try Self.product("new"),
        images: [
          .encoded(bytes), .reference("images/oats.jpg"),
          .encoded(mug, address: "https://shop.example/mug.jpg"),
        ]),
      .remove(EntityID(type: .product, value: "kettle")),
      .remove(EntityID(type: .product, value: "none")),
    ])
    #expect(progress.rows == 3 && progress.signedImages == 3 && progress.removed == 1)
    #expect(shop.outcomes.all.map(\.effect) == [.added, .removed, .unknown])
    let names = try #require(shop.outcomes.all.first?.images)
    #expect(names[0].hasPrefix("upload:"))
    #expect(Array(names[1...]) == ["images/oats.jpg", "https://shop.example/mug.jpg"])
    let catalogue = try shop.catalogue
    #expect(catalogue.entityCount == 2 && catalogue.generation == 2)
    // The lamp has the same image. Its segment has shorter words, so that either of the twins may have more votes.
    let found = try await shop.found(try ImageDecoder().decode(bytes, longerSide: 512))
    #expect(found.sorted() == ["lamp", "new"])
    #expect(try await shop.findings() == [])
    // Rows of a feed keep what they do not name.
    let again = try await shop.indexer.run(path: feed)
    #expect(again.added == 1 && again.changed == 0)
    #expect(try await shop.entity("new")?.imagePaths == names)
  }

  /// Would break if the price of an entity could not change without its images, or wrote a segment.
  @Test func `an entity keeps its images by their names`() async throws {
    let shop = try Shop()
    _ = try await shop.update([
      .put(try Self.product("a"), images: [.pixels(try Self.photo(1))])
    ])
    let stored = try #require(try await shop.entity("a"))
    let names = stored.imagePaths
    let progress = try await shop.update([
      .put(try Self.product("a", price: "2.00", images: names)),
      .put(try Self.product("b", images: names)),
    ])
    #expect(progress.changed == 1 && progress.signedImages == 0 && progress.refused == 1)
    #expect(try await CatalogueUpkeep(directory: shop.directory).status().segments.count == 1)
    #expect(try await shop.best(try Self.photo(1)) == "a")
    let refused = try #require(shop.outcomes.all.last?.refused.first)
    #expect(refused.field == "images[0]" && refused.reason.contains("send the image again"))
    #expect(try await shop.findings() == [])
    // New labels are part of the rows of a segment.
    _ = try await shop.update([
      .put(try Self.product("a", labels: ["other"], images: names))
    ])
    #expect(try await shop.best(try Self.photo(1)) == "a")
    #expect(try await shop.findings() == [])
  }

  @Test func `bad entities and images are refused, counted and named`() async throws {
    let shop = try Shop()
    let half = Array(
      try ImageDecoder().contents(ofFile: SampleShop.image("kettle.jpg")).prefix(2000))
    let changes: [EntityChange] = [
      .put(.product(Product(id: "", title: "T"))),
      .put(.product(Product(id: "a", title: "T", url: "javascript:x"))),
      .put(.product(Product(id: "b", title: "\u{1}"))),
      .put(try Self.product("c"), images: [.encoded(half), .pixels(try Self.photo(1))]),
      .put(try Self.product("d"), images: [.pixels(try Self.photo(2), address: "mug.jpg")]),
      .put(try Self.product("e"), images: [.reference("https://shop.example/e.jpg")]),
    ]
    let progress = try await shop.update(changes)
    #expect(progress.rows == 6 && progress.refused == 5 && progress.entities == 3)
    // An image that is not fetched is not rejected.
    #expect(progress.unfetchedImages == 1)
    let fields = shop.outcomes.all.map { $0.refused.map { $0.field ?? "" } }
    #expect(fields == [["id"], ["url"], ["title"], ["images[0]"], ["images[0]"], ["images[0]"]])
    #expect(shop.outcomes.all.map { $0.refused.map(\.line) } == (1...6).map { [$0] })
    #expect(try await shop.best(try Self.photo(1)) == "c")

    let strict = try Shop()
    let nothing = try await strict.update(changes, UpdateOptions(requiresAllImages: true))
    #expect(nothing.refused == 5 && nothing.unfetchedImages == 1 && nothing.entities == 0)
    #expect(strict.outcomes.all.allSatisfy { $0.effect == .refused })
    #expect(try strict.catalogue.entityCount == 0)
  }

  @Test func `changes of one entity take effect in their order`() async throws {
    let shop = try Shop()
    let id = EntityID(type: .product, value: "a")
    let progress = try await shop.update([
      .put(try Self.product("a"), images: [.pixels(try Self.photo(1))]), .remove(id),
      .put(try Self.product("a", price: "2.00"), images: [.pixels(try Self.photo(2))]),
      .put(try Self.product("a", price: "3.00"), images: [.pixels(try Self.photo(2))]),
      .remove(id), .remove(id), .put(try Self.product("a", price: "4.00")),
    ])
    #expect(progress.added == 3 && progress.changed == 1 && progress.removed == 2)
    #expect(
      shop.outcomes.all.map(\.effect) == [
        .added, .removed, .added, .changed, .removed, .unknown, .added,
      ])
    guard case .product(let product)? = try await shop.entity("a") else {
      Issue.record("the entity is missing")
      return
    }
    #expect(product.price?.amount == "4.00" && product.images.isEmpty)
    #expect(try await shop.findings() == [])
  }

  /// Would break if changes were read ahead of the threads that analyze them.
  @Test func `no more images are in memory than there are threads`() async throws {
    let shop = try Shop()
    let made = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let changes = MadeChanges(count: 24) { number in
      let waiting = made.add(1, ordering: .relaxed).newValue - shop.outcomes.all.count
      most.max(waiting, ordering: .relaxed)
      return .put(
        try Self.product("p\(number)"), images: [.pixels(try Self.photo(UInt64(number)))])
    }
    let progress = try await shop.indexer.update(with: changes) { [outcomes = shop.outcomes] in
      outcomes.append($0)
    }
    #expect(progress.added == 24 && shop.outcomes.all.map(\.number) == Array(0..<24))
    #expect((1...2).contains(most.load(ordering: .relaxed)))
  }

  @Test func `the changes before a failure of their source are published`() async throws {
    let shop = try Shop()
    let changes = MadeChanges(count: 9) { number in
      if number == 5 { throw URLError(.timedOut) }
      return .put(try Self.product("p\(number)"))
    }
    let error = await #expect(throws: UpdateError<any Error>.self) {
      _ = try await shop.indexer.update(with: changes)
    }
    guard case .source(let reason)? = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
    #expect(reason is URLError)
    #expect(try shop.catalogue.entityCount == 5)
  }

  @Test func `a second writer is refused with a code`() async throws {
    let shop = try Shop()
    _ = try await shop.update([])
    let lock = try WriterLock(directory: shop.directory)
    let error = await #expect(throws: UpdateError<Never>.self) { _ = try await shop.update([]) }
    guard case .catalogue(let reason)? = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
    #expect(reason.code == .locked)
    _ = consume lock
  }

  @Test(arguments: [[], [64, 160]])
  func `an image from memory has the thumbnails that the index stores`(sides: [Int]) async throws {
    let shop = try Shop(ShopSettings(thumbnailSides: sides))
    let jpeg = try ImageDecoder().contents(ofFile: SampleShop.image("kettle.jpg"))
    let progress = try await shop.update([
      .put(try Self.product("a"), images: [.pixels(try Self.photo(1)), .encoded(jpeg)])
    ])
    #expect(progress.thumbnails == 2 * sides.count)
    let id = EntityID(type: .product, value: "a")
    let catalogue = try shop.catalogue
    for image in [0, 1] {
      let thumbnail = try await EntityThumbnails(catalogue: catalogue).jpeg(
        of: id, image: image, size: .small)
      #expect((thumbnail == nil) == sides.isEmpty)
      if let thumbnail {
        let header = try ImageDecoder().header(of: thumbnail)
        #expect(max(header.width, header.height) == (image == 0 ? 64 : 140))
      }
    }
    let projection = try await EntityLookup(catalogue: catalogue).publicProjection(of: [id])
    let value = try #require(try await shop.entity("a"))
    #expect(projection.imageURLs(of: value).count == sides.count)
    // No file is missing, since there never was one.
    let missing = try await CatalogueUpkeep(directory: shop.directory).missingPictures()
    #expect(missing.count == 0 && missing.total == 0)
  }

  /// Would break if each update left a file, or if merging lost or doubled a row.
  @Test func `many small updates leave few segments and lose nothing`() async throws {
    let shop = try Shop()
    var generator = SeededGenerator(seed: 5)
    var expected: [String: UInt64] = [:]
    let first = try await shop.update([
      .put(try Self.product("p0"), images: [.pixels(try Self.photo(0))])
    ])
    expected["p0"] = 0
    let old = try shop.catalogue
    for round in 1...45 {
      let id = "p\(Int.random(in: 0..<20, using: &generator))"
      if Int.random(in: 0..<8, using: &generator) == 0 {
        _ = try await shop.update([.remove(EntityID(type: .product, value: id))])
        expected[id] = nil
      } else {
        let seed = UInt64(round)
        _ = try await shop.update([
          .put(try Self.product(id), images: [.pixels(try Self.photo(seed))])
        ])
        expected[id] = seed
      }
    }
    let status = try await CatalogueUpkeep(directory: shop.directory).status()
    #expect(status.images == expected.count && status.products == expected.count)
    #expect(status.segments.count <= 14)
    #expect(try await shop.findings() == [])
    for (id, seed) in expected.sorted(by: { $0.value < $1.value }).suffix(3) {
      #expect(try await shop.best(try Self.photo(seed)) == id)
    }
    // A reader keeps its generation, whose file may be gone.
    let match = try await Matcher(unhurried: old).values(
      for: SemanticContent(pixelBuffer: try Self.photo(0)), options: MatchOptions(timeout: nil))
    #expect(match.matches.first?.value.id.value == "p0" && match.generation == first.generation)
  }

  /// Would break if an index that is being verified or exported were reported as damaged because a writer merged its
  /// segments.
  @Test func `a generation is read to its end while segments are merged`() async throws {
    let shop = try Shop()
    for number in 1...7 { _ = try await shop.update([try Self.change(number)]) }
    let generation = try OpenedGeneration(directory: shop.directory)
    _ = try await shop.update([try Self.change(8)])
    #expect(generation.segments.count == 7)
    let file = shop.directory + "/" + generation.segments[0].record.file
    #expect(!FileManager.default.fileExists(atPath: file))
    let upkeep = CatalogueUpkeep(directory: shop.directory)
    #expect(try upkeep.findings(in: generation) == [])
    var lines = 0
    try CatalogueExport(generation, directory: shop.directory).write { _ in lines += 1 }
    #expect(lines == 8)
  }

  private static func change(_ number: Int) throws -> EntityChange {
    .put(try product("p\(number)"), images: [.pixels(try photo(UInt64(number)))])
  }

  /// Would break if an index that a run had merged took twice its size until the next run.
  @Test func `the files of merged segments are removed at once`() async throws {
    let shop = try Shop()
    for number in 1...8 { _ = try await shop.update([try Self.change(number)]) }
    let names = try FileManager.default.contentsOfDirectory(atPath: shop.directory)
    #expect(names.filter { $0.hasSuffix(".segment") } == ["product-8m1.segment"])
  }

  /// Would break if the log grew with each update for as long as a service has the catalogue open.
  @Test func `the write-ahead log begins anew beside a reader`() async throws {
    let shop = try Shop()
    _ = try await shop.update([.put(try Self.product("first"))])
    let current = try CurrentCatalogue(directory: shop.directory)
    var longest = 0
    for number in 0..<40 {
      _ = try await shop.update([.put(try Self.product("p\(number)"))])
      #expect(try current.catalogue().entityCount == number + 2)
      current.releaseLog(longerThan: 1 << 20)
      longest = max(longest, CatalogueFolder.logByteCount(shop.directory))
      #expect(try current.catalogue().entityCount == number + 2)
    }
    // 40 updates write some 8 MB.
    #expect(longest < 3 << 20, "\(longest) bytes")
    #expect(try await shop.findings() == [])
  }

  /// Would break if a reader failed because a writer removes a segment between the read of its name
  /// and its opening.
  @Test func `a catalogue can be opened while segments are merged`() async throws {
    let shop = try Shop()
    _ = try await shop.update([])
    let isDone = Atomic<Bool>(false)
    async let opened: Int = Task.detached {
      var count = 0
      while !isDone.load(ordering: .relaxed) {
        _ = try Catalogue(directory: shop.directory)
        count += 1
      }
      return count
    }.value
    for number in 0..<20 {
      _ = try await shop.update([
        .put(try Self.product("p\(number)"), images: [.pixels(try Self.photo(UInt64(number)))])
      ])
    }
    isDone.store(true, ordering: .relaxed)
    #expect(try await opened > 0)
  }
}

/// Outcomes as they come.
private final class Outcomes: Sendable {
  private let outcomes = Mutex<[EntityChange.Outcome]>([])
  var all: [EntityChange.Outcome] { outcomes.withLock { $0 } }
  func append(_ outcome: EntityChange.Outcome) { outcomes.withLock { $0.append(outcome) } }
}

/// Changes that are made when they are asked for.
private struct MadeChanges: AsyncSequence, Sendable {
  let count: Int
  let make: @Sendable (Int) throws -> EntityChange

  struct Iterator: AsyncIteratorProtocol {
    let changes: MadeChanges
    var number = 0

    mutating func next() async throws -> EntityChange? {
      guard number < changes.count else { return nil }
      defer { number += 1 }
      return try changes.make(number)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(changes: self) }
}
