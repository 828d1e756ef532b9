/// A request without its body: what RFC 9112 calls the start line and the header section.
struct RequestHead: Sendable, Hashable {
  /// The method, as it came.
  let method: String
  /// The segments of the path, percent-decoded: `["v1", "match"]`.
  let path: [String]
  /// The parameters of the query, in their order.
  let query: [Parameter]
  /// The header fields.
  let fields: HTTPFields
  /// Whether the connection may serve another request after this one.
  let keepsAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  let expectsContinue: Bool
  /// How the body comes.
  let framing: Framing

  /// How a body is delimited.
  enum Framing: Sendable, Hashable {
    case length(Int)
    case chunked
  }

  /// One `name=value` of a query.
  struct Parameter: Sendable, Hashable {
    /// The name, percent-decoded.
    let name: String
    /// The value, percent-decoded.
    let value: String
    /// The values between the commas that are not percent-encoded, decoded.
    let list: [String]
  }
}

/// The target of a request (RFC 9112, 3.2): a path and a query.
struct RequestTarget: Sendable, Hashable {
  let path: [String]
  let query: [RequestHead.Parameter]
  /// The authority of a target in absolute form, which counts instead of the Host field.
  let authority: String?

  /// Parameters of a query beyond these make it no request.
  static let parameterLimit = 200

  /// Reads a target in origin, absolute or asterisk form.
  init(_ text: Substring, method: String) throws(HTTPError) {
    var rest = text
    var authority: String?
    if text == "*", method == "OPTIONS" {
      (path, query, self.authority) = ([], [], nil)
      return
    }
    for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
      let behind = text.dropFirst(scheme.count)
      let end = behind.firstIndex { $0 == "/" || $0 == "?" } ?? behind.endIndex
      authority = String(behind[..<end])
      rest = behind[end...]
      if rest.isEmpty || rest.first == "?" { rest = "/" + rest }
    }
    guard rest.first == "/", !rest.contains("#") else {
      throw HTTPError(code: .badRequest, message: "the request target is no path")
    }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for segment in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      path.append(try Self.decoded(segment, plusIsSpace: false))
    }
    self.path = path
    self.authority = authority
    query = parts.count > 1 ? try Self.parameters(parts[1]) : []
  }

  private static func parameters(
    _ text: Substring
  ) throws(HTTPError) -> [RequestHead.Parameter] {
    let pairs = text.split(separator: "&")
    guard pairs.count <= parameterLimit else {
      throw HTTPError(
        code: .badRequest, message: "the query has more than \(parameterLimit) parameters",
        limit: parameterLimit)
    }
    var parameters: [RequestHead.Parameter] = []
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let raw = parts.count > 1 ? parts[1] : ""
      var list: [String] = []
      for element in raw.split(separator: ",") {
        list.append(try decoded(element, plusIsSpace: true))
      }
      parameters.append(
        RequestHead.Parameter(
          name: try decoded(parts[0], plusIsSpace: true),
          value: try decoded(raw, plusIsSpace: true), list: list))
    }
    return parameters
  }

  /// Percent-decodes; a query's `+` is a space, as forms and `URLSearchParams` write it.
  private static func decoded(
    _ text: Substring, plusIsSpace: Bool
  ) throws(HTTPError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(ASCII.hexadecimal),
          let low = rest.popFirst().flatMap(ASCII.hexadecimal)
        else {
          throw HTTPError(
            code: .badRequest, message: "a % in the target is not followed by two hex digits")
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HTTPError(code: .badRequest, message: "the target is not in UTF-8")
    }
    return text
  }
}

/// Classes of bytes in HTTP's grammar.
enum ASCII {
  /// The value of a hexadecimal digit.
  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// `tchar` (RFC 9110, 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  /// Bytes of a field value (RFC 9110, 5.5): no control but the tabulator.
  static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
