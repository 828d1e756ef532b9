internal import Synchronization

/// A clock that goes on by one millisecond each time somebody looks at it, and says when it was
/// looked at how often: what stops at an instant then stops at a place in the code.
public final class SteppingClock: Clock, Sendable {
  /// Milliseconds since the clock was made.
  public struct Instant: InstantProtocol {
    /// The milliseconds.
    public let milliseconds: Int

    /// The instant some time later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(milliseconds: milliseconds + Int(duration / .milliseconds(1)))
    }

    /// The time until another instant.
    public func duration(to other: Instant) -> Duration {
      .milliseconds(other.milliseconds - milliseconds)
    }

    /// Earlier before later.
    public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
  }

  private let looks = Mutex(0)
  private let onLook: @Sendable (Int) -> Void

  /// Makes a clock.
  ///
  /// - Parameter onLook: Called with the number of each look, from 1, by whoever looks.
  public init(onLook: @escaping @Sendable (Int) -> Void = { _ in }) { self.onLook = onLook }

  /// The number of times it was looked at.
  public var lookCount: Int { looks.withLock { $0 } }

  /// The instant, one millisecond after that of the last look.
  public var now: Instant {
    let count = looks.withLock { looks in
      looks += 1
      return looks
    }
    onLook(count)
    return Instant(milliseconds: count)
  }

  /// The least difference of two instants.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Returns at once: nothing here waits.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
