import Foundation
import Testing
import VisualQuery

@testable import vq

/// `openapi.json` against the code.
@Suite struct OpenAPITests {
  /// A file that Apple's devices read. It is no part of the API, and its property `/` is no name in any language.
  private static let association = "/.well-known/apple-app-site-association"

  private static func document() throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(ProgramData.openAPI)) as? [String: Any])
  }

  @Test func `the reference names every path and its methods`() throws {
    let named = try #require(try Self.document()["paths"] as? [String: [String: Any]])
    let pages = Set([.page] + ServedFiles.pageFiles.keys.map(Route.pageFile))
    let routes = (Route.fixed + Self.named)
      .filter { !pages.contains($0) && $0.template != Self.association && $0.template != "/mcp" }
    #expect(Set(named.keys) == Set(routes.map(\.template)))
    for route in routes {
      let methods = named[route.template]?.keys.filter { $0 != "parameters" }
      #expect(methods?.map { $0.uppercased() }.sorted() == route.methods.sorted())
    }
  }

  @Test func `every path leads to its route`() throws {
    for route in Route.fixed {
      let path = route.template.dropFirst().split(
        separator: "/", omittingEmptySubsequences: false)
      #expect(try Route(path: path.map(String.init)) == route)
    }
    let id = EntityID(type: .store, value: "a/b")
    #expect(try Route(path: ["v1", "entities", "store", "a/b"]) == .entity(id))
    #expect(try Route(path: ["v1", "entities", "store", "a/b", "thumbnail"]) == .thumbnail(id))
    #expect(try Route(path: ["v1", "entities", "store", "a/b", "neighbors"]) == .neighbors(id))
    #expect(try Route(path: ["v1", "entities", "store", "a", "b"]) == nil)
    #expect(try Route(path: ["page", "unknown.js"]) == nil)
    #expect(try Route(path: ["v1", "feedback", "7"]) == .feedbackStatement(7))
    #expect(try Route(path: ["v1", "feedback", "7", "acceptance"]) == .feedbackAcceptance(7))
    #expect(try Route(path: ["v1", "feedback", "7", "image"]) == nil)
    for text in ["x", "0", "-1", "07", "+7", ""] {
      #expect(throws: Problem.self) { try Route(path: ["v1", "feedback", text]) }
    }
    #expect(try Route(path: ["v1", "entities", "{type}", "{id}", "b"]) == nil)
    #expect(throws: Problem.self) { try Route(path: ["v1", "entities", "{type}", "{id}"]) }
  }

  /// A route of each path that names something.
  private static let named: [Route] = {
    let id = EntityID(type: .product, value: "mug")
    return [
      .entity(id), .thumbnail(id), .neighbors(id), .history(id), .feedbackStatement(12),
      .feedbackAcceptance(12), .entityForm(id),
    ]
  }()

  /// Would break if a field of a question were read but not described, or described otherwise than it is read.
  @Test func `the reference describes the fields of a question as they are read`() throws {
    let document = try Self.document()
    let components = try #require(document["components"] as? [String: [String: Any]])
    let schemas = try #require(components["schemas"] as? [String: [String: Any]])
    let shared = try #require(components["parameters"] as? [String: [String: Any]])
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    func properties(_ name: String) throws -> [String: [String: Any]] {
      try #require(schemas[name]?["properties"] as? [String: [String: Any]], "\(name)")
    }
    let listed = try #require(paths["/v1/match:image"]?["post"]?["parameters"] as? [[String: Any]])
    let parameters = listed.map { parameter in
      (parameter["$ref"] as? String).flatMap { shared[String($0.split(separator: "/").last ?? "")] }
        ?? parameter
    }.filter { $0["in"] as? String == "query" }
    let query = Dictionary(
      uniqueKeysWithValues: try parameters.map {
        var schema = try #require($0["schema"] as? [String: Any])
        schema["description"] = $0["description"]
        return (try #require($0["name"] as? String), schema)
      })
    let places:
      [(name: String, described: [String: [String: Any]], fields: [any AnyQuestionField])] =
        [
          ("query", query, Question.fields(in: .query)),
          ("MatchDetails", try properties("MatchDetails"), Question.fields(in: .form)),
          ("MatchQuestion", try properties("MatchQuestion"), Question.fields(in: .json)),
          (
            "MatchContinuation", try properties("MatchContinuation"),
            Question.fields([.page, .narrowing, .continuation], in: .json)
          ),
        ]
    for (name, described, fields) in places {
      #expect(Set(described.keys) == Set(fields.map(\.name)), "\(name)")
      for field in fields {
        let schema = try #require(described[field.name], "\(name).\(field.name)")
        let isInQuery = name == "query"
        // A page keeps the limit of its search.
        let standard = name == "MatchContinuation" && field.name == "limit" ? nil : field.standard
        #expect(
          Self.plain(schema, schemas)
            == Self.description(field.shape, standard: standard, isInQuery: isInQuery),
          "\(name).\(field.name)")
      }
    }
  }

  /// The parts of a schema that say which values are read, without `null`, which counts as absent.
  private static func plain(
    _ schema: [String: Any], _ schemas: [String: [String: Any]]
  ) -> [String: String] {
    var schema = schema
    let sentences = schema["description"] as? String ?? ""
    let alternatives = schema["anyOf"] as? [[String: Any]] ?? []
    if let other = alternatives.first(where: { $0["type"] as? String != "null" }) {
      schema.merge(other) { $1 }
    }
    if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
      schema.merge(schemas[String(name)] ?? [:]) { own, _ in own }
      schema["name"] = String(name)
    }
    var plain: [String: String] = [:]
    if let types = schema["type"] as? [String] { schema["type"] = types.first { $0 != "null" } }
    for key in ["type", "minimum", "maximum", "maxItems", "maxLength", "format", "name"] {
      plain[key] = schema[key].map { "\($0)" }
    }
    if let words = schema["enum"] as? [Any] {
      plain["enum"] = words.compactMap { $0 as? String }.joined(separator: " ")
    }
    #expect(schema["default"] == nil, "\(sentences)")
    if let standard = sentences.firstMatch(of: /`([^`]*)` by default\.$/) {
      plain["default"] = String(standard.1)
    }
    if let items = schema["items"] as? [String: Any] {
      plain["items"] = items["maxLength"].map { "\($0)" }
    }
    return plain
  }

  /// The parts of a schema that a field of a question must have.
  private static func description(
    _ shape: QuestionShape, standard: JSONValue?, isInQuery: Bool
  ) -> [String: String] {
    var plain: [String: String] = [:]
    func number(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
    switch shape {
    case .integer(let range):
      plain = [
        "type": "integer", "minimum": "\(range.lowerBound)", "maximum": "\(range.upperBound)",
      ]
    case .number(let range):
      plain = [
        "type": "number", "minimum": number(range.lowerBound), "maximum": number(range.upperBound),
      ]
    case .flag: plain = ["type": "boolean"]
    case .text(let length): plain = ["type": "string", "maxLength": "\(length)"]
    case .words(let count, let length), .texts(let count, let length):
      plain = ["type": "array", "maxItems": "\(count)", "items": "\(length)"]
    case .choice(let words):
      plain = ["type": "string", "enum": words.joined(separator: " ")]
      if words == EntityType.allCases.map(\.rawValue) { plain["name"] = "EntityType" }
    // The shapes below are texts in a query, and have schemas of their own in JSON.
    case .region:
      plain =
        isInQuery ? ["type": "string", "maxLength": "80"] : ["type": "array", "name": "Region"]
      if !isInQuery { plain["maxItems"] = "4" }
    case .location:
      plain =
        isInQuery ? ["type": "string", "maxLength": "40"] : ["type": "object", "name": "GeoPoint"]
    case .instant: plain = ["type": "string", "format": "date-time"]
    case .language: plain = ["type": "string", "maxLength": "35", "name": "Locale"]
    case .embedding: plain = ["type": "object", "name": "Embedding"]
    }
    switch standard {
    case .integer(let number)?: plain["default"] = "\(number)"
    case .bool(let flag)?: plain["default"] = flag ? "true" : "false"
    case .string(let text)?: plain["default"] = text
    default: break
    }
    return plain
  }

  /// Would break if a client that a generator makes could not send a kind of body: it has one function for an operation, with one.
  @Test func `an operation has a body of one kind`() throws {
    let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
    for (path, operations) in paths {
      for (method, operation) in operations {
        guard let body = operation["requestBody"] as? [String: Any] else { continue }
        #expect((body["content"] as? [String: Any])?.count == 1, "\(method) \(path)")
      }
    }
  }

  /// Would break if generators made clients that do not compile, that reject right answers, or whose files are texts.
  @Test func `schemas are such as generators of clients can read`() throws {
    func look(_ value: Any, _ place: String) {
      if let list = value as? [Any] { for item in list { look(item, place) } }
      guard let schema = value as? [String: Any] else { return }
      for (name, property) in schema["properties"] as? [String: [String: Any]] ?? [:] {
        #expect(name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil, "\(place).\(name)")
        #expect(property["type"] as? String != "null", "\(place).\(name) is only null")
      }
      let words = schema["enum"] as? [Any] ?? schema["const"].map { [$0] } ?? []
      #expect(words.allSatisfy { $0 is String || $0 is NSNull }, "\(place): \(words)")
      #expect(schema["contentMediaType"] == nil, "\(place) has no format")
      for keyword in ["anyOf", "oneOf"] {
        for part in schema[keyword] as? [[String: Any]] ?? [] {
          #expect(part["type"] != nil || part["$ref"] != nil, "\(place).\(keyword) is no type")
        }
      }
      // Examples are no schemas.
      for (name, part) in schema where !["examples", "example", "value"].contains(name) {
        look(part, "\(place).\(name)")
      }
    }
    look(try Self.document(), "openapi.json")
  }

  /// One code of one status.
  private struct Case: Hashable {
    let status: Int
    let code: String
  }

  /// The document lists the codes of each response in its schema and shows one as an example.
  @Test func `the reference names every code with its status`() throws {
    let components = try #require(try Self.document()["components"] as? [String: Any])
    let responses = try #require(components["responses"] as? [String: [String: Any]])
    let schemas = try #require(components["schemas"] as? [String: [String: Any]])
    var named: Set<Case> = []
    for (name, response) in responses where name != "NotModified" {
      let content = try #require(response["content"] as? [String: [String: Any]])
      let problem = try #require(content["application/problem+json"])
      let reference = (problem["schema"] as? [String: String])?["$ref"]?.split(separator: "/").last
      let schema = try #require(schemas[String(reference ?? "")])
      let parts = try #require(schema["allOf"] as? [[String: Any]])
      let properties = try #require(parts.last?["properties"] as? [String: [String: Any]])
      let codes = try #require(properties["code"]?["enum"] as? [String])
      let examples = try #require(problem["examples"] as? [String: [String: Any]])
      for (code, example) in examples {
        let value = try #require(example["value"] as? [String: Any])
        let status = try #require(value["status"] as? Int)
        #expect(codes.contains(code) && value["code"] as? String == code, "\(name)")
        let title = try #require(value["title"] as? String)
        #expect(Problem.Code(rawValue: code)?.title == title, "\(name)")
        named.formUnion(codes.map { Case(status: status, code: $0) })
      }
    }
    #expect(
      named == Set(Problem.Code.allCases.map { Case(status: $0.status, code: $0.rawValue) }))
  }

  @Test func `every code is used`() throws {
    let api = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Sources/vq/Server/API").standardized
    let files = try FileManager.default.contentsOfDirectory(atPath: api.path)
    let text = try files.filter { $0.hasSuffix(".swift") && $0 != "Problem+Code.swift" }
      .map { try String(contentsOf: api.appending(path: $0), encoding: .utf8) }.joined()
    for code in Problem.Code.allCases {
      #expect(text.contains(try Regex("\\.\(code.rawValue)\\b")), "\(code)")
    }
  }
}
