@testable import ShopSearch
import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

import VisualQuery

/// Queries that end early, since nothing could change their answer, and the times of their steps.
@Suite struct EarlyEndTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func ask(
    _ content: SemanticContent, _ options: MatchOptions, endsEarly: Bool
  ) async throws -> BothSearches.Asked {
    try await BothSearches(Self.shared.value.1).ask(content, options, endsEarly: endsEarly)
  }

  private func compare(
    _ content: SemanticContent, _ name: String,
    _ options: MatchOptions = MatchOptions(timeout: nil)
  ) async throws -> BothSearches.Asked {
    try await BothSearches(Self.shared.value.1).compare(content, name, options)
  }

  private static var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: SampleShop.folder.path + "/shop/images")
        .sorted()
    }
  }

  /// Would break if a match were lost, or changed in what is shown of it, since the search ended early; or if none ended early.
  @Test(arguments: [nil, 80, 40])
  func `a shop's own images give the same answer, mostly at once`(quality: Int?) async throws {
    var count = 0
    for name in try Self.names {
      let file = try ImageDecoder().contents(ofFile: SampleShop.image(name))
      var image = try ImageDecoder().decode(file, longerSide: 1024)
      if let quality {
        let copy = image.reduced(toLongerSide: 400).jpeg(quality: quality)
        image = try ImageDecoder().decode(copy, longerSide: 1024)
      }
      let asked = try await compare(
        SemanticContent(pixelBuffer: image), "\(name) \(quality ?? 100)")
      #expect(!asked.endsEarly || asked.answer.matches.first?.tier != .similar)
      if asked.endsEarly { count += 1 }
    }
    // The others have siblings in other colors, or are too plain to be sure of.
    #expect(count >= (quality == nil ? 12 : 8), "\(count)")
  }

  /// Would break if a glance took an image for a copy that the whole search is less sure of, or finds another thing in.
  @Test(arguments: 0..<48 as Range<UInt64>)
  func `images as strangers send them have the answer of the whole search`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let name = try #require(Self.names.randomElement(using: &generator))
    let file = try ImageDecoder().contents(ofFile: SampleShop.image(name))
    var image = try ImageDecoder().decode(
      file, longerSide: Int.random(in: 80...900, using: &generator))
    // One in three is cropped, and one in three is partly covered by something else.
    if seed % 3 == 1 {
      let (x, y) = (image.width / 20, image.height / 20)
      image = image.cropped(
        x: Int.random(in: 0...x, using: &generator)..<image.width
          - Int.random(in: 0...x, using: &generator),
        y: Int.random(in: 0...y, using: &generator)..<image.height
          - Int.random(in: 0...y, using: &generator))
    } else if seed % 3 == 2 {
      let other = try #require(Self.names.randomElement(using: &generator))
      let share = Double.random(in: 0.04...0.4, using: &generator)
      let part = try ImageDecoder().decode(
        ImageDecoder().contents(ofFile: SampleShop.image(other)),
        longerSide: max(8, Int(share * Double(min(image.width, image.height)))))
      var canvas = PictureCanvas(image)
      canvas.paste(
        part, x: Int.random(in: 0...image.width - part.width, using: &generator),
        y: Int.random(in: 0...image.height - part.height, using: &generator))
      image = try canvas.picture
    }
    let copy = image.jpeg(quality: Int.random(in: 30...95, using: &generator))
    _ = try await compare(
      SemanticContent(pixelBuffer: try ImageDecoder().decode(copy, longerSide: 1024)),
      "\(name), seed \(seed)")
  }

  /// Would break if the shop's own images cost as much as photos, or if a glance took the image of one color for that of another.
  @Test func `a glance recognizes most of a shop's own images`() async throws {
    var count = 0
    for name in try Self.names {
      let file = try ImageDecoder().contents(ofFile: SampleShop.image(name))
      let image = try ImageDecoder().decode(file, longerSide: 1024)
      let asked = try await ask(
        SemanticContent(pixelBuffer: image), MatchOptions(timeout: nil), endsEarly: true)
      guard asked.isOfCopy else { continue }
      count += 1
      let others: Set<QueryStep> = [.hashes, .wholeImage, .votes, .geometry, .patches, .regions]
      #expect(others.isDisjoint(with: asked.steps), "\(name)")
      let match = try #require(asked.answer.matches.first)
      #expect(match.tier == .exact && asked.answer.isComplete && asked.answer.coverage == 1)
      let kinds: [Evidence.Kind] = [
        .prior, .hash, .color, .texture, .alignedColor, .offColor, .lead,
      ]
      #expect(match.evidence.map(\.kind) == kinds)
    }
    #expect(count >= 8, "\(count)")
  }

  /// Would break if a part of an image, or one that is turned a little, cost as much as a photo though its keypoints leave no doubt.
  @Test func `parts of images and turned ones end after their first candidates`() async throws {
    var count = 0
    for name in ["kettle", "backpack", "oats", "coffee-tin", "lantern", "board"] {
      let image = try PictureCanvas.product(name, longerSide: 640)
      let (width, height) = (image.width, image.height)
      let part = image.cropped(x: width / 10..<width * 9 / 10, y: height / 10..<height * 9 / 10)
      let turned = SyntheticPicture.warped(image, width: width, height: height) { x, y in
        let (across, down) = (x - Double(width) / 2, y - Double(height) / 2)
        return SIMD2(
          across * cos(0.15) - down * sin(0.15) + Double(width) / 2,
          across * sin(0.15) + down * cos(0.15) + Double(height) / 2)
      }
      for (edit, image) in [("part", part), ("turned", turned)] {
        let asked = try await compare(SemanticContent(pixelBuffer: image), "\(edit) of \(name)")
        guard asked.endsEarly, !asked.isOfCopy else { continue }
        count += 1
        let others: Set<QueryStep> = [.geometry, .patches, .windows, .regions]
        #expect(others.isDisjoint(with: asked.steps) && asked.steps.contains(.wholeImage))
        #expect(asked.answer.matches.first?.evidence.contains { $0.kind == .votes } == true)
      }
    }
    #expect(count >= 6, "\(count)")
  }

  @Test func `photos are searched to the end`() async throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: SampleShop.query("")).sorted()
    where name.hasSuffix(".jpg") {
      let file = try ImageDecoder().contents(ofFile: SampleShop.query(name))
      _ = try await compare(SemanticContent(decoding: file), name)
    }
  }

  /// Would break if a search ended with the first of two things.
  @Test(arguments: [0.25, 0.35, 0.45])
  func `a second thing that covers a part of an image is found`(share: Double) async throws {
    for (large, small) in [
      ("backpack", "mug-red"), ("kettle", "lantern"), ("board", "tea-mint"),
      ("notebook", "mug-red"),
    ] {
      var canvas = PictureCanvas(try PictureCanvas.product(large, longerSide: 640))
      let part = try PictureCanvas.product(small, longerSide: Int(640 * share))
      canvas.paste(part, x: canvas.width - part.width, y: canvas.height - part.height)
      let asked = try await compare(
        SemanticContent(pixelBuffer: canvas.picture), "\(small) on \(large)")
      #expect(!asked.endsEarly)
    }
  }

  /// Would break if a search ended early that must tell more: less likely matches, those with a label, or those of a code.
  @Test func `a question for more than what is sure is searched to the end`() async throws {
    let image = try PictureCanvas.product("kettle", longerSide: 640)
    #expect(try await compare(SemanticContent(pixelBuffer: image), "kettle").endsEarly)
    var less = MatchOptions(timeout: nil)
    less.minimumConfidence = 0.1
    #expect(try await !compare(SemanticContent(pixelBuffer: image), "less", less).endsEarly)
    let other = SemanticContent(labels: ["mug"], pixelBuffer: image)
    #expect(try await !compare(other, "another label").endsEarly)
    let own = SemanticContent(labels: ["kettle"], pixelBuffer: image)
    #expect(try await compare(own, "its label").endsEarly)
  }

  /// Would break if an entity seemed not to be a candidate because the search had ended before it was compared.
  @Test func `a diagnosis is that of the whole search`() async throws {
    let image = SemanticContent(pixelBuffer: try PictureCanvas.product("kettle", longerSide: 640))
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    for id in ["kettle", "mug-red"].map({ EntityID(type: .product, value: $0) }) {
      let whole = try await matcher.diagnosis(
        of: id, in: image, options: MatchOptions(timeout: nil))
      let sure = try await matcher.diagnosis(
        of: id, in: image, options: MatchOptions(timeout: nil, answers: .sure, endsEarly: true))
      #expect(sure == whole)
    }
  }

  /// Would break if what the deadline left out were taken for what need not be searched.
  @Test func `a search that was cut short does not end early`() {
    var plan = QueryPlan([WholeImageStage(image: nil), GeometryStage(), GeometryStage()])
    #expect(plan.isWholeSoFar)
    plan.finishNext(share: 0.5)
    #expect(!plan.isWholeSoFar && !plan.isComplete)
    var settled = QueryPlan([WholeImageStage(image: nil), GeometryStage(), GeometryStage()])
    settled.settle()
    settled.finishNext(share: 1)
    #expect(settled.isComplete && settled.next == nil && settled.coverage == 1)
  }

  /// Would break if an operator were told steps that did not run, or not told one that did.
  @Test func `the steps of a query are told in their order`() async throws {
    let file = try ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg"))
    final class Steps: Sendable { let all = Mutex<[QueryStep]>([]) }
    let steps = Steps()
    var matcher = Matcher(unhurried: try await Self.shared.value.1)
    matcher.onStep = { step, _ in steps.all.withLock { $0.append(step) } }
    let content = try await matcher.content(decoding: file)
    _ = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
    let told = steps.all.withLock { $0 }.filter { $0 != .codes }
    #expect(
      told == [
        .decoding, .filters, .signature, .labels, .hashes, .votes, .appearance, .geometry, .patches,
        .windows, .regions, .light, .ranking, .lookup,
      ])
    let order = QueryStep.allCases
    #expect(told == order.filter(told.contains))
  }
}
