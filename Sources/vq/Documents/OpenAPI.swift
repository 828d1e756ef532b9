import VisualQuery

/// `openapi.json`: the endpoints with their descriptions, and the schemas that these refer to.
enum OpenAPI {
  /// The text of the file, with a line for each operation and each schema.
  static var text: String { document.lines(depth: 4) + "\n" }

  static var document: JSONValue {
    var paths: [String: [String: JSONValue]] = [:]
    for operation in Operation.all {
      let parts = operation.endpoint.split(separator: " ").map(String.init)
      let (method, path) = (parts[0], parts[1])
      guard let endpoint = Endpoint.byPath[path]?.first(where: { $0.method == method }) else {
        preconditionFailure("there is no endpoint '\(operation.endpoint)'")
      }
      paths[path, default: [:]][method.lowercased()] = json(operation, endpoint)
    }
    return .object([
      "openapi": "3.1.0".json, "info": info, "servers": .literal(#"[{"url":"/"}]"#),
      "security": .literal(#"[{},{"bearer":[]}]"#),
      "tags": .array(
        tags.map { .object(["name": $0.0.rawValue.json, "description": $0.1.json]) }),
      "paths": .object(paths.mapValues { .object($0) }),
      "components": components,
    ])
  }

  private static let info = JSONValue.object([
    "title": "vq".json, "version": "1".json,
    "summary": "Finds the products and stores that an image shows.".json,
    "description": """
    Finds the products and stores of a shop that an image shows, and gives an app all that it needs to show them.

    Every response has `X-Request-ID` and `Server-Timing`. If a request has a valid `X-Request-ID`, the response has the same; if it \
    has a valid `traceparent`, the response has one of the same trace. Every GET path also answers HEAD, with the same headers and no \
    body, and every path answers OPTIONS with the methods that it has. Unknown parameters and fields are rejected. A JSON body has at \
    most 16 levels of lists and objects, 16384 values, and 256 bytes in a name. Errors are `application/problem+json`. With several \
    servers behind one address, every path takes `X-At-Least-Generation: N`: a server that is behind waits for that generation of the \
    catalogue, at most as long as its standard deadline, and then answers with 503.
    """.json,
  ])

  private static let tags: [(Operation.Topic, String)] = [
    (.match, "Find what an image shows."),
    (.entities, "Read the products and stores of the shop."),
    (.feedback, "Say what is wrong with an answer, and undo it."),
    (.checks, "See what the shop could correct."),
    (.server, "Ask about the server itself."),
  ]

  private static var components: JSONValue {
    var definitions: [String: Definition] = [:]
    for operation in Operation.all {
      for parameter in operation.parameters {
        parameter.schema.collectDefinitions(into: &definitions)
      }
      for content in (operation.body?.contents ?? []) + operation.answers.flatMap(\.contents) {
        content.schema.collectDefinitions(into: &definitions)
      }
    }
    for parameter in Operation.Parameter.shared {
      parameter.schema.collectDefinitions(into: &definitions)
    }
    Schema.reference(.problem).collectDefinitions(into: &definitions)
    // No operation has the problem of unknown paths.
    var problems = ProblemAnswer.usual + [.unauthorized, .unsupportedMediaType, .notFound]
    for operation in Operation.all { problems += operation.problems }
    var responses = Dictionary(problems.map { ($0.name, json($0)) }) { first, _ in first }
    let ofProblems = Dictionary(problems.map { (schemaName(of: $0), schema(of: $0)) }) {
      first, _ in first
    }
    responses["NotModified"] = notModified
    return .object([
      "schemas": .object(
        definitions.mapValues { $0.schema.json(for: .clients) }.merging(ofProblems) { $1 }),
      "parameters": .object(
        Dictionary(
          uniqueKeysWithValues: Operation.Parameter.shared.map { ($0.sharedName ?? "", json($0)) })),
      "headers": .object(headers.mapValues(\.json)), "responses": .object(responses),
      "securitySchemes": .literal(
        #"{"bearer":{"type":"http","scheme":"bearer","description":"A key. It is needed only if the server was started with keys."}}"#
      ),
    ])
  }

  // MARK: Operations

  private static func json(_ operation: Operation, _ endpoint: Endpoint) -> JSONValue {
    var fields: [String: JSONValue] = [
      "operationId": operation.name.json, "tags": .array([operation.topic.rawValue.json]),
      "summary": operation.summary.json, "description": operation.text.json,
      "responses": responses(of: operation, endpoint),
    ]
    switch endpoint.role {
    case nil: fields["security"] = .array([])
    case .app, .read, .operate: break
    case .write, .feedback: fields["security"] = .literal(#"[{"bearer":[]}]"#)
    }
    let parameters = pathParameters(of: endpoint.path) + operation.parameters
    if !parameters.isEmpty {
      fields["parameters"] = .array(
        parameters.map { parameter in
          parameter.sharedName.map { .object(["$ref": "#/components/parameters/\($0)".json]) }
            ?? json(parameter)
        })
    }
    if let body = operation.body {
      fields["requestBody"] = .object([
        "required": .bool(true), "description": body.text.json, "content": json(body.contents),
      ])
    }
    return .object(fields)
  }

  private static func pathParameters(of path: String) -> [Operation.Parameter] {
    let named: [(String, Operation.Parameter)] = [
      ("{type}", .type), ("{id}", .id), ("{number}", .number),
    ]
    return named.filter { path.contains($0.0) }.map(\.1)
  }

  private static func json(_ parameter: Operation.Parameter) -> JSONValue {
    var fields = parameter.extras.mapValues { JSONValue.literal($0) }
    fields["name"] = parameter.name.json
    fields["in"] = parameter.place.json
    fields["description"] = parameter.text.json
    fields["schema"] = parameter.schema.json(for: .clients)
    if parameter.isRequired { fields["required"] = .bool(true) }
    return .object(fields)
  }

  private static func json(_ contents: [Operation.Content]) -> JSONValue {
    var fields: [String: JSONValue] = [:]
    for content in contents {
      var described: [String: JSONValue] = ["schema": content.schema.json(for: .clients)]
      if !content.examples.isEmpty {
        described["examples"] = .object(
          Dictionary(uniqueKeysWithValues: content.examples.map { ($0.name, json($0)) }))
      }
      if !content.encoding.isEmpty {
        described["encoding"] = .object(
          content.encoding.mapValues { .object(["contentType": $0.json]) })
      }
      fields[content.type] = .object(described)
    }
    return .object(fields)
  }

  private static func json(_ example: Operation.Example) -> JSONValue {
    var fields: [String: JSONValue] = [:]
    fields["summary"] = example.summary?.json
    fields["description"] = example.text?.json
    fields["value"] = example.value.map { .literal($0) }
    return .object(fields)
  }

  // MARK: Answers

  private static func responses(of operation: Operation, _ endpoint: Endpoint) -> JSONValue {
    var fields: [String: JSONValue] = [:]
    for answer in operation.answers {
      var headers = self.headers(answer.headers)
      headers.merge(everyHeader) { given, _ in given }
      var response: [String: JSONValue] = [
        "description": answer.text.json, "headers": references(headers),
      ]
      if !answer.contents.isEmpty { response["content"] = json(answer.contents) }
      fields[String(answer.status)] = .object(response)
      switch answer.headers {
      case .tagged: fields["304"] = reference("NotModified")
      case .thumbnail:
        fields["304"] = .object([
          "description": unchanged.json, "headers": references(headers),
        ])
      default: break
      }
    }
    var problems = ProblemAnswer.usual + operation.problems
    if endpoint.role != nil { problems.append(.unauthorized) }
    if endpoint.body != nil { problems.append(.unsupportedMediaType) }
    for problem in problems { fields[String(problem.status)] = reference(problem.name) }
    return .object(fields)
  }

  private static let unchanged =
    "The answer is still the one that the `If-None-Match` header names."

  private static var notModified: JSONValue {
    .object([
      "description": unchanged.json,
      "headers": references(headers(.tagged).merging(everyHeader) { given, _ in given }),
    ])
  }

  private static func json(_ problem: ProblemAnswer) -> JSONValue {
    var headers = everyHeader
    headers["Content-Language"] = "Content-Language"
    headers[problem.header ?? "X-Request-ID"] = problem.header ?? "X-Request-ID"
    let example = JSONValue.literal(
      String(
        decoding: JSONBody.encoded(
          problem.example.document(requestID: "4f1d2c3b5a69788796a5b4c3d2e1f001")), as: UTF8.self))
    return .object([
      "description": problem.text.json, "headers": references(headers),
      "content": .object([
        "application/problem+json": .object([
          "schema": .object(["$ref": "#/components/schemas/\(schemaName(of: problem))".json]),
          "examples": .object([
            problem.example.code.rawValue: .object(["value": example])
          ]),
        ])
      ]),
    ])
  }

  /// The schemas of problems have names, so that generators of clients make one type for each and not one for each operation.
  private static func schemaName(of problem: ProblemAnswer) -> String { problem.name + "Problem" }

  private static func schema(of problem: ProblemAnswer) -> JSONValue {
    let codes = JSONValue.object(["enum": .array(problem.codes.map { $0.rawValue.json })])
    return .object([
      "allOf": .array([
        Schema.reference(.problem).json(for: .clients),
        .object(["properties": .object(["code": codes])]),
      ])
    ])
  }

  private static func reference(_ response: String) -> JSONValue {
    .object(["$ref": "#/components/responses/\(response)".json])
  }

  // MARK: Headers

  private struct Header: Sendable {
    let text: String
    let schema: Schema
    var isRequired = true

    var json: JSONValue {
      .object([
        "description": text.json, "required": .bool(isRequired),
        "schema": schema.json(for: .clients),
      ])
    }
  }

  private static let everyHeader = [
    "X-Request-ID": "X-Request-ID", "Server-Timing": "Server-Timing",
  ]

  /// Returns the names of the descriptions of headers, by header.
  private static func headers(_ headers: Operation.Headers) -> [String: String] {
    switch headers {
    case .none: [:]
    case .tagged:
      [
        "ETag": "ETag", "Cache-Control": "Cache-Control", "Vary": "Vary",
        "Content-Language": "Content-Language",
      ]
    case .notKept: ["Cache-Control": "NoStore"]
    case .notKeptInLanguage:
      ["Cache-Control": "NoStore", "Content-Language": "Content-Language"]
    case .inLanguage: ["Content-Language": "Content-Language"]
    case .thumbnail:
      ["ETag": "ETag", "Cache-Control": "ThumbnailCaching", "Vary": "ThumbnailVary"]
    case .changed: ["Cache-Control": "NoStore", "X-Generation": "X-Generation"]
    case .removed: ["X-Generation": "X-Generation"]
    }
  }

  private static func references(_ headers: [String: String]) -> JSONValue {
    .object(headers.mapValues { .object(["$ref": "#/components/headers/\($0)".json]) })
  }

  private static let headers: [String: Header] = [
    "X-Request-ID": Header(
      text: "The id of the request: the one that came with it, or a new one.",
      schema: .string(min: 1).with("examples", #"["4f1d2c3b5a69788796a5b4c3d2e1f001"]"#)),
    "Server-Timing": Header(
      text: "Where the time went.", schema: .string(min: 1).with("examples", #"["total;dur=61.2"]"#)
    ),
    "ETag": Header(
      text: "Stands for the answer. It changes with the catalogue.",
      schema: .string(pattern: #"^"[^"]*"$"#).with("examples", #"["\"4-9f2c1b7e\""]"#)),
    "Vary": Header(
      text: "Request headers that the answer depends on.",
      schema: .string().with("examples", #"["Accept-Language"]"#)),
    "Cache-Control": Header(
      text: "How the answer may be kept.", schema: .choice(among: ["private, no-cache"])),
    "NoStore": Header(text: "The answer must not be kept.", schema: .choice(among: ["no-store"])),
    "Retry-After": Header(
      text: "Seconds to wait before the next try.",
      schema: .string(pattern: "^[0-9]+$").with("examples", #"["1"]"#)),
    "WWW-Authenticate": Header(
      text: "How to sign in.", schema: .string(pattern: "^Bearer").with("examples", #"["Bearer"]"#)),
    "Allow": Header(
      text: "The methods that the path has.",
      schema: .string(min: 1).with("examples", #"["GET, HEAD, OPTIONS"]"#)),
    "ThumbnailCaching": Header(
      text: """
        How long the image may be kept: for a year with the right `v`, by shared caches only if the server needs no key.
        """,
      schema: .choice(among: [
        "private, no-cache", "public, max-age=31536000, immutable",
        "private, max-age=31536000, immutable",
      ])),
    "ThumbnailVary": Header(
      text: "Request headers that the answer depends on.",
      schema: .string().with("examples", #"["Accept-Language"]"#), isRequired: false),
    "X-Generation": Header(
      text: "The generation of the catalogue that has the change.",
      schema: .string(pattern: "^[0-9]+$").with("examples", #"["5"]"#)),
    "Content-Language": Header(
      text: """
        The language that was asked for, in which the answer is as far as the shop has it. Absent if none was asked for.
        """, schema: .string().with("examples", #"["de"]"#), isRequired: false),
  ]
}

extension String {
  fileprivate var json: JSONValue { .string(self) }
}
