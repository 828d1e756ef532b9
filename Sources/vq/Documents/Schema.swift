import VisualQuery

/// A description of a JSON value, as JSON Schema (2020-12) has it.
struct Schema: Sendable {
  /// The value of a keyword.
  indirect enum Part: Sendable {
    case json(JSONValue)
    case schema(Schema)
    case schemas([Schema])
    case properties([Property])
    case reference(Definition)
  }

  /// The readers of a description.
  enum Audience: Sendable {
    /// Clients of the server. Answers have the declared properties and no others.
    case clients
    /// Readers of `--json`. Later versions may add properties.
    case readers
  }

  private var parts: [String: Part]

  private init(_ text: String?, _ parts: [String: Part]) {
    self.parts = parts
    if let text { self.parts["description"] = .json(.string(text)) }
  }

  /// Sets a keyword.
  ///
  /// - Parameter json: Its value as JSON.
  func with(_ keyword: String, _ json: String) -> Schema {
    var schema = self
    schema.parts[keyword] = .json(.literal(json))
    return schema
  }

  /// Sets a keyword whose value is a schema.
  func with(_ keyword: String, schema part: Schema) -> Schema {
    var schema = self
    schema.parts[keyword] = .schema(part)
    return schema
  }

  /// The same with `null` as a further value, which a request may have for an absent one.
  var orNull: Schema {
    var schema = self
    guard case .json(.string(let type))? = parts["type"] else {
      let text = schema.parts.removeValue(forKey: "description")
      schema = Schema(nil, ["anyOf": .schemas([schema, .null])])
      schema.parts["description"] = text
      return schema
    }
    schema.parts["type"] = .json(.array([.string(type), .string("null")]))
    if case .json(.array(let values))? = parts["enum"] {
      schema.parts["enum"] = .json(.array(values + [.null]))
    }
    return schema
  }

  /// Returns the schema as JSON.
  func json(for audience: Audience) -> JSONValue {
    var fields: [String: JSONValue] = [:]
    for (keyword, part) in parts {
      switch part {
      case .json(.bool(false)) where keyword == "additionalProperties" && audience == .readers:
        break
      case .json where keyword == "discriminator" && audience == .readers: break
      case .json(let value): fields[keyword] = value
      case .schema(let schema): fields[keyword] = schema.json(for: audience)
      case .schemas(let schemas):
        fields[keyword] = .array(schemas.map { $0.json(for: audience) })
      case .reference(let definition):
        fields[keyword] = .string(Definition.path(for: audience) + definition.name)
      case .properties(let properties):
        let shown = properties.filter { $0.audience.map { $0 == audience } ?? true }
        fields[keyword] = .object(
          Dictionary(uniqueKeysWithValues: shown.map { ($0.name, $0.schema.json(for: audience)) }))
        let required = shown.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { fields["required"] = .array(required) }
      }
    }
    return .object(fields)
  }

  /// Adds the definitions that the schema refers to, and those that they refer to.
  func collectDefinitions(into found: inout [String: Definition]) {
    for part in parts.values {
      switch part {
      case .json: break
      case .schema(let schema): schema.collectDefinitions(into: &found)
      case .schemas(let schemas): for schema in schemas { schema.collectDefinitions(into: &found) }
      case .properties(let properties):
        for property in properties { property.schema.collectDefinitions(into: &found) }
      case .reference(let definition):
        if found.updateValue(definition, forKey: definition.name) == nil {
          definition.schema.collectDefinitions(into: &found)
        }
      }
    }
  }

  // MARK: Kinds of values

  static let null = Schema(nil, ["type": .json(.string("null"))])

  private static func value(_ type: String, _ text: String?, _ bounds: [String: JSONValue?])
    -> Schema
  {
    var parts = bounds.compactMapValues { $0 }.mapValues { Part.json($0) }
    parts["type"] = .json(.string(type))
    return Schema(text, parts)
  }

  static func string(
    _ text: String? = nil, min: Int? = nil, max: Int? = nil, pattern: String? = nil,
    format: String? = nil
  ) -> Schema {
    value(
      "string", text,
      [
        "minLength": .number(min), "maxLength": .number(max),
        "pattern": pattern.map(JSONValue.string), "format": format.map(JSONValue.string),
      ])
  }

  static func integer(_ text: String? = nil, min: Int? = nil, max: Int? = nil) -> Schema {
    value("integer", text, ["minimum": .number(min), "maximum": .number(max)])
  }

  static func number(_ text: String? = nil, min: Double? = nil, max: Double? = nil) -> Schema {
    value("number", text, ["minimum": .number(min), "maximum": .number(max)])
  }

  /// A file, which stands as it is in a part of a form or in a body.
  static func file(_ text: String? = nil) -> Schema { string(text, format: "binary") }

  static func boolean(_ text: String? = nil) -> Schema { value("boolean", text, [:]) }

  static func array(
    _ text: String? = nil, of items: Schema, min: Int? = nil, max: Int? = nil
  ) -> Schema {
    value("array", text, ["minItems": .number(min), "maxItems": .number(max)])
      .with("items", schema: items)
  }

  /// One of some texts.
  static func choice(_ text: String? = nil, among values: [String]) -> Schema {
    value("string", text, ["enum": .array(values.map(JSONValue.string))])
  }

  /// A value of an enumeration.
  static func choice<Values: CaseIterable & RawRepresentable<String>>(
    _ text: String? = nil, of type: Values.Type
  ) -> Schema {
    choice(text, among: type.allCases.map(\.rawValue))
  }

  /// Always the same text.
  static func constant(_ value: String, _ text: String? = nil) -> Schema {
    Self.value("string", text, ["const": .string(value)])
  }

  /// An object.
  ///
  /// - Parameter isOpen: True if it may have other properties.
  static func object(
    _ text: String? = nil, isOpen: Bool = false, _ properties: [Property]
  ) -> Schema {
    var schema = value("object", text, ["additionalProperties": .bool(isOpen)])
    if !properties.isEmpty { schema.parts["properties"] = .properties(properties) }
    return schema
  }

  /// A form that may have parts of other names. Generators of clients reject a form that says of which kind these are.
  static func form(_ text: String, _ properties: [Property]) -> Schema {
    var schema = value("object", text, [:])
    schema.parts["properties"] = .properties(properties)
    return schema
  }

  /// An object whose properties have names that are not known, all of one kind.
  static func map(_ text: String? = nil, of values: Schema, _ properties: [Property] = [])
    -> Schema
  {
    var schema = value("object", text, [:]).with("additionalProperties", schema: values)
    if !properties.isEmpty { schema.parts["properties"] = .properties(properties) }
    return schema
  }

  /// Any value.
  static func anything(_ text: String? = nil) -> Schema { Schema(text, [:]) }

  static func any(_ text: String? = nil, of schemas: [Schema]) -> Schema {
    Schema(text, ["anyOf": .schemas(schemas)])
  }

  static func one(_ text: String? = nil, of schemas: [Schema]) -> Schema {
    Schema(text, ["oneOf": .schemas(schemas)])
  }

  static func all(of schemas: [Schema]) -> Schema { Schema(nil, ["allOf": .schemas(schemas)]) }

  static func reference(_ definition: Definition, _ text: String? = nil) -> Schema {
    Schema(text, ["$ref": .reference(definition)])
  }
}

/// A property of an object.
struct Property: Sendable {
  let name: String
  let schema: Schema
  let isRequired: Bool
  /// The readers who see the property, or `nil` if all do.
  let audience: Schema.Audience?

  static func required(
    _ name: String, _ schema: Schema, for audience: Schema.Audience? = nil
  ) -> Property {
    Property(name: name, schema: schema, isRequired: true, audience: audience)
  }

  static func optional(
    _ name: String, _ schema: Schema, for audience: Schema.Audience? = nil
  ) -> Property {
    Property(name: name, schema: schema, isRequired: false, audience: audience)
  }
}

/// A schema with a name, to which others refer.
struct Definition: Sendable {
  let name: String
  let schema: Schema

  init(_ name: String, _ schema: Schema) { (self.name, self.schema) = (name, schema) }

  /// The beginning of references.
  static func path(for audience: Schema.Audience) -> String {
    switch audience {
    case .clients: "#/components/schemas/"
    case .readers: "#/$defs/"
    }
  }
}

extension JSONValue {
  /// A value that is written as JSON in the source.
  static func literal(_ text: String) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(json: Array(text.utf8))
    } catch {
      preconditionFailure("not JSON: \(error.message): \(text)")
    }
  }

  fileprivate static func number(_ number: Int?) -> JSONValue? {
    number.map { .integer(Int64($0)) }
  }

  /// A number without a fraction is written as an integer.
  fileprivate static func number(_ number: Double?) -> JSONValue? {
    number.map { Int64(exactly: $0).map { .integer($0) } ?? .number($0) }
  }

  /// The JSON text with a line for each value down to a depth, and names in ascending order.
  func lines(depth: Int, indent: String = "") -> String {
    guard depth > 0, case .object(let fields) = self, !fields.isEmpty else {
      return String(decoding: JSONBody.encoded(self), as: UTF8.self)
    }
    let inner = indent + " "
    let lines = fields.sorted { $0.key < $1.key }.map { name, value in
      inner + String(decoding: JSONBody.encoded(JSONValue.string(name)), as: UTF8.self) + ": "
        + value.lines(depth: depth - 1, indent: inner)
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
  }
}
