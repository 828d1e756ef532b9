import Foundation
import HTTPServer
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// Keys and rates at the routes.
@Suite struct AccessTests {
  @Test func `the rate holds however a path is written`() async throws {
    let shop = try await ServedShop(rate: 1)
    var statuses: [Int] = []
    for path in ["/v1/limits", "/v1/%6Cimits", "/v1/limits", "/%761/limits"] {
      statuses.append(try await shop.ask("GET \(path)").status)
    }
    #expect(statuses == [200, 200, 429, 429])
    #expect(try await shop.ask("GET /livez").status == 200)
  }

  @Test func `keys open what they are for`() async throws {
    let reader = APIKeys.made(role: .read, name: "reader")
    let writer = APIKeys.made(role: .write, name: "writer")
    let keys = try APIKeys(lines: reader.line + "\n" + writer.line, file: "keys.txt")
    let shop = try await ServedShop(keys: keys)
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

  /// Would break if everyone who has the app, and with it its key, could watch the shop's traffic and errors.
  @Test func `metrics need a key of an operator, who sees nothing of the catalogue`() async throws {
    let keys = APIKeys.Role.allCases.map { APIKeys.made(role: $0, name: $0.rawValue) }
    let lines = keys.map(\.line).joined(separator: "\n")
    let shop = try await ServedShop(keys: try APIKeys(lines: lines, file: "keys.txt"))
    func statuses(_ line: String) async throws -> [Int] {
      var statuses: [Int] = []
      for key in keys {
        statuses.append(try await shop.ask(line, ["Authorization: Bearer \(key.key)"]).status)
      }
      return statuses
    }
    #expect(try await statuses("GET /metrics") == [403, 403, 403, 200, 200])
    #expect(try await statuses("GET /v1/entities/product/oats") == [200, 200, 200, 403, 200])
    #expect(try await statuses("GET /v1/feedback") == [403, 403, 403, 403, 200])
    #expect(try await ServedShop().ask("GET /metrics").status == 200)
  }

  /// Would break if nobody but a reader of the log knew that a revoked key still works, or if everyone saw why.
  @Test func `a file of keys with a mistake degrades the server until it is right`() async throws {
    let folder = try TemporaryDirectory()
    let (app, prometheus) = (
      APIKeys.made(role: .read, name: "app"), APIKeys.made(role: .operate, name: "prometheus")
    )
    let right = app.line + "\n" + prometheus.line + "\n"
    let file = try folder.write(right, to: "keys.txt")
    let shop = try await ServedShop(keys: try APIKeys(file: file))
    let context = shop.service.shop
    func readiness(_ key: String) async throws -> (status: Int, text: String) {
      let answer = try await shop.ask("GET /readyz", ["Authorization: Bearer \(key)"])
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }
    #expect(try await readiness(app.key) == (200, "ok\n"))
    _ = try folder.write(right + "reed other sha256:00\n", to: "keys.txt")
    #expect(throws: CommandFailure.self) { try context.reloadKeys(from: file) }
    #expect(try await readiness(app.key) == (200, "degraded\n"))
    let told = try await readiness(prometheus.key)
    #expect(told.status == 200 && told.text.hasPrefix("degraded: the file of keys"))
    let document = try await shop.json(
      "GET /readyz", ["Accept: application/json", "Authorization: Bearer \(app.key)"])
    #expect(document.count == 1 && document["status"] as? String == "degraded")
    _ = try folder.write(right, to: "keys.txt")
    try context.reloadKeys(from: file)
    #expect(try await readiness(prometheus.key) == (200, "ok\n"))
  }

  /// Would break if everybody who has an app could copy the catalogue with the key in it.
  @Test func `a key in an app searches, and lists nothing`() async throws {
    let made = APIKeys.made(role: .app, name: "ios")
    let shop = try await ServedShop(
      feed: {
        try $0.write(
          #"{"type":"product","id":"a","title":"Tea pot","labels":["pot"]}"#, to: "f.jsonl")
      },
      keys: try APIKeys(lines: made.line, file: "keys.txt"))
    func ask(_ line: String, _ json: String? = nil) async throws -> (Int, [String: Any]) {
      let response = try await shop.ask(
        line,
        ["Authorization: Bearer \(made.key)"]
          + (json == nil ? [] : ["Content-Type: application/json"]),
        Array((json ?? "").utf8))
      let answer = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
      return (response.status, answer ?? [:])
    }
    for (line, json) in [
      ("POST /v1/match", #"{"labels":["pot"]}"#), ("POST /v1/match:query", #"{"labels":["pot"]}"#),
      ("POST /v1/entities:resolve", #"{"ids":["product:a"]}"#), ("GET /v1/entities/suggested", nil),
      ("GET /v1/entities?ids=product:a", nil), ("GET /v1/entities?q=tea", nil),
      ("GET /v1/entities?q=tea&limit=20", nil), ("GET /v1/entities/product/a", nil),
      ("GET /v1/limits", nil), ("GET /v1/settings", nil), ("GET /v1/schema", nil),
      ("GET /v1/phrases", nil),
    ] {
      let (status, answer) = try await ask(line, json)
      #expect(status == 200, "\(line): \(answer)")
    }
    #expect(try await ask("GET /v1/entities/product/a/thumbnail").0 == 404)
    for (line, json, field) in [
      ("GET /v1/entities?cursor=", nil, "cursor"), ("GET /v1/entities?q=t&limit=21", nil, "limit"),
      ("GET /v1/entities/suggested?limit=21", nil, "limit"),
      ("POST /v1/entities:query", "{}", "Authorization"),
      ("POST /v1/entities:query", #"{"cursor":""}"#, "Authorization"),
      ("GET /v1/sync", nil, "Authorization"),
      ("GET /v1/facets?facets=labels", nil, "Authorization"),
      ("GET /v1/catalogue", nil, "Authorization"), ("GET /v1/numbers", nil, "Authorization"),
      ("GET /v1/entities/product/a/neighbors", nil, "Authorization"),
      ("GET /v1/entities/product/a/history", nil, "Authorization"),
      ("DELETE /v1/entities/product/a", nil, "Authorization"),
      ("GET /metrics", nil, "Authorization"),
      ("POST /v1/feedback", "{}", "Authorization"),
    ] as [(String, String?, String)] {
      let (status, answer) = try await ask(line, json)
      #expect(status == 403 && answer["code"] as? String == "forbidden", "\(line): \(answer)")
      #expect(answer["field"] as? String == field, "\(line)")
      #expect(answer["userMessage"] as? String == "The app is not allowed to do this.", "\(line)")
    }
  }

  @Test func `a key that has ended is told so`() async throws {
    let old = APIKeys.made(role: .read, name: "app", until: "2020-01-31")
    let shop = try await ServedShop(keys: try APIKeys(lines: old.line, file: "keys.txt"))
    let answer = try await shop.ask("GET /v1/limits", ["Authorization: Bearer \(old.key)"])
    #expect(answer.status == 401)
    #expect(
      String(decoding: answer.body, as: UTF8.self).contains("the key 'app' ended with 2020-01-31"))
  }
}
