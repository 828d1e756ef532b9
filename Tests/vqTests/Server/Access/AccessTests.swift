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
}
