import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A service that answers as a test says, and records what it is asked.
final class ScriptedService: Sendable {
  /// A request.
  struct Request: Sendable {
    let method: String
    let path: String
    let query: [String]
    let headers: String
    let body: Data
  }

  /// An answer.
  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body = Data("{}".utf8)
  }

  let address: URL
  private let handle: Int32
  private let log = Log()

  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// The requests so far.
  var requests: [Request] { log.requests.withLock { $0 } }

  /// Begins to answer. The number of a request is 0 for the first one.
  init(answer: @escaping @Sendable (Request, _ number: Int) -> Answer) throws {
    #if canImport(Glibc)
      let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let handle = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16 = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(handle, address, length) == 0, listen(handle, 64) == 0 else { return }
        _ = getsockname(handle, address, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    self.handle = handle
    address = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let log = log
    Thread.detachNewThread {
      while true {
        let connection = accept(handle, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread {
          defer { close(connection) }
          guard let request = Self.read(connection) else { return }
          let number = log.requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
          }
          Self.write(answer(request, number), to: connection)
        }
      }
    }
  }

  deinit {
    shutdown(handle, Int32(SHUT_RDWR))
    close(handle)
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    func more() -> Bool {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      bytes += buffer[..<count]
      return true
    }
    let end = Data("\r\n\r\n".utf8)
    while bytes.range(of: end) == nil { guard more() else { return nil } }
    guard let range = bytes.range(of: end) else { return nil }
    let headers = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
    let length =
      headers.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
    while bytes.count < range.upperBound + length { guard more() else { return nil } }
    let target = headers.split(separator: " ", maxSplits: 2).prefix(2).map(String.init)
    let parts = target[1].split(separator: "?", maxSplits: 1).map(String.init)
    let query = parts.count < 2 ? [] : parts[1].split(separator: "&").map(String.init)
    return Request(
      method: target[0], path: parts[0], query: query, headers: headers,
      body: bytes[range.upperBound...])
  }

  private static func write(_ answer: Answer, to connection: Int32) {
    var text = "HTTP/1.1 \(answer.status) X\r\nConnection: close\r\n"
    for (name, value) in answer.headers { text += "\(name): \(value)\r\n" }
    let bytes = Data((text + "Content-Length: \(answer.body.count)\r\n\r\n").utf8) + answer.body
    bytes.withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }
}
