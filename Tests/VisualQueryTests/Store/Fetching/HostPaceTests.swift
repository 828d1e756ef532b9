import Testing

@testable import ShopStore
import VisualQuery

/// The pace of requests, against hosts that allow so many a second, in time that only the test counts.
@Suite struct HostPaceTests {
  /// A host that allows some requests within any time of a length.
  private struct Host {
    var allowed = 10
    var window = Duration.seconds(1)
    var latency = Duration.milliseconds(50)
    var retryAfter: Duration? = .seconds(1)
    var begun: [Duration] = []

    mutating func allows(_ time: Duration) -> Bool {
      begun.removeAll { time - $0 >= window }
      guard begun.count < allowed else { return false }
      begun.append(time)
      return true
    }
  }

  private struct Result {
    var time = Duration.zero
    var requests = 0
    var refused = 0
    var mostOpen = 0
    var isOver = false
  }

  private struct Open {
    let end: Duration
    let begin: Duration
    let isAllowed: Bool
  }

  /// Fetches images one after another, as many at a time as the pace allows.
  private func fetch(_ count: Int, from host: Host, at pace: HostPace) -> Result {
    var (host, pace, result, open, missing) = (host, pace, Result(), [Open](), count)
    let zero = ContinuousClock.now
    while missing > 0 || !open.isEmpty, result.time < .seconds(10_000) {
      for ended in open where ended.end <= result.time {
        if ended.isAllowed {
          pace.noteAnswer(at: zero + result.time)
        } else {
          missing += 1
          result.refused += 1
          pace.noteSlowDown(
            pause: host.retryAfter, begin: zero + ended.begin, at: zero + result.time)
        }
      }
      open.removeAll { $0.end <= result.time }
      asking: while missing > 0 {
        switch pace.turn(at: zero + result.time) {
        case .now:
          missing -= 1
          result.requests += 1
          open.append(
            Open(
              end: result.time + host.latency, begin: result.time,
              isAllowed: host.allows(result.time)))
          result.mostOpen = max(result.mostOpen, open.count)
        case .later: break asking
        case .over:
          result.isOver = true
          return result
        }
      }
      result.time += .milliseconds(5)
    }
    return result
  }

  @Test func `a host that never complains is asked as fast as it answers`() {
    let result = fetch(1600, from: Host(allowed: .max), at: HostPace())
    #expect(result.time < .seconds(6) && result.mostOpen == HostPace.mostConnections)
  }

  @Test(arguments: [10, 100, 500])
  func `three hundred images at ten a second take some thirty seconds`(latency: Int) {
    let result = fetch(300, from: Host(latency: .milliseconds(latency)), at: HostPace())
    #expect(result.time < .seconds(45) && result.refused < 40, "\(result)")
  }

  @Test func `a host that does not say when gets longer and longer pauses, and sends all`() {
    let result = fetch(300, from: Host(retryAfter: nil), at: HostPace())
    #expect(!result.isOver && result.time < .seconds(60), "\(result)")
  }

  @Test func `a quota of a minute is spread, and is not refused again and again`() {
    let host = Host(allowed: 100, window: .seconds(60), retryAfter: .seconds(60))
    let result = fetch(500, from: host, at: HostPace())
    #expect(!result.isOver && result.time < .seconds(600) && result.refused < 60, "\(result)")
  }

  @Test func `a rate of the options is not exceeded`() {
    let result = fetch(100, from: Host(allowed: .max), at: HostPace(rate: 20))
    #expect(result.time > .milliseconds(4900) && result.time < .seconds(6), "\(result)")
  }

  @Test func `a host that only refuses is left soon, or at the end of the time`() {
    #expect(fetch(10, from: Host(allowed: 0), at: HostPace()).time < .seconds(150))
    #expect(fetch(10, from: Host(allowed: 0, retryAfter: nil), at: HostPace()).time < .seconds(30))
    let late = Host(allowed: 0, retryAfter: .seconds(3600))
    let result = fetch(10, from: late, at: HostPace())
    #expect(result.isOver && result.requests <= HostPace.mostConnections)
    #expect(!fetch(10, from: Host(allowed: 0), at: HostPace(hasEnd: true)).isOver)
  }

  @Test(
    arguments: [
      ("120", 120), ("0", 0), ("-1", nil), ("soon", nil), ("9999999999", 86_400),
      ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:49:07 GMT", 0),
      ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
    ] as [(String, Int?)])
  func `the time to wait is seconds or a date of the server`(text: String, seconds: Int?) {
    let pause = RetryAfter.pause(text, date: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(pause == seconds.map { .seconds($0) })
  }

  @Test func `days are those of the calendar`() {
    for (text, day) in [
      ("1970-01-01", 0), ("2000-02-29", 11_016), ("2026-11-28", 20_785), ("2100-03-01", 47_541),
    ] {
      #expect(CalendarDay.text(day) == text)
      let parts = text.split(separator: "-").compactMap { Int($0) }
      #expect(CalendarDay.day(year: parts[0], month: parts[1], day: parts[2]) == day)
    }
  }
}
