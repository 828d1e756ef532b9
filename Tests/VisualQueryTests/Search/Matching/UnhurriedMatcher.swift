import ShopSearch
import ShopStore

extension Matcher {
  /// A matcher whose clock stands still, so that no deadline passes however busy the machine is. Tests of deadlines
  /// have a clock that steps.
  init(unhurried catalogue: Catalogue, pool: WorkerPool = WorkerPool()) {
    self.init(catalogue: catalogue, pool: pool, clock: StandingClock())
  }
}

/// A clock that shows the same time for ever.
private struct StandingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
