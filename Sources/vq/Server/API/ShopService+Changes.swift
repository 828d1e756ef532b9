import HTTPServer
import VisualQuery

/// The time limit of changes, which are answered in time even if a database does not respond.
extension ShopService {
  /// The time that a cancelled change has to report how far it came.
  private static let lastWait = Duration.seconds(1)

  /// Makes a change, and cancels it when its time is over. A change that succeeds nevertheless is answered as made.
  /// If a database that does not respond blocks it, the request is answered without waiting for it.
  func inTime(
    _ request: HTTPRequest, _ budget: Duration,
    _ run: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let end = request.arrival + budget
    guard ContinuousClock.now < end else { throw Self.tooLate(.waiting, after: budget) }
    let (results, report) = AsyncStream.makeStream(of: Result<HTTPResponse, any Error>.self)
    let work = Task(executorPreference: shop.changePool) {
      do { report.yield(.success(try await run(request))) } catch { report.yield(.failure(error)) }
    }
    let timer = Task {
      try await Task.sleep(until: end, clock: .continuous)
      work.cancel()
      try await Task.sleep(for: Self.lastWait)
      report.yield(.failure(CancellationError()))
    }
    defer {
      timer.cancel()
      work.cancel()
    }
    // Ends without a result if the client has gone.
    for await result in results {
      let isLate = ContinuousClock.now >= end
      do {
        return try result.get()
      } catch EntityUpdates.Failure.cancelled(let phase) where isLate {
        throw Self.tooLate(phase, after: budget)
      } catch is CancellationError where isLate {
        throw Self.tooLate(.writing, after: budget)
      }
    }
    throw CancellationError()
  }

  /// Returns the problem of a change whose time was over in a phase.
  private static func tooLate(_ phase: EntityUpdates.Phase, after budget: Duration) -> Problem {
    let time = "\(Int(Milliseconds.value(budget))) ms"
    return switch phase {
    case .analyzing:
      Problem(
        .timedOut,
        "the images could not be analyzed within \(time); send fewer or smaller ones, or try again",
        retryAfter: 1)
    case .waiting:
      Problem(
        .catalogueBusy, "other changes took more than \(time); nothing was changed, try again",
        retryAfter: 5)
    case .writing:
      Problem(
        .catalogueBusy,
        "the change was not finished within \(time), but may still be made; ask for the entity before you try again",
        retryAfter: 5)
    }
  }
}
