/// Any JSON value; integers stay exact.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A string.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Values by name. If a name is repeated, the first value counts; names that are canonically
  /// equivalent are one name.
  case object([String: JSONValue])

  /// The kind of value, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// Reads a JSON text of RFC 8259 in UTF-8; a byte order mark at its beginning is ignored.
  ///
  /// - Parameters:
  ///   - bytes: The text; only blanks may surround the value.
  ///   - limits: The limits on the text.
  ///   - shouldStop: Called every few thousand values; `true` ends with the code `cancelled`.
  /// - Throws: ``JSONError`` with the byte at which reading stopped.
  /// - Complexity: O(*n*) for *n* bytes, whatever the nesting.
  package init(
    json bytes: [UInt8], limits: JSONLimits = JSONLimits(),
    shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(JSONError) {
    var reader = JSONReader(bytes, limits: limits)
    self = try reader.read(shouldStop: shouldStop)
  }

  /// Reads a value that ``text`` wrote into a catalogue.
  package init(stored text: String) throws(JSONError) {
    try self.init(json: Array(text.utf8), limits: .document, shouldStop: { false })
  }

  /// The JSON text, with names in ascending order, so that equal values give equal texts.
  package var text: String { String(decoding: JSONWriter.bytes(of: self), as: UTF8.self) }

  /// Returns whether lists and objects are nested deeper than a number of levels.
  package func isNested(deeperThan depth: Int) -> Bool {
    switch self {
    case .array(let values): depth == 0 || values.contains { $0.isNested(deeperThan: depth - 1) }
    case .object(let object):
      depth == 0 || object.values.contains { $0.isNested(deeperThan: depth - 1) }
    default: false
    }
  }
}

extension JSONValue: Encodable {
  /// Encodes the value; a number that JSON lacks becomes `null`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value) where value.isFinite: try container.encode(value)
    case .number: try container.encodeNil()
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
