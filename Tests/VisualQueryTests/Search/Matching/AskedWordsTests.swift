import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import ShopModel
@testable import ShopSearch

/// Asks with an image and words beside it: "this, but in green".
@Suite struct AskedWordsTests {
  /// The sample shop, with the colors of things in a field of their own.
  private func shop(
    _ change: (inout [String: Any]) -> Void = { _ in }
  ) async throws -> (folder: TemporaryDirectory, matcher: Matcher) {
    let folder = try TemporaryDirectory()
    var rows: [String] = []
    for line in try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8).split(
      separator: "\n")
    {
      var thing = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      change(&thing)
      let json = try JSONSerialization.data(withJSONObject: thing, options: .sortedKeys)
      rows.append(String(decoding: json, as: UTF8.self))
    }
    let feed = try folder.write(rows.joined(separator: "\n") + "\n", to: "catalogue.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(
      path: feed, imagesRoot: SampleShop.folder.path + "/shop")
    return (folder, Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq")))
  }

  private func answer(
    _ matcher: Matcher, _ image: String, _ text: String, filters: [EntityComparator] = [],
    isGrouped: Bool = false
  ) async throws -> MatchResponse {
    var content = try await matcher.content(decoding: ImageDecoder().contents(ofFile: image))
    content.text = text
    return try await matcher.values(
      for: content,
      options: MatchOptions(
        types: [.product],
        filters: filters.isEmpty ? [:] : [.product: EntityFilter(comparators: filters)],
        timeout: nil, isGrouped: isGrouped))
  }

  /// The ids of what is shown, or listed if nothing is.
  private func ids(_ response: MatchResponse) -> [String] {
    (response.matches.isEmpty ? response.possible : response.matches).map(\.value.id.value)
  }

  /// Would break if the color of the image counted against a sibling whose color is asked for, or if a sibling that is not in the image were
  /// called exact.
  @Test(arguments: [
    ("mug-red", "this, but in green", "mug-green"), ("mug-red", "in blau", "mug-blue"),
    ("mug-green", "the same in cream please", "mug-cream"), ("lamp-teal", "schwarz", "lamp-black"),
    ("bottle-blue", "vert", "bottle-sage"), ("sneaker-red", "in blue", "sneaker-navy"),
    ("tote-navy", "rust", "tote-rust"), ("tea-mint", "rooibos", "tea-rooibos"),
    ("blanket-red", "grau", "blanket-blue"), ("mug-red", "not red but blue", "mug-blue"),
    ("tea-rooibos", "not rooibos", "tea-mint"),
  ])
  func `a sibling that words name comes first`(
    _ image: String, _ text: String, _ meant: String
  ) async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let response = try await answer(matcher, SampleShop.image(image + ".jpg"), text)
    #expect(ids(response).first == meant)
    let first = try #require((response.matches + response.possible).first)
    #expect(first.tier == .similar)
    let words = try #require(first.evidence.last)
    #expect(words.kind == .words && words.weight >= 0 && words.value > 0)
    #expect(response.unmatchedWords == [])
  }

  /// Would break if words changed an answer that has them anyway, or that nothing can meet.
  @Test(arguments: [
    ("red", []), ("camp mug", []), ("", nil), ("this one please", nil), ("in purple", ["purple"]),
    ("diesen in Lila", ["purple"]),
  ])
  func `words that tell nothing apart change nothing`(
    _ text: String, _ unmatched: [String]?
  ) async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let image = SampleShop.image("mug-red.jpg")
    let plain = try await answer(matcher, image, "")
    let response = try await answer(matcher, image, text)
    #expect(response.matches.map(\.value.id) == plain.matches.map(\.value.id))
    #expect(response.matches.first?.tier == .exact)
    #expect(response.matches.first?.confidence == plain.matches.first?.confidence)
    #expect(response.unmatchedWords == unmatched)
  }

  /// Would break if a filter by color left nothing of a thing that the image shows in another color.
  @Test func `a filter that asks for a color finds the sibling of what the image shows`()
    async throws
  {
    let (folder, matcher) = try await shop { thing in
      guard thing["group"] != nil, let id = thing["id"] as? String else { return }
      thing["extra"] = ["color": id.split(separator: "-").last.map(String.init) ?? ""]
    }
    let image = SampleShop.query("q01-mug.jpg")
    for filter in [
      EntityComparator("color", .equalTo("green")),
      EntityComparator("subtitle", .contains("green")),
    ] {
      let response = try await answer(matcher, image, "", filters: [filter])
      #expect(response.matches.map(\.value.id.value) == ["mug-green"])
      #expect(response.matches.first?.evidence.last?.kind == .words)
      #expect(response.unmatchedWords == nil)
    }
    let plant = try await answer(
      matcher, SampleShop.query("q10-plant.jpg"), "",
      filters: [EntityComparator("color", .equalTo("green"))])
    #expect(plant.matches == [] && plant.possible == [])
    withExtendedLifetime(folder) {}
  }

  /// Would break if only groups told what the variants of a thing are.
  @Test func `variants without a group are told by their titles`() async throws {
    let (folder, matcher) = try await shop { thing in
      guard thing["group"] != nil, let id = thing["id"] as? String else { return }
      thing["group"] = nil
      thing["subtitle"] = nil
      thing["localized"] = nil
      thing["title"] = "\(thing["title"] ?? "") \(id.split(separator: "-").last ?? "")"
    }
    for (image, text, meant) in [
      ("mug-red", "green", "mug-green"), ("bottle-blue", "orange", "bottle-orange"),
    ] {
      let response = try await answer(matcher, SampleShop.image(image + ".jpg"), text)
      #expect(ids(response).first == meant)
    }
    withExtendedLifetime(folder) {}
  }

  /// Would break if a size named a thing of another color.
  @Test func `a size keeps the color of the image`() async throws {
    let (folder, matcher) = try await shop { thing in
      guard thing["group"] as? String == "camp-mug", let id = thing["id"] as? String else { return }
      // The large ones have the images of the small ones.
      let isLarge = ["mug-blue", "mug-cream"].contains(id)
      thing["attributes"] = ["size": isLarge ? "500 ml" : "350 ml"]
      thing["subtitle"] = nil
      thing["localized"] = nil
      if isLarge {
        thing["images"] = [id == "mug-blue" ? "images/mug-red.jpg" : "images/mug-green.jpg"]
      }
    }
    for (image, meant) in [("mug-red", "mug-blue"), ("mug-green", "mug-cream")] {
      let response = try await answer(matcher, SampleShop.image(image + ".jpg"), "in 500ml")
      #expect(ids(response).first == meant)
      // The other large one has another color, which nobody asked for.
      let other = meant == "mug-blue" ? "mug-cream" : "mug-blue"
      #expect(!response.matches.contains { $0.value.id.value == other })
    }
    withExtendedLifetime(folder) {}
  }

  /// Would break if a group's card were the variant that the image shows.
  @Test func `the card of a group is the variant that words name`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let response = try await answer(
      matcher, SampleShop.image("sneaker-red.jpg"), "navy", isGrouped: true)
    #expect(response.matches.first?.value.id.value == "sneaker-navy")
    #expect(
      response.matches.first?.variants.map(\.value.id.value).sorted()
        == ["sneaker-red", "sneaker-sage"])
  }

  /// Would break if the token of an answer lost the words: a new search would find what the image shows.
  @Test func `a search that is made again has the words`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let first = try await answer(matcher, SampleShop.image("sneaker-red.jpg"), "navy")
    let token = try #require(first.continuation)
    let again = try await matcher.values(
      continuing: token, fromStart: true, refresh: true, timeout: nil)
    #expect(again.matches.first?.value.id.value == "sneaker-navy")
  }

  @Test func `an evaluation may ask with words`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let query = try #require(
      EvaluationQuery.read(#"{"image":"a.jpg","truth":["mug-green"],"text":"in green"}"#).first)
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.image("mug-red.jpg")),
      longerSide: QuerySignature.workingSide)
    let found = try await matcher.evaluate(query, picture: image, withLabels: false)
    #expect(found.rank == 0)
  }

  @Test(arguments: [
    ("grünes", "green"), ("dunkelblau", "dunkelblau"), ("Verte", "green"), ("grey", "gray"),
    ("ROUGE", "red"), ("weiße", "white"), ("黑色", "black"), ("navy", "navy"), ("mug", nil),
  ])
  func `colors have names in several languages`(_ word: String, _ name: String?) {
    #expect(ColorWords.name(of: LabelText.normalized(word)) == name)
  }

  @Test func `shades belong to colors`() {
    #expect(ColorWords.families(of: "navy") == ["blue"])
    #expect(ColorWords.families(of: "dunkelblau") == ["blue"])
    #expect(ColorWords.families(of: "blue") == [])
  }
}
