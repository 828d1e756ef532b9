import Synchronization

/// The clock of one request's deadline.
///
/// It goes as `ContinuousClock` does until the server needs the thread for another client. Then it jumps ahead of every
/// deadline, so that the request ends with what it has found.
package final class RequestTime: Clock {
  package typealias Instant = ContinuousClock.Instant

  private let start = Instant.now
  /// The nanoseconds from the start to the end for another client; 0 before.
  private let endTime = Atomic(0)

  package init() {}

  package var now: Instant {
    endTime.load(ordering: .relaxed) != 0 ? .now + .seconds(86_400) : .now
  }

  /// The moment at which the server ended the request for another client, or `nil`.
  package var endedAt: Instant? {
    let time = endTime.load(ordering: .relaxed)
    return time == 0 ? nil : start + .nanoseconds(time)
  }

  package var minimumResolution: Duration { ContinuousClock().minimumResolution }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }

  /// The time from now to an instant, at least zero.
  package func remaining(until deadline: Instant) -> Duration { max(.zero, deadline - now) }

  /// Lets every deadline pass.
  func end() {
    let time = Int((Instant.now - start) / .nanoseconds(1))
    _ = endTime.compareExchange(expected: 0, desired: max(1, time), ordering: .relaxed)
  }
}
