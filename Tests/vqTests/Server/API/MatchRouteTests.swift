import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// `POST /v1/match`.
@Suite struct MatchRouteTests {
  @Test func `a picture is answered alike in either form, and as the command answers`() async throws
  {
    let shop = try await ServedShop()
    let file = SampleShop.image("oats.jpg")
    let picture = [UInt8](try #require(FileManager.default.contents(atPath: file)))
    let raw = try await shop.ask(
      "POST /v1/match?labels=box&limit=2", ["Content-Type: image/jpeg"], picture)
    #expect(raw.status == 200)
    let head = """
      --b\r
      Content-Disposition: form-data; name="request"\r
      \r
      {"labels":["box"],"limit":2}\r
      --b\r
      Content-Disposition: form-data; name="image"; filename="p.jpg"\r
      \r

      """
    let form = try await shop.ask(
      "POST /v1/match", ["Content-Type: multipart/form-data; boundary=b"],
      Array(head.utf8) + picture + Array("\r\n--b--".utf8))
    let run = try RunningVQ([
      "match", file, "--labels", "box", "--limit", "2", "--json", "--deadline", "0", "--index",
      shop.index,
    ])
    #expect(ServedShop.plain(raw.body) == ServedShop.plain(form.body))
    #expect(ServedShop.plain(raw.body) == ServedShop.plain(Array(run.output.dropLast().utf8)))
    #expect(ServedShop.plain(raw.body).contains(#""id":"oats""#))
  }

  /// Would break if clients that generators make, which send one kind of body to a path, were answered otherwise than those that know
  /// `/v1/match` alone.
  @Test func `the paths with one kind of body answer as the one with all`() async throws {
    let shop = try await ServedShop()
    let (bytes, json) = (
      "Content-Type: application/octet-stream", "Content-Type: application/json"
    )
    let picture = [UInt8](
      try #require(FileManager.default.contents(atPath: SampleShop.image("oats.jpg"))))
    func same(_ path: String, _ query: String, _ type: String, _ body: [UInt8]) async throws {
      let all = try await shop.ask("POST /v1/match\(query)", [type], body)
      let one = try await shop.ask("POST \(path)\(query)", [type], body)
      #expect(one.status == 200 && ServedShop.plain(one.body) == ServedShop.plain(all.body))
    }
    try await same("/v1/match:image", "?labels=box&limit=2", bytes, picture)
    let question = #"{"labels":["drinkware"],"limit":1}"#
    try await same("/v1/match:query", "", json, Array(question.utf8))
    let token = try #require(
      try await shop.json("POST /v1/match:query", [], question)["continuation"] as? String)
    let further = #"{"continuation":"\#(token)","limit":2}"#
    try await same("/v1/match:continue", "", json, Array(further.utf8))
    for (path, type, body, status) in [
      ("image", json, question, 415), ("query", bytes, question, 415),
      ("continue", bytes, further, 415), ("query", json, further, 400),
      ("continue", json, question, 400), ("continue", json, #"{"continuation":null}"#, 400),
    ] {
      let refused = try await shop.ask("POST /v1/match:\(path)", [type], Array(body.utf8))
      #expect(refused.status == status, "\(path) \(type)")
    }
  }

  /// Would break if an embedding that cannot be read were left out without a word.
  @Test(arguments: [
    (#""x""#, "embedding"), (#"{"model":"m"}"#, "embedding.vector"),
    (#"{"model":"m","vector":"AHwAPA"}"#, "embedding.vector"),
  ])
  func `an embedding that is none is named`(json: String, field: String) async throws {
    let shop = try await ServedShop()
    let response = try await shop.ask(
      "POST /v1/match", ["Content-Type: application/json"],
      Array(#"{"labels":["mug"],"embedding":\#(json)}"#.utf8))
    #expect(response.status == 400)
    let problem = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    #expect(problem?["field"] as? String == field)
  }

  /// The deadline runs from the request's arrival, over all that is done for it: a picture that is
  /// not decoded by then is left out, and what the labels say is the answer.
  @Test func `a picture that is not decoded in time is answered by its labels`() async throws {
    let shop = try await ServedShop(
      deadlines: DeadlineLimits(standard: .milliseconds(300), maximum: .seconds(600)))
    let file = SampleShop.image("oats.jpg")
    let picture = [UInt8](try #require(FileManager.default.contents(atPath: file)))
    func answer(_ query: String) async throws -> [String: Any] {
      let response = try await shop.ask(
        "POST /v1/match" + query, ["Content-Type: image/jpeg"], picture,
        arrival: .now - .seconds(1))
      #expect(response.status == 200)
      let value = try JSONSerialization.jsonObject(with: Data(response.body))
      return try #require(value as? [String: Any])
    }
    let labelled = try await answer("?labels=mug")
    let labels = try await shop.json(
      "POST /v1/match", [], #"{"labels":["mug"],"deadlineMs":600000}"#)
    #expect(ServedShop.ids(labelled, "values").count > 1)
    #expect(ServedShop.ids(labelled, "values") == ServedShop.ids(labels, "values"))
    #expect(labelled["complete"] as? Bool == false && labels["complete"] as? Bool == true)
    let empty = try await answer("")
    #expect(ServedShop.ids(empty, "values").isEmpty && empty["complete"] as? Bool == false)
    #expect(empty["emptyReason"] as? String == "deadlinePassed")
  }

  /// Would break if the cut-off for images applied before any image was compared.
  @Test func `a signature that is not searched in time is answered by its labels`() async throws {
    let shop = try await ServedShop(
      deadlines: DeadlineLimits(standard: .milliseconds(300), maximum: .seconds(600)))
    let picture = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.query("q03-bottle.jpg")), longerSide: 256)
    let signature = QuerySignature(picture).compactText
    let response = try await shop.ask(
      "POST /v1/match", ["Content-Type: application/json"],
      Array(#"{"labels":["mug"],"signature":"\#(signature)","deadlineMs":1}"#.utf8),
      arrival: .now - .seconds(1))
    let value = try JSONSerialization.jsonObject(with: Data(response.body))
    let answer = try #require(value as? [String: Any])
    let labels = try await shop.json("POST /v1/match", [], #"{"labels":["mug"]}"#)
    #expect(ServedShop.ids(answer, "values").count > 1)
    #expect(ServedShop.ids(answer, "values") == ServedShop.ids(labels, "values"))
    #expect(answer["complete"] as? Bool == false)
  }

  @Test func `a damaged picture that browsers show is searched with`() async throws {
    let shop = try await ServedShop()
    let file = SampleShop.image("candle.png")
    var picture = [UInt8](try #require(FileManager.default.contents(atPath: file)))
    picture = PNGFile.withWrongChecksum(picture)
    let response = try await shop.ask(
      "POST /v1/match?limit=1", ["Content-Type: image/png"], picture)
    #expect(ServedShop.plain(response.body).contains(#""id":"candle""#))
    let half = try await shop.ask(
      "POST /v1/match", ["Content-Type: image/png"], Array(picture.prefix(picture.count / 2)))
    #expect(half.status == 422)
  }

  /// The deadline of the head decides on admission before the body is read, by the rule that the
  /// question is read by.
  @Test(arguments: ["0", "3600001", "1.5", "abc", "", "5&deadlineMs=6"])
  func `a deadline that is not one is refused by the head alone`(text: String) async throws {
    let shop = try await ServedShop()
    let answer = try shop.immediateAnswer(
      to: "POST /v1/match?deadlineMs=\(text)", ["Content-Type: image/jpeg", "Content-Length: 9"])
    let response = try #require(answer, "the body is asked for")
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self).contains("deadlineMs"))
  }

  @Test(
    arguments: [
      (nil, 1, 256), (nil, 2, 128), (nil, 4, 64), (nil, 64, 64), (512, 4, 128), (1, 2, 0),
    ] as [(Int?, Int, Int)])
  func `memory for decoding is divided among the threads`(
    asked: Int?, threads: Int, megabytes: Int
  ) {
    let limit = ServeCommand.memoryLimit(asked: asked, threads: threads)
    #expect(limit / 1_000_000 == megabytes)
  }

  @Test func `a search goes on without its picture`() async throws {
    let shop = try await ServedShop()
    let first = try await shop.json(
      "POST /v1/match", [], #"{"labels":["drinkware"],"type":"product","limit":4}"#)
    let token = try #require(first["continuation"] as? String)
    let second = try await shop.json("POST /v1/match", [], #"{"continuation":"\#(token)"}"#)
    #expect(ServedShop.ids(first, "values").count == 4 && first["hasMore"] as? Bool == true)
    #expect(ServedShop.ids(second, "values").count == 3 && second["hasMore"] as? Bool == false)
    #expect(Set(ServedShop.ids(first, "values")).isDisjoint(with: ServedShop.ids(second, "values")))
  }

  /// Programs encode a value as a whole, commas and all: the list was one label that nothing has.
  @Test(arguments: ["mug,lamp", "mug%2Clamp", "mug%2C%20lamp"]) func `lists may be percent-encoded`(
    labels: String
  ) async throws {
    let shop = try await ServedShop()
    let answer = try await shop.ask(
      "POST /v1/match?labels=\(labels)", ["Content-Type: image/jpeg"],
      try ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg")))
    #expect(answer.status == 200)
    #expect(String(decoding: answer.body, as: UTF8.self).contains(#""unmatchedLabels":[]"#))
  }
}
