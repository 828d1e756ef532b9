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

  /// An answer, and the steps that made it.
  private struct Asked {
    let answer: MatchResponse
    let steps: [QueryStep]

    var endsEarly: Bool { !steps.contains(.votes) }
  }

  private func ask(
    _ content: SemanticContent, _ options: MatchOptions, endsEarly: Bool
  ) async throws -> Asked {
    final class Steps: Sendable { let all = Mutex<[QueryStep]>([]) }
    let steps = Steps()
    var matcher = Matcher(catalogue: try await Self.shared.value.1)
    matcher.onStep = { step, time in
      #expect(time >= .zero)
      steps.all.withLock { $0.append(step) }
    }
    var options = options
    options.endsEarly = endsEarly
    let answer = try await matcher.values(for: content, options: options)
    return Asked(answer: answer, steps: steps.all.withLock { $0 })
  }

  /// Asks both ways, and expects the same matches as far as an answer shows them, but for the evidence.
  ///
  /// - Returns: The answer to the question that may end early.
  private func compare(
    _ content: SemanticContent, _ name: String,
    _ options: MatchOptions = MatchOptions(timeout: nil)
  ) async throws -> Asked {
    let whole = try await ask(content, options, endsEarly: false)
    let early = try await ask(content, options, endsEarly: true)
    #expect(!whole.endsEarly && !whole.steps.contains(.wholeImage), "\(name)")
    func shown(_ match: Match) -> String {
      let confidence = min(0.9999, rounded(match.confidence, 4))
      return
        "\(match.rank) \(match.value.id) \(confidence) \(match.tier) \(String(describing: match.alignment?.rounded)) \(String(describing: match.matchedImage)) \(String(describing: match.object)) \(String(describing: match.stocks))"
    }
    #expect(early.answer.matches.map(shown) == whole.answer.matches.map(shown), "\(name)")
    #expect(early.answer.possible.map(shown) == whole.answer.possible.map(shown), "\(name)")
    #expect(early.answer.objects == whole.answer.objects, "\(name)")
    #expect(early.answer.regions == whole.answer.regions, "\(name)")
    #expect(early.answer.emptyReason == whole.answer.emptyReason, "\(name)")
    #expect(early.answer.isComplete && early.answer.coverage == 1, "\(name)")
    for match in early.answer.matches {
      let sum = match.evidence.reduce(0) { $0 + $1.weight }
      #expect(abs(Calibration.probability(ofLogOdds: sum) - match.confidence) < 1e-9, "\(name)")
    }
    if !early.endsEarly { #expect(early.answer == whole.answer, "\(name)") }
    return early
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
    let matcher = Matcher(catalogue: try await Self.shared.value.1)
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
    #expect(!plan.isWholeSoFar && !plan.isComplete && !plan.isSettled)
    var settled = QueryPlan([WholeImageStage(image: nil), GeometryStage(), GeometryStage()])
    settled.settle()
    settled.finishNext(share: 1)
    #expect(settled.isComplete && settled.isSettled && settled.next == nil && settled.coverage == 1)
  }

  /// Would break if an operator were told steps that did not run, or not told one that did.
  @Test func `the steps of a query are told in their order`() async throws {
    let file = try ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg"))
    final class Steps: Sendable { let all = Mutex<[QueryStep]>([]) }
    let steps = Steps()
    var matcher = Matcher(catalogue: try await Self.shared.value.1)
    matcher.onStep = { step, _ in steps.all.withLock { $0.append(step) } }
    let content = try await matcher.content(decoding: file)
    _ = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
    let told = steps.all.withLock { $0 }.filter { $0 != .codes }
    #expect(
      told == [
        .decoding, .filters, .signature, .labels, .hashes, .votes, .appearance, .geometry, .patches,
        .windows, .regions, .ranking, .lookup,
      ])
    let order = QueryStep.allCases
    #expect(told == order.filter(told.contains))
  }
}
