import VisualQuery

/// The JSON that a command prints with `--json`, one value on each line.
struct PrintedDocument: Sendable {
  /// The command.
  let name: String
  let text: String
  let schema: Schema

  private init(_ name: String, _ text: String, _ schema: Schema) {
    (self.name, self.text, self.schema) = (name, text, schema)
  }

  /// The name of the file with the schema in `docs/schemas`. The number changes if a property is removed or gets another
  /// meaning.
  var fileName: String { "vq.\(name)-1.schema.json" }

  /// The schema as a file, with a line for each definition.
  var file: String {
    var definitions: [String: Definition] = [:]
    schema.collectDefinitions(into: &definitions)
    guard case .object(var fields) = schema.json(for: .readers) else {
      preconditionFailure("a schema is an object")
    }
    fields["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
    fields["$id"] = .string(fileName)
    fields["title"] = .string("vq.\(name)/1")
    fields["description"] = .string(
      text
        + " Later versions may add properties, which can be ignored; none is removed without a new number."
    )
    if !definitions.isEmpty {
      fields["$defs"] = .object(definitions.mapValues { $0.schema.json(for: .readers) })
    }
    return JSONValue.object(fields).lines(depth: 2) + "\n"
  }

  static let all: [PrintedDocument] = [match]

  static let match = PrintedDocument(
    "match",
    """
    A line of `vq match --json`, and the answer of POST /v1/match. Texts and images are those that the shop made public, \
    unless --all-fields is given.
    """, .one(of: [.reference(.matchAnswer), .reference(.failure)]))
}

extension Schema {
  /// The name of a question in what a command prints.
  static let queryName = Schema.string(
    """
    The name of the image as it was given; the labels if there is no image, `continuation` for a further page, and `request` \
    over HTTP.
    """)
}

extension Definition {
  static let failure = Definition(
    "Failure",
    .object(
      "An image that could not be searched.",
      [
        .required("schema", .constant("vq.match/1", "The form of this answer.")),
        .required("query", .queryName), .required("error", .reference(.pictureFailure)),
      ]))

  static let pictureFailure = Definition(
    "PictureFailure",
    .object(
      "Why there is no answer.",
      [
        .required(
          "code",
          .string(
            "The reason, for programs: a code of the decoder such as `unsupportedFormat`, or of the search."
          )), .required("message", .string("The reason, for people.")),
      ]))
}
