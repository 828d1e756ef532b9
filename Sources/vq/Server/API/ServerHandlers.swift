import HTTPServer
import PixelMatch
import Reading
import Synchronization
import VisualQuery

/// Answers that are made on the event loop. None of them waits for a file or another thread.
struct ServerHandlers: Handlers {
  let shop: ShopContext

  /// Returns 200 if matches are answered, even if not all of them or from an earlier generation, and throws
  /// otherwise. A degraded server stays ready: without it, its clients would have no answer at all.
  ///
  /// If the server has keys, only one of the role `operate` is told more than whether it is degraded.
  ///
  /// - Parameter head: The request. `Accept: application/json` asks for a document, and text is given otherwise.
  func readiness(_ head: RequestHead) throws(Problem) -> HTTPResponse {
    if shop.isDraining.withLock({ $0 }) {
      throw Problem(.stopping, "the server is stopping", retryAfter: 1)
    }
    let snapshot: ServedCatalogue.Snapshot
    var reasons: [Degradation] = []
    switch catalogue.state {
    case .ready(let newest): snapshot = newest
    case .degraded(let former, let error):
      snapshot = former
      reasons.append(
        Degradation(
          code: .earlierGeneration,
          message:
            "\(Problem.summary(of: error)); answering from generation \(former.generation)"))
    case .unavailable(let error): throw Problem(error)
    }
    reasons += shop.degradations.all
    let isOperator = !shop.hasKeys || shop.key(of: head)?.role.includes(.operate) == true
    if head.accepts(only: "application/json") {
      var response = Self.json(
        isOperator
          ? ReadinessDocument(generation: snapshot.generation, reasons: reasons)
          : ReadinessDocument(isDegraded: !reasons.isEmpty))
      response.set("Cache-Control", "no-store")
      return response
    }
    guard isOperator else { return Self.text(reasons.isEmpty ? "ok\n" : "degraded\n") }
    let lines = reasons.isEmpty ? ["ok"] : reasons.map { "degraded: \($0.message)" }
    return Self.text(
      lines.map { $0 + "\n" }.joined() + following(from: snapshot.generation) + isolation)
  }

  /// Returns a line about the catalogue in PostgreSQL that is followed, if there is one.
  private func following(from generation: Int) -> String {
    guard let status = shop.replica?.status else { return "" }
    let seconds = status.lastCurrent.map { Int((.now - $0) / .seconds(1)) }
    let lag = seconds.map { "current \($0) s ago" } ?? "not current since the start"
    let reason =
      status.error != nil
      ? "; PostgreSQL is not followed, see the log"
      : status.isFollowing
        ? "" : "; PostgreSQL does not respond, or a large generation is being copied"
    return "generation \(generation) of \(status.newestGeneration), \(lag)\(reason)\n"
  }

  /// A line about the processes of libraries, if they are not what was asked for.
  private var isolation: String {
    switch settings.isolation {
    case .off: ""
    case .unavailable: "libraries run within the server: their processes cannot be started\n"
    case .on:
      LibraryProcesses.isRestricted
        ? "" : "libraries run in processes that the kernel does not restrict\n"
    }
  }

  /// Returns the metrics of the server.
  func figures() -> HTTPResponse {
    let snapshot: ServedCatalogue.Snapshot? =
      switch catalogue.state {
      case .ready(let snapshot), .degraded(let snapshot, _): snapshot
      case .unavailable: nil
      }
    let figures = snapshot.map {
      Metrics.CatalogueFigures(
        generation: $0.generation, products: $0.productCount, stores: $0.storeCount,
        images: $0.imageCount)
    }
    let following = (shop.replica?.status).map { status in
      Metrics.ReplicaFigures(
        generation: status.newestGeneration,
        lag: status.lastCurrent.map { (.now - $0) / .seconds(1) }, isFollowing: status.isFollowing)
    }
    return HTTPResponse(
      status: 200,
      ["Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(
        metrics.text(
          figures, following, hasProcesses: settings.isolation != .off, runs: shop.runs.figures,
          traces: shop.tracer?.counts, disk: DiskFigures(of: catalogue.directory)
        ).utf8))
  }

  /// Returns the document that tells which links open in which app.
  func association(_ head: RequestHead) throws(Problem) -> HTTPResponse {
    let links: LinkSettings =
      switch catalogue.state {
      case .ready(let snapshot), .degraded(let snapshot, _): snapshot.links
      case .unavailable(let error): throw Problem(error)
      }
    let host = (head.host ?? "").lowercased()
    guard let document = AssociationDocument(links, appIDs: settings.appIDs, host: host) else {
      throw Problem(
        .noAssociation,
        "no app is named (vq serve --app-id), or no link template is of https (vq index --link)")
    }
    return Self.json(document)
  }

  var limits: LimitsDocument {
    func milliseconds(_ duration: Duration) -> Int { Int(Milliseconds.value(duration)) }
    return LimitsDocument(
      bodyBytes: settings.requestLimits.bodyBytes,
      picturePixels: settings.decodeLimits.pixelLimit,
      pictureMemoryBytes: settings.decodeLimits.memoryLimit,
      headerBytes: settings.requestLimits.headerBytes,
      targetBytes: settings.requestLimits.targetBytes,
      deadlineMs: LimitsDocument.Deadline(
        default: milliseconds(settings.deadlines.standard),
        maximum: milliseconds(settings.deadlines.maximum)),
      pictureTypes: ImageFormat.readable.filter(settings.formats.contains).flatMap(\.contentTypes))
  }

  /// Returns a file of the page. The page may load what this server has and nothing else, and may not be framed.
  static func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
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
