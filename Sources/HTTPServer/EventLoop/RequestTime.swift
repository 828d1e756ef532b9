import Synchronization

/// The clock of one request's deadline.
///
/// It goes as `ContinuousClock` does until the server needs the thread for another client. Then it jumps ahead of every
/// deadline, so that the request ends with what it has found.
package final class RequestTime: Clock {
  package typealias Instant = ContinuousClock.Instant

  private let isOver = Atomic(false)

  package init() {}

  package var now: Instant {
    isOver.load(ordering: .relaxed) ? .now + .seconds(86_400) : .now
  }

  package var minimumResolution: Duration { ContinuousClock().minimumResolution }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }

  /// The time from now to an instant, at least zero.
  package func remaining(until deadline: Instant) -> Duration { max(.zero, deadline - now) }

  /// Lets every deadline pass.
  func end() { isOver.store(true, ordering: .relaxed) }
}
