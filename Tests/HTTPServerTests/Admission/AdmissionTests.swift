import Testing

@testable import HTTPServer

/// Requests that are admitted and refused.
@Suite struct AdmissionTests {
  @Test func `as many run as there are threads, as many wait as the queue holds`() throws {
    var admission = Admission(width: 2, queueLimit: 3)
    for _ in 0..<5 {
      _ = try admission.admitted(kind: "a", budget: .seconds(10))
      if admission.running < admission.width, admission.waiting > 0 { admission.start() }
    }
    #expect(admission.running == 2 && admission.waiting == 3)
    let isRefused = admission.admit(kind: "a", budget: .seconds(10)) == nil
    #expect(isRefused)
  }

  @Test func `a request whose expected wait exceeds its budget is refused at once`() throws {
    var admission = Admission(width: 1, queueLimit: 100)
    // One has taken 100 ms, so that the next ones are expected to.
    let first = try admission.admitted(kind: "a", budget: .milliseconds(300))
    admission.start()
    admission.finish(first, after: .milliseconds(100))
    var count = 0
    while admission.admit(kind: "a", budget: .milliseconds(300)) != nil {
      if admission.running < admission.width, admission.waiting > 0 { admission.start() }
      count += 1
    }
    #expect(count == 3)
    let isIn = admission.admit(kind: "a", budget: .milliseconds(1000)) != nil
    #expect(isIn)
    #expect(admission.retryAfter == 1)
  }

  @Test func `an idle server lets in what takes long`() throws {
    var admission = Admission(width: 1, queueLimit: 0)
    let slow = try admission.admitted(kind: "a", budget: .milliseconds(10))
    admission.start()
    admission.finish(slow, after: .seconds(5))
    let isIn = admission.admit(kind: "a", budget: .milliseconds(10)) != nil
    #expect(isIn)
  }

  /// A mean would take one request of 5 s among ordinary ones of 40 ms for what all will take, and refuse
  /// whoever has 300 ms for the next dozen of them.
  @Test func `one slow request does not have the ordinary ones refused`() throws {
    var admission = Admission(width: 2, queueLimit: 64)
    let ordinary = Array(repeating: Duration.milliseconds(40), count: 10)
    for duration in ordinary + [.seconds(5)] {
      let ticket = try admission.admitted(kind: "match", budget: .milliseconds(300))
      admission.start()
      admission.finish(ticket, after: duration)
    }
    for _ in 0..<6 {
      _ = try admission.admitted(kind: "match", budget: .milliseconds(300))
      if admission.running < admission.width, admission.waiting > 0 { admission.start() }
    }
    #expect(admission.running == 2 && admission.waiting == 4)
  }

  /// When slow requests are the rule, requests without time for one are refused.
  @Test func `a kind that has become slow is expected to be slow, and fast again`() throws {
    var admission = Admission(width: 1, queueLimit: 64)
    func expectation(after duration: Duration, times: Int) throws -> Duration {
      for _ in 0..<times {
        let ticket = try admission.admitted(kind: "match", budget: .milliseconds(300))
        admission.start()
        admission.finish(ticket, after: duration)
      }
      return admission.expectation(of: "match")
    }
    #expect(try expectation(after: .milliseconds(40), times: 50) == .milliseconds(40))
    #expect(try expectation(after: .seconds(2), times: 20) == .seconds(2))
    #expect(try expectation(after: .milliseconds(40), times: 20) == .milliseconds(40))
  }

  /// The size of a body says more of its cost than the route alone.
  @Test func `large bodies do not tell what small ones take`() throws {
    var admission = Admission(width: 1, queueLimit: 64)
    let large = Admission.Kind(route: "match", bodyBytes: 8_000_000)
    let ticket = try admission.admitted(kind: large, budget: .seconds(1))
    admission.start()
    admission.finish(ticket, after: .seconds(1))
    let sizes = [0, 1, 40_000, 60_000, 5_000_000, 10_000_000]
    let kinds = sizes.map { Admission.Kind(route: "match", bodyBytes: $0) }
    #expect(Set(kinds).count == 4)
    #expect(kinds.map { $0 == large } == [false, false, false, false, true, true])
    #expect(admission.expectation(of: kinds[2]) == .milliseconds(10))
  }

  @Test func `kinds are told apart, and what was stopped teaches nothing`() throws {
    var admission = Admission(width: 1, queueLimit: 10)
    let slow = try admission.admitted(kind: "slow", budget: .seconds(1))
    admission.start()
    admission.finish(slow, after: .milliseconds(400))
    let stopped = try admission.admitted(kind: "fast", budget: .seconds(1))
    admission.start()
    admission.finish(stopped, after: nil)
    #expect(admission.expectation(of: "slow") == .milliseconds(400))
    #expect(admission.expectation(of: "fast") == .milliseconds(10))
    let waiting = try admission.admitted(kind: "slow", budget: .seconds(1))
    admission.abandon(waiting)
    #expect(admission.running == 0 && admission.waiting == 0)
    #expect(admission.expectedWait(of: "slow") == .zero)
  }

  /// Would break if one entity waited for filters that take seconds.
  @Test func `short requests have places of their own`() throws {
    var admission = Admission(width: 2, queueLimit: 8)
    let long = Admission.Kind(route: "query", bodyBytes: 100)
    let short = Admission.Kind(route: "entity", bodyBytes: 0)
    for (kind, duration) in [(long, Duration.seconds(3)), (short, .milliseconds(1))] {
      let ticket = try admission.admitted(kind: kind, budget: .seconds(10))
      admission.start()
      admission.finish(ticket, after: duration)
    }
    for _ in 0..<2 {
      let ticket = try admission.admitted(kind: long, budget: .seconds(10))
      #expect(admission.canStart(ticket))
      admission.start()
    }
    let third = try admission.admitted(kind: long, budget: .seconds(10))
    #expect(!admission.canStart(third))
    // A kind that nothing is known of may be long.
    #expect(admission.admit(kind: "new", budget: .milliseconds(20)) == nil)
    for _ in 0..<2 {
      let ticket = try admission.admitted(kind: short, budget: .milliseconds(20))
      #expect(admission.canStart(ticket))
      admission.start()
    }
    #expect(admission.running == 4)
    #expect(admission.admit(kind: short, budget: .milliseconds(20)) == nil)
  }
}

extension Admission.Kind: ExpressibleByStringLiteral {
  /// Makes the kind of requests without a body.
  public init(stringLiteral route: String) { self.init(route: route, bodyBytes: 0) }
}

extension Admission {
  fileprivate mutating func admitted(kind: Kind, budget: Duration) throws -> Ticket {
    let ticket = admit(kind: kind, budget: budget)
    return try #require(ticket)
  }
}
