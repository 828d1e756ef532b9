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
    ce_signal(descriptor)
  }

  /// Makes it unreadable again.
  func clear() {
    ce_clear(descriptor)
  }
}
