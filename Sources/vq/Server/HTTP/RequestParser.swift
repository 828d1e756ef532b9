/// Reads requests from a client's bytes: HTTP/1.1 and HTTP/1.0 as RFC 9112 writes them, nothing more.
///
/// It is a value without a clock or a socket: the same bytes give the same requests however they are
/// cut. Where a request could be read in two ways, so that a proxy in front might see another one
/// (RFC 9112, 11.2), it is refused: line feeds alone, white space around names, folded lines, two
/// lengths, a length beside chunks, any transfer coding but `chunked`, bytes beyond ASCII in fields
/// that decide where a message ends.
///
/// Memory is that of the limits: a line, the header fields, and a body as far as it has come.
struct RequestParser: Sendable {
  /// What a request may cost.
  struct Limits: Sendable, Hashable {
    /// Bytes of the request target.
    var targetBytes = 8192
    /// Bytes of all header fields, and of all trailers.
    var headerBytes = 16_384
    /// Number of header fields.
    var fieldCount = 100
    /// Bytes of a body.
    var bodyBytes = 10_000_000
  }

  /// What has come.
  enum Event: Sendable, Hashable {
    /// The head; the body follows, if there is one.
    case head(RequestHead)
    /// The end of the request, with its whole body.
    case end(body: [UInt8])
  }

  let limits: Limits
  private var state = State.start
  private var pending: [UInt8] = []
  /// Where what is not yet used begins in `pending`, and where nobody has looked for a line's end.
  private var start = 0
  private var scanned = 0
  private var line = StartLine()
  /// The header fields of the request that is being read, as far as they have come.
  private(set) var fields = HTTPFields()
  private var headerBytes = 0
  private var body: [UInt8] = []

  private enum State: Sendable, Hashable {
    case start, fields, chunkSize, chunkEnd, trailers, failed
    /// Bytes of the body, or of the chunk, that are still to come.
    case body(Int)
    case chunk(Int)
  }

  private struct StartLine: Sendable, Hashable {
    var method = ""
    var target = ""
    var minorVersion = 1
  }

  /// Bytes of a method's name.
  private static let methodLimit = 32
  /// Bytes of a line that says how long a chunk is.
  private static let chunkLineLimit = 256

  /// Fields that decide where a message ends and whether another one follows.
  private static let framingFields: Set = [
    "transfer-encoding", "content-length", "connection", "expect", "host",
  ]

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Whether nothing of a next request has come.
  var isIdle: Bool { state == .start && start == pending.count }

  /// Whether a request's head has been read and its body has not.
  var isInBody: Bool {
    switch state {
    case .start, .fields, .failed: false
    case .chunkSize, .chunkEnd, .trailers, .body, .chunk: true
    }
  }

  /// Bytes that are held for requests.
  var heldBytes: Int { pending.count - start + body.count }

  /// Takes what a client sent.
  mutating func append(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      pending.removeFirst(start)
      scanned -= start
      start = 0
    }
    pending.append(contentsOf: bytes)
  }

  /// The next event, or `nil` until more bytes come.
  ///
  /// - Throws: ``HTTPError``; the connection is then of no more use.
  mutating func next() throws(HTTPError) -> Event? {
    do throws(HTTPError) {
      return try step()
    } catch {
      state = .failed
      throw error
    }
  }

  private mutating func step() throws(HTTPError) -> Event? {
    while true {
      switch state {
      case .failed: return nil
      case .start:
        // An empty line or two before a request are passed over (RFC 9112, 2.2).
        let room = Self.methodLimit + limits.targetBytes + 16
        guard let line = try nextLine(limit: room, .targetTooLong) else { return nil }
        if line.isEmpty {
          headerBytes += 2
          if headerBytes > 4 { throw bad("there are empty lines where a request should be") }
          continue
        }
        self.line = try startLine(line)
        headerBytes = 0
        state = .fields
      case .fields:
        let room = limits.headerBytes - headerBytes
        guard let line = try nextLine(limit: room, .headersTooLarge) else { return nil }
        headerBytes += line.count + 2
        if line.isEmpty {
          let head = try head()
          body = []
          switch head.framing {
          case .length(let count):
            // What the client announces is only reserved up to a picture of usual size.
            body.reserveCapacity(min(count, 4 << 20))
            state = .body(count)
          case .chunked: state = .chunkSize
          }
          headerBytes = 0
          fields = HTTPFields()
          return .head(head)
        }
        guard fields.all.count < limits.fieldCount else {
          throw HTTPError(
            code: .headersTooLarge,
            message: "there are more than \(limits.fieldCount) header fields",
            limit: limits.fieldCount)
        }
        let field = try self.field(line)
        fields.append(field.name, field.value)
      case .body(let count):
        let taken = take(count)
        if taken < count {
          state = .body(count - taken)
          return nil
        }
        return end()
      case .chunkSize:
        guard let line = try nextLine(limit: Self.chunkLineLimit, .headersTooLarge) else {
          return nil
        }
        let size = try chunkSize(line)
        guard size <= limits.bodyBytes - body.count else { throw bodyTooLarge() }
        state = size == 0 ? .trailers : .chunk(size)
      case .chunk(let count):
        let taken = take(count)
        state = taken < count ? .chunk(count - taken) : .chunkEnd
        if taken < count { return nil }
      case .chunkEnd:
        guard let line = try nextLine(limit: 0, .badRequest) else { return nil }
        guard line.isEmpty else { throw bad("a chunk is longer than it says") }
        state = .chunkSize
      case .trailers:
        let room = limits.headerBytes - headerBytes
        guard let line = try nextLine(limit: room, .headersTooLarge) else { return nil }
        headerBytes += line.count + 2
        if line.isEmpty { return end() }
        // Read for their form and dropped: nothing that comes after a body may change its request.
        _ = try field(line)
      }
    }
  }

  private mutating func end() -> Event {
    state = .start
    headerBytes = 0
    defer { body = [] }
    return .end(body: body)
  }

  /// Moves up to `count` bytes to the body.
  private mutating func take(_ count: Int) -> Int {
    let taken = min(count, pending.count - start)
    body.append(contentsOf: pending[start..<start + taken])
    start += taken
    scanned = start
    return taken
  }

  // MARK: Lines

  /// The next line without its end, or `nil` until that comes.
  ///
  /// - Parameter code: What it is called when it is longer than `limit`.
  private mutating func nextLine(
    limit: Int, _ code: HTTPError.Code
  ) throws(HTTPError) -> ArraySlice<UInt8>? {
    scanned = max(scanned, start)
    while scanned < pending.count {
      let byte = pending[scanned]
      if byte == 0x0A {
        guard scanned > start, pending[scanned - 1] == 0x0D else {
          throw bad("a line ends in LF without CR")
        }
        let line = pending[start..<scanned - 1]
        scanned += 1
        start = scanned
        return line
      }
      if scanned > start, pending[scanned - 1] == 0x0D {
        throw bad("a CR stands without LF")
      }
      if scanned - start > limit || (scanned - start == limit && byte != 0x0D) {
        throw HTTPError(code: code, message: Self.tooLong(code, limit), limit: limit)
      }
      scanned += 1
    }
    return nil
  }

  private static func tooLong(_ code: HTTPError.Code, _ limit: Int) -> String {
    switch code {
    case .targetTooLong: "the request line is longer than \(limit) bytes"
    case .badRequest: "a chunk is longer than it says"
    default: "header fields, trailers or a chunk's extension take more than is left of their limit"
    }
  }

  /// `method SP request-target SP HTTP-version` (RFC 9112, 3).
  private func startLine(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> StartLine {
    let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, (1...Self.methodLimit).contains(parts[0].count),
      parts[0].allSatisfy(ASCII.isToken), !parts[1].isEmpty,
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw bad("the first line is not 'METHOD TARGET HTTP/1.1'")
    }
    let version = Array(parts[2])
    guard version.count == 8, version.starts(with: "HTTP/".utf8), ASCII.isDigit(version[5]),
      version[6] == UInt8(ascii: "."), ASCII.isDigit(version[7])
    else { throw bad("the first line does not end in HTTP/1.1") }
    guard version[5] == UInt8(ascii: "1") else {
      throw HTTPError(
        code: .versionNotSupported,
        message: "\(String(decoding: version, as: UTF8.self)) is not spoken here; use HTTP/1.1")
    }
    guard parts[1].count <= limits.targetBytes else {
      throw HTTPError(
        code: .targetTooLong,
        message: "the target has \(parts[1].count) bytes; the limit is \(limits.targetBytes)",
        limit: limits.targetBytes)
    }
    return StartLine(
      method: String(decoding: parts[0], as: UTF8.self),
      target: String(decoding: parts[1], as: UTF8.self),
      minorVersion: version[7] == UInt8(ascii: "0") ? 0 : 1)
  }

  /// `field-name ":" OWS field-value OWS` (RFC 9112, 5).
  private func field(
    _ line: ArraySlice<UInt8>
  ) throws(HTTPError) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(ASCII.isToken)
    else {
      // A space before the colon and a folded line end here, too.
      throw bad("a header field is not 'Name: value'")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy(ASCII.isFieldValue) else {
      throw bad("a header field has a control character in its value")
    }
    let name = ASCII.lowercased(String(decoding: line[..<colon], as: UTF8.self))
    if Self.framingFields.contains(name), !value.allSatisfy({ $0 < 0x80 }) {
      throw bad("the field '\(name)' has bytes beyond ASCII")
    }
    return (name, ASCII.text(value).trimming(" \t"))
  }

  /// `chunk-size [ chunk-ext ]` (RFC 9112, 7.1).
  private func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPError) -> Int {
    let digits = line.prefix { ASCII.hexadecimal($0) != nil }
    let rest = line[digits.endIndex...]
    let isExtended = rest.isEmpty || rest.first == UInt8(ascii: ";")
    guard !digits.isEmpty, isExtended else { throw bad("a chunk does not begin with its size") }
    guard ChunkExtensions.areWellFormed(rest) else {
      throw bad("a chunk's extension is not ';name' or ';name=value'")
    }
    guard digits.count <= 8 else { throw bodyTooLarge() }
    return digits.reduce(0) { $0 << 4 | Int(ASCII.hexadecimal($1) ?? 0) }
  }

  // MARK: The head

  private func head() throws(HTTPError) -> RequestHead {
    let target = try RequestTarget(line.target[...], method: line.method)
    try checkHost(target.authority)
    let isOld = line.minorVersion == 0
    let expectations = fields.list("expect").map { ASCII.lowercased($0) }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPError(
        code: .expectationFailed, message: "the only expectation that is met is 100-continue")
    }
    let options = Set(fields.list("connection").map { ASCII.lowercased($0) })
    return RequestHead(
      method: line.method, path: target.path, query: target.query, fields: fields,
      keepsAlive: isOld ? options.contains("keep-alive") : !options.contains("close"),
      expectsContinue: !isOld && !expectations.isEmpty, framing: try framing(isOld: isOld))
  }

  /// Just one Host (RFC 9112, 3.2), which could be one.
  private func checkHost(_ authority: String?) throws(HTTPError) {
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

  /// How long the body is (RFC 9112, 6).
  private func framing(isOld: Bool) throws(HTTPError) -> RequestHead.Framing {
    let lengths = fields.values("content-length")
    let codings = fields.values("transfer-encoding")
    if !codings.isEmpty {
      guard !isOld, lengths.isEmpty else {
        throw bad("Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
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
    guard let length = Int(text), length <= limits.bodyBytes else { throw bodyTooLarge() }
    return .length(length)
  }

  private func bad(_ message: String) -> HTTPError {
    HTTPError(code: .badRequest, message: message)
  }

  private func bodyTooLarge() -> HTTPError {
    HTTPError(
      code: .bodyTooLarge, message: "the body has more than \(limits.bodyBytes) bytes",
      limit: limits.bodyBytes)
  }
}
