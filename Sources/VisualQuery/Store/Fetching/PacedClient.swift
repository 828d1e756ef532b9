internal import Synchronization

/// Sends requests for images, at the pace that each host allows, and repeats those that may succeed a little later.
final class PacedClient: Sendable {
  /// The longest pause before a request is repeated for a reason that is not the host's pace, in seconds.
  private static let pauseLimit = 10
  /// The number of times that a request is sent to a host that asks for less.
  private static let attemptLimit = 10

  private struct Host {
    var record = HostRecord()
    var pace: HostPace
  }

  /// A host that was asked in this run.
  struct Summary: Sendable {
    /// Its name.
    let host: String
    /// The number of answers a second, or `nil` if there were too few.
    let rate: Double?
  }

  private let client: HTTPClient
  private let rate: Double?
  /// The end of the time for all images, or `nil` if there is none.
  private let end: ContinuousClock.Instant?
  private let hosts = Mutex<[String: Host]>([:])

  init(policy: FetchPolicy) throws(CatalogueError) {
    client = try HTTPClient(policy: policy)
    rate = policy.rate
    end = policy.runTime.map { .now + $0 }
  }

  /// True if the time for all images has an end.
  var hasEnd: Bool { end != nil }

  /// Returns the host of an address as requests are counted by.
  static func host(of url: String) -> String { CurlURL(url)?.host.lowercased() ?? "" }

  /// Returns the hosts that were asked.
  func summaries() -> [Summary] {
    hosts.withLock { $0.map { Summary(host: $0.key, rate: $0.value.pace.rate) } }
      .sorted { $0.host < $1.host }
  }

  /// Sends a request until it is answered with status 200 or 304.
  ///
  /// - Parameter shouldStop: Returns whether the run was cancelled.
  /// - Throws: ``FetchError``: with the code `busy` or `later` if the next run is to go on.
  func answer(
    to request: HTTPClient.Request, at host: String, shouldStop: @escaping () -> Bool
  ) async throws(FetchError) -> HTTPClient.Response {
    try client.checkedURL(request.url)
    var lost = Duration.zero
    var failures = 0
    var limit: ContinuousClock.Instant?
    for attempt in 1...Self.attemptLimit {
      try await waitForTurn(at: host, shouldStop)
      let begin = ContinuousClock.now
      let until = limit ?? begin + client.timeLimit
      let outcome = send(request, until: until) {
        shouldStop() || self.hosts.withLock { $0[host]?.record.isTooSlow == true }
      }
      let now = ContinuousClock.now
      lost += now - begin
      switch outcome {
      case .answer(let response):
        note(host) {
          $0.pace.noteAnswer(at: now); $0.record.noteSuccess()
        }
        return response
      case .slower(let error, let pause, let isRate):
        // A host that answers others well may be unable to send this one image.
        let isSlow = isRate || pause != nil || attempt == 1
        note(host) {
          if isSlow {
            $0.pace.noteSlowDown(pause: pause, begin: begin, at: now)
          } else {
            $0.pace.noteFailure()
          }
        }
        let isLast = attempt == (isRate || pause != nil ? Self.attemptLimit : 5)
        if isLast { throw isRate ? FetchError(code: .busy, message: error.message) : error }
        if !isSlow { try await Self.sleep(.seconds(attempt)) }
        (lost, limit) = (.zero, nil)
      case .failure(let error, let pause):
        failures += 1
        let hasTime = now + .seconds(pause ?? 0) < until
        let isLast = failures > 1 || pause == nil || !hasTime || givenUp(host) != nil
        note(host) {
          if [.missing, .unusable].contains(error.code) {
            $0.pace.noteAnswer(at: now)
          } else {
            $0.pace.noteFailure()
          }
          if isLast { $0.record.note(error.code, after: lost) }
        }
        if isLast {
          if error.code == .cancelled, !shouldStop(), let reason = givenUp(host) { throw reason }
          throw error
        }
        try await Self.sleep(.seconds(pause ?? 0))
        lost += .seconds(pause ?? 0)
        limit = until
      }
    }
    throw FetchError(code: .busy, message: "its host allows no more requests for now")
  }

  private func note(_ host: String, _ change: (inout Host) -> Void) {
    hosts.withLock { change(&$0[host, default: newHost]) }
  }

  private var newHost: Host { Host(pace: HostPace(rate: rate, hasEnd: end != nil)) }

  private func givenUp(_ host: String) -> FetchError? {
    hosts.withLock { $0[host]?.record.reasonToGiveUp }.map {
      FetchError(
        code: .unavailable, message: "'\(host)' \($0); no further requests are sent to it")
    }
  }

  /// Waits until a request to a host may begin.
  private func waitForTurn(
    at host: String, _ shouldStop: () -> Bool
  ) async throws(FetchError) {
    while true {
      if shouldStop() { throw Self.cancelled }
      if let error = givenUp(host) { throw error }
      let now = ContinuousClock.now
      if let end, now >= end {
        throw FetchError(code: .later, message: "the time for fetching is over")
      }
      let turn = hosts.withLock { $0[host, default: newHost].pace.turn(at: now) }
      switch turn {
      case .now: return
      case .over:
        throw FetchError(code: .busy, message: "'\(host)' allows no more requests for now")
      case .later(let time):
        try await Self.sleep(max(.zero, min(time, end ?? time) - now))
      }
    }
  }

  private static let cancelled = FetchError(code: .cancelled, message: "the run was cancelled")

  private static func sleep(_ time: Duration) async throws(FetchError) {
    do { try await Task.sleep(for: time) } catch { throw cancelled }
  }

  /// The outcome of one request.
  private enum Outcome {
    case answer(HTTPClient.Response)
    /// The host asks for less; `isRate` if that is all that the status can mean.
    case slower(FetchError, pause: Duration?, isRate: Bool)
    /// The request can be repeated after `pause` seconds, unless that is `nil`.
    case failure(FetchError, pause: Int?)
  }

  private func send(
    _ request: HTTPClient.Request, until end: ContinuousClock.Instant,
    _ shouldStop: @escaping () -> Bool
  ) -> Outcome {
    do throws(FetchError) {
      let response = try client.get(request, until: end, shouldStop: shouldStop)
      let reason = "the server responded with status \(response.status)"
      let pause = RetryAfter.pause(
        response.fields["retry-after"], date: response.fields["date"])
      switch response.status {
      case 200, 304: return .answer(response)
      case 404, 410: return .failure(FetchError(code: .missing, message: reason), pause: nil)
      case 429, 503:
        return .slower(
          FetchError(code: .unavailable, message: reason), pause: pause,
          isRate: response.status == 429)
      case 202, 408, 425, 500, 502, 504, 507, 520...530:
        let seconds = Int((pause ?? .seconds(1)) / .seconds(1))
        return .failure(
          FetchError(code: .unavailable, message: reason),
          pause: seconds <= Self.pauseLimit ? seconds : nil)
      default: return .failure(FetchError(code: .unusable, message: reason), pause: nil)
      }
    } catch {
      return .failure(error, pause: error.code == .unavailable ? 1 : nil)
    }
  }
}
