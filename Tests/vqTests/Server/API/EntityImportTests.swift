import Foundation
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// `POST /v1/entities:import`.
@Suite struct EntityImportTests {
  private static let writer = APIKeys.made(role: .write, name: "warehouse")
  private static let other = APIKeys.made(role: .write, name: "other")

  private static func shop() async throws -> ServedShop {
    try await ServedShop(
      feed: { folder in
        try folder.write(
          (0..<4).map { #"{"type":"product","id":"p\#($0)","title":"T\#($0)"}"# }
            .joined(separator: "\n"), to: "feed.jsonl")
      }, keys: try APIKeys(lines: writer.line + "\n" + other.line, file: "keys.txt"))
  }

  private static func ask(
    _ shop: ServedShop, _ body: String, id: String? = nil, key: String = writer.key,
    type: String = "application/x-ndjson"
  ) async throws -> HTTPResponse {
    try await shop.ask(
      "POST /v1/entities:import",
      ["Authorization: Bearer \(key)", "Content-Type: \(type)"]
        + (id.map { ["Idempotency-Key: \($0)"] } ?? []), Array(body.utf8))
  }

  private static func object(_ response: HTTPResponse) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
  }

  private static func title(_ id: String, _ shop: ServedShop) async throws -> String? {
    let id = EntityID(type: .product, value: id)
    let found = try await EntityLookup(catalogue: Catalogue(directory: shop.index))
      .entities(for: [id])
    guard case .product(let product)? = found.first else { return nil }
    return product.title
  }

  /// Would break if a shop with a thousand new prices had to make as many requests, or if one wrong line lost the others.
  @Test func `each line has its result, and all are one generation`() async throws {
    let shop = try await Self.shop()
    let lines = [
      #"{"type":"product","id":"new","title":"New","lables":["a"]}"#,
      #"{"patch":{"type":"product","id":"p0","price":{"amount":"2","currency":"EUR"}}}"#, "",
      "  \r",
      #"{"delete":{"type":"product","id":"p1"}}"#, #"{"type":"product","id":"p2","title":"T2"}"#,
      #"{"type":"product","id":"p3"}"#, "{", "[]", #"{"patch":{"id":"p0"}}"#,
      #"{"patch":{"type":"product","id":"none","title":"x"}}"#,
      #"{"delete":{"type":"store","id":"p0"}}"#,
      #"{"delete":{"type":"product","id":"p2","title":"x"}}"#,
      #"{"type":"product","id":"p0","title":"Again"}"#, #"{"patch":[]}"#,
      #"{"patch":{"type":"product","id":"p3"},"delete":{}}"#,
      #"{"patch":{"type":"product","id":"p3","images":["none.jpg"]}}"#,
    ]
    let response = try await Self.ask(shop, lines.joined(separator: "\n"))
    let answer = try Self.object(response)
    #expect(response.status == 200 && response["X-Generation"] == "2", "\(answer)")
    let results = try #require(answer["results"] as? [[String: Any]])
    let told = results.map { result in
      "\(result["line"] ?? 0) \(result["status"] ?? 0) \(result["id"] ?? "-") "
        + "\(result["effect"] ?? result["code"] ?? "")"
        + ((result["field"] as? String).map { " \($0)" } ?? "")
    }
    #expect(
      told == [
        "1 201 new added", "2 200 p0 changed", "5 204 p1 removed", "6 200 p2 unchanged",
        "7 422 p3 invalidEntity title", "8 400 - invalidJSON", "9 400 - invalidField",
        "10 422 - invalidEntity id", "11 404 none unknownEntity id", "12 404 p0 unknownEntity id",
        "13 400 p2 invalidField title", "14 422 p0 invalidEntity id", "15 400 - invalidField patch",
        "16 400 - invalidField patch", "17 422 p3 invalidEntity images[0]",
      ])
    #expect(answer["succeeded"] as? Int == 4 && answer["failed"] as? Int == 11)
    #expect(results[0]["warnings"] != nil && answer["generation"] as? Int == 2)
    #expect(try await Self.title("p0", shop) == "T0")
    #expect(try await Self.title("p1", shop) == nil)
    #expect(try await CatalogueUpkeep(directory: shop.index).verify() == [])
  }

  @Test func `a feed's lines are put as they are`() async throws {
    let shop = try await Self.shop()
    let lines = (0..<EntityImport.lineLimit).map {
      #"{"type":"product","id":"q\#($0)","title":"Q\#($0)"}"#
    }
    let answer = try Self.object(await Self.ask(shop, lines.joined(separator: "\n") + "\n"))
    #expect(answer["succeeded"] as? Int == lines.count && answer["generation"] as? Int == 2)
    let many = lines + [#"{"type":"product","id":"last","title":"L"}"#]
    let refused = try await Self.ask(shop, many.joined(separator: "\n"))
    #expect(refused.status == 413)
    #expect(try Self.object(refused)["limit"] as? Int == EntityImport.lineLimit)
    #expect(try await Self.title("last", shop) == nil)
  }

  @Test func `what is no list of lines is refused as a whole`() async throws {
    let shop = try await Self.shop()
    let blank = try await Self.ask(shop, String(repeating: "\n", count: 4_000_000))
    #expect(blank.status == 413)
    for body in ["", "\n\n \n", String(repeating: "\n", count: 1000)] {
      let response = try await Self.ask(shop, body)
      #expect(response.status == 400)
      #expect(try Self.object(response)["code"] as? String == "invalidJSON")
    }
    let type = try await Self.ask(shop, "{}", type: "application/json")
    #expect(type.status == 415)
    #expect(type["Accept-Post"] == "application/x-ndjson, application/jsonl")
    let none = try await Self.ask(shop, "\u{0}\n\"a\"\nnull", type: "application/jsonl")
    #expect(none.status == 200 && none["X-Generation"] == "1")
    #expect(try Self.object(none)["failed"] as? Int == 3)
    let condition = try await shop.ask(
      "POST /v1/entities:import",
      [
        "Authorization: Bearer \(Self.writer.key)", "Content-Type: application/jsonl",
        "If-Match: *",
      ], Array("{}".utf8))
    #expect(condition.status == 400)
  }

  /// Would break if a client whose connection broke could not know whether its changes were made, and made them again over
  /// those of others.
  @Test func `a request with a key is made once`() async throws {
    let shop = try await Self.shop()
    let body = #"{"type":"product","id":"p0","title":"First"}"#
    let first = try await Self.ask(shop, body, id: "a-1")
    #expect(first.status == 200 && first["X-Generation"] == "2")
    let other = #"{"type":"product","id":"p0","title":"Second"}"#
    #expect(try await Self.ask(shop, other).status == 200)
    #expect(try await Self.ask(shop, body, id: "a-1") == first)
    #expect(try await Self.title("p0", shop) == "Second")
    let reused = try await Self.ask(shop, other, id: "a-1")
    #expect(reused.status == 422)
    #expect(try Self.object(reused)["code"] as? String == "reusedKey")
    // Each client has its own keys.
    let own = try await Self.ask(shop, body, id: "a-1", key: Self.other.key)
    #expect(own.status == 200 && own["X-Generation"] == "4")
    // A request that failed as a whole may be made again.
    #expect(try await Self.ask(shop, "", id: "a-2").status == 400)
    #expect(try await Self.ask(shop, body, id: "a-2").status == 200)
    for id in ["", "a b", "ü", String(repeating: "a", count: 256)] {
      #expect(try await Self.ask(shop, body, id: id).status == 400, "\(id)")
    }
  }

  @Test func `few answers are kept, and a request with a key is not made twice at once`() throws {
    let repeatable = RepeatableRequests()
    func key(_ name: String) throws -> RepeatableRequests.Key {
      let info = try ServedShop.info("POST /v1/entities:import", ["Idempotency-Key: \(name)"])
      let request = HTTPRequest(info: info, body: [], arrival: .now, wait: .zero)
      return try #require(try RepeatableRequests.Key(request, client: nil))
    }
    #expect(try repeatable.begin(key("0")) == nil)
    let running = #expect(throws: Problem.self) { try repeatable.begin(key("0")) }
    #expect(running?.code.status == 503 && running?.retryAfter == 1)
    let answer = HTTPResponse(status: 200, body: Array(repeating: 0, count: 100_000))
    for number in 0..<300 {
      if number > 0 { #expect(try repeatable.begin(key("\(number)")) == nil) }
      repeatable.finish(try key("\(number)"), answer)
    }
    let kept = try (0..<300).filter { try repeatable.begin(key("\($0)")) == answer }
    #expect(kept.count == RepeatableRequests.byteLimit / 100_000 && kept.last == 299)
  }
}
