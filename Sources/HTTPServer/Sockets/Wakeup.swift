import CEpoll

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Wakes a poller from any thread: an eventfd.
///
/// Closed when its last reference goes.
final class Wakeup: Sendable {
  let descriptor: Int32

  init() throws(SocketError) {
    descriptor = ce_wakeup()
    if descriptor < 0 { throw SocketError("eventfd") }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// Makes the descriptor readable.
  func signal() {
    var one: UInt64 = 1
    // Sound: the call writes the eight bytes of a variable that outlives it.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Makes it unreadable again.
  func clear() {
    var count: UInt64 = 0
    // Sound: the call reads eight bytes into a variable that outlives it.
    _ = unsafe read(descriptor, &count, 8)
  }
}
