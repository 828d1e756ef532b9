import Foundation
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// The time that a request may take, and the client whose share it takes.
@Suite struct FairShareTests {
  private static let deadlines = DeadlineLimits(
    standard: .milliseconds(300), maximum: .milliseconds(10_000))

  private static func form(_ parts: [(name: String, content: String)]) -> [UInt8] {
    let bodies = parts.map {
      "--b\r\nContent-Disposition: form-data; name=\"\($0.name)\"\r\n\r\n\($0.content)\r\n"
    }
    return Array((bodies.joined() + "--b--\r\n").utf8)
  }

  /// Would break if questions in a form or in JSON were refused for the wait that the standard deadline has no room for.
  @Test func `forms and JSON are admitted by their own deadline`() async throws {
    let shop = try await ServedShop(deadlines: Self.deadlines)
    let multipart = "Content-Type: multipart/form-data; boundary=b"
    let json = "Content-Type: application/json"
    let image = (name: "image", content: "\u{1}\r\n--a deadlineMs")
    let cases: [(fields: String, body: [UInt8], milliseconds: Int)] = [
      (multipart, Self.form([image, ("request", #"{"deadlineMs":9000}"#)]), 9000),
      (multipart, Self.form([("request", #"{"labels":["a"], "deadlineMs": 20}"#), image]), 20),
      (multipart, Self.form([("request", #"{"deadlineMs":60000}"#), image]), 10_000),
      (multipart, Self.form([("request", #"{"labels":["deadlineMs"]}"#), image]), 300),
      (multipart, Self.form([image]), 300),
      (multipart, Self.form([("request", #"{"deadlineMs":"#), image]), 300),
      (multipart, Self.form([("request", #"{"deadlineMs":-1}"#), image]), 300),
      (multipart, Array("nonsense".utf8), 300), (multipart, [], 300),
      (json, Array(#"{"labels":["mug"],"deadlineMs":9000}"#.utf8), 9000),
      (json, Array(#"{"labels":["mug"],"deadline\u004ds":9000}"#.utf8), 300),
      (json, Array(#"{"near":{"deadlineMs":9000}}"#.utf8), 300),
      (json, Array(#"{"labels":["mug"]}"#.utf8), 300), (json, Array("[9000]".utf8), 300),
    ]
    for (fields, body, milliseconds) in cases {
      let (work, _) = try #require(try shop.work("POST /v1/match", [fields]))
      #expect(work.budget == .milliseconds(10_000))
      #expect(
        work.budgetOfBody?(body) == .milliseconds(milliseconds),
        "\(String(decoding: body, as: UTF8.self))")
    }
    let (raw, _) = try #require(
      try shop.work("POST /v1/match?deadlineMs=9000", ["Content-Type: image/jpeg"]))
    #expect(raw.budget == .milliseconds(9000) && raw.budgetOfBody == nil && raw.canEndEarly)
    let (entities, _) = try #require(try shop.work("GET /v1/entities/suggested"))
    #expect(entities.budget == .milliseconds(10_000) && !entities.canEndEarly)
  }

  /// Would break if a match that has to make room for another client went on, or were an error.
  @Test(arguments: ["", "&labels=mug"])
  func `a match whose time is over answers with what it has`(query: String) async throws {
    let shop = try await ServedShop()
    let photo = try Data(contentsOf: URL(filePath: SampleShop.query("q01-mug.jpg")))
    let (work, info) = try #require(
      try shop.work("POST /v1/match?deadlineMs=60000\(query)", ["Content-Type: image/jpeg"]))
    let time = RequestTime()
    time.end()
    let response = await work.run(
      HTTPRequest(info: info, body: Array(photo), arrival: .now, wait: .zero, time: time))
    #expect(response.status == 200)
    let document = try JSONSerialization.jsonObject(with: Data(response.body))
    let answer = try #require(document as? [String: Any])
    #expect(answer["complete"] as? Bool == false)
    let values = try #require(answer["values"] as? [Any])
    #expect(values.isEmpty == query.isEmpty)
  }

  /// Would break if all users of an app, whose key everybody can read, were one client.
  @Test func `a client is an address, with the key that it has`() async throws {
    let (first, second) = (
      APIKeys.made(role: .read, name: "one"), APIKeys.made(role: .read, name: "two")
    )
    let keys = try APIKeys(lines: first.line + "\n" + second.line + "\n", file: "keys")
    let shop = try await ServedShop(keys: keys)
    let peers = ["192.0.2.1", "192.0.2.2", "2001:db8::1"].compactMap { IPAddress($0) }.map {
      Peer($0)
    }
    var clients: Set<String> = []
    for key in [first.key, second.key] {
      for peer in peers {
        let asked = try shop.work(
          "GET /v1/entities/suggested", ["Authorization: Bearer \(key)"], from: peer)
        clients.insert(try #require(asked).work.client)
      }
    }
    #expect(clients.count == 6)
    #expect(
      clients.contains("key one, 192.0.2.1") && clients.contains("key two, 2001:db8:0:0::/64"))
  }

  /// Would break if a client below its rate of requests could take any time of the processor.
  @Test func `a client that has used its time is told to wait`() async throws {
    let shop = try await ServedShop(computingRate: 0.5)
    let other = Peer(try #require(IPAddress("192.0.2.1")))
    let line = "GET /v1/entities/suggested"
    for seconds in [0.5, 3.0] {
      let (_, info) = try #require(try shop.work(line))
      shop.service.record(
        Exchange(
          info: info, identity: RequestIdentity(), route: "/v1/match", outcome: .clientGone,
          status: 499, bytesIn: 10, bytesOut: 0, duration: .seconds(seconds), wait: .zero,
          computing: .seconds(seconds)))
    }
    #expect(try shop.work(line) == nil)
    let refused = try #require(try shop.immediateAnswer(to: line))
    #expect(refused.status == 429)
    #expect((1...5).contains(Int(refused["Retry-After"] ?? "") ?? 0))
    #expect(try shop.work(line, from: other) != nil)
    #expect(try shop.immediateAnswer(to: "GET /livez")?.status == 200)
  }
}
