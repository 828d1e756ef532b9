/// A link with placeholders for an entity's properties: a URI Template of RFC 6570, levels 1 to 3.
///
/// `https://shop.example/p/{id}`, `shop://open/{type}{?id,group}`. The scheme and, for https, the
/// host must be literal, so that no entity can change the destination of the link.
public struct LinkTemplate: Sendable, Hashable {
  /// The text of the template.
  package let text: String
  private let parts: [Part]

  private enum Part: Sendable, Hashable {
    case literal(String)
    case expression(Operator, names: [String])
  }

  /// The operators of levels 1 to 3 (RFC 6570, 1.2 and appendix A).
  private enum Operator: Character, Sendable {
    case simple = " "
    case reserved = "+"
    case fragment = "#"
    case label = "."
    case path = "/"
    case parameter = ";"
    case query = "?"
    case continuation = "&"

    var first: String {
      switch self {
      case .simple, .reserved: ""
      default: String(rawValue)
      }
    }

    var separator: String {
      switch self {
      case .simple, .reserved, .fragment: ","
      case .label, .path, .parameter: String(rawValue)
      case .query, .continuation: "&"
      }
    }

    var isNamed: Bool { self == .parameter || self == .query || self == .continuation }
    var allowsReserved: Bool { self == .reserved || self == .fragment }
  }

  /// Parses a template that may be used for links.
  ///
  /// - Parameters:
  ///   - text: The template.
  ///   - allowedSchemes: Schemes besides `https`, in lower case.
  /// - Throws: ``LinkError``.
  public init(_ text: String, allowedSchemes: Set<String> = []) throws(LinkError) {
    self.init(text: text, parts: try Self.parts(of: text))
    guard case .literal(let start)? = parts.first else {
      throw LinkError(code: .invalidTemplate, message: "'\(text)' has no literal scheme")
    }
    // Checks only the fixed start of the address. The added x stands for what the template puts
    // there.
    try Link.check(parts.count > 1 ? start + "x" : start, allowedSchemes: allowedSchemes)
    if start.lowercased().hasPrefix("http"), parts.count > 1 {
      let authority = start.split(separator: "/", omittingEmptySubsequences: false)
      guard authority.count >= 4, !authority[2].isEmpty else {
        throw LinkError(
          code: .invalidTemplate,
          message: "'\(text)' has no literal host; such as https://shop.example/p/{id} is valid")
      }
    }
  }

  private init(text: String, parts: [Part]) {
    self.text = text
    self.parts = parts
  }

  /// The names of the properties, in their order, each once.
  package var names: [String] {
    var names: [String] = []
    for case .expression(_, let own) in parts {
      for name in own where !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Parses any template, without checking its scheme.
  static func unchecked(_ text: String) throws(LinkError) -> LinkTemplate {
    LinkTemplate(text: text, parts: try parts(of: text))
  }

  /// Returns the link for the values of an entity, or `nil` if a `{name}` or `{+name}` has none: without it, the link would lead to
  /// another page. Other expressions, such as `{?name}`, may be left out.
  ///
  /// - Complexity: O(length of the template and the values).
  func link(_ value: (String) -> String?) -> String? {
    for case .expression(let kind, let names) in parts where kind == .simple || kind == .reserved {
      guard names.contains(where: { !(value($0) ?? "").isEmpty }) else { return nil }
    }
    return expanded(value)
  }

  /// Returns the link for some values. Variables without a value are left out. All characters
  /// except letters, digits, `-`, `.`, `_` and `~` are percent-encoded; `{+name}` and `{#name}`
  /// keep reserved characters.
  ///
  /// - Complexity: O(length of the template and the values).
  package func expanded(_ value: (String) -> String?) -> String {
    var result = ""
    for part in parts {
      switch part {
      case .literal(let text): result += Self.encoded(text, allowsReserved: true)
      case .expression(let kind, let names):
        let values = names.compactMap { name in
          value(name).map { Self.expanded(name, $0, kind) }
        }
        if !values.isEmpty { result += kind.first + values.joined(separator: kind.separator) }
      }
    }
    return result
  }

  /// The path with `*` in place of properties, as in an association file, or `nil` if the scheme is
  /// not https.
  package var pathPattern: String? {
    guard text.lowercased().hasPrefix("https://") else { return nil }
    var pattern = ""
    for part in parts {
      switch part {
      case .literal(let text): pattern += Self.encoded(text, allowsReserved: true)
      case .expression(.query, _), .expression(.continuation, _), .expression(.fragment, _): break
      case .expression(let kind, _):
        pattern += (kind.isNamed || kind == .path ? kind.first : "") + "*"
      }
    }
    let path = pattern.dropFirst("https://".count).drop { $0 != "/" }
    return path.isEmpty ? "/" : String(path.prefix { $0 != "?" && $0 != "#" })
  }

  /// Returns the value of a property for which the template can give a link, or `nil` if the template does not have the
  /// property between two literal texts, the end or characters that an encoded value never has. The link may have been made of another
  /// template: expand the template with the entity's properties and compare.
  ///
  /// - Complexity: O(length of the link).
  package func value(of name: String, in link: String) -> String? {
    guard
      let position = parts.firstIndex(where: { part in
        if case .expression(let kind, [name]) = part {
          return !kind.allowsReserved
        } else {
          return false
        }
      })
    else { return nil }
    var rest = Array(link.utf8)[...]
    for part in parts[..<position] {
      guard case .literal(let text) = part else { return nil }
      let bytes = Array(Self.encoded(text, allowsReserved: true).utf8)
      guard rest.starts(with: bytes) else { return nil }
      rest = rest.dropFirst(bytes.count)
    }
    if case .expression(let kind, _) = parts[position] {
      let start = Array((kind.first + (kind.isNamed ? name + "=" : "")).utf8)
      guard rest.starts(with: start) else { return nil }
      rest = rest.dropFirst(start.count)
    }
    let encoded = rest.prefix { Self.isUnreservedByte($0) || $0 == 0x25 }
    return Self.percentDecoded(encoded)
  }

  /// Returns the text of percent-encoded bytes, or `nil` if they are not UTF-8 or a triplet is incomplete.
  private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        decoded.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      decoded.append(value)
      rest = rest.dropFirst(2)
    }
    return decoded.isEmpty ? nil : String(validating: decoded, as: UTF8.self)
  }

  /// The host of an https template.
  package var host: String? {
    guard text.lowercased().hasPrefix("https://") else { return nil }
    return String(text.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" })
      .lowercased()
  }

  private static func expanded(_ name: String, _ value: String, _ kind: Operator) -> String {
    let text = encoded(value, allowsReserved: kind.allowsReserved)
    guard kind.isNamed else { return text }
    return name + (text.isEmpty && kind == .parameter ? "" : "=" + text)
  }

  private static func parts(of text: String) throws(LinkError) -> [Part] {
    func fail(_ reason: String) -> LinkError {
      LinkError(code: .invalidTemplate, message: "'\(text)' \(reason)")
    }
    var parts: [Part] = []
    var literal = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      if character == "}" { throw fail("has a } without a {") }
      guard character == "{" else {
        literal.append(character)
        continue
      }
      guard let end = rest.firstIndex(of: "}") else { throw fail("has a { without a }") }
      var body = rest[..<end]
      rest = rest[rest.index(after: end)...]
      var kind = Operator.simple
      if let first = body.first, let known = Operator(rawValue: first), known != .simple {
        kind = known
        body.removeFirst()
      }
      let names = body.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard names.allSatisfy(isName) else {
        throw fail("has '{\(body)}'; names are made of letters, digits, '_' and '.'")
      }
      if !literal.isEmpty { parts.append(.literal(literal)) }
      literal = ""
      parts.append(.expression(kind, names: names))
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    return parts
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { isUnreservedByte($0) && $0 != 0x2D && $0 != 0x7E }
  }

  private static func isUnreservedByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D
      || byte == 0x2E || byte == 0x5F || byte == 0x7E
  }

  private static let reserved = Set(":/?#[]@!$&'()*+,;=".utf8)

  /// Returns a text in which all but unreserved characters are percent-encoded (RFC 3986, 2.3).
  package static func percentEncoded(_ text: String) -> String {
    encoded(text, allowsReserved: false)
  }

  /// Percent-encodes a text; encoded characters are kept if reserved ones are allowed.
  private static func encoded(_ text: String, allowsReserved: Bool) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isTriplet =
        byte == 0x25 && index + 2 < bytes.count && isHexadecimal(bytes[index + 1])
        && isHexadecimal(bytes[index + 2])
      if isUnreservedByte(byte) || (allowsReserved && (reserved.contains(byte) || isTriplet)) {
        result.append(byte)
      } else {
        result.append(0x25)
        let digits = Array("0123456789ABCDEF".utf8)
        result += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}
