import Foundation
import Testing
import VisualQuery

@testable import vq

/// `openapi.json` against the code.
@Suite struct OpenAPITests {
  private static func document() throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(ServedFiles.openAPI)) as? [String: Any])
  }

  @Test func `the reference names every path and its methods`() throws {
    let named = try #require(try Self.document()["paths"] as? [String: [String: Any]])
    let pages = Set([.page] + ServedFiles.pageFiles.keys.map(Route.pageFile))
    let routes = (Route.fixed + Self.named)
      .filter { !pages.contains($0) }
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
      .feedbackAcceptance(12),
    ]
  }()

  /// One code of one status.
  private struct Case: Hashable {
    let status: Int
    let code: String
  }

  /// The document lists the codes of each response in its schema and shows one as an example.
  @Test func `the reference names every code with its status`() throws {
    let components = try #require(try Self.document()["components"] as? [String: Any])
    let responses = try #require(components["responses"] as? [String: [String: Any]])
    var named: Set<Case> = []
    for (name, response) in responses where name != "NotModified" {
      let content = try #require(response["content"] as? [String: [String: Any]])
      let problem = try #require(content["application/problem+json"])
      let schema = try #require(problem["schema"] as? [String: Any])
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
