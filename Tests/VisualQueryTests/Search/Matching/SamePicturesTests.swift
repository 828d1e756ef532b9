import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// Products that are listed with one and the same image.
@Suite struct SamePicturesTests {
  /// The sample shop, with its oats in three sizes, each a product with the one image that the shop has.
  /// - Parameter others: Further rows of the feed.
  private static func shop(
    sizes: [String], others: [String] = []
  ) async throws -> (TemporaryDirectory, Catalogue) {
    let folder = try TemporaryDirectory()
    let rows =
      others
      + sizes.map { size in
        """
        {"type":"product","id":"oats-\(size)","title":"Oats \(size)","labels":["box"],\
        "images":["images/oats.jpg"],"group":"oats"}
        """
      }
    let samples = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").filter { !$0.contains("\"id\": \"oats\"") }.map(String.init)
    let feed = try folder.write((samples + rows).joined(separator: "\n"), to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq")
      .run(path: feed, imagesRoot: SampleShop.folder.path + "/shop")
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  /// The confidences by the ids of products, also of those beneath the card of another one.
  private func answer(_ catalogue: Catalogue) async throws -> [String: Double] {
    let content = try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query("q06-oats.jpg")))
    let answer = try await Matcher(unhurried: catalogue).values(
      for: content, options: MatchOptions(types: [.product], minimumConfidence: 0, timeout: nil))
    var confidences: [String: Double] = [:]
    for match in answer.matches {
      confidences[match.value.id.value] = match.confidence
      for variant in match.variants { confidences[variant.value.id.value] = variant.confidence }
    }
    return confidences
  }

  /// Would break if products of one image held each other down: none has a lead over the others, so that a photo of a
  /// thing that is sold in three sizes, each a row of the feed, found nothing.
  @Test func `sizes with one image are as sure as one product`() async throws {
    let (single, one) = try await Self.shop(sizes: ["500"])
    let (several, three) = try await Self.shop(sizes: ["250", "500", "1000"])
    let alone = try #require(try await answer(one)["oats-500"])
    #expect(alone >= Calibration.defaultCutOff)
    let together = try await answer(three)
    for size in ["250", "500", "1000"] {
      let confidence = try #require(together["oats-\(size)"])
      // The rarity of a color differs a little between the catalogues.
      #expect(abs(confidence - alone) < 0.01, "\(size)")
    }
    withExtendedLifetime((single, several)) {}
  }

  /// Would break if a store and a product with one image held each other down, so that neither was sure.
  @Test func `a store with the image of a product leaves it as sure`() async throws {
    let store = #"{"type":"store","id":"mill","title":"Mill","images":["images/oats.jpg"]}"#
    let (folder, catalogue) = try await Self.shop(sizes: ["500"], others: [store])
    let content = try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg")))
    let answer = try await Matcher(unhurried: catalogue).values(
      for: content, options: MatchOptions(timeout: nil))
    let shown = answer.matches.map(\.value.id.value)
    #expect(shown.contains("oats-500") && shown.contains("mill"), "\(shown)")
    withExtendedLifetime(folder) {}
  }

  /// Would break if images that are nearly the same were taken for one: their colors tell them apart.
  @Test func `another color is another image`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let catalogue = try Catalogue(directory: folder.path + "/shop.vq")
    let images = catalogue.segments(of: .product).flatMap { live in
      (0..<live.segment.count).map { StoredImage(segment: live.segment, row: $0) }
    }
    let pictures = SamePictures(images + images)
    for first in images.indices {
      for second in images.indices {
        #expect(pictures.areSame(first, second) == (first == second))
        #expect(pictures.areSame(first, second + images.count) == (first == second))
      }
    }
  }

  /// Would break if an order passed a candidate with another image, as it passes those with the same one in a step.
  @Test(arguments: 0..<200) func `an order finds the first candidate with another image`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let numbers = (0..<Int.random(in: 1...20, using: &random)).map { _ in
      Int.random(in: 0..<4, using: &random)
    }
    let pictures = SamePictures(numbered: numbers)
    let order = numbers.indices.shuffled(using: &random)
    let isApart = numbers.map { _ in Int.random(in: 0..<3, using: &random) == 0 }
    for index in numbers.indices {
      let found = RivalOrder(order, pictures).first(besides: index, pictures) { !isApart[$0] }
      #expect(found == order.first { numbers[$0] != numbers[index] && !isApart[$0] })
    }
  }
}
