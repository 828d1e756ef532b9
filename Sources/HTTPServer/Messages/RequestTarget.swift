/// The target of a request (RFC 9112, 3.2): a path and a query.
struct RequestTarget: Sendable, Hashable {
  let path: [String]
  let query: [RequestHead.Parameter]
  /// The authority of a target in absolute form, which counts instead of the Host field.
  let authority: String?

  /// The largest number of parameters of a query.
  static let parameterLimit = 200

  /// Reads a target in origin, absolute or asterisk form.
  init(_ text: Substring, method: String) throws(HTTPError) {
    var rest = text
    var authority: String?
    if text == "*", method == "OPTIONS" {
      (path, query, self.authority) = ([], [], nil)
      return
    }
    for scheme in ["http://", "https://"]
    where ASCII.lowercased(text.prefix(scheme.count)) == scheme {
      let behind = text.dropFirst(scheme.count)
      let end = behind.firstIndex { $0 == "/" || $0 == "?" } ?? behind.endIndex
      guard end > behind.startIndex else {
        throw HTTPError(code: .badRequest, message: "the request target has an empty authority")
      }
      authority = String(behind[..<end])
      rest = behind[end...]
      if rest.isEmpty || rest.first == "?" { rest = "/" + rest }
    }
    guard rest.first == "/", !rest.contains("#") else {
      throw HTTPError(code: .badRequest, message: "the request target is not a path")
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
