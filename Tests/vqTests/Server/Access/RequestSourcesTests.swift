import Foundation
import TestSupport
import Testing

@testable import HTTPServer
@testable import vq

/// The requests that a server without keys answers.
@Suite struct RequestSourcesTests {
  private static func refused(
    _ lines: [String], method: String = "GET", _ sources: RequestSources
  ) throws -> String? {
    var parser = RequestParser()
    let head = ["\(method) /v1/limits HTTP/1.1"] + lines + ["Content-Length: 0"]
    parser.append(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    guard case .head(let parsed)? = try parser.next() else { throw CancellationError() }
    return sources.refusal(of: parsed)?.field
  }

  /// Would break if a page whose name leads to this machine could read the catalogue.
  @Test func `only hosts of this machine may be asked for on a loopback address`() throws {
    let sources = RequestSources(hosts: ["shop.example"])
    for host in [
      "localhost", "LOCALHOST:8080", "localhost.", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80",
      "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:80", "shop.example", "Shop.Example:443", "",
    ] {
      #expect(try Self.refused(["Host: \(host)"], sources) == nil, "\(host)")
    }
    for host in [
      "evil.example", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
      "evil.example:8080", "128.0.0.1", "127.0.0", "127.0.0.256", "127.0.0.1x", "[::2]", "0.0.0.0",
      "evil.shop.example", "127.0.0.+1", "localhos%74",
    ] {
      #expect(try Self.refused(["Host: \(host)"], sources) == "Host", "\(host)")
      #expect(try Self.refused(["Host: \(host)"], RequestSources()) == nil, "\(host)")
    }
  }

  struct Page: CustomTestStringConvertible {
    let lines: [String]
    let isRefused: Bool
    var testDescription: String { lines.joined(separator: ", ") }

    init(_ lines: String..., isRefused: Bool = false) {
      self.lines = lines
      self.isRefused = isRefused
    }
  }

  /// Would break if any page could search, and leave its words, in the name of its visitor; or if the server's own page could
  /// not.
  @Test(arguments: [
    Page("Host: localhost:8080"),
    Page("Host: localhost:8080", "Origin: http://localhost:8080"),
    Page("Host: localhost:8080", "Sec-Fetch-Site: same-origin", "Origin: http://localhost:8080"),
    Page("Host: localhost:8080", "Sec-Fetch-Site: none"),
    Page("Host: shop.example", "Origin: https://shop.example:8443"),
    Page("Host: vq", "Sec-Fetch-Site: same-origin", "Origin: https://shop.example"),
    Page("Host: localhost:8080", "Origin: https://app.example"),
    Page("Host: localhost:8080", "Sec-Fetch-Site: cross-site", "Origin: https://app.example"),
    Page("Host: localhost:8080", "Origin: https://evil.example", isRefused: true),
    Page("Host: localhost:8080", "Origin: http://localhost:9090", isRefused: true),
    Page("Host: localhost:8080", "Origin: null", isRefused: true),
    Page("Host: localhost:8080", "Sec-Fetch-Site: cross-site", isRefused: true),
    Page("Host: localhost:8080", "Sec-Fetch-Site: same-site", isRefused: true),
    Page("Host: shop.example", "Origin: https://evil.example", isRefused: true),
  ])
  func `forms of other pages are refused`(page: Page) throws {
    let sources = RequestSources(origins: ["https://app.example"])
    for method in ["POST", "PUT", "DELETE"] {
      let field = try Self.refused(page.lines, method: method, sources)
      #expect(field == (page.isRefused ? "Origin" : nil))
    }
    // Methods whose answers a page cannot read without CORS, and the one that CORS sends beforehand, are accepted.
    for method in ["GET", "HEAD", "OPTIONS"] {
      #expect(try Self.refused(page.lines, method: method, sources) == nil)
    }
  }

  @Test func `a key is trusted wherever the request comes from`() async throws {
    let reader = APIKeys.made(role: .read, name: "reader")
    let evil = ["Origin: https://evil.example", "Authorization: Bearer \(reader.key)"]
    let question = Array(#"{"labels":["mug"]}"#.utf8)
    let json = ["Content-Type: application/json"]
    for keys in [nil, try APIKeys(lines: reader.line, file: "keys.txt")] {
      let shop = try await ServedShop(keys: keys)
      shop.restart { $0.sources.hosts = [] }
      let get = try await shop.ask("GET /livez", evil)
      #expect(get.status == (keys == nil ? 403 : 200))
      shop.restart { $0.sources.hosts = ["shop.example"] }
      #expect(try await shop.ask("GET /livez", evil).status == 200)
      let post = try await shop.ask("POST /v1/match", evil + json, question)
      #expect(post.status == (keys == nil ? 403 : 200))
      #expect(
        try await shop.ask("POST /v1/match", json, question).status == (keys == nil ? 200 : 401))
    }
  }
}
