import HTTPServer
import PixelMatch
import VisualQuery

/// `PUT`, `PATCH` and `DELETE /v1/entities/{type}/{id}`, and `POST /v1/entities:import`.
///
/// An answer is given once the change is durable. Every request looks for the newest generation, so
/// the next one sees the change.
struct ChangeHandlers: Handlers {
  let shop: ShopContext

  func put(_ id: EntityID, _ request: HTTPRequest, _ form: MatchForm) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let entity = try EntityForm(request.body, form, of: id)
    return try await answer(.put(entity.value, images: entity.images), request)
  }

  func patch(_ id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    return try await answer(.patch(id, .object(EntityForm.object(request.body))), request)
  }

  func remove(_ id: EntityID, _ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let written = try await write(.remove(id), request)
    guard written.outcome.effect == .removed else { throw Self.unknown(id) }
    return HTTPResponse(
      status: 204,
      ["Cache-Control": "no-store", "X-Generation": String(written.generation)])
  }

  /// Makes a change that leaves an entity.
  private func answer(_ change: EntityChange, _ request: HTTPRequest) async throws -> HTTPResponse {
    let written = try await write(change, request)
    let outcome = written.outcome
    if let problem = problem(of: outcome) { throw problem }
    return response(
      outcome.status, EntityChangeDocument(outcome, generation: written.generation),
      written.generation)
  }

  private func response(
    _ status: Int, _ document: some Encodable, _ generation: Int
  ) -> HTTPResponse {
    HTTPResponse(
      status: status,
      [
        "Content-Type": "application/json", "Cache-Control": "no-store",
        "X-Generation": String(generation),
      ], body: JSONBody.encoded(document))
  }

  /// Returns the problem of a change that was not made, or `nil` if it was.
  private func problem(of outcome: EntityChange.Outcome) -> Problem? {
    if outcome.effect == .unknown { return Self.unknown(outcome.id) }
    guard let refused = outcome.refused.first else { return nil }
    let reason =
      refused.kind == .unfetchedImage
      ? "\(refused.subject ?? "an image"): the server fetches no images; send it as a part of a form that has "
        + "this address as its name"
      : shop.withoutRoot(refused.reason)
    return Problem(
      .invalidEntity,
      "\(refused.field.map { "'\($0)' " } ?? "the entity ")\(reason)", field: refused.field)
  }

  private func write(
    _ change: EntityChange, _ request: HTTPRequest
  ) async throws -> EntityUpdates.Written {
    try await write([change], request)[0]
  }

  /// Returns the error of a change for its client. A catalogue that cannot be written becomes a problem.
  private func reported(_ failure: EntityUpdates.Failure, _ request: HTTPRequest) -> any Error {
    if case .catalogue(let error) = failure {
      shop.problem(ofChange: error, request)
    } else {
      failure
    }
  }

  // MARK: Many entities

  /// Makes the changes of the lines of a body.
  func importEntities(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    guard
      let key = try RepeatableRequests.Key(request, client: shop.key(of: request.info.head)?.name)
    else { return try await importLines(request) }
    if let former = try shop.repeatable.begin(key) { return former }
    // Goes on if the client hangs up, so that the answer is there when it sends the request again.
    let outcome = await Task { try await importLines(request) }.result
    shop.repeatable.finish(key, try? outcome.get())
    return try outcome.get()
  }

  private func importLines(_ request: HTTPRequest) async throws -> HTTPResponse {
    let lines = try EntityImport(request.body).lines
    var written = try await write(lines.compactMap { try? $0.change.get() }, request)[...]
    let generation =
      try written.map(\.generation).max().flatMap { $0 > 0 ? $0 : nil }
      ?? catalogue.newest().generation
    let results = lines.map { line in
      switch line.change {
      case .failure(let problem): EntityImportDocument.Result(line, problem)
      case .success:
        written.popFirst().map { written in
          if let problem = problem(of: written.outcome) {
            EntityImportDocument.Result(line, problem)
          } else {
            EntityImportDocument.Result(line, written.outcome)
          }
        } ?? EntityImportDocument.Result(line, Problem(.internalError, "the line has no result"))
      }
    }
    return response(200, EntityImportDocument(results, generation: generation), generation)
  }

  /// Makes changes in one batch.
  private func write(
    _ changes: [EntityChange], _ request: HTTPRequest
  ) async throws -> [EntityUpdates.Written] {
    let start = ContinuousClock.now
    defer { shop.trace("indexing", since: start, request.info.identity) }
    do throws(EntityUpdates.Failure) {
      return try await shop.updates.write(changes)
    } catch {
      throw reported(error, request)
    }
  }
}

extension EntityChange.Outcome {
  /// The status of the answer to a change that was made.
  var status: Int {
    switch effect {
    case .added: 201
    case .removed: 204
    case .changed, .unchanged, .unknown, .refused: 200
    }
  }
}
