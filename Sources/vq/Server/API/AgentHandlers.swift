import Foundation
import HTTPServer
import VisualQuery

/// `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. `vq mcp` speaks the same on standard input and output.
///
/// Each message gets one answer. A tool asks a path of the API with the client's own rights, so answers, limits and errors
/// are those of the API.
struct AgentHandlers: Handlers {
  let shop: ShopContext

  /// The revision in which each request tells its own, and `server/discover` the server's.
  private static let statelessRevision = "2026-07-28"
  /// The revisions before it that are spoken, which begin with `initialize`; the newest first.
  private static let revisions = ["2025-11-25", "2025-06-18", "2025-03-26"]
  private static let metaPrefix = "io.modelcontextprotocol/"

  /// An error of JSON-RPC 2.0, section 5.1.
  struct Failure: Error {
    let code: Int
    let message: String
    var data: JSONValue?

    static func invalidParameters(_ message: String) -> Failure {
      Failure(code: -32602, message: message)
    }
  }

  /// A call that was understood and cannot be done; the model is told why.
  private struct Refusal: Error {
    let message: String
  }

  // MARK: Messages

  func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let answer = try await answer(to: request.body, request) else {
      return HTTPResponse(status: 202)
    }
    return HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-store"], body: answer)
  }

  /// Answers a message; `nil` if it wants no answer.
  ///
  /// - Parameter request: The request that it came by, whose rights its tools have.
  func answer(to message: [UInt8], _ request: HTTPRequest) async throws -> [UInt8]? {
    var id: JSONValue = .null
    do {
      guard
        let value = try? JSONValue(
          json: message, limits: JSONLimits(byteCount: BodyLimits.agent), shouldStop: { false })
      else { throw Failure(code: -32700, message: "the message is not JSON") }
      guard case .object(let fields) = value, fields["jsonrpc"] == .string("2.0") else {
        throw Failure(code: -32600, message: "the message is not one object of JSON-RPC 2.0")
      }
      switch fields["id"] {
      case .string?, .integer?: id = fields["id"] ?? .null
      case nil where fields["method"] != nil: break
      // The answer of a client to a request that nobody made here.
      case nil: return nil
      default: throw Failure(code: -32600, message: "the id is not a text or a number")
      }
      guard case .string(let method)? = fields["method"] else {
        if fields["result"] != nil || fields["error"] != nil { return nil }
        throw Failure(code: -32600, message: "the message has no method")
      }
      // Notifications have no id and get no answer.
      if fields["id"] == nil { return nil }
      let parameters: [String: JSONValue]
      switch fields["params"] {
      case .object(let given)?: parameters = given
      case nil: parameters = [:]
      default: throw Failure.invalidParameters("the params are not an object")
      }
      let isStateless = try Self.isStateless(parameters)
      let result = try await result(of: method, parameters, request)
      return Self.bytes(["id": id, "result": isStateless ? Self.stamped(result) : result])
    } catch let failure as Failure {
      return Self.error(failure, id)
    } catch let error as CatalogueError {
      log.write(
        "catalogue", error.message, level: "error", requestID: request.info.identity.id)
      return Self.error(Failure(code: -32603, message: Problem(error).detail), id)
    }
  }

  private static func error(_ failure: Failure, _ id: JSONValue) -> [UInt8] {
    var error: [String: JSONValue] = [
      "code": .integer(Int64(failure.code)), "message": .string(failure.message),
    ]
    error["data"] = failure.data
    return bytes(["id": id, "error": .object(error)])
  }

  private static func bytes(_ fields: [String: JSONValue]) -> [UInt8] {
    JSONWriter.bytes(of: JSONValue.object(fields.merging(["jsonrpc": .string("2.0")]) { $1 }))
  }

  private func result(
    of method: String, _ parameters: [String: JSONValue], _ request: HTTPRequest
  ) async throws -> JSONValue {
    switch method {
    case "initialize": return greeting(parameters)
    case "server/discover":
      return .object([
        "supportedVersions": .array([.string(Self.statelessRevision)]),
        "capabilities": Self.capabilities, "instructions": Self.instructions,
      ])
    case "ping": return .object([:])
    case "tools/list": return .object(["tools": .array(AgentTool.allCases.map(\.json))])
    case "tools/call": return try await call(parameters, request)
    case "resources/list": return .object(["resources": .array([])])
    case "resources/templates/list":
      return .object(["resourceTemplates": .array(EntityType.allCases.map(Self.template))])
    case "resources/read": return try await read(parameters, request)
    default: throw Failure(code: -32601, message: "the method '\(method.excerpt)' is not there")
    }
  }

  /// Returns whether a request tells its revision, as all do from that of 2026 on.
  private static func isStateless(_ parameters: [String: JSONValue]) throws -> Bool {
    guard case .object(let meta)? = parameters["_meta"],
      let revision = meta[metaPrefix + "protocolVersion"]
    else { return false }
    guard case .string(let revision) = revision else {
      throw Failure.invalidParameters("the protocolVersion is not a text")
    }
    guard revision == statelessRevision else {
      throw Failure(
        code: -32022, message: "the revision '\(revision.excerpt)' is not spoken here",
        data: .object([
          "supported": .array([.string(statelessRevision)]), "requested": .string(revision),
        ]))
    }
    return true
  }

  /// Adds what each result has from the revision of 2026 on. Nothing may be kept: the catalogue changes.
  private static func stamped(_ result: JSONValue) -> JSONValue {
    result.adding("resultType", .string("complete")).adding("ttlMs", .integer(0))
      .adding("cacheScope", .string("private"))
      .adding("_meta", .object([metaPrefix + "serverInfo": server]))
  }

  private static let server: JSONValue = .object([
    "name": .string("vq"), "version": .string(Version.current),
  ])
  private static let capabilities: JSONValue = .object([
    "tools": .object([:]), "resources": .object([:]),
  ])
  private static let instructions: JSONValue = .string(
    "Searches one shop. Ask 'match' with an image, 'search' with words. Give people the url of what you name, and say that a 'maybe' is not sure."
  )

  private func greeting(_ parameters: [String: JSONValue]) -> JSONValue {
    let asked: String? =
      if case .string(let text)? = parameters["protocolVersion"] { text } else { nil }
    let revision = Self.revisions.first { $0 == asked } ?? Self.revisions[0]
    return .object([
      "protocolVersion": .string(revision), "capabilities": Self.capabilities,
      "serverInfo": Self.server, "instructions": Self.instructions,
    ])
  }

  // MARK: Tools

  private func call(
    _ parameters: [String: JSONValue], _ request: HTTPRequest
  ) async throws -> JSONValue {
    guard case .string(let name)? = parameters["name"], let tool = AgentTool(rawValue: name) else {
      throw Failure.invalidParameters(
        "there is no such tool; there are \(AgentTool.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    let arguments: [String: JSONValue]
    switch parameters["arguments"] {
    case .object(let given)?: arguments = given
    case nil: arguments = [:]
    default: throw Failure.invalidParameters("the arguments are not an object")
    }
    do {
      let found = try await run(tool, arguments, request)
      return Self.content(found.text, isError: false)
        .adding("structuredContent", found)
    } catch let refusal as Refusal {
      return Self.content(refusal.message, isError: true)
    } catch let problem as Problem {
      return Self.content(problem.detail, isError: true)
    } catch let error as MatchError {
      return Self.content(Problem(error).detail, isError: true)
    }
  }

  private static func content(_ text: String, isError: Bool) -> JSONValue {
    .object([
      "content": .array([.object(["type": .string("text"), "text": .string(text)])]),
      "isError": .bool(isError),
    ])
  }

  private func run(
    _ tool: AgentTool, _ arguments: [String: JSONValue], _ request: HTTPRequest
  ) async throws -> JSONValue {
    if case .object(let schema) = tool.inputSchema, case .object(let known)? = schema["properties"],
      let other = arguments.keys.sorted().first(where: { known[$0] == nil })
    {
      throw Refusal(message: "'\(tool.rawValue)' has no argument '\(other.excerpt)'")
    }
    switch tool {
    case .match: return try await match(arguments, request)
    case .search:
      var query = [("q", [try Self.text("words", arguments)])]
      if let type = try Self.optionalText("type", arguments) { query.append(("type", [type])) }
      return try await list(query + Self.limit(arguments), request)
    case .get:
      guard case .array(let values)? = arguments["ids"], !values.isEmpty else {
        throw Refusal(message: "'ids' is not a list of ids such as product:oats")
      }
      return try await list(ids: try values.map(Self.id), request)
    case .stores:
      return try await list(
        [("type", ["store"]), ("cursor", [""])] + Self.limit(arguments), request)
    case .similar:
      let id = try Self.id(arguments["id"] ?? .null)
      let path = ["v1", "entities", id.type.rawValue, id.value, "neighbors"]
      let answer = try await ask(request.asking("GET", path, Self.limit(arguments)))
      let found = Self.ids(of: Self.member("neighbors", answer), in: "entity")
      return try await list(ids: found, request)
    }
  }

  private func match(
    _ arguments: [String: JSONValue], _ request: HTTPRequest
  ) async throws -> JSONValue {
    var question = arguments
    let image = question.removeValue(forKey: "image")
    let inner: HTTPRequest
    if let image {
      guard case .string(let text) = image, let bytes = Self.image(text) else {
        throw Refusal(
          message:
            "'image' is not an image in Base64; addresses are not fetched, send the file itself")
      }
      let boundary = "vq-\(request.info.identity.spanID)"
      let head = "--\(boundary)\r\nContent-Disposition: form-data; name="
      var body = Array("\(head)\"request\"\r\nContent-Type: application/json\r\n\r\n".utf8)
      body += JSONWriter.bytes(of: JSONValue.object(question))
      body += Array("\r\n\(head)\"image\"; filename=\"image\"\r\n\r\n".utf8) + bytes
      body += Array("\r\n--\(boundary)--\r\n".utf8)
      inner = request.asking(
        "POST", ["v1", "match"], contentType: "multipart/form-data; boundary=\(boundary)",
        body: body)
    } else {
      inner = request.asking(
        "POST", ["v1", "match"], contentType: "application/json",
        body: JSONWriter.bytes(of: JSONValue.object(question)))
    }
    let answer = try await ask(inner)
    var result: [String: JSONValue] = [
      "complete": Self.member("complete", answer) ?? .bool(false)
    ]
    for (name, member) in [("sure", "values"), ("maybe", "possible"), ("otherColor", "sibling")] {
      let values = Self.member(member, answer)
      let found = try await list(ids: Self.ids(of: values), request)
      guard case .array(let entities)? = Self.member("entities", found),
        case .array(let matches)? = values
      else { continue }
      result[name] = .array(
        entities.map { entity in
          let match = matches.first { Self.member("id", $0) == Self.member("id", entity) }
          return entity.adding(
            "confidence", match.flatMap { Self.member("confidence", $0) } ?? .null)
        })
    }
    // Words alone prove nothing, so their matches are guesses.
    if image == nil {
      result["maybe"] = result.removeValue(forKey: "sure")
    }
    return .object(result)
  }

  // MARK: Resources

  private static func template(_ type: EntityType) -> JSONValue {
    .object([
      "uriTemplate": .string("vq://\(type.rawValue)/{id}"), "name": .string(type.rawValue),
      "description": .string("A \(type.rawValue) of the shop by its id."),
      "mimeType": .string("application/json"),
    ])
  }

  private func read(
    _ parameters: [String: JSONValue], _ request: HTTPRequest
  ) async throws -> JSONValue {
    guard case .string(let uri)? = parameters["uri"],
      let match = uri.wholeMatch(of: /vq:\/\/(\w+)\/(.+)/),
      let type = EntityType(rawValue: String(match.1)), let id = match.2.removingPercentEncoding
    else { throw Failure.invalidParameters("the uri is not of the form vq://product/ID") }
    let found: JSONValue
    do {
      found = try await ask(
        request.asking("GET", ["v1", "entities", type.rawValue, id], [("format", ["model"])]))
    } catch let problem as Problem {
      // The code of the protocol for a resource that is not there.
      throw Failure(code: -32002, message: problem.detail)
    }
    return .object([
      "contents": .array([
        .object([
          "uri": .string(uri), "mimeType": .string("application/json"), "text": .string(found.text),
        ])
      ])
    ])
  }

  // MARK: Paths of the API

  /// Asks a path of the API in the name of the client.
  private func ask(_ request: HTTPRequest) async throws -> JSONValue {
    let head = request.info.head
    guard let route = try Route(path: head.path), let endpoint = route.endpoint(for: head.method),
      case .work(let handler) = endpoint.handler
    else { throw Problem(.unknownPath, "there is no such path") }
    let form = try endpoint.body?.form(head)
    let response = try await handler(
      shop, Endpoint.Call(request: request, subject: route.subject, form: form))
    return try JSONValue(json: response.body, limits: .document)
  }

  private func list(
    _ query: [(name: String, values: [String])], _ request: HTTPRequest
  ) async throws -> JSONValue {
    let answer = try await ask(
      request.asking("GET", ["v1", "entities"], query + [("format", ["model"])]))
    return .object(["entities": Self.member("entities", answer) ?? .array([])])
  }

  private func list(ids: [EntityID], _ request: HTTPRequest) async throws -> JSONValue {
    if ids.isEmpty { return .object(["entities": .array([])]) }
    return try await list([("ids", ids.map(\.description))], request)
  }

  // MARK: Values

  private static func member(_ name: String, _ value: JSONValue) -> JSONValue? {
    if case .object(let fields) = value { fields[name] } else { nil }
  }

  /// The ids of a list of answers, which are beneath a name or in its elements.
  private static func ids(of list: JSONValue?, in name: String? = nil) -> [EntityID] {
    guard case .array(let values)? = list else { return [] }
    return values.compactMap { value in
      let entity = name.map { member($0, value) ?? .null } ?? value
      guard case .string(let type)? = member("type", entity),
        case .string(let id)? = member("id", entity), let type = EntityType(rawValue: type)
      else { return nil }
      return EntityID(type: type, value: id)
    }
  }

  private static func id(_ value: JSONValue) throws -> EntityID {
    guard case .string(let text) = value, let colon = text.firstIndex(of: ":"),
      let type = EntityType(rawValue: String(text[..<colon])),
      colon < text.index(before: text.endIndex)
    else { throw Refusal(message: "an id is a type and a name: product:oats") }
    return EntityID(type: type, value: String(text[text.index(after: colon)...]))
  }

  private static func text(_ name: String, _ arguments: [String: JSONValue]) throws -> String {
    guard let text = try optionalText(name, arguments), !text.isEmpty else {
      throw Refusal(message: "'\(name)' is missing")
    }
    return text
  }

  private static func optionalText(
    _ name: String, _ arguments: [String: JSONValue]
  ) throws -> String? {
    switch arguments[name] {
    case .string(let text)?: text
    case nil: nil
    default: throw Refusal(message: "'\(name)' is not a text")
    }
  }

  private static func limit(_ arguments: [String: JSONValue]) throws -> [(
    name: String, values: [String]
  )] {
    switch arguments["limit"] {
    case .integer(let count)? where (1...50).contains(count): [("limit", ["\(count)"])]
    case nil: []
    default: throw Refusal(message: "'limit' is not a number from 1 to 50")
    }
  }

  /// Reads an image in Base64, perhaps as a data: URL.
  private static func image(_ text: String) -> [UInt8]? {
    var rest = text[...]
    if text.hasPrefix("data:") {
      guard let comma = text.firstIndex(of: ","), text[..<comma].hasSuffix(";base64") else {
        return nil
      }
      rest = text[text.index(after: comma)...]
    }
    return Data(base64Encoded: String(rest), options: .ignoreUnknownCharacters).map(Array.init)
      .flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension JSONValue {
  /// Returns an object with a further field.
  fileprivate func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    guard case .object(var fields) = self else { return self }
    fields[name] = value
    return .object(fields)
  }
}
