/// The time on the server's threads that each client has received, and what its requests usually take.
///
/// Fair queueing: `virtualTime` is what a client that always asks has received by now at least.
/// A client whose `used` time is ahead of others' waits for them. One that asks for less than its share falls behind the
/// virtual time, by at most `creditLimit`: it comes first, but cannot save up for a long rush.
struct ClientShares: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// One client.
  struct Share: Sendable {
    /// The time that its requests have taken and are expected to take, on the scale of ``ClientShares/virtualTime``.
    var used: Duration
    /// The number of its requests that wait or run.
    var requestCount = 0
    var lastAsked: Instant
    fileprivate var histories: [RequestKind: RequestHistory] = [:]
  }

  /// The largest number of clients that are remembered while they have no request.
  static let clientLimit = 1024
  /// The largest number of kinds of requests whose durations are remembered for one client.
  static let kindLimit = 16
  /// The time for which a client counts as active after its last request.
  static let activeTime = Duration.seconds(2)
  /// The most that a client may be behind its share when it asks: the time that a search usually has.
  static let creditLimit = Duration.milliseconds(300)
  /// The duration that is expected of a request about which nothing is known.
  static let unknownDuration = Duration.milliseconds(10)

  private var shares: [String: Share] = [:]
  private(set) var virtualTime = Duration.zero
  /// The durations of requests of all clients, for those that have none of the kind.
  private var histories: [RequestKind: RequestHistory] = [:]
  /// The client that asked last, and the last instant at which another one did.
  private var latest: (client: String, othersAsked: Instant?)?

  subscript(client: String) -> Share? { shares[client] }
  var clientCount: Int { shares.count }

  // MARK: Expectations

  /// The duration that a request is expected to take.
  ///
  /// The client's own earlier requests decide. If it has none of the kind, those of all clients do, but at most half
  /// of the time that the client gives is expected, because they may be an attacker's. A request that can end early
  /// never takes its whole budget. Otherwise, after one slow answer, all further ones would be rejected while the
  /// server is busy, and the expectation would never be corrected.
  func expectation(of claim: Admission.Claim) -> Duration { duration(\.median, of: claim) }

  /// The duration that a request exceeds only once in five times, by the same rules.
  func upperExpectation(of claim: Admission.Claim) -> Duration { duration(\.upperFifth, of: claim) }

  private func duration(
    _ part: KeyPath<RequestHistory, Duration?>, of claim: Admission.Claim
  ) -> Duration {
    let (kind, budget) = (claim.kind, claim.budget)
    guard let own = shares[claim.client]?.histories[kind]?[keyPath: part] else {
      return min(histories[kind]?[keyPath: part] ?? Self.unknownDuration, budget / 2)
    }
    return claim.canEndEarly ? min(own, budget * 3 / 4) : own
  }

  /// Returns whether requests of a kind are known to take less than a duration.
  func areMostlyBelow(_ limit: Duration, _ kind: RequestKind, from client: String) -> Bool {
    (shares[client]?.histories[kind] ?? histories[kind])?.upperFifth.map { $0 < limit } ?? false
  }

  /// Returns whether a client other than this one has asked within ``activeTime``.
  func haveOthersAsked(than client: String, at now: Instant) -> Bool {
    guard let latest else { return false }
    if latest.client != client {
      return now - (shares[latest.client]?.lastAsked ?? now) <= Self.activeTime
    }
    return latest.othersAsked.map { now - $0 <= Self.activeTime } ?? false
  }

  // MARK: Requests

  /// Records that a client has sent a request, also if it will be rejected.
  mutating func note(_ client: String, at now: Instant) {
    if let latest, latest.client != client {
      self.latest = (client, shares[latest.client]?.lastAsked)
    } else {
      latest = (client, latest?.othersAsked)
    }
    if shares[client] == nil {
      if shares.count >= Self.clientLimit { forgetIdle() }
      shares[client] = Share(used: virtualTime, lastAsked: now)
    }
    shares[client]?.lastAsked = now
  }

  /// The virtual time at which a client's next request begins.
  func start(of client: String) -> Duration {
    max(shares[client]?.used ?? .zero, virtualTime - Self.creditLimit)
  }

  /// Reserves the expected time of a request.
  mutating func reserve(_ expected: Duration, for client: String) {
    let start = start(of: client)
    shares[client]?.used = start + expected
    shares[client]?.requestCount += 1
  }

  /// Raises the virtual time to `least`, the smallest amount that any client with requests has received.
  mutating func advance(to least: Duration) { virtualTime = max(virtualTime, least) }

  /// Gives back what was reserved for a request that never ran.
  mutating func abandon(_ expected: Duration, of client: String) {
    shares[client]?.used -= expected
    shares[client]?.requestCount -= 1
  }

  /// Replaces the time that was reserved for a request by the time that it took.
  ///
  /// The virtual time goes on by the share of each client, less than that of one that always asks. If it did not, a stream of
  /// new clients, each of which begins at the virtual time, would come before a long request for ever.
  ///
  /// - Parameter activeCount: The number of clients with requests, this one included.
  mutating func finish(
    _ expected: Duration, of client: String, after duration: Duration, activeCount: Int
  ) {
    shares[client]?.used += duration - expected
    shares[client]?.requestCount -= 1
    virtualTime += duration / (activeCount + 1)
  }

  /// Learns how long a request of a kind takes.
  mutating func learn(_ kind: RequestKind, from client: String, took duration: Duration) {
    histories[kind, default: RequestHistory()].append(duration)
    guard var share = shares[client] else { return }
    if share.histories[kind] == nil, share.histories.count >= Self.kindLimit {
      share.histories = [:]
    }
    share.histories[kind, default: RequestHistory()].append(duration)
    shares[client] = share
  }

  /// Forgets half of the clients without requests, those that asked least recently, so that this is seldom done.
  private mutating func forgetIdle() {
    let idle = shares.filter { $0.value.requestCount == 0 }
      .sorted { ($0.value.lastAsked, $0.key) < ($1.value.lastAsked, $1.key) }
    for (client, _) in idle.prefix((idle.count + 1) / 2) { shares[client] = nil }
  }
}
