import Foundation
import TestSupport
import Testing

@testable import HTTPServer
import VisualQuery
@testable import vq

/// Requests that are refused.
@Suite struct ProblemTests {
  /// A request that is not answered as asked.
  struct Refused: CustomTestStringConvertible, Sendable {
    let line: String
    var type: String?
    var body = ""
    let status: Int
    let code: Problem.Code
    var field: String?
    var testDescription: String { "\(line) \(body)" }
  }

  @Test func `what is wrong is named`() async throws {
    let shop = try await ServedShop()
    for refused in Self.refused {
      let response = try await shop.ask(
        refused.line, refused.type.map { ["Content-Type: \($0)"] } ?? [], Array(refused.body.utf8))
      let value = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
      #expect(response.status == refused.status, "\(refused)")
      #expect(value?["code"] as? String == refused.code.rawValue, "\(refused)")
      #expect(value?["field"] as? String == refused.field, "\(refused)")
      #expect(response["Content-Type"] == "application/problem+json")
    }
  }

  /// Would break if a client were not told when to come back, for example while the disk is full.
  @Test(arguments: CatalogueError.Code.allCases)
  func `what fails in the catalogue says when to try again`(code: CatalogueError.Code) async throws
  {
    let shop = try await ServedShop()
    let error = CatalogueError(code: code, message: "no space left")
    let (_, info) = try #require(try shop.work("GET /v1/entities/suggested"))
    let request = HTTPRequest(info: info, body: [], arrival: .now, wait: .zero)
    for problem in [Problem(error), shop.service.shop.problem(ofChange: error, request)] {
      let response = problem.response(requestID: "a")
      #expect(response.status == 503)
      #expect((1...10).contains(Int(response["Retry-After"] ?? "") ?? 0))
    }
  }

  /// Would break if nesting were only found out by decoding it: 1 KB then took seconds.
  @Test(arguments: [
    #"{"labels":"# + String(repeating: "[", count: 510) + String(repeating: "]", count: 510) + "}",
    String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17),
    #"{"labels":["# + String(repeating: "1,", count: 16_384) + "1]}", #"{"labels":["mug",]}"#, "{",
    #"{""# + String(repeating: "\u{301}\u{316}", count: 65) + #"":1}"#,
  ])
  func `JSON beyond the limits is no JSON to the service`(body: String) async throws {
    let shop = try await ServedShop()
    for path in ["/v1/match", "/v1/entities:query"] {
      let problem = try await shop.json("POST \(path)", [], body)
      #expect(problem["status"] as? Int == 400 && problem["code"] as? String == "invalidJSON")
      let detail = try #require(problem["detail"] as? String)
      #expect(detail.hasPrefix("the body ") && detail.utf8.count < 200)
    }
  }

  @Test func `what would cost too much is refused before it does`() async throws {
    let shop = try await ServedShop()
    for (body, code, field) in Self.excessive {
      let answer = try await shop.json("POST /v1/match", [], body)
      #expect(answer["status"] as? Int == 400, "\(body.prefix(60))")
      #expect(answer["code"] as? String == code.rawValue, "\(body.prefix(60)): \(answer)")
      #expect(answer["field"] as? String == field, "\(body.prefix(60)): \(answer)")
    }
  }

  /// A problem whose detail says what to do instead.
  struct Advice: CustomTestStringConvertible, Sendable {
    let line: String
    var body = ""
    let detail: String
    var testDescription: String { "\(line) \(body)" }
  }

  @Test func `what to do instead is said`() async throws {
    let shop = try await ServedShop()
    for advice in Self.advice {
      let answer = try await shop.json(advice.line, [], advice.body)
      #expect(answer["detail"] as? String == advice.detail, "\(advice)")
    }
  }

  private static let advice = [
    Advice(
      line: "POST /v1/match", body: #"{"continuation":"AAAA","labels":["x"]}"#,
      detail: "'labels' has no effect beside 'continuation'"),
    Advice(
      line: "POST /v1/match", body: #"{"continuation":"AAAA","lables":["x"]}"#,
      detail: "there is no field 'lables' here"),
    Advice(
      line: "POST /v1/match", body: #"{"refresh":true,"labels":["mug"]}"#,
      detail: "'refresh' requires 'continuation'"),
    Advice(
      line: "POST /v1/match", body: #"{"fromStart":true,"labels":["mug"]}"#,
      detail: "'fromStart' requires 'continuation'"),
    Advice(
      line: "GET /v1/entities?q=mug&cursor=",
      detail: "exactly one of 'ids', 'q' and 'cursor' is needed; found q and cursor"),
    Advice(
      line: "GET /v1/entities", detail: "exactly one of 'ids', 'q' and 'cursor' is needed"),
    Advice(
      line: "POST /v1/entities:query", body: #"{"where":["price<20"]}"#,
      detail: "there is no field 'where' here; conditions are in 'comparators'"),
    Advice(
      line: "POST /v1/match", body: #"{"labels":["mug"],"where":["lables=mug"]}"#,
      detail: "'lables' is not a public property of this shop; did you mean 'labels'?"),
    // A field that is not public is not given away.
    Advice(
      line: "POST /v1/match", body: #"{"labels":["mug"],"where":["imagez=a"]}"#,
      detail: "'imagez' is not a public property of this shop"),
  ]

  /// Would break if a compressed body were read as it is: a client was told that an image of another format was needed, or that its JSON was
  /// wrong.
  @Test(arguments: ["gzip", "GZip", "br", "identity, deflate", "x", "identity", "Identity", ""])
  func `a body with a coding is not read`(coding: String) async throws {
    let shop = try await ServedShop()
    let refused = !["", "identity"].contains(coding.lowercased())
    var count = 0
    for endpoint in Endpoint.all
    where endpoint.body != nil && [nil, .app, .read].contains(endpoint.role) {
      count += 1
      let path = endpoint.path.replacing("{type}", with: "product").replacing("{id}", with: "oats")
      for type in [
        "application/json", "image/jpeg", "multipart/form-data; boundary=b", "text/plain",
      ] {
        let response = try await shop.ask(
          "\(endpoint.method) \(path)", ["Content-Type: \(type)", "Content-Encoding: \(coding)"],
          Array("{}".utf8))
        let answer = try #require(
          JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        #expect((answer["code"] as? String == "unsupportedCoding") == refused, "\(path) \(type)")
        guard refused else { continue }
        #expect(response.status == 415 && answer["field"] as? String == "Content-Encoding")
        #expect(response["Accept-Encoding"] == "identity")
        let named = coding.split(separator: ", ").last.map(String.init) ?? ""
        #expect((answer["detail"] as? String)?.contains("'\(named)'") == true)
        #expect((answer["userMessage"] as? String)?.contains("screenshot") == false)
      }
    }
    #expect(count > 2)
    // Without a body, there is nothing that has a coding.
    #expect(try await shop.ask("GET /v1/limits", ["Content-Encoding: \(coding)"]).status == 200)
  }

  /// Would break if the text named a status that the server does not give with a code, as it once did for a lost generation.
  @Test func `the documents give each code with its status`() throws {
    let root = SampleShop.folder.deletingLastPathComponent().path
    let files =
      try FileManager.default.contentsOfDirectory(atPath: root + "/docs")
      .filter { $0.hasSuffix(".md") }.map { root + "/docs/" + $0 } + [root + "/README.md"]
    var count = 0
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      for match in text.matches(of: /\b([45]\d\d) `([a-z][A-Za-z]+)`/) {
        count += 1
        let code = Problem.Code(rawValue: String(match.2))
        #expect(code.map { "\($0.status)" } == String(match.1), "\(file): \(match.0)")
      }
    }
    #expect(count > 3)
  }

  @Test func `a list of changes begins without a state, or with an empty one`() async throws {
    let shop = try await ServedShop()
    let all = try await shop.ask("GET /v1/sync")
    let empty = try await shop.ask("GET /v1/sync?state=")
    #expect(empty.status == 200 && empty.body == all.body)
  }

  /// Would break if people were told that they may not search when they may, but not change anything.
  @Test func `what an app may not do is a search only on the routes of searches`() async throws {
    let made = APIKeys.made(role: .read, name: "app")
    let shop = try await ServedShop(keys: try APIKeys(lines: made.line, file: "keys.txt"))
    func sentence(_ line: String, _ key: String?, _ language: String = "en") async throws -> String?
    {
      let fields =
        (key.map { ["Authorization: Bearer \($0)"] } ?? []) + ["Accept-Language: \(language)"]
      return try await shop.json(line, fields)["userMessage"] as? String
    }
    let change = "DELETE /v1/entities/product/oats"
    #expect(try await sentence(change, nil) == "The app is not allowed to do this.")
    #expect(try await sentence("GET /v1/doctor", made.key) == "The app is not allowed to do this.")
    #expect(try await sentence(change, made.key, "de") == "Die App darf das nicht.")
    #expect(
      try await sentence("GET /v1/entities?q=a", nil)
        == "The app is not allowed to search this shop.")
  }

  @Test func `a name that nobody knows is told back in part`() async throws {
    let shop = try await ServedShop()
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

  private static let refused = [
    Refused(line: "GET /v2", status: 404, code: .unknownPath),
    Refused(
      line: "GET /v1/entities/{type}/{id}", status: 404, code: .unknownEntity, field: "type"),
    Refused(line: "GET /v1/match", status: 405, code: .methodNotAllowed),
    Refused(line: "PATCH /livez", status: 405, code: .methodNotAllowed),
    Refused(line: "QUERY /v1/limits", status: 405, code: .methodNotAllowed),
    Refused(line: "BREW /livez", status: 501, code: .methodNotImplemented),
    Refused(line: "get /v2", status: 501, code: .methodNotImplemented),
    // A slash that is encoded is one of an id, and of nothing else: a proxy's rules for paths hold.
    Refused(line: "GET /v1%2Flimits", status: 404, code: .unknownPath),
    Refused(line: "POST /v1%2Fmatch", status: 404, code: .unknownPath),
    Refused(line: "GET /v1/entities%2Fsuggested", status: 404, code: .unknownPath),
    Refused(line: "GET /v1/entities%2Fproduct/oats", status: 404, code: .unknownPath),
    Refused(
      line: "GET /v1/entities/product/a%2Fb", status: 404, code: .unknownEntity, field: "id"),
    Refused(line: "GET /livez?x=1", status: 400, code: .invalidParameter, field: "x"),
    Refused(
      line: "GET /v1/entities?idz=a", status: 400, code: .invalidParameter, field: "ids"),
    Refused(
      line: "GET /v1/entities?ids=mug", status: 400, code: .invalidParameter, field: "ids"),
    Refused(
      line: "GET /v1/entities?q=a&limit=0", status: 400, code: .invalidParameter, field: "limit"),
    Refused(line: "GET /v1/sync?state=x", status: 422, code: .invalidToken),
    Refused(
      line: "GET /v1/entities/product/none", status: 404, code: .unknownEntity, field: "id"),
    Refused(
      line: "GET /v1/entities/product/oats/thumbnail?image=7", status: 404, code: .noPicture,
      field: "image"),
    Refused(
      line: "DELETE /v1/entities/product/oats", status: 401, code: .unauthorized,
      field: "Authorization"),
    Refused(
      line: "POST /v1/match", type: "text/plain", body: "a", status: 415,
      code: .unsupportedMediaType, field: "Content-Type"),
    Refused(
      line: "POST /v1/match", type: "image/heic", body: "0000ftypheic", status: 415,
      code: .unsupportedFormat, field: "image"),
    Refused(
      line: "POST /v1/match", type: "image/jpeg", body: "", status: 422, code: .empty,
      field: "image"),
    Refused(
      line: "POST /v1/match?lables=a", type: "image/jpeg", body: "a", status: 400,
      code: .invalidParameter, field: "lables"),
    Refused(
      line: "POST /v1/match", type: "multipart/form-data", body: "a", status: 400,
      code: .badRequest, field: "Content-Type"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "{", status: 400, code: .invalidJSON),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "[]", status: 400,
      code: .invalidField),
    Refused(
      line: "POST /v1/match", type: "application/json", body: "{}", status: 400,
      code: .nothingAsked),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"labels":"mug"}"#, status: 400,
      code: .invalidField, field: "labels"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["price"]}"#, status: 400, code: .invalidField,
      field: "where"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"near":{"latitude":91,"longitude":0}}"#, status: 400,
      code: .invalidField, field: "near.latitude"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"signature":"AAAA"}"#,
      status: 422, code: .invalidSignature, field: "signature"),
    Refused(
      line: "POST /v1/match", type: "application/json", body: #"{"continuation":"AAAA"}"#,
      status: 422, code: .invalidToken),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"continuation":"AAAA","labels":["mug"]}"#, status: 400, code: .invalidField,
      field: "labels"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"comparators":[{"property":"price","comparison":"near","value":1}]}"#, status: 400,
      code: .invalidField, field: "comparators[0].comparison"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"sortedBy":[{"property":"price"},{"property":"title","ordre":"ascending"}]}"#,
      status: 400, code: .invalidField, field: "sortedBy[1].ordre"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json", body: #"{"comparators":[7]}"#,
      status: 400, code: .invalidField, field: "comparators[0]"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"comparators":["# + Array(repeating: "{}", count: 33).joined(separator: ",") + "]}",
      status: 400, code: .invalidField, field: "comparators"),
    Refused(
      line: "POST /v1/entities:query", type: "application/json",
      body: #"{"sortedBy":["# + Array(repeating: "{}", count: 9).joined(separator: ",") + "]}",
      status: 400, code: .invalidField, field: "sortedBy"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["#
        + Array(repeating: #""price<2""#, count: 33).joined(separator: ",") + "]}",
      status: 400, code: .invalidField, field: "where"),
    Refused(
      line: "POST /v1/match", type: "application/json",
      body: #"{"labels":["mug"],"where":["title~"# + String(repeating: "x", count: 1000) + #""]}"#,
      status: 400, code: .invalidField, field: "where"),
  ]

  /// Questions within the bytes of a body that would cost more than an answer is worth.
  private static let excessive: [(body: String, code: Problem.Code, field: String?)] = [
    (#"{"labels":["\#(String(repeating: "a", count: 101))"]}"#, .invalidField, "labels"),
    // A letter with 100 combining marks is one `Character`, but has 101 Unicode scalars.
    (
      #"{"labels":["\#("\u{1100}" + String(repeating: "\u{301}", count: 100))"]}"#, .invalidField,
      "labels"
    ),
    (
      #"{"labels":["a"],"withLabel":["\#(String(repeating: "a", count: 101))"]}"#, .invalidField,
      "withLabel"
    ),
    (
      #"{"labels":["a"],"where":["title=\#(String(repeating: "a", count: 1000))"]}"#,
      .invalidField,
      "where"
    ),
    (
      #"{"labels":["a"],"where":[\#(repeatElement(#""title=\#(String(repeating: "a", count: 900))""#, count: 20).joined(separator: ","))]}"#,
      .invalidField, nil
    ),
    (
      #"{"continuation":"\#(String(repeating: "A", count: 200_000))"}"#, .invalidField,
      "continuation"
    ),
    (#"{"labels":["a"],"near":"\#(String(repeating: "1", count: 1000))"}"#, .invalidField, "near"),
    (
      #"{"continuation":"a","fromStart":"\#(String(repeating: "a", count: 1000))"}"#,
      .invalidField, "fromStart"
    ),
  ]
}
