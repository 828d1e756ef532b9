/// Decides which requests are admitted, in which order they run, and which of them have to end early.
///
/// At most as many requests run at once as there are threads. The others wait, and the next one is that of the client
/// that has received the least (``ClientShares``), not the one that came first: weighted fair queueing by
/// the virtual time at which each would end (A. Demers, S. Keshav, S. Shenker, doi:10.1145/75247.75248). A request whose
/// expected wait at its place among the clients, with its expected work, exceeds its budget is rejected immediately,
/// since a late answer would be of no use. The expected duration of those before it is the median of the client's latest requests of the kind, and its
/// own is one that four of five of these did not exceed: a wait is the sum of many durations, which even out.
///
/// A client alone on the server may use all of it. While others ask, it leaves one thread to them. If all threads are
/// taken nevertheless, and a request has waited for a quarter of the time that it can spare, it ends a request that can
/// give a partial answer: one of another client that has received more, and that has run for as long as the waiting one
/// is expected to, or twice as long if it did not ask for more time.
///
/// Short requests have as many places of their own. Long ones give up their thread every few milliseconds, so that one entity
/// does not wait for the seconds that a filter of a million entities takes, and no flood of short ones keeps a long one waiting.
struct Admission: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The largest number of long requests that run at once, and of short ones.
  let width: Int
  /// The largest number of requests that wait.
  let queueLimit: Int
  /// The number of requests that had to end early so far.
  private(set) var cutCount = 0
  /// The waiting requests, in order of arrival.
  private var queue: [Entry] = []
  private var active: [Entry] = []
  private(set) var shares = ClientShares()

  /// The facts about a request that decide on its admission.
  struct Claim: Sendable {
    let kind: RequestKind
    /// The client whose share it takes.
    let client: String
    /// The longest time that it may take, including its wait.
    let budget: Duration
    /// True if it can end at any time with a partial answer.
    var canEndEarly = false
  }

  /// The outcome of a request for admission.
  enum Verdict: Sendable, Hashable {
    case refused
    case admitted
    /// Admitted in place of a waiting request of the client that had most of the full queue.
    case admittedInsteadOf(UInt64)

    var isAdmitted: Bool { self != .refused }
  }

  /// A request that waits or runs.
  private struct Entry: Sendable {
    let id: UInt64
    let claim: Claim
    let arrival: Instant
    let expected: Duration
    let isShort: Bool
    /// The virtual time at which it begins.
    var start: Duration
    /// The instant at which it began to run.
    var began: Instant?
    var isCut = false

    func elapsed(_ now: Instant) -> Duration { began.map { now - $0 } ?? .zero }
    func overrun(_ now: Instant) -> Duration { max(.zero, elapsed(now) - expected) }
    func remaining(_ now: Instant) -> Duration { max(.zero, expected - elapsed(now)) }
    /// The time for which it can wait without being late.
    var slack: Duration { max(.zero, claim.budget - expected) }
  }

  init(width: Int, queueLimit: Int) {
    self.width = width
    self.queueLimit = queueLimit
  }

  var running: Int { active.count }
  var waiting: Int { queue.count }

  /// The duration below which a request is short: half of the 50 ms that nobody should wait for a place.
  static let shortLimit = Duration.milliseconds(25)
  /// The part of its slack for which a request waits before it ends another one early.
  private static let patience = 4
  /// The time for which a request may run before another one ends it early: an ordinary photo takes less.
  static let leastRun = Duration.milliseconds(100)

  // MARK: Places

  /// Returns whether a request of a client could run now.
  private func hasPlace(isShort: Bool, _ client: String, _ now: Instant) -> Bool {
    let others = active.filter { $0.isShort == isShort }
    guard others.count < width else { return false }
    guard width > 1, shares.haveOthersAsked(than: client, at: now) else { return true }
    return others.count { $0.claim.client == client } < width - 1
  }

  /// The time by which the running requests of each client exceed what was expected of them.
  private func overruns(_ now: Instant) -> [String: Duration] {
    active.reduce(into: [:]) { $0[$1.claim.client, default: .zero] += $1.overrun(now) }
  }

  private func isShort(_ claim: Claim) -> Bool {
    shares.areMostlyBelow(Self.shortLimit, claim.kind, from: claim.client)
  }

  /// The duration that a request is expected to take.
  func expectation(of claim: Claim) -> Duration { shares.expectation(of: claim) }

  /// The duration that a request would wait at its client's place in the queue if it came now.
  func expectedWait(of claim: Claim, at now: Instant) -> Duration {
    if hasPlace(isShort: isShort(claim), claim.client, now) { return .zero }
    let overruns = overruns(now)
    let entry = entry(0, claim, now)
    let start = entry.start + overruns[claim.client, default: .zero]
    var (all, own) = (Duration.zero, Duration.zero)
    for other in active where other.isShort == entry.isShort {
      let left = min(other.remaining(now), timeBefore(entry, mayEnd: other, start, overruns, now))
      all += left
      if other.claim.client == claim.client { own += left }
    }
    for other in queue where other.isShort == entry.isShort {
      let isOwn = other.claim.client == claim.client
      let end = other.start + other.expected + overruns[other.claim.client, default: .zero]
      if isOwn || end <= start + entry.expected { all += other.expected }
      if isOwn { own += other.expected }
    }
    let places =
      width > 1 && shares.haveOthersAsked(than: claim.client, at: now) ? width - 1 : width
    return max(all / width, own / places)
  }

  /// The time until a waiting request may end a running one early; very long if it may not.
  private func timeBefore(
    _ waiting: Entry, mayEnd other: Entry, _ start: Duration, _ overruns: [String: Duration],
    _ now: Instant
  ) -> Duration {
    let client = other.claim.client
    let used = (shares[client]?.used ?? .zero) + overruns[client, default: .zero]
    guard other.claim.canEndEarly, client != waiting.claim.client, used > start else {
      return .seconds(86_400)
    }
    let factor = other.claim.budget > waiting.claim.budget ? 1 : 2
    return max(.zero, max(Self.leastRun, waiting.expected * factor) - other.elapsed(now))
  }

  private func entry(_ id: UInt64, _ claim: Claim, _ now: Instant) -> Entry {
    Entry(
      id: id, claim: claim, arrival: now, expected: expectation(of: claim),
      isShort: isShort(claim), start: shares.start(of: claim.client))
  }

  // MARK: Requests

  /// Returns whether a request would be admitted if it came now.
  func wouldAdmit(_ claim: Claim, at now: Instant) -> Bool { verdict(on: claim, now).isAdmitted }

  private func verdict(on claim: Claim, _ now: Instant) -> Verdict {
    if hasPlace(isShort: isShort(claim), claim.client, now) { return .admitted }
    guard expectedWait(of: claim, at: now) + shares.upperExpectation(of: claim) <= claim.budget
    else {
      return .refused
    }
    if queue.count < queueLimit { return .admitted }
    return displaced(by: claim.client).map { .admittedInsteadOf($0) } ?? .refused
  }

  /// Returns the last waiting request of the client that has most of them, if it has more than another one would have.
  private func displaced(by client: String) -> UInt64? {
    let counts = queue.reduce(into: [:]) { $0[$1.claim.client, default: 0] += 1 }
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
      most.value > counts[client, default: 0] + 1
    else { return nil }
    return queue.last { $0.claim.client == most.key }?.id
  }

  /// Admits or rejects a request, which then waits for ``startNext(at:)``.
  ///
  /// - Parameter id: A number of its own among the requests that wait or run.
  mutating func admit(_ id: UInt64, _ claim: Claim, at now: Instant) -> Verdict {
    shares.note(claim.client, at: now)
    let verdict = verdict(on: claim, now)
    if case .admittedInsteadOf(let other) = verdict { abandon(other) }
    if verdict.isAdmitted {
      let entry = entry(id, claim, now)
      shares.reserve(entry.expected, for: claim.client)
      queue.append(entry)
    }
    return verdict
  }

  /// Moves the next request that has a place from the waiting to the running ones.
  mutating func startNext(at now: Instant) -> UInt64? {
    let overruns = overruns(now)
    let next = queue.indices.filter { index in
      hasPlace(isShort: queue[index].isShort, queue[index].claim.client, now)
    }.min { end(of: queue[$0], overruns) < end(of: queue[$1], overruns) }
    guard let next else { return nil }
    var entry = queue.remove(at: next)
    entry.began = now
    active.append(entry)
    // Advances the virtual time to that of the client that has received the least so far. Only
    // clients with requests count.
    let least =
      queue.map { $0.start + overruns[$0.claim.client, default: .zero] }
      + active.map { $0.start + $0.elapsed(now) }
    shares.advance(to: least.min() ?? .zero)
    return entry.id
  }

  /// The virtual time at which a waiting request would end.
  private func end(of entry: Entry, _ overruns: [String: Duration]) -> Duration {
    entry.start + entry.expected + overruns[entry.claim.client, default: .zero]
  }

  /// Forgets a waiting request.
  mutating func abandon(_ id: UInt64) {
    guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
    let entry = queue.remove(at: index)
    shares.abandon(entry.expected, of: entry.claim.client)
    shift(queue[index...].indices, of: entry.claim.client, by: .zero - entry.expected)
  }

  /// Forgets and returns the waiting requests whose budget has passed.
  mutating func removeLate(at now: Instant) -> [UInt64] {
    let late = queue.filter { now - $0.arrival > $0.claim.budget }.map(\.id)
    for id in late { abandon(id) }
    return late
  }

  /// Returns the running requests that have to end early now, each once.
  mutating func takeCuts(at now: Instant) -> [UInt64] {
    guard active.count(where: { !$0.isShort }) >= width else { return [] }
    let overruns = overruns(now)
    var coming = active.count(where: \.isCut)
    var cuts: [UInt64] = []
    for entry in queue.filter({ !$0.isShort }).sorted(by: {
      end(of: $0, overruns) < end(of: $1, overruns)
    }) {
      if coming > 0 {
        coming -= 1
        continue
      }
      guard now - entry.arrival >= entry.slack / Self.patience else { continue }
      let start = entry.start + overruns[entry.claim.client, default: .zero]
      let candidates = active.indices.filter { index in
        !active[index].isCut && !active[index].isShort
          && timeBefore(entry, mayEnd: active[index], start, overruns, now) == .zero
      }
      guard let index = candidates.max(by: { active[$0].elapsed(now) < active[$1].elapsed(now) })
      else { continue }
      active[index].isCut = true
      cutCount += 1
      cuts.append(active[index].id)
    }
    return cuts
  }

  /// Forgets a running request.
  ///
  /// - Parameter wasStopped: True if its client has gone before its end.
  mutating func finish(_ id: UInt64, at now: Instant, wasStopped: Bool = false) {
    guard let index = active.firstIndex(where: { $0.id == id }) else { return }
    let clients = Set(active.map(\.claim.client)).union(queue.map(\.claim.client))
    let entry = active.remove(at: index)
    let (claim, duration) = (entry.claim, entry.elapsed(now))
    shares.finish(
      entry.expected, of: claim.client, after: duration, activeCount: clients.count)
    shift(queue.indices, of: claim.client, by: duration - entry.expected)
    // A request that was stopped, or that its own deadline ended, would have taken longer. Its duration is only a lower
    // bound, so it is learned only if it exceeds the expectation. Otherwise a server with too many requests, which begins the
    // last ones shortly before their deadlines, would learn that they are short, and let in still more.
    let wasLate = now - entry.arrival >= claim.budget
    if !(entry.isCut || wasStopped || wasLate) || duration > expectation(of: claim) {
      shares.learn(claim.kind, from: claim.client, took: duration)
    }
  }

  /// Moves waiting requests of a client in virtual time.
  private mutating func shift(_ indices: Range<Int>, of client: String, by duration: Duration) {
    for index in indices where queue[index].claim.client == client {
      queue[index].start += duration
    }
  }

  /// Returns the number of seconds after which there may be room.
  func retryAfter(at now: Instant) -> Int {
    let backlog =
      active.reduce(.zero) { $0 + $1.remaining(now) } + queue.reduce(.zero) { $0 + $1.expected }
    return max(1, Int((backlog / width).components.seconds) + 1)
  }
}
