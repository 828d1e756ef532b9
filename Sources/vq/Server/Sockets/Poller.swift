import CServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits for many descriptors at once: Linux's epoll, level-triggered.
///
/// It belongs to the thread that serves.
struct Poller: ~Copyable {
  /// What is waited for.
  struct Interest: OptionSet, Sendable {
    let rawValue: UInt32
    static let read = Interest(rawValue: CS_READ)
    static let write = Interest(rawValue: CS_WRITE)
    /// The other side has closed, or will send no more.
    static let hangUp = Interest(rawValue: CS_HANG_UP)
    /// The connection is gone altogether; reported whether asked for or not.
    static let gone = Interest(rawValue: CS_GONE)
  }

  private let descriptor: Int32
  private var events = [cs_event](repeating: cs_event(), count: Int(CS_BATCH))

  init() throws(SocketError) {
    descriptor = cs_open()
    if descriptor < 0 { throw SocketError("epoll_create1") }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// Waits for a descriptor under a number of the caller's.
  func add(_ file: Int32, _ interest: Interest, as id: UInt64) throws(SocketError) {
    if cs_control(descriptor, CS_ADD, file, interest.rawValue, id) != 0 {
      throw SocketError("epoll_ctl")
    }
  }

  /// Changes what is waited for.
  func change(_ file: Int32, _ interest: Interest, as id: UInt64) {
    // It fails for descriptors alone that were never added.
    let status = cs_control(descriptor, CS_CHANGE, file, interest.rawValue, id)
    precondition(status == 0, "a descriptor that is not waited for")
  }

  /// Waits no longer for a descriptor.
  func remove(_ file: Int32) { _ = cs_control(descriptor, CS_REMOVE, file, 0, 0) }

  /// Waits until something happens, or for so many milliseconds.
  mutating func wait(milliseconds: Int32) -> [(id: UInt64, interest: Interest)] {
    // Sound: the array's memory and its count.
    let count = unsafe events.withUnsafeMutableBufferPointer { events in
      unsafe cs_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
    }
    return events.prefix(max(0, Int(count))).map { ($0.id, Interest(rawValue: $0.interest)) }
  }
}
