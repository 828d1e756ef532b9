import Testing

@testable import vq

/// The rate of requests of one client.
@Suite struct RateLimiterTests {
  @Test func `a bucket lets a burst through, and then a steady rate`() {
    var limiter = RateLimiter(rate: 2)
    let start = ContinuousClock.now
    let later = start + .milliseconds(500)
    let answers = ["a", "a", "a", "a", "a", "b"].map { limiter.retryAfter(for: $0, at: start) }
    #expect(answers == [nil, nil, nil, nil, 1, nil])
    let further = (0..<2).map { _ in limiter.retryAfter(for: "a", at: later) }
    #expect(further == [nil, 1])
    var slow = RateLimiter(rate: 0.1)
    let rare = (0..<2).map { _ in slow.retryAfter(for: "a", at: start) }
    #expect(rare == [nil, 10])
  }

  /// Would break if what a client has used beyond its tokens were forgotten.
  @Test func `what was used is paid back`() {
    var limiter = RateLimiter(rate: 0.5)
    let start = ContinuousClock.now
    limiter.take(0.9, from: "a", at: start)
    #expect(limiter.debt(of: "a", at: start) == nil)
    limiter.take(2.1, from: "a", at: start)
    #expect(limiter.debt(of: "a", at: start) == 4)
    #expect(limiter.debt(of: "b", at: start) == nil)
    #expect(limiter.debt(of: "a", at: start + .seconds(3)) == 1)
    #expect(limiter.debt(of: "a", at: start + .seconds(4)) == nil)
    // It saves up no more than a burst.
    limiter.take(1.5, from: "a", at: start + .seconds(1000))
    #expect(limiter.debt(of: "a", at: start + .seconds(1000)) == 1)
  }

  @Test func `the table of clients is bounded`() {
    var limiter = RateLimiter(rate: 1)
    let start = ContinuousClock.now
    for client in 0..<30_000 { _ = limiter.retryAfter(for: "\(client)", at: start) }
    #expect(limiter.clientCount <= 10_000)
  }

  /// Would break if a client could have its debt forgotten by asking from many addresses.
  @Test func `clients that have taken the most are remembered longest`() {
    var limiter = RateLimiter(rate: 0.1, burst: 10)
    let start = ContinuousClock.now
    for number in 0..<50 { limiter.take(30, from: "debtor \(number)", at: start) }
    for client in 0..<30_000 { _ = limiter.retryAfter(for: "\(client)", at: start) }
    #expect(limiter.clientCount <= 10_000)
    for number in 0..<50 { #expect(limiter.debt(of: "debtor \(number)", at: start) == 200) }
  }
}
