internal import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Work on two threads, for code that is not part of a task.
package enum SideBySide {
  /// Calls both functions, the second one on a thread of its own, and returns when both have returned.
  ///
  /// The second call follows the first if there may be only one thread, or if the system has none left.
  package static func results<First, Second: Sendable>(
    threads: Int, _ first: () -> First, _ second: @escaping @Sendable () -> Second
  ) -> (First, Second) {
    if threads < 2 { return (first(), second()) }
    let outcome = Outcome<Second>()
    let work = Work { outcome.value.withLock { $0 = second() } }
    // The thread owns the reference that `passRetained` takes, until it ends.
    let argument = unsafe Unmanaged.passRetained(work)
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, argument.toOpaque())
    let result = first()
    if status == 0 {
      pthread_join(thread, nil)
    } else {
      unsafe argument.release()
      work.body()
    }
    guard let other = outcome.value.withLock({ $0 }) else {
      preconditionFailure("a thread ended without its result")
    }
    return (result, other)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}
