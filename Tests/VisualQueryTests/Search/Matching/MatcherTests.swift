import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct MatcherTests {
  /// Would break if a question for nothing had a coverage that is not a number.
  @Test func `a question for no type is answered completely`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    let answer = try await matcher.values(
      for: SemanticContent(
        decoding: ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg"))),
      options: MatchOptions(types: [], timeout: nil))
    #expect(answer.isComplete && answer.coverage == 1 && answer.matches.isEmpty)
  }

  /// One catalogue for all tests here; none of them writes.
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  func catalogue() async throws -> Catalogue { try await Self.shared.value.1 }

  private func picture(_ path: String) throws -> PixelBuffer {
    let bytes = try ImageDecoder().contents(ofFile: path)
    return try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide)
  }

  /// Turned and mirrored as a person would in an editor.
  private func turned(_ picture: PixelBuffer, _ variant: DihedralVariant) throws -> PixelBuffer {
    let side = picture.width
    try #require(side == picture.height)
    var pixels: [[UInt8]] = []
    picture.forEachRGBARow { row, _ in pixels.append(row.indices.map { row[$0] }) }
    var bytes: [UInt8] = []
    for i in 0..<side {
      for j in 0..<side {
        let (row, column) =
          switch variant {
          case .flipY: (i, side - 1 - j)
          case .rotate180: (side - 1 - i, side - 1 - j)
          default: (j, side - 1 - i)
          }
        bytes += pixels[row][4 * column..<4 * column + 4]
      }
    }
    return try PixelBuffer(width: side, height: side, format: .rgba8, bytes: bytes)
  }

  private let unhurried = MatchOptions(timeout: nil)

  /// Would break if a small image were searched as it is: a piece of a screenshot has few keypoints, of other sizes than those of the
  /// shop's image, and most of these were not found.
  @Test func `the middle of an image finds its product at 48 pixels`() async throws {
    let catalogue = try await catalogue()
    let matcher = Matcher(unhurried: catalogue)
    for id in ["mug-red", "lamp-teal", "bottle-sage", "sneaker-navy", "tea-rooibos", "board"] {
      let image = try picture(SampleShop.image("\(id).jpg"))
      let middle = image.cropped(
        x: image.width / 10..<image.width * 9 / 10, y: image.height / 10..<image.height * 9 / 10)
      let answer = try await matcher.values(
        for: SemanticContent(pixelBuffer: middle.reduced(toLongerSide: 48)),
        options: MatchOptions(types: [.product], timeout: nil))
      #expect(answer.matches.first?.value.id.value == id)
    }
  }

  @Test(arguments: ["mug-red", "lamp-teal", "bottle-sage", "sneaker-navy", "tea-rooibos", "board"])
  func `a catalogue picture finds its own product, and not its sibling`(id: String) async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: picture(SampleShop.image("\(id).jpg"))),
      options: unhurried)
    let first = try #require(answer.matches.first)
    #expect(first.value.id.value == id)
    #expect(first.tier == .exact)
    #expect(first.confidence > 0.9)
    #expect(first.matchedImage == "images/\(id).jpg")
    #expect(first.handoff.url == "https://shop.example/p/\(id)")
    #expect(answer.isComplete && answer.coverage == 1 && answer.emptyReason == nil)
  }

  /// Stripes of two colors, `width` pixels wide.
  private func stripes(_ colors: [[UInt8]], width: Int) throws -> PixelBuffer {
    let side = 96
    return try PixelBuffer(
      width: side, height: side, format: .rgba8,
      bytes: (0..<side * side).flatMap { colors[$0 % side / width % 2] + [255] })
  }

  /// Would break if only the best image of an entity counted although none of them shows the whole: here one has the colors and another one
  /// the texture. With a label they do not: a wrong one would be held up by two weak likenesses.
  @Test func `several images of an entity add up where each is weak evidence`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let (red, blue): ([UInt8], [UInt8]) = ([200, 40, 40], [40, 40, 200])
    let colored = EntityImage.pixels(try stripes([red, blue], width: 48))
    let textured = EntityImage.pixels(try stripes([[60, 120, 40], [90, 60, 90]], width: 4))
    func product(_ id: String) throws -> EntityValue {
      .product(Product(id: id, title: id, labels: ["flag"]))
    }
    _ = try await indexer.update(with: [
      .put(try product("both"), images: [colored, textured]),
      .put(try product("colored"), images: [colored]),
      // With this product, not every entity has the label, so the label is evidence.
      .put(.product(Product(id: "other", title: "other", labels: ["cap"])), images: []),
    ])
    let matcher = Matcher(unhurried: try Catalogue(directory: indexer.directory))
    let picture = try stripes([red, blue], width: 4)
    let options = MatchOptions(minimumConfidence: 0, timeout: nil)
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: picture), options: options)
    #expect(answer.matches.map(\.value.id.value) == ["both", "colored"])
    #expect(answer.matches[0].matchedImagePosition == 0)
    #expect(answer.matches[0].confidence > answer.matches[1].confidence)
    let labelled = try await matcher.values(
      for: SemanticContent(labels: ["flag"], pixelBuffer: picture), options: options)
    #expect(labelled.matches.count == 2 && Set(labelled.matches.map(\.confidence)).count == 1)
  }

  @Test(arguments: [DihedralVariant.flipY, .rotate90, .rotate180])
  func `a turned or mirrored picture finds its product`(variant: DihedralVariant) async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let original = try picture(SampleShop.image("backpack.jpg"))
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: turned(original, variant)), options: unhurried)
    let first = try #require(answer.matches.first)
    #expect(first.value.id.value == "backpack")
    #expect([.exact, .near].contains(first.tier))
  }

  /// A fixed set whose every answer is written down.
  @Test(arguments: [
    ("q01-mug.jpg", "mug", "mug-red"), ("q02-lamp.jpg", "lamp", "lamp-teal"),
    ("q03-bottle.jpg", "bottle", "bottle-orange"), ("q04-tote.jpg", "bag", "tote-rust"),
    ("q05-sneaker.jpg", "shoe", "sneaker-navy"), ("q06-oats.jpg", "box", "oats"),
    ("q07-kettle.jpg", "kettle", "kettle"), ("q08-lantern.jpg", "lantern", "lantern"),
    ("q09-harbour.jpg", "building", "harbour"),
  ])
  func `a query photo with its label finds what it shows`(
    photo: String, label: String, id: String
  ) async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(labels: [label], pixelBuffer: picture(SampleShop.query(photo))),
      options: unhurried)
    #expect(answer.matches.first?.value.id.value == id)
  }

  @Test func `a thing that the shop does not sell gives nothing, and says why`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: picture(SampleShop.query("q10-plant.jpg"))),
      options: unhurried)
    #expect(answer.matches.isEmpty)
    #expect(answer.emptyReason == .nothingAboveConfidence)
    #expect(answer.possible.isEmpty)
  }

  @Test func `labels alone find what has them, in any form`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    for label in ["mug", "Mugs", "  MUG "] {
      let answer = try await matcher.values(
        for: SemanticContent(labels: [label]),
        options: MatchOptions(types: [.product], timeout: nil))
      #expect(
        answer.matches.map(\.value.id.value) == ["mug-blue", "mug-cream", "mug-green", "mug-red"])
      #expect(answer.matches.allSatisfy { $0.tier == .label && $0.confidence <= 0.25 })
    }
  }

  @Test func `unknown labels change nothing`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let pixels = try picture(SampleShop.image("kettle.jpg"))
    let without = try await matcher.values(
      for: SemanticContent(pixelBuffer: pixels), options: unhurried)
    let with = try await matcher.values(
      for: SemanticContent(labels: ["zebra", ""], pixelBuffer: pixels), options: unhurried)
    #expect(without.matches == with.matches)
    #expect(without.unmatchedLabels == [])
    #expect(with.unmatchedLabels == ["zebra"])
  }

  /// Would break if a label were believed whatever the picture shows.
  @Test func `a label that the picture contradicts counts for nothing`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let pixels = try picture(SampleShop.image("kettle.jpg"))
    let without = try await matcher.values(
      for: SemanticContent(pixelBuffer: pixels), options: unhurried)
    let wrong = try await matcher.values(
      for: SemanticContent(labels: ["mug"], pixelBuffer: pixels), options: unhurried)
    #expect(wrong.matches == without.matches)
    let right = try await matcher.values(
      for: SemanticContent(labels: ["kettle"], pixelBuffer: pixels), options: unhurried)
    #expect(right.matches[0].confidence > without.matches[0].confidence)
  }

  @Test func `every empty answer says why`() async throws {
    let sample = try await catalogue()
    func reason(
      _ catalogue: Catalogue, _ content: SemanticContent, _ options: MatchOptions
    ) async throws -> MatchResponse.EmptyReason? {
      try await Matcher(unhurried: catalogue).values(for: content, options: options).emptyReason
    }
    #expect(
      try await reason(sample, SemanticContent(labels: ["zebra"]), unhurried) == .noUsableSignal)
    let grey = try PixelBuffer(
      width: 40, height: 40, format: .gray8, bytes: [UInt8](repeating: 128, count: 1600))
    #expect(
      try await reason(sample, SemanticContent(pixelBuffer: grey), unhurried) == .noUsableSignal)
    #expect(
      try await reason(
        sample, SemanticContent(labels: ["mug"]), MatchOptions(types: [], timeout: nil))
        == .filteredOut)
    #expect(
      try await reason(
        sample, SemanticContent(labels: ["mug"]),
        MatchOptions(minimumConfidence: 0.99, timeout: nil)) == .nothingAboveConfidence)
    let folder = try TemporaryDirectory()
    _ = try await Indexer(directory: folder.path + "/e.vq").putSettings()
    #expect(
      try await reason(
        Catalogue(directory: folder.path + "/e.vq"), SemanticContent(labels: ["mug"]), unhurried)
        == .emptyCatalogue)
    // Would break if whoever forgot the images were told that nothing is likely enough.
    let feed = try folder.write(#"{"type":"product","id":"a","title":"A"}"#, to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/n.vq").run(path: feed)
    let none = try Catalogue(directory: folder.path + "/n.vq")
    let pixels = try picture(SampleShop.image("kettle.jpg"))
    #expect(
      try await reason(none, SemanticContent(pixelBuffer: pixels), unhurried) == .noImages)
    #expect(
      try await reason(none, SemanticContent(labels: ["zebra"]), unhurried) == .noUsableSignal)
  }

  @Test func `limits hold by type and in all`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let content = SemanticContent(pixelBuffer: try picture(SampleShop.query("q03-bottle.jpg")))
    func count(_ options: MatchOptions) async throws -> (products: Int, stores: Int) {
      let matches = try await matcher.values(for: content, options: options).matches
      #expect(
        matches.map(\.rank) == Array(1...max(1, matches.count)).prefix(matches.count).map { $0 })
      #expect(zip(matches, matches.dropFirst()).allSatisfy { $0.confidence >= $1.confidence })
      let products = matches.count { $0.value.id.type == .product }
      return (products, matches.count - products)
    }
    #expect(try await count(MatchOptions(minimumConfidence: 0, timeout: nil)) == (5, 3))
    #expect(
      try await count(MatchOptions(limit: 4, minimumConfidence: 0, timeout: nil)).products <= 4)
    #expect(
      try await count(
        MatchOptions(typeLimits: [.product: 1, .store: 0], minimumConfidence: 0, timeout: nil))
        == (1, 0))
    #expect(
      try await count(
        MatchOptions(
          limit: 100, typeLimits: [:], types: [.store], minimumConfidence: 0, timeout: nil))
        == (0, 4))
  }

  @Test func `the terms of the evidence add up to the confidence`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(
        labels: ["mug", "cup"], pixelBuffer: picture(SampleShop.query("q01-mug.jpg"))),
      options: MatchOptions(minimumConfidence: 0, timeout: nil))
    #expect(!answer.matches.isEmpty)
    for match in answer.matches {
      let logOdds = match.evidence.reduce(0) { $0 + $1.weight }
      #expect(abs(1 / (1 + exp(-logOdds)) - match.confidence) < 1e-9)
    }
  }

  @Test(arguments: [1, 2, 8])
  func `the number of threads does not change the answer`(threads: Int) async throws {
    let catalogue = try await catalogue()
    let content = SemanticContent(
      labels: ["bag"], pixelBuffer: try picture(SampleShop.query("q04-tote.jpg")))
    let options = MatchOptions(minimumConfidence: 0, timeout: nil)
    let expected = try await Matcher(unhurried: catalogue, pool: WorkerPool(width: 1))
      .values(for: content, options: options)
    let answer = try await Matcher(unhurried: catalogue, pool: WorkerPool(width: threads))
      .values(for: content, options: options)
    #expect(answer == expected)
  }

  @Test func `a passed deadline gives what there is and says so`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: picture(SampleShop.image("kettle.jpg"))),
      options: MatchOptions(timeout: .zero))
    #expect(!answer.isComplete)
    #expect(answer.coverage < 0.1)
    #expect(answer.matches.isEmpty)
  }

  /// Labels come from a look-up of a millisecond; a client that is late still gets what they say.
  @Test func `a passed deadline does not lose what the labels say`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let answer = try await matcher.values(
      for: SemanticContent(
        labels: ["kettle"], pixelBuffer: picture(SampleShop.image("kettle.jpg"))),
      options: MatchOptions(minimumConfidence: 0, timeout: .zero))
    #expect(!answer.isComplete && !answer.matches.isEmpty)
  }

  @Test func `a cancelled query throws`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let pixels = try picture(SampleShop.image("kettle.jpg"))
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await matcher.values(for: SemanticContent(pixelBuffer: pixels))
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test func `two entities with one picture are ordered by id`() async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.copy(SampleShop.image("oats.jpg"), to: "a.jpg")
    let rows = ["z", "b", "m"].map {
      #"{"type":"product","id":"\#($0)","title":"T","images":["a.jpg"]}"#
    }
    _ = try await Indexer(directory: folder.path + "/i.vq").run(
      path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/i.vq"))
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: picture(SampleShop.image("oats.jpg"))),
      options: MatchOptions(limit: 2, minimumConfidence: 0, timeout: nil))
    #expect(answer.matches.map(\.value.id.value) == ["b", "m"])
  }

  /// The mug's photo asked by its right half is another question than by its whole.
  @Test func `a region is looked at alone`() async throws {
    let matcher = Matcher(unhurried: try await catalogue())
    let mug = try picture(SampleShop.image("mug-red.jpg"))
    let oats = try picture(SampleShop.image("oats.jpg"))
    let side = min(mug.height, oats.height)
    let both = SyntheticPicture.warped(mug, width: 2 * side, height: side) { x, y in
      x < Double(side) ? SIMD2(x, y) : SIMD2(-9, -9)
    }
    var bytes = SyntheticPicture.rgba(both)
    let right = SyntheticPicture.rgba(oats)
    for y in 0..<side {
      for x in 0..<side {
        for channel in 0..<3 {
          bytes[4 * (y * 2 * side + side + x) + channel] = right[4 * (y * oats.width + x) + channel]
        }
      }
    }
    let picture = try PixelBuffer(width: 2 * side, height: side, format: .rgba8, bytes: bytes)
    for (region, id) in [
      (PictureRegion(x: 0, y: 0, width: 0.5, height: 1), "mug-red"),
      (PictureRegion(x: Double(side), y: 0, width: 9999, height: 9999, unit: .pixels), "oats"),
    ] {
      let answer = try await matcher.values(
        for: SemanticContent(pixelBuffer: picture, region: region), options: unhurried)
      #expect(answer.matches.first?.value.id.value == id)
    }
    await #expect(throws: MatchError.self) {
      _ = try await matcher.values(
        for: SemanticContent(
          pixelBuffer: picture, region: PictureRegion(x: 2, y: 0, width: 1, height: 1)),
        options: unhurried)
    }
  }
}
