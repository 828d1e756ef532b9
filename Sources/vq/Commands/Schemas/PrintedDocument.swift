import VisualQuery

/// The JSON that a command prints with `--json`, one value on each line.
struct PrintedDocument: Sendable {
  /// The command.
  let name: String
  let text: String
  let schema: Schema

  init(_ name: String, _ text: String, _ schema: Schema) {
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
    fields["title"] = .string("vq \(name) --json")
    fields["description"] = .string(
      text
        + " Later versions may add properties, which can be ignored; none is removed without a new number."
    )
    if !definitions.isEmpty {
      fields["$defs"] = .object(definitions.mapValues { $0.schema.json(for: .readers) })
    }
    return JSONValue.object(fields).lines(depth: 2) + "\n"
  }

  /// All documents, in the order of the commands in the help.
  static let all = [
    index, match, catalogue, doctor, feeds, duplicates, labels, rules, report, eval, fit, diff,
    whyNot, neighbors, feedback, hash, copy,
  ]
}
