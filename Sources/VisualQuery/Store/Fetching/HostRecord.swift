/// The outcomes of the requests to a host, by which it is given up.
///
/// A host that does not respond at all is recognized by the number of its failures in a row. One that responds slowly would
/// cost the time limit for each of its images, and now and then sends one: it has a budget of time for failures, which
/// grows with each image that it sends.
struct HostRecord: Sendable {
  /// The number of failures in a row after which a host is given up.
  static let failureLimit = 8
  /// The time that failures may take before a host is given up.
  static let timeBudget = Duration.seconds(60)
  /// The time by which an image that was received increases the budget.
  static let timePerImage = Duration.seconds(2)
  /// The time within which a failure is a prompt answer, which does not count.
  private static let promptTime = Duration.seconds(1)

  private var failureCount = 0
  private var lostTime = Duration.zero
  private var budget = Self.timeBudget

  /// Records an image that was received.
  mutating func noteSuccess() {
    failureCount = 0
    budget += Self.timePerImage
  }

  /// Records a request that failed, with the time that it took.
  mutating func note(_ code: FetchError.Code, after duration: Duration) {
    switch code {
    case .notAllowed, .cancelled, .busy, .later: return
    case .unavailable: failureCount += 1
    case .missing, .unusable: break
    }
    lostTime += max(.zero, duration - Self.promptTime)
  }

  /// True if the failures took more time than they may. Requests that are under way are ended, too: each may take the
  /// whole time limit.
  var isTooSlow: Bool { lostTime > budget }

  /// The reason why no further requests are sent to the host, as the rest of a sentence, or `nil`.
  var reasonToGiveUp: String? {
    if failureCount >= Self.failureLimit { return "failed \(Self.failureLimit) times in a row" }
    guard isTooSlow else { return nil }
    return "took \(lostTime.components.seconds) s for requests that failed"
  }
}
