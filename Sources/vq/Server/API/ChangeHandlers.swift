import HTTPServer
import PixelMatch
import VisualQuery

/// `PUT` and `DELETE /v1/entities/{type}/{id}`.
///
/// An answer is given once the change is durable. Every request looks for the newest generation, so
/// the next one sees the change.
struct ChangeHandlers: Handlers {
  let shop: ShopContext

  func put(_ id: EntityID, _ request: HTTPRequest, _ form: MatchForm) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let entity = try EntityForm(request.body, form, of: id)
    let written = try await write(.put(entity.value, images: entity.images), request)
    let outcome = written.outcome
    if let refused = outcome.refused.first {
      let reason =
        refused.kind == .unfetchedImage
        ? "\(refused.subject ?? "an image"): the server fetches no images; send it as a part of a form that has "
          + "this address as its name"
        : shop.withoutRoot(refused.reason)
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
      return try await shop.updates.write(change)
    } catch {
      guard case .catalogue(let failure) = error else { throw error }
      throw shop.problem(ofChange: failure, request)
    }
  }
}
