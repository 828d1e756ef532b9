import HTTPServer
import VisualQuery

/// The description of an ``Endpoint`` for clients. What follows from the endpoint itself, such as the security, the usual
/// headers and the usual problems, is added to it (``OpenAPI``).
struct Operation: Sendable {
  enum Topic: String, Sendable {
    case match = "Match", entities = "Entities", feedback = "Feedback", checks = "Checks", server =
      "Server"
  }

  /// The method and the path of the endpoint.
  let endpoint: String
  let name: String
  let topic: Topic
  let summary: String
  let text: String
  var parameters: [Parameter] = []
  var body: Body?
  let answers: [Answer]
  /// The problems besides those of every endpoint.
  var problems: [ProblemAnswer] = []

  init(
    _ endpoint: String, _ name: String, _ topic: Topic, _ summary: String, _ text: String,
    parameters: [Parameter] = [], body: Body? = nil, answers: [Answer],
    problems: [ProblemAnswer] = []
  ) {
    (self.endpoint, self.name, self.topic) = (endpoint, name, topic)
    (self.summary, self.text, self.parameters) = (summary, text, parameters)
    (self.body, self.answers, self.problems) = (body, answers, problems)
  }

  struct Parameter: Sendable {
    let name: String
    var place = "query"
    let text: String
    let schema: Schema
    var isRequired = false
    /// Further keywords, such as the style, as JSON.
    var extras: [String: String] = [:]
    /// The name under which operations share it, or `nil` if it is that of one only.
    var sharedName: String?

    static func query(
      _ name: String, _ text: String, _ schema: Schema, isRequired: Bool = false,
      _ extras: [String: String] = [:]
    ) -> Parameter {
      Parameter(name: name, text: text, schema: schema, isRequired: isRequired, extras: extras)
    }

    /// A list between commas.
    static func list(
      _ name: String, _ text: String, _ schema: Schema, isRequired: Bool = false,
      _ extras: [String: String] = [:]
    ) -> Parameter {
      query(
        name, text, schema, isRequired: isRequired,
        extras.merging(["style": #""form""#, "explode": "false"]) { given, _ in given })
    }

    /// A parameter that may be repeated.
    static func repeated(_ name: String, _ text: String, _ schema: Schema) -> Parameter {
      query(name, text, schema, ["style": #""form""#, "explode": "true"])
    }
  }

  /// A body in one media type.
  struct Content: Sendable {
    let type: String
    let schema: Schema
    /// Examples by name, each with its summary.
    let examples: [Example]
    /// The media types of the parts of a form.
    var encoding: [String: String] = [:]

    static func json(_ schema: Schema, _ examples: [Example] = []) -> Content {
      Content(type: "application/json", schema: schema, examples: examples)
    }

    static func other(
      _ type: String, _ schema: Schema, _ examples: [Example], encoding: [String: String] = [:]
    ) -> Content {
      Content(type: type, schema: schema, examples: examples, encoding: encoding)
    }
  }

  struct Example: Sendable {
    let name: String
    let summary: String?
    /// The value as JSON, or `nil` if only the text tells it.
    let value: String?
    let text: String?

    init(_ name: String, _ summary: String?, _ value: String?, text: String? = nil) {
      (self.name, self.summary, self.value, self.text) = (name, summary, value, text)
    }
  }

  struct Body: Sendable {
    let text: String
    let contents: [Content]

    init(_ text: String, _ contents: [Content]) { (self.text, self.contents) = (text, contents) }
  }

  /// The headers of an answer besides those of all.
  enum Headers: Sendable {
    case none
    /// The headers of an answer that is kept until the catalogue changes.
    case tagged
    case notKept
    /// The headers of an answer that must not be kept, and that depends on the language that was asked for.
    case notKeptInLanguage
    case inLanguage
    case thumbnail
    /// The headers of a change, with its generation.
    case changed
    case removed
  }

  struct Answer: Sendable {
    let status: Int
    let text: String
    let headers: Headers
    let contents: [Content]

    init(_ status: Int, _ text: String, _ headers: Headers, _ contents: [Content] = []) {
      (self.status, self.text, self.headers, self.contents) = (status, text, headers, contents)
    }
  }
}
