import Testing

@testable import HTTPServer

/// Requests that are admitted and refused.
@Suite struct AdmissionTests {
  @Test func `as many run as there are threads, as many wait as the queue holds`() {
    let desk = Desk(width: 2, queueLimit: 3)
    for _ in 0..<5 { #expect(desk.admit(claim("a")) != nil) }
    #expect(desk.admission.running == 2 && desk.admission.waiting == 3)
    #expect(desk.admit(claim("a")) == nil)
  }

  @Test func `a request whose expected wait exceeds its budget is refused at once`() throws {
    let desk = Desk(width: 1, queueLimit: 100)
    // After a request that took 100 ms, further ones of its kind are expected to take as long.
    try desk.run(claim("a", budget: .milliseconds(300)), for: .milliseconds(100))
    var count = 0
    while desk.admit(claim("a", budget: .milliseconds(300))) != nil { count += 1 }
    #expect(count == 3)
    #expect(desk.admit(claim("a", budget: .seconds(1))) != nil)
    #expect(desk.admission.retryAfter(at: desk.now) == 1)
  }

  /// Would break if the whole expected time of running requests counted until they end.
  @Test func `what is left of running work counts`() throws {
    let desk = Desk(width: 1, queueLimit: 100)
    try desk.run(claim("a"), for: .milliseconds(400))
    _ = try #require(desk.admit(claim("a")))
    let later = claim("a", budget: .milliseconds(500))
    #expect(desk.admit(later) == nil)
    desk.now += .milliseconds(350)
    #expect(desk.admission.expectedWait(of: later, at: desk.now) == .milliseconds(50))
    #expect(desk.admit(later) != nil)
  }

  @Test func `an idle server lets in what takes long`() throws {
    let desk = Desk(width: 1, queueLimit: 0)
    try desk.run(claim("a", budget: .milliseconds(10)), for: .seconds(5))
    #expect(desk.admit(claim("a", budget: .milliseconds(10))) != nil)
  }

  /// A mean would take one request of 5 s among ordinary ones of 40 ms for what all will take, and refuse
  /// whoever has 300 ms for the next dozen of them.
  @Test func `one slow request does not have the ordinary ones refused`() throws {
    let desk = Desk(width: 2, queueLimit: 64)
    let match = claim("match", budget: .milliseconds(300))
    let ordinary = Array(repeating: Duration.milliseconds(40), count: 10)
    for duration in ordinary + [.seconds(5)] { try desk.run(match, for: duration) }
    for _ in 0..<6 { #expect(desk.admit(match) != nil) }
    #expect(desk.admission.running == 2 && desk.admission.waiting == 4)
  }

  /// Would break if a request were let in although every third of its kind needs more time than it would have left.
  @Test func `a request has room for more than the usual duration`() throws {
    let desk = Desk(width: 1, queueLimit: 64)
    let match = claim("match", budget: .milliseconds(300))
    for round in 0..<15 {
      try desk.run(match, for: round % 3 == 0 ? .milliseconds(120) : .milliseconds(40))
    }
    var count = 0
    while desk.admit(match) != nil { count += 1 }
    // 40 ms for each that is ahead, and 120 ms for itself.
    #expect(count == 5)
  }

  /// When slow requests are the rule, requests without time for one are refused.
  @Test func `a kind that has become slow is expected to be slow, and fast again`() throws {
    let desk = Desk(width: 1, queueLimit: 64)
    for (duration, count) in [
      (Duration.milliseconds(40), 50), (.seconds(2), 20), (.milliseconds(40), 20),
    ] {
      for _ in 0..<count { try desk.run(claim("match"), for: duration) }
      #expect(desk.admission.expectation(of: claim("match")) == duration)
    }
  }

  /// The size of a body says more of its cost than the route alone.
  @Test func `large bodies do not tell what small ones take`() throws {
    let desk = Desk(width: 1, queueLimit: 64)
    let large = RequestKind(route: "match", bodyBytes: 8_000_000)
    try desk.run(claim(large), for: .seconds(1))
    let sizes = [0, 1, 40_000, 60_000, 5_000_000, 10_000_000]
    let kinds = sizes.map { RequestKind(route: "match", bodyBytes: $0) }
    #expect(Set(kinds).count == 4)
    #expect(kinds.map { $0 == large } == [false, false, false, false, true, true])
    #expect(desk.admission.expectation(of: claim(kinds[2])) == .milliseconds(10))
  }

  @Test func `kinds are told apart, and what was stopped took at least as long`() throws {
    let desk = Desk(width: 1, queueLimit: 10)
    try desk.run(claim("slow"), for: .milliseconds(400))
    let stopped = try #require(desk.admit(claim("fast")))
    desk.now += .milliseconds(3)
    desk.finish(stopped, wasStopped: true)
    #expect(desk.admission.expectation(of: claim("slow")) == .milliseconds(400))
    #expect(desk.admission.expectation(of: claim("fast")) == .milliseconds(10))
    let longer = try #require(desk.admit(claim("fast")))
    desk.now += .milliseconds(30)
    desk.finish(longer, wasStopped: true)
    #expect(desk.admission.expectation(of: claim("fast")) == .milliseconds(30))
    let running = try #require(desk.admit(claim("slow")))
    let waiting = try #require(desk.admit(claim("slow")))
    desk.admission.abandon(waiting)
    desk.finish(running, wasStopped: true)
    #expect(desk.admission.running == 0 && desk.admission.waiting == 0)
    #expect(desk.admission.expectedWait(of: claim("slow"), at: desk.now) == .zero)
  }

  /// Would break if one entity waited for filters that take seconds.
  /// Would break if what a deadline cuts short counted as short: each late answer would let in more requests, which are late, too.
  @Test func `requests that end at their deadline do not tell that they are short`() throws {
    let desk = Desk(width: 1, queueLimit: 64)
    let match = claim("match", budget: .milliseconds(300))
    for _ in 0..<15 { try desk.run(match, for: .milliseconds(60)) }
    for round in 0..<15 {
      // Nothing is known of a request of another kind, which makes the next one wait for longer than expected.
      let slow = try #require(
        desk.admit(claim(RequestKind(route: "other \(round)", bodyBytes: 0))))
      let late = try #require(desk.admit(match))
      desk.now += .milliseconds(290)
      desk.finish(slow)
      desk.now += .milliseconds(10)
      desk.finish(late)
    }
    #expect(desk.admission.expectation(of: match) == .milliseconds(60))
    // A request that has run for longer than expected counts, although its deadline ended it.
    for _ in 0..<15 { try desk.run(match, for: .milliseconds(300)) }
    #expect(desk.admission.expectation(of: match) == .milliseconds(300))
  }

  @Test func `short requests have places of their own`() throws {
    let desk = Desk(width: 2, queueLimit: 8)
    let long = claim(RequestKind(route: "query", bodyBytes: 100))
    let short = claim("entity", budget: .milliseconds(20))
    try desk.run(long, for: .seconds(3))
    try desk.run(short, for: .milliseconds(1))
    for _ in 0..<3 { #expect(desk.admit(long) != nil) }
    #expect(desk.admission.running == 2)
    // A request of an unknown kind may be long, so it does not get one of the places for short ones.
    #expect(desk.admit(claim("new", budget: .milliseconds(20))) == nil)
    for _ in 0..<2 { #expect(desk.admit(short) != nil) }
    #expect(desk.admission.running == 4)
    let third = try #require(desk.admit(short))
    #expect(!desk.running.contains(third))
  }

  /// Would break if short requests without end kept a long one waiting.
  @Test func `long requests have places of their own`() throws {
    let desk = Desk(width: 2, queueLimit: 8)
    try desk.run(claim("entity"), for: .milliseconds(1))
    for _ in 0..<6 { #expect(desk.admit(claim("entity")) != nil) }
    #expect(desk.admission.running == 2)
    let long = try #require(desk.admit(claim("match")))
    #expect(desk.running.contains(long))
  }

  /// Would break if a request waited beyond its budget, to be refused late.
  @Test func `a request that has become late waits no longer`() throws {
    let desk = Desk(width: 1, queueLimit: 8)
    _ = try #require(desk.admit(claim("a")))
    let late = try #require(desk.admit(claim("a", budget: .milliseconds(300))))
    desk.now += .milliseconds(300)
    #expect(desk.removeLate() == [])
    desk.now += .milliseconds(1)
    #expect(desk.removeLate() == [late])
    #expect(desk.admission.waiting == 0)
  }
}

/// Requests of several clients.
@Suite struct AdmissionOfClientsTests {
  private let photo = RequestKind(route: "match", bodyBytes: 70_000)

  /// Makes an admission desk that knows, from earlier requests, how long those of each client take.
  private func desk(
    width: Int, queueLimit: Int = 64, _ durations: [(client: String, Duration)]
  ) throws -> Desk {
    let desk = Desk(width: width, queueLimit: queueLimit)
    for (client, duration) in durations {
      for _ in 0..<3 { try desk.run(claim(photo, of: client), for: duration) }
    }
    desk.now += .seconds(60)
    return desk
  }

  /// Would break if two requests of one client could take both threads from everybody else.
  @Test(arguments: [2, 3, 8])
  func `a client leaves a thread to others that ask, and has all of them alone`(width: Int) throws {
    let desk = try desk(width: width, [("a", .seconds(1)), ("b", .milliseconds(40))])
    for _ in 0..<3 * width { #expect(desk.admit(claim(photo, of: "a")) != nil) }
    #expect(desk.admission.running == width)
    desk.now += .seconds(1)
    desk.finish(desk.running[0])
    #expect(desk.admission.running == width)
    let other = try #require(desk.admit(claim(photo, of: "b")))
    desk.now += .seconds(1)
    desk.finish(desk.running[0])
    #expect(desk.running.contains(other) && desk.admission.running == width)
    // The thread that the first client leaves to others stays free for a while.
    desk.finish(other)
    #expect(desk.admission.running == width - 1 && desk.admission.waiting > 0)
    let again = try #require(desk.admit(claim(photo, of: "b")))
    #expect(desk.running.contains(again))
    desk.finish(again)
    desk.now += .seconds(3)
    #expect(desk.admit(claim(photo, of: "a")) != nil)
    #expect(desk.admission.running == width)
  }

  /// Would break if the queue were served in order of arrival.
  @Test func `who has had less is next`() throws {
    let desk = try desk(width: 1, [("a", .milliseconds(500)), ("b", .milliseconds(40))])
    for _ in 0..<4 { #expect(desk.admit(claim(photo, of: "a")) != nil) }
    let small = try #require(desk.admit(claim(photo, of: "b", budget: .milliseconds(600))))
    desk.now += .milliseconds(500)
    desk.finish(desk.running[0])
    #expect(desk.running == [small])
  }

  /// Would break if the longest deadline won: who asks for less time would be refused for the backlog of others.
  @Test func `the backlog of another client does not have a request refused`() throws {
    let desk = try desk(width: 1, [("a", .milliseconds(200)), ("b", .milliseconds(40))])
    for _ in 0..<20 { #expect(desk.admit(claim(photo, of: "a", budget: .seconds(60))) != nil) }
    let ordinary = claim(photo, of: "b", budget: .milliseconds(300))
    #expect(desk.admission.expectedWait(of: ordinary, at: desk.now) == .milliseconds(200))
    #expect(desk.admit(ordinary) != nil)
    #expect(desk.admit(claim(photo, of: "a", budget: .milliseconds(300))) == nil)
  }

  /// Would break if an attacker's slow requests told what a photo of another client takes.
  @Test func `a client's own requests tell what its next one takes`() throws {
    let desk = try desk(
      width: 1, [("a", .seconds(2)), ("b", .milliseconds(40)), ("a", .seconds(2))])
    let budget = Duration.milliseconds(300)
    #expect(desk.admission.expectation(of: claim(photo, of: "a")) == .seconds(2))
    #expect(
      desk.admission.expectation(of: claim(photo, of: "b", budget: budget)) == .milliseconds(40))
    #expect(desk.admission.expectation(of: claim(photo, of: "new", budget: budget)) == budget / 2)
  }

  /// Would break if one slow answer had all further questions refused while the server is busy.
  @Test func `a slow answer does not keep a client out`() throws {
    let desk = try desk(width: 1, [("a", .milliseconds(40)), ("b", .milliseconds(700))])
    #expect(desk.admit(claim(photo, of: "a")) != nil)
    let question = claim(photo, of: "b", budget: .milliseconds(300), canEndEarly: true)
    #expect(desk.admission.expectation(of: question) == .milliseconds(225))
    #expect(desk.admit(question) != nil)
    #expect(desk.admit(claim(photo, of: "b", budget: .milliseconds(300))) == nil)
  }

  /// Would break if requests that take their whole time held all threads while somebody with less time waits.
  @Test func `a long request ends early for a client that has had less`() throws {
    let desk = try desk(
      width: 2, [("a", .seconds(2)), ("b", .seconds(2)), ("c", .milliseconds(40))])
    for client in ["a", "b"] {
      for _ in 0..<2 {
        #expect(desk.admit(claim(photo, of: client, budget: .seconds(5), canEndEarly: true)) != nil)
      }
    }
    let long = Set(desk.running)
    #expect(long.count == 2)
    desk.now += .milliseconds(30)
    let ordinary = claim(photo, of: "c", budget: .milliseconds(300), canEndEarly: true)
    let waiting = try #require(desk.admit(ordinary))
    #expect(desk.cuts() == [])
    // The request has waited for a quarter of its spare time, but the long ones have not yet run for as long as a
    // photo is expected to take.
    desk.now += .milliseconds(65)
    #expect(desk.cuts() == [])
    desk.now += .milliseconds(10)
    let cuts = desk.cuts()
    let cut = try #require(cuts.first)
    #expect(cuts.count == 1 && long.contains(cut))
    #expect(desk.cuts() == [])
    desk.finish(cut)
    #expect(desk.running.contains(waiting))
    #expect(desk.admission.cutCount == 1)
  }

  /// Would break if a client could end others' requests although it has had more than they.
  @Test func `nothing ends early for a client that has had more, or for the same one`() throws {
    let desk = try desk(width: 1, [("a", .milliseconds(400)), ("b", .milliseconds(400))])
    let long = { (client: String) in
      claim(photo, of: client, budget: .seconds(2), canEndEarly: true)
    }
    for _ in 0..<3 { #expect(desk.admit(long("a")) != nil) }
    desk.now += .milliseconds(1500)
    #expect(desk.cuts() == [])
    desk.finish(desk.running[0])
    #expect(desk.admit(long("b")) != nil)
    while desk.admission.waiting > 1 { desk.finish(desk.running[0]) }
    // A request that cannot give a partial answer is not ended early.
    let other = try self.desk(width: 1, [("a", .seconds(2)), ("b", .milliseconds(40))])
    #expect(other.admit(claim(photo, of: "a")) != nil)
    other.now += .milliseconds(1900)
    #expect(other.admit(claim(photo, of: "b", budget: .milliseconds(300))) != nil)
    other.now += .milliseconds(200)
    #expect(other.cuts() == [])
  }

  /// Would break if one client could fill the queue, so that nobody else may wait.
  @Test func `a full queue gives the last place of whoever has most to others`() throws {
    let desk = try desk(
      width: 1, queueLimit: 3, [("a", .milliseconds(40)), ("b", .milliseconds(40))])
    let ids = (0..<4).compactMap { _ in desk.admit(claim(photo, of: "a")) }
    #expect(ids.count == 4)
    #expect(desk.admit(claim(photo, of: "a")) == nil)
    #expect(desk.admit(claim(photo, of: "b")) != nil)
    #expect(desk.displaced == [ids[3]])
    // Taking another place from the other client would leave it with fewer places than this one.
    #expect(desk.admit(claim(photo, of: "b")) == nil)
    #expect(desk.admission.waiting == 3)
  }
}

/// An admission with a clock of its own, and the requests that run.
final class Desk {
  var admission: Admission
  var now = ContinuousClock.now
  private(set) var running: [UInt64] = []
  /// The requests that gave up their place in the queue.
  private(set) var displaced: [UInt64] = []
  private var nextID: UInt64 = 0

  init(width: Int, queueLimit: Int) {
    admission = Admission(width: width, queueLimit: queueLimit)
  }

  /// Admits a request and starts what has a place; returns `nil` if it is refused.
  func admit(_ claim: Admission.Claim) -> UInt64? {
    nextID += 1
    let verdict = admission.admit(nextID, claim, at: now)
    if case .admittedInsteadOf(let other) = verdict { displaced.append(other) }
    start()
    return verdict.isAdmitted ? nextID : nil
  }

  /// Ends a running request and starts what has a place then.
  func finish(_ id: UInt64, wasStopped: Bool = false) {
    admission.finish(id, at: now, wasStopped: wasStopped)
    running.removeAll { $0 == id }
    start()
  }

  func cuts() -> [UInt64] { admission.takeCuts(at: now) }
  func removeLate() -> [UInt64] { admission.removeLate(at: now) }

  /// Runs a request for a time.
  func run(_ claim: Admission.Claim, for duration: Duration) throws {
    let id = try #require(admit(claim))
    now += duration
    finish(id)
  }

  private func start() {
    while let id = admission.startNext(at: now) { running.append(id) }
  }
}

func claim(
  _ kind: RequestKind, of client: String = "a", budget: Duration = .seconds(10),
  canEndEarly: Bool = false
) -> Admission.Claim {
  Admission.Claim(kind: kind, client: client, budget: budget, canEndEarly: canEndEarly)
}

extension RequestKind: ExpressibleByStringLiteral {
  /// Makes the kind of requests without a body.
  public init(stringLiteral route: String) { self.init(route: route, bodyBytes: 0) }
}
