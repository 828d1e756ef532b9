import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// What the shop's rules do with answers.
@Suite struct RuleTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/shop.vq" }

  init() async throws { folder = try await CatalogueTests.sampleCatalogue() }

  private static func rules(_ text: String) throws -> ShopRules {
    try ShopRules(json: JSONValue(json: Array(#"{"rules":[\#(text)]}"#.utf8)))
  }

  private func matcher(_ rules: String = "", at date: Date? = nil) throws -> Matcher {
    var matcher = Matcher(unhurried: try Catalogue(directory: directory))
    if !rules.isEmpty { matcher.rules = try Self.rules(rules) }
    matcher.ruleDate = date
    return matcher
  }

  private func photo(
    _ name: String = "q01-mug.jpg", labels: [String] = ["mug"]
  ) throws -> SemanticContent {
    try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query(name)), labels: labels)
  }

  private static func ids(_ matches: [Match]) -> [String] { matches.map(\.value.id.value) }

  private static func text(_ response: MatchResponse) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let document = MatchDocument(response, query: "q", elapsed: .zero, projection: nil)
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  private static let everything = MatchOptions(
    limit: 100, typeLimits: [:], minimumConfidence: 0, timeout: nil)

  // MARK: Pins and boosts

  /// Would break if a rule changed a confidence, lost or added an entity, or moved it among those of another type.
  @Test(arguments: [
    #"{"name":"r","do":"pin","entities":["product:oats","product:mug-blue"]}"#,
    #"{"name":"r","do":"boost","factor":10,"where":["price>20"]}"#,
    #"{"name":"r","do":"boost","factor":0.1,"where":["id=blanket-blue"]}"#,
    #"{"name":"r","do":"boost","factor":9,"by":{"field":"price","from":0,"to":100}}"#,
    #"{"name":"r","do":"pin","entities":["store:market"]}"#,
  ])
  func `pins and boosts only change places within a type`(rule: String) async throws {
    let plain = try await matcher().values(for: photo(), options: Self.everything)
    let ruled = try await matcher(rule).values(for: photo(), options: Self.everything)
    #expect(Self.ids(plain.matches) != Self.ids(ruled.matches))
    #expect(plain.matches.map(\.value.id.type) == ruled.matches.map(\.value.id.type))
    func confidences(_ response: MatchResponse) -> [EntityID: Double] {
      Dictionary(uniqueKeysWithValues: response.matches.map { ($0.value.id, $0.confidence) })
    }
    #expect(confidences(plain) == confidences(ruled))
    // What was photographed keeps its place.
    #expect(ruled.matches[0].value.id.value == "mug-red" && ruled.matches[0].rule == nil)
    #expect(ruled.matches.contains { $0.rule == "r" })
  }

  /// Would break if a pin put the thing that was photographed off a page of one.
  @Test(arguments: [#""pin""#, #""boost","factor":10"#])
  func `what was photographed stays on a page of one`(effect: String) async throws {
    let rule = #"{"name":"r","do":\#(effect),"entities":["product:mug-blue","product:oats"]}"#
    var options = Self.everything
    options.limit = 1
    let page = try await matcher(rule).values(for: photo(), options: options)
    #expect(Self.ids(page.matches) == ["mug-red"])
  }

  /// Would break if a pin made an unsure answer sure, or brought what was not found.
  @Test func `nothing becomes sure by a rule`() async throws {
    let rule =
      #"{"name":"r","do":"pin","entities":["product:mug-blue","product:kettle","product:oats"]}"#
    let options = MatchOptions(timeout: nil)
    let plain = try await matcher().values(for: photo(), options: options)
    let ruled = try await matcher(rule).values(for: photo(), options: options)
    #expect(try Self.text(plain) == Self.text(ruled))
  }

  /// Would break if pins did not come in the order of the rule, or an earlier rule not first.
  @Test func `pinned entities come first among labels, in the order of the rules`() async throws {
    let rules = """
      {"name":"a","do":"pin","entities":["product:mug-red","product:mug-green"]},
      {"name":"b","do":"pin","where":["id=mug-cream"]}
      """
    let options = MatchOptions(timeout: nil)
    let content = SemanticContent(labels: ["mug"])
    let ruled = try await matcher(rules).values(for: content, options: options)
    #expect(
      Self.ids(ruled.matches).prefix(4) == ["mug-red", "mug-green", "mug-cream", "mug-blue"])
    #expect(ruled.matches.prefix(4).map(\.rule) == ["a", "a", nil, nil])
  }

  // MARK: Hiding

  /// Would break if what is hidden showed in a list, as a variant, as the best of a region, or brought its stores; or if the rest
  /// became surer.
  @Test func `what is hidden is nowhere, and the others are as sure as before`() async throws {
    let rule = #"{"name":"r","do":"hide","entities":["product:mug-red"]}"#
    var options = Self.everything
    options.isGrouped = true
    let plain = try await matcher().values(for: photo(), options: Self.everything)
    let ruled = try await matcher(rule).values(for: photo(), options: Self.everything)
    let grouped = try await matcher(rule).values(for: photo(), options: options)
    let named =
      ruled.entityIDs + ruled.matches.compactMap(\.stocks) + ruled.regions.compactMap(\.best)
    #expect(!named.map(\.value).contains("mug-red"))
    #expect(!(grouped.entityIDs.map(\.value).contains("mug-red")))
    let before = Dictionary(
      uniqueKeysWithValues: plain.matches.map { ($0.value.id, $0.confidence) })
    for match in ruled.matches where match.value.id.type == .product {
      #expect(before[match.value.id] == match.confidence)
    }
    let sure = try await matcher(rule).values(
      for: photo(), options: MatchOptions(timeout: nil))
    #expect(sure.matches.isEmpty && sure.emptyReason == .filteredOut)
    let reason = try await matcher(rule).diagnosis(
      of: EntityID(type: .product, value: "mug-red"), in: photo(),
      options: MatchOptions(timeout: nil))
    #expect(reason.missReason == .hidden && reason.rule == "r")
  }

  /// Would break if a list of what the image may show had what is hidden.
  @Test func `what is hidden is in no list of what it may be`() async throws {
    let content = try photo("q02-lamp.jpg", labels: [])
    let options = MatchOptions(timeout: nil)
    let plain = try await matcher().values(for: content, options: options)
    #expect(Self.ids(plain.possible).contains("lamp-teal"))
    let rule = #"{"name":"r","do":"hide","entities":["product:lamp-teal"]}"#
    let ruled = try await matcher(rule).values(for: content, options: options)
    #expect(!Self.ids(ruled.possible).contains("lamp-teal"))
  }

  /// Would break if a page of a token showed what was hidden meanwhile, or lost the names of rules.
  @Test func `further pages follow the rules`() async throws {
    let boost = #"{"name":"dear","do":"boost","factor":10,"where":["price>20"]}"#
    let whole = try await matcher(boost).values(for: photo(), options: Self.everything)
    var options = Self.everything
    options.limit = 2
    let first = try await matcher(boost).values(for: photo(), options: options)
    let token = try #require(first.continuation)
    var pages = first.matches
    var page = first
    while page.hasMore {
      page = try await matcher(boost).values(continuing: #require(page.continuation))
      pages += page.matches
    }
    #expect(Self.ids(pages) == Self.ids(whole.matches))
    #expect(pages.map(\.rule) == whole.matches.map(\.rule))
    #expect(pages.contains { $0.rule == "dear" })
    let hidden = try #require(pages.dropFirst(2).first).value.id
    let rule = #"{"name":"r","do":"hide","entities":["\#(hidden)"]}"#
    let next = try await matcher(rule).values(continuing: token, limit: 100)
    #expect(!next.matches.map(\.value.id).contains(hidden) && !next.matches.isEmpty)
  }

  // MARK: When

  /// Would break if a rule held for queries that it is not for.
  @Test(arguments: [
    (#""when":{"labels":["Mugs"]}"#, true), (#""when":{"labels":["lamp"]}"#, false),
    (#""when":{"languages":["de"]}"#, true), (#""when":{"languages":["fr"]}"#, false),
    (#""when":{"pages":["home"]}"#, true), (#""when":{"pages":["cart","x"]}"#, false),
    (#""when":{"categories":["mug"]}"#, true), (#""when":{"categories":["lamp"]}"#, false),
    (#""when":{"labels":["mug"],"pages":["cart"]}"#, false),
    (#""from":"2026-11-01","until":"2026-11-20""#, true),
    (#""from":"2026-11-11","until":"2026-11-20""#, false),
    (#""until":"2026-11-10T12:00:00Z""#, false), (#""from":"2026-11-10T12:00:00Z""#, true),
    (#""off":true"#, false), (#""off":false"#, true), (#""off":null"#, true),
  ])
  func `a rule holds for its queries and its time only`(scope: String, holds: Bool) async throws {
    let rule = #"{"name":"r","do":"hide","withLabel":["mug"],\#(scope)}"#
    let noon = try Date("2026-11-10T12:00:00Z", strategy: .iso8601)
    let options = MatchOptions(timeout: nil, locale: "de-AT", appPage: "home")
    let answer = try await matcher(rule, at: noon).values(
      for: SemanticContent(labels: ["mug"]), options: options)
    #expect(Self.ids(answer.matches).contains("mug-red") == !holds)
  }

  /// Would break if a field that the catalogue lost made every query fail.
  @Test func `a rule on a field that nothing has holds for nothing`() async throws {
    let rule = #"{"name":"r","do":"hide","where":["gone=1"]}"#
    let answer = try await matcher(rule).values(
      for: photo(), options: MatchOptions(timeout: nil))
    #expect(Self.ids(answer.matches).first == "mug-red")
    #expect(throws: FieldError.self) {
      try Catalogue(directory: directory).missingEntities(of: Self.rules(rule))
    }
  }

  @Test func `new arrivals are counted in days`() async throws {
    let feed = try folder.write(
      """
      {"type":"product","id":"old","title":"Old","labels":["mug"],"added":"2026-10-01"}
      {"type":"product","id":"zfresh","title":"Fresh","labels":["mug"],"added":"2026-11-05T08:00:00Z"}
      """, to: "feed.jsonl")
    let directory = folder.path + "/new.vq"
    _ = try await Indexer(directory: directory).run(path: feed)
    var matcher = Matcher(unhurried: try Catalogue(directory: directory))
    let content = SemanticContent(labels: ["mug"])
    let options = MatchOptions(timeout: nil)
    #expect(
      Self.ids(try await matcher.values(for: content, options: options).matches)
        == ["old", "zfresh"])
    matcher.rules = try Self.rules(
      #"{"name":"new","do":"boost","factor":2,"newerThan":{"field":"added","days":30}}"#)
    matcher.ruleDate = try Date("2026-11-27T12:00:00Z", strategy: .iso8601)
    #expect(
      Self.ids(try await matcher.values(for: content, options: options).matches)
        == ["zfresh", "old"])
    matcher.ruleDate = try Date("2027-11-27T12:00:00Z", strategy: .iso8601)
    #expect(
      Self.ids(try await matcher.values(for: content, options: options).matches)
        == ["old", "zfresh"])
  }

  // MARK: The catalogue

  /// Would break if a rule were not part of the generation, or removing it left a trace in answers or exports.
  @Test func `removing a rule restores the former bytes`() async throws {
    func export() async throws -> String {
      let text = Mutex("")
      try await CatalogueUpkeep(directory: directory).export { line in
        text.withLock { $0 += line + "\n" }
      }
      return text.withLock(\.self)
    }
    func answer() async throws -> String {
      try Self.text(
        try await matcher().values(for: photo(), options: Self.everything)
      ).replacing(/"(continuation|generation)":("[^"]*"|[0-9]+)/, with: "")
    }
    let before = (try await export(), try await answer())
    let rules = try Self.rules(#"{"name":"r","do":"hide","entities":["product:mug-red"]}"#)
    _ = try await Indexer(directory: directory, settings: ShopSettings(rules: rules)).putSettings()
    #expect(try Catalogue(directory: directory).rules == rules)
    let ruled = try await export()
    #expect(try await answer() != before.1 && ruled != before.0)
    let copy = folder.path + "/copy.vq"
    _ = try await CatalogueUpkeep(directory: copy).importing(
      path: try folder.write(ruled, to: "export.jsonl"))
    #expect(try Catalogue(directory: copy).rules == rules)
    _ = try await Indexer(directory: directory, settings: ShopSettings(rules: ShopRules()))
      .putSettings()
    #expect(try await export() == before.0)
    #expect(try await answer() == before.1)
  }

  @Test(arguments: [
    "[]", "{}", #"{"rules":{}}"#, #"{"rules":[],"more":1}"#, #"{"rules":[{"name":"a"}]}"#,
    #"{"rules":[{"name":"a","do":"pin"}]}"#, #"{"rules":[{"do":"pin","entities":["product:a"]}]}"#,
    #"{"rules":[{"name":"a","do":"pin","entities":["mug"]}]}"#,
    #"{"rules":[{"name":"a","do":"pin","entities":["product:a"],"factor":2}]}"#,
    #"{"rules":[{"name":"a","do":"boost","factor":0,"entities":["product:a"]}]}"#,
    #"{"rules":[{"name":"a","do":"boost","factor":2,"by":{"field":"m","from":2,"to":1}}]}"#,
    #"{"rules":[{"name":"a","do":"boost","factor":2,"newerThan":{"field":"m","days":0}}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x"]}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"],"whn":{}}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"],"when":{"label":["a"]}}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"],"from":"2026-02-02","until":"2026-02-01"}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"],"from":"soon"}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"],"off":"yes"}]}"#,
    #"{"rules":[{"name":"a","do":"hide","where":["x=1"]},{"name":"a","do":"hide","where":["x=1"]}]}"#,
  ])
  func `what is not a rule is refused`(text: String) throws {
    #expect(throws: FieldError.self) {
      try ShopRules(json: JSONValue(json: Array(text.utf8)))
    }
  }
}
