/// Reads requests from the bytes of a client: HTTP/1.1 and HTTP/1.0 as specified by RFC 9112, nothing more.
///
/// It is a value without a clock or a socket: the same bytes give the same requests however they are cut. A request
/// that could be read in two ways, so that a proxy in front might see another one (RFC 9112, 11.2), is rejected: line
/// feeds without carriage returns, white space around names, folded lines, two lengths, a length beside chunks, any
/// transfer coding but `chunked`, bytes beyond ASCII in fields that decide where a message ends.
///
/// Memory is that of the limits: a line, the header fields, and a body as far as it has come (``BodyBuffer``).
package struct RequestParser: Sendable {
  /// The limits of one request.
  package struct Limits: Sendable, Hashable {
    /// The largest number of bytes of the request target.
    package var targetBytes: Int
    /// The largest number of bytes of all header fields, and of all trailers.
    package var headerBytes: Int
    /// The largest number of header fields.
    package var fieldCount: Int
    /// The largest number of bytes of a body.
    package var bodyBytes: Int

    package init(
      targetBytes: Int = 8192, headerBytes: Int = 16_384, fieldCount: Int = 100,
      bodyBytes: Int = 10_000_000
    ) {
      self.targetBytes = targetBytes
      self.headerBytes = headerBytes
      self.fieldCount = fieldCount
      self.bodyBytes = bodyBytes
    }
  }

  /// A part of a request that is complete.
  enum Event: Sendable, Hashable {
    /// The head; the body follows, if there is one.
    case head(RequestHead)
    /// The end of the request, with its whole body.
    case end(body: [UInt8])
  }

  let limits: Limits
  private var state = State.start
  private var pending: [UInt8] = []
  /// The offset of the first unused byte of `pending`, and of the first that was not searched for the end of a line.
  private var start = 0
  private var scanned = 0
  private var line = StartLine.none
  /// The header fields of the request that is being read, as far as they have come.
  private(set) var fields = HTTPFields()
  private var headerBytes = 0
  private var body = BodyBuffer()

  private enum State: Sendable, Hashable {
    case start, fields, chunkSize, chunkEnd, trailers, failed
    /// Bytes of the body, or of the chunk, that are still to come.
    case body(Int)
    case chunk(Int)
  }

  /// Bytes of a line that says how long a chunk is.
  private static let chunkLineLimit = 256

  /// Fields that decide where a message ends and whether another one follows.
  private static let framingFields: Set = [
    "transfer-encoding", "content-length", "connection", "expect", "host",
  ]

  init(limits: Limits = Limits()) { self.limits = limits }

  /// True if no byte of a next request has arrived.
  var isIdle: Bool { state == .start && start == pending.count }

  /// The number of bytes of memory that are held for requests.
  var heldBytes: Int { pending.count - start + body.capacity }

  /// Adds bytes of the client.
  mutating func append(_ bytes: some Collection<UInt8>) {
    var taken = 0
    if start == pending.count {
      // The buffer is empty, so the bytes of a body are appended to the body directly. The memory
      // of the last packet is freed.
      pending = []
      (start, scanned) = (0, 0)
      taken = takeBody(bytes)
    } else if start > 0 {
      pending.removeFirst(start)
      scanned -= start
      start = 0
    }
    pending.append(contentsOf: bytes.dropFirst(taken))
  }

  /// Forgets everything; no further request is read.
  mutating func discard() {
    state = .failed
    pending = []
    (start, scanned) = (0, 0)
    fields = HTTPFields()
    body = BodyBuffer()
  }

  /// Returns the next event, or `nil` until more bytes come.
  ///
  /// - Throws: ``HTTPError``. Further bytes of the connection cannot be read then.
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
        // Ignores an empty line or two before a request (RFC 9112, 2.2).
        let room = StartLine.methodLimit + limits.targetBytes + 16
        guard let line = try nextLine(limit: room, .targetTooLong) else { return nil }
        if line.isEmpty {
          headerBytes += 2
          if headerBytes > 4 { throw bad("there are empty lines where a request should be") }
          continue
        }
        self.line = try StartLine(line, targetLimit: limits.targetBytes)
        headerBytes = 0
        state = .fields
      case .fields:
        let room = limits.headerBytes - headerBytes
        guard
          let line = try nextLine(
            limit: room, .headersTooLarge, whole: limits.headerBytes)
        else { return nil }
        headerBytes += line.count + 2
        if line.isEmpty { return .head(try beginBody()) }
        try append(field: line)
      case .body(let count):
        if count == 0 { return end() }
        if takePending() == 0 { return nil }
      case .chunkSize:
        guard let line = try nextLine(limit: Self.chunkLineLimit, .headersTooLarge) else {
          return nil
        }
        let size = try chunkSize(line)
        guard size <= limits.bodyBytes - body.count else { throw bodyTooLarge() }
        state = size == 0 ? .trailers : .chunk(size)
      case .chunk(let count):
        if count == 0 {
          state = .chunkEnd
        } else if takePending() == 0 {
          return nil
        }
      case .chunkEnd:
        guard let line = try nextLine(limit: 0, .badRequest) else { return nil }
        guard line.isEmpty else { throw bad("a chunk is longer than it says") }
        state = .chunkSize
      case .trailers:
        let room = limits.headerBytes - headerBytes
        guard
          let line = try nextLine(
            limit: room, .headersTooLarge, whole: limits.headerBytes)
        else { return nil }
        headerBytes += line.count + 2
        if line.isEmpty { return end() }
        // Trailer fields are checked and dropped: fields after the body must not change the
        // request (RFC 9110, 6.5.1).
        _ = try field(line)
      }
    }
  }

  /// Adds a header field.
  private mutating func append(field line: ArraySlice<UInt8>) throws(HTTPError) {
    guard fields.all.count < limits.fieldCount else {
      throw HTTPError(
        code: .headersTooLarge,
        message: "there are more than \(limits.fieldCount) header fields",
        limit: limits.fieldCount)
    }
    let field = try self.field(line)
    fields.append(field.name, field.value)
  }

  /// Ends the head and prepares for the body.
  private mutating func beginBody() throws(HTTPError) -> RequestHead {
    let head = try RequestHead(line, fields, bodyLimit: limits.bodyBytes)
    body = BodyBuffer()
    switch head.framing {
    case .length(let count): state = .body(count)
    case .chunked: state = .chunkSize
    }
    headerBytes = 0
    fields = HTTPFields()
    return head
  }

  private mutating func end() -> Event {
    state = .start
    headerBytes = 0
    return .end(body: body.take())
  }

  /// Moves the first of some bytes to the body, as far as they belong to it.
  ///
  /// - Returns: Their number.
  private mutating func takeBody(_ bytes: some Collection<UInt8>) -> Int {
    switch state {
    case .body(let left):
      let taken = min(left, bytes.count)
      body.append(bytes.prefix(taken), of: left)
      state = .body(left - taken)
      return taken
    case .chunk(let left):
      let taken = min(left, bytes.count)
      // Gives the total that may still follow, so that room is reserved for many chunks at
      // once. Reserving for each small chunk would take many times its bytes.
      body.append(bytes.prefix(taken), of: limits.bodyBytes - body.count)
      state = .chunk(left - taken)
      return taken
    case .start, .fields, .chunkSize, .chunkEnd, .trailers, .failed: return 0
    }
  }

  /// Moves bytes that have come to the body, as far as they belong to it.
  private mutating func takePending() -> Int {
    let taken = takeBody(pending[start...])
    start += taken
    scanned = start
    return taken
  }

  // MARK: Lines

  /// Returns the next line without its end, or `nil` until that comes.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the line.
  ///   - code: The code of the error if it is longer.
  ///   - whole: The limit of all lines together, of which `limit` is what is left, if there is one.
  private mutating func nextLine(
    limit: Int, _ code: HTTPError.Code, whole: Int? = nil
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
        throw bad("there is a CR without LF")
      }
      if scanned - start > limit || (scanned - start == limit && byte != 0x0D) {
        throw HTTPError(code: code, message: Self.tooLong(code, limit), limit: whole ?? limit)
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

  /// `field-name ":" OWS field-value OWS` (RFC 9112, 5).
  private func field(
    _ line: ArraySlice<UInt8>
  ) throws(HTTPError) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(ASCII.isToken)
    else {
      // This also rejects a space before the colon and a folded line.
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

  private func bad(_ message: String) -> HTTPError {
    HTTPError(code: .badRequest, message: message)
  }

  private func bodyTooLarge() -> HTTPError { .bodyTooLarge(limit: limits.bodyBytes) }
}
