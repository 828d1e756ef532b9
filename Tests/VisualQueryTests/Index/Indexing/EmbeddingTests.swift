@testable import ShopModel
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Embeddings that a shop supplies for its images, and an app for a query.
@Suite struct EmbeddingTests {
  // MARK: Forms

  /// Would break if the numbers of a phone were read as others.
  @Test func `every half-precision number is read`() {
    for bits in UInt16.min...UInt16.max {
      let (found, expected) = (
        ImageEmbedding.number(ofHalf: bits), Float(Float16(bitPattern: bits))
      )
      #expect(found == expected || (found.isNaN && expected.isNaN), "\(bits)")
    }
  }

  private static func base64(_ vector: [Float]) -> String {
    var bytes = Data()
    for number in vector {
      let bits = Float16(number).bitPattern
      bytes.append(contentsOf: [UInt8(bits & 255), UInt8(bits >> 8)])
    }
    return bytes.base64EncodedString()
  }

  @Test(arguments: [
    ("[]", nil), (#"{"vector":"ADw8AA"}"#, "model"), (#"{"model":"m"}"#, "vector"),
    (#"{"model":1,"vector":"ADwAPA"}"#, "model"), (#"{"model":"","vector":"ADwAPA"}"#, "model"),
    (#"{"model":"m","vector":"ADw"}"#, "vector"), (#"{"model":"m","vector":"AD%APA"}"#, "vector"),
    (#"{"model":"m","vector":"ADwAPAA"}"#, "vector"),
    (#"{"model":"m","vector":"AAAAAA"}"#, "vector"),
    (#"{"model":"m","vector":"AHwAPA"}"#, "vector"),
    (#"{"model":"m","vector":"ADwAPA","norm":2}"#, "norm"),
  ])
  func `an embedding that is none is refused by the name of its field`(
    json: String, field: String?
  ) throws {
    let value = try JSONValue(json: Array(json.utf8))
    let error = #expect(throws: FieldError.self) { try ImageEmbedding(json: value) }
    #expect(error?.field == field)
  }

  /// Would break if memory were taken for a vector of any length.
  @Test func `a vector that is too long is refused`() throws {
    let text = String(repeating: "A", count: 20_000)
    let value = JSONValue.object(["model": .string("m"), "vector": .string(text)])
    let error = #expect(throws: FieldError.self) { try ImageEmbedding(json: value) }
    #expect(error?.reason.hasPrefix("must be base64 of at most 4096") == true)
  }

  /// Libraries write either alphabet, with padding or without.
  @Test(arguments: ["+zv/OwA8", "-zv_OwA8", "ADwAPA==", "ADwAPA"])
  func `both alphabets of base64 are read`(text: String) throws {
    let value = JSONValue.object(["model": .string("m"), "vector": .string(text)])
    #expect(try ImageEmbedding(json: value).components.contains(127))
  }

  // MARK: Indexing

  static func vector(_ seed: UInt64) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    // As half precision keeps them.
    return (0..<40).map { _ in Float(Int.random(in: -100...100, using: &generator)) / 64 }
  }

  private static func field(_ vectors: [[Float]?], model: String = "m") -> JSONValue {
    .object([
      "model": .string(model),
      "vectors": .array(vectors.map { $0.map { .string(base64($0)) } ?? .null }),
    ])
  }

  static func embedding(
    _ vector: [Float], model: String = "m"
  ) throws -> ImageEmbedding { try ImageEmbedding(model: model, vector: vector) }

  private static func photo(_ seed: UInt64, count: Int = 9) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    return try PixelBuffer(
      width: 96, height: 80, format: .rgba8,
      bytes: SyntheticPicture.discs(width: 96, height: 80, count: count, using: &generator))
  }

  private static func product(_ id: String, _ embeddings: JSONValue?) -> EntityValue {
    .product(
      Product(
        id: id, title: "T", extra: embeddings.map { ["embeddings": $0] } ?? [:]))
  }

  /// The embeddings of the live images of an index, by the id of their entity and their position.
  static func stored(_ directory: String) throws -> [String: ImageEmbedding] {
    let catalogue = try Catalogue(directory: directory)
    var found: [String: ImageEmbedding] = [:]
    for live in catalogue.segments(of: .product) {
      for row in 0..<live.segment.count where live.isLive(row) {
        let key = live.segment.key(at: row)
        let id = try #require(try catalogue.ids(keys: [key])[key])
        found["\(id.value) \(live.segment.tag(at: row))"] = live.segment.embedding(at: row)
      }
    }
    return found
  }

  private static func put(
    _ value: EntityValue, images: [EntityImage], in indexer: Indexer
  ) async throws -> EntityChange.Outcome {
    let outcomes = Mutex<[EntityChange.Outcome]>([])
    _ = try await indexer.update(with: [.put(value, images: images)]) { outcome in
      outcomes.withLock { $0.append(outcome) }
    }
    return try #require(outcomes.withLock { $0.first })
  }

  /// Would break if vectors were kept in every answer, lost with another field, or not replaced.
  @Test func `vectors go to the images, and stay until others come`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let (one, two, three) = (Self.vector(1), Self.vector(2), Self.vector(3))
    let images = [EntityImage.pixels(try Self.photo(1)), .pixels(try Self.photo(2))]
    func put(_ embeddings: JSONValue?, _ title: String = "T") async throws -> EntityChange.Effect {
      guard case .product(var product) = Self.product("a", embeddings) else { return .refused }
      product.title = title
      return try await Self.put(.product(product), images: images, in: indexer).effect
    }
    func entity() async throws -> EntityValue {
      let catalogue = try Catalogue(directory: indexer.directory)
      let id = EntityID(type: .product, value: "a")
      return try #require(try await EntityLookup(catalogue: catalogue).entities(for: [id]).first)
    }
    #expect(try await put(Self.field([one, nil])) == .added)
    #expect(try Self.stored(indexer.directory) == ["a 0": try Self.embedding(one)])
    let kept = try #require(try await entity().extra["embeddings"])
    guard case .object(let fields) = kept else { throw FieldError(field: nil, reason: "") }
    #expect(fields.keys.sorted() == ["digest", "model"])

    #expect(try await put(Self.field([one, nil])) == .unchanged)
    #expect(try await put(Self.field([two, three])) == .changed)
    let both = ["a 0": try Self.embedding(two), "a 1": try Self.embedding(three)]
    #expect(try Self.stored(indexer.directory) == both)
    // The digest that was read from the catalogue goes back unchanged.
    let digest = try await entity().extra["embeddings"]
    #expect(try await put(digest, "Another title") == .changed)
    #expect(try Self.stored(indexer.directory) == both)
    #expect(try await put(Self.field([two, three]), "Another title") == .unchanged)
    #expect(try await put(kept, "Another title") == .unchanged)
    // Nor does an entity without the field lose them, as an app may put it.
    #expect(try await put(nil, "Another title") == .unchanged)
    #expect(try Self.stored(indexer.directory) == both)
    // Nor does a patch lose them, unless it says so.
    func patch(_ fields: [String: JSONValue]) async throws {
      let id = EntityID(type: .product, value: "a")
      let progress = try await indexer.update(with: [.patch(id, .object(fields))])
      #expect(progress.changed == 1 && progress.signedImages == 0)
    }
    try await patch(["title": .string("Patched")])
    #expect(try Self.stored(indexer.directory) == both)
    try await patch(["embeddings": .null])
    #expect(try Self.stored(indexer.directory) == [:])
    try await patch(["embeddings": Self.field([one, nil])])
    #expect(try Self.stored(indexer.directory) == ["a 0": try Self.embedding(one)])
    try await patch(["embeddings": Self.field([two, three]), "title": .string("Another title")])
    #expect(try Self.stored(indexer.directory) == both)
    #expect(try await put(.null, "Another title") == .changed)
    #expect(try Self.stored(indexer.directory) == [:])
    #expect(try await put(.null, "Another title") == .unchanged)
    #expect(try await CatalogueUpkeep(directory: indexer.directory).verify() == [])
  }

  /// Would break if a vector of an image that was replaced stood for the new one.
  @Test func `an image that changes takes its vector anew`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    func put(_ vector: UInt64?, _ photos: [UInt64]) async throws {
      let field = vector.map { Self.field([Self.vector($0)] + photos.dropFirst().map { _ in nil }) }
      let images = try photos.map { EntityImage.pixels(try Self.photo($0)) }
      _ = try await Self.put(Self.product("a", field), images: images, in: indexer)
    }
    func stored() throws -> [String: ImageEmbedding] { try Self.stored(indexer.directory) }
    let (one, two) = (try Self.embedding(Self.vector(1)), try Self.embedding(Self.vector(2)))
    try await put(1, [1, 5])
    try await put(2, [2, 5])
    #expect(try stored() == ["a 0": two])
    // Without vectors, a new image has none; when they come again, they are new.
    try await put(nil, [3, 5])
    #expect(try stored() == [:])
    try await put(nil, [2, 5])
    #expect(try stored() == [:])
    try await put(2, [2, 5])
    #expect(try stored() == ["a 0": two])
    try await put(nil, [4])
    try await put(1, [1, 5])
    #expect(try stored() == ["a 0": one])
  }

  @Test(arguments: [
    (#""x""#, "embeddings"), (#"{"vectors":[]}"#, "embeddings.model"),
    (#"{"model":"m"}"#, "embeddings.vectors"),
    (#"{"model":"m","vectors":[]}"#, "embeddings.vectors"),
    (#"{"model":"m","vectors":[1]}"#, "embeddings.vectors[0]"),
    (#"{"model":"m","vectors":["AAAA"]}"#, "embeddings.vectors[0]"),
    (#"{"model":"","vectors":["ADwAPA"]}"#, "embeddings.model"),
    (#"{"model":"m","digest":"0"}"#, "embeddings"),
  ])
  func `what is wrong is told, and the image is indexed without`(
    json: String, field: String
  ) async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "a.jpg")
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"T","images":["a.jpg"],"embeddings":\#(json)}"#,
      to: "feed.jsonl")
    let refused = Mutex<[RefusedRow]>([])
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let progress = try await indexer.run(
      path: feed,
      refused: { row in
        refused.withLock { $0.append(row) }
      })
    #expect(progress.signedImages == 1 && progress.warnings == 1)
    #expect(refused.withLock { $0 }.map(\.field) == [field])
    // The report has the row as it came, so that it can be corrected.
    #expect(refused.withLock { $0 }.first?.row?.text.contains(#""embeddings":"#) == true)
    #expect(try Self.stored(folder.path + "/i.vq") == [:])
  }

  // MARK: Lines

  /// Would break if what was signed apart, or exported and imported, lost its vectors.
  @Test func `lines of signed entities carry the vectors`() async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "a.jpg")
    func signed(_ vector: [Float]) async throws -> String {
      let row = JSONValue.object([
        "type": .string("product"), "id": .string("a"), "title": .string("T"),
        "images": .array([.string("a.jpg")]), "embeddings": Self.field([vector]),
      ])
      let path = try folder.write(row.text, to: "part.jsonl")
      let lines = Mutex<[String]>([])
      _ = try await FeedSigner().run(path: path, places: PicturePlaces(root: folder.path)) { line in
        lines.withLock { $0.append(line) }
      }
      return try folder.write(lines.withLock { $0.joined(separator: "\n") }, to: "signed.jsonl")
    }
    let upkeep = CatalogueUpkeep(directory: folder.path + "/i.vq")
    for seed in [1, 2] as [UInt64] {
      let progress = try await upkeep.indexing(signed: [try await signed(Self.vector(seed))])
      #expect(progress.added + progress.changed == 1 && progress.embeddings == 1)
      #expect(
        try Self.stored(upkeep.directory) == ["a 0": try Self.embedding(Self.vector(seed))])
    }
    let generation = try Catalogue(directory: upkeep.directory).generation
    let again = try await upkeep.indexing(signed: [try await signed(Self.vector(2))])
    #expect(again.changed == 0 && again.generation == generation)
  }

  // MARK: Matching

  /// Twenty things that look alike but for their embeddings, and one that looks like nothing else.
  private static func shop() async throws -> (folder: TemporaryDirectory, matcher: Matcher) {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let changes: [EntityChange] = try (0..<20).map { number in
      .put(
        product("p\(number)", field([vector(UInt64(number))])),
        images: [.pixels(try photo(1, count: 3))])
    }
    let other = EntityChange.put(
      product("other", field([vector(99)])), images: [.pixels(try photo(77, count: 60))])
    _ = try await indexer.update(with: changes + [other])
    return (folder, Matcher(unhurried: try Catalogue(directory: indexer.directory)))
  }

  private static func answer(
    _ matcher: Matcher, _ picture: PixelBuffer, _ embedding: ImageEmbedding?
  ) async throws -> MatchResponse {
    var content = SemanticContent(pixelBuffer: picture)
    content.embedding = embedding
    return try await matcher.values(
      for: content,
      options: MatchOptions(
        limit: 30, typeLimits: [.product: 30], minimumConfidence: 0, timeout: nil))
  }

  /// Would break if the embedding were not compared, or that of another model were.
  @Test(arguments: [0, 7, 19])
  func `of things that look alike, the one with the nearest vector comes first`(
    number: Int
  ) async throws {
    let (folder, matcher) = try await Self.shop()
    defer { withExtendedLifetime(folder) {} }
    let picture = try Self.photo(1, count: 3)
    // Nearly the same vector.
    let vector = zip(Self.vector(UInt64(number)), Self.vector(1000)).map { $0 + 0.2 * $1 }
    let found = try await Self.answer(matcher, picture, try Self.embedding(vector))
    #expect(found.matches.first?.value.id.value == "p\(number)")
    #expect(found.diagnostics.isEmbeddingCompared == true)
    let evidence = try #require(found.matches.first?.evidence.first { $0.kind == .embedding })
    #expect((2...EmbeddingContrast.limit).contains(evidence.value))

    let plain = try await Self.answer(matcher, picture, nil)
    let other = try await Self.answer(
      matcher, picture, try Self.embedding(vector, model: "another"))
    #expect(
      plain.diagnostics.isEmbeddingCompared == nil && other.diagnostics.isEmbeddingCompared == false
    )
    #expect(plain.matches == other.matches)
    #expect(!plain.matches.contains { $0.evidence.contains { $0.kind == .embedding } })
  }

  /// Would break if a model that tells all things of the catalogue apart could show nothing, or if one that says nothing could.
  @Test(arguments: [0, 7, 19])
  func `a vector makes sure if it is nearer than strangers come`(number: Int) async throws {
    let (folder, matcher) = try await Self.shop()
    defer { withExtendedLifetime(folder) {} }
    let picture = try Self.photo(500)
    let vector = zip(Self.vector(UInt64(number)), Self.vector(1000)).map { $0 + 0.2 * $1 }
    let sure = try await Self.answer(matcher, picture, try Self.embedding(vector))
      .matches.filter { $0.confidence >= Calibration.defaultCutOff }
    #expect(sure.map(\.value.id.value) == ["p\(number)"])
    let noise = try await Self.answer(
      matcher, picture, try Self.embedding(Self.vector(UInt64(5000 + number))))
    #expect(noise.matches.allSatisfy { $0.confidence < Calibration.defaultCutOff })
  }

  /// Would break if the image that a model finds nearest took the place of the one whose keypoints agree.
  @Test func `an entity shows its best image, with the best of its embeddings`() async throws {
    let (folder, _) = try await Self.shop()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let images = [EntityImage.pixels(try Self.photo(500)), .pixels(try Self.photo(78, count: 60))]
    _ = try await Self.put(
      Self.product("two", Self.field([Self.vector(5), nil])), images: images, in: indexer)
    let matcher = Matcher(unhurried: try Catalogue(directory: indexer.directory))
    let found = try await Self.answer(
      matcher, try Self.photo(78, count: 60), try Self.embedding(Self.vector(5)))
    let first = try #require(found.matches.first)
    #expect(first.value.id.value == "two" && first.matchedImagePosition == 1)
    #expect(try #require(first.evidence.first { $0.kind == .embedding }).value > 2)
  }

  /// Would break if a model could outvote keypoints and colors in their places.
  @Test func `an embedding does not outvote geometry`() async throws {
    let (folder, matcher) = try await Self.shop()
    defer { withExtendedLifetime(folder) {} }
    let found = try await Self.answer(
      matcher, try Self.photo(77, count: 60), try Self.embedding(Self.vector(3)))
    let first = try #require(found.matches.first)
    #expect(first.value.id.value == "other" && first.confidence >= Calibration.defaultCutOff)
  }
}
