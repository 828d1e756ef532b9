/// Asks equal questions once.
///
/// The system may ask an app several times for one tap, and again for "More results". Questions that are equal to one in
/// flight wait for its answer, those within ``freshness`` get it again, and later ones go on from its continuation, without
/// their image.
public actor SharedAnswers {
  /// The most questions whose answers are kept.
  static let capacity = 8

  private struct Flight {
    let number: Int
    let task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<MatchAnswer, any Error>]
  }

  private struct Kept {
    let answer: MatchAnswer
    let time: ContinuousClock.Instant
  }

  /// The client that asks.
  public nonisolated let client: ShopClient
  /// The time within which an answer is given again.
  public let freshness: Duration
  /// The time within which a search is continued instead of begun anew.
  public let memory: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private var flights: [MatchQuestion: Flight] = [:]
  private var kept: [MatchQuestion: Kept] = [:]
  private var lastNumber = 0

  /// Makes a place for answers.
  public init(
    client: ShopClient, freshness: Duration = .seconds(10), memory: Duration = .seconds(600),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.client = client
    self.freshness = freshness
    self.memory = memory
    self.now = now
  }

  /// Returns the answer to a question.
  ///
  /// A cancelled caller gets `CancellationError` at once; the question goes on for as long as another caller waits for it.
  public func match(_ question: MatchQuestion) async throws -> MatchAnswer {
    try Task.checkCancellation()
    if let known = kept[question], known.time.duration(to: now()) < freshness {
      return known.answer
    }
    lastNumber += 1
    let caller = lastNumber
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { join(question, caller, $0) }
    } onCancel: {
      Task { await self.leave(question, caller) }
    }
  }

  private func join(
    _ question: MatchQuestion, _ caller: Int,
    _ continuation: CheckedContinuation<MatchAnswer, any Error>
  ) {
    if flights[question] != nil {
      flights[question]?.waiting[caller] = continuation
      return
    }
    let known = kept[question].flatMap { $0.time.duration(to: now()) < memory ? $0.answer : nil }
    // A task of its own, since it outlives the caller that begins it if others wait. `leave` cancels it with the last one.
    let task = Task {
      let result: Result<MatchAnswer, any Error>
      do {
        result = .success(try await ask(question, after: known?.continuation))
      } catch {
        result = .failure(error)
      }
      finish(question, caller, result)
    }
    flights[question] = Flight(number: caller, task: task, waiting: [caller: continuation])
  }

  private nonisolated func ask(
    _ question: MatchQuestion, after continuation: String?
  ) async throws -> MatchAnswer {
    if let continuation {
      do {
        return try await client.moreResults(continuing: continuation, fromStart: true)
      } catch let error as ClientError where error.code == .expired {}
    }
    return try await client.match(question)
  }

  private func finish(
    _ question: MatchQuestion, _ number: Int, _ result: Result<MatchAnswer, any Error>
  ) {
    guard let flight = flights[question], flight.number == number else { return }
    flights[question] = nil
    if case .success(let answer) = result {
      kept[question] = Kept(answer: answer, time: now())
      if kept.count > Self.capacity, let oldest = kept.min(by: { $0.value.time < $1.value.time }) {
        kept[oldest.key] = nil
      }
    }
    for continuation in flight.waiting.values { continuation.resume(with: result) }
  }

  private func leave(_ question: MatchQuestion, _ caller: Int) {
    guard let continuation = flights[question]?.waiting.removeValue(forKey: caller) else { return }
    continuation.resume(throwing: CancellationError())
    if let flight = flights[question], flight.waiting.isEmpty {
      flight.task.cancel()
      flights[question] = nil
    }
  }
}
