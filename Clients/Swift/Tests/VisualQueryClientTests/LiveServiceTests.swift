import Foundation
import Testing

@testable import VisualQueryClient

/// The client against `vq serve`: all calls that an app makes.
@Suite(.enabled(if: RunningShop.command != nil, RunningShop.reason), .serialized, .liveShop)
struct LiveServiceTests {
  private func shop() throws -> RunningShop { try #require(LiveShop.current) }

  @Test func `an image finds its product, with a card and a thumbnail that can be loaded`()
    async throws
  {
    let client = try shop().client()
    let answer = try await client.match(
      MatchQuestion(image: .pixels(SampleShop.image(seed: 3)), labels: ["a, b"]))
    let best = try #require(answer.values.first)
    #expect(best.id == "p3" && best.type == .product && best.confidence > 0.9)
    #expect(best.entity.product?.brand == "Aster" && best.entity.product?.price?.amount == "3.50")
    #expect(best.display.synonyms == ["object 3"])
    #expect(best.url?.absoluteString == "https://shop.example/p/p3")
    #expect(answer.unmatchedLabels == ["a, b"])
    let image = try #require(best.display.image)
    #expect(try await client.thumbnail(image).starts(with: [0xFF, 0xD8]))
    for size in ShopClient.ThumbnailSize.allCases {
      let url = try #require(client.thumbnailURL(of: EntityID(.product, "p3"), size: size))
      #expect(try await client.thumbnail(url).starts(with: [0xFF, 0xD8]))
    }
  }

  @Test func `a file is prepared before it is uploaded`() async throws {
    var client = try shop().client()
    let whole = SampleShop.image(seed: 2)
    client.configuration.prepareImage = { data in
      #expect(data == Data([1, 2, 3]))
      return whole.scaled(toLongSide: 200).png
    }
    let answer = try await client.match(MatchQuestion(image: .file(Data([1, 2, 3]))))
    #expect(answer.values.first?.id == "p2")
    let entity = try #require(answer.values.first?.entity)
    let encoded = try JSONEncoder().encode(entity)
    #expect(try JSONDecoder().decode(Entity.self, from: encoded) == entity)
  }

  @Test func `a signature finds what its image finds, which stays on the device`() async throws {
    let shop = try shop()
    let image = SampleShop.image(seed: 5)
    let signature = try shop.signature(of: image)
    #expect(signature.utf8.count > 1000)
    let client = shop.client()
    let answer = try await client.match(MatchQuestion(image: .signature(signature)))
    let whole = try await client.match(MatchQuestion(image: .pixels(image)))
    #expect(answer.values.first?.id == "p5")
    #expect(answer.values.map(\.id) == whole.values.map(\.id))
  }

  @Test func `an image that cannot be read has a message in the language of the app`() async throws
  {
    let client = try shop().client("de")
    let error = await #expect(throws: ClientError.self) {
      try await client.match(MatchQuestion(image: .file(Data("no image".utf8))))
    }
    #expect(error?.code == .unusableImage)
    #expect(error?.problem?.code == "unsupportedFormat")
    #expect(error?.userMessage.contains("Bild") == true)
  }

  @Test(arguments: [("en", "Thing 0"), ("de-CH", "Ding 0"), ("fr", "Chose 0")])
  func `titles are in the language of the app`(language: String, title: String) async throws {
    let client = try shop().client(language)
    #expect(try await client.entity(for: EntityID(.product, "p0"))?.display.title == title)
    #expect(try await client.entity(for: EntityID(.product, "none")) == nil)
  }

  @Test func `more results continue without the image, over new generations, each entity once`()
    async throws
  {
    let shop = try shop()
    let client = shop.client()
    let first = try await client.match(MatchQuestion(labels: ["lamp"], limit: 8, products: 8))
    #expect(first.values.count == 8 && first.hasMore)
    var rows = SampleShop.rows
    rows[40].title = "Renamed"
    try shop.publish(rows)
    var ids = first.values.map(\.id)
    var token = try #require(first.continuation)
    while true {
      let page = try await client.moreResults(continuing: token)
      #expect(page.generation > first.generation)
      ids += page.values.map(\.id)
      guard page.hasMore, let next = page.continuation else { break }
      token = next
    }
    #expect(ids.count > 8 && Set(ids).count == ids.count)
    try shop.publish(SampleShop.rows)
    let narrowed = try await client.moreResults(
      continuing: try #require(first.continuation), conditions: ["price<3"])
    #expect(narrowed.values.map(\.id).sorted() == ["p1", "p2"] && !narrowed.hasMore)
    var pages: [MatchAnswer] = []
    for try await page in client.pages(of: MatchQuestion(labels: ["lamp"], limit: 8, products: 8)) {
      pages.append(page)
    }
    #expect(pages.flatMap(\.values).map(\.id) == ids)
    let error = await #expect(throws: ClientError.self) {
      try await client.moreResults(continuing: "nonsense")
    }
    #expect(error?.code == .expired)
  }

  @Test func `1 200 ids are resolved in their order, and the missing ones are named`() async throws
  {
    let client = try shop().client()
    var ids = (0..<SampleShop.productCount).map { EntityID(.product, "p\($0)") }
    ids.insert(EntityID(.product, "gone"), at: 1100)
    ids.append(EntityID(.store, "south, west"))
    let answer = try await client.entities(for: ids)
    #expect(answer.entities.map(\.entityID) == ids.filter { $0.id != "gone" })
    #expect(answer.missing == ["product:gone"])
    #expect(try await client.entities(for: []).entities.isEmpty)
  }

  @Test func `all entities are listed once`() async throws {
    let client = try shop().client()
    var ids: [EntityID] = []
    for try await page in client.allEntities(pageSize: 500) { ids += page.map(\.entityID) }
    #expect(ids.count == SampleShop.productCount + 2 && Set(ids).count == ids.count)
  }

  @Test func `a code that was read on the device comes first, and a wrong one is named`()
    async throws
  {
    let answer = try await shop().client().match(
      MatchQuestion(
        image: .pixels(SampleShop.image(seed: 3)), codes: ["4006381333931", "4006381333932"],
        facets: ["brand"], subject: .catalogued))
    #expect(answer.values.prefix(2).map(\.id) == ["p1", "p3"])
    #expect(answer.values.first?.tier == .code)
    #expect(answer.unmatchedCodes?.map(\.reason) == ["invalid"])
    let brands = try #require(answer.facets?.facets.first)
    #expect(brands.values.map(\.count).reduce(0, +) == brands.entityCount)
  }

  /// Would break if the service did not read what the package sends.
  @Test func `an embedding is read, and compared with nothing if the shop has none`() async throws {
    let embedding = ImageEmbedding(model: "print-2", vector: (0..<768).map { Float($0 % 11) - 5 })
    let answer = try await shop().client().match(
      MatchQuestion(image: .pixels(SampleShop.image(seed: 3)), embedding: embedding))
    #expect(answer.embeddingCompared == false && answer.values.first?.id == "p3")
    let plain = try await shop().client().match(
      MatchQuestion(image: .pixels(SampleShop.image(seed: 3))))
    #expect(plain.embeddingCompared == nil)
  }

  @Test func `facets, names, phrases, settings and links are given`() async throws {
    let client = try shop().client("de")
    let facets = try await client.facets(
      ["brand", "price"], type: .product, conditions: ["price<10"])
    #expect(facets.entityCount == 8 && facets.facets[0].values.count == 3)
    #expect(facets.facets[1].range == .init(minimum: 1.5, maximum: 9.5))
    let options = try await client.facets(["brand"], prefix: "b")
    #expect(options.facets[0].values.map(\.value) == [.string("Birch")])
    let settings = try await client.settings()
    #expect(settings.visualSearch && settings.products == SampleShop.productCount)
    #expect(try await client.schema().types["store"]?.plural == "Filialen")
    #expect(try await client.phrases().shortcuts.count == 2)
    let link = try #require(URL(string: "https://shop.example/p/p7?utm_source=mail"))
    #expect(try await client.entity(forLink: link)?.id == "p7")
    let other = try #require(URL(string: "https://shop.example/none"))
    #expect(try await client.entity(forLink: other) == nil)
    let model = try await client.model(of: EntityID(.product, "p1"))
    #expect(model["price"] == "1,50\u{A0}€" && model["type"] == "Produkt")
    #expect(try await client.models(matching: "thing 777", limit: 1).map { $0["id"] } == ["p777"])
  }

  @Test func `words, suggestions and conditions find entities`() async throws {
    let client = try shop().client()
    let words = try await client.entities(matching: "thing 777", type: .product)
    #expect(words.map(\.id) == ["p777"])
    #expect(try await client.suggestedEntities(type: .store).count == 2)
    let cheap = try await client.entities(
      PropertyQuestion(
        type: .product, comparators: [.init("price", .lessThanOrEqualTo, "6.50")],
        sortedBy: [.init("price", ascending: false)]))
    #expect(cheap.map(\.id) == ["p6", "p4", "p3", "p2", "p1"])
    let limits = try await client.limits()
    #expect(limits.entities == 1000 && limits.pictureTypes.contains("image/jpeg"))
  }

  @Test func `a copy follows ten generations with a small state`() async throws {
    var rows = Array(SampleShop.rows.prefix(60))
    let shop = try RunningShop(rows: rows, images: SampleShop.images)
    defer { shop.stop() }
    let client = shop.client()
    var copy = EntityCopy()
    func update(_ client: ShopClient) async throws {
      _ = try await client.updateCopy(from: copy.copyState) { copy.apply($0) }
    }
    try await update(client)
    #expect(copy.count == rows.count)
    for generation in 0..<10 {
      rows[generation].title = "Changed \(generation)"
      rows.remove(at: 30)
      rows.append(Row(id: "new\(generation)", title: "New \(generation)", labels: ["fresh"]))
      try shop.publish(rows)
      // The app starts again with the copy that the device has stored.
      copy = try JSONDecoder().decode(EntityCopy.self, from: JSONEncoder().encode(copy))
      #expect(try #require(copy.state).count <= CopyState.byteLimit)
      try await update(client)
      let ids = Set(rows.map { EntityID($0.type, $0.id) })
      #expect(ids.symmetricDifference(copy.entities.map(\.entityID)) == [])
      #expect(
        copy.entities(for: [EntityID(.product, "p\(generation)")]).first?.display.title
          == "Changed \(generation)")
    }
    #expect(copy.entities(withLabels: ["Fresh"], limit: 3).map(\.id) == ["new0", "new1", "new2"])
    try await update(shop.client("de"))
    #expect(copy.entities(for: [EntityID(.product, "p5")]).first?.display.title == "Ding 5")
    #expect(copy.copyState?.language == "de")
  }

  /// Would break if cards had no images with a service that has keys, or if each card loaded its image anew.
  @Test func `the images of cards are loaded side by side, once, with the key`() async throws {
    let shop = try shop()
    let client = shop.client()
    let entities = try await client.entities(
      for: (0..<8).map { EntityID(.product, "p\($0)") }
    ).entities
    let loader = ThumbnailLoader(client: client)
    let images = await loader.images(of: entities, within: .seconds(30))
    #expect(Set(images.keys.map(\.id)) == ["p0", "p1", "p2", "p3", "p4", "p5"])
    #expect(images.values.allSatisfy { $0.starts(with: [0xFF, 0xD8]) })
    let again = await loader.images(of: entities, within: .zero)
    #expect(again == images)
    let small = await loader.images(of: entities, size: .small, within: .seconds(30))
    #expect(small.count == 6 && small.allSatisfy { $0.value.count < images[$0.key]?.count ?? 0 })
    // These images have no plain background, and stay as they are.
    let dark = await loader.images(of: entities, background: .dark, within: .seconds(30))
    #expect(dark == images)
    var keyless = client
    keyless.configuration.key = nil
    #expect(
      await ThumbnailLoader(client: keyless).images(of: entities, within: .seconds(30)).isEmpty)
  }

  @Test func `variants, objects and outlines are read`() async throws {
    let answer = try await shop().client().match(
      MatchQuestion(
        image: .pixels(SampleShop.image(seed: 3)), isGrouped: true, minConfidence: 0.2,
        at: Date(), usesFeedback: false))
    let best = try #require(answer.values.first)
    #expect(best.object == 1 && answer.objects.first?.number == 1)
    #expect(try #require(best.alignment).outline.count >= 3)
    #expect(best.matchedImage?.contains("/thumbnail") == true)
    let part = try await shop().client().match(
      MatchQuestion(
        image: .pixels(SampleShop.image(seed: 3)),
        region: ImageRegion(left: 0.1, top: 0.1, width: 0.8, height: 0.8)))
    #expect(part.values.first?.id == "p3")
  }

  @Test func `neighbors and history are given, and feedback is taken`() async throws {
    let client = try shop().client()
    let neighbors = try await client.neighbors(of: EntityID(.product, "p3"), limit: 2)
    #expect(neighbors.neighbors.count <= 2)
    let cheap = try await client.neighbors(of: EntityID(.product, "p3"), conditions: ["price<2"])
    #expect(Set(cheap.neighbors.map(\.entity.id)).isSubset(of: ["p1"]))
    let related = try await client.neighbors(of: EntityID(.product, "p3"), relation: .bought)
    #expect(related.neighbors.isEmpty)
    let history = try await client.history(of: EntityID(.product, "p3"))
    #expect(history.added?.generation != nil)
    let answer = try await client.match(MatchQuestion(image: .pixels(SampleShop.image(seed: 3))))
    let stored = try await client.give(
      Statement(
        about: try #require(answer.continuation), chosen: EntityID(.product, "p3"),
        rejected: [EntityID(.product, "p4")]))
    #expect(stored.state == "pending" && stored.chosen == "product:p3")
  }

  @Test func `a copy is written into a folder that does not exist yet`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("new-\(UUID().uuidString)/Application Support")
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    var copy = EntityCopy()
    _ = try await shop().client().updateCopy(from: nil) { copy.apply($0) }
    let file = folder.appendingPathComponent("shop.json")
    try copy.write(to: file)
    let read = EntityCopy(contentsOf: file)
    #expect(read == copy)
    #expect(
      read.entities(matching: "THING 7 aster", type: .product, limit: 3).map(\.id) == [
        "p702", "p705", "p708",
      ])
    #expect(read.suggestedEntities(type: .store, limit: 5).map(\.id) == ["north", "south, west"])
  }
}
