import AppIntents
import CoreSpotlight
import CoreVideo
import Foundation
import Testing
import VisualIntelligence
import VisualQueryClient

@testable import AppClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Plays the system: a scene goes in, entities come out, one is opened, and the copies follow the shop.
@Suite(.enabled(if: RunningShop.command != nil, RunningShop.reason), .serialized, .liveShop)
struct SystemTests {
  private let shop: RunningShop
  private let copy = FileManager.default.temporaryDirectory
    .appendingPathComponent("app-client-\(UUID().uuidString).json")

  init() throws {
    shop = try #require(LiveShop.current)
    AppSetup.addDependencies(shop.client().configuration, copy: copy)
  }

  /// A scene as the camera gives it: 3 000 pixels wide, as far as the app can tell.
  private func scene(_ seed: UInt64?, labels: [String] = []) -> SemanticContentDescriptor {
    let buffer = seed.map { seed in
      CVReadOnlyPixelBuffer(
        unsafeBuffer: CVPixelBuffer(
          file: SampleShop.image(seed: seed).png, width: 3000, height: 3000))
    }
    return SemanticContentDescriptor(standInLabels: labels, pixelBuffer: buffer)
  }

  /// The bytes that the service has received so far.
  private func received(by shop: RunningShop) async throws -> Int {
    let metrics = try #require(URL(string: "metrics", relativeTo: shop.address))
    var request = URLRequest(url: metrics)
    request.setValue("Bearer \(shop.operatorKey)", forHTTPHeaderField: "Authorization")
    let (data, _) = try await URLSession.shared.data(for: request)
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("vq_received_bytes_total ") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  @Test func `a scene becomes entities with cards, and one of them is opened`() async throws {
    let values = try await ShopVisualQuery().values(for: scene(0, labels: ["lamp"]))
    guard case .product(let product) = try #require(values.first) else {
      Issue.record("the first value is a store")
      return
    }
    #expect(product.id == "p0" && product.name == "Thing 0")
    // Shortcuts filters by these: an unknown price is not 0, and an unknown brand not empty.
    #expect(product.brand == "Aster" && product.price == nil)
    let card = product.displayRepresentation
    #expect(card.title.key == "Thing 0" && card.synonyms.map(\.key) == ["object 0"])
    // Bytes, since the system has no key of the service.
    #expect(card.image?.url == nil && card.image?.data?.starts(with: [0xFF, 0xD8]) == true)

    // The system knows the tapped entity by its id only.
    let found = try await ProductQuery().entities(for: [product.id])
    let intent = OpenProduct()
    intent.target = try #require(found.first)
    #expect(intent.contentIdentifier == "product:p0")
    #expect(intent.target.displayRepresentation.image?.data?.isEmpty == false)
    _ = try await intent.perform()
    let navigation: Navigation = AppDependency<Navigation>().wrappedValue
    #expect(await navigation.opened?.id == "p0")
    let activity = await MainActor.run {
      navigation.activity().map { ($0.title, $0.webpageURL, $0.persistentIdentifier) }
    }
    #expect(activity?.0 == "Thing 0" && activity?.2 == "ProductEntity/p0")
    #expect(activity?.1?.absoluteString == "https://shop.example/p/p0")
  }

  /// As a device does it: several calls of the query for one tap, then "More results", then the end of the list.
  @Test func `one tap is one upload, whatever the system asks`() async throws {
    // Twelve variants that look the same: that many products of no group would be proven by nothing. Each has a file of
    // its own, because variants with one file are one match.
    var rows = Array(SampleShop.rows.prefix(12))
    var images = SampleShop.images
    let picture = try #require(images["4.png"])
    for number in rows.indices {
      let name = "v\(number).png"
      images[name] = PixelImage(
        width: picture.width, height: picture.height, order: .rgb,
        bytes: [UInt8(number)] + picture.rgb.dropFirst())
      rows[number].images = ["images/\(name)"]
      rows[number].group = "lamp"
    }
    let shop = try RunningShop(rows: rows, images: images)
    defer { shop.stop() }
    AppSetup.addDependencies(shop.client().configuration, copy: nil)
    let scene = scene(4, labels: ["lamp"])
    let upload = try #require(scene.pixelBuffer?.withUnsafeBuffer { $0.file.count })
    let before = try await received(by: shop)
    let cards = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 {
        group.addTask { try await ShopVisualQuery().values(for: scene).count }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(cards == [5])
    let intent = ShowAllResults()
    intent.semanticContent = scene
    _ = try await intent.perform()
    let uploaded = try await received(by: shop) - before
    #expect(uploaded > upload && uploaded < upload + 30_000)
    let navigation: Navigation = AppDependency<Navigation>().wrappedValue
    let search: ShopSearch = AppDependency<ShopSearch>().wrappedValue
    let first = await navigation.results
    #expect(first.count == 5)
    #expect(await navigation.answer?.objects.isEmpty == false)
    #expect(await navigation.hasMore)
    var pages = 1
    while await navigation.hasMore, pages < 10 {
      await navigation.showMore(from: search)
      pages += 1
    }
    let all = await navigation.results.map(\.entityID)
    #expect(pages > 1 && all.count == 12 && Set(all).count == 12)
    #expect(try await received(by: shop) - before < upload + 60_000)
  }

  /// Would break if a device computed other signatures than the service, or sent the picture, too.
  @Test func `a signature finds what its picture finds, and the picture stays on the device`()
    async throws
  {
    let image = SampleShop.image(seed: 3)
    var bytes: [UInt8] = []
    for row in 0..<image.height {
      for column in 0..<image.width {
        let start = (row * image.width + column) * 3
        bytes += [image.rgb[start + 2], image.rgb[start + 1], image.rgb[start], 0xFF]
      }
      bytes += [UInt8](repeating: 0x55, count: 64)
    }
    let stride = 4 * image.width + 64
    let signature = PhoneSignature.text(
      of: CVPixelBuffer(
        standInFormat: kCVPixelFormatType_32BGRA, width: image.width, height: image.height,
        planes: [(bytes, stride)]))
    #expect(try signature == shop.signature(of: image))
    let search = ShopSearch(shop.client().configuration, signing: PhoneSignature.text)
    let scene = SemanticContentDescriptor(
      standInLabels: ["lamp"],
      pixelBuffer: CVReadOnlyPixelBuffer(
        unsafeBuffer: CVPixelBuffer(
          standInFormat: kCVPixelFormatType_32BGRA, width: image.width, height: image.height,
          planes: [(bytes, stride)])))
    let before = try await received(by: shop)
    let found = try await search.matches(for: scene)
    #expect(found.entities.first?.id == "p3")
    #expect(try await received(by: shop) - before < 26_000)
  }

  /// Would break if the white ground of a packshot shone on a dark card.
  @Test func `cards have the background that the app chose`() async throws {
    let side = 240
    var bytes = [UInt8](repeating: 250, count: 3 * side * side)
    for pixel in 0..<side * side
    where (60..<180).contains(pixel / side) && (60..<180).contains(pixel % side) {
      bytes.replaceSubrange(3 * pixel..<3 * pixel + 3, with: [200, 30, 40])
    }
    var rows = Array(SampleShop.rows.prefix(1))
    rows[0].images = ["images/packshot.png"]
    let packshot = try #require(PixelImage(width: side, height: side, bytes: bytes))
    let shop = try RunningShop(rows: rows, images: ["packshot.png": packshot])
    defer { shop.stop() }
    for (background, start) in [
      (.transparent, [0x89, 0x50]), (.dark, [0xFF, 0xD8]), (nil, [0xFF, 0xD8]),
    ] as [(ShopClient.ThumbnailBackground?, [UInt8])] {
      let search = ShopSearch(shop.client().configuration, background: background)
      let cards = await search.illustrated(try await search.entities(.product, ["p0"])) { $1 }
      #expect(cards.first??.starts(with: start) == true, "\(String(describing: background))")
    }
  }

  @Test func `an image and words are searched by intents`() async throws {
    let image = FindInImage()
    image.image = IntentFile(data: SampleShop.image(seed: 2).png, filename: "photo.png")
    let found = try await image.perform().value
    #expect(found?.first?.id == "p2" && found?.first?.image?.starts(with: [0xFF, 0xD8]) == true)
    let words = SearchShop()
    (words.words, words.brand) = ("thing 777", "Aster")
    let named = try #require(try await words.perform().value)
    #expect(named.map(\.id) == ["p777"])
    words.brand = "Birch"
    #expect(try await words.perform().value?.isEmpty == true)
    #expect(try await BrandOptions().results().sorted() == ["Aster", "Birch", "Cedar"])
    let unreadable = FindInImage()
    unreadable.image = IntentFile(data: Data("no image".utf8), filename: "a.txt")
    let error = await #expect(throws: ClientError.self) { try await unreadable.perform() }
    #expect(error?.code == .unusableImage)
  }

  @Test func `the shop itself is an entity`() async throws {
    let shop = try await ShopSettingsQuery().uniqueEntity()
    #expect(shop.products == SampleShop.productCount && shop.stores == 2 && shop.visualSearch)
    #expect(try await ShopSettingsQuery().entities(for: [shop.id]).count == 1)
  }

  /// Would break if "Show Thing 0 in Shop" were not known until the next start, or if the system's wish for a new index
  /// were not met.
  @Test func `phrases are told at launch and after a sync, and the index is made again on request`()
    async throws
  {
    let rows = Array(SampleShop.rows.prefix(8))
    let shop = try RunningShop(rows: rows, images: SampleShop.images)
    defer { shop.stop() }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fresh-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func count() -> Int { standInUpdateCount.withLock { $0 } }
    let before = count()
    AppSetup.addDependencies(
      shop.client().configuration, copy: folder.appendingPathComponent("Support/shop.json"))
    #expect(count() == before + 1)
    try await AppSetup.refresh()
    #expect(count() == before + 2)
    let index = CSSearchableIndex(name: "shop")
    #expect(index.stored.entries.count == 8)
    #expect(index.stored.illustrated == Set((0..<6).map { "ProductEntity/p\($0)" }))
    index.stored.attributes = [:]
    try await ProductQuery().reindexEntities(
      for: ["p3"], indexDescription: CSSearchableIndexDescription())
    #expect(index.stored.entries == ["ProductEntity/p3": "Thing 3"])
    try await StoreQuery().reindexEntities(
      for: ["p3"], indexDescription: CSSearchableIndexDescription())
    #expect(index.stored.entries.count == 1)
    try await ProductQuery().reindexAllEntities(indexDescription: CSSearchableIndexDescription())
    #expect(index.stored.entries.count == 8)
  }

  @Test func `what a person taps in the app is donated, and what the system opens is not`()
    async throws
  {
    let found = try await ProductQuery().entities(for: ["p1"])
    let navigation = Navigation()
    let before = IntentDonationManager.standInCount
    await navigation.open(try #require(found.first).entity)
    #expect(IntentDonationManager.standInCount == before)
    await navigation.select(try #require(found.first).entity)
    #expect(IntentDonationManager.standInCount == before + 1)
    #expect(await navigation.opened?.id == "p1")
    let store = try #require(try await StoreQuery().suggestedEntities().first)
    await navigation.select(store.entity)
    #expect(IntentDonationManager.standInCount == before + 2)
    #expect(await navigation.opened?.entityID == store.entity.entityID)
  }

  @Test func `the queries of the system are answered`() async throws {
    let query = ProductQuery()
    #expect(try await query.entities(matching: "thing 777").map(\.id) == ["p777"])
    #expect(try await query.entities(for: ["p7", "none", "p3"]).map(\.id) == ["p7", "p3"])
    #expect(try await query.allEntities().count == SampleShop.productCount)
    #expect(!(try await query.suggestedEntities().isEmpty))
    let cheap = try await query.entities(
      matching: [PropertyQuestion.Comparator("price", .lessThanOrEqualTo, "4.5")], mode: .and,
      sortedBy: [EntityQuerySort(standInBy: \ProductEntity.$amount, order: .descending)], limit: 3)
    #expect(cheap.map(\.id) == ["p4", "p3", "p2"])
    #expect(try await StoreQuery().entities(for: ["south, west"]).map(\.name) == ["South"])
    #expect(try await StoreQuery().suggestedEntities().count == 2)
    let stores = try await StoreQuery().entities(
      matching: [PropertyQuestion.Comparator("title", .contains, "ou")], mode: .and,
      sortedBy: [EntityQuerySort(standInBy: \StoreEntity.$name, order: .ascending)], limit: 3)
    #expect(stores.map(\.id) == ["south, west"])
  }

  @Test func `Spotlight's index is kept in step over ten generations with a small state`()
    async throws
  {
    var rows = Array(SampleShop.rows.prefix(40))
    let shop = try RunningShop(rows: rows, images: SampleShop.images)
    defer { shop.stop() }
    let spotlight = SpotlightIndex(client: shop.client(), name: UUID().uuidString)
    try await spotlight.update()
    for generation in 0..<10 {
      rows[generation].title = "Changed \(generation)"
      rows.remove(at: 20)
      rows.append(Row(type: .store, id: "s\(generation)", title: "Store \(generation)"))
      try shop.publish(rows)
      try await spotlight.update()
      let stored = CSSearchableIndex(name: spotlight.name).stored
      #expect(try #require(stored.clientState).count <= 250)
      let expected = rows.map { row in
        ("\(row.type == .product ? "Product" : "Store")Entity/\(row.id)", row.title)
      }
      #expect(stored.entries == Dictionary(uniqueKeysWithValues: expected))
    }
  }

  @Test func `without a connection, the labels are answered from the copy on the device`()
    async throws
  {
    let shop = try RunningShop(rows: Array(SampleShop.rows.prefix(30)), images: SampleShop.images)
    let search = ShopSearch(shop.client().configuration, copy: copy)
    try await search.updateCopy()
    shop.stop()
    let scene = scene(0, labels: ["lamp"])
    let answer = try await search.matches(for: scene)
    #expect(!answer.isFromService && answer.entities.count == 8 && answer.continuation == nil)
    #expect(try await search.entities(.product, ["p5", "none"]).map(\.id) == ["p5"])
    #expect(try await search.suggestedEntities(.product).count == 20)
    #expect(try await search.entities(matching: "thing 12", .product).map(\.id) == ["p12"])
    let error = await #expect(throws: ClientError.self) {
      try await ShopSearch(shop.client().configuration).matches(for: scene)
    }
    #expect(error?.code == .offline)
  }

  @Test func `what cannot be searched is told in a sentence`() async throws {
    let navigation = Navigation()
    let buffer = CVReadOnlyPixelBuffer(
      unsafeBuffer: CVPixelBuffer(file: Data("no image".utf8), width: 10, height: 10))
    let german = ShopSearch(shop.client("de").configuration)
    let scene = SemanticContentDescriptor(standInLabels: [], pixelBuffer: buffer)
    await navigation.search { try await german.matches(for: scene) }
    #expect(await navigation.message?.contains("Bild") == true)
    #expect(await navigation.results.isEmpty)
    // A scene with neither is no question.
    let nothing = SemanticContentDescriptor(standInLabels: [], pixelBuffer: nil)
    #expect(try await german.matches(for: nothing).entities.isEmpty)
  }
}
