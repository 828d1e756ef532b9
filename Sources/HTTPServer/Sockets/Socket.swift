#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A failed call to the system.
package struct SocketError: Error, Sendable, Hashable {
  /// The number of the error (`errno`).
  let number: Int32
  /// The call and the reason why it failed.
  package let message: String

  /// Takes the reason from `errno`.
  init(_ call: String) {
    number = errno
    // Sound: `strerror` gives a terminated text, copied before anything else runs.
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    message = "\(call): \(reason)"
  }
}

/// A non-blocking stream socket, closed when its last reference goes.
///
/// All system calls of the server that take a pointer to memory are in this type.
package final class Socket: Sendable {
  /// The outcome of reading or writing.
  enum Outcome: Sendable, Hashable {
    case bytes(Int)
    case wouldBlock
    case closed
  }

  let descriptor: Int32
  /// The file of a listening local socket.
  private let file: SocketFile?

  init(adopting descriptor: Int32) { (self.descriptor, file) = (descriptor, nil) }

  private init(listening descriptor: Int32, at file: SocketFile?) {
    (self.descriptor, self.file) = (descriptor, file)
  }

  deinit { _ = close(descriptor) }

  // MARK: Listening

  /// An address to listen at.
  package enum Address: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits, and a port; 0 for any that is free.
    case host(String, port: UInt16)
    /// A path in the file system.
    case path(String)
  }

  /// Listens at an address.
  package static func listening(
    at address: Address, backlog: Int32 = 512
  ) throws(SocketError) -> Socket {
    switch address {
    case .host(let host, let port):
      var v4 = sockaddr_in()
      if unsafe inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        return try bound(v4, AF_INET, backlog)
      }
      var v6 = sockaddr_in6()
      errno = EINVAL
      guard unsafe inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 else {
        throw SocketError("'\(host)' is not an IP address")
      }
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      return try bound(v6, AF_INET6, backlog)
    case .path(let path):
      var local = sockaddr_un()
      local.sun_family = sa_family_t(AF_UNIX)
      let capacity = MemoryLayout.size(ofValue: local.sun_path)
      errno = ENAMETOOLONG
      guard path.utf8.count < capacity else { throw SocketError("'\(path)'") }
      // Sound: the length was just checked, and the array is zero, so a zero byte follows the path.
      unsafe withUnsafeMutableBytes(of: &local.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      removeStale(path, local)
      return try bound(local, AF_UNIX, backlog, path: path)
    }
  }

  /// Removes a socket file that a former server left behind.
  private static func removeStale(_ path: String, _ address: sockaddr_un) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { _ = close(probe) }
    if unsafe withSocketAddress(address, { unsafe connect(probe, $0, $1) }) != 0,
      errno == ECONNREFUSED
    {
      unsafe unlink(path)
    }
  }

  private static func bound<Address>(
    _ address: Address, _ family: Int32, _ backlog: Int32, path: String? = nil
  ) throws(SocketError) -> Socket {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(family, kind, 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    do throws(SocketError) {
      setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
      guard unsafe withSocketAddress(address, { unsafe bind(descriptor, $0, $1) }) == 0 else {
        throw SocketError("bind")
      }
      guard listen(descriptor, backlog) == 0 else { throw SocketError("listen") }
    } catch {
      _ = close(descriptor)
      throw error
    }
    return Socket(listening: descriptor, at: path.flatMap(SocketFile.init))
  }

  /// Stops listening: further clients are refused, and another server may listen at the address. The file of a local
  /// socket is removed, unless it is another server's by now.
  package func stopListening() {
    file?.remove()
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Sound: a socket address of any family begins as `sockaddr` does, and goes with its own size.
  private static func withSocketAddress<Address>(
    _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafeBytes(of: address) { bytes in
      unsafe body(
        bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }

  /// The port of a listening socket.
  package var port: UInt16 {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    // Sound: the memory has room for the larger of the two kinds of address that have a port. The port has the same
    // offset in both.
    let status = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe getsockname(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
    }
    return status == 0 ? UInt16(bigEndian: address.sin6_port) : 0
  }

  // MARK: Connections

  /// Accepts the next connection, or returns `nil` if none waits.
  ///
  /// - Throws: ``SocketError`` if the process may open no more descriptors.
  /// - Returns: The connection and the address of its other end, `nil` at a Unix socket.
  func accept() throws(SocketError) -> (socket: Socket, address: IPAddress?)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Sound: the memory has room for any address, and the call receives its size.
    let accepted = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe Glibc.accept(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
    }
    guard accepted >= 0 else {
      if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
        throw SocketError("accept")
      }
      return nil
    }
    let socket = Socket(adopting: accepted)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    // An answer is written in one piece, so waiting for more bytes would only delay it.
    Self.setOption(accepted, Int32(IPPROTO_TCP), TCP_NODELAY)
    return (socket, Self.address(in: storage))
  }

  private static func address(in storage: sockaddr_storage) -> IPAddress? {
    // Sound: the family tells which kind of address is stored, and each kind fits the storage.
    unsafe withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = unsafe bytes.load(as: sockaddr_in.self).sin_addr
        return unsafe withUnsafeBytes(of: address) { unsafe IPAddress(v4: Array($0)) }
      case AF_INET6:
        let address = unsafe bytes.load(as: sockaddr_in6.self).sin6_addr
        return unsafe withUnsafeBytes(of: address) { unsafe IPAddress(bytes: Array($0)) }
      default: return nil
      }
    }
  }

  private static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    // Sound: the call reads four bytes of a variable that outlives it.
    _ = unsafe setsockopt(descriptor, level, option, &on, 4)
  }

  /// Reads the bytes that have come into a buffer.
  func read(into buffer: inout [UInt8]) -> Outcome {
    // Sound: the call receives the array's memory and its count.
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
    }
    return Self.outcome(count)
  }

  /// Writes as many bytes as the other side takes.
  func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
    // Sound: the call receives the slice's memory and its count. A closed connection raises no
    // signal.
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    return Self.outcome(count)
  }

  private static func outcome(_ count: Int) -> Outcome {
    if count > 0 { return .bytes(count) }
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return .wouldBlock }
    return .closed
  }

  /// Tells the other side that nothing more is written.
  func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }
}

/// The file of a local socket.
private struct SocketFile: Sendable {
  let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Returns `nil` if there is none.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }

  /// Removes the file if it is still the same: while a socket is open, no other one has its inode.
  func remove() {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
      return
    }
    unsafe unlink(path)
  }
}
