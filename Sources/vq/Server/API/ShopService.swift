import HTTPServer
import PixelMatch
import Reading
import Synchronization
import VisualQuery

/// The service of `vq serve`: requests to calls of the library, and results to answers.
final class ShopService: HTTPService {
  /// The settings of the owner of the server.
  struct Settings: Sendable {
    var decodeLimits = DecodeLimits(byteLimit: 10_000_000, pixelLimit: 100_000_000)
    /// The formats of images in requests.
    var formats = ImageFormat.common
    var requestLimits = RequestParser.Limits()
    var deadlines = DeadlineLimits()
    /// The longest time of a change, whose images are analyzed, and which may wait for others.
    var changeBudget = Duration.seconds(10)
    /// The number of requests a second of one client; `nil` for any number.
    var rate: Double?
    /// The requests that are answered without keys.
    var sources = RequestSources()
    /// The seconds of a thread that the requests of one client may take in a second; `nil` for any number.
    var computingRate: Double?
    /// Apps that links open in, as `TEAM.bundle`.
    var appIDs: [String] = []
    /// The name of the shop.
    var shopName: String?
    /// The models that read text, or `nil` if none is read.
    var models: ReadingModels?
    /// True if searches and events are counted.
    var keepsNumbers = false
    /// The place of the libraries that parse the bytes of strangers.
    enum Isolation: Sendable {
      /// Processes of their own.
      case on
      /// This process, as it was asked for.
      case off
      /// This process, since others cannot be started.
      case unavailable
    }
    var isolation = Isolation.off
    /// The rules of side B of an experiment, or `nil` if there is none.
    var trialRules: ShopRules?
  }

  /// The state that the handlers share.
  let shop: ShopContext
  private let limiter: Mutex<RateLimiter?>
  /// The limit of the time that requests take.
  private let computingLimiter: Mutex<RateLimiter?>
  /// The limit of statements that are not from the shop: ten at once, one every ten seconds in the long
  /// run.
  private let feedbackLimiter = Mutex(RateLimiter(rate: 0.1, burst: 10))
  /// The number of requests that wait for a generation.
  private let generationWaiters = Mutex(0)

  /// The longest time of a check of the whole catalogue.
  static let checkBudget = Duration.seconds(30)

  init(_ shop: ShopContext) {
    self.shop = shop
    limiter = Mutex(shop.settings.rate.map { RateLimiter(rate: $0) })
    computingLimiter = Mutex(shop.settings.computingRate.map { RateLimiter(rate: $0) })
  }

  // MARK: HTTPService

  func record(_ exchange: Exchange) {
    shop.metrics.count(exchange)
    shop.tracer?.record(exchange)
    let key = exchange.info.flatMap { shop.key(of: $0.head) }
    shop.log.write(exchange, key: key?.name)
    if let info = exchange.info, exchange.computing > .zero {
      let seconds = exchange.computing / .seconds(1)
      computingLimiter.withLock {
        $0?.take(seconds, from: Self.limitedClient(info, key), at: .now)
      }
    }
  }

  func observe(_ load: ServerLoad) { shop.metrics.observe(load) }

  func isHealthCheck(_ head: RequestHead) -> Bool {
    (try? Route(path: head.path))?.isHealthCheck == true
  }

  func response(to error: HTTPError, requestID: String) -> HTTPResponse {
    Problem(error).response(requestID: requestID)
  }

  func decide(on request: RequestInfo) -> Decision {
    var name = "none"
    do throws(Problem) {
      try checkSource(of: request.head)
      try checkMethod(of: request.head)
      guard let route = try Route(path: request.head.path) else {
        if request.head.path.isEmpty && request.head.method == "OPTIONS" {
          return .answer(
            HTTPResponse(status: 204, ["Allow": "GET, HEAD, POST, OPTIONS"]), route: "*")
        }
        throw Problem(.unknownPath, "nothing is served at this path; see /openapi.json")
      }
      name = route.template
      let method = request.head.method == "HEAD" ? "GET" : request.head.method
      if method == "OPTIONS" {
        return .answer(HTTPResponse(status: 204, ["Allow": route.allow]), route: name)
      }
      guard let endpoint = route.endpoint(for: method) else {
        var problem = Problem(.methodNotAllowed, "\(name) takes \(alternatives(route.methods))")
        problem.fields = [HTTPFields.Field(name: "Allow", value: route.allow)]
        throw problem
      }
      let key = try permittedKey(of: request, for: endpoint)
      if route.isRateLimited { try checkRate(of: request, for: endpoint, key) }
      let decision = try decide(on: request, route, endpoint)
      guard case .work(var work) = decision else { return decision }
      // All users of an app have the same key. The address is added, so that each of them
      // gets a share.
      work.client = (key.map { "key \($0.name), " } ?? "") + request.peer.name
      return .work(work)
    } catch {
      return .answer(
        error.response(
          requestID: request.identity.id, language: LanguageRange.preferred(request.head.fields)),
        route: name)
    }
  }

  private func decide(
    on request: RequestInfo, _ route: Route, _ endpoint: Endpoint
  ) throws(Problem) -> Decision {
    if endpoint.role == .write, endpoint.lane == .changes { try refuseConditions(request.head) }
    switch endpoint.handler {
    case .immediate(let handler):
      // Rejects parameters, which no such path takes, before the answer is made.
      try RequestFields(request.head.query).finish()
      return .answer(try handler(shop, request.head), route: route.template)
    case .work(let handler):
      return .work(try work(request, route, endpoint, handler))
    }
  }

  private func work(
    _ request: RequestInfo, _ route: Route, _ endpoint: Endpoint,
    _ handler: @escaping @Sendable (ShopContext, Endpoint.Call) async throws -> HTTPResponse
  ) throws(Problem) -> Work {
    if endpoint.body != nil { try checkCoding(of: request.head) }
    let form = try endpoint.body?.form(request.head)
    let lane = form == .json ? endpoint.lane : endpoint.imageLane
    let budget = try budget(of: request, endpoint, form)
    let run: @Sendable (HTTPRequest) async throws -> HTTPResponse = { [shop] request in
      try await handler(
        shop, Endpoint.Call(request: request, subject: route.subject, form: form))
    }
    return Work(
      route: route.template, lane: lane, budget: budget, bodyLimit: bodyLimit(of: endpoint, form),
      budgetOfBody: budgetOfBody(of: endpoint, form), canEndEarly: endpoint.budget == .stated
    ) { request in
      await self.answer(request) { request in
        lane == .changes ? try await self.inTime(request, budget, run) : try await run(request)
      }
    }
  }

  private func bodyLimit(of endpoint: Endpoint, _ form: MatchForm?) -> Int {
    guard let body = endpoint.body else { return 0 }
    return form == .json
      ? body.jsonLimit : min(body.otherLimit, shop.settings.requestLimits.bodyBytes)
  }

  /// Returns the budget of a request as far as its head tells.
  private func budget(
    of request: RequestInfo, _ endpoint: Endpoint, _ form: MatchForm?
  ) throws(Problem) -> Duration {
    let settings = shop.settings
    return switch endpoint.budget {
    case .longest: settings.deadlines.maximum
    case .stated where form == .picture:
      try settings.deadlines.deadline(of: RequestFields(request.head.query))
    case .stated: settings.deadlines.maximum
    case .change: settings.changeBudget
    case .check: Self.checkBudget
    }
  }

  /// Returns how the budget follows from a body that states it, or `nil` if it does not.
  private func budgetOfBody(
    of endpoint: Endpoint, _ form: MatchForm?
  ) -> (@Sendable ([UInt8]) -> Duration)? {
    guard endpoint.budget == .stated, let form, form != .picture else { return nil }
    let deadlines = shop.settings.deadlines
    return { form.deadline(in: $0, deadlines) }
  }

  // MARK: Checks of the head

  /// The methods that are known: those of RFC 9110, 9.3, and RFC 5789, and QUERY
  /// (draft-ietf-httpbis-safe-method-w-body). If a path does not have one of them, the answer is 405; other methods
  /// get 501.
  private static let methods = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY",
  ]

  /// Rejects what a web page may have sent in the name of its visitor, who is trusted only for the address if there are
  /// no keys.
  private func checkSource(of head: RequestHead) throws(Problem) {
    guard !shop.hasKeys, let refusal = shop.settings.sources.refusal(of: head) else { return }
    throw Problem(.forbidden, refusal.reason, field: refusal.field)
  }

  private func checkMethod(of head: RequestHead) throws(Problem) {
    guard Self.methods.contains(head.method) else {
      throw Problem(
        .methodNotImplemented,
        "the method '\(head.method)' is not one of \(Self.methods.joined(separator: ", "))")
    }
  }

  /// Returns the key of a request, or `nil` if the route needs none. Whoever may not do more than search is told so.
  private func permittedKey(
    of request: RequestInfo, for endpoint: Endpoint
  ) throws(Problem) -> APIKeys.Key? {
    do {
      return try key(of: request, for: endpoint)
    } catch {
      var problem = error
      let isSearch = [.app, .read].contains(endpoint.role)
      if !isSearch || (error.code == .forbidden && endpoint.role == .read) {
        problem.userMessage = .notAllowedToDo
      }
      throw problem
    }
  }

  /// Returns the key of a request, or `nil` if the route needs none.
  private func key(
    of request: RequestInfo, for endpoint: Endpoint
  ) throws(Problem) -> APIKeys.Key? {
    guard let needed = endpoint.role else { return nil }
    let keys = shop.keys
    if keys == nil && [.app, .read, .operate].contains(needed) { return nil }
    let takesNoChanges = Self.refusal(of: needed, keys)
    guard let key = keys?.key(of: request.head.fields) else {
      if let takesNoChanges, keys == nil, request.head.fields["authorization"] != nil {
        throw Problem(.forbidden, takesNoChanges, field: "Authorization")
      }
      var problem = Problem(
        .unauthorized,
        takesNoChanges ?? "this needs 'Authorization: Bearer KEY' with a key of this server",
        field: "Authorization")
      problem.fields = [Self.challenge]
      throw problem
    }
    if key.hasEnded() {
      var problem = Problem(
        .unauthorized, "the key '\(key.name)' ended with \(key.lastDay ?? "")",
        field: "Authorization")
      problem.fields = [Self.challenge]
      throw problem
    }
    guard key.role.includes(needed) else {
      throw Problem(
        .forbidden, takesNoChanges ?? "the key '\(key.name)' may \(key.role.rights)",
        field: "Authorization")
    }
    return key
  }

  /// The field that says how a key is sent (RFC 6750, 3).
  private static let challenge = HTTPFields.Field(name: "WWW-Authenticate", value: "Bearer")

  /// Returns the reason why nobody may do what a role may, or `nil` if somebody may.
  private static func refusal(of role: APIKeys.Role, _ keys: APIKeys?) -> String? {
    if keys?.hasKey(for: role) == true { return nil }
    let what: String
    switch role {
    case .app, .read: return nil
    case .feedback: what = "takes no feedback, since no key may give it"
    case .operate: what = "shows no metrics, since no key may read them"
    case .write: what = "takes no changes, since no key may write"
    }
    return
      "this server \(what) (vq key FILE --role \(role.rawValue), vq serve --keys FILE)"
  }

  /// The client whose requests have limits together: a key, or an address without one.
  private static func limitedClient(_ request: RequestInfo, _ key: APIKeys.Key?) -> String {
    key.map { "key " + $0.name } ?? request.peer.name
  }

  private func checkRate(
    of request: RequestInfo, for endpoint: Endpoint, _ key: APIKeys.Key?
  ) throws(Problem) {
    let client = Self.limitedClient(request, key)
    var seconds = limiter.withLock { $0?.retryAfter(for: client, at: .now) }
    if seconds == nil, let wait = computingLimiter.withLock({ $0?.debt(of: client, at: .now) }) {
      throw Problem(
        .tooManyRequests, "your requests have taken more time than you may use; try again",
        retryAfter: wait)
    }
    // Keys of this role are public, so clients are told apart by their address.
    if seconds == nil, endpoint.role == .feedback, key?.role == .feedback {
      seconds = feedbackLimiter.withLock { $0.retryAfter(for: request.peer.name, at: .now) }
    }
    guard let seconds else { return }
    throw Problem(
      .tooManyRequests, "you have asked too often; try again", retryAfter: seconds)
  }

  /// Rejects a change under a condition, which would be made without it.
  private func refuseConditions(_ head: RequestHead) throws(Problem) {
    for name in ["If-Match", "If-None-Match", "If-Unmodified-Since"]
    where head.fields[name.lowercased()] != nil {
      throw Problem(
        .badRequest, "changes take no conditions; the last one counts", field: name)
    }
  }

  /// Rejects a body that is compressed, before it is read as what it is not (RFC 9110, 8.4 and 15.5.16).
  private func checkCoding(of head: RequestHead) throws(Problem) {
    let codings = head.fields.list("content-encoding")
    guard let coding = codings.first(where: { $0.lowercased() != "identity" }) else { return }
    var problem = Problem(
      .unsupportedCoding,
      "the body has the coding '\(coding.excerpt)'; send it as it is, without Content-Encoding",
      field: "Content-Encoding")
    problem.fields = [HTTPFields.Field(name: "Accept-Encoding", value: "identity")]
    throw problem
  }

  // MARK: Generations

  private static let generationField = "x-at-least-generation"
  private static let generationPause = Duration.milliseconds(20)

  /// Waits for the generation that a client has heard of from another server. An index in a directory has all generations at
  /// once. Few requests wait at a time: each takes the place of one that could be answered.
  private func waitForGeneration(_ head: RequestHead) async throws {
    guard let text = head.fields[Self.generationField] else { return }
    guard let wanted = Int(text), wanted > 0 else {
      throw Problem(
        .invalidParameter, "'\(text)' is not the number of a generation",
        field: "X-At-Least-Generation")
    }
    if try shop.catalogue.newest().generation >= wanted { return }
    let isWaiting = shop.replica != nil && takeWaitingPlace()
    defer { if isWaiting { generationWaiters.withLock { $0 -= 1 } } }
    let end = ContinuousClock.now + shop.settings.deadlines.standard
    while true {
      let generation = try shop.catalogue.newest().generation
      if generation >= wanted { return }
      guard isWaiting, ContinuousClock.now < end else {
        throw Problem(
          .catalogueUnavailable,
          "this server has generation \(generation), and generation \(wanted) has not come",
          retryAfter: 1)
      }
      try await Task.sleep(for: Self.generationPause)
    }
  }

  /// Returns whether a request may wait for a generation, which then counts until it gives its place back.
  private func takeWaitingPlace() -> Bool {
    generationWaiters.withLock { waiters in
      guard waiters < max(1, shop.pool.width / 2) else { return false }
      waiters += 1
      return true
    }
  }

  // MARK: Errors

  /// Answers a request. Every error of the library becomes a problem here.
  private func answer(
    _ request: HTTPRequest, _ run: (HTTPRequest) async throws -> HTTPResponse
  ) async -> HTTPResponse {
    let problem: Problem
    do {
      try Task.checkCancellation()
      try await waitForGeneration(request.info.head)
      return try await run(request)
    } catch let error as Problem {
      problem = error
    } catch let error as HTTPError {
      problem = Problem(error)
    } catch let error as MatchError {
      problem = Problem(error)
    } catch let error as CatalogueError {
      if error.code != .timedOut {
        shop.log.write(
          "catalogue", error.message, level: "error", requestID: request.info.identity.id)
      }
      problem = Problem(error)
    } catch is CancellationError, is EntityUpdates.Failure {
      // The client has hung up, or the server is stopping.
      problem = Problem(.stopping, "the server is stopping; try again", retryAfter: 1)
    } catch {
      shop.log.write("error", "\(error)", level: "error", requestID: request.info.identity.id)
      problem = Problem(.internalError, "the server failed; its log says why")
    }
    return problem.response(
      requestID: request.info.identity.id,
      language: LanguageRange.preferred(request.info.head.fields))
  }
}
