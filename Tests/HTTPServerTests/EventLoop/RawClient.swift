#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@testable import HTTPServer

/// A client on the thread of its test: it writes and reads what is possible at once, and never waits.
final class RawClient {
  private let socket: Socket
  private var unsent: ArraySlice<UInt8> = []
  private(set) var received: [UInt8] = []
  private(set) var isClosed = false

  /// Connects to a port of this machine.
  init(port: UInt16) throws(SocketError) {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    socket = Socket(adopting: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Sound: the pointer is that of `address`, with its size; `connect` only reads.
    let status = unsafe withUnsafeBytes(of: address) { bytes in
      unsafe connect(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count))
    }
    guard status == 0 else { throw SocketError("connect") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Writes a text, as far as the server takes it now; `exchange` writes the rest.
  func send(_ text: String) {
    unsent += Array(text.utf8)
    write()
  }

  /// Writes what is left and reads what has come, up to a number of bytes.
  func exchange(limit: Int = .max) {
    write()
    var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    while !isClosed {
      switch socket.read(into: &buffer) {
      case .bytes(let count):
        received += buffer[..<count]
        if limit < .max { return }
      case .wouldBlock: return
      case .closed: isClosed = true
      }
    }
  }

  private func write() {
    while !unsent.isEmpty, case .bytes(let count) = socket.write(unsent) {
      unsent = unsent.dropFirst(count)
    }
  }

  /// Closes the client's own side.
  func finishWriting() { socket.finishWriting() }

  var text: String { String(decoding: received, as: UTF8.self) }
}
