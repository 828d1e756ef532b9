import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// Requests to answers, without a socket between.
@Suite struct RoutesTests {
  /// The sample shop as a service.
  private final class Shop {
    let folder: TemporaryDirectory
    let service: ShopService
    let index: String

    init(
      keys: APIKeys? = nil, rate: Double? = nil, appIDs: [String] = [],
      // A debug build takes its time.
      deadlines: DeadlineLimits = DeadlineLimits(standard: .seconds(600), maximum: .seconds(600))
    ) async throws {
      folder = try TemporaryDirectory()
      index = folder.path + "/shop.vq"
      let templates = [EntityType.product: try LinkTemplate("https://shop.example/p/{id}")]
      _ = try await Indexer(
        directory: index, settings: ShopSettings(links: LinkSettings(templates: templates))
      ).run(path: SampleShop.catalogue)
      var settings = ShopService.Settings()
      settings.rate = rate
      settings.appIDs = appIDs
      settings.deadlines = deadlines
      service = ShopService(
        current: try CurrentCatalogue(directory: index), pool: WorkerPool(width: 2),
        settings: settings, keys: keys, metrics: Metrics(), log: ServerLog(deliver: { _ in }))
    }

    /// Asks as a client would, from the bytes of a head on.
    func ask(
      _ line: String, _ fields: [String] = [], _ body: [UInt8] = [],
      arrival: ContinuousClock.Instant = .now
    ) async throws -> HTTPResponse {
      var parser = RequestParser()
      let lines = ["\(line) HTTP/1.1", "Host: shop.example", "Content-Length: \(body.count)"]
      parser.append(Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8))
      let event = try parser.next()
      guard case .head(let head)? = event else { throw Problem(400, "noHead", line) }
      let info = RequestInfo(head: head, identity: RequestIdentity(head.fields), peer: .local)
      switch service.gate(info) {
      case .answer(let response, _): return response
      case .work(let work):
        return await work.run(HTTPRequest(info: info, body: body, arrival: arrival, wait: .zero))
      }
    }

    func json(
      _ line: String, _ fields: [String] = [], _ body: String = ""
    ) async throws -> [String: Any] {
      let type = body.isEmpty ? [] : ["Content-Type: application/json"]
      let response = try await ask(line, fields + type, Array(body.utf8))
      let value = try JSONSerialization.jsonObject(with: Data(response.body))
      return try #require(value as? [String: Any])
    }
  }

  private static func ids(_ answer: [String: Any], _ key: String = "entities") -> [String] {
    (answer[key] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
  }

  @Test func `a picture is answered alike in either form, and as the command answers`() async throws
  {
    let shop = try await Shop()
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
    #expect(Self.plain(raw.body) == Self.plain(form.body))
    #expect(Self.plain(raw.body) == Self.plain(Array(run.output.dropLast().utf8)))
    #expect(Self.plain(raw.body).contains(#""id":"oats""#))
  }

  /// An answer without what differs from run to run, and in its name.
  private static func plain(_ body: [UInt8]) -> String {
    String(decoding: body, as: UTF8.self)
      .replacing(/"elapsedMs":[0-9.e-]+/, with: "").replacing(/"query":"[^"]*"/, with: "")
  }

  /// Would break if nesting were only found out by decoding it: 1 KB then took seconds.
  @Test(arguments: [
    #"{"labels":"# + String(repeating: "[", count: 510) + String(repeating: "]", count: 510) + "}",
    String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17),
    #"{"labels":["# + String(repeating: "1,", count: 16_384) + "1]}", #"{"labels":["mug",]}"#, "{",
    #"{""# + String(repeating: "\u{301}\u{316}", count: 65) + #"":1}"#,
  ])
  func `JSON beyond the limits is no JSON to the service`(body: String) async throws {
    let shop = try await Shop()
    for path in ["/v1/match", "/v1/entities:query"] {
      let problem = try await shop.json("POST \(path)", [], body)
      #expect(problem["status"] as? Int == 400 && problem["code"] as? String == "invalidJSON")
      let detail = try #require(problem["detail"] as? String)
      #expect(detail.hasPrefix("the body ") && detail.utf8.count < 200)
    }
  }

  /// The deadline runs from the request's arrival, over all that is done for it: a picture that is
  /// not decoded by then is left out, and what the labels say is the answer.
  @Test func `a picture that is not decoded in time is answered by its labels`() async throws {
    let shop = try await Shop(
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
    #expect(Self.ids(labelled, "values").count > 1)
    #expect(Self.ids(labelled, "values") == Self.ids(labels, "values"))
    #expect(labelled["complete"] as? Bool == false && labels["complete"] as? Bool == true)
    let empty = try await answer("")
    #expect(Self.ids(empty, "values").isEmpty && empty["complete"] as? Bool == false)
    #expect(empty["emptyReason"] as? String == "deadlinePassed")
  }

  @Test func `a damaged picture that browsers show is searched with`() async throws {
    let shop = try await Shop()
    let file = SampleShop.image("candle.png")
    var picture = [UInt8](try #require(FileManager.default.contents(atPath: file)))
    picture = PNGFile.withWrongChecksum(picture)
    let response = try await shop.ask(
      "POST /v1/match?limit=1", ["Content-Type: image/png"], picture)
    #expect(Self.plain(response.body).contains(#""id":"candle""#))
    let half = try await shop.ask(
      "POST /v1/match", ["Content-Type: image/png"], Array(picture.prefix(picture.count / 2)))
    #expect(half.status == 422)
  }

  /// The deadline of the head decides on admission before the body is read, by the rule that the
  /// question is read by.
  @Test(arguments: ["0", "3600001", "1.5", "abc", "", "5&deadlineMs=6"])
  func `a deadline that is not one is refused by the head alone`(text: String) async throws {
    let shop = try await Shop()
    var parser = RequestParser()
    let head =
      "POST /v1/match?deadlineMs=\(text) HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\n"
    parser.append(Array((head + "Content-Length: 9\r\n\r\n").utf8))
    let event = try parser.next()
    guard case .head(let read)? = event else { throw Problem(400, "noHead", head) }
    let info = RequestInfo(head: read, identity: RequestIdentity(read.fields), peer: .local)
    var answer: HTTPResponse?
    if case .answer(let response, _) = shop.service.gate(info) { answer = response }
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
    let shop = try await Shop()
    let first = try await shop.json(
      "POST /v1/match", [], #"{"labels":["drinkware"],"type":"product","limit":4}"#)
    let token = try #require(first["continuation"] as? String)
    let second = try await shop.json("POST /v1/match", [], #"{"continuation":"\#(token)"}"#)
    #expect(Self.ids(first, "values").count == 4 && first["hasMore"] as? Bool == true)
    #expect(Self.ids(second, "values").count == 3 && second["hasMore"] as? Bool == false)
    #expect(Set(Self.ids(first, "values")).isDisjoint(with: Self.ids(second, "values")))
  }

  @Test func `entities are found by id, words, conditions and time of change`() async throws {
    let shop = try await Shop()
    let named = try await shop.json("GET /v1/entities?ids=store:market,product:oats,product:none")
    #expect(Self.ids(named) == ["market", "oats"])
    #expect(Self.ids(try await shop.json("GET /v1/entities?q=oat&type=product")) == ["oats"])
    #expect(Self.ids(try await shop.json("GET /v1/entities/suggested?limit=3")).count == 3)
    let question = #"""
      {"type":"product","comparators":[{"property":"price","comparison":"isBetween","value":3,"upperValue":"4"}],
       "sortedBy":[{"property":"price","order":"descending"}]}
      """#
    #expect(Self.ids(try await shop.json("POST /v1/entities:query", [], question)).contains("oats"))
    let changes = try await shop.json("GET /v1/sync?limit=30")
    #expect(Self.ids(changes, "upserts").count == 30 && changes["hasMore"] as? Bool == true)
    let state = try #require(changes["state"] as? String)
    let rest = try await shop.json("GET /v1/sync?state=\(state)")
    #expect(Self.ids(rest, "upserts").count == 2 && rest["hasMore"] as? Bool == false)
  }

  /// A server has the index and may not have the pictures.
  @Test(arguments: [[], [160]]) func `without the shop's folder only kept thumbnails are served`(
    sides: [Int]
  ) async throws {
    let shop = try await Shop()
    let copy = shop.folder.path + "/copy"
    try FileManager.default.copyItem(atPath: SampleShop.folder.path + "/shop", toPath: copy)
    let index = Indexer(directory: shop.index, settings: ShopSettings(thumbnailSides: sides))
    let progress = try await index.run(path: copy + "/catalogue.jsonl", imagesRoot: copy)
    #expect(progress.signedImages == 0 && progress.thumbnails == 34 * sides.count)
    try FileManager.default.removeItem(atPath: copy)
    for size in ["small", "large"] {
      let path = "GET /v1/entities/product/oats/thumbnail?size=\(size)"
      let response = try await shop.ask(path)
      #expect(response.status == (sides.isEmpty ? 404 : 200))
      if sides.isEmpty { continue }
      let picture = try ImageDecoder().decode(response.body)
      #expect((120...160).contains(max(picture.width, picture.height)))
    }
  }

  /// A link that was made after the run must not lead a server to other files.
  @Test func `a picture that became a link out of the root is not served`() async throws {
    let shop = try await Shop()
    let copy = shop.folder.path + "/copy"
    try FileManager.default.copyItem(atPath: SampleShop.folder.path + "/shop", toPath: copy)
    _ = try await Indexer(
      directory: shop.index, settings: ShopSettings(imagesRoot: copy)
    ).putSettings()
    let path = "GET /v1/entities/product/oats/thumbnail"
    #expect(try await shop.ask(path).status == 200)
    try FileManager.default.removeItem(atPath: copy + "/images")
    try FileManager.default.createSymbolicLink(
      atPath: copy + "/images", withDestinationPath: SampleShop.folder.path + "/shop/images")
    #expect(try await shop.ask(path + "?size=large").status == 404)
  }

  @Test func `an answer holds until the next generation, in its language`() async throws {
    let shop = try await Shop()
    let path = "GET /v1/entities/product/mug-red"
    let german = try await shop.ask(path, ["Accept-Language: de-AT, en;q=0.5"])
    #expect(String(decoding: german.body, as: UTF8.self).contains("Campingbecher"))
    let tag = try #require(german["ETag"])
    #expect(try await shop.ask(path, ["If-None-Match: \(tag)"]).status == 200)
    let same = try await shop.ask(path, ["If-None-Match: \"x\", \(tag)", "Accept-Language: de-AT"])
    #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
    let row = #"{"type":"product","id":"new","title":"New"}"#
    _ = try await Indexer(directory: shop.index).run(path: shop.folder.write(row, to: "n.jsonl"))
    let next = try await shop.ask(path, ["If-None-Match: \(tag)", "Accept-Language: de-AT"])
    #expect(next.status == 200 && next["ETag"] != tag)
  }

  /// A request that is not answered as asked.
  struct Refused: CustomTestStringConvertible, Sendable {
    let line: String
    var type: String?
    var body = ""
    let status: Int
    let code: String
    var field: String?
    var testDescription: String { "\(line) \(body)" }
  }

  @Test func `what is wrong is named`() async throws {
    let shop = try await Shop()
    for refused in Self.refused {
      let response = try await shop.ask(
        refused.line, refused.type.map { ["Content-Type: \($0)"] } ?? [], Array(refused.body.utf8))
      let value = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
      #expect(response.status == refused.status, "\(refused)")
      #expect(value?["code"] as? String == refused.code, "\(refused)")
      #expect(value?["field"] as? String == refused.field, "\(refused)")
      #expect(response["Content-Type"] == "application/problem+json")
    }
  }

  private static let refused = [
    Refused(line: "GET /v2", status: 404, code: "unknownPath"),
    Refused(
      line: "GET /v1/entities/{type}/{id}", status: 404, code: "unknownEntity", field: "type"),
    Refused(line: "GET /v1/match", status: 405, code: "methodNotAllowed"),
    Refused(line: "PATCH /livez", status: 405, code: "methodNotAllowed"),
    Refused(line: "QUERY /v1/limits", status: 405, code: "methodNotAllowed"),
    Refused(line: "BREW /livez", status: 501, code: "methodNotImplemented"),
    Refused(line: "get /v2", status: 501, code: "methodNotImplemented"),
    // A slash that is encoded is one of an id, and of nothing else: a proxy's rules for paths hold.
    Refused(line: "GET /v1%2Flimits", status: 404, code: "unknownPath"),
    Refused(line: "POST /v1%2Fmatch", status: 404, code: "unknownPath"),
    Refused(line: "GET /v1/entities%2Fsuggested", status: 404, code: "unknownPath"),
    Refused(line: "GET /v1/entities%2Fproduct/oats", status: 404, code: "unknownPath"),
    Refused(
      line: "GET /v1/entities/product/a%2Fb", status: 404, code: "unknownEntity", field: "id"),
    Refused(line: "GET /livez?x=1", status: 400, code: "invalidParameter", field: "x"),
    Refused(
      line: "GET /v1/entities?idz=a", status: 400, code: "invalidParameter", field: "ids"),
    Refused(
      line: "GET /v1/entities?ids=mug", status: 400, code: "invalidParameter", field: "ids"),
    Refused(
      line: "GET /v1/entities?q=a&limit=0", status: 400, code: "invalidParameter", field: "limit"),
    Refused(line: "GET /v1/sync?state=x", status: 422, code: "invalidToken"),
    Refused(
      line: "GET /v1/entities/product/none", status: 404, code: "unknownEntity", field: "id"),
    Refused(
      line: "GET /v1/entities/product/oats/thumbnail?image=7", status: 404, code: "noPicture",
      field: "image"),
    Refused(
      line: "DELETE /v1/entities/product/oats", status: 401, code: "unauthorized",
      field: "Authorization"),
    Refused(
      line: "POST /v1/match", type: "text/plain", body: "a", status: 415,
      code: "unsupportedMediaType", field: "Content-Type"),
    Refused(
      line: "POST /v1/match", type: "image/heic", body: "0000ftypheic", status: 415,
      code: "unsupportedFormat", field: "image"),
    Refused(
      line: "POST /v1/match", type: "image/jpeg", body: "", status: 422, code: "empty",
      field: "image"),
    Refused(
      line: "POST /v1/match?lables=a", type: "image/jpeg", body: "a", status: 400,
      code: "invalidParameter", field: "lables"),
    Refused(
      line: "POST /v1/match", type: "multipart/form-data", body: "a", status: 400,
      code: "badRequest", field: "Content-Type"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "{", status: 400, code: "invalidJSON"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "[]", status: 400,
      code: "invalidField"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "{}", status: 400,
      code: "nothingAsked"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"labels":"mug"}"#, status: 400,
      code: "invalidField", field: "labels"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["price"]}"#, status: 400, code: "invalidField",
      field: "where"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"near":{"latitude":91,"longitude":0}}"#, status: 400,
      code: "invalidField", field: "latitude"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"signature":"AAAA"}"#,
      status: 422, code: "invalidSignature", field: "signature"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"continuation":"AAAA"}"#,
      status: 422, code: "invalidToken"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"continuation":"AAAA","labels":["mug"]}"#, status: 400, code: "invalidField",
      field: "labels"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"comparators":[{"property":"price","comparison":"near","value":1}]}"#, status: 400,
      code: "invalidField", field: "comparison"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"comparators":["# + Array(repeating: "{}", count: 33).joined(separator: ",") + "]}",
      status: 400, code: "invalidField", field: "comparators"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"sortedBy":["# + Array(repeating: "{}", count: 9).joined(separator: ",") + "]}",
      status: 400, code: "invalidField", field: "sortedBy"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["#
        + Array(repeating: #""price<2""#, count: 33).joined(separator: ",") + "]}",
      status: 400, code: "invalidField", field: "where"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["title~"# + String(repeating: "x", count: 1000) + #""]}"#,
      status: 400, code: "invalidField", field: "where"),
  ]

  /// Questions within the bytes of a body that would cost more than an answer is worth.
  private static let excessive: [(body: String, code: String, field: String?)] = [
    (#"{"labels":["\#(String(repeating: "a", count: 101))"]}"#, "invalidField", "labels"),
    // One character, as texts count them.
    (
      #"{"labels":["\#("\u{1100}" + String(repeating: "\u{301}", count: 100))"]}"#, "invalidField",
      "labels"
    ),
    (
      #"{"labels":["a"],"withLabel":["\#(String(repeating: "a", count: 101))"]}"#, "invalidField",
      "withLabel"
    ),
    (
      #"{"labels":["a"],"where":["title=\#(String(repeating: "a", count: 1000))"]}"#,
      "invalidField",
      "where"
    ),
    (
      #"{"labels":["a"],"where":[\#(repeatElement(#""title=\#(String(repeating: "a", count: 900))""#, count: 20).joined(separator: ","))]}"#,
      "invalidField", nil
    ),
    (
      #"{"continuation":"\#(String(repeating: "A", count: 200_000))"}"#, "invalidField",
      "continuation"
    ),
    (#"{"labels":["a"],"near":"\#(String(repeating: "1", count: 1000))"}"#, "invalidField", "near"),
    (
      #"{"continuation":"a","fromStart":"\#(String(repeating: "a", count: 1000))"}"#,
      "invalidField", "fromStart"
    ),
  ]

  @Test func `what would cost too much is refused before it does`() async throws {
    let shop = try await Shop()
    for (body, code, field) in Self.excessive {
      let answer = try await shop.json("POST /v1/match", [], body)
      #expect(answer["status"] as? Int == 400, "\(body.prefix(60))")
      #expect(answer["code"] as? String == code, "\(body.prefix(60)): \(answer)")
      #expect(answer["field"] as? String == field, "\(body.prefix(60)): \(answer)")
    }
  }

  @Test func `a name that nobody knows is told back in part`() async throws {
    let shop = try await Shop()
    let name = String(repeating: "a", count: 200)
    let answers = [
      try await shop.json("POST /v1/match", [], #"{"labels":["a"],"\#(name)":1}"#),
      try await shop.json("GET /v1/sync?\(name)=1"),
      try await shop.json("POST /v1/match", ["Content-Type: text/\(name)"], ""),
    ]
    for answer in answers {
      let detail = try #require(answer["detail"] as? String)
      #expect(detail.contains("aaa…") && detail.utf8.count < 250)
      #expect((answer["field"] as? String ?? "").unicodeScalars.count <= 65)
    }
  }

  /// RFC 9110, 13.2.1: a precondition counts only where the answer would otherwise be a success.
  @Test(arguments: [
    ("/v1/entities/product/none", 404), ("/v1/entities/product/none/thumbnail", 404),
    ("/v1/entities/product/oats/thumbnail?image=7", 404), ("/v1/sync?state=x", 422),
    ("/v1/entities/product/oats", 304), ("/v1/entities/product/oats/thumbnail", 304),
    ("/v1/sync", 304),
  ]) func `only what exists is not modified`(path: String, status: Int) async throws {
    let shop = try await Shop()
    let tag = try #require(try await shop.ask("GET /v1/entities/product/oats")["ETag"])
    for condition in ["*", tag] {
      let answer = try await shop.ask("GET \(path)", ["If-None-Match: \(condition)"])
      #expect(answer.status == status, "\(condition)")
    }
  }

  @Test func `the rate holds however a path is written`() async throws {
    let shop = try await Shop(rate: 1)
    var statuses: [Int] = []
    for path in ["/v1/limits", "/v1/%6Cimits", "/v1/limits", "/%761/limits"] {
      statuses.append(try await shop.ask("GET \(path)").status)
    }
    #expect(statuses == [200, 200, 429, 429])
    #expect(try await shop.ask("GET /livez").status == 200)
  }

  @Test func `readiness names the damaged file, and who asks gets 503 until it is restored`()
    async throws
  {
    let shop = try await Shop()
    #expect(try await shop.ask("GET /readyz").body == Array("ok\n".utf8))
    let generation = try shop.service.current.catalogue().generation
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: shop.index)
        .first { $0.hasSuffix(".segment") })
    let file = shop.index + "/" + name
    let bytes = try #require(FileManager.default.contents(atPath: file))
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: 8192)
    let picture = try #require(
      FileManager.default.contents(atPath: SampleShop.image("oats.jpg")))
    func match() async throws -> Int {
      try await shop.ask("POST /v1/match", ["Content-Type: image/jpeg"], Array(picture)).status
    }
    #expect(try await match() == 503)
    let problem = try await shop.json("GET /readyz")
    #expect(problem["code"] as? String == "catalogueUnavailable")
    let detail = try #require(problem["detail"] as? String)
    #expect(detail.contains("generation \(generation) ") && detail.contains("'\(name)'"))
    #expect(!detail.contains(shop.folder.path))
    try handle.truncate(atOffset: 0)
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: bytes)
    #expect(try await match() == 200)
    #expect(try await shop.ask("GET /readyz").body == Array("ok\n".utf8))
  }

  /// Would break if a query had no deadline, or if one that passes it were called a damaged catalogue.
  @Test func `a query that has no time left is answered as such`() async throws {
    let shop = try await Shop(deadlines: DeadlineLimits(standard: .zero, maximum: .zero))
    let type = ["Content-Type: application/json"]
    let comparators = #"{"comparators":[{"property":"title","comparison":"contains","value":"m"}]}"#
    let query = try await shop.ask("POST /v1/entities:query", type, Array(comparators.utf8))
    #expect(query.status == 503 && query["Retry-After"] == "1")
    let problem = try JSONSerialization.jsonObject(with: Data(query.body)) as? [String: Any]
    #expect(problem?["code"] as? String == "timedOut")
    let match = try await shop.json(
      "POST /v1/match", [], #"{"labels":["mug"],"where":["title~m"]}"#)
    #expect(match["complete"] as? Bool == false)
    #expect(match["emptyReason"] as? String == "filterTimedOut")
    #expect((match["values"] as? [Any])?.isEmpty == true)
  }

  @Test func `keys open what they are for`() async throws {
    let reader = APIKeys.made(role: .read, name: "reader")
    let writer = APIKeys.made(role: .write, name: "writer")
    let keys = try APIKeys(lines: reader.line + "\n" + writer.line, file: "keys.txt")
    let shop = try await Shop(keys: keys)
    func status(_ line: String, _ key: String?) async throws -> Int {
      try await shop.ask(line, key.map { ["Authorization: Bearer \($0)"] } ?? []).status
    }
    #expect(try await status("GET /livez", nil) == 200)
    #expect(try await status("GET /", nil) == 200)
    #expect(try await status("GET /v1/limits", nil) == 401)
    #expect(try await status("GET /metrics", nil) == 401)
    #expect(try await status("GET /v1/limits", reader.key) == 200)
    #expect(try await status("DELETE /v1/entities/product/oats", reader.key) == 403)
    #expect(try await status("DELETE /v1/entities/product/oats", writer.key) == 204)
    #expect(try await status("DELETE /v1/entities/product/oats", writer.key) == 404)
    #expect(try await status("GET /v1/entities/product/oats", reader.key) == 404)
  }

  @Test func `links are described for the apps that open them`() async throws {
    let without = try await Shop().ask("GET /.well-known/apple-app-site-association")
    #expect(without.status == 404)
    let shop = try await Shop(appIDs: ["TEAM.app"])
    let response = try await shop.ask("GET /.well-known/apple-app-site-association")
    #expect(
      String(decoding: response.body, as: UTF8.self)
        == #"{"applinks":{"details":[{"appIDs":["TEAM.app"],"components":[{"/":"/p/*"}]}]}}"#)
  }

  @Test func `figures are in Prometheus's form`() async throws {
    let shop = try await Shop()
    for status in [200, 200, 404] {
      shop.service.record(
        Exchange(
          info: nil, identity: RequestIdentity(), route: "/v1/match", outcome: .answered,
          status: status, bytesIn: 10, bytesOut: 20, duration: .milliseconds(30),
          wait: .milliseconds(5)))
    }
    let text = String(decoding: try await shop.ask("GET /metrics").body, as: UTF8.self)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(
        line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/) != nil)
    }
    #expect(text.contains(#"vq_requests_total{route="/v1/match",status="200"} 2"#))
    #expect(text.contains(#"vq_request_duration_seconds_bucket{route="/v1/match",le="0.05"} 3"#))
    #expect(text.contains(#"vq_request_duration_seconds_bucket{route="/v1/match",le="0.025"} 0"#))
    #expect(text.contains("vq_catalogue_entities{type=\"product\"} 28"))
  }

  /// Every route of `openapi.json` is served, and the other way round.
  @Test func `the reference names every path`() throws {
    let document = try JSONSerialization.jsonObject(with: Data(ServedFiles.openAPI))
    let paths = (document as? [String: Any])?["paths"] as? [String: [String: Any]]
    let named = Set(try #require(paths).keys)
    let pages: Set<Route> = [.page, .style, .script]
    #expect(named == Set(Route.allCases.filter { !pages.contains($0) }.map(\.rawValue)))
    for route in Route.allCases where !pages.contains(route) {
      let methods = paths?[route.rawValue]?.keys.filter { $0 != "parameters" }.map {
        $0.uppercased()
      }
      #expect(methods?.sorted() == route.methods.sorted())
    }
  }
}
