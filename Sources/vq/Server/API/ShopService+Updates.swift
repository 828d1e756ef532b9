import HTTPServer
import PixelMatch
import VisualQuery

/// `PUT` and `DELETE /v1/entities/{type}/{id}`.
///
/// An answer is given once the change is durable. Every request looks for the newest generation, so
/// the next one sees the change.
extension ShopService {
  /// The largest number of bytes of an entity in JSON, as of a row of a feed.
  static let entityLimit = JSONLimits().byteCount

  /// Decides on a change. The images of a form have the limit of bodies.
  func put(_ id: EntityID, _ request: RequestInfo, _ route: Route) throws(Problem) -> Decision {
    let form = try EntityForm.kind(of: request.head)
    let limit = form == .json ? Self.entityLimit : settings.requestLimits.bodyBytes
    return work(route, lane: .changes, bodyLimit: limit, budget: settings.changeBudget) { request in
      try RequestFields(request.info.head.query).finish()
      let entity = try EntityForm(request.body, form, of: id)
      return try await self.put(entity, request)
    }
  }

  private func put(_ entity: EntityForm, _ request: HTTPRequest) async throws -> HTTPResponse {
    let written = try await write(.put(entity.value, images: entity.images), request)
    let outcome = written.outcome
    if let refused = outcome.refused.first {
      let reason =
        refused.kind == .unfetchedImage
        ? "\(refused.subject ?? "an image"): the server fetches no images; send it as a part of a form that has "
          + "this address as its name"
        : withoutRoot(refused.reason)
      throw Problem(
        .invalidEntity,
        "\(refused.field.map { "'\($0)' " } ?? "the entity ")\(reason)", field: refused.field)
    }
    let document = EntityChangeDocument(outcome, of: entity.value, generation: written.generation)
    return HTTPResponse(
      status: outcome.effect == .added ? 201 : 200,
      [
        "Content-Type": "application/json", "Cache-Control": "no-store",
        "X-Generation": String(written.generation),
      ], body: JSONBody.encoded(document))
  }

  func remove(_ id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let written = try await write(.remove(id), request)
    guard written.outcome.effect == .removed else { throw Self.unknown(id) }
    return HTTPResponse(
      status: 204,
      ["Cache-Control": "no-store", "X-Generation": String(written.generation)])
  }

  private func write(
    _ change: EntityChange, _ request: HTTPRequest
  ) async throws -> EntityUpdates.Written {
    do throws(EntityUpdates.Failure) {
      return try await updates.write(change)
    } catch {
      guard case .catalogue(let failure) = error else { throw error }
      throw problem(ofChange: failure, request)
    }
  }

  /// The time for which a cancelled change may still tell how far it came.
  private static let lastWait = Duration.seconds(1)

  /// Makes a change until its time is over. Then it is cancelled; one that succeeds all the same is answered. One that is
  /// blocked by a database that does not respond goes on without its request.
  func inTime(
    _ request: HTTPRequest, _ budget: Duration,
    _ run: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let end = request.arrival + budget
    guard ContinuousClock.now < end else { throw Self.tooLate(.waiting, after: budget) }
    let (results, report) = AsyncStream.makeStream(of: Result<HTTPResponse, any Error>.self)
    let work = Task(executorPreference: changePool) {
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

  /// Returns the problem of a change that failed, and writes to the log what a client cannot see.
  func problem(ofChange error: CatalogueError, _ request: HTTPRequest) -> Problem {
    if error.code == .locked {
      return Problem(
        .catalogueBusy, "the catalogue is being indexed; try again", retryAfter: 10)
    }
    log.write("catalogue", error.message, level: "error", requestID: request.info.identity.id)
    return Problem(
      .catalogueUnavailable, "the catalogue cannot be written at the moment", retryAfter: 5)
  }

  /// Returns a reason without the server's path of the images root.
  func withoutRoot(_ reason: String) -> String {
    guard let root = catalogue.imagesRoot else { return reason }
    return reason.replacing("the images root '\(root)'", with: "the images root")
      .replacing("'\(root)'", with: "the images root")
  }
}
