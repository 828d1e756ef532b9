/// Writes JSON straight to bytes: those that `JSONEncoder` gives with sorted keys and without escaped
/// slashes.
///
/// The names of an object are in ascending order of their UTF-8 bytes, so that equal values give equal
/// texts. Slashes are not escaped, and neither are characters beyond ASCII.
package struct JSONWriter {
  /// A list or an object that is not written completely.
  private enum Container {
    case list(ArraySlice<JSONValue>)
    case object(ArraySlice<(key: String, value: JSONValue)>)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  private var bytes: [UInt8] = []

  /// Returns the JSON text of a value as bytes.
  package static func bytes(of value: some JSONWritable) -> [UInt8] {
    var writer = JSONWriter()
    value.write(to: &writer)
    return writer.bytes
  }

  // MARK: Lists and objects

  /// Writes an object.
  ///
  /// - Parameter fields: A function that writes the fields, in ascending order of their names.
  package mutating func object(_ fields: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    fields(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes a field of an object.
  ///
  /// - Parameter name: The name, which has no character that JSON escapes.
  package mutating func field(_ name: String, _ value: some JSONWritable) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes += name.utf8
    bytes += #"":"#.utf8
    value.write(to: &self)
  }

  /// Writes a field of an object, or nothing for `nil`.
  package mutating func field(ifPresent value: (some JSONWritable)?, _ name: String) {
    if let value { field(name, value) }
  }

  /// Writes `null`.
  package mutating func writeNull() {
    separate()
    bytes += "null".utf8
  }

  fileprivate mutating func write(_ values: [some JSONWritable]) {
    separate()
    bytes.append(UInt8(ascii: "["))
    for value in values { value.write(to: &self) }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes the comma before a value or name that follows another one.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  // MARK: Values

  /// Writes a value without recursion, so that values of any depth can be written.
  fileprivate mutating func write(_ value: JSONValue) {
    var open: [Container] = []
    begin(value, &open)
    while let last = open.popLast() {
      switch last {
      case .list(var values):
        guard let value = values.popFirst() else {
          bytes.append(UInt8(ascii: "]"))
          continue
        }
        open.append(.list(values))
        begin(value, &open)
      case .object(var fields):
        guard let field = fields.popFirst() else {
          bytes.append(UInt8(ascii: "}"))
          continue
        }
        open.append(.object(fields))
        write(field.key)
        bytes.append(UInt8(ascii: ":"))
        begin(field.value, &open)
      }
    }
  }

  /// Writes a value without elements, or opens a list or an object.
  private mutating func begin(_ value: JSONValue, _ open: inout [Container]) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(value)
    case .integer(let number): write(number)
    case .number(let number): write(number)
    case .string(let text): write(text)
    case .array(let values):
      separate()
      bytes.append(UInt8(ascii: "["))
      open.append(.list(values[...]))
    case .object(let object):
      separate()
      bytes.append(UInt8(ascii: "{"))
      let fields = object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      open.append(.object(fields[...]))
    }
  }

  fileprivate mutating func write(_ value: Bool) {
    separate()
    bytes += (value ? "true" : "false").utf8
  }

  fileprivate mutating func write(_ number: some BinaryInteger) {
    separate()
    bytes += "\(number)".utf8
  }

  /// Writes the shortest decimal that gives the same number again. JSON has no infinity and no NaN;
  /// both become `null`, as in JavaScript.
  fileprivate mutating func write(_ number: Double) {
    guard number.isFinite else { return writeNull() }
    separate()
    let text = "\(number)"
    bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
  }

  fileprivate mutating func write(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.contains(where: Self.isEscaped) {
      for byte in text.utf8 { write(characterByte: byte) }
    } else {
      bytes += text.utf8
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func write(characterByte byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x08: bytes += #"\b"#.utf8
    case 0x09: bytes += #"\t"#.utf8
    case 0x0A: bytes += #"\n"#.utf8
    case 0x0C: bytes += #"\f"#.utf8
    case 0x0D: bytes += #"\r"#.utf8
    case 0..<0x20:
      bytes += #"\u00"#.utf8
      bytes += [Self.hexDigits[Int(byte >> 4)], Self.hexDigits[Int(byte & 15)]]
    default: bytes.append(byte)
    }
  }
}

/// A value that writes its JSON form to a ``JSONWriter``.
///
/// The bytes are those of `JSONEncoder` for the same fields and values. The tests of the few types that are `Encodable`, too, compare them.
package protocol JSONWritable {
  /// Writes the value.
  func write(to json: inout JSONWriter)
}

extension JSONValue: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension String: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Double: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
  package func write(to json: inout JSONWriter) { json.write(self) }
}
