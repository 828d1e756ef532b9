extension RequestHead {
  /// Makes the head of a request, and decides where its body ends.
  init(_ line: StartLine, _ fields: HTTPFields, bodyLimit: Int) throws(HTTPError) {
    let target = try RequestTarget(line.target[...], method: line.method)
    try Self.checkHost(fields, target.authority, line)
    // A field that is not a list may come once only (RFC 9110, 5.3): a proxy might read the other one.
    guard fields.values("content-type").count <= 1 else {
      throw Self.bad("there are several Content-Type fields; a body has one type")
    }
    let isOld = line.minorVersion == 0
    let expectations = fields.list("expect").map { ASCII.lowercased($0) }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPError(
        code: .expectationFailed, message: "the only expectation that is met is 100-continue")
    }
    let options = Set(fields.list("connection").map { ASCII.lowercased($0) })
    self.init(
      method: line.method, path: target.path, query: target.query, fields: fields,
      host: target.authority ?? fields["host"],
      keepsAlive: isOld ? options.contains("keep-alive") : !options.contains("close"),
      expectsContinue: !isOld && !expectations.isEmpty,
      framing: try Self.framing(fields, isOld: isOld, bodyLimit: bodyLimit))
  }

  /// Checks that there is exactly one Host, and that it is well-formed (RFC 9112, 3.2).
  private static func checkHost(
    _ fields: HTTPFields, _ authority: String?, _ line: StartLine
  ) throws(HTTPError) {
    let hosts = fields.values("host")
    guard hosts.count == 1 || (hosts.isEmpty && line.minorVersion == 0) else {
      throw bad("there are \(hosts.count) Host fields; one is needed")
    }
    for host in hosts + (authority.map { [$0] } ?? []) {
      guard Authority.isWellFormed(host) else {
        throw bad("the Host is not a name or an address, with a port or without")
      }
    }
  }

  /// Returns the framing of the body (RFC 9112, 6).
  private static func framing(
    _ fields: HTTPFields, isOld: Bool, bodyLimit: Int
  ) throws(HTTPError) -> Framing {
    let lengths = fields.values("content-length")
    let codings = fields.values("transfer-encoding")
    if !codings.isEmpty {
      guard !isOld, lengths.isEmpty else {
        throw bad("Transfer-Encoding beside Content-Length, or in HTTP/1.0")
      }
      guard codings.count == 1 else { throw bad("there are two Transfer-Encodings") }
      guard ASCII.lowercased(codings[0]) == "chunked" else {
        throw HTTPError(
          code: .codingNotImplemented,
          message: "the only transfer coding that is read is 'chunked'")
      }
      return .chunked
    }
    guard let text = lengths.first else { return .length(0) }
    guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else {
      throw bad("Content-Length is not one number")
    }
    guard let length = Int(text), length <= bodyLimit else {
      throw .bodyTooLarge(limit: bodyLimit)
    }
    return .length(length)
  }

  private static func bad(_ message: String) -> HTTPError {
    HTTPError(code: .badRequest, message: message)
  }
}
