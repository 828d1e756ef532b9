internal import CCurl
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A series of transfers over persistent connections. Only this type calls libcurl.
///
/// `@unchecked Sendable`: a transfer that was taken out of ``HTTPClient``'s idle ones is used by
/// one thread until it is returned, under the client's lock.
@safe final class HTTPTransfer: @unchecked Sendable {
  /// The names of the response fields that are kept.
  static let fieldNames: Set = [
    "content-type", "date", "etag", "last-modified", "location", "retry-after",
  ]

  /// The largest number of bytes of such a field.
  private static let fieldLimit = 2048
  /// The largest number of bytes of a body that is not an image.
  private static let passedLimit = 1 << 16

  /// The most bytes that a compressed byte of a body may become, on average, from a floor on.
  private static let expansion = 200
  private static let expansionFloor = 4_000_000
  /// The size of libcurl's buffer.
  private static let bufferSize = 1 << 14

  private let curl: UnsafeMutableRawPointer?
  private let guardian: UnsafeMutablePointer<cc_guard>
  private let allowsAddress: ([UInt8]) -> Bool
  private let authorityFile: String?
  private let userAgent: String

  // The state of the current transfer.
  private var status = 0
  private var fields: [String: String] = [:]
  private var body: [UInt8] = []
  private var byteLimit = 0
  private var takesEveryAnswer = false
  private var passedByteCount = 0
  private var isTooLarge = false
  /// The bytes of the body so far as they came, which may be compressed.
  private var wireByteCount = 0
  private var expandsTooMuch = false
  private var hasForbiddenAddress = false
  private var shouldStop: () -> Bool = { false }

  /// Makes a transfer.
  ///
  /// - Parameter policy: The policy, which says the addresses that it may connect to.
  init(policy: FetchPolicy) {
    let (every, ranges) = (policy.allowsEveryAddress, policy.privateAddresses)
    allowsAddress = { address in
      every || PublicAddress.contains(address) || ranges.contains { $0.contains(address) }
    }
    userAgent = policy.userAgent
    authorityFile =
      policy.authorityFile
      ?? (unsafe getenv("SSL_CERT_FILE").map { unsafe String(cString: $0) }.flatMap {
        $0.isEmpty ? nil : $0
      })
    unsafe guardian = .allocate(capacity: 1)
    unsafe curl = cc_open()
    // Sound: libcurl only calls back during a transfer, which keeps this object alive.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe guardian.initialize(
      to: cc_guard(
        allows: { bytes, count, context in
          let address = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
          return unsafe HTTPTransfer.of(context).allows(address)
        }, context: context))
  }

  deinit {
    unsafe cc_close(curl)
    unsafe guardian.deallocate()
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer {
    unsafe Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// Sends a request and returns the response, which may be a redirect.
  ///
  /// - Throws: ``FetchError``.
  func get(
    _ url: CurlURL, _ request: HTTPClient.Request, headers secrets: [String] = [], byteLimit: Int,
    timeLimit: Duration, shouldStop: @escaping () -> Bool
  ) throws(FetchError) -> HTTPClient.Response {
    guard let curl = unsafe curl else {
      throw FetchError(code: .unavailable, message: "there is not enough memory to fetch it")
    }
    guard timeLimit > .zero else { throw Self.tooSlow }
    (status, fields, body, self.byteLimit) = (0, [:], [], byteLimit)
    (passedByteCount, isTooLarge, hasForbiddenAddress) = (0, false, false)
    (wireByteCount, expandsTooMuch) = (0, false)
    takesEveryAnswer = request.takesEveryAnswer
    self.shouldStop = shouldStop
    defer { self.shouldStop = { false } }
    var headers: UnsafeMutablePointer<curl_slist>?
    defer { unsafe cc_list_free(headers) }
    for line in Self.lines(of: request) + secrets { unsafe headers = cc_list_append(headers, line) }
    let milliseconds = max(1, Int64(timeLimit / .milliseconds(1)))
    unsafe cc_reset(curl)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let codes = unsafe [
      cc_set_url(curl, url.handle), cc_set_fields(curl, headers), cc_set_guard(curl, guardian),
      cc_set_text(curl, CURLOPT_USERAGENT, userAgent), cc_set_text(curl, CURLOPT_PROXY, ""),
      // libcurl resolves names on its own threads, so it needs no signals, which are unsafe
      // with threads.
      cc_set_number(curl, CURLOPT_NOSIGNAL, 1), cc_set_number(curl, CURLOPT_TCP_KEEPALIVE, 1),
      cc_set_number(curl, CURLOPT_CONNECTTIMEOUT_MS, min(10_000, milliseconds)),
      cc_set_number(curl, CURLOPT_TIMEOUT_MS, milliseconds),
      cc_set_progress(
        curl,
        { context, _, received, _, _ in
          unsafe HTTPTransfer.of(context).goesOn(after: Int(received)) ? 0 : 1
        }, context),
      cc_set_head(
        curl,
        { bytes, size, count, context in
          let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
          unsafe HTTPTransfer.of(context).takeField(line)
          return size * count
        }, context),
      cc_set_body(
        curl,
        { bytes, size, count, context in
          let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
          return unsafe HTTPTransfer.of(context).take(piece) ? size * count : 0
        }, context),
    ]
    precondition(codes.allSatisfy { $0 == CURLE_OK }, "libcurl has every option that is set")
    if let file = authorityFile {
      let code = unsafe cc_set_text(curl, CURLOPT_CAINFO, file)
      guard code == CURLE_OK else { throw failure(code) }
    }
    if !request.takesEveryAnswer {
      let code = unsafe cc_set_text(curl, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
      guard code == CURLE_OK else { throw failure(code) }
    }
    if let content = request.content {
      // Sound: libcurl copies the bytes before it returns.
      let code = unsafe content.bytes.withUnsafeBufferPointer {
        unsafe cc_set_content(curl, $0.baseAddress, $0.count)
      }
      guard code == CURLE_OK else { throw failure(code) }
    }
    let code = unsafe cc_perform(curl)
    defer { body = [] }
    // What such an answer says besides its status is not needed.
    let isStatusEnough =
      status != 200 && !isTooLarge && !expandsTooMuch
      && (code == CURLE_WRITE_ERROR || code == CURLE_BAD_CONTENT_ENCODING && status > 0)
    if code == CURLE_OK || isStatusEnough {
      return HTTPClient.Response(status: status, fields: fields, body: body)
    }
    throw failure(code)
  }

  /// Returns the header fields of a request.
  private static func lines(of request: HTTPClient.Request) -> [String] {
    var lines = ["Accept: \(request.accept)"]
    lines += request.etag.map { ["If-None-Match: \($0)"] } ?? []
    lines += request.lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
    // The empty `Expect:` keeps libcurl from asking the server first whether it accepts a large
    // body.
    lines += request.content.map { ["Content-Type: \($0.type)", "Expect:"] } ?? []
    return lines + request.fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
  }

  // MARK: Callbacks of libcurl

  private func allows(_ address: [UInt8]) -> Bool {
    let isAllowed = allowsAddress(address)
    if !isAllowed { hasForbiddenAddress = true }
    return isAllowed
  }

  private func takeField(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= Self.fieldLimit else { return }
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // Each response resets the state, including informational ones before the final one (RFC
      // 9110, 15.2).
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      fields = [:]
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let name = line[..<colon].lowercased()
    guard Self.fieldNames.contains(name) else { return }
    let value = line[line.index(after: colon)...]
    fields[name] = String(
      value.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Notes the bytes that were received, before they are decompressed; `false` ends the transfer.
  private func goesOn(after received: Int) -> Bool {
    wireByteCount = received
    return !shouldStop()
  }

  /// Receives a piece of the body; `false` ends the transfer.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard status == 200 || takesEveryAnswer else {
      // A short error page is read and dropped, so that the connection can be reused.
      passedByteCount += bytes.count
      return passedByteCount <= Self.passedLimit
    }
    isTooLarge = bytes.count > byteLimit - body.count
    // libcurl tells the bytes only after it has decompressed them, so a buffer of its counts as received.
    expandsTooMuch =
      body.count > Self.expansionFloor
      && body.count / Self.expansion > wireByteCount + Self.bufferSize
    if expandsTooMuch { return false }
    if !isTooLarge { unsafe body.append(contentsOf: bytes) }
    return !isTooLarge
  }

  // MARK: Failures

  static let tooSlow = FetchError(
    code: .unavailable, message: "it was not received within the time limit")

  private func failure(_ code: CURLcode) -> FetchError {
    if isTooLarge {
      return FetchError(
        code: .unusable,
        message: "it has more than \(byteLimit) bytes, which is the limit")
    }
    if expandsTooMuch {
      return FetchError(
        code: .unusable,
        message: "each of its bytes becomes more than \(Self.expansion) when it is decompressed")
    }
    if hasForbiddenAddress {
      return FetchError(
        code: .notAllowed, message: "its host has an address that is not public")
    }
    switch code {
    case CURLE_ABORTED_BY_CALLBACK:
      return FetchError(code: .cancelled, message: "the run was cancelled")
    case CURLE_OPERATION_TIMEDOUT: return Self.tooSlow
    case CURLE_BAD_CONTENT_ENCODING:
      return FetchError(code: .unusable, message: "it is compressed in a way that cannot be read")
    case CURLE_COULDNT_RESOLVE_HOST:
      return FetchError(code: .unavailable, message: "its host name cannot be resolved")
    default:
      let reason = unsafe String(cString: cc_reason(code))
      return FetchError(code: .unavailable, message: "the connection failed: \(reason)")
    }
  }
}
