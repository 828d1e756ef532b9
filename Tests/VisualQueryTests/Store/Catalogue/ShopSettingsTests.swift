import TestSupport
import Testing
@testable import ShopStore
import VisualQuery

@Suite struct ShopSettingsTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/i.vq" }

  init() throws { folder = try TemporaryDirectory() }

  private func index(_ rows: [String], _ settings: ShopSettings = ShopSettings()) async throws
    -> Int
  {
    try await Indexer(directory: directory, settings: settings)
      .run(path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl")).refused
  }

  private func warnings(
    _ rows: [String], _ settings: ShopSettings = ShopSettings()
  ) async throws -> Int {
    let progress = try await Indexer(directory: directory, settings: settings)
      .run(path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    #expect(progress.entities == rows.count)
    return progress.warnings
  }

  @Test func `a template links what has no URL of its own, and stays until it is replaced`()
    async throws
  {
    let links = LinkSettings(
      templates: [.product: try LinkTemplate("shop://p/{id}{?brand}", allowedSchemes: ["shop"])],
      allowedSchemes: ["shop"])
    let rows = [
      #"{"type":"product","id":"a b","title":"A","labels":["x"],"brand":"É"}"#,
      #"{"type":"product","id":"c","title":"C","labels":["x"],"url":"https://shop.example/c"}"#,
      #"{"type":"store","id":"s","title":"S","labels":["x"]}"#,
    ]
    #expect(try await index(rows, ShopSettings(links: links)) == 0)
    #expect(try await index(rows) == 0)
    let answer = try await Matcher(unhurried: Catalogue(directory: directory))
      .values(for: SemanticContent(labels: ["x"]), options: MatchOptions(timeout: nil))
    #expect(
      answer.matches.map(\.handoff.url) == [
        "shop://p/a%20b?brand=%C3%89", "https://shop.example/c", nil,
      ])
    _ = try await Indexer(directory: directory, settings: ShopSettings(links: LinkSettings()))
      .putSettings()
    #expect(try Catalogue(directory: directory).links == LinkSettings())
  }

  @Test func `links of other schemes are left out, unless the shop allows them`() async throws {
    func row(_ url: String) -> String {
      #"{"type":"product","id":"\#(url.hashValue)","title":"A","url":"\#(url)"}"#
    }
    let rows = ["https://a.example/", "http://a.example/", "shop://a", "javascript:alert(1)"].map(
      row)
    #expect(try await warnings(rows) == 3)
    let allowing = ShopSettings(
      links: LinkSettings(allowedSchemes: ["http", "shop", "javascript"]))
    #expect(try await warnings(rows, allowing) == 1)
  }

  @Test func `a setting that did not change makes no generation`() async throws {
    let settings = ShopSettings(
      links: LinkSettings(allowedSchemes: ["shop"]), bridge: LabelBridge(targets: ["a": ["b"]]))
    let first = try await Indexer(directory: directory, settings: settings).putSettings()
    let second = try await Indexer(directory: directory, settings: settings).putSettings()
    #expect(first == second)
  }

  @Test func `a bridge means the shop's own labels`() async throws {
    let path = try folder.write(
      "\u{FEFF}label,note,labels,synonyms\r\nFootwear,x,sneaker|Boots,\"shoes|kicks\"\r\n\r\ngoblet,,mug,\n",
      to: "b.csv")
    let bridge = try LabelBridge(path: path)
    #expect(
      bridge.targets == [
        "footwear": ["sneaker", "boot"], "shoe": ["sneaker", "boot"], "kick": ["sneaker", "boot"],
        "goblet": ["mug"],
      ])
    let rows = [
      #"{"type":"product","id":"s","title":"S","labels":["sneakers"]}"#,
      #"{"type":"product","id":"m","title":"M","labels":["coffee mug"]}"#,
    ]
    _ = try await index(rows, ShopSettings(bridge: bridge))
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    for (label, id) in [("kicks", "s"), ("Goblets", "m"), ("mug", "m"), ("silver goblet", "m")] {
      let answer = try await matcher.values(for: SemanticContent(labels: [label]))
      #expect(answer.matches.map(\.value.id.value) == [id] && answer.unmatchedLabels.isEmpty)
    }
  }

  @Test(arguments: ["", "a,b\n1,2", "label,labels\nx", "label,labels\n\"x,y"])
  func `a broken bridge names its line`(text: String) throws {
    let path = try folder.write(text, to: "b.csv")
    #expect { _ = try LabelBridge(path: path) } throws: {
      ($0 as? FeedError)?.message.contains("line ") == true
    }
  }

  /// Would break if a table that a spreadsheet wrote in German were refused for lack of columns that it has.
  @Test(arguments: [";", "\t"]) func `a bridge may have other separators`(separator: String) throws
  {
    let text = "label,labels,synonyms\nfootwear,sneaker|boots,\"shoes|kicks\"\n"
    let path = try folder.write(text.replacing(",", with: separator), to: "b.csv")
    #expect(try LabelBridge(path: path).targets["kick"] == ["sneaker", "boot"])
  }

  @Test func `unknown labels are counted by all processes, up to a limit`() async throws {
    _ = try await index([#"{"type":"product","id":"m","title":"M","labels":["mug"]}"#])
    #expect(try UnmatchedLabels.counts(in: directory).isEmpty)
    #expect(!FileStatus.exists(directory + "/unmatched.sqlite"))
    let first = try UnmatchedLabels(directory: directory)
    let second = try UnmatchedLabels(directory: directory)
    try first.count(["Goblets"])
    try second.count(["vase"])
    try CurrentCatalogue(directory: directory).countUnmatched(["goblet", ""])
    #expect(try UnmatchedLabels.counts(in: directory).count == 2)
    #expect(
      try UnmatchedLabels.counts(in: directory) == [
        UnmatchedLabels.Count(label: "goblet", queries: 2),
        UnmatchedLabels.Count(label: "vase", queries: 1),
      ])
    #expect(try Catalogue(directory: directory).unmatched(among: ["goblet", "mugs"]) == ["goblet"])
    try first.count((0..<UnmatchedLabels.limit + 10).map { "label \($0)x" })
    try first.count(["goblet"])
    #expect(try UnmatchedLabels.counts(in: directory).count == UnmatchedLabels.limit)
    #expect(try UnmatchedLabels.counts(in: directory).first?.queries == 3)
  }

  /// Would break if labels were measured in characters, of which one may have any number of bytes:
  /// a few requests once made the file grow by megabytes.
  @Test func `unknown labels take a bounded number of bytes`() async throws {
    _ = try await index([#"{"type":"product","id":"m","title":"M"}"#])
    let labels = try UnmatchedLabels(directory: directory)
    try labels.count([
      String(repeating: "\u{1100}", count: 80_000),
      "a" + String(repeating: "\u{301}", count: 100_000),
    ])
    for count in try UnmatchedLabels.counts(in: directory) {
      #expect(count.label.unicodeScalars.count <= 100)
    }
    // Each label has about 400 bytes, and all of them differ.
    let tail = String(repeating: "\u{20000}", count: 94)
    for start in stride(from: 100_000, to: 106_000, by: 1000) {
      try labels.count((start..<start + 1000).map { "\($0)" + tail })
    }
    try labels.count(["\(100_000)" + tail])
    let counts = try UnmatchedLabels.counts(in: directory)
    let byteCount = counts.reduce(0) { $0 + $1.label.utf8.count }
    #expect(byteCount <= UnmatchedLabels.byteLimit && byteCount > UnmatchedLabels.byteLimit - 400)
    #expect(counts.first?.queries == 2)
    let file = try #require(FileStatus(directory + "/unmatched.sqlite"))
    #expect(file.byteCount < 4 * UnmatchedLabels.byteLimit)
  }

  /// Would break if a file that an earlier version had filled took no further label.
  @Test func `labels of a length that is not counted any more are dropped`() async throws {
    _ = try await index([#"{"type":"product","id":"m","title":"M"}"#])
    let labels = try UnmatchedLabels(directory: directory)
    let connection = try CatalogueConnection(path: directory + "/unmatched.sqlite", mode: .write)
    try connection.statement("INSERT INTO labels VALUES(?, 9)")
      .bind(.text(String(repeating: "x", count: 2 * UnmatchedLabels.byteLimit))).run()
    try labels.count(["vase"])
    #expect(
      try UnmatchedLabels.counts(in: directory) == [
        UnmatchedLabels.Count(label: "vase", queries: 1)
      ])
  }
}
