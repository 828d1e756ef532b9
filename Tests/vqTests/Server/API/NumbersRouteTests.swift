import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// The numbers that a server keeps, as clients make them.
@Suite struct NumbersRouteTests {
  private static let reader = APIKeys.made(role: .read, name: "app")
  private static let reading = "Authorization: Bearer \(reader.key)"
  private static let writer = APIKeys.made(role: .write, name: "shop")
  private static let writing = "Authorization: Bearer \(writer.key)"

  private static func shop(_ trial: String? = nil) async throws -> ServedShop {
    let lines = [reader.line, writer.line].joined(separator: "\n")
    let shop = try await ServedShop(keys: try APIKeys(lines: lines, file: "keys.txt"))
    let rules = try trial.map { try ShopRules(json: JSONValue(json: Array($0.utf8))) }
    shop.restart {
      $0.keepsNumbers = true
      $0.trialRules = rules
    }
    return shop
  }

  private static func match(_ shop: ServedShop, _ question: String) async throws -> [String: Any] {
    try await shop.json("POST /v1/match", [reading], question)
  }

  private static func report(_ shop: ServedShop) throws -> SearchReport {
    shop.service.shop.countSearches()
    return try SearchNumbers(directory: shop.index).report()
  }

  /// Would break if numbers were kept although nobody asked for them.
  @Test func `a server keeps no numbers unless it is told to`() async throws {
    let shop = try await ServedShop()
    let answer = try await shop.json("POST /v1/match", [], #"{"labels":["mug"]}"#)
    shop.service.shop.countSearches()
    #expect(!FileManager.default.fileExists(atPath: shop.index + "/numbers.sqlite"))
    let token = try #require(answer["continuation"] as? String)
    let event = #"{"id":"1","action":"opened","entity":"product:mug-red"}"#
    let refused = try await shop.ask(
      "POST /v1/events", ["Content-Type: application/json"],
      Array(#"{"query":"\#(token)","events":[\#(event)]}"#.utf8))
    #expect(refused.status == 403)
  }

  /// Would break if a page were a search, an event counted twice, or one of another answer.
  @Test func `searches and events are counted once`() async throws {
    let shop = try await Self.shop()
    let answer = try await Self.match(shop, #"{"labels":["mug"],"limit":2,"locale":"de"}"#)
    let token = try #require(answer["continuation"] as? String)
    _ = try await Self.match(shop, #"{"continuation":"\#(token)"}"#)
    _ = try await Self.match(shop, #"{"labels":["goblet"]}"#)
    let second = try #require(ServedShop.ids(answer, "values").last)
    func send(_ events: String, query: String = token) async throws -> [String: Any] {
      try await shop.json(
        "POST /v1/events", [Self.reading], #"{"query":"\#(query)","events":[\#(events)]}"#)
    }
    let events = """
      {"id":"1","action":"opened","entity":"product:\(second)"},
      {"id":"2","action":"ordered","entity":"product:\(second)"},
      {"id":"3","action":"opened","entity":"product:oats"}
      """
    let counted = try await send(events)
    #expect(counted["counted"] as? Int == 2 && counted["unknown"] as? Int == 1)
    let again = try await send(events)
    #expect(again["counted"] as? Int == 0 && again["known"] as? Int == 2)
    for bad in [
      "{}", #"{"id":"","action":"opened","entity":"product:oats"}"#,
      #"{"id":"1","action":"liked","entity":"product:oats"}"#,
      #"{"id":"1","action":"opened","entity":"oats"}"#,
      #"{"id":"1","action":"opened","entity":"product:oats","who":"me"}"#,
    ] {
      #expect(try await send(bad)["status"] as? Int == 400, "\(bad)")
    }
    #expect(try await send("")["status"] as? Int == 400)
    #expect(try await send(events, query: "x")["status"] as? Int == 422)
    let report = try Self.report(shop)
    #expect(report.total.searches == 2 && report.total.sure == 1 && report.total.empty == 1)
    #expect(report.total.opened == 1 && report.total.ordered == 1)
    #expect(report.ranks.map(\.rank) == [2] && report.byKey.map(\.name) == ["app"])
    #expect(report.byLanguage.map(\.name) == ["", "de"] && report.emptyLabels.isEmpty)
  }

  /// Would break if a field that is missing were said to have a wrong value.
  @Test func `a field that is missing is said to be missing`() async throws {
    let shop = try await Self.shop()
    let answer = try await Self.match(shop, #"{"labels":["mug"]}"#)
    let token = try #require(answer["continuation"] as? String)
    for (event, field) in [
      ("", "query"), (#""query":"\#(token)""#, "events"), (#""query":null"#, "query"),
      (#""query":"\#(token)","events":[{}]"#, "events[0].id"),
      (#""query":"\#(token)","events":[{"id":"1"}]"#, "events[0].action"),
      (#""query":"\#(token)","events":[{"id":"1","action":"shown"}]"#, "events[0].entity"),
    ] {
      let problem = try await shop.json("POST /v1/events", [Self.reading], "{\(event)}")
      #expect(problem["field"] as? String == field)
      let detail = try #require(problem["detail"] as? String)
      #expect(detail.hasPrefix("'\(field)' is missing; expected "), "\(detail)")
    }
    for (body, detail) in [
      (#""events":[]"#, "'events' is not a list of at least one event"),
      (#""events":[{"id":""}]"#, "'events[0].id' is not a text"),
    ] {
      let problem = try await shop.json(
        "POST /v1/events", [Self.reading], #"{"query":"\#(token)",\#(body)}"#)
      #expect((problem["detail"] as? String)?.hasPrefix(detail) == true, "\(problem)")
    }
  }

  /// Would break if the report were for everybody, left out searches that wait to be counted, or were made where nobody asked for numbers.
  @Test func `the report is given to those who may write`() async throws {
    let shop = try await Self.shop()
    #expect(try await shop.ask("GET /v1/numbers", [Self.reading], []).status == 403)
    for _ in 0..<10 {
      _ = try await Self.match(
        shop, #"{"labels":["goblet"],"embedding":{"model":"lite","vector":"AAAAPAAAADw="}}"#)
    }
    let report = try await shop.json("GET /v1/numbers?days=1", [Self.writing])
    #expect(report["schema"] as? String == "vq.report/1")
    #expect((report["total"] as? [String: Any])?["empty"] as? Int == 10)
    #expect((report["emptyLabels"] as? [[String: Any]])?.first?["label"] as? String == "goblet")
    let models = (report["byModel"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    #expect(models == [CountedNames.other])
    for days in ["0", "401", "x"] {
      let refused = try await shop.ask("GET /v1/numbers?days=\(days)", [Self.writing], [])
      #expect(refused.status == 400)
    }
    shop.restart { $0.keepsNumbers = false }
    let none = try await shop.json("GET /v1/numbers", [Self.writing])
    #expect(none["status"] as? Int == 403)
    #expect((none["detail"] as? String)?.contains("--numbers") == true)
  }

  /// Would break if a caller changed sides, a side had the other's rules, or a search without a caller were on one.
  @Test func `half of the callers try other rules`() async throws {
    let rules = #"{"rules":[{"name":"trial","do":"pin","entities":["product:mug-red"]}]}"#
    let shop = try await Self.shop(rules)
    var onSide: [String: Int] = [:]
    for number in 0..<20 {
      let side = Matcher.arm(ofCaller: "caller \(number)")
      onSide[side, default: 0] += 1
      let answer = try await Self.match(
        shop, #"{"labels":["mug"],"limit":1,"caller":"caller \#(number)"}"#)
      #expect(ServedShop.ids(answer, "values") == [side == "B" ? "mug-red" : "mug-blue"])
      let token = try #require(answer["continuation"] as? String)
      let entity = try #require(ServedShop.ids(answer, "values").first)
      if number < 10 {
        _ = try await shop.json(
          "POST /v1/events", [Self.reading],
          #"{"query":"\#(token)","events":[{"id":"\#(number)","action":"opened","entity":"product:\#(entity)"}]}"#
        )
      }
    }
    let plain = try await Self.match(shop, #"{"labels":["mug"],"limit":1}"#)
    #expect(ServedShop.ids(plain, "values") == ["mug-blue"])
    let report = try Self.report(shop)
    #expect(report.total.searches == 21 && report.total.opened == 10)
    #expect(
      Dictionary(uniqueKeysWithValues: report.byArm.map { ($0.name, $0.sums.searches) }) == onSide)
    #expect(report.byRule.map(\.name) == ["trial"])
    #expect(report.byRule.first?.sums.searches == onSide["B"])
    #expect(report.difference != nil)
    let page = SearchPage.page(of: report).text
    #expect(page.contains("Side by side") && page.contains("Openings per search, B less A"))
  }

  /// Would break if a client could make rows by inventing names, or a token counted more than its answer has.
  @Test func `strangers choose neither names nor numbers`() async throws {
    let shop = try await Self.shop()
    for number in 0..<30 {
      _ = try await Self.match(shop, #"{"labels":["mug"],"locale":"zz-a\#(number)"}"#)
      _ = try await Self.match(
        shop, #"{"labels":["mug"],"locale":"q\#(["a", "b", "c"][number % 3])"}"#)
    }
    let answer = try await Self.match(shop, #"{"labels":["mug"],"limit":1}"#)
    let token = try #require(answer["continuation"] as? String)
    func send(_ ids: Range<Int>, _ key: String) async throws -> [Int?] {
      let events = ids.map { #"{"id":"\#($0)","action":"ordered","entity":"product:mug-red"}"# }
      let answer = try await shop.json(
        "POST /v1/events", [key],
        #"{"query":"\#(token)","events":[\#(events.joined(separator: ","))]}"#)
      return ["counted", "known", "unknown"].map { answer[$0] as? Int }
    }
    #expect(try await send(0..<1, Self.writing) == [0, 0, 1])
    #expect(try await send(0..<100, Self.reading) == [1, 99, 0])
    #expect(try await send(100..<200, Self.reading) == [0, 100, 0])
    let report = try Self.report(shop)
    #expect(report.total.searches == 61 && report.total.ordered == 1)
    #expect(report.byLanguage.map(\.name) == ["", "other"])
    #expect(report.byLanguage.map(\.sums.searches) == [1, 60] && report.excess == nil)
  }

  /// Would break if one client could decide an experiment.
  @Test func `one client counts for the sides of an experiment only so often`() async throws {
    var sides = ClientSides()
    let taken = (0..<300).map { _ in sides.takes("app 192.0.2.1", on: "2026-11-01") }
    // Many other clients do not make it forget the one that has asked most.
    let others = (0..<(2 * ClientSides.clientLimit)).map { number in
      sides.takes("client \(number)", on: "2026-11-01")
    }
    let again = ["2026-11-01", "2026-11-02"].map { sides.takes("app 192.0.2.1", on: $0) }
    #expect(taken.count { $0 } == SearchNumbers.sideLimit && others.allSatisfy(\.self))
    #expect(again == [false, true])

    let shop = try await Self.shop(
      #"{"rules":[{"name":"trial","do":"pin","entities":["product:mug-red"]}]}"#)
    shop.service.shop.sides.withLock { sides in
      for _ in 0..<(SearchNumbers.sideLimit - 1) {
        _ = sides.takes("app local", on: ShopContext.today)
      }
    }
    let caller = try #require(
      (0..<9).map { "caller \($0)" }.first { Matcher.arm(ofCaller: $0) == "B" })
    for _ in 0..<3 {
      let answer = try await Self.match(
        shop, #"{"labels":["mug"],"limit":1,"caller":"\#(caller)"}"#)
      // The answer has the rules of its side, whether it counts or not.
      #expect(ServedShop.ids(answer, "values") == ["mug-red"])
    }
    let report = try Self.report(shop)
    #expect(report.total.searches == 3 && report.excess?.sides == 2)
    #expect(report.byArm.map(\.name) == ["B"] && report.byArm.map(\.sums.searches) == [1])
    #expect(
      ExcessText.sentences(about: report).first?.contains("2 searches count for no side") == true)
  }

  @Test func `numbers are exported, imported, and kept by a rollback`() throws {
    let (folder, _) = try RunningVQ.indexingSampleShop()
    let index = folder.path + "/shop.vq"
    let at = ["--index", index]
    let lines = """
      {"schema":"vq.numbers/1"}
      {"count":7,"day":"2026-11-01","key":"app","language":"de","model":"","name":"sure","of":"search","rules":"","side":""}
      {"count":2,"day":"2026-11-01","key":"app","language":"de","model":"","name":"opened","of":"action","rank":1,"rules":"","side":""}

      """
    let file = try folder.write(lines, to: "numbers.jsonl")
    let quiet = try RunningVQ(["catalogue", "export"] + at)
    #expect(quiet.status == 0 && quiet.errors.isEmpty)
    let imported = try RunningVQ(["report", "--import", file] + at)
    #expect(imported.status == 0 && imported.output.hasPrefix("2 sums of 1 day imported"))
    #expect(try RunningVQ(["report", "--export", "-"] + at).output == lines)
    let copy = folder.path + "/copy.jsonl"
    let exported = try RunningVQ(["report", "--export", copy] + at)
    #expect(exported.output.hasPrefix("2 sums written to"))
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == lines)
    // An export may replace an export, and nothing else.
    #expect(try RunningVQ(["report", "--export", copy] + at).status == 0)
    let feed = try folder.write("{}", to: "feed.jsonl")
    #expect(try RunningVQ(["report", "--export", feed] + at).status == 2)
    #expect(try RunningVQ(["report", "--import", feed] + at).errors.contains("line 1"))
    #expect(try RunningVQ(["report", "--import", folder.path + "/none"] + at).status == 1)
    #expect(try RunningVQ(["report", "--import", file, "--days", "3"] + at).status == 2)
    #expect(try RunningVQ(["report", "--import", file, "--export", copy] + at).status == 2)

    let noted = try RunningVQ(["catalogue", "export"] + at)
    #expect(noted.output == quiet.output && noted.errors.contains("vq report --export"))
    let empty = try folder.write(
      #"{"type":"product","id":"a","title":"A"}"# + "\n", to: "other.jsonl")
    #expect(try RunningVQ(["index", empty] + at).status == 0)
    let back = try RunningVQ(["catalogue", "rollback"] + at)
    #expect(back.status == 0 && back.errors.contains("the numbers of searches stay"))
    #expect(try RunningVQ(["report", "--export", "-"] + at).output == lines)
  }

  @Test func `the report of an index without numbers says so`() throws {
    let (folder, _) = try RunningVQ.indexingSampleShop()
    let index = ["--index", folder.path + "/shop.vq"]
    let file = folder.path + "/report.html"
    let run = try RunningVQ(["report", "--report", file] + index)
    #expect(run.status == 0 && run.output.hasPrefix("No searches were counted"))
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("No searches were counted."))
    let json = try RunningVQ(["report", "--json", "--days", "3"] + index)
    #expect(json.status == 0 && json.output.contains(#""schema":"vq.report/1""#))
    // To read numbers creates none.
    #expect(!FileStatus.exists(folder.path + "/shop.vq/numbers.sqlite"))
    _ = try SearchNumbers(directory: folder.path + "/shop.vq")
    let added = try RunningVQ(["report", "--with", folder.path + "/shop.vq"] + index)
    #expect(added.status == 0)
    let empty = try RunningVQ(["report", "--with", folder.path] + index)
    #expect(empty.status == 1 && empty.errors.contains("has no numbers"))
    let none = try RunningVQ(["report", "--index", folder.path + "/none.vq"])
    #expect(none.status == 5)
    let rules = try folder.write(#"{"rules":[]}"#, to: "rules.json")
    #expect(try RunningVQ(["serve", "--try-rules", rules, "--port", "0"] + index).status == 2)
  }
}
