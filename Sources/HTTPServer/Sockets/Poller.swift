import CEpoll

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits for many descriptors at once: Linux's epoll, level-triggered.
///
/// It belongs to the thread of the event loop.
struct Poller: ~Copyable {
  /// The events of a descriptor.
  struct Interest: OptionSet, Sendable {
    let rawValue: UInt32
    static let read = Interest(rawValue: CE_READ)
    static let write = Interest(rawValue: CE_WRITE)
    /// The other side has closed, or will send no more.
    static let hangUp = Interest(rawValue: CE_HANG_UP)
    /// The connection is gone altogether; reported whether asked for or not.
    static let gone = Interest(rawValue: CE_GONE)
  }

  private let descriptor: Int32
  private var events = [ce_event](repeating: ce_event(), count: Int(CE_BATCH))

  init() throws(SocketError) {
    descriptor = ce_open()
    if descriptor < 0 { throw SocketError("epoll_create1") }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// Reports the events of a descriptor from now on, under a number of the caller's.
  func add(_ file: Int32, _ interest: Interest, as id: UInt64) throws(SocketError) {
    if ce_control(descriptor, CE_ADD, file, interest.rawValue, id) != 0 {
      throw SocketError("epoll_ctl")
    }
  }

  /// Changes the events that are reported.
  func change(_ file: Int32, _ interest: Interest, as id: UInt64) {
    // The call only fails for descriptors that were never added.
    let status = ce_control(descriptor, CE_CHANGE, file, interest.rawValue, id)
    precondition(status == 0, "the descriptor was not added to the poller")
  }

  /// Reports no more events of a descriptor.
  func remove(_ file: Int32) { _ = ce_control(descriptor, CE_REMOVE, file, 0, 0) }

  /// Waits for events, for at most `milliseconds`.
  mutating func wait(milliseconds: Int32) -> [(id: UInt64, interest: Interest)] {
    // Sound: the call receives the array's memory and its count.
    let count = unsafe events.withUnsafeMutableBufferPointer { events in
      unsafe ce_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
    }
    return events.prefix(max(0, Int(count))).map { ($0.id, Interest(rawValue: $0.interest)) }
  }
}
