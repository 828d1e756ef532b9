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
    _ day: String, key: String = "", language: String = "", arm: String = "", model: String = "",
    number: Int = 0
  ) -> CountedAnswer {
    CountedAnswer(
      number: UInt64(number), day: day, key: key, language: language, arm: arm, model: model)
  }

  /// Would break if a search or an event were lost, counted twice, or counted by other circumstances than its own.
  @Test func `a thousand replayed searches are what a count by hand says`() async throws {
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    let numbers = try SearchNumbers(directory: directory)
    var random = SeededGenerator(seed: 54)
    let questions = [["mug"], ["lamp"], ["goblet"], ["chalice"], ["tea"]]
    var options = MatchOptions(timeout: nil)
    var waiting: [SearchNumbers.Search: Int] = [:]
    var (searches, sure, empty, opened) = (0, 0, 0, 0)
    var byDay: [String: Int] = [:]
    var byKey: [String: Int] = [:]
    var byRank: [Int: Int] = [:]
    var byLabel: [String: Int] = [:]
    for number in 0..<1000 {
      let labels = try #require(questions.randomElement(using: &random))
      let isGerman = labels == ["mug"] && number % 3 == 0
      let day = "2026-11-\(10 + number % 7)"
      let key = number % 2 == 0 ? "app" : "web"
      let place = Self.place(day, key: key, language: isGerman ? "de" : "", number: number)
      options.counted = place
      let answer = try await matcher.values(
        for: SemanticContent(labels: labels), options: options)
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
            .opened, of: match.value.id, inAnswer: token, key: key, since: "2026-11-10"))
        // The same event counts only once.
        #expect(try numbers.count([event], since: "2026-11-10").counted == 1)
        #expect(try numbers.count([event], since: "2026-11-10").known == 1)
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["mug"]))
    let place = Self.place("2026-11-01", model: "lite")
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
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
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    var options = MatchOptions(limit: 1, timeout: nil)
    func token() async throws -> String {
      let content = SemanticContent(labels: ["mug"])
      return try #require(
        try await matcher.values(for: content, options: options).continuation)
    }
    let uncounted = try await token()
    options.counted = Self.place("2026-11-07", key: "app", language: "de", arm: "B", number: 7)
    let counted = try await token()
    func event(
      _ id: String, in token: String, key: String = "app", since: String = "2026-11-01"
    ) throws -> SearchNumbers.Event? {
      try matcher.event(
        .shown, of: EntityID(type: .product, value: id), inAnswer: token, key: key, since: since)
    }
    #expect(try event("oats", in: counted) == nil)
    #expect(try event("mug-red", in: uncounted) == nil)
    #expect(try event("mug-red", in: counted, key: "other") == nil)
    #expect(try event("mug-red", in: counted, since: "2026-11-08") == nil)
    let first = try #require(try event("mug-red", in: counted))
    #expect(first.circumstances == options.counted && first.action == .shown)
    #expect(throws: MatchError.self) { try event("mug-red", in: "x") }
    // A further page, and the list that a condition narrows, are the same answer.
    let next = try #require(
      try await matcher.values(continuing: counted, limit: 2, timeout: nil).continuation)
    let narrowed = try await matcher.values(
      continuing: counted, matching: [EntityComparator("title", .contains("mug"))], timeout: nil)
    #expect(next != counted && narrowed.continuation != counted)
    let numbers = try SearchNumbers(directory: directory)
    for (token, number) in [(counted, 1), (counted, 0), (next, 0)] {
      let event = try #require(try event("mug-red", in: token))
      #expect(try numbers.count([event], since: "2026-11-01").counted == number)
    }
    let continuation = try #require(narrowed.continuation)
    let kept = try #require(try event("mug-red", in: continuation))
    #expect(
      try numbers.count([kept, kept], since: "2026-11-01")
        == SearchNumbers.Counted(counted: 0, known: 2))
    // Another search with the same question is another answer.
    options.counted = Self.place("2026-11-07", key: "app", number: 8)
    let again = try #require(try event("mug-red", in: try await token()))
    #expect(try numbers.count([again], since: "2026-11-01").counted == 1)
    // What cannot be told again is forgotten.
    let database = try CatalogueConnection(path: directory + "/numbers.sqlite", mode: .read)
    func remembered() throws -> Int? {
      try database.first("SELECT count(*) FROM counted") { $0.onlyInteger }
    }
    #expect(try remembered() == 2)
    options.counted = Self.place("2026-11-20", key: "app", number: 9)
    let later = try #require(try event("mug-red", in: try await token()))
    _ = try numbers.count([later], since: "2026-11-14")
    #expect(try remembered() == 1)
    #expect(try numbers.report().total.shown == 3)
  }

  /// Would break if what a stranger sends made rows without end, or cost an earlier day.
  @Test func `a day that is too large is added up, and earlier days stay`() async throws {
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    let answer = try await matcher.values(for: SemanticContent(labels: ["goblet"]))
    let numbers = try SearchNumbers(directory: directory)
    var waiting: [SearchNumbers.Search: Int] = [:]
    for day in 1...9 {
      waiting[SearchNumbers.Search(answer, labels: [], Self.place("2026-10-0\(day)", key: "app"))] =
        3
    }
    try numbers.count(waiting)
    let often = SearchNumbers.Search(
      answer, labels: ["goblet"], Self.place("2026-11-01", key: "app", language: "de"))
    try numbers.count([often: 40])
    for batch in 0..<4 {
      waiting = [:]
      for number in 0..<400 {
        let name = "x\(batch)x\(number)"
        waiting[
          SearchNumbers.Search(
            answer, labels: [name],
            Self.place("2026-11-01", key: "app", language: name, arm: number % 2 == 0 ? "A" : "B"))] =
          1
      }
      try numbers.count(waiting)
    }
    let other = SearchNumbers.Search(answer, labels: [], Self.place("2026-11-01", key: "web"))
    try numbers.count([other: 5])
    let report = try numbers.report()
    #expect(report.byDay.map(\.sums.searches) == Array(repeating: 3, count: 9) + [1645])
    #expect(report.byKey.map(\.sums.searches) == [1667, 5])
    #expect(report.byArm.map(\.sums.searches) == [800, 800] && report.total.empty == 1672)
    #expect(report.byLanguage.count <= SearchNumbers.searchLimit)
    #expect(report.byLanguage.first { $0.name == "de" }?.sums.searches == 40)
    #expect(report.emptyLabels.map(\.searches) == [40])
    let excess = try #require(report.excess)
    #expect(excess.days == ["2026-11-01"] && excess.events == 0 && excess.sides == 0)
    let merged = report.byLanguage.first { $0.name == CountedNames.other }?.sums.searches ?? 0
    #expect(excess.merged == merged && merged > 1000 && excess.labels > 1000)
    let database = try CatalogueConnection(path: directory + "/numbers.sqlite", mode: .read)
    for (table, limit) in [
      ("searches", SearchNumbers.searchLimit + 10), ("labels", SearchNumbers.labelLimit),
    ] {
      let rows = try database.first("SELECT count(*) FROM \(table)") { $0.onlyInteger }
      #expect(try #require(rows) <= limit, "\(table)")
    }
    #expect(try numbers.report(since: "2026-11-02").excess == nil)
  }

  /// Would break if a restored file counted twice, lost a sum, or took what is no sum.
  @Test func `an export is imported once, whole or not at all`() async throws {
    let matcher = Matcher(unhurried: try Catalogue(directory: directory))
    var options = MatchOptions(timeout: nil)
    options.counted = Self.place("2026-11-01", key: "app", language: "de", arm: "A", model: "lite")
    let answer = try await matcher.values(
      for: SemanticContent(labels: ["mug"]), options: options)
    let nothing = try await matcher.values(for: SemanticContent(labels: ["goblet"]))
    let numbers = try SearchNumbers(directory: directory)
    let region = PictureRegion(x: 0, y: 0, width: 0.2, height: 0.2)
    let place = try #require(options.counted)
    try numbers.count([
      SearchNumbers.Search(answer, labels: [], place): 7,
      SearchNumbers.Search(nothing, labels: ["goblet"], region: region, isSideless: true, place):
        12,
    ])
    let first = try #require(answer.matches.first)
    let continuation = try #require(answer.continuation)
    let event = try #require(
      try matcher.event(
        .opened, of: first.value.id, inAnswer: continuation, key: "app", since: "2026-11-01"))
    _ = try numbers.count([event], since: "2026-11-01")
    func export(_ numbers: SearchNumbers) throws -> [String] {
      var lines: [String] = []
      try numbers.forEachExportedLine { lines.append($0) }
      return lines
    }
    let lines = try export(numbers)
    #expect(lines.first == #"{"schema":"vq.numbers/1"}"# && lines.count == 7)
    let file = Array((lines.joined(separator: "\r\n") + "\n").utf8)
    let other = folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    let restored = try SearchNumbers(directory: other)
    for _ in 0..<2 {
      let imported = try restored.importing(file)
      #expect(imported.sums == 6 && imported.days == ["2026-11-01"])
      #expect(try restored.report() == numbers.report() && export(restored) == lines)
    }
    // What was counted since the backup stays.
    try numbers.count([SearchNumbers.Search(answer, labels: [], place): 1])
    _ = try numbers.importing(file)
    #expect(try numbers.report().total.searches == 20)
    for (wrong, line) in [
      ("", 1), ("{}", 1), (#"{"schema":"vq.numbers/2"}"#, 1), (lines[1], 1),
      (lines[0] + "\n" + lines[1] + "\nx", 3), (lines[0] + "\n{}", 2),
      (lines[0] + "\n\n" + lines[1].replacing("2026-11-01", with: "2026-1-1"), 3),
      (lines[0] + "\n" + lines[1].replacing(#""count":"#, with: #""count":-"#), 2),
      (lines[0] + "\n" + lines[1].replacing(#""name":""#, with: #""name":"x"#), 2),
      (lines[0] + "\n" + lines[1].replacing(#""side":""#, with: #""side":"C"#), 2),
    ] {
      let error = #expect(throws: SearchNumbers.ImportError.self, "\(wrong)") {
        try restored.importing(Array(wrong.utf8))
      }
      #expect(error?.line == line, "\(wrong)")
    }
    #expect(try export(restored) == lines)
  }

  /// Would break if a stranger could name a language or a model that the shop does not have.
  @Test func `languages and models are those of the shop`() async throws {
    let feed = try folder.write(
      """
      {"type":"product","id":"a","title":"Mug","localized":{"pt-BR":{"title":"Caneca"}}}
      {"type":"product","id":"b","title":"Cup","localized":{"nl":{"title":"Kop"}}}

      """, to: "languages.jsonl")
    let index = folder.path + "/languages.vq"
    let rules = try ShopRules(
      json: JSONValue(
        json: Array(
          #"{"rules":[{"name":"sv","do":"pin","entities":["product:a"],"when":{"languages":["sv-SE"]}}]}"#
            .utf8
        )))
    _ = try await Indexer(directory: index, settings: ShopSettings(rules: rules))
      .run(path: feed, imagesRoot: nil)
    let names = try CountedNames(
      of: Catalogue(directory: index), languages: ["en"], models: ["lite"])
    #expect(
      ["pt", "PT_br", "nl-BE", "sv", "en-GB", "fi", "zz-x-1", "", nil].map(names.language)
        == ["pt", "pt", "nl", "sv", "en", "other", "other", "", ""])
    #expect(names.model(ImageEmbedding.fingerprint(of: "lite")) == "lite")
    #expect(names.model(ImageEmbedding.fingerprint(of: "x1")) == "other")
    #expect(try CountedNames(of: Catalogue(directory: directory)).language("qq") == "other")
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
