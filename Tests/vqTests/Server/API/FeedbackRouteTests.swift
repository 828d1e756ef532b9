import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// Statements about answers, and the things that a shop could correct, as clients ask for them.
@Suite struct FeedbackRouteTests {
  private static let writer = APIKeys.made(role: .write, name: "shop")
  private static let app = APIKeys.made(role: .feedback, name: "app")
  private static let reader = APIKeys.made(role: .read, name: "reader")
  private static let writing = "Authorization: Bearer \(writer.key)"
  private static let saying = "Authorization: Bearer \(app.key)"
  private static let reading = "Authorization: Bearer \(reader.key)"

  /// Two mugs of one shape, so that the wrong one is near.
  private static func shop() async throws -> ServedShop {
    let lines = [writer.line, app.line, reader.line].joined(separator: "\n")
    return try await ServedShop(
      feed: { folder in
        try FileManager.default.createDirectory(
          atPath: folder.path + "/images", withIntermediateDirectories: true)
        var rows: [String] = []
        for color in ["red", "blue"] {
          _ = try folder.copy(
            SampleShop.image("mug-\(color).jpg"), to: "images/mug-\(color).jpg")
          rows.append(
            """
            {"type":"product","id":"mug-\(color)","title":"Mug","labels":["mug"],\
            "images":["images/mug-\(color).jpg"]}
            """)
        }
        rows.append(#"{"type":"product","id":"bad","title":"Bad","price":"much"}"#)
        return try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
      }, keys: try APIKeys(lines: lines, file: "keys.txt"))
  }

  private static func photo(_ name: String = "mug-red.jpg") throws -> [UInt8] {
    try ImageDecoder().contents(ofFile: SampleShop.image(name))
  }

  private static func match(_ shop: ServedShop, _ options: String = "") async throws -> [UInt8] {
    try await shop.ask(
      "POST /v1/match\(options)", [reading, "Content-Type: image/jpeg"], photo()
    ).body
  }

  private static func token(_ shop: ServedShop) async throws -> String {
    let answer = try JSONSerialization.jsonObject(with: Data(try await match(shop)))
    return try #require((answer as? [String: Any])?["continuation"] as? String)
  }

  private static func say(
    _ shop: ServedShop, _ rest: String, _ key: String = writing, token: String? = nil
  ) async throws -> (status: Int, answer: [String: Any]) {
    var query = token ?? ""
    if token == nil { query = try await Self.token(shop) }
    let response = try await shop.ask(
      "POST /v1/feedback", [key, "Content-Type: application/json"],
      Array(#"{"query":"\#(query)",\#(rest)}"#.utf8))
    let answer = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return (response.status, answer ?? [:])
  }

  private static func plain(_ shop: ServedShop) async throws -> String {
    ServedShop.plain(try await match(shop)).replacing(/"continuation":"[^"]*"/, with: "")
  }

  /// Would break if a wrong answer came back, or undoing it left a trace.
  @Test func `what is wrong is not shown again until that is undone`() async throws {
    let shop = try await Self.shop()
    let before = try await Self.plain(shop)
    #expect(before.contains("mug-red"))
    let said = try await Self.say(
      shop, #""chosen":"product:mug-blue","rejected":["product:mug-red"]"#)
    #expect(said.status == 201 && said.answer["state"] as? String == "active")
    let again = try await Self.say(
      shop, #""chosen":"product:mug-blue","rejected":["product:mug-red"]"#)
    #expect(again.status == 200 && again.answer["number"] as? Int == 1)
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(try await Self.match(shop))) as? [String: Any])
    #expect(ServedShop.ids(answer, "values").first == "mug-blue")
    #expect(!ServedShop.ids(answer, "values").contains("mug-red"))
    let effects = try #require(answer["feedback"] as? [String: [[String: Any]]])
    #expect(effects["suppressed"]?.first?["id"] as? String == "mug-red")
    #expect(effects["pinned"]?.first?["statement"] as? Int == 1)
    let without = try await Self.match(shop, "?feedback=false")
    #expect(ServedShop.plain(without).contains("mug-red"))

    let listed = try await shop.json("GET /v1/feedback?entity=product:mug-red", [Self.writing])
    #expect((listed["feedback"] as? [[String: Any]])?.first?["author"] as? String == "shop")
    let queries = try await shop.ask("GET /v1/feedback/queries", [Self.writing])
    let line = String(decoding: queries.body, as: UTF8.self)
    let query = try #require(try EvaluationQuery.read(line).first)
    #expect(query.truth == ["mug-blue"] && query.signature != nil && query.image.isEmpty)
    #expect(try await shop.ask("DELETE /v1/feedback/1", [Self.writing]).status == 204)
    #expect(try await shop.ask("DELETE /v1/feedback/1", [Self.writing]).status == 404)
    #expect(try await Self.plain(shop) == before)
  }

  @Test func `a public key's words wait until they are accepted`() async throws {
    let shop = try await Self.shop()
    let before = try await Self.plain(shop)
    let said = try await Self.say(shop, #""rejected":["product:mug-red"]"#, Self.saying)
    #expect(said.status == 201 && said.answer["state"] as? String == "pending")
    #expect(try await Self.plain(shop) == before)
    let path = "/v1/feedback/1/acceptance"
    #expect(try await shop.ask("PUT \(path)", [Self.saying]).status == 403)
    #expect(try await shop.ask("PUT \(path)", [Self.writing]).status == 204)
    #expect(try await Self.plain(shop) != before)
    #expect(try await shop.ask("GET /v1/feedback", [Self.saying]).status == 403)
    #expect(
      try await Self.say(shop, #""rejected":["product:mug-red"]"#, Self.reading).status == 403)
  }

  @Test func `a public key is limited for each address`() async throws {
    let shop = try await Self.shop()
    let token = try await Self.token(shop)
    var statuses: [Int] = []
    // A busy machine may be slow enough that the address earns further requests on the way.
    while statuses.count < 60, statuses.last != 429 {
      statuses.append(
        try await Self.say(shop, #""rejected":["product:mug-red"]"#, Self.saying, token: token)
          .status)
    }
    #expect(statuses.first == 201 && statuses.last == 429)
    #expect(statuses.count > 10, "a burst of ten is let through")
    #expect(
      try await Self.say(shop, #""rejected":["product:mug-red"]"#, token: token).status == 201)
  }

  @Test(arguments: [
    (#""chosen":"product:none""#, 422, "invalidFeedback"),
    (#""rejected":["product:mug-red"],"chosen":"product:mug-red""#, 422, "invalidFeedback"),
    (#""labels":[]"#, 400, "invalidField"), (#""rejected":[]"#, 422, "invalidFeedback"),
    (#""rejected":["mug-red"]"#, 400, "invalidField"),
    (#""rejected":"product:mug-red""#, 400, "invalidField"),
  ])
  func `hostile statements are refused`(rest: String, status: Int, code: String) async throws {
    let shop = try await Self.shop()
    let said = try await Self.say(shop, rest)
    #expect(said.status == status && said.answer["code"] as? String == code, "\(said.answer)")
    #expect(!FileManager.default.fileExists(atPath: shop.index + "/feedback.sqlite"))
  }

  @Test func `a token that was altered says nothing`() async throws {
    let shop = try await Self.shop()
    let token = try await Self.token(shop)
    let said = try await Self.say(
      shop, #""chosen":"product:mug-red""#, token: "B" + token.dropFirst())
    #expect(said.status == 422 && said.answer["code"] as? String == "invalidToken")
    let many = (0..<17).map { "\"product:\($0)\"" }.joined(separator: ",")
    #expect(try await Self.say(shop, #""rejected":[\#(many)]"#, token: token).status == 400)
  }

  /// Would break if a picture were kept that nobody gave, or another one than was asked about.
  @Test(arguments: ["/v1/feedback", "/v1/feedback:form"])
  func `a picture is kept only if it is given, and is the question's`(path: String) async throws {
    let shop = try await Self.shop()
    let token = try await Self.token(shop)
    func send(_ image: [UInt8]) async throws -> Int {
      var body = Array("--b\r\nContent-Disposition: form-data; name=\"feedback\"\r\n\r\n".utf8)
      body += Array(#"{"query":"\#(token)","chosen":"product:mug-red"}"#.utf8)
      body += Array("\r\n--b\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n".utf8)
      body += image + Array("\r\n--b--\r\n".utf8)
      return try await shop.ask(
        "POST \(path)", [Self.writing, "Content-Type: multipart/form-data; boundary=b"], body
      ).status
    }
    #expect(try await send(Self.photo("mug-blue.jpg")) == 422)
    #expect(try await send(Array("nothing".utf8)) == 415)
    #expect(try await Self.say(shop, #""chosen":"product:mug-red""#, token: token).status == 201)
    let kept = try KeptFeedback(directory: shop.index)
    #expect(try kept.image(of: 1) == nil)
    #expect(try await send(Self.photo()) == 201)
    #expect(try kept.image(of: 2)?.prefix(2) == [0xFF, 0xD8])
  }

  /// Would break if a public key could have images decoded to their end, or hold up changes meanwhile.
  @Test func `an image that takes too long to decode is refused`() async throws {
    let shop = try await Self.shop()
    let token = try await Self.token(shop)
    shop.restart { $0.deadlines.maximum = .zero }
    let head = """
      --b\r
      Content-Disposition: form-data; name="feedback"\r
      \r
      {"query":"\(token)","chosen":"product:mug-red"}\r
      --b\r
      Content-Disposition: form-data; name="image"; filename="p.jpg"\r
      \r

      """
    let fields = [Self.saying, "Content-Type: multipart/form-data; boundary=b"]
    let refused = try await shop.ask(
      "POST /v1/feedback", fields, Array(head.utf8) + Self.photo() + Array("\r\n--b--".utf8))
    #expect(
      refused.status == 503 && String(decoding: refused.body, as: UTF8.self).contains("timedOut"))
    #expect(try KeptFeedback(directory: shop.index).image(of: 1) == nil)
    let lanes = try [fields[1], "Content-Type: application/json"].map {
      try shop.lane(of: "POST /v1/feedback", [Self.saying, $0])
    }
    #expect(lanes == [.answers, .changes])
  }

  /// Would break if relations of a feed were lost, given in another order, or shown for entities that are gone.
  @Test func `what the feed relates is given in its order`() async throws {
    let rows = [
      #"{"type":"product","id":"a","title":"A","Cross-sells":"id:c, gone | b; a","completeTheLook":["g1",7]}"#,
      #"{"type":"product","id":"b","title":"B","price":"5.00 EUR","related":[{"id":"a"}]}"#,
      #"{"type":"product","id":"c","title":"C","price":"50.00 EUR"}"#,
      #"{"type":"product","id":"d","title":"D","group":"g1"}"#,
      #"{"type":"product","id":"7","title":"Seven"}"#,
      #"{"type":"store","id":"s","title":"S","look":["a"]}"#,
    ]
    let shop = try await ServedShop(
      feed: { try $0.write(rows.joined(separator: "\n"), to: "feed.jsonl") })
    func ids(_ path: String) async throws -> [String] {
      let answer = try await shop.json("GET /v1/entities/\(path)")
      return try #require(answer["neighbors"] as? [[String: Any]])
        .compactMap { ($0["entity"] as? [String: Any])?["id"] as? String }
    }
    #expect(try await ids("product/a/neighbors?relation=bought") == ["c", "b"])
    #expect(try await ids("product/a/neighbors?relation=bought&limit=1") == ["c"])
    #expect(try await ids("product/a/neighbors?relation=bought&where=price%3C20") == ["b"])
    #expect(try await ids("product/a/neighbors?relation=look") == ["d", "7"])
    #expect(try await ids("product/b/neighbors?relation=bought") == ["a"])
    #expect(try await ids("product/c/neighbors?relation=look") == [])
    #expect(try await ids("store/s/neighbors?relation=look") == [])
    let unknown = try await shop.ask("GET /v1/entities/product/x/neighbors?relation=look")
    #expect(unknown.status == 404)
    let other = try await shop.ask("GET /v1/entities/product/a/neighbors?relation=x")
    #expect(other.status == 400)
  }

  @Test func `neighbors leave out the entity itself`() async throws {
    let shop = try await Self.shop()
    let answer = try await shop.json(
      "GET /v1/entities/product/mug-red/neighbors", [Self.reading])
    let neighbors = try #require(answer["neighbors"] as? [[String: Any]])
    let ids = neighbors.compactMap { ($0["entity"] as? [String: Any])?["id"] as? String }
    #expect(ids == ["mug-blue"])
    #expect(neighbors.first?["sharesDetails"] as? Bool == true)
    let none = try await shop.ask("GET /v1/entities/product/none/neighbors", [Self.reading])
    #expect(none.status == 404)
  }

  /// A shop in which the image of a lamp is like that of a mug, and vectors tell which are lamps: one has none.
  private static func lamps() async throws -> ServedShop {
    let things = [
      ("lamp-a", "mug-red", #""ADwAAA""#), ("lamp-b", "oats", #""ADwANA""#),
      ("mug", "mug-blue", #""AAAAPA""#),
      ("lamp-c", "mug-green", #""ADwAPA""#), ("new", "lamp-teal", "null"),
    ]
    return try await ServedShop(
      feed: { folder in
        for (_, image, _) in things {
          _ = try folder.copy(SampleShop.image("\(image).jpg"), to: "\(image).jpg")
        }
        let rows = things.map { id, image, vector in
          """
          {"type":"product","id":"\(id)","title":"T \(id)","labels":["\(id.prefix(3))"],\
          "images":["\(image).jpg"],"embeddings":{"model":"m","vectors":[\(vector)]}}
          """
        }
        return try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
      }, imagesRoot: ".")
  }

  /// Would break if the neighbors of a lamp were what its image resembles, though vectors tell what a lamp is, or if what has no vector were
  /// lost or mixed with the others.
  @Test func `vectors order the neighbors, and what has none comes after them`() async throws {
    let shop = try await Self.lamps()
    func neighbors(_ query: String = "", of id: String = "lamp-a") async throws -> [[String: Any]] {
      let answer = try await shop.json("GET /v1/entities/product/\(id)/neighbors\(query)")
      return try #require(answer["neighbors"] as? [[String: Any]])
    }
    func ids(_ neighbors: [[String: Any]]) -> [String] {
      neighbors.compactMap { ($0["entity"] as? [String: Any])?["id"] as? String }
    }
    let all = try await neighbors()
    #expect(Array(ids(all).prefix(3)) == ["lamp-b", "lamp-c", "mug"])
    #expect(ids(all).dropFirst(3).allSatisfy { $0 == "new" })
    let cosines = all.prefix(3).compactMap { $0["cosine"] as? Double }
    #expect(cosines == [0.9697, 0.7071, 0])
    #expect(all.dropFirst(3).allSatisfy { $0["cosine"] == nil })
    // The mugs of the images are one thing in two colors.
    #expect(all.prefix(3).map { $0["sharesDetails"] as? Bool } == [false, true, true])
    #expect(ids(try await neighbors("?limit=1")) == ["lamp-b"])
    #expect(ids(try await neighbors("?withLabel=mug")) == ["mug"])
    #expect(ids(try await neighbors("?where=id!%3Dlamp-b&limit=2")) == ["lamp-c", "mug"])
    // What has no vector is searched for as before.
    #expect(try await neighbors(of: "new").allSatisfy { $0["cosine"] == nil })
    try FileManager.default.removeItem(atPath: shop.folder.path + "/mug-red.jpg")
    shop.restart { _ in }
    #expect(Array(ids(try await neighbors()).prefix(3)) == ["lamp-b", "lamp-c", "mug"])
  }

  /// Would break if reading lists created files, or if a change that cannot be written were told as a catalogue that cannot be read.
  @Test func `lists are read from an index that cannot be written`() async throws {
    let shop = try await Self.shop()
    shop.restart { $0.keepsNumbers = true }
    for path in ["labels/unknown", "numbers", "feedback"] {
      #expect(try await shop.ask("GET /v1/\(path)", [Self.writing]).status == 200, "\(path)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: shop.index)
    #expect(!files.contains { $0.hasPrefix("unmatched") || $0.hasPrefix("numbers") })
    // Nobody can open a link to itself.
    let lock = shop.index + "/" + WriterLock.fileName
    try? FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: lock)
    for (line, body) in [
      ("POST /v1/labels/bridge", #"{"label":"goblet","labels":["mug"]}"#),
      ("PUT /v1/rules", #"{"rules":[]}"#),
    ] {
      let answer = try await shop.json(line, [Self.writing], body)
      #expect(answer["status"] as? Int == 503, "\(line): \(answer)")
      #expect((answer["detail"] as? String)?.contains("cannot be written") == true, "\(answer)")
    }
  }

  @Test func `a shop sees what it could correct, and others do not`() async throws {
    let shop = try await Self.shop()
    for path in ["doctor", "rejected", "labels/unknown", "feedback", "feedback/queries"] {
      #expect(try await shop.ask("GET /v1/\(path)", [Self.reading]).status == 403, "\(path)")
    }
    let doctor = try await shop.json("GET /v1/doctor", [Self.writing])
    let kinds = (doctor["findings"] as? [[String: Any]] ?? []).compactMap { $0["kind"] as? String }
    #expect(kinds.contains("noPicture") && doctor["total"] as? Int == kinds.count)
    let figures = try await shop.json("GET /v1/catalogue", [Self.reading])
    #expect(figures["products"] as? Int == 3 && figures["minimumConfidence"] as? Double == 0.85)
    #expect(figures["feedback"] as? Bool == true)

    let rows = #"{"kind":"field","line":3,"id":"product:bad","field":"price","reason":"is 'much'"}"#
    try (rows + "\nno JSON\n" + rows + "\n").write(
      toFile: shop.index + "/rejected.jsonl", atomically: true, encoding: .utf8)
    let rejected = try await shop.json("GET /v1/rejected?limit=2", [Self.writing])
    #expect((rejected["rows"] as? [[String: Any]])?.count == 1)
    #expect(rejected["hasMore"] as? Bool == true)
  }

  /// Would break if a long list could not be read to its end: the last run's good reports were lost behind a bad row.
  @Test func `rejected rows come in pages`() async throws {
    let shop = try await Self.shop()
    let file = shop.index + "/rejected.jsonl"
    let filler = String(repeating: "x", count: 300_000)
    let lines = (1...30).map {
      #"{"kind":"row","line":\#($0),"reason":"r","row":{"title":"\#(filler)"}}"# + "\n"
    }
    try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
    var (numbers, cursor, pageCount) = ([Int](), "", 0)
    repeat {
      let page = try await shop.json(
        "GET /v1/rejected?limit=20&cursor=\(cursor)", [Self.writing])
      numbers += (page["rows"] as? [[String: Any]] ?? []).compactMap { $0["line"] as? Int }
      cursor = page["cursor"] as? String ?? ""
      #expect(page["hasMore"] as? Bool == !cursor.isEmpty)
      pageCount += 1
    } while !cursor.isEmpty && pageCount < 30
    // Rows of 300 KB end a page before it has twenty.
    #expect(numbers == Array(1...30) && pageCount == 3)

    let first = try await shop.json("GET /v1/rejected?limit=1", [Self.writing])
    let next = try #require(first["cursor"] as? String)
    try (lines[0] + lines[1] + lines[2]).write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await shop.ask("GET /v1/rejected?cursor=\(next)", [Self.writing]).status == 410)
    for wrong in ["x", "1.x", "a.-1", String(repeating: "1", count: 150) + ".1.1"] {
      let status = try await shop.ask("GET /v1/rejected?cursor=\(wrong)", [Self.writing]).status
      #expect(status == 400, "\(wrong)")
    }
  }

  /// The page shows no buttons for it there.
  @Test func `a server without a key that may give feedback says so`() async throws {
    for keys in [nil, try APIKeys(lines: Self.reader.line, file: "keys.txt")] {
      let shop = try await ServedShop(
        feed: { try $0.write(#"{"type":"product","id":"mug","title":"Mug"}"#, to: "feed.jsonl") },
        keys: keys)
      let figures = try await shop.json("GET /v1/catalogue", [Self.reading])
      #expect(figures["feedback"] as? Bool == false)
    }
  }

  @Test func `a label that nothing has gets a meaning`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.json(
      "POST /v1/match", [Self.reading], #"{"labels":["Goblet"]}"#)
    #expect(ServedShop.ids(before, "values").isEmpty)
    let unknown = try await shop.json("GET /v1/labels/unknown", [Self.writing])
    #expect((unknown["labels"] as? [[String: Any]])?.first?["label"] as? String == "goblet")
    let wrong = try await shop.ask(
      "POST /v1/labels/bridge", [Self.writing, "Content-Type: application/json"],
      Array(#"{"label":"goblet","labels":["chalice"]}"#.utf8))
    #expect(wrong.status == 400)
    for body in [
      #"{"label":"goblet","labels":[""]}"#, #"{"label":"goblet","labels":["mug",""]}"#,
      #"{"label":"goblet","labels":[" "]}"#, #"{"label":"","labels":["mug"]}"#,
      #"{"label":"goblet","labels":[]}"#, #"{"label":"goblet","labels":null}"#,
    ] {
      let refused = try await shop.ask(
        "POST /v1/labels/bridge", [Self.writing, "Content-Type: application/json"],
        Array(body.utf8))
      #expect(refused.status == 400, "\(body)")
    }
    let added = try await shop.json(
      "POST /v1/labels/bridge", [Self.writing], #"{"label":"goblet","labels":["mug"]}"#)
    #expect(added["generation"] as? Int == 2)
    let after = try await shop.json("POST /v1/match", [Self.reading], #"{"labels":["goblet"]}"#)
    #expect(Set(ServedShop.ids(after, "values")) == ["mug-red", "mug-blue"])
    // Adding another word to the bridge keeps the first one.
    _ = try await shop.json(
      "POST /v1/labels/bridge", [Self.writing], #"{"label":"beaker","labels":["mug"]}"#)
    let kept = try await shop.json("POST /v1/match", [Self.reading], #"{"labels":["goblet"]}"#)
    #expect(ServedShop.ids(kept, "values").count == 2)
    #expect(
      try await shop.json("GET /v1/labels/unknown", [Self.writing])["labels"] as? [String] == [])
  }

  /// Would break if a reading key could see or change the rules, or if they did not count at once.
  @Test func `rules are read and replaced by those who may write`() async throws {
    let shop = try await Self.shop()
    #expect(try await shop.ask("GET /v1/rules", [Self.reading], []).status == 403)
    let json = "Content-Type: application/json"
    let body = Array(
      #"{"rules":[{"name":"recall","do":"hide","entities":["product:mug-red"]}]}"#.utf8)
    #expect(try await shop.ask("PUT /v1/rules", [Self.reading, json], body).status == 403)
    let none = try await shop.json("GET /v1/rules", [Self.writing])
    #expect(none["generation"] as? Int == 1 && (none["rules"] as? [Any])?.isEmpty == true)
    #expect(try await shop.ask("PUT /v1/rules", [Self.writing, json], body).status == 200)
    let kept = try await shop.json("GET /v1/rules", [Self.writing])
    #expect(kept["generation"] as? Int == 2 && (kept["rules"] as? [[String: Any]])?.count == 1)
    let after = try await shop.json("POST /v1/match", [Self.reading], #"{"labels":["mug"]}"#)
    #expect(ServedShop.ids(after, "values") == ["mug-blue"])
    for bad in [
      "{}", "[]", #"{"rules":[{"name":"a"}]}"#, "x",
      #"{"rules":[{"name":"a","do":"hide","where":["none=1"]}]}"#,
    ] {
      let refused = try await shop.ask("PUT /v1/rules", [Self.writing, json], Array(bad.utf8))
      #expect(refused.status == 400, "\(bad)")
    }
    _ = try await shop.ask("PUT /v1/rules", [Self.writing, json], Array(#"{"rules":[]}"#.utf8))
    let again = try await shop.json("POST /v1/match", [Self.reading], #"{"labels":["mug"]}"#)
    #expect(ServedShop.ids(again, "values").count == 2)
  }

  private static func trial(
    _ shop: ServedShop, _ parts: [(String, String)], _ key: String = writing
  ) async throws -> (status: Int, answer: [String: Any]) {
    let body =
      parts.map {
        "--b\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n"
      }.joined() + "--b--\r\n"
    let response = try await shop.ask(
      "POST /v1/rules/trial", [key, "Content-Type: multipart/form-data; boundary=b"],
      Array(body.utf8))
    let value = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return (response.status, try #require(value))
  }

  /// Would break if a trial stored its rules, counted them at another time than was asked, or hid which rule moved something.
  @Test func `rules are tried with a search`() async throws {
    let shop = try await Self.shop()
    let labels = ("request", #"{"labels":["mug"]}"#)
    let pin = #"{"name":"first","do":"pin","entities":["product:mug-red","product:none"]}"#
    let tried = try await Self.trial(shop, [("rules", #"{"rules":[\#(pin)]}"#), labels])
    #expect(tried.status == 200 && tried.answer["missing"] as? [String] == ["product:none"])
    func places(_ answer: [String: Any], _ side: String) -> [[String: Any]] {
      (answer[side] as? [String: Any])?["values"] as? [[String: Any]] ?? []
    }
    func ids(_ answer: [String: Any], _ side: String) -> [String] {
      places(answer, side).compactMap { $0["id"] as? String }
    }
    #expect(ids(tried.answer, "before") == ["mug-blue", "mug-red"])
    #expect(ids(tried.answer, "after") == ["mug-red", "mug-blue"])
    #expect(places(tried.answer, "after").first?["rule"] as? String == "first")
    let hide = #"{"rules":[{"name":"r","do":"hide","withLabel":["mug"],"from":"2100-01-01"}]}"#
    let now = try await Self.trial(shop, [("rules", hide), labels])
    #expect(ids(now.answer, "after").count == 2)
    let later = (labels.0, #"{"labels":["mug"],"at":"2100-01-02T00:00:00Z"}"#)
    #expect(ids(try await Self.trial(shop, [("rules", hide), later]).answer, "after").isEmpty)
    let kept = try await shop.json("GET /v1/rules", [Self.writing])
    #expect(kept["generation"] as? Int == 1 && (kept["rules"] as? [Any])?.isEmpty == true)
    let rules = ("rules", #"{"rules":[]}"#)
    #expect(try await Self.trial(shop, [rules, labels], Self.reading).status == 403)
    for (parts, field) in [
      ([labels], "rules"), ([rules], nil), ([rules, labels, ("more", "")], "more"),
      ([("rules", "x"), labels], nil), ([("rules", "[]"), labels], "rules"),
      ([rules, ("request", #"{"continuation":"x"}"#)], "continuation"),
      ([rules, ("request", #"{"labels":["mug"],"more":1}"#)], "more"),
      ([("rules", #"{"rules":[{"name":"a","do":"pin"}]}"#), labels], "rules[0]"),
    ] as [([(String, String)], String?)] {
      let refused = try await Self.trial(shop, parts)
      #expect(refused.status == 400 && refused.answer["field"] as? String == field, "\(parts)")
    }
    let json = try await shop.json("POST /v1/rules/trial", [Self.writing], "{}")
    #expect(json["status"] as? Int == 415)
  }

  /// Would break if feedback on an answer whose image was not analyzed in time were stored for its labels: it changed everyone's answers.
  @Test func `an answer without its image takes no statement`() async throws {
    let shop = try await Self.shop()
    let labels = { () async throws -> String in
      let answer = try await shop.ask(
        "POST /v1/match", [Self.reading, "Content-Type: application/json"],
        Array(#"{"labels":["mug"]}"#.utf8))
      return ServedShop.plain(answer.body).replacing(/"continuation":"[^"]*"/, with: "")
    }
    let before = try await labels()
    #expect(before.contains("mug-red"))
    let picture = SyntheticPicture.scene(width: 3000, height: 3000, seed: 1).jpeg()
    let late = try await shop.ask(
      "POST /v1/match?labels=mug&deadlineMs=1",
      [Self.reading, "Content-Type: image/jpeg"], picture)
    let answer = try JSONSerialization.jsonObject(with: Data(late.body)) as? [String: Any]
    #expect(answer?["complete"] as? Bool == false)
    let token = try #require(answer?["continuation"] as? String)
    let said = try await Self.say(shop, #""rejected":["product:mug-red"]"#, token: token)
    #expect(said.status == 422)
    #expect(try await labels() == before)
  }
}
