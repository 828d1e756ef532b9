import Foundation
import HTTPServer
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// The Model Context Protocol over the API.
@Suite struct AgentHandlersTests {
  private static func send(
    _ message: String, to shop: ServedShop, _ fields: [String] = []
  ) async throws -> (status: Int, body: JSONValue?) {
    let response = try await shop.ask(
      "POST /mcp", ["Content-Type: application/json"] + fields, Array(message.utf8))
    return (response.status, try? JSONValue(json: response.body, limits: .document))
  }

  private static func call(
    _ tool: String, _ arguments: String, _ shop: ServedShop
  ) async throws -> JSONValue? {
    try await send(
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#,
      to: shop
    ).body
  }

  private static func value(_ json: JSONValue?, _ path: String...) -> JSONValue? {
    path.reduce(json) { value, name in
      switch value {
      case .object(let fields)?: fields[name]
      case .array(let values)?: Int(name).flatMap { values.indices.contains($0) ? values[$0] : nil }
      default: nil
      }
    }
  }

  /// Would break if an agent got another answer than an app, or one without links.
  @Test func `a photo is answered as by the API, with links`() async throws {
    let shop = try await ServedShop()
    let photo = try ImageDecoder().contents(ofFile: SampleShop.query("q06-oats.jpg"))
    let text = Data(photo).base64EncodedString()
    for image in [text, "data:image/jpeg;base64," + text] {
      let answer = try await Self.call("match", #"{"image":"\#(image)"}"#, shop)
      let first = Self.value(answer, "result", "structuredContent", "sure", "0")
      #expect(Self.value(first, "id") == .string("oats"))
      #expect(Self.value(first, "url") != nil && Self.value(first, "confidence") != nil)
      #expect(Self.value(answer, "result", "isError") == .bool(false))
    }
    let asked = try await shop.ask("POST /v1/match", ["Content-Type: image/jpeg"], photo)
    let api = try JSONValue(json: asked.body, limits: .document)
    let answer = try await Self.call("match", #"{"image":"\#(text)"}"#, shop)
    #expect(
      Self.value(answer, "result", "structuredContent", "sure", "0", "confidence")
        == Self.value(api, "values", "0", "confidence"))
  }

  /// Would break if a word that matches a label were told to an agent as something that is sure.
  @Test func `words alone give guesses`() async throws {
    let shop = try await ServedShop()
    let answer = try await Self.call("match", #"{"labels":["mug"]}"#, shop)
    #expect(Self.value(answer, "result", "structuredContent", "sure") == nil)
    #expect(Self.value(answer, "result", "structuredContent", "maybe", "0") != nil)
  }

  @Test(arguments: [
    ("search", #"{"words":"oats"}"#, "oats"), ("get", #"{"ids":["product:oats"]}"#, "oats"),
    ("stores", #"{"limit":1}"#, "harbour"),
    ("search", #"{"words":"mug","type":"product","limit":1}"#, "mug-blue"),
  ])
  func `tools read the catalogue`(tool: String, arguments: String, id: String) async throws {
    let answer = try await Self.call(tool, arguments, try await ServedShop())
    #expect(
      Self.value(answer, "result", "structuredContent", "entities", "0", "id") == .string(id),
      "\(String(describing: answer))")
  }

  /// Would break if a mistake of a model ended its conversation instead of telling it what to do.
  @Test(arguments: [
    ("match", #"{"image":"https://shop.example/a.jpg"}"#, "not fetched"),
    ("match", #"{"image":"AAAA"}"#, ""), ("match", "{}", ""),
    ("match", #"{"imgae":"AAAA"}"#, "imgae"),
    ("get", #"{"ids":["oats"]}"#, "product:oats"), ("get", #"{"ids":[]}"#, "ids"),
    ("search", "{}", "words"), ("search", #"{"words":"a","limit":0}"#, "limit"),
    ("similar", #"{"id":"product:none"}"#, ""),
  ])
  func `a wrong argument is told to the model`(
    tool: String, arguments: String, says: String
  ) async throws {
    let answer = try await Self.call(tool, arguments, try await ServedShop())
    #expect(Self.value(answer, "result", "isError") == .bool(true), "\(String(describing: answer))")
    guard case .string(let text)? = Self.value(answer, "result", "content", "0", "text") else {
      Issue.record("no text")
      return
    }
    #expect(!text.isEmpty && (says.isEmpty || text.contains(says)), "\(text)")
  }

  @Test(arguments: [
    ("{", -32700), ("[]", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/none"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc"}}"#, -32602),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"vq://product/none"}}"#,
      -32002
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}"#,
      -32022
    ),
  ])
  func `what is no request is an error of the protocol`(message: String, code: Int) async throws {
    let answer = try await Self.send(message, to: try await ServedShop())
    #expect(answer.status == 200)
    #expect(Self.value(answer.body, "error", "code") == .integer(Int64(code)))
  }

  /// Would break if agents of the older revisions, or of the newest, could not begin.
  @Test func `both ways to begin are there`() async throws {
    let shop = try await ServedShop()
    for (asked, given) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
      let answer = try await Self.send(
        #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#,
        to: shop)
      #expect(Self.value(answer.body, "result", "protocolVersion") == .string(given))
      #expect(Self.value(answer.body, "id") == .string("a"))
    }
    let none = try await Self.send(
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, to: shop)
    #expect(none.status == 202 && none.body == nil)
    let found = try await Self.send(
      #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
      to: shop)
    #expect(Self.value(found.body, "result", "supportedVersions", "0") == .string("2026-07-28"))
    #expect(Self.value(found.body, "result", "resultType") == .string("complete"))
    let tools = try await Self.send(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, to: shop)
    #expect(
      AgentTool.allCases.indices.allSatisfy {
        Self.value(tools.body, "result", "tools", "\($0)", "inputSchema", "properties") != nil
      })
    // The fields of a question are those of the API.
    #expect(
      AgentTool.questionFields.allSatisfy {
        Self.value(tools.body, "result", "tools", "0", "inputSchema", "properties", $0) != nil
      })
  }
}
