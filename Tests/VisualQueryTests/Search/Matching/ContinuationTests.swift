import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct ContinuationTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/shop.vq" }

  init() async throws { folder = try await CatalogueTests.sampleCatalogue() }

  private func matcher() throws -> Matcher {
    Matcher(unhurried: try Catalogue(directory: directory))
  }

  private func content() throws -> SemanticContent {
    try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg")), labels: ["mug"])
  }

  private func document(_ matches: [Match]) throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try matches.map { match in
      // The alignment requires the query's keypoints.
      let value = MatchDocument.Value(match, nil)
      let text = String(decoding: try encoder.encode(value), as: UTF8.self)
      return text.replacing(/"alignment":\{[^}]*\},/, with: "")
        .replacing(/"object":[0-9]+,/, with: "")
    }
  }

  /// Pages must be what one large answer is, cut up: nothing twice, nothing lost, the same evidence.
  @Test(arguments: [1, 3, 7])
  func `pages together are the whole answer`(limit: Int) async throws {
    let matcher = try matcher()
    var options = MatchOptions(limit: 100, typeLimits: [:], minimumConfidence: 0.0005, timeout: nil)
    let whole = try await matcher.values(for: content(), options: options)
    #expect(whole.matches.count > 8 && !whole.hasMore)
    options.limit = limit
    var page = try await matcher.values(for: content(), options: options)
    var pages = page.matches
    while page.hasMore {
      page = try await matcher.values(continuing: #require(page.continuation))
      #expect(!page.matches.isEmpty && page.matches.count <= limit)
      pages += page.matches
    }
    for (page, whole) in zip(try document(pages), try document(whole.matches)) {
      #expect(page == whole)
    }
    #expect(pages.count == whole.matches.count)
    #expect(pages.map(\.rank) == Array(1...pages.count))
    let behind = try await matcher.values(continuing: #require(page.continuation))
    #expect(behind.matches.isEmpty && !behind.hasMore && behind.emptyReason != nil)
  }

  @Test func `a search can be shown again from its start`() async throws {
    let matcher = try matcher()
    let first = try await matcher.values(for: content(), options: MatchOptions(timeout: nil))
    let again = try await matcher.values(
      continuing: #require(first.continuation), fromStart: true)
    #expect(try document(again.matches) == document(first.matches))
  }

  @Test func `a token is about two kilobytes, and the same each time`() async throws {
    let matcher = try matcher()
    let first = try await matcher.values(for: content(), options: MatchOptions(timeout: nil))
    let second = try await matcher.values(for: content(), options: MatchOptions(timeout: nil))
    let token = try #require(first.continuation)
    #expect(token.utf8.count < 4096)
    #expect(second.continuation == token)
  }

  /// Would break if a question gave a token that no server accepts: labels of any number of bytes once
  /// made tokens of half a megabyte.
  @Test func `a token is never longer than what is accepted`() async throws {
    let matcher = try matcher()
    let long = String(repeating: "\u{1100}", count: 80_000) + "aaa"
    let labels = ["mug"] + (1..<SemanticContent.labelLimit).map { "\($0)" + long }
    let answer = try await matcher.values(
      for: SemanticContent(labels: labels), options: MatchOptions(timeout: nil))
    let token = try #require(answer.continuation)
    #expect(token.utf8.count <= MatchResponse.continuationLimit)
    #expect(try await !matcher.values(continuing: token, fromStart: true).matches.isEmpty)
    #expect(answer.unmatchedLabels.allSatisfy { $0.unicodeScalars.count <= 100 })
    // A question that is too long in another way gets no token.
    var options = MatchOptions(timeout: nil)
    let text = String(repeating: "\u{1F600}", count: EntityComparator.textLimit)
    options.filters[.product] = EntityFilter(
      comparators: Array(
        repeating: EntityComparator("id", .notEqualTo(.text(text))),
        count: EntityFilter.comparatorLimit))
    let other = try await matcher.values(for: SemanticContent(labels: ["mug"]), options: options)
    #expect(!other.matches.isEmpty && other.continuation == nil)
    let error = await #expect(throws: MatchError.self) {
      try await matcher.values(continuing: token + String(repeating: "A", count: 65_536))
    }
    #expect(error?.code == .invalidToken)
  }

  @Test func `filters, place and language go on`() async throws {
    let matcher = try matcher()
    let filter = EntityFilter(comparators: [EntityComparator("id", .notEqualTo("mug-red"))])
    let options = MatchOptions(
      limit: 1, types: [.product], filters: [.product: filter], timeout: nil, locale: "de")
    let first = try await matcher.values(for: SemanticContent(labels: ["mugs"]), options: options)
    let second = try await matcher.values(continuing: #require(first.continuation), limit: 9)
    #expect(
      (first.matches + second.matches).map(\.value.id.value) == [
        "mug-blue", "mug-cream", "mug-green",
      ])
    #expect(second.matches.first?.display.title == "Campingbecher")
  }

  /// Would break if narrowing needed the image again, showed what does not meet the conditions, or forgot them on the next page.
  @Test func `a search is narrowed without its image`() async throws {
    let matcher = try matcher()
    let first = try await matcher.values(
      for: SemanticContent(labels: ["mugs"]), options: MatchOptions(limit: 3, timeout: nil))
    let conditions = [EntityComparator("id", .notEqualTo("mug-red"))]
    var page = try await matcher.values(
      continuing: #require(first.continuation), limit: 1, matching: conditions)
    var ids = page.matches.map(\.value.id.value)
    #expect(page.matches.map(\.rank) == [1])
    while page.hasMore {
      page = try await matcher.values(continuing: #require(page.continuation), limit: 1)
      ids += page.matches.map(\.value.id.value)
    }
    #expect(ids.filter { $0.hasPrefix("mug") } == ["mug-blue", "mug-cream", "mug-green"])
    let again = try await matcher.values(
      continuing: #require(page.continuation), limit: 9, fromStart: true, refresh: true,
      timeout: nil)
    #expect(!again.matches.isEmpty && again.matches.allSatisfy { $0.value.id.value != "mug-red" })
    let many = Array(repeating: conditions[0], count: EntityFilter.comparatorLimit + 1)
    await #expect(throws: MatchError.self) {
      try await matcher.values(continuing: #require(first.continuation), matching: many)
    }
  }

  @Test func `on request, the search is made again without what was shown`() async throws {
    let first = try await matcher().values(
      for: content(),
      options: MatchOptions(limit: 2, typeLimits: [.store: 0], minimumConfidence: 0, timeout: nil))
    _ = try await Indexer(directory: directory).run(
      path: folder.write(
        #"{"type":"product","id":"new","title":"New mug","labels":["mug"]}"#, to: "n.jsonl"))
    let matcher = try matcher()
    let kept = try await matcher.values(continuing: #require(first.continuation), limit: 30)
    #expect(kept.generation == first.generation + 1 && !kept.matches.isEmpty)
    #expect(kept.matches.allSatisfy { $0.value.id.value != "new" })
    let next = try await matcher.values(
      continuing: #require(first.continuation), limit: 30, refresh: true, timeout: nil)
    #expect(next.generation == first.generation + 1)
    let shown = Set(first.matches.map(\.value.id))
    #expect(next.matches.allSatisfy { !shown.contains($0.value.id) })
    #expect(next.matches.contains { $0.value.id.value == "new" })
  }

  /// Would break if a search that is made again lost the matches by labels once its deadline has passed.
  @Test func `a search that is made again keeps the labels at any deadline`() async throws {
    let matcher = try matcher()
    let first = try await matcher.values(for: content(), options: MatchOptions(timeout: nil))
    let again = try await matcher.values(
      continuing: #require(first.continuation), fromStart: true, refresh: true, timeout: .zero)
    #expect(!again.isComplete && again.emptyReason == nil)
    #expect(again.matches.contains { $0.value.id.value == "mug-red" })
  }

  /// Would break if the limit of one page became that of all further ones, or if a new search said less than the first one.
  @Test func `a search that is made again is the first one, but for its page`() async throws {
    let matcher = try matcher()
    var content = try content()
    content.codes = ["4006381333931"]
    let first = try await matcher.values(
      for: content,
      options: MatchOptions(limit: 3, typeLimits: [:], minimumConfidence: 0, timeout: nil))
    #expect(first.matches.count == 3 && first.unmatchedCodes.count == 1)
    let again = try await matcher.values(
      continuing: #require(first.continuation), limit: 1, refresh: true, timeout: nil)
    #expect(again.matches.count == 1 && again.unmatchedCodes == first.unmatchedCodes)
    let next = try await matcher.values(continuing: #require(again.continuation))
    #expect(next.matches.count == 3)
  }

  /// The pages of later generations are those of the first one's list without what was removed
  /// meanwhile, however the shop changes between them.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `pages go on through later generations`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let shop = try DrawnShop()
    let ids = (0..<14).map { "p\($0)" }
    for (number, id) in ids.prefix(4).enumerated() {
      try shop.draw("\(id).jpg", seed: seed * 100 + UInt64(number))
    }
    func row(_ id: String, _ title: String) -> String {
      let images = ids.prefix(4).contains(id) ? #","images":["\#(id).jpg"]"# : ""
      return #"{"type":"product","id":"\#(id)","title":"\#(title)","labels":["mug"]\#(images)}"#
    }
    try await shop.run(ids.map { row($0, "T") })
    func matcher() throws -> Matcher { Matcher(unhurried: try Catalogue(directory: shop.index)) }
    let content = SemanticContent(
      labels: ["mug"],
      signature: QuerySignature(
        try ImageDecoder().decode(
          ImageDecoder().contents(ofFile: shop.folder.path + "/p0.jpg"), longerSide: 96)))
    var options = MatchOptions(limit: 100, typeLimits: [:], minimumConfidence: 0, timeout: nil)
    let whole = try await matcher().values(for: content, options: options)
    var left = whole.matches.map(\.value.id.value)
    #expect(left.count == ids.count)
    options.limit = Int.random(in: 1...3, using: &generator)
    var page = try await matcher().values(for: content, options: options)
    var titles: [String: String] = [:]
    var present = Set(ids)
    var rank = 0
    while true {
      let expected = Array(left.prefix(options.limit))
      #expect(page.matches.map(\.value.id.value) == expected)
      #expect(page.matches.map(\.rank) == Array(rank..<rank + expected.count).map { $0 + 1 })
      for match in page.matches {
        #expect(match.display.title == titles[match.value.id.value] ?? "T")
      }
      rank += expected.count
      left.removeFirst(expected.count)
      #expect(page.hasMore == !left.isEmpty && page.isComplete)
      let token = try #require(page.continuation)
      for generation in 0..<Int.random(in: 1...3, using: &generator) {
        let id = try #require(ids.randomElement(using: &generator))
        if present.contains(id), Bool.random(using: &generator) {
          _ = try await Indexer(directory: shop.index).remove([
            EntityID(type: .product, value: id)
          ])
          present.remove(id)
          left.removeAll { $0 == id }
        } else {
          // An entity that was removed comes back as a new one, which no earlier list has.
          let title = "T \(rank) \(generation)"
          try await shop.run([row(id, title), row("new\(rank)", "N")])
          present.insert(id)
          titles[id] = title
        }
      }
      page = try await matcher().values(continuing: token)
      if left.isEmpty { break }
    }
    #expect(page.matches.isEmpty && !page.hasMore)
  }

  /// Keys are not given twice, but a directory may be restored from a copy.
  @Test func `a key that has another entity now is left out`() async throws {
    let first = try await matcher().values(
      for: SemanticContent(labels: ["mug"]),
      options: MatchOptions(limit: 1, typeLimits: [:], types: [.product], timeout: nil))
    let token = try #require(first.continuation)
    let before = try await matcher().values(continuing: token, limit: 9).matches
    let gone = try #require(before.first?.value.id)
    let connection = try CatalogueConnection(path: directory + "/catalogue.sqlite", mode: .write)
    try connection.statement("UPDATE entities SET id = 'other' WHERE id = ?")
      .bind(.text(gone.value)).run()
    let after = try await matcher().values(continuing: token, limit: 9).matches
    #expect(after.map(\.value.id) == before.map(\.value.id).filter { $0 != gone })
  }

  @Test func `an altered or foreign token is refused, an old one told apart`() async throws {
    let matcher = try matcher()
    let first = try await matcher.values(for: content(), options: MatchOptions(timeout: nil))
    let token = try #require(first.continuation)
    for text in ["", "x", token + "A", String(token.dropFirst()), token.replacing("A", with: "B")] {
      await #expect { _ = try await matcher.values(continuing: text) } throws: {
        ($0 as? MatchError)?.code == .invalidToken
      }
    }
    let other = try TemporaryDirectory()
    _ = try await Indexer(directory: other.path + "/o.vq").putSettings()
    let foreign = Matcher(unhurried: try Catalogue(directory: other.path + "/o.vq"))
    await #expect(throws: MatchError.self) { _ = try await foreign.values(continuing: token) }
    for generation in 0..<Matcher.continuationLifetime {
      let bridge = LabelBridge(targets: ["word": ["\(generation)"]])
      _ = try await Indexer(directory: directory, settings: ShopSettings(bridge: bridge))
        .putSettings()
    }
    let old = try self.matcher()
    await #expect { _ = try await old.values(continuing: token) } throws: {
      ($0 as? MatchError)?.code == .expiredToken
    }
  }

  /// The bytes of the token of a search, without its seal.
  private func openedToken(near: GeoPoint? = nil) async throws -> [UInt8] {
    var options = MatchOptions(timeout: nil)
    options.near = near
    let first = try await matcher().values(for: content(), options: options)
    let token = try #require(first.continuation)
    return try #require(SealedToken.open(token, secret: Catalogue(directory: directory).secret))
  }

  /// Would break if a token forgot that a limit was asked for: a page of many things would show more of them when its search is
  /// made again.
  @Test func `a continuation has the options that were asked for`() async throws {
    var asked = Question()
    asked.limit = MatchOptions.defaultLimit
    asked.type = .product
    let options = asked.options(timeout: nil)
    let first = try await matcher().values(for: content(), options: options)
    let again = try matcher().options(of: #require(first.continuation))
    #expect(again == options && again.pageLimit == 0)
    let standard = Question().options(timeout: nil)
    let second = try await matcher().values(for: content(), options: standard)
    #expect(try matcher().options(of: #require(second.continuation)) == standard)
  }

  /// Would break if the tokens that apps hold could no longer be read.
  @Test func `the questions of earlier tokens are read`() throws {
    let json = #"{"labels":["mug"],"limit":3,"products":5,"types":["product","store"]}"#
    let old = try JSONDecoder().decode(ContinuedQuestion.self, from: Data(json.utf8))
    #expect(old.labels == ["mug"] && old.codes.isEmpty && !old.isImageLeftOut)
    #expect(
      old.options
        == MatchOptions(limit: 3, typeLimits: [.product: 5], timeout: nil))
    for wrong in ["{}", #"{"labels":["mug"],"limit":3,"types":["shop"]}"#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ContinuedQuestion.self, from: Data(wrong.utf8))
      }
    }
  }

  /// Only the server can seal such bytes, but they must not end its process.
  @Test(arguments: [0x80, 0xFF] as [UInt8])
  func `a generation or a place that no catalogue reaches is refused`(highest: UInt8) async throws {
    var bytes = try await openedToken()
    let catalogue = try Catalogue(directory: directory)
    #expect(Continuation(bytes: bytes)?.generation == catalogue.generation)
    bytes[1] = highest
    #expect(Continuation(bytes: bytes) == nil)
    let sealed = SealedToken.seal(bytes, secret: catalogue.secret)
    #expect { _ = try Continuation(token: sealed, catalogue: catalogue) } throws: {
      ($0 as? MatchError)?.code == .invalidToken
    }
    let identity = Array(catalogue.identity.utf8)
    let state = identity + [highest] + [UInt8](repeating: 0, count: 7)
    #expect(SyncState.position(in: state, of: identity) == nil)
  }

  /// Found by fuzzing the bytes under the seal.
  @Test func `a place outside the globe is left out of a continuation`() async throws {
    let near = GeoPoint(latitude: 53.5, longitude: 10)
    var bytes = try await openedToken(near: near)
    #expect(Continuation(bytes: bytes)?.options.near == near)
    let latitude = try #require(bytes.firstRange(of: Array("53.5".utf8)))
    bytes.replaceSubrange(latitude, with: Array("5353".utf8))
    let altered = try #require(Continuation(bytes: bytes))
    #expect(altered.options.near == nil)
  }

  @Test func `bytes behind the last entry of a continuation are refused`() async throws {
    let bytes = try await openedToken()
    #expect(Continuation(bytes: bytes) != nil)
    #expect(Continuation(bytes: bytes + [0]) == nil)
  }

  /// Would break if an app that keeps the image on the phone got other answers. Images of which more would be
  /// looked at are told apart by `regions`.
  @Test func `the whole signature gives the answers of the image`() async throws {
    let matcher = try matcher()
    let photos = try FileManager.default.contentsOfDirectory(atPath: SampleShop.query("")).sorted()
      .filter { $0.hasSuffix(".jpg") }.map(SampleShop.query)
    var (compared, unsure) = (0, 0)
    for name in photos + ["mug-red.jpg", "oats.jpg", "lamp-teal.jpg"].map(SampleShop.image) {
      for labels in [[], ["mug"]] {
        let content = try SemanticContent(
          decoding: ImageDecoder().contents(ofFile: name), labels: labels)
        let text = QuerySignature(try #require(content.pixelBuffer)).text
        let signed = SemanticContent(labels: labels, signature: try QuerySignature(text: text))
        let options = MatchOptions(minimumConfidence: 0.3, timeout: nil)
        let whole = try await matcher.values(for: content, options: options)
        let answer = try await matcher.values(for: signed, options: options)
        #expect(answer.isComplete)
        #expect(answer.regions.allSatisfy { !$0.isSearched && $0.best == nil }, "\(name)")
        if answer.regions.contains(where: { $0.source == .windows }) {
          #expect(!answer.matches.contains { $0.confidence >= 0.85 }, "\(name)")
        }
        // Without the image, the patches are estimated.
        let hasPatches = answer.matches.contains { $0.evidence.contains { $0.kind == .patches } }
        if answer.regions.isEmpty, hasPatches {
          #expect(
            answer.matches.first?.value.id == whole.matches.first?.value.id
              && answer.matches.first?.tier == whole.matches.first?.tier, "\(name)")
        } else if answer.regions.isEmpty {
          #expect(whole.regions.isEmpty && answer.matches == whole.matches, "\(name)")
          compared += 1
        } else if whole.matches != answer.matches {
          unsure += 1
        }
      }
    }
    #expect(compared > 6 && unsure > 0)
  }

  @Test func `a signature alone finds what its picture finds`() async throws {
    let matcher = try matcher()
    let picture = try #require(
      try SemanticContent(decoding: ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg")))
        .pixelBuffer)
    let text = QuerySignature(picture).compactText
    #expect(text.utf8.count < 1800)
    let signature = try QuerySignature(text: text)
    #expect(signature.compactText == text)
    let answer = try await matcher.values(
      for: SemanticContent(signature: signature), options: MatchOptions(timeout: nil))
    #expect(answer.matches.first?.value.id.value == "oats")
    for broken in ["", "x", String(text.dropLast(4)), text + "AAAA", "Z" + text.dropFirst()] {
      #expect(throws: SignatureError.self) { _ = try QuerySignature(text: broken) }
    }
  }
}
