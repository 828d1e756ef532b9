import PixelMatch
import Synchronization
import VisualQuery

/// What is answered at once, without a thread of the pool.
extension ShopService {
  func immediate(_ route: Route, _ request: RequestInfo) throws(Problem) -> HTTPResponse {
    try RequestFields(request.head.query).finish()
    switch route {
    case .limits: return Self.json(limits)
    case .association:
      let host = (request.head.fields["host"] ?? "").lowercased()
      guard
        let document = AssociationDocument(
          try catalogue().links, appIDs: settings.appIDs, host: host)
      else {
        throw Problem(
          404, "noAssociation",
          "no app is named (vq serve --app-id), or no link template is of https (vq index --link)")
      }
      return Self.json(document)
    case .livez: return Self.text("ok\n")
    case .readyz:
      if isDraining.withLock({ $0 }) {
        throw Problem(503, "stopping", "the server is stopping", retryAfter: 1)
      }
      return try readiness()
    case .metrics:
      let catalogue = try? catalogue()
      let figures = catalogue.map {
        Metrics.CatalogueFigures(
          generation: $0.generation, products: $0.entityCount(of: .product),
          stores: $0.entityCount(of: .store), images: $0.imageCount)
      }
      return HTTPResponse(
        status: 200,
        ["Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store"],
        body: Array(metrics.text(figures).utf8))
    case .openapi: return Self.file(ServedFiles.openAPI, "application/json")
    case .page: return Self.file(ServedFiles.page, "text/html; charset=utf-8")
    case .style: return Self.file(ServedFiles.style, "text/css; charset=utf-8")
    case .script: return Self.file(ServedFiles.script, "text/javascript; charset=utf-8")
    case .match, .entities, .suggested, .query, .entity, .thumbnail, .sync:
      preconditionFailure("\(route.rawValue) takes work")
    }
  }

  /// Ready as long as questions are answered; the text says if that is by an earlier generation.
  private func readiness() throws(Problem) -> HTTPResponse {
    let catalogue = try catalogue()
    guard let damage = current.damage else { return Self.text("ok\n") }
    log.write("catalogue", damage.message, level: "error")
    return Self.text(
      "degraded: \(Problem.summary(of: damage)); answering from generation \(catalogue.generation)\n"
    )
  }

  private func catalogue() throws(Problem) -> Catalogue {
    do throws(CatalogueError) {
      return try current.catalogue()
    } catch {
      log.write("catalogue", error.message, level: "error")
      throw Problem(error)
    }
  }

  private var limits: LimitsDocument {
    func milliseconds(_ duration: Duration) -> Int { Int(Milliseconds.value(duration)) }
    return LimitsDocument(
      bodyBytes: settings.requestLimits.bodyBytes,
      picturePixels: settings.decodeLimits.pixelLimit,
      pictureMemoryBytes: settings.decodeLimits.memoryLimit,
      headerBytes: settings.requestLimits.headerBytes,
      targetBytes: settings.requestLimits.targetBytes,
      deadlineMs: LimitsDocument.Deadline(
        default: milliseconds(settings.deadlines.standard),
        maximum: milliseconds(settings.deadlines.maximum)))
  }

  private static func json(_ document: some Encodable) -> HTTPResponse {
    HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-cache"],
      body: JSONBody.encoded(document))
  }

  private static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(
      status: 200, ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(text.utf8))
  }

  /// The page may load what this server has, and nothing else, and stand in no other page.
  private static func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      [
        "Content-Type": type, "Cache-Control": "no-cache",
        "Content-Security-Policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
      ], body: bytes)
  }
}
