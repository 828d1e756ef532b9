import PixelMatch
import Synchronization
import VisualQuery

/// What `vq serve` does: requests to the library and back. It decides nothing that a library does.
final class ShopService: HTTPService {
  /// What the owner of the server decides.
  struct Settings: Sendable {
    var decodeLimits = DecodeLimits(byteLimit: 10_000_000, pixelLimit: 100_000_000)
    var requestLimits = RequestParser.Limits()
    var deadlines = DeadlineLimits()
    /// Requests a second of one client; `nil` for as many as it likes.
    var rate: Double?
    /// Apps that links open in, as `TEAM.bundle`.
    var appIDs: [String] = []
  }

  let current: CurrentCatalogue
  let pool: WorkerPool
  let settings: Settings
  let metrics: Metrics
  let log: ServerLog
  let thumbnails = ThumbnailCache()
  let isDraining = Mutex(false)
  private let keys: Mutex<APIKeys?>
  private let limiter: Mutex<RateLimiter?>
  /// Labels that the catalogue lacks, until they are counted on disk.
  let unmatched = Mutex<[String]>([])

  /// Bytes of a question in JSON.
  static let questionLimit = 262_144

  init(
    current: CurrentCatalogue, pool: WorkerPool, settings: Settings, keys: APIKeys?,
    metrics: Metrics, log: ServerLog
  ) {
    self.current = current
    self.pool = pool
    self.settings = settings
    self.metrics = metrics
    self.log = log
    self.keys = Mutex(keys)
    limiter = Mutex(settings.rate.map { RateLimiter(rate: $0) })
  }

  /// Takes other keys.
  func replace(keys: APIKeys?) { self.keys.withLock { $0 = keys } }

  func record(_ exchange: Exchange) {
    metrics.count(exchange)
    log.write(exchange, key: exchange.info.flatMap { key(of: $0.head) }?.name)
  }

  func observe(_ load: Metrics.Load) { metrics.observe(load) }

  private func key(of head: RequestHead) -> APIKeys.Key? {
    keys.withLock { $0 }?.key(of: head.fields)
  }

  // MARK: By the head

  /// Methods that are known, be it only to answer 405: those of RFC 9110, 9.3, and RFC 5789, and
  /// QUERY (draft-ietf-httpbis-safe-method-w-body).
  private static let methods = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY",
  ]

  func isHealthCheck(_ head: RequestHead) -> Bool {
    let route = try? Route.of(head.path)?.route
    return route == .livez || route == .readyz
  }

  func gate(_ request: RequestInfo) -> Gate {
    var name = "none"
    do throws(Problem) {
      guard Self.methods.contains(request.head.method) else {
        throw Problem(
          501, "methodNotImplemented",
          "the method '\(request.head.method)' is not one of \(Self.methods.joined(separator: ", "))"
        )
      }
      guard let (route, entity) = try Route.of(request.head.path) else {
        if request.head.path.isEmpty && request.head.method == "OPTIONS" {
          return .answer(
            HTTPResponse(status: 204, ["Allow": "GET, HEAD, POST, OPTIONS"]), route: "*")
        }
        throw Problem(404, "unknownPath", "nothing is served at this path; see /openapi.json")
      }
      name = route.rawValue
      let method = request.head.method == "HEAD" ? "GET" : request.head.method
      if method == "OPTIONS" {
        return .answer(HTTPResponse(status: 204, ["Allow": route.allow]), route: name)
      }
      guard route.methods.contains(method) else {
        var problem = Problem(
          405, "methodNotAllowed", "\(name) takes \(alternatives(route.methods))")
        problem.fields = [HTTPFields.Field(name: "Allow", value: route.allow)]
        throw problem
      }
      let key = try key(of: request, for: route, method)
      try checkRate(of: request, for: route, key)
      return try gate(request, route, method, entity)
    } catch {
      return .answer(error.response(requestID: request.identity.id), route: name)
    }
  }

  private func gate(
    _ request: RequestInfo, _ route: Route, _ method: String, _ entity: EntityID?
  ) throws(Problem) -> Gate {
    func work(
      bodyLimit: Int = 0, budget: Duration? = nil,
      _ run: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> Gate {
      .work(
        Work(
          route: route.rawValue, budget: budget ?? settings.deadlines.maximum,
          bodyLimit: bodyLimit
        ) { request in await self.answer(request, run) })
    }
    switch route {
    case .match:
      let form = try MatchForm(request.head)
      let limit = form == .json ? Self.questionLimit : settings.requestLimits.bodyBytes
      var fields = RequestFields(request.head.query)
      let budget = try MatchQuestion.deadline(&fields, settings.deadlines)
      return work(bodyLimit: limit, budget: budget) { request in
        try await self.match(request, form)
      }
    case .entities: return work { try await self.entities($0) }
    case .suggested: return work { try await self.suggested($0) }
    case .query:
      try requireJSON(request.head)
      return work(bodyLimit: Self.questionLimit) { try await self.query($0) }
    case .entity:
      let id = entity!
      return method == "DELETE"
        ? work { _ in try await self.remove(id) } : work { try await self.entity(id, $0) }
    case .thumbnail:
      let id = entity!
      return work { try await self.thumbnail(of: id, $0) }
    case .sync: return work { try await self.changes($0) }
    case .limits, .association, .livez, .readyz, .metrics, .openapi, .page, .style, .script:
      return .answer(try immediate(route, request), route: route.rawValue)
    }
  }

  /// The key of a request, which has to have one where the route needs it.
  private func key(
    of request: RequestInfo, for route: Route, _ method: String
  ) throws(Problem) -> APIKeys.Key? {
    guard let needed = route.role(for: method) else { return nil }
    let keys = keys.withLock { $0 }
    if keys == nil && needed == .read { return nil }
    guard let key = keys?.key(of: request.head.fields) else {
      var problem = Problem(
        401, "unauthorized", "this needs 'Authorization: Bearer KEY' with a key of this server",
        field: "Authorization")
      problem.fields = [HTTPFields.Field(name: "WWW-Authenticate", value: "Bearer")]
      throw problem
    }
    guard needed == .read || key.role == .write else {
      throw Problem(403, "forbidden", "the key '\(key.name)' may read only", field: "Authorization")
    }
    return key
  }

  private func checkRate(
    of request: RequestInfo, for route: Route, _ key: APIKeys.Key?
  ) throws(Problem) {
    guard settings.rate != nil, route.isRateLimited else { return }
    let client = key.map { "key " + $0.name } ?? request.peer.name
    let seconds = limiter.withLock { $0?.retryAfter(for: client, at: .now) }
    guard let seconds else { return }
    throw Problem(
      429, "tooManyRequests", "you have asked too often; try again", retryAfter: seconds)
  }

  private func requireJSON(_ head: RequestHead) throws(Problem) {
    guard try MatchForm(head) == .json else {
      throw Problem(
        415, "unsupportedMediaType", "the body is to be application/json", field: "Content-Type")
    }
  }

  // MARK: Errors

  /// Every error of the library becomes a problem here.
  private func answer(
    _ request: HTTPRequest, _ run: (HTTPRequest) async throws -> HTTPResponse
  ) async -> HTTPResponse {
    let problem: Problem
    do {
      try Task.checkCancellation()
      return try await run(request)
    } catch let error as Problem {
      problem = error
    } catch let error as HTTPError {
      problem = Problem(error)
    } catch let error as MatchError {
      problem = Problem(error)
    } catch let error as CatalogueError where error.code == .timedOut {
      problem = Problem(
        503, "timedOut", "the answer was not ready in time; ask for less, or try again",
        retryAfter: 1)
    } catch let error as CatalogueError {
      log.write("catalogue", error.message, level: "error", requestID: request.info.identity.id)
      problem = Problem(error)
    } catch is CancellationError {
      // The client has gone, or the server is going.
      problem = Problem(503, "stopping", "the server is stopping; try again", retryAfter: 1)
    } catch {
      log.write("error", "\(error)", level: "error", requestID: request.info.identity.id)
      problem = Problem(500, "internalError", "the server failed; its log says why")
    }
    return problem.response(requestID: request.info.identity.id)
  }
}
