import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// `POST /v1/evaluations`, the report of an evaluation over HTTP, and `POST /v1/evaluations:figures`, the figures of queries that were asked
/// before.
@Suite struct EvaluationRouteTests {
  private static let writer = APIKeys.made(role: .write, name: "shop")
  private static let reader = APIKeys.made(role: .read, name: "reader")

  /// Two products, of which only the red mug has an image.
  private static func shop() async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "mug.jpg")
        return try folder.write(
          """
          {"type":"product","id":"mug","title":"Mug <b>","images":["mug.jpg"]}
          {"type":"product","id":"kettle","title":"Kettle"}
          """, to: "feed.jsonl")
      },
      keys: try APIKeys(
        lines: [writer.line, reader.line].joined(separator: "\n"), file: "keys.txt"))
  }

  private static func ask(
    _ shop: ServedShop, _ parts: [(name: String, content: [UInt8])], key: String = writer.key,
    query: String = ""
  ) async throws -> (status: Int, text: String) {
    var body: [UInt8] = []
    for part in parts {
      body += "--b\r\nContent-Disposition: form-data; name=\"\(part.name)\"\r\n\r\n".utf8
      body += part.content + "\r\n".utf8
    }
    let answer = try await shop.ask(
      "POST /v1/evaluations\(query)",
      ["Authorization: Bearer \(key)", "Content-Type: multipart/form-data; boundary=b"],
      body + "--b--\r\n".utf8)
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  private static func queries(_ lines: String...) -> (name: String, content: [UInt8]) {
    ("queries", Array(lines.joined(separator: "\n").utf8))
  }

  private static func photo(_ name: String) throws -> [UInt8] {
    try ImageDecoder().contents(ofFile: SampleShop.image(name))
  }

  /// Would break if the server's report were another one than that of `vq eval`, or if it left out what the images may
  /// show.
  @Test(arguments: QuerySubject.allCases)
  func `the report is that of the command`(subject: QuerySubject) async throws {
    let shop = try await Self.shop()
    let parts: [(name: String, content: [UInt8])] = [
      Self.queries(
        #"{"query":"first","image":"a","truth":["mug"]}"#,
        #"{"query":"wrong","image":"a","truth":["kettle"]}"#,
        #"{"query":"broken","image":"c","truth":["mug"]}"#,
        #"{"query":"nothing","image":"b","truth":[]}"#), ("a", try Self.photo("mug-red.jpg")),
      ("b", try Self.photo("kettle.jpg")), ("c", Array("no image".utf8)),
    ]
    let served = try await Self.ask(shop, parts, query: "?subject=\(subject.rawValue)")
    #expect(served.status == 200)
    let names = Dictionary(uniqueKeysWithValues: [("a", 1), ("b", 2), ("c", 3)])
    for (name, number) in names {
      _ = try shop.folder.write(parts[number].content, to: name)
    }
    let file = try shop.folder.write(parts[0].content, to: "queries.jsonl")
    let run = try RunningVQ([
      "eval", file, "--index", shop.index, "--report", shop.folder.path + "/report.html", "--quiet",
      "--subject", subject.rawValue,
    ])
    #expect(run.status == 4)
    let own = try String(contentsOfFile: shop.folder.path + "/report.html", encoding: .utf8)
    #expect(served.text == own)
    #expect(own.contains("1 query left out") && own.contains("Expected: "))
  }

  @Test func `a mistyped key of a query is told in the report`() async throws {
    let shop = try await Self.shop()
    let answer = try await Self.ask(
      shop,
      [
        Self.queries(#"{"image":"a","truth":["mug"],"lables":["mug"]}"#),
        ("a", try Self.photo("mug-red.jpg")),
      ])
    #expect(answer.status == 200)
    #expect(
      answer.text.contains(
        "In the queries, line 1: &#39;lables&#39; is unknown; did you mean &#39;labels&#39;?"))
  }

  @Test func `what images may show is one of two`() async throws {
    let shop = try await Self.shop()
    let answer = try await Self.ask(
      shop, [Self.queries(#"{"image":"a","truth":[]}"#)], query: "?subject=mine")
    #expect(answer.status == 400 && answer.text.contains("catalogued"), "\(answer.text)")
  }

  @Test func `it needs a key that may write`() async throws {
    let shop = try await Self.shop()
    #expect(try await Self.ask(shop, [], key: Self.reader.key).status == 403)
  }

  private static func figures(
    _ shop: ServedShop, _ body: String, key: String = reader.key
  ) async throws -> (status: Int, text: String) {
    let answer = try await shop.ask(
      "POST /v1/evaluations:figures",
      ["Authorization: Bearer \(key)", "Content-Type: application/json"], Array(body.utf8))
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  /// Would break if the page showed other figures than `vq eval`, or if people without a key that may write got none.
  @Test func `the figures of what was asked need only a key that may read`() async throws {
    let shop = try await Self.shop()
    let mug = #"{"id":"product:mug","confidence":0.9}"#
    let kettle = #"{"id":"product:kettle","confidence":0.3}"#
    let answer = try await Self.figures(
      shop,
      """
      {"queries":[{"truth":["mug"],"answers":[\(mug),\(kettle)]},{"truth":["product:kettle"],"answers":[\(mug),\(kettle)]},
      {"truth":["mug"],"answers":[],"complete":false},{"truth":[],"answers":[\(kettle)]},{"truth":[],"answers":[\(mug)]}]}
      """)
    #expect(answer.status == 200)
    #expect(
      answer.text
        == #"{"cutOff":0.85,"incomplete":1,"negatives":2,"negativesEmpty":0.5,"queries":3,"recallAt1":0.3333,"recallAt5":0.6667,"#
        + #""shownRight":0.3333,"shownWrong":0.3333,"wrong":[1,4,2]}"#)
    let none = try await Self.figures(shop, #"{"queries":[{"truth":[]}]}"#)
    #expect(
      none.text
        == #"{"cutOff":0.85,"incomplete":0,"negatives":1,"negativesEmpty":1,"queries":0,"recallAt1":null,"recallAt5":null,"#
        + #""shownRight":null,"shownWrong":null,"wrong":[]}"#)
    #expect(try await Self.figures(shop, #"{"queries":[{"truth":[]}]}"#, key: "x").status == 401)
  }

  @Test(arguments: [
    (#"{}"#, "'queries' is missing; expected a list of 1 to 500 objects"),
    (#"{"queries":[]}"#, "'queries' is not a list of 1 to 500 objects"),
    (#"{"queries":[{}]}"#, "'queries[0].truth' is missing"),
    (#"{"queries":[{"truth":[],"answers":[{"id":"mug","confidence":1}]}]}"#, "answers[0].id"),
    (
      #"{"queries":[{"truth":[],"answers":[{"id":"product:mug","confidence":1.5}]}]}"#,
      "'queries[0].answers[0].confidence' is not a number in 0.0…1.0"
    ), (#"{"queries":[{"truth":[],"anwsers":[]}]}"#, "did you mean 'answers'?"),
    (
      "{\"queries\":[\(Array(repeating: "{\"truth\":[]}", count: 501).joined(separator: ","))]}",
      "'queries' has 501 elements; the limit is 500"
    ),
  ])
  func `outcomes that cannot be used are refused with the reason`(
    body: String, says: String
  ) async throws {
    let answer = try await Self.figures(try await Self.shop(), body)
    #expect(answer.status == 400 && answer.text.contains(says), "\(answer.text)")
  }

  @Test(
    arguments: [
      ([:], "the form has no part 'queries'"),
      (["queries": ""], "'queries' has 0 lines; accepted are 1 to 500"),
      (["queries": "{}"], "line 1 of 'queries': 'image' is missing"),
      (["queries": #"{"image":"a","truth":["mug"]}"#], "there is no part 'a'"),
      (["queries": #"{"image":"a","truth":["mgu"]}"#], "the shop has no entity 'mgu' of 'truth'"),
      (
        ["queries": String(repeating: #"{"image":"a","truth":[]}"# + "\n", count: 501)],
        "'queries' has 501 lines"
      ),
    ] as [([String: String], String)])
  func `a form that cannot be used is refused with the reason`(
    parts: [String: String], says: String
  ) async throws {
    let shop = try await Self.shop()
    let other = parts.isEmpty ? [("x", Array("y".utf8))] : []
    let answer = try await Self.ask(
      shop, parts.map { ($0.key, Array($0.value.utf8)) } + other)
    #expect(answer.status == 400 && answer.text.contains(says), "\(answer.text)")
  }
}
