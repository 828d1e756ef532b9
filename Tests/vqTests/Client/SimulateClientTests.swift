import Foundation
import FoundationXML
import PixelMatch
import TestSupport
import Testing

@testable import vq

/// `vq serve` as a process of its own, for the tests of a suite.
final class LiveServer: Sendable {
  let address: String
  let index: String
  private let folder: TemporaryDirectory
  private let process: Process

  /// Indexes and serves the sample shop.
  init() throws {
    folder = try TemporaryDirectory()
    index = folder.path + "/shop.vq"
    let run = try RunningVQ(["index", SampleShop.catalogue, "--index", index])
    try #require(run.status == 0)
    process = Process()
    process.executableURL = RunningVQ.binary
    // A debug build takes its time.
    process.arguments = [
      "serve", "--index", index, "--port", "0", "--deadline", "60000", "--max-deadline", "60000",
      "--quiet",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    address = line.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}

/// A server for all tests of a suite.
struct LiveServerTrait: SuiteTrait, TestScoping {
  @TaskLocal static var current: LiveServer?

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let server = try LiveServer()
    defer { server.stop() }
    try await Self.$current.withValue(server) { try await function() }
  }
}

/// `vq simulate-client` against a running server: what an app would get.
@Suite(LiveServerTrait()) struct SimulateClientTests {
  private func ask(_ arguments: [String]) throws -> RunningVQ {
    let server = try #require(LiveServerTrait.current)
    return try RunningVQ(
      ["simulate-client", "--server", server.address, "--timeout", "60000"] + arguments)
  }

  /// Would break if a part of the question were lost on the way, or the table were not that of `vq match`.
  @Test func `a server answers as the command does`() throws {
    let server = try #require(LiveServerTrait.current)
    let image = SampleShop.query("q06-oats.jpg")
    let served = try ask([image, "--labels", "box"])
    #expect(served.status == 0 && served.errors == "")
    func ids(_ text: String) -> [String] {
      text.matches(of: /https:\/\/[^\s"]+/).map { String($0.0) }
    }
    let own = try RunningVQ(["match", image, "--labels", "box", "--index", server.index])
    #expect(ids(served.output) == ids(own.output) && !ids(own.output).isEmpty)
    #expect(served.output.hasPrefix("#  CONFIDENCE  TIER"))
    #expect(
      served.output.hasSuffix(
        " above confidence 0.85; all 28 products and 4 stores were compared.\n"))
  }

  @Test func `labels alone are asked as JSON`() throws {
    let found = try ask(["--labels", "mug"])
    #expect(found.status == 0 && found.output.contains("https://shop.example/p/mug-red\n"))
    #expect(found.output.hasSuffix("6 matches; all 28 products and 4 stores were compared.\n"))
    let none = try ask(["--labels", "zzz"])
    #expect(none.output == "No match: the catalogue has none of these labels.\n")
    let json = try ask(["--labels", "mug", "--json"])
    #expect(json.output.contains(#""schema":"vq.match/1""#))
    #expect(json.output.split(separator: "\n").count == 1)
  }

  /// Would break if the conversation uploaded the image twice, lost a page, or could not open what it shows.
  @Test func `the conversation of an app has one upload`() throws {
    let run = try ask([SampleShop.query("q06-oats.jpg"), "--labels", "box", "--conversation"])
    #expect(run.status == 0 && run.errors == "")
    for outcome in ["4 of 4 loaded", "opens oats", "4 matches on 1 page", "32 entities"] {
      #expect(run.output.contains(outcome), "\(run.output)")
    }
    #expect(run.output.contains(#/\n1 upload, \d+ requests, \d+ kB sent, \d+ kB received\.\n$/#))
    let labels = try ask(["--labels", "mug", "--conversation"])
    #expect(labels.output.contains("\n0 uploads, "))
    let both = try ask(["--labels", "mug", "--conversation", "--json"])
    #expect(both.status == 2 && both.output == "")
  }

  /// Would break if a part or a side of the image were not asked for.
  @Test func `each side is a question of its own`() throws {
    let run = try ask([
      SampleShop.query("q06-oats.jpg"), "--labels", "box", "--sides", "640,320", "--crop",
      "0,0,0.8,1",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("640 × 600 pixels, ") && run.output.contains("320 × 300 pixels, "))
  }

  @Test(arguments: [
    (["nothing.jpg"], 4, "cannot decode 'nothing.jpg': "),
    (
      ["@", "--crop", "2000,0,10,10"], 2,
      "--crop: the region lies outside the image of 1000 × 750"
    ),
    (["@", "--sides", "8"], 2, "--sides takes at most 8 numbers of 16…8192 pixels"),
    (["@", "--language", "de\r\nX: y"], 2, "--language takes a language tag such as de-CH; found"),
    ([], 2, "'vq simulate-client' requires an IMAGE, --labels LIST, or both"),
  ])
  func `a mistake is told before anything is asked`(
    arguments: [String], status: Int32, says: String
  ) throws {
    let run = try ask(
      arguments.map { $0 == "@" ? SampleShop.query("q06-oats.jpg") : $0 })
    #expect(run.status == status && run.errors.hasPrefix("vq: \(says)"), "\(run.errors)")
    #expect(run.output == "")
  }
}

/// The messages of `vq simulate-client` about servers that do not answer as they should.
@Suite struct SimulateClientFailureTests {
  struct Server: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: OriginServer.Response
    let says: String
    var advice = ""
  }

  static let servers = [
    Server(
      testDescription: "a refusal",
      answer: .init(
        503, ["Content-Type": "application/problem+json", "Retry-After": "7"],
        body: Array(#"{"code":"overloaded","detail":"too much\u001b[2J to do"}"#.utf8)),
      says: #"answered 503 overloaded: too much\u{1B}[2J to do"#, advice: "try again in 7 s"),
    Server(
      testDescription: "a key is missing",
      answer: .init(
        401, body: Array(#"{"code":"unauthorized","detail":"there is no key"}"#.utf8)),
      says: "answered 401 unauthorized: there is no key", advice: "--key-file FILE"),
    Server(
      testDescription: "another server",
      answer: .init(200, ["Content-Type": "text/html"], body: Array("<html>".utf8)),
      says: "is not answering as 'vq serve' does: found status 200 and text/html"),
    Server(
      testDescription: "a redirect",
      answer: .init(301, ["Location": "https://shop.example/"]),
      says: "which leads to 'https://shop.example/'"),
  ]

  private func ask(_ address: String, _ more: [String] = []) throws -> RunningVQ {
    try RunningVQ(["simulate-client", "--labels", "mug", "--server", address] + more)
  }

  @Test(arguments: servers) func `an answer that is none is told`(server: Server) throws {
    let origin = OriginServer { request in
      request.path == "/shop/v1/catalogue" ? server.answer : .init(404)
    }
    let run = try ask("http://127.0.0.1:\(origin.port)/shop/")
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors.contains(server.says), "\(run.errors)")
    #expect(server.advice.isEmpty || run.errors.contains(server.advice))
    #expect(run.errors.contains("'http://127.0.0.1:\(origin.port)/shop'"))
  }

  /// A confidence beyond all integers ended the process.
  @Test(arguments: [("1e300", "0.5"), ("-1", "0.5"), ("0.9", "1e300")])
  func `a confidence that is none is told`(confidence: String, cutOff: String) throws {
    let size = #"{"products":1,"stores":0,"minimumConfidence":\#(cutOff)}"#
    let value =
      #"{"rank":1,"type":"product","id":"a","confidence":\#(confidence),"tier":"near","display":{"title":"A"}}"#
    let match =
      #"{"schema":"vq.match/1","complete":true,"coverage":1,"values":[\#(value)],"hasMore":false}"#
    let origin = OriginServer { request in
      .init(200, body: Array((request.path == "/v1/match" ? match : size).utf8))
    }
    let run = try ask("http://127.0.0.1:\(origin.port)")
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors.contains("is not answering as 'vq serve' does"), "\(run.errors)")
  }

  @Test func `the key and the language go along, and to the server only`() throws {
    let folder = try TemporaryDirectory()
    let key = try folder.write("secret-1\r\nanother\n", to: "key")
    let origin = OriginServer { _ in .init(500) }
    let run = try ask(
      "http://127.0.0.1:\(origin.port)", ["--key-file", key, "--language", "de-CH"])
    #expect(run.status == 1)
    let fields = try #require(origin.requests.first).fields
    #expect(fields["authorization"] == "Bearer secret-1" && fields["accept-language"] == "de-CH")
    let empty = try folder.write("\n", to: "empty")
    let none = try ask("http://127.0.0.1:1", ["--key-file", empty])
    #expect(none.status == 1 && none.errors.contains("has no key in its first line"))
  }

  @Test func `a server that is not there, or silent, is told`() throws {
    let gone = try ask("http://127.0.0.1:1")
    #expect(gone.status == 1)
    #expect(gone.errors.hasPrefix("vq: cannot reach 'http://127.0.0.1:1': the connection failed: "))
    let silent = OriginServer { _ in
      var answer = OriginServer.Response(200)
      answer.delay = .seconds(600)
      return answer
    }
    let run = try ask("http://127.0.0.1:\(silent.port)", ["--timeout", "100"])
    #expect(
      run.status == 1
        && run.errors
          == "vq: 'http://127.0.0.1:\(silent.port)' did not answer within 100 ms\n    allow more time: --timeout MS\n"
    )
  }

  @Test(arguments: [
    ("ftp://shop.example", "begins with neither http:// nor https://"),
    ("http://user:word@shop.example", "is not an address without a user"),
    (
      "127.0.0.1:18431",
      "lacks http:// or https://; expected the address of a service, such as http"
    ),
    ("shop.example", "lacks http:// or https://"),
    ("http://shop.example/?a=1", "is not an address without a user, query and fragment"),
    ("", "--server takes a text; found nothing"),
  ])
  func `an address that is none is a mistake of the command line`(
    address: String, says: String
  ) throws {
    let run = try ask(address)
    #expect(run.status == 2 && run.errors.contains(says), "\(run.errors)")
  }
}
