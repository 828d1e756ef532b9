/// Any JSON, for the fields of a shop's own.
public enum JSONValue: Codable, Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// An object.
  case object([String: JSONValue])

  /// Reads any JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .array(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Writes the JSON.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// The text, or `nil` for any other value.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, `1` and `0` for `true` and `false`, or `nil` for any other value.
  public var number: Double? {
    switch self {
    case .number(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }
}
