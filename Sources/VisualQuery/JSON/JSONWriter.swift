/// Writes JSON without recursion, so that values of any depth can be written.
///
/// The names of an object are in ascending order of their UTF-8 bytes, so that equal values give equal
/// texts. Slashes are not escaped, and neither are characters beyond ASCII.
struct JSONWriter {
  private enum Part {
    case value(JSONValue)
    case name(String)
    case byte(UInt8)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  private var bytes: [UInt8] = []
  /// The remaining parts to write, the next one last.
  private var parts: [Part] = []

  /// Returns the JSON text of a value.
  static func text(of value: JSONValue) -> String {
    var writer = JSONWriter()
    writer.write(value)
    while let part = writer.parts.popLast() {
      switch part {
      case .value(let value): writer.write(value)
      case .name(let name):
        writer.write(name)
        writer.bytes.append(UInt8(ascii: ":"))
      case .byte(let byte): writer.bytes.append(byte)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let number): bytes += "\(number)".utf8
    case .number(let number): write(number)
    case .string(let text): write(text)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      parts.append(.byte(UInt8(ascii: "]")))
      for (index, value) in values.enumerated().reversed() {
        parts.append(.value(value))
        if index > 0 { parts.append(.byte(UInt8(ascii: ","))) }
      }
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      parts.append(.byte(UInt8(ascii: "}")))
      let fields = object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (index, field) in fields.enumerated().reversed() {
        parts.append(.value(field.value))
        parts.append(.name(field.key))
        if index > 0 { parts.append(.byte(UInt8(ascii: ","))) }
      }
    }
  }

  /// Writes the shortest decimal that gives the same number again. JSON has no infinity and no NaN;
  /// both become `null`, as in JavaScript.
  private mutating func write(_ number: Double) {
    guard number.isFinite else { return bytes += "null".utf8 }
    let text = "\(number)"
    bytes += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
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
    bytes.append(UInt8(ascii: "\""))
  }
}
