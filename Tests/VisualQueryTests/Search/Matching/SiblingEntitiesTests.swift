import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// The answer to an image of a thing whose color the catalogue lacks.
@Suite struct SiblingEntitiesTests {
  private func evidence(
    inliers: Double, patches: Double?, alignedColor: Double? = nil
  ) -> [Evidence] {
    [
      Evidence(kind: .color, value: 0.5, weight: 0),
      Evidence(kind: .inliers, value: inliers, weight: 0),
      alignedColor.map { Evidence(kind: .alignedColor, value: $0, weight: 0) },
      patches.map { Evidence(kind: .patches, value: $0, weight: 0) },
    ].compactMap { $0 }
  }

  /// Would break if a logo that things share, or equal colors, were taken for another color of one thing.
  @Test(
    arguments: [
      (70, 1, nil, true), (30, 0.97, 0.4, true), (70, 0.6, nil, false), (9, 0.85, nil, false),
      (70, 1, 0.9, false), (70, nil, nil, false),
    ] as [(Double, Double?, Double?, Bool)])
  func `siblings agree in all but the color`(
    inliers: Double, patches: Double?, alignedColor: Double?, isSibling: Bool
  ) {
    let probability = SiblingEntities.probability(
      evidence(inliers: inliers, patches: patches, alignedColor: alignedColor))
    #expect(((probability ?? 0) >= SiblingEntities.leastProbability) == isSibling)
  }

  private func scored(_ key: UInt32, _ evidence: [Evidence], confidence: Double) -> ScoredEntity {
    ScoredEntity(
      key: key, type: .product, evidence: evidence, confidence: confidence, tier: .near)
  }

  /// Would break if the variants of the thing were left out since they agree less, if others came before them, or if the order were one of
  /// dictionaries.
  @Test func `the group of what agrees best comes with it`() {
    let candidates = [
      scored(1, evidence(inliers: 12, patches: 0.4), confidence: 0.3),
      scored(2, evidence(inliers: 80, patches: 1), confidence: 0.1),
      scored(3, evidence(inliers: 20, patches: nil), confidence: 0.2),
      scored(4, evidence(inliers: 3, patches: nil), confidence: 0.4),
      scored(5, evidence(inliers: 60, patches: 0.98), confidence: 0.05),
    ]
    let list = SiblingEntities.list(among: candidates) { keys in
      #expect(keys == [1, 2, 3, 4, 5])
      return [2: "shirt", 3: "shirt", 4: "mug"]
    }
    #expect(list.map(\.key) == [3, 2, 5])
    #expect(list[0].confidence == list[1].confidence && list[1].confidence > list[2].confidence)
    let alone = SiblingEntities.list(among: [candidates[0], candidates[3]]) { _ in
      Issue.record("Groups are only read if there are siblings.")
      return [:]
    }
    #expect(alone.isEmpty)
  }

  /// The sample shop without the red mug, asked with its image.
  private func answer(
    _ change: (inout MatchOptions) -> Void = { _ in }
  ) async throws -> (response: MatchResponse, matcher: Matcher) {
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").filter { !$0.contains("\"mug-red\"") }
    let folder = try TemporaryDirectory()
    let feed = try folder.write(rows.joined(separator: "\n") + "\n", to: "catalogue.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(
      path: feed, imagesRoot: SampleShop.folder.path + "/shop")
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    var options = MatchOptions(timeout: nil)
    change(&options)
    let image = try ImageDecoder().contents(
      ofFile: SampleShop.folder.path + "/shop/images/mug-red.jpg")
    return (
      try await matcher.values(for: SemanticContent(decoding: image), options: options), matcher
    )
  }

  private func json(_ response: MatchResponse) throws -> [String: Any] {
    let document = MatchDocument(response, query: "q", elapsed: .zero, projection: nil)
    return try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(document)) as? [String: Any])
  }

  /// Would break if another color were shown as what the image shows, or if the shop had nothing to say.
  @Test func `an image of a color that the shop lacks has the thing in its colors`() async throws {
    let (response, matcher) = try await answer()
    #expect(response.matches.isEmpty && response.possible.isEmpty)
    let ids = response.siblings.map(\.value.id.value)
    #expect(ids.sorted() == ["mug-blue", "mug-cream", "mug-green"])
    #expect(response.siblings.map(\.rank) == [1, 2, 3])
    #expect(response.siblings.allSatisfy { (0.85...1).contains($0.confidence) })
    #expect(Set(response.entityIDs).isSuperset(of: response.siblings.map(\.value.id)))
    let values = try #require(try json(response)["sibling"] as? [[String: Any]])
    #expect(values.map { $0["id"] as? String } == ids)
    // It belongs to the first page.
    let token = try #require(response.continuation)
    #expect(try await matcher.values(continuing: token, timeout: nil).siblings.isEmpty)
  }

  /// Would break if a program that acts alone had to know of siblings, or if what is not asked for came in by them.
  @Test func `sure answers, limits and filters leave siblings out`() async throws {
    let sure = try await answer { $0.answers = .sure }.response
    #expect(sure.siblings.isEmpty)
    #expect(try json(sure)["sibling"] == nil)
    #expect(try await answer { $0.types = [.store] }.response.siblings.isEmpty)
    let filter = EntityFilter(labels: [], comparators: [try #require(EntityComparator("price<1"))])
    #expect(try await answer { $0.filters = [.product: filter] }.response.siblings.isEmpty)
  }

  /// Would break if siblings were told beside a sure thing.
  @Test func `what is sure has no siblings beside it`() async throws {
    let shop = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.path + "/shop.vq"))
    let image = try ImageDecoder().contents(
      ofFile: SampleShop.folder.path + "/shop/images/mug-red.jpg")
    let response = try await matcher.values(
      for: SemanticContent(decoding: image), options: MatchOptions(timeout: nil))
    #expect(response.matches.first?.value.id.value == "mug-red" && response.siblings.isEmpty)
    #expect(try json(response)["sibling"] == nil)
  }
}
