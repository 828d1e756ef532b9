import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import ShopSearch
@testable import vq

/// `/v1/fit`: a shop learns from labelled photos over HTTP.
@Suite struct FitRouteTests {
  private static let writer = APIKeys.made(role: .write, name: "shop")
  private static let reader = APIKeys.made(role: .read, name: "reader")

  private static func shop() async throws -> ServedShop {
    try await ServedShop(
      keys: try APIKeys(
        lines: [writer.line, reader.line].joined(separator: "\n"), file: "keys.txt"))
  }

  /// An answer: its status, its JSON, and its text.
  private struct Answer {
    let status: Int
    let text: String
    let json: [String: Any]
    let response: HTTPResponse

    init(_ response: HTTPResponse) throws {
      (status, self.response) = (response.status, response)
      text = String(decoding: response.body, as: UTF8.self)
      json = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    var code: String? { json["code"] as? String }
    var field: String? { json["field"] as? String }
  }

  private static func ask(
    _ shop: ServedShop, _ line: String, _ body: String? = nil, key: String? = writer.key
  ) async throws -> Answer {
    let fields = key.map { ["Authorization: Bearer \($0)"] } ?? []
    let type = body == nil ? [] : ["Content-Type: application/json"]
    return try Answer(try await shop.ask(line, fields + type, Array((body ?? "").utf8)))
  }

  private static func send(
    _ shop: ServedShop, _ parts: [(name: String, content: [UInt8])], key: String = writer.key,
    arrival: ContinuousClock.Instant = .now
  ) async throws -> Answer {
    var body: [UInt8] = []
    for part in parts {
      body += "--b\r\nContent-Disposition: form-data; name=\"\(part.name)\"\r\n\r\n".utf8
      body += part.content + "\r\n".utf8
    }
    return try Answer(
      try await shop.ask(
        "POST /v1/fit/photos",
        ["Authorization: Bearer \(key)", "Content-Type: multipart/form-data; boundary=b"],
        body + "--b--\r\n".utf8, arrival: arrival))
  }

  /// Sends again while the answer says to try again: beside all other tests, a photo may take longer than a check may.
  private static func patiently(_ send: () async throws -> Answer) async throws -> Answer {
    var answer = try await send()
    for _ in 0..<20 where answer.status == 503 { answer = try await send() }
    return answer
  }

  /// The parts of a form with a photo of the sample shop.
  private static func form(
    _ query: String, _ image: String = SampleShop.query("q01-mug.jpg")
  ) throws -> [(name: String, content: [UInt8])] {
    [("query", Array(query.utf8)), ("image", try ImageDecoder().contents(ofFile: image))]
  }

  /// Photos as if they had been asked: each is of one of thirty products, and its first answer has some log-odds.
  private static func tokens(
    _ shop: ServedShop, _ count: Int = 200, odds: [Double] = [0.5, 1, 1.5],
    right: (Int) -> Bool = { $0 % 40 != 0 }
  ) throws -> [String] {
    let catalogue = try shop.service.shop.catalogue.newest()
    return try (0..<count).map { number in
      let product = "p\(number % 30)"
      var query = EvaluatedQuery(EvaluationQuery(truth: [product]), answers: [])
      query.product = product
      query.witnessed = [
        WitnessedEntity(
          isRight: right(number), seen: Testimony(image: odds[number % odds.count]))
      ]
      query.withoutRight = [WitnessedEntity(isRight: false, seen: Testimony(image: -4))]
      return try #require(AskedPhoto(query, image: Array("\(number)".utf8)).token(for: catalogue))
    }
  }

  private static func body(_ tokens: [String], _ more: String = "") -> String {
    "{\"photos\":[\(tokens.map { "\"\($0)\"" }.joined(separator: ","))]\(more)}"
  }

  // MARK: The same as the command

  /// Would break if the page fitted otherwise than `vq fit`, or said it otherwise.
  @Test func `the verdict on photos that were sent is that of the command`() async throws {
    let shop = try await Self.shop()
    var tokens: [String] = []
    let lines = try String(contentsOfFile: SampleShop.query("queries.jsonl"), encoding: .utf8)
    for line in lines.split(separator: "\n") {
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      var fields = try #require(value as? [String: Any])
      let image = try #require(fields.removeValue(forKey: "image") as? String)
      fields["query"] = nil
      let query = try JSONSerialization.data(withJSONObject: fields)
      let form = try Self.form(String(decoding: query, as: UTF8.self), SampleShop.query(image))
      let answer = try await Self.patiently { try await Self.send(shop, form) }
      #expect(answer.status == 200, "\(answer.text)")
      tokens.append(try #require(answer.json["photo"] as? String))
    }
    let served = try await Self.ask(shop, "POST /v1/fit", Self.body(tokens, #","absentShare":0.2"#))
    let run = try RunningVQ([
      "fit", SampleShop.query("queries.jsonl"), "--index", shop.index, "--json", "--dry-run", "-q",
      "--absent", "0.2",
    ])
    let own = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(NSDictionary(dictionary: served.json) == NSDictionary(dictionary: own ?? [:]))
    #expect(served.json["verdict"] as? String == "tooFew" && tokens.count == 10)
  }

  // MARK: Kept, refused and undone

  @Test func `a better fit is kept, counts from the next request on, and is undone`() async throws {
    let shop = try await Self.shop()
    let photo = try ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg"))
    func match() async throws -> String {
      let answer = try await shop.ask(
        "POST /v1/match?minConfidence=0",
        ["Authorization: Bearer \(Self.writer.key)", "Content-Type: image/jpeg"], photo)
      return String(decoding: answer.body, as: UTF8.self)
    }
    let none = try await Self.ask(shop, "GET /v1/fit")
    #expect(none.text == #"{"counts":false,"fits":[],"schema":"vq.fits/1"}"#)
    #expect(try await !match().contains(#""kind":"fit""#))
    let kept = try await Self.ask(shop, "POST /v1/fit", Self.body(try Self.tokens(shop)))
    #expect(kept.json["verdict"] as? String == "better" && kept.json["stored"] as? Bool == true)
    #expect(kept.json["generation"] as? Int == 2 && kept.json["photos"] as? Int == 200)
    #expect(try await match().contains(#""kind":"fit""#))
    let listed = try await Self.ask(shop, "GET /v1/fit")
    let fit = try #require((listed.json["fits"] as? [[String: Any]])?.last)
    #expect(listed.json["counts"] as? Bool == true && fit["photos"] as? Int == 200)
    let date = try #require(fit["date"] as? String)
    #expect(abs(try Date(date, strategy: .iso8601).timeIntervalSinceNow) < 3600)
    #expect(
      NSDictionary(dictionary: try #require(fit["coefficients"] as? [String: Any]))
        == NSDictionary(dictionary: try #require(kept.json["coefficients"] as? [String: Any])))
    // The command sees the same, and one that was made since counts first.
    let show = try RunningVQ(["fit", "--show", "--json", "--index", shop.index])
    #expect(show.output == listed.text + "\n")
    let again = try await Self.ask(
      shop, "POST /v1/fit", Self.body(try Self.tokens(shop, odds: [0.6, 1.1])))
    #expect(again.json["stored"] as? Bool == true)
    let undone = try await Self.ask(shop, "DELETE /v1/fit")
    #expect(undone.status == 200 && undone.text == listed.text)
    #expect(undone.response["X-Generation"] == "4")
    let left = try await Self.ask(shop, "DELETE /v1/fit")
    #expect(left.text == none.text)
    #expect(try await !match().contains(#""kind":"fit""#))
    let nothing = try await Self.ask(shop, "DELETE /v1/fit")
    #expect(nothing.status == 404 && nothing.code == "noFit", "\(nothing.text)")
  }

  @Test(arguments: ["tooFew", "notBetter", "worse", "dry"])
  func `a fit that is not better, or only tried, leaves the shop as it is`(
    name: String
  ) async throws {
    let shop = try await Self.shop()
    let tokens =
      switch name {
      case "tooFew": try Self.tokens(shop, 99)
      case "notBetter":
        try Self.tokens(shop, odds: [2.2]) { ($0 / 30 + $0) % 10 != 0 }
      // What is shown afterwards is wrong more often than what is shown now.
      case "worse": try Self.tokens(shop, odds: [1.5, 1.6, 1.7]) { $0 % 6 != 0 }
      default: try Self.tokens(shop)
      }
    let more = name == "dry" ? #","dryRun":true"# : #","absentShare":0"#
    let answer = try await Self.ask(shop, "POST /v1/fit", Self.body(tokens, more))
    #expect(answer.status == 200 && answer.json["stored"] as? Bool == false, "\(answer.text)")
    let verdict = answer.json["verdict"] as? String
    #expect(name == "worse" ? verdict != "tooFew" : verdict == (name == "dry" ? "better" : name))
    #expect(answer.json["generation"] as? Int == 1)
    #expect(try await Self.ask(shop, "GET /v1/fit").text.contains(#""fits":[]"#))
  }

  // MARK: Who may, and how much

  @Test(arguments: ["GET /v1/fit", "POST /v1/fit/photos", "POST /v1/fit", "DELETE /v1/fit"])
  func `all of it needs a key that may write`(line: String) async throws {
    let shop = try await Self.shop()
    let body = line.hasPrefix("POST") ? "{}" : nil
    #expect(try await Self.ask(shop, line, body, key: Self.reader.key).status == 403)
    #expect(try await Self.ask(shop, line, body, key: nil).status == 401)
    let open = try await ServedShop()
    #expect(try await Self.ask(open, line, body, key: nil).status == 401)
  }

  @Test func `one fit is made at a time`() async throws {
    let shop = try await Self.shop()
    shop.service.shop.isFitting.withLock { $0 = true }
    let body = Self.body(try Self.tokens(shop, 1))
    for (line, body) in [("POST /v1/fit", body), ("DELETE /v1/fit", nil)] {
      let answer = try await Self.ask(shop, line, body)
      #expect(answer.status == 503 && answer.code == "overloaded", "\(answer.text)")
      #expect(answer.response["Retry-After"] == "5")
    }
    shop.service.shop.isFitting.withLock { $0 = false }
    #expect(try await Self.ask(shop, "POST /v1/fit", body).status == 200)
    #expect(!shop.service.shop.isFitting.withLock { $0 })
  }

  /// Would break if a person who presses Stop, or closes the page, got a fit nevertheless.
  @Test func `a client that has gone changes nothing`() async throws {
    let shop = try await Self.shop()
    let body = Array(Self.body(try Self.tokens(shop)).utf8)
    let (gate, _) = AsyncStream<Void>.makeStream()
    let service = shop.service
    let (work, info) = try #require(
      try shop.work(
        "POST /v1/fit",
        [
          "Authorization: Bearer \(Self.writer.key)", "Content-Type: application/json",
          "Content-Length: \(body.count)",
        ]))
    let task = Task {
      for await _ in gate {}
      return await work.run(HTTPRequest(info: info, body: body, arrival: .now, wait: .zero))
    }
    task.cancel()
    #expect(await task.value.status == 503)
    #expect(try service.shop.catalogue.newest().generation == 1)
    #expect(try await Self.ask(shop, "GET /v1/fit").text.contains(#""fits":[]"#))
  }

  @Test func `a photo that was not asked in time is refused, to be sent again`() async throws {
    let shop = try await Self.shop()
    let answer = try await Self.send(
      shop, Self.form(#"{"truth":["mug-red"]}"#), arrival: .now - .seconds(60))
    #expect(answer.status == 503 && answer.code == "timedOut", "\(answer.text)")
    #expect(answer.response["Retry-After"] != nil)
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("{}", 400, "'photos' is missing; expected a list of 1 to 500 photos"),
    (#"{"photos":[]}"#, 400, "'photos' is not a list of 1 to 500 photos"),
    (#"{"photos":["x"],"absentShare":0.95}"#, 400, "absentShare"),
    (#"{"photos":["x"],"dryrun":true}"#, 400, "did you mean 'dryRun'?"),
    (#"{"photos":["x"]}"#, 422, "was not asked of this catalogue"),
    (#"{"photos":"x"}"#, 400, "photos"),
    (
      "{\"photos\":[\(Array(repeating: "\"x\"", count: 501).joined(separator: ","))]}", 400,
      "the limit is 500"
    ),
  ])
  func `photos that cannot be used are refused with the reason`(
    body: String, status: Int, says: String
  ) async throws {
    let answer = try await Self.ask(try await Self.shop(), "POST /v1/fit", body)
    #expect(answer.status == status && answer.text.contains(says), "\(answer.text)")
  }

  /// Would break if figures that nobody measured, or one photo sent a hundred times, became a fit.
  @Test func `nobody can make up what photos say`() async throws {
    let shop = try await Self.shop()
    let tokens = try Self.tokens(shop, 3)
    let twice = try await Self.ask(shop, "POST /v1/fit", Self.body(tokens + [tokens[1]]))
    #expect(twice.status == 400 && twice.field == "photos[3]", "\(twice.text)")
    #expect(twice.text.contains("photos[3] is the same photo as photos[1]"))
    let altered = tokens[0].dropLast() + (tokens[0].hasSuffix("A") ? "Q" : "A")
    let forged = try await Self.ask(shop, "POST /v1/fit", Self.body([tokens[1], String(altered)]))
    #expect(forged.status == 422 && forged.code == "invalidToken" && forged.field == "photos[1]")
    let other = try await Self.shop()
    let strange = try await Self.ask(other, "POST /v1/fit", Self.body(tokens))
    #expect(strange.status == 422 && strange.field == "photos[0]")
  }

  @Test(
    arguments: [
      ([:], 400, "the form has no part 'query'"),
      (["query": #"{"truth":["mug-red"]}"#], 400, "the form has no part 'image'"),
      (["query": "{}", "image": "x"], 400, "'truth' is missing"),
      (["query": #"{"truth":["mgu"]}"#, "image": "x"], 400, "the shop has no entity 'mgu'"),
      (["query": #"{"truth":[],"lables":[]}"#, "image": "x"], 400, "did you mean 'labels'?"),
      (["query": #"{"truth":[]}"#, "image": "no image"], 415, "image"),
      (["query": #"{"truth":[]}"#, "image": ""], 422, "empty"),
      (
        ["query": "{}", "image": "x", "other": "x"], 400,
        "there is no part 'other' here; send 'query' and 'image'"
      ),
    ] as [([String: String], Int, String)])
  func `a photo that cannot be used is refused with the reason`(
    parts: [String: String], status: Int, says: String
  ) async throws {
    let shop = try await Self.shop()
    let other = parts.isEmpty ? [("image", Array("y".utf8))] : []
    let answer = try await Self.send(shop, parts.map { ($0.key, Array($0.value.utf8)) } + other)
    #expect(answer.status == status && answer.text.contains(says), "\(answer.text)")
  }

  // MARK: Feedback

  /// Would break if a photo of a statement that nobody has accepted taught the shop, or one that nobody gave to be kept.
  @Test func `a photo that was kept with an accepted statement is asked like any other`()
    async throws
  {
    let shop = try await Self.shop()
    let path = SampleShop.query("q07-kettle.jpg")
    let image = try ImageDecoder().contents(ofFile: path)
    let signature = try RunningVQ(["hash", "--query", path]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let kept = try KeptFeedback(directory: shop.index)
    func add(
      _ state: FeedbackStatement.State, _ image: [UInt8]?, chosen: String? = "kettle"
    ) throws -> Int {
      try kept.add(
        FeedbackStatement.Content(
          query: FeedbackQuery(labels: [], signatureText: signature),
          chosen: chosen.map { EntityID(type: .product, value: $0) },
          rejected: [EntityID(type: .product, value: "oats")]), state: state, time: 86_400,
        image: image
      ).statement.number
    }
    let accepted = try add(.active, image)
    let answer = try await Self.patiently {
      try await Self.ask(shop, "POST /v1/fit/photos", #"{"statement":\#(accepted)}"#)
    }
    let sent = try await Self.patiently {
      try await Self.send(shop, Self.form(#"{"truth":["kettle"],"edit":"feedback"}"#, path))
    }
    #expect(answer.status == 200 && answer.text == sent.text, "\(answer.text)")
    for number in [try add(.pending, image), try add(.active, image, chosen: nil)] {
      let answer = try await Self.ask(shop, "POST /v1/fit/photos", #"{"statement":\#(number)}"#)
      #expect(answer.status == 422 && answer.code == "invalidFeedback", "\(answer.text)")
    }
    let alone = try await Self.patiently {
      try await Self.ask(shop, "POST /v1/fit/photos:kept", #"{"statement":\#(accepted)}"#)
    }
    #expect(alone.status == 200)
    let unknown = try await Self.ask(shop, "POST /v1/fit/photos", #"{"statement":99}"#)
    #expect(unknown.status == 404 && unknown.code == "unknownStatement")
    let none = try await Self.ask(shop, "POST /v1/fit/photos", "{}")
    #expect(none.status == 400 && none.field == "statement")
  }

  // MARK: The page

  /// Would break if the page had no words for a number or a verdict, or named another limit than the server has.
  @Test func `the page knows all numbers, verdicts and limits`() throws {
    let script = String(
      decoding: try #require(ServedFiles.pageFiles["fit.js"]).bytes, as: UTF8.self)
    for name in ShopFit.Coefficient.allCases {
      #expect(script.contains("\(name.rawValue): [\"\(Int(name.general))\""), "\(name)")
    }
    for outcome in FitVerdict.Outcome.allCases where outcome != .notBetter {
      #expect(script.contains("case \"\(outcome.rawValue)\":"), "\(outcome)")
    }
    #expect(
      script.contains(
        "\"\(FitVerdict.leastPhotos) photos of \(FitVerdict.leastProducts) products\""))
    #expect(script.contains("photoLimit = \(FitHandlers.photoLimit);"))
  }
}
