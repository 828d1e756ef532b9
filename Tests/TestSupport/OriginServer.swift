#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// A web server on this machine that answers as a test tells it to, one request a connection.
public final class OriginServer: Sendable {
  /// A request that was received.
  public struct Request: Sendable {
    /// Its path, with what follows a question mark.
    public let path: String
    /// By names in small letters.
    public let fields: [String: String]
  }

  /// An answer.
  public struct Response: Sendable {
    /// Its status.
    public var status: Int
    /// Its fields besides the length.
    public var fields: [String: String]
    /// Its body.
    public var body: [UInt8]
    /// True if the response states its length.
    public var tellsLength = true
    /// The time before the answer is sent.
    public var delay: Duration = .zero

    /// Makes an answer.
    public init(_ status: Int, _ fields: [String: String] = [:], body: [UInt8] = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }
  }

  /// The port at 127.0.0.1 on which it listens.
  public let port: Int
  private let listener: Int32
  private let log = Log()

  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// Requests so far.
  public var requests: [Request] { log.requests.withLock { $0 } }

  /// Starts to listen; it ends with the object.
  public init(_ answer: @escaping @Sendable (Request) -> Response) {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Sound: the pointers are those of `address`, with its length.
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    precondition(isListening, "a port of this machine can be listened at")
    port = Int(UInt16(bigEndian: address.sin_port))
    self.listener = listener
    startThread { [log] in
      // Closed by the only thread that accepts: closed elsewhere, its number could already be that of another test's
      // server, whose clients this one would answer.
      defer { close(listener) }
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { return }
        startThread {
          defer { close(connection) }
          guard let request = Self.request(from: connection) else { return }
          log.requests.withLock { $0.append(request) }
          Self.send(answer(request), to: connection)
        }
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func request(from connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      var byte: UInt8 = 0
      guard unsafe read(connection, &byte, 1) == 1, bytes.count < 1 << 16 else { return nil }
      bytes.append(byte)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(line[line.index(colon, offsetBy: 2)...])
    }
    return Request(path: String(lines[0].split(separator: " ")[1]), fields: fields)
  }

  private static func send(_ response: Response, to connection: Int32) {
    let milliseconds = Int(response.delay / .milliseconds(1))
    if milliseconds > 0 { usleep(UInt32(1000 * milliseconds)) }
    var head = "HTTP/1.1 \(response.status) X\r\nConnection: close\r\n"
    if response.tellsLength { head += "Content-Length: \(response.body.count)\r\n" }
    for (name, value) in response.fields { head += "\(name): \(value)\r\n" }
    var rest = (Array((head + "\r\n").utf8) + response.body)[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Int(
          // A client that goes away is not a reason to end.
          Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
      }
      if sent <= 0 { return }
      rest = rest.dropFirst(sent)
    }
  }
}

/// Runs something that blocks on a thread of its own.
private func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  // The thread owns the reference that `passRetained` takes.
  let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
  let status = unsafe pthread_create(
    &thread, nil,
    { argument in
      unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, argument)
  precondition(status == 0)
  pthread_detach(thread)
}
