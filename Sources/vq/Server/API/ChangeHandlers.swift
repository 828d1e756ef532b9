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
    try await reporting(request) { () throws(EntityUpdates.Failure) in
      try await shop.updates.write(change)
    }
  }

  /// Does a part of a change. A catalogue that cannot be written becomes a problem.
  private func reporting<Value: Sendable>(
    _ request: HTTPRequest, _ work: () async throws(EntityUpdates.Failure) -> Value
  ) async throws -> Value {
    let start = ContinuousClock.now
    defer { shop.trace("indexing", since: start, request.info.identity) }
    do throws(EntityUpdates.Failure) {
      return try await work()
    } catch {
      guard case .catalogue(let failure) = error else { throw error }
      throw shop.problem(ofChange: failure, request)
    }
  }

  // MARK: Many entities

  /// Makes the changes of the lines of a body.
  func importEntities(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let key = try RepeatableRequests.Key(request, client: shop.key(of: request.info.head)?.name)
    if let key, let former = try shop.repeatable.begin(key) { return former }
    do {
      let lines = try EntityImport(request.body).lines
      let prepared = try await reporting(request) { () throws(EntityUpdates.Failure) in
        try await shop.updates.prepare(lines.compactMap { try? $0.change.get() })
      }
      guard let key else { return try await importLines(lines, prepared, request) }
      // Goes on if the client hangs up, so that the answer is there when it sends the request again.
      return try await Task {
        let response = try await importLines(lines, prepared, request)
        shop.repeatable.finish(key, response)
        return response
      }.value
    } catch {
      if let key { shop.repeatable.finish(key, nil) }
      throw error
    }
  }

  private func importLines(
    _ lines: [EntityImport.Line], _ prepared: [PreparedChange], _ request: HTTPRequest
  ) async throws -> HTTPResponse {
    var written = try await reporting(request) { () throws(EntityUpdates.Failure) in
      try await shop.updates.write(prepared)
    }[...]
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
