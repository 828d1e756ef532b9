#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization
import VisualQuery

/// A clock that measures blocks of work: the processor time of a thread between two looks at it. A deadline is noticed that much too late at most.
final class WatchedClock: Clock, Sendable {
  private struct State {
    /// The processor time of each thread at its last look.
    var lastLooks: [UInt64: Duration] = [:]
    /// The longest block since a step ended.
    var longest = Duration.zero
    var blocks: [QueryStep: Duration] = [:]

    /// Notes the block of this thread that ends now.
    mutating func endBlock(of thread: (id: UInt64, time: Duration)) {
      longest = max(longest, thread.time - (lastLooks[thread.id] ?? thread.time))
    }
  }

  private let state = Mutex(State())

  var now: ContinuousClock.Instant {
    let thread = Self.thread
    state.withLock {
      $0.endBlock(of: thread)
      $0.lastLooks[thread.id] = thread.time
    }
    return .now
  }

  var minimumResolution: Duration { ContinuousClock().minimumResolution }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }

  /// Counts the blocks since the last step as those of one that ends now.
  func end(_ step: QueryStep) {
    let thread = Self.thread
    state.withLock {
      $0.endBlock(of: thread)
      $0.blocks[step] = max($0.blocks[step] ?? .zero, $0.longest)
      $0.longest = .zero
    }
  }

  /// The longest block of each step.
  var blocks: [QueryStep: Duration] { state.withLock { $0.blocks } }

  /// This thread, and the processor time that it has taken.
  private static var thread: (id: UInt64, time: Duration) {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    #if canImport(Darwin)
      var id: UInt64 = 0
      unsafe pthread_threadid_np(nil, &id)
    #else
      let id = UInt64(pthread_self())
    #endif
    return (id, .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec)))
  }
}
