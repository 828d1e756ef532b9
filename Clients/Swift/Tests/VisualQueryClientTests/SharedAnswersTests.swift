import Foundation
import Synchronization
import Testing

@testable import VisualQueryClient

/// Would break if one tap, for which the system asks several times, uploaded its image several times.
@Suite struct SharedAnswersTests {
  private static func answer(_ continuation: String) -> Data {
    Data(
      """
      {"schema":"vq.match/1","query":"q","complete":true,"coverage":1,"elapsedMs":1,"generation":1,
       "values":[],"unmatchedLabels":[],"hasMore":false,"continuation":"\(continuation)"}
      """.utf8)
  }

  /// A clock that a test moves.
  private final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
  }

  private let question = MatchQuestion(image: .file(Data(repeating: 7, count: 60_000)))

  @Test func `six equal questions are one, and later ones go on without the image`() async throws {
    let service = try ScriptedService { _, number in
      Thread.sleep(forTimeInterval: 0.05)
      return ScriptedService.Answer(body: Self.answer("t\(number)"))
    }
    let clock = TestClock()
    let answers = SharedAnswers(
      client: ShopClient(ServiceConfiguration(address: service.address)), now: { clock.now })
    let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<6 { group.addTask { try await answers.match(question).continuation } }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(tokens == ["t0"] && service.requests.count == 1)
    clock.advance(by: .seconds(9))
    #expect(try await answers.match(question).continuation == "t0")
    clock.advance(by: .seconds(2))
    #expect(try await answers.match(question).continuation == "t1")
    #expect(service.requests.map { $0.body.count > 60_000 } == [true, false])
    let later = try #require(
      try JSONSerialization.jsonObject(with: service.requests[1].body) as? [String: Any])
    #expect(later["continuation"] as? String == "t0" && later["fromStart"] as? Bool == true)
    clock.advance(by: .seconds(601))
    #expect(try await answers.match(question).continuation == "t2")
    #expect(service.requests[2].body.count > 60_000)
    _ = try await answers.match(MatchQuestion(labels: ["mug"]))
    #expect(service.requests.count == 4)
  }

  @Test func `a search that the service has forgotten begins anew`() async throws {
    let service = try ScriptedService { _, number in
      guard number == 1 else { return ScriptedService.Answer(body: Self.answer("t\(number)")) }
      let problem =
        #"{"type":"about:blank","title":"Gone","status":410,"detail":"old","code":"expiredToken"}"#
      return ScriptedService.Answer(status: 410, body: Data(problem.utf8))
    }
    let clock = TestClock()
    let answers = SharedAnswers(
      client: ShopClient(ServiceConfiguration(address: service.address)), now: { clock.now })
    _ = try await answers.match(question)
    clock.advance(by: .seconds(60))
    #expect(try await answers.match(question).continuation == "t2")
  }

  @Test func `a failure is not kept`() async throws {
    let service = try ScriptedService { _, number in
      number == 0
        ? ScriptedService.Answer(status: 500) : ScriptedService.Answer(body: Self.answer("t"))
    }
    let answers = SharedAnswers(
      client: ShopClient(ServiceConfiguration(address: service.address)))
    await #expect(throws: ClientError.self) { try await answers.match(question) }
    #expect(try await answers.match(question).continuation == "t")
  }

  @Test func `one of two callers may leave, and the last one ends the question`() async throws {
    let port = try SilentPort()
    let answers = SharedAnswers(
      client: ShopClient(
        ServiceConfiguration(address: port.address, timeout: .seconds(60))))
    let first = Task { try await answers.match(question) }
    let second = Task { try await answers.match(question) }
    try await Task.sleep(for: .milliseconds(50))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
  }
}

/// Would break if a service that starts or is busy for a moment made a question fail.
@Suite struct RetryTests {
  @Test func `a busy service is asked again within the time of the question`() async throws {
    let service = try ScriptedService { _, number in
      number == 0
        ? ScriptedService.Answer(status: 503, headers: ["Retry-After": "1"])
        : ScriptedService.Answer(body: Data(#"{"type":"product","id":"a"}"#.utf8))
    }
    let shop = ShopClient(ServiceConfiguration(address: service.address))
    #expect(try await shop.model(of: EntityID(.product, "a"))["id"] == "a")
    #expect(service.requests.count == 2)
  }

  @Test func `a service that wants more time than the question has is not asked again`()
    async throws
  {
    let service = try ScriptedService { _, _ in
      ScriptedService.Answer(status: 503, headers: ["Retry-After": "30"])
    }
    let shop = ShopClient(ServiceConfiguration(address: service.address))
    let error = await #expect(throws: ClientError.self) { try await shop.limits() }
    #expect(error?.code == .busy && error?.retryAfter == .seconds(30))
    #expect(service.requests.count == 1)
  }
}
