/// The pace of the requests to a host: as fast as it answers, until it asks for less.
///
/// A host asks for less with status 429, or with 503. Then nothing is sent to it for as long as it says, or longer and longer
/// if it does not say; fewer requests are open at a time; and they begin no faster than those that it answered until then,
/// pauses included. So a host that allows ten requests a second gets ten a second, whatever the way in which it counts. After a
/// while without a complaint, the pace grows again.
struct HostPace: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The largest number of open requests.
  static let mostConnections = 16
  /// The time after a slow-down in which the pace does not grow.
  private static let calm = Duration.seconds(3)
  /// The time after which a pace that was too fast is tried again.
  private static let memory = Duration.seconds(60)
  /// The factor by which the interval shrinks with each answer.
  private static let growth = 0.99
  /// The factor by which the interval grows at least when the host asks for less.
  private static let slowing = 1.15
  /// The longest pause that a host gets which does not say how long it wants.
  private static let longestGuess = Duration.seconds(60)
  /// The pause until an open request is expected to have ended.
  private static let look = Duration.milliseconds(20)
  /// The longest time without any answer, if the host only refuses: one that says when to come back, and one that does not.
  static let patience = (announced: Duration.seconds(120), silent: Duration.seconds(20))

  /// When a request may begin.
  enum Turn: Sendable, Equatable {
    case now
    /// Ask again at this time.
    case later(Instant)
    /// Not in this run.
    case over
  }

  /// The number of requests that may be open at a time.
  private(set) var connections = Self.mostConnections
  /// The time between the beginnings of two requests; zero for no limit.
  private(set) var interval: Duration
  /// The interval with which the host asked for less the last time.
  private var tooShortInterval: Duration?
  /// The interval that the options ask for.
  private let leastInterval: Duration
  /// True if the run waits for the host as long as it has time.
  private let hasEnd: Bool
  private var openCount = 0
  private var nextBegin: Instant?
  private var pauseEnd: Instant?
  private var isOver = false
  /// The times of the first request, of the last answer and of the last slow-down.
  private var (first, lastAnswer, lastSlowDown): (Instant?, Instant?, Instant?)
  /// The number of answers in all.
  private var answerCount = 0
  /// The answers since the last slow-down, and its end.
  private var epochCount = 0
  private var epochStart: Instant?
  /// The number of slow-downs since the last answer.
  private var refusalsInARow = 0

  /// - Parameters:
  ///   - rate: The most requests a second, or `nil` for no limit.
  ///   - hasEnd: True if the run ends at a given time anyway, and waits for the host until then.
  init(rate: Double? = nil, hasEnd: Bool = false) {
    leastInterval = rate.map { .seconds(1 / $0) } ?? .zero
    interval = leastInterval
    self.hasEnd = hasEnd
  }

  /// Returns when a request may begin; if now, it counts as open until it is noted.
  mutating func turn(at now: Instant) -> Turn {
    if isOver { return .over }
    if let pauseEnd, now < pauseEnd { return .later(pauseEnd) }
    if openCount >= connections { return .later(now + Self.look) }
    if interval > .zero {
      if let nextBegin, now < nextBegin { return .later(nextBegin) }
      // A request that begins a little late does not delay those after it.
      nextBegin = max(nextBegin ?? now, now - interval) + interval
    }
    openCount += 1
    if first == nil { (first, epochStart) = (now, now) }
    return .now
  }

  /// Notes a request that the host answered.
  mutating func noteAnswer(at now: Instant) {
    openCount -= 1
    answerCount += 1
    epochCount += 1
    lastAnswer = now
    refusalsInARow = 0
    if connections < Self.mostConnections, epochCount % (2 * connections) == 0 { connections += 1 }
    if interval > leastInterval, let lastSlowDown, now - lastSlowDown > Self.calm {
      if now - lastSlowDown > Self.memory { tooShortInterval = nil }
      interval = max(leastInterval, (tooShortInterval ?? .zero) * 1.05, interval * Self.growth)
    }
  }

  /// Notes a request that failed otherwise.
  mutating func noteFailure() { openCount -= 1 }

  /// Notes that the host asks for less.
  ///
  /// - Parameters:
  ///   - pause: The time that it wants, or `nil` if it does not say.
  ///   - begin: When the request began. One that was open already at the last slow-down is no other one.
  mutating func noteSlowDown(pause: Duration?, begin: Instant, at now: Instant) {
    openCount -= 1
    if let lastSlowDown, begin <= lastSlowDown {
      if let pause { pauseEnd = max(pauseEnd ?? now, now + pause) }
    } else {
      lastSlowDown = now
      refusalsInARow += 1
      connections = max(1, connections / 2)
      let guess = min(Self.longestGuess, .seconds(1 << min(refusalsInARow - 1, 6)))
      // A host that says 0 again and again does not mean it.
      let wanted = pause.map { refusalsInARow > 2 ? max($0, guess / 4) : $0 } ?? guess
      let end = max(pauseEnd ?? now, now + wanted)
      pauseEnd = end
      slowDown(until: end)
    }
    let patience =
      hasEnd ? .seconds(1_000_000) : pause == nil ? Self.patience.silent : Self.patience.announced
    if let pauseEnd, pauseEnd - (lastAnswer ?? first ?? now) > patience { isOver = true }
  }

  /// Sets the interval to what the host allowed since the last slow-down.
  private mutating func slowDown(until end: Instant) {
    let time = end - (epochStart ?? end)
    // A host that only refuses doubles the interval up to a limit, so that a long run does not count without end.
    let doubled = min(max(interval * 2, .milliseconds(50)), max(interval, Self.longestGuess))
    var slower = epochCount > 0 ? time / epochCount : doubled
    // Requests that were paced already tell more than an average.
    if interval > .zero, epochCount > 0 {
      tooShortInterval = interval
      slower = min(slower, interval * Self.slowing)
    }
    interval = max(leastInterval, slower)
    nextBegin = end
    epochStart = end
    epochCount = 0
  }

  /// The number of answers a second so far, or `nil` if there are too few.
  var rate: Double? {
    guard answerCount > 1, let first, let lastAnswer, lastAnswer > first else { return nil }
    return Double(answerCount) / ((lastAnswer - first) / .seconds(1))
  }
}
