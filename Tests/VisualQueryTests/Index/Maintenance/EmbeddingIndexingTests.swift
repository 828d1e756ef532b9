@testable import ShopBase
@testable import ShopFeeds
@testable import ShopIndex
@testable import ShopModel
@testable import ShopScale
@testable import ShopSearch
@testable import ShopStore
import Foundation
import PixelMatch
import Reading
import TestSupport
import Testing

import VisualQuery

/// A model in the process: the vectors of images, and what is similar.
@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct EmbeddingIndexingTests {
  private let shop: DrawnShop
  private let folder: ModelFolder
  private let models: ReadingModels
  private let encoder: ImageEncoder

  /// The colors of three kinds of things. The model of the tests sees nothing else.
  private static let kinds: [(name: String, color: [Int])] = [
    ("tomato", [225, 50, 40]), ("lettuce", [50, 215, 60]), ("plum", [60, 50, 225]),
  ]

  init() throws {
    shop = try DrawnShop()
    folder = try ModelFolder(image: ONNXModel.encoder())
    models = try ReadingModels(folder: folder.path)
    encoder = try #require(models.image)
  }

  /// Returns an image with a pattern in nearly one color.
  private func image(_ color: [Int], seed: Int) throws -> PixelBuffer {
    let bytes = (0..<96 * 96).flatMap { place -> [UInt8] in
      let (x, y) = (place % 96, place / 96)
      let stripe = (x * (seed % 5 + 1) / 7 + y * (seed % 7) / 9) % 3
      let shift = [seed % 4 * 8 - 12, seed % 3 * 10 - 10, seed % 5 * 6 - 12]
      return (0..<3).map { UInt8(max(0, min(255, color[$0] + shift[$0] + 12 * stripe))) } + [255]
    }
    return try PixelBuffer(width: 96, height: 96, format: .rgba8, bytes: bytes)
  }

  private func write(_ image: PixelBuffer, to name: String) throws {
    _ = try shop.folder.write(
      try ImageDecoder().jpeg(of: image, longerSide: 96, quality: 95), to: name)
  }

  /// Indexes eight things of each kind, without vectors.
  private func index(fields: (_ kind: String) -> String = { #""labels":["\#($0)"]"# }) async throws
  {
    var rows: [String] = []
    for number in 0..<24 {
      let kind = Self.kinds[number % 3]
      try write(image(kind.color, seed: number), to: "p\(number).jpg")
      rows.append(DrawnShop.row("p\(number)", #""title":"T\#(number)",\#(fields(kind.name))"#))
    }
    try await shop.run(rows)
  }

  private func embed(
    by encoder: ImageEncoder? = nil
  ) async throws -> CatalogueUpkeep.EmbeddingSummary {
    try await CatalogueUpkeep(directory: shop.index).embed(by: encoder ?? self.encoder)
  }

  private func kind(of match: Match) -> String {
    String(match.value.id.value.dropFirst()).isEmpty
      ? "" : Self.kinds[(Int(match.value.id.value.dropFirst()) ?? 0) % 3].name
  }

  private func answer(
    _ image: PixelBuffer, with models: ReadingModels?, similar: Bool = false,
    minimumConfidence: Double? = 1
  ) async throws -> MatchResponse {
    var matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    matcher.models = models
    return try await matcher.values(
      for: SemanticContent(pixelBuffer: image),
      options: MatchOptions(
        minimumConfidence: minimumConfidence, timeout: nil, showsSimilar: similar))
  }

  // Would break if an interrupted run began again, or if each run made a generation.
  @Test func `each image gets its vector once`() async throws {
    try await index()
    let first = try await embed()
    #expect(first.embedded == 24 && first.unavailable == 0 && first.supplied == 0)
    #expect(first.knowsKinds && first.model == encoder.name)
    let again = try await embed()
    #expect(again.embedded == 0 && again.generation == first.generation)
    let status = try await CatalogueUpkeep(directory: shop.index).status()
    #expect(status.vectors?.name == encoder.name && status.vectors?.files.count == 2)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
    // Things that change keep the vectors of their images.
    try await index(fields: { #""labels":["\#($0)","food"]"# })
    #expect(try await embed().embedded == 0)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  @Test func `another model replaces all vectors`() async throws {
    try await index()
    _ = try await embed()
    let other = try ModelFolder(image: ONNXModel.encoder(height: nil))
    let otherEncoder = try #require(try ReadingModels(folder: other.path).image)
    #expect(try await embed(by: otherEncoder).embedded == 24)
    #expect(try Catalogue(directory: shop.index).imageModel?.name == otherEncoder.name)
    let answer = try await answer(image([220, 50, 40], seed: 30), with: models)
    #expect(answer.diagnostics.isEmbeddingCompared == false && answer.similar == nil)
  }

  @Test func `vectors that came with an entity stay`() async throws {
    try write(image([220, 50, 40], seed: 1), to: "p0.jpg")
    try await shop.run([
      DrawnShop.row(
        "p0", #""title":"T","embeddings":{"model":"own","vectors":["ADwAPA"]}"#)
    ])
    let summary = try await embed()
    #expect(summary.embedded == 0 && summary.supplied == 1)
    let catalogue = try Catalogue(directory: shop.index)
    #expect(
      catalogue.segments(of: .product).first?.segment.embedding(at: 0)?.model
        == ImageEmbedding.fingerprint(of: "own"))
  }

  @Test func `an image that is gone is counted, and the others get vectors`() async throws {
    try await index()
    try FileManager.default.removeItem(atPath: shop.folder.path + "/p5.jpg")
    let summary = try await embed()
    #expect(summary.embedded == 23 && summary.unavailable == 1)
    #expect(summary.firstReason?.contains("p5.jpg") == true)
    #expect(try Catalogue(directory: shop.index).imageCount == 24)
  }

  @Test func `things of the same kind are similar, and others are not`() async throws {
    try await index()
    _ = try await embed()
    for (number, kind) in Self.kinds.enumerated() {
      let answer = try await answer(image(kind.color, seed: 40 + number), with: models)
      #expect(
        answer.matches.isEmpty && answer.diagnostics.isEmbeddingCompared == true
          && answer.isComplete)
      let similar = try #require(answer.similar)
      #expect(similar.count > 1 && similar.count <= 8)
      #expect(similar.allSatisfy { self.kind(of: $0) == kind.name && $0.confidence >= 0.5 })
      #expect(similar.map(\.confidence) == similar.map(\.confidence).sorted(by: >))
      #expect(Set(similar.map(\.value.id)).isDisjoint(with: answer.possible.map(\.value.id)))
      #expect(similar.allSatisfy { $0.tier == .similar })
    }
    // A yellow thing is of none of the kinds.
    let other = try await answer(image([225, 215, 60], seed: 9), with: models, similar: true)
    #expect(other.similar == [])
  }

  @Test func `a product type comes before labels, and variants have one place`() async throws {
    try await index(fields: {
      #""labels":["food"],"productType":"Food > \#($0)","group":"\#($0)""#
    })
    #expect(try await embed().knowsKinds == false)
    try await index(fields: { #""labels":["food"],"productType":"Food > \#($0)""# })
    #expect(try await embed().knowsKinds)
  }

  // Would break if vectors changed an answer that no model asks for.
  @Test func `without a model the answer is that of an index without vectors`() async throws {
    try await index()
    let query = try image(Self.kinds[0].color, seed: 3)
    let before = try await answer(query, with: nil, minimumConfidence: 0)
    _ = try await embed()
    let after = try await answer(query, with: nil, minimumConfidence: 0)
    #expect(after.similar == nil && after.diagnostics.isEmbeddingCompared == nil)
    #expect(before.matches == after.matches && before.possible == after.possible)
  }

  @Test func `similar things beside a sure one are listed on request`() async throws {
    try await index()
    _ = try await embed()
    let query = try image(Self.kinds[1].color, seed: 1)
    let sure = try await answer(query, with: models, minimumConfidence: 0.01)
    #expect(!sure.matches.isEmpty && sure.similar == nil)
    let asked = try await answer(query, with: models, similar: true, minimumConfidence: 0.01)
    let similar = try #require(asked.similar)
    #expect(Set(similar.map(\.value.id)).isDisjoint(with: asked.matches.map(\.value.id)))
    #expect(asked.matches == sure.matches)
  }

  // Would break if a model, which hardly sees colors, chose among variants.
  @Test func `variants count alike by the model`() async throws {
    try await index(fields: { _ in #""labels":["food"],"group":"all""# })
    _ = try await embed()
    var matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    matcher.models = models
    let state = try await matcher.run(
      SemanticContent(pixelBuffer: image(Self.kinds[0].color, seed: 50)),
      MatchOptions(timeout: nil), deadline: nil)
    let images = Scoring(state).wholeImages.map(\.image)
    #expect(images.count == 24 && Set(images.map { $0.embedding ?? -1 }).count > 1)
    let shares = images.map { image in
      var evidence = image.evidence
      evidence.embedding = nil
      return image.score - evidence.score(with: image.highest)
    }
    let (least, most) = (shares.min() ?? 0, shares.max() ?? 0)
    #expect(most - least < 1e-9 && most > 0)
  }

  // Would break if words without an image found nothing, or beside an image only what it shows.
  @Test func `words find images, alone and beside an image`() async throws {
    try await index()
    _ = try await embed()
    try folder.put(words: ONNXModel.words(), tokenizer: SmallTokenizer.clip.bytes())
    var matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    matcher.models = models
    #expect(!matcher.searchesByWords)
    var asked = SemanticContent()
    asked.text = "a Green mug"
    let options = MatchOptions(timeout: nil)
    #expect(try await matcher.values(for: asked, options: options).matches.isEmpty)
    matcher.models = try ReadingModels(folder: folder.path)
    #expect(matcher.searchesByWords)
    for (text, kind) in [("a Green mug", "lettuce"), ("red", "tomato"), ("blue", "plum")] {
      asked.text = text
      let answer = try await matcher.values(for: asked, options: options)
      #expect(answer.isComplete && answer.hasMore && answer.matches.count == 5)
      #expect(answer.matches.allSatisfy { self.kind(of: $0) == kind && $0.tier == .similar })
      #expect(answer.matches.map(\.confidence) == answer.matches.map(\.confidence).sorted(by: >))
      let token = try #require(answer.continuation)
      let rest = try await matcher.values(continuing: token, limit: 50, timeout: nil)
      #expect(Set(rest.matches.map(\.value.id)).isDisjoint(with: answer.matches.map(\.value.id)))
      // The image is red, and the words say what is to be different.
      var both = SemanticContent(pixelBuffer: try image(Self.kinds[0].color, seed: 41))
      both.text = text
      let state = try await matcher.run(both, options, deadline: nil)
      let nearest = state.findings.searches.flatMap {
        $0.nearest(to: state.findings.embedding!)
      }

      .max { $0.value.cosine < $1.value.cosine }
      let value = try catalogueValue(nearest?.key)
      #expect(Self.kinds[(Int(value.dropFirst()) ?? 0) % 3].name == kind)
    }
    asked.text = "red"
    let late = try await matcher.values(for: asked, options: MatchOptions(timeout: .zero))
    #expect(!late.isComplete)
    var filtered = MatchOptions(timeout: nil)
    filtered.filters = [.product: EntityFilter(labels: ["plum"])]
    let plums = try await matcher.values(for: asked, options: filtered)
    #expect(plums.matches.allSatisfy { self.kind(of: $0) == "plum" })
    // Vectors of another model are not compared with.
    asked = SemanticContent(pixelBuffer: try image(Self.kinds[0].color, seed: 41))
    asked.text = "green"
    asked.embedding = try ImageEmbedding(model: "own", vector: [1, 0, 0])
    let own = try await matcher.run(asked, options, deadline: nil)
    #expect(own.findings.embedding == asked.embedding)
  }

  private func catalogueValue(_ key: UInt32?) throws -> String {
    let key = try #require(key)
    return try Catalogue(directory: shop.index).ids(keys: [key])[key]?.value ?? ""
  }

  @Test func `a deadline that passes leaves the model out`() async throws {
    try await index()
    _ = try await embed()
    var matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    matcher.models = models
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: try image([220, 50, 40], seed: 2)),
      options: MatchOptions(timeout: .zero))
    #expect(!answer.isComplete)
  }

  @Test func `an index without vectors does not ask the model`() async throws {
    try await index()
    let answer = try await answer(image([220, 50, 40], seed: 2), with: models, similar: true)
    #expect(
      answer.diagnostics.isEmbeddingCompared == false && answer.isComplete && answer.similar == [])
  }
}

@Suite struct KindCalibrationTests {
  private func images(_ count: Int, same: Double, other: Double) -> [[KindCalibration.Neighbor]] {
    (0..<count).map { number in
      let shift = Double(number % 5) / 10
      return (0..<4).map { _ in .init(likeness: same + shift, isSameKind: true) }
        + (0..<4).map { _ in .init(likeness: other + shift, isSameKind: false) }
    }
  }

  @Test func `kinds that differ are told apart`() throws {
    let fit = try #require(KindCalibration(images(20, same: 2, other: 1)))
    #expect(Calibration.confidence(fit.evidence(cosine: 0.8, distinction: 3)) > 0.9)
    #expect(Calibration.confidence(fit.evidence(cosine: 0.5, distinction: 2)) < 0.1)
    #expect(Calibration.confidence(fit.evidence(cosine: -0.5, distinction: 9)) < 0.1)
    #expect(KindCalibration(fit.json) == fit)
  }

  // Would break if a few things, or a model that knows nothing of them, made probabilities.
  @Test func `too few things, or likeness without meaning, tell nothing`() {
    #expect(KindCalibration(images(3, same: 2, other: 1)) == nil)
    #expect(KindCalibration(images(40, same: 1, other: 2)) == nil)
    #expect(KindCalibration([]) == nil)
    #expect(KindCalibration(.object([:])) == nil)
  }
}
