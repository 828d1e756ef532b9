import Foundation
import PixelMatch
import Reading
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Questions with text that the device has read, which need no models.
@Suite struct GivenTextTests {
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run(
      ["Honey oats", "Honey almonds", "Rye bread"].enumerated().map {
        DrawnShop.row("p\($0)", #""title":"\#($1)""#)
      })
    return shop
  }

  private static func content(_ texts: [String]) -> SemanticContent {
    var content = SemanticContent()
    content.texts = texts.map { TextLine(text: $0, certainty: 1, corners: []) }
    return content
  }

  @Test(arguments: [
    ("HONEY OATS", "p0"), ("hony oats", "p0"), ("almonds", "p1"), ("rye  BREAD", "p2"),
  ])
  func `text finds titles`(text: String, id: String) async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let answer = try await matcher.values(
      for: Self.content([text]), options: MatchOptions(timeout: nil))
    let first = try #require(answer.matches.first)
    #expect(first.value.id.value == id && first.tier == .label && answer.isComplete)
    #expect(first.evidence.contains { $0.kind == .text && $0.value > 0 })
    let sum = first.evidence.reduce(0) { $0 + $1.weight }
    #expect(abs(Calibration.probability(ofLogOdds: sum) - first.confidence) < 1e-9)
  }

  // Would break if the text that a shop knows of a thing were kept and not compared.
  @Test func `text finds the lines of the feed`() async throws {
    let shop = try DrawnShop()
    for id in 0..<2 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run([
      DrawnShop.row("p0", #""title":"Item 7","text":["OVERNIGHT MUESLI","500 g"]"#),
      DrawnShop.row("p1", #""title":"Item 8","text":"שוקולד מריר""#),
    ])
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    for (text, id) in [("overnigt muesli", "p0"), ("500 g", "p0"), ("מריר", "p1")] {
      let answer = try await matcher.values(
        for: Self.content([text]), options: MatchOptions(minimumConfidence: 0, timeout: nil))
      #expect(answer.matches.first?.value.id.value == id, "\(text)")
    }
    #expect(
      try await shop.exported().joined().contains(#""text":["OVERNIGHT MUESLI","500 g"]"#))
    // A label that no entity has is compared with the lines, too.
    var labels = SemanticContent()
    labels.labels = ["muesli"]
    let labeled = try await matcher.values(
      for: labels, options: MatchOptions(minimumConfidence: 0, timeout: nil))
    #expect(labeled.matches.map(\.value.id.value) == ["p0"])
    // An entity whose lines are gone has none of their words.
    try await shop.run([DrawnShop.row("p0", #""title":"Item 7""#)])
    let later = Matcher(unhurried: try Catalogue(directory: shop.index))
    #expect(
      try await later.values(
        for: Self.content(["muesli"]), options: MatchOptions(minimumConfidence: 0, timeout: nil)
      ).matches.isEmpty)
  }

  // Would break if one entity that a label, a text and a code find were three.
  @Test func `an entity that several words find is one match`() async throws {
    let shop = try DrawnShop()
    try shop.draw("p0.jpg", seed: 0)
    try await shop.run([
      DrawnShop.row("p0", #""title":"Honey oats","labels":["oats"],"gtin":"4006381333931""#)
    ])
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    var content = Self.content(["honey oats"])
    content.labels = ["oats", "honey"]
    for codes in [[], ["4006381333931"]] {
      content.codes = codes
      let answer = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
      #expect(answer.matches.map(\.value.id.value) == ["p0"])
      #expect(answer.matches.first?.tier == (codes.isEmpty ? .label : .code))
    }
  }

  @Test func `the words of siblings agree, but for the one that differs`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    var content = Self.content(["HONEY", "ALMONDS"])
    content.texts[1].corners = [(0.1, 0.2), (0.9, 0.2), (0.9, 0.3), (0.1, 0.3)]
      .map { ReadPoint(x: $0.0, y: $0.1) }
    let answer = try await matcher.values(
      for: content, options: MatchOptions(minimumConfidence: 0, timeout: nil))
    #expect(answer.matches.prefix(2).map(\.value.id.value) == ["p1", "p0"])
    let agreeing = answer.matches.map { match in
      Dictionary(uniqueKeysWithValues: match.words.map { ($0.text, $0.agrees) })
    }
    #expect(agreeing[0] == ["honey": true, "almonds": true])
    #expect(agreeing[1] == ["honey": true, "almonds": false])
    let corners = answer.matches[0].words.first { $0.text == "almonds" }?.corners
    #expect(corners == [[0.1, 0.2], [0.9, 0.2], [0.9, 0.3], [0.1, 0.3]])
    #expect(answer.matches[0].words.first { $0.text == "honey" }?.corners == [])
    let diagnosis = try await matcher.diagnosis(
      of: EntityID(type: .product, value: "p0"), in: content, options: MatchOptions(timeout: nil))
    #expect(diagnosis.sighting?.words == answer.matches[1].words)
  }

  @Test func `a label that no entity has finds titles`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    func found(_ labels: [String]) async throws -> [String] {
      let answer = try await matcher.values(
        for: SemanticContent(labels: labels), options: MatchOptions(timeout: nil))
      #expect(answer.isComplete)
      return answer.matches.map(\.value.id.value)
    }
    #expect(try await found(["honey oats"]) == ["p0"])
    #expect(try await found(["Oat"]) == ["p0"])
    #expect(try await found(["hony almonds"]) == ["p1"])
    #expect(try await found(["honey"]) == ["p0", "p1"])
    #expect(try await found(["honey bread"]).isEmpty)
    #expect(try await found(["☕", "\"{title} : x\"", "OR"]).isEmpty)
  }

  // Would break if a label of a camera that no entity has said something beside an image: there it costs nothing.
  @Test func `an unknown label beside an image changes nothing`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: shop.folder.path + "/p1.jpg"), longerSide: 512)
    let options = MatchOptions(minimumConfidence: 0, timeout: nil)
    let without = try await matcher.values(
      for: SemanticContent(pixelBuffer: image), options: options)
    let with = try await matcher.values(
      for: SemanticContent(labels: ["honey oats"], pixelBuffer: image), options: options)
    #expect(with.matches == without.matches)
  }

  @Test func `text that the catalogue lacks finds nothing`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let answer = try await matcher.values(for: Self.content(["zzyzx", ""]))
    #expect(answer.matches.isEmpty)
  }

  @Test func `a filter holds for text`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let filter = EntityFilter(comparators: [EntityComparator("title", .equalTo("Rye bread"))])
    let answer = try await matcher.values(
      for: Self.content(["honey oats", "bread"]),
      options: MatchOptions(filters: [.product: filter], timeout: nil))
    #expect(answer.matches.map(\.value.id.value) == ["p2"])
  }

  @Test func `text beside an image counts for it`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: shop.folder.path + "/p1.jpg"), longerSide: 512)
    var content = SemanticContent(pixelBuffer: image)
    let without = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
    content.texts = [TextLine(text: "almonds", certainty: 1, corners: [])]
    let with = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
    #expect(
      without.matches.first?.value.id.value == "p1" && with.matches.first?.value.id.value == "p1")
    #expect(without.matches.first?.evidence.contains { $0.kind == .text } == false)
    let term = try #require(with.matches.first?.evidence.first { $0.kind == .text })
    #expect(term.value > 0 && term.weight > 0)
  }

  // Would break if a status bar, a button or a price led astray.
  @Test(arguments: [true, false])
  func `the words of an app around a thing do not count against it`(
    isPlain: Bool
  ) async throws {
    let shop = try DrawnShop()
    for id in 0..<4 { try shop.draw("p\(id).jpg", seed: UInt64(id), side: 400) }
    try await shop.run(
      ["Honey oats", "Honey almonds", "Travel bag", "Battery charger"].enumerated().map {
        DrawnShop.row("p\($0)", #""title":"\#($1)""#)
      })
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let picture = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: shop.folder.path + "/p0.jpg"), longerSide: 400)
    // A screenshot: the image of the thing between a bar and a button.
    let (width, height, left, top) = (500, 1000, 50, 300)
    var bytes = (0..<width * height).flatMap { index -> [UInt8] in
      let wave = sin(Double(index % width + 2 * (index / width)) / 40)
      let gray = isPlain ? 250 : UInt8(128 + 60 * wave)
      return [gray, gray, gray, 255]
    }
    picture.forEachRGBARow { row, y in
      for index in 0..<4 * picture.width {
        bytes[4 * ((top + y) * width + left) + index] = row[index]
      }
    }
    var content = SemanticContent(
      pixelBuffer: try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes))
    let options = MatchOptions(minimumConfidence: 0, timeout: nil)
    func first(_ lines: [(text: String, y: Double)]) async throws -> (Match, text: Double) {
      content.texts = lines.map { QuestionText($0.text, box: [0.1, $0.y, 0.5, 0.03]).line }
      let match = try #require(
        try await matcher.values(for: content, options: options).matches.first)
      #expect(match.value.id.value == "p0")
      return (match, match.evidence.first { $0.kind == .text }?.weight ?? 0)
    }
    let bare = try await first([])
    try #require(bare.0.alignment != nil)
    let bars: [(String, Double)] = [
      ("9:41 Battery 80 %", 0.01), ("ADD TO BAG", 0.95), ("$ 12.90", 0.9),
    ]
    let app = try await first(bars)
    #expect(app.text > -0.01 && app.0.confidence > bare.0.confidence - 0.01)
    // A page may show several things, so that text does not count.
    if isPlain { return }
    let own = try await first(bars + [("HONEY OATS", 0.4)])
    #expect(own.text > 0.1)
    let foreign = try await first([("BATTERY CHARGER", 0.4)])
    #expect(foreign.text < -0.5)
  }

  @Test func `a continuation searches again with the same text`() async throws {
    let shop = try await Self.shop()
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let first = try await matcher.values(
      for: Self.content(["honey"]), options: MatchOptions(limit: 1, timeout: nil))
    let token = try #require(first.continuation)
    let next = try await matcher.values(continuing: token, refresh: true, timeout: nil)
    #expect(Set((first.matches + next.matches).map(\.value.id.value)) == ["p0", "p1"])
  }
}

@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct TextMatchTests {
  private let shop: DrawnShop
  private let folder: ModelFolder
  private let models: ReadingModels

  init() async throws {
    shop = try DrawnShop()
    folder = try ModelFolder()
    models = try ReadingModels(folder: folder.path)
  }

  private func image(_ letters: String, degrees: Double = 0) throws -> PixelBuffer {
    try DrawnLine.image(letters, width: 640, height: 480, lineHeight: 60, degrees: degrees)
  }

  private func write(_ name: String, _ letters: String) throws {
    _ = try shop.folder.write(
      try ImageDecoder().jpeg(of: image(letters), longerSide: 640, quality: 95), to: name)
  }

  private func first(
    _ image: PixelBuffer, with models: ReadingModels?
  ) async throws -> Match? {
    var matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    matcher.models = models
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: image),
      options: MatchOptions(minimumConfidence: 0, timeout: nil))
    #expect(answer.isComplete)
    return answer.matches.first
  }

  // Would break if text only counted beside keypoints.
  @Test func `what a thing says finds its title`() async throws {
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run(
      ["BABA", "ABAB", "Bread"].enumerated().map {
        DrawnShop.row("p\($0)", #""title":"\#($1)""#)
      })
    let match = try #require(try await first(image("ABAB", degrees: 10), with: models))
    #expect(match.value.id.value == "p1")
    let term = try #require(match.evidence.first { $0.kind == .text })
    #expect(term.weight > 0)
    let without = try await first(image("ABAB", degrees: 10), with: nil)
    #expect(without?.evidence.contains { $0.kind == .text } == false)
  }

  @Test func `what a thing says finds the image that says it`() async throws {
    try write("p0.jpg", "BAB")
    try write("p1.jpg", "ABABA")
    try await shop.run((0..<2).map { DrawnShop.row("p\($0)") })
    _ = try await CatalogueUpkeep(directory: shop.index).readText(by: models)
    let match = try #require(try await first(image("BAB", degrees: 60), with: models))
    #expect(match.value.id.value == "p0")
    #expect(match.evidence.contains { $0.kind == .text && $0.value > 0 })
  }

  // Would break if text that is read beside other stages were another than that of its own stage.
  @Test(arguments: [1, 2, 3])
  func `the threads do not matter`(width: Int) async throws {
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run(
      ["BABA", "ABAB", "Bread"].enumerated().map {
        DrawnShop.row("p\($0)", #""title":"\#($1)""#)
      })
    let options = MatchOptions(minimumConfidence: 0, timeout: nil)
    let content = SemanticContent(pixelBuffer: try image("ABAB", degrees: 10))
    func matcher(_ width: Int) throws -> Matcher {
      var matcher = Matcher(
        unhurried: try Catalogue(directory: shop.index), pool: WorkerPool(width: width))
      matcher.models = models
      return matcher
    }
    let expected = try await matcher(1).values(for: content, options: options)
    #expect(expected.matches.first?.words.map(\.agrees) == [true])
    #expect(expected.matches.first?.words.first?.corners.count == 4)
    let answer = try await matcher(width).values(for: content, options: options)
    #expect(answer.matches == expected.matches && answer.isComplete)
    var last: MatchResponse?
    for try await answer in try matcher(width).answers(for: content, options: options) {
      last = answer
    }
    #expect(last?.matches == expected.matches)
  }

  @Test func `a label that no entity has finds the image that says it`() async throws {
    try write("p0.jpg", "BAB")
    try write("p1.jpg", "ABABA")
    try await shop.run((0..<2).map { DrawnShop.row("p\($0)", #""title":"Bread""#) })
    let content = SemanticContent(labels: ["bab"])
    func found() async throws -> [String] {
      let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
      let answer = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
      return answer.matches.map(\.value.id.value)
    }
    #expect(try await found().isEmpty)
    _ = try await CatalogueUpkeep(directory: shop.index).readText(by: models)
    #expect(try await found().first == "p0")
  }

  @Test func `text that other models have read is left out`() async throws {
    try write("p0.jpg", "BAB")
    try await shop.run([DrawnShop.row("p0")])
    _ = try await CatalogueUpkeep(directory: shop.index).readText(by: models)
    let other = try ModelFolder(recognizer: ONNXModel.recognizer(characters: "A\n"))
    let otherModels = try ReadingModels(folder: other.path)
    let catalogue = try Catalogue(directory: shop.index)
    #expect(try catalogue.isReadOnlyByOthers(than: otherModels))
    #expect(try !catalogue.isReadOnlyByOthers(than: models))
    let match = try await first(image("BAB"), with: otherModels)
    #expect(match?.evidence.contains { $0.kind == .text && $0.value > 0 } != true)
  }

  @Test func `a passed deadline leaves text unread and says so`() async throws {
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run((0..<3).map { DrawnShop.row("p\($0)") })
    // Each look at it takes a millisecond.
    var matcher = Matcher(
      catalogue: try Catalogue(directory: shop.index), clock: SteppingClock())
    matcher.models = models
    let answer = try await matcher.values(
      for: SemanticContent(pixelBuffer: image("ABAB")),
      options: MatchOptions(timeout: .milliseconds(8)))
    #expect(!answer.isComplete && answer.coverage < 1)
  }
}

@Suite(.enabled(if: CodeReader() != nil, "zbar is not installed"))
struct ReadCodeMatchTests {
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run([
      DrawnShop.row("p0", #""title":"Pen","gtin":"4006381333931""#),
      DrawnShop.row("p1", #""title":"Mug","url":"https://shop.example/p/mug-red""#),
      DrawnShop.row("p2"),
    ])
    return shop
  }

  private func answer(_ image: PixelBuffer) async throws -> MatchResponse {
    let shop = try await Self.shop()
    return try await Matcher(unhurried: try Catalogue(directory: shop.index)).values(
      for: SemanticContent(pixelBuffer: image), options: MatchOptions(timeout: nil))
  }

  @Test func `a bar code in the image decides`() async throws {
    let answer = try await answer(DrawnCode.ean("4006381333931", module: 2, degrees: 30))
    #expect(answer.matches.first?.value.id.value == "p0" && answer.matches.first?.tier == .code)
    #expect(answer.unmatchedCodes.isEmpty)
  }

  // Would break if codes were only looked for in the image as it is signed, at 1024 pixels.
  @Test func `a bar code that is an eighth as wide as the image is read in its file`() async throws
  {
    let shop = try await Self.shop()
    let image = try DrawnCode.ean(
      "4006381333931", module: 1.77, degrees: 20, width: 1600, height: 150)
    let bytes = try ImageDecoder().jpeg(of: image, longerSide: 1600, quality: 95)
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let content = try await matcher.content(decoding: bytes)
    let answer = try await matcher.values(for: content, options: MatchOptions(timeout: nil))
    #expect(answer.matches.first?.value.id.value == "p0" && answer.matches.first?.tier == .code)
  }

  @Test func `a QR code with the link of an entity decides`() async throws {
    let answer = try await answer(DrawnCode.qr(module: 5, degrees: 10))
    #expect(answer.matches.first?.value.id.value == "p1" && answer.matches.first?.tier == .code)
    #expect(answer.unmatchedCodes.isEmpty)
  }

  @Test func `a bar code that the catalogue lacks is told`() async throws {
    let answer = try await answer(DrawnCode.ean("9783161484100", module: 2, degrees: 0))
    #expect(answer.unmatchedCodes.map(\.code) == ["9783161484100"])
    #expect(answer.matches.allSatisfy { $0.tier != .code })
  }
}
