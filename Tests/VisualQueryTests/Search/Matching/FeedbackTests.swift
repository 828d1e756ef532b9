@testable import ShopStore
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Statements about answers, and their effects.
@Suite struct FeedbackTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/shop.vq" }

  /// A part of the sample shop, since each test searches several times.
  private static let master = Task {
    let folder = try TemporaryDirectory()
    let wanted = ["\"mug-", "\"oats\"", "\"harbour\""].map { "\"id\": " + $0 }
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").filter { row in wanted.contains { row.contains($0) } }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq")
      .run(path: feed, imagesRoot: SampleShop.folder.path + "/shop")
    return folder
  }

  init() async throws {
    folder = try TemporaryDirectory()
    _ = try folder.copy(try await Self.master.value.path + "/shop.vq", to: "shop.vq")
  }

  private func matcher() throws -> Matcher {
    Matcher(unhurried: try Catalogue(directory: directory))
  }

  private static let mug = SampleShop.query("q01-mug.jpg")
  private let unhurried = MatchOptions(minimumConfidence: 0.1, timeout: nil)

  private func content(_ file: String = mug, labels: [String] = []) throws -> SemanticContent {
    try SemanticContent(decoding: ImageDecoder().contents(ofFile: file), labels: labels)
  }

  private func product(_ id: String) -> EntityID { EntityID(type: .product, value: id) }

  /// Says something about the answer to some content.
  @discardableResult private func say(
    chosen: EntityID? = nil, rejected: [EntityID] = [], of content: SemanticContent,
    state: FeedbackStatement.State = .active
  ) async throws -> Int {
    let matcher = try matcher()
    let answer = try await matcher.values(for: content, options: unhurried)
    let query = try matcher.feedbackQuery(ofContinuation: #require(answer.continuation))
    let said = try FeedbackStatement.Content(query: query, chosen: chosen, rejected: rejected)
    return try KeptFeedback(directory: directory).add(said, state: state, time: 1).statement.number
  }

  private func json(_ response: MatchResponse) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let document = MatchDocument(response, query: "q", elapsed: .zero, projection: nil)
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  private func ids(_ response: MatchResponse) -> [String] {
    response.matches.map(\.value.id.value)
  }

  /// Would break if the log-odds of many statements on one question grew until a confidence is 1: its log-odds are
  /// infinite, which ended the server, and equal confidences are ordered by their ids.
  @Test func `any number of chosen products come first, the newest at the top`() async throws {
    let folder = try TemporaryDirectory()
    let directory = folder.path + "/shop.vq"
    let ids = (10..<60).map { "p\($0)" }
    let rows = ids.map { #"{"type":"product","id":"\#($0)","title":"T","labels":["mug"]}"# }
    let store = #"{"type":"store","id":"s","title":"S","stock":["p59"]}"#
    _ = try await Indexer(directory: directory).run(
      path: folder.write((rows + [store]).joined(separator: "\n"), to: "feed.jsonl"))
    let query = try FeedbackQuery(labels: ["mug"], signatureText: nil)
    let kept = try KeptFeedback(directory: directory)
    for (time, id) in ids.enumerated() {
      _ = try kept.add(
        FeedbackStatement.Content(query: query, chosen: product(id), rejected: []), state: .active,
        time: time)
    }
    let answer = try await Matcher(unhurried: Catalogue(directory: directory)).values(
      for: SemanticContent(labels: ["mug"]),
      options: MatchOptions(limit: 100, typeLimits: [:], timeout: nil))
    let products = answer.matches.filter { $0.value.id.type == .product }
    #expect(products.map(\.value.id.value) == ids.reversed())
    #expect(answer.matches.allSatisfy { $0.evidence.allSatisfy(\.weight.isFinite) })
    #expect(answer.matches.allSatisfy { $0.confidence < 1 })
    #expect(answer.matches.contains { $0.value.id.type == .store })
  }

  /// Would break if any way of asking still gave what somebody said is wrong, or if anything stayed behind.
  @Test func `a suppressed pair never returns, and its removal restores the same bytes`()
    async throws
  {
    let red = product("mug-red")
    var options = MatchOptions(
      limit: 20, typeLimits: [:], minimumConfidence: 0.0001, timeout: nil, isGrouped: true)
    let matcher = try matcher()
    let before = try await matcher.values(for: content(labels: ["mug"]), options: options)
    #expect(ids(before).first == "mug-red")
    options.limit = 1
    let page = try await matcher.values(for: content(labels: ["mug"]), options: options)
    options.limit = 20
    let token = try #require(page.continuation)
    let number = try await say(rejected: [red], of: content())

    // The same catalogue that was open before sees what was said meanwhile.
    var answers = [try await matcher.values(for: content(labels: ["mug"]), options: options)]
    #expect(answers[0].diagnostics.feedback?.suppressed == [.init(id: red, statement: number)])
    answers.append(try await matcher.values(continuing: token))
    answers.append(try await matcher.values(continuing: token, limit: 20, fromStart: true))
    answers.append(try await matcher.values(continuing: token, fromStart: true, refresh: true))
    options.isGrouped = false
    options.minimumConfidence = 0
    answers.append(try await matcher.values(for: content(labels: ["mug"]), options: options))
    options.types = [.store]
    answers.append(try await matcher.values(for: content(), options: options))
    for answer in answers {
      #expect(!answer.entityIDs.contains(red))
      #expect(!answer.matches.contains { $0.stocks == red })
      #expect(!answer.regions.contains { $0.best == red })
    }
    let diagnosis = try await matcher.diagnosis(of: red, in: content(), options: unhurried)
    #expect(diagnosis.missReason == .suppressed)

    #expect(try KeptFeedback(directory: directory).remove(number))
    options = MatchOptions(
      limit: 20, typeLimits: [:], minimumConfidence: 0.0001, timeout: nil, isGrouped: true)
    let after = try await matcher.values(for: content(labels: ["mug"]), options: options)
    #expect(try json(after) == json(before))
  }

  @Test func `labels without an image are a question of their own`() async throws {
    let words = SemanticContent(labels: ["Mug"])
    try await say(rejected: [product("mug-red")], of: words)
    let matcher = try matcher()
    let answer = try await matcher.values(for: SemanticContent(labels: ["mug"]), options: unhurried)
    #expect(!ids(answer).isEmpty && !ids(answer).contains("mug-red"))
    let image = try await matcher.values(for: content(labels: ["mug"]), options: unhurried)
    #expect(ids(image).contains("mug-red") && image.diagnostics.feedback == nil)
    let other = try await matcher.values(
      for: SemanticContent(labels: ["mug", "cup"]), options: unhurried)
    #expect(other.diagnostics.feedback == nil)
  }

  /// Would break if a pin did not come first, or did not explain itself.
  @Test(arguments: ["mug-blue", "oats"])
  func `what somebody chose comes first, and says why`(id: String) async throws {
    let number = try await say(chosen: product(id), of: content())
    let matcher = try matcher()
    let answer = try await matcher.values(for: content(), options: unhurried)
    let first = try #require(answer.matches.first)
    #expect(first.value.id.value == id && first.confidence > 0.998)
    #expect(answer.diagnostics.feedback?.pinned == [.init(id: product(id), statement: number)])
    let pin = try #require(first.evidence.last)
    #expect(pin.kind == .pin && pin.value == Double(number))
    let sum = first.evidence.reduce(0) { $0 + $1.weight }
    #expect(abs(Calibration.probability(ofLogOdds: sum) - first.confidence) < 1e-12)
    // A page of the list keeps the term.
    let again = try await matcher.values(
      continuing: #require(answer.continuation), fromStart: true)
    #expect(again.matches.first?.evidence.last?.kind == .pin)
  }

  @Test func `filters keep their effect on what somebody chose`() async throws {
    try await say(chosen: product("mug-blue"), of: content())
    var options = unhurried
    options.filters[.product] = EntityFilter(
      comparators: [try #require(EntityComparator("price>20"))])
    let answer = try await matcher().values(for: content(), options: options)
    #expect(!ids(answer).contains("mug-blue"))
  }

  @Test func `the newest choice comes first, and a rejection outweighs every choice`() async throws
  {
    try await say(chosen: product("mug-blue"), of: content())
    try await say(chosen: product("mug-green"), of: content())
    var options = unhurried
    options.types = [.product]
    var answer = try await matcher().values(for: content(), options: options)
    #expect(ids(answer).prefix(2) == ["mug-green", "mug-blue"])
    try await say(rejected: [product("mug-green")], of: content())
    answer = try await matcher().values(for: content(), options: options)
    #expect(ids(answer).first == "mug-blue" && !ids(answer).contains("mug-green"))
  }

  @Test func `a pending statement has no effect until it is accepted`() async throws {
    let before = try json(await matcher().values(for: content(), options: unhurried))
    let number = try await say(rejected: [product("mug-red")], of: content(), state: .pending)
    #expect(try json(await matcher().values(for: content(), options: unhurried)) == before)
    #expect(try KeptFeedback(directory: directory).accept(number))
    let after = try await matcher().values(for: content(), options: unhurried)
    #expect(!ids(after).contains("mug-red"))
  }

  /// The same photo saved again is the same question; another thing of the same shape is not.
  @Test(arguments: [
    ("queries/q01-mug.jpg", 90, true), ("queries/q01-mug.jpg", 50, true),
    ("shop/images/mug-red.jpg", 50, true), ("shop/images/mug-red-2.jpg", 90, false),
    ("shop/images/mug-blue.jpg", 90, false),
  ])
  func `an image saved again is the same question`(
    file: String, quality: Int, isSame: Bool
  ) throws {
    let path = SampleShop.folder.path + "/" + file
    let original = file.contains("images") ? SampleShop.image("mug-red.jpg") : path
    let decoder = ImageDecoder()
    let saved = try decoder.jpeg(
      of: decoder.contents(ofFile: path), longerSide: 4000, quality: quality)
    let a = QuerySignature(try decoder.decode(decoder.contents(ofFile: original)))
    let b = QuerySignature(try decoder.decode(saved))
    #expect(ImageFingerprint(a).isSame(as: ImageFingerprint(b)) == isSame)
  }

  /// Would break if the bounds were too tight for a copy that an app scaled down, or so wide that other images were copies.
  @Test(arguments: [2, 3, 4]) func `an image that was scaled is the same question`(
    part: Int
  ) throws {
    let decoder = ImageDecoder()
    let names = ["mug-red.jpg", "mug-blue.jpg", "lantern.jpg", "lantern-2.jpg", "board.jpg"]
    let images = try names.map {
      try decoder.decode(decoder.contents(ofFile: SampleShop.image($0)))
    }
    let originals = images.map { ImageFingerprint(QuerySignature($0)) }
    for (index, image) in images.enumerated() {
      let side = max(image.width, image.height) / part
      let small = try decoder.decode(decoder.jpeg(of: image, longerSide: side, quality: 85))
      let copy = ImageFingerprint(QuerySignature(small))
      for (other, original) in originals.enumerated() {
        #expect(copy.isSame(as: original) == (index == other), "\(names[index]), \(names[other])")
      }
    }
  }

  @Test func `flat images are only the same if their signatures are`() throws {
    func flat(_ level: UInt8) throws -> ImageFingerprint {
      ImageFingerprint(
        QuerySignature(
          try PixelBuffer(
            width: 64, height: 64, format: .rgba8,
            bytes: [UInt8](repeating: level, count: 4 * 64 * 64))))
    }
    #expect(try flat(200).isSame(as: flat(200)))
    #expect(try !flat(200).isSame(as: flat(203)))
  }

  @Test func `an evaluation does not count what people said`() async throws {
    let query = try EvaluationQuery.read(#"{"image":"q","truth":["mug-red"]}"#)[0]
    let picture = try #require(try content().pixelBuffer)
    let before = try await matcher().evaluate(query, picture: picture, withLabels: false)
    try await say(chosen: product("oats"), rejected: [product("mug-red")], of: content())
    let after = try await matcher().evaluate(query, picture: picture, withLabels: false)
    #expect(before.answers == after.answers)
    var options = unhurried
    options.usesFeedback = false
    let answer = try await matcher().values(for: content(), options: options)
    #expect(ids(answer).first == "mug-red" && answer.diagnostics.feedback == nil)
    let pages = try await matcher().values(
      continuing: #require(answer.continuation), fromStart: true)
    #expect(ids(pages).first == "mug-red")
  }

  @Test func `a match without statements makes no file`() async throws {
    _ = try await matcher().values(for: content(), options: unhurried)
    #expect(!FileManager.default.fileExists(atPath: directory + "/feedback.sqlite"))
  }
}
