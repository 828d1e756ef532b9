@testable import ShopFeeds
@testable import ShopSearch
@testable import ShopStore
import Foundation
import PixelMatch
import TestSupport
import Testing

import VisualQuery

/// The numbers of searches against counts by hand.
@Suite struct SearchNumbersTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path + "/shop.vq" }

  init() async throws { folder = try await CatalogueTests.sampleCatalogue() }

  private static func place(
    _ day: String, key: String = "", language: String = "", arm: String = ""
  ) -> SearchNumbers.Circumstances {
    SearchNumbers.Circumstances(day: day, key: key, language: language, arm: arm)
  }

  /// Would break if a search or an event were lost, counted twice, or counted by other circumstances than its own.
  @Test func `a thousand replayed searches are what a count by hand says`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let numbers = try SearchNumbers(directory: directory)
    var random = SeededGenerator(seed: 54)
    let questions = [["mug"], ["lamp"], ["goblet"], ["chalice"], ["tea"]]
    var options = MatchOptions(timeout: nil)
    var answers: [[String]: MatchResponse] = [:]
    for labels in questions {
      answers[labels] = try await matcher.values(
        for: SemanticContent(labels: labels), options: options)
    }
    options.locale = "de"
    let german = try await matcher.values(for: SemanticContent(labels: ["mug"]), options: options)
    var waiting: [SearchNumbers.Search: Int] = [:]
    var (searches, sure, empty, opened) = (0, 0, 0, 0)
    var byDay: [String: Int] = [:]
    var byKey: [String: Int] = [:]
    var byRank: [Int: Int] = [:]
    var byLabel: [String: Int] = [:]
    for number in 0..<1000 {
      let labels = try #require(questions.randomElement(using: &random))
      let isGerman = labels == ["mug"] && number % 3 == 0
      let answer = isGerman ? german : try #require(answers[labels])
      let day = "2026-11-\(10 + number % 7)"
      let key = number % 2 == 0 ? "app" : "web"
      let place = Self.place(day, key: key, language: isGerman ? "de" : "")
      waiting[SearchNumbers.Search(answer, labels: labels, place), default: 0] += 1
      searches += 1
      byDay[day, default: 0] += 1
      byKey[key, default: 0] += 1
      if answer.matches.isEmpty {
        empty += 1
        byLabel[labels[0], default: 0] += 1
      } else {
        sure += 1
        let match = try #require(answer.matches.randomElement(using: &random))
        let token = try #require(answer.continuation)
        let event = try #require(
          try matcher.event(
            "event \(number)", .opened, of: match.value.id,
            inAnswer: token, day: day, key: key))
        // The same event counts only once.
        #expect(try numbers.count([event]) == 1)
        #expect(try numbers.count([event]) == 0)
        opened += 1
        byRank[match.rank, default: 0] += 1
      }
      if number % 100 == 99 {
        try numbers.count(waiting)
        waiting = [:]
      }
    }
    let report = try SearchNumbers(directory: directory).report()
    #expect(report.total.searches == searches && report.total.sure == sure)
    #expect(report.total.empty == empty && report.total.list == 0)
    #expect(report.total.opened == opened && report.total.ordered == 0)
    #expect(
      Dictionary(uniqueKeysWithValues: report.byDay.map { ($0.name, $0.sums.searches) }) == byDay)
    #expect(
      Dictionary(uniqueKeysWithValues: report.byKey.map { ($0.name, $0.sums.searches) }) == byKey)
    #expect(Dictionary(uniqueKeysWithValues: report.ranks.map { ($0.rank, $0.opened) }) == byRank)
    #expect(
      Dictionary(uniqueKeysWithValues: report.emptyLabels.map { ($0.label, $0.searches) })
        == byLabel
    )
    #expect(report.byLanguage.map(\.name) == ["", "de"] && report.byRule.isEmpty)
    #expect(report.from == "2026-11-10" && report.until == "2026-11-16")
    let later = try numbers.report(since: "2026-11-15")
    #expect(later.total.searches == byDay["2026-11-15"]! + byDay["2026-11-16"]!)
  }

  /// Would break if a label that few people asked for were told.
  @Test func `labels are reported from ten searches on`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let numbers = try SearchNumbers(directory: directory)
    let labels = ["goblet"]
    let answer = try await matcher.values(for: SemanticContent(labels: labels))
    func search(_ day: String) -> SearchNumbers.Search {
      SearchNumbers.Search(answer, labels: labels, Self.place(day))
    }
    try numbers.count([search("2026-11-01"): 9])
    #expect(try numbers.report().emptyLabels.isEmpty)
    try numbers.count([search("2026-11-02"): 1])
    #expect(try numbers.report().emptyLabels.map(\.searches) == [10])
    #expect(try numbers.report(since: "2026-11-02").emptyLabels.isEmpty)
  }

  /// Would break if a region that few people marked were told, or one that found something were counted.
  @Test func `regions that find nothing are reported from ten searches on`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let numbers = try SearchNumbers(directory: directory)
    let nothing = try await matcher.values(for: SemanticContent(labels: ["goblet"]))
    let something = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    func search(_ answer: MatchResponse, _ region: PictureRegion) -> SearchNumbers.Search {
      SearchNumbers.Search(answer, labels: [], region: region, Self.place("2026-11-01"))
    }
    // Two regions of one place: neither has ten searches by itself.
    let corner = PictureRegion(x: 0, y: 0, width: 0.2, height: 0.2)
    let beside = PictureRegion(x: 0.05, y: 0.1, width: 0.2, height: 0.2)
    let middle = PictureRegion(x: 0.2, y: 0.2, width: 0.6, height: 0.6)
    let pixels = PictureRegion(x: 0, y: 0, width: 20, height: 20, unit: .pixels)
    try numbers.count([
      search(nothing, corner): 5, search(nothing, middle): 12, search(something, corner): 30,
      search(nothing, pixels): 40,
    ])
    try numbers.count([search(nothing, beside): 4])
    #expect(
      try numbers.report().emptyRegions == [.init(region: "middle center, large", searches: 12)])
    try numbers.count([search(nothing, beside): 1])
    #expect(
      try numbers.report().emptyRegions.last == .init(region: "top left, small", searches: 10))
  }

  /// Would break if a file of an earlier version could not be read any more, or lost its sums.
  @Test func `numbers from before there were models are kept`() async throws {
    let old = try CatalogueConnection(path: directory + "/numbers.sqlite", mode: .write)
    try old.execute(
      """
      CREATE TABLE searches(
        day TEXT, key TEXT, language TEXT, arm TEXT, rule TEXT, outcome TEXT, count INTEGER NOT NULL,
        PRIMARY KEY(day, key, language, arm, rule, outcome)) STRICT, WITHOUT ROWID;
      CREATE TABLE actions(
        day TEXT, key TEXT, language TEXT, arm TEXT, rule TEXT, action TEXT, rank INTEGER,
        count INTEGER NOT NULL,
        PRIMARY KEY(day, key, language, arm, rule, action, rank)) STRICT, WITHOUT ROWID;
      INSERT INTO searches VALUES('2026-11-01', 'app', 'de', 'A', 'sale', 'sure', 7);
      INSERT INTO actions VALUES('2026-11-01', 'app', 'de', 'A', 'sale', 'opened', 2, 3);
      """)
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    var place = Self.place("2026-11-01")
    place.model = "lite"
    try SearchNumbers(directory: directory).count([
      SearchNumbers.Search(answer, labels: [], place): 2
    ])
    let report = try SearchNumbers(directory: directory).report()
    #expect(report.total.searches == 9 && report.ranks.map(\.rank) == [2])
    #expect(report.byModel.map(\.name) == ["", "lite"])
    #expect(report.byModel.map(\.sums.searches) == [7, 2] && report.byRule.map(\.name) == ["sale"])
  }

  /// Would break if the numbers of several servers were not added, or a label were told by one of them.
  @Test func `numbers of several servers are added`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["goblet"]))
    let other = folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    let search = SearchNumbers.Search(answer, labels: ["goblet"], Self.place("2026-11-01"))
    let later = SearchNumbers.Search(answer, labels: ["goblet"], Self.place("2026-11-02"))
    let (one, two) = (try SearchNumbers(directory: directory), try SearchNumbers(directory: other))
    try one.count([search: 4])
    try two.count([search: 2, later: 4])
    #expect(try one.report().emptyLabels.isEmpty && two.report().emptyLabels.isEmpty)
    let report = try one.report(with: [two])
    #expect(report.total.searches == 10 && report.emptyLabels.map(\.searches) == [10])
    #expect(report.byDay.map(\.sums.searches) == [6, 4])
    #expect(try one.report(since: "2026-11-02", with: [two]).total.searches == 4)
  }

  /// Would break if days were kept for ever.
  @Test func `the oldest days are removed`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    let numbers = try SearchNumbers(directory: directory)
    var waiting: [SearchNumbers.Search: Int] = [:]
    let start = try Date("2024-01-01T00:00:00Z", strategy: .iso8601)
    for day in 0..<(SearchNumbers.dayLimit + 5) {
      let name = start.addingTimeInterval(86_400 * Double(day))
        .formatted(Date.ISO8601FormatStyle().year().month().day())
      waiting[SearchNumbers.Search(answer, labels: ["mug"], Self.place(name))] = 2
    }
    try numbers.count(waiting)
    let report = try numbers.report()
    #expect(report.byDay.count == SearchNumbers.dayLimit && report.from == "2024-01-06")
    #expect(report.total.searches == 2 * SearchNumbers.dayLimit)
  }

  /// Would break if an event could be told of what an answer does not have, or of another shop's token.
  @Test func `events are of matches of an answer`() async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    let token = try #require(answer.continuation)
    let other = EntityID(type: .product, value: "oats")
    #expect(
      try matcher.event("a", .opened, of: other, inAnswer: token, day: "2026-11-01", key: "") == nil
    )
    let first = try #require(answer.matches.dropFirst().first)
    let event = try #require(
      try matcher.event(
        "a", .shown, of: first.value.id, inAnswer: token, day: "2026-11-01", key: ""))
    #expect(event.rank == 2 && event.action == .shown)
    #expect(throws: MatchError.self) {
      try matcher.event("a", .shown, of: other, inAnswer: "x", day: "2026-11-01", key: "")
    }
  }

  /// Would break if a caller changed sides, or nearly all were on one.
  @Test func `callers are on one of two sides, half on each`() {
    let sides = (0..<1000).map { Matcher.arm(ofCaller: "caller \($0)") }
    #expect(sides == (0..<1000).map { Matcher.arm(ofCaller: "caller \($0)") })
    #expect((450...550).contains(sides.count { $0 == "A" }))
    #expect(Set(sides) == ["A", "B"])
  }

  /// Values of E. B. Wilson's interval for 5 of 10 and 0 of 10, by hand.
  @Test func `intervals are those of the formula`() throws {
    let half = try #require(SearchReport.interval(5, of: 10))
    #expect(abs(half.lowerBound - 0.2366) < 0.0001 && abs(half.upperBound - 0.7634) < 0.0001)
    let none = try #require(SearchReport.interval(0, of: 10))
    #expect(none.lowerBound == 0 && abs(none.upperBound - 0.2775) < 0.0001)
    #expect(SearchReport.interval(0, of: 0) == nil)
    var (a, b) = (SearchReport.Sums(), SearchReport.Sums())
    (a.searches, a.opened, b.searches, b.opened) = (100, 25, 400, 144)
    let difference = try #require(SearchReport.difference(a, b))
    // 0.36 − 0.25, with 1.96 · √(25 / 100² + 144 / 400²) = 1.96 · √0.0034.
    #expect(abs(difference.openedPerSearch - 0.11) < 1e-9)
    #expect(abs(difference.high - difference.low - 2 * 1.96 * 0.0034.squareRoot()) < 1e-9)
  }
}
