import Testing

@testable import vq

/// What is let in, and what is told to come back.
@Suite struct AdmissionTests {
  @Test func `as many run as there are threads, as many wait as the queue holds`() throws {
    var admission = Admission(width: 2, queueLimit: 3)
    for _ in 0..<5 {
      _ = try admission.admitted(kind: "a", budget: .seconds(10))
      if admission.canStart { admission.start() }
    }
    #expect(admission.running == 2 && admission.waiting == 3)
    let isRefused = admission.admit(kind: "a", budget: .seconds(10)) == nil
    #expect(isRefused)
  }

  @Test func `who would have to wait longer than its time is refused at once`() throws {
    var admission = Admission(width: 1, queueLimit: 100)
    // One has taken 100 ms, so that the next ones are expected to.
    let first = try admission.admitted(kind: "a", budget: .milliseconds(300))
    admission.start()
    admission.finish(first, after: .milliseconds(100))
    var count = 0
    while admission.admit(kind: "a", budget: .milliseconds(300)) != nil {
      if admission.canStart { admission.start() }
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
    #expect(admission.expectedWait == .zero)
  }
}

extension Admission {
  fileprivate mutating func admitted(kind: String, budget: Duration) throws -> Ticket {
    let ticket = admit(kind: kind, budget: budget)
    return try #require(ticket)
  }
}
