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
    /// The rules of side B of an experiment, or `nil` if there is none.
    var trialRules: ShopRules?
  }

  let catalogue: ServedCatalogue
  let pool: WorkerPool
  /// The threads of changes, which may wait for a database that does not respond.
  let changePool: WorkerPool
  /// The catalogue in PostgreSQL that is followed, or `nil` if the index is a directory of its own.
  let replica: CatalogueReplica?
  let settings: Settings
  /// The writer of changes from clients.
  let updates: EntityUpdates
  let metrics: Metrics
  let log: ServerLog
  let thumbnails = ThumbnailCache()
  let isDraining = Mutex(false)
  private let keys: Mutex<APIKeys?>
  private let limiter: Mutex<RateLimiter?>
  /// The limit of the time that requests take.
  private let computingLimiter: Mutex<RateLimiter?>
  /// The limit of statements that are not from the shop: ten at once, one every ten seconds in the long
  /// run.
  private let feedbackLimiter = Mutex(RateLimiter(rate: 0.1, burst: 10))
  /// The findings of the doctor for the newest generation that was checked.
  let checkups = Checkups()
  /// The number of requests that wait for a generation.
  private let generationWaiters = Mutex(0)
  let evaluations = Evaluations()
  /// Labels that the catalogue lacks, until they are counted on disk.
  let unmatched = Mutex<[String]>([])
  /// Searches until they are counted on disk.
  let searches = Mutex<[SearchNumbers.Search: Int]>([:])

  /// The largest number of bytes of a question in JSON.
  static let questionLimit = 262_144
  /// The longest time of a check of the whole catalogue.
  static let checkBudget = Duration.seconds(30)
  /// The largest number of bytes of a list of ids, which has room for the longest 1000.
  static let idsLimit = 524_288

  init(
    catalogue: ServedCatalogue, pool: WorkerPool, changePool: WorkerPool, settings: Settings,
    replica: CatalogueReplica? = nil, keys: APIKeys?,
    metrics: Metrics, log: ServerLog
  ) {
    self.catalogue = catalogue
    self.pool = pool
    self.changePool = changePool
    self.settings = settings
    self.replica = replica
    func indexer(on pool: WorkerPool) -> Indexer {
      Indexer(
        directory: catalogue.directory,
        decoder: ImageDecoder(limits: settings.decodeLimits, formats: settings.formats), pool: pool)
    }
    updates = EntityUpdates(
      indexer(on: changePool), writer: indexer(on: WorkerPool(width: 1)),
      afterBatch: { catalogue.releaseLog() })
    self.metrics = metrics
    self.log = log
    self.keys = Mutex(keys)
    limiter = Mutex(settings.rate.map { RateLimiter(rate: $0) })
    computingLimiter = Mutex(settings.computingRate.map { RateLimiter(rate: $0) })
  }

  /// True if clients need a key.
  var hasKeys: Bool { keys.withLock { $0 } != nil }

  /// True if some key may give feedback.
  var takesFeedback: Bool { keys.withLock { $0?.hasKey(for: .feedback) } ?? false }

  /// Replaces the keys.
  func replace(keys: APIKeys?) { self.keys.withLock { $0 = keys } }

  // MARK: HTTPService

  func record(_ exchange: Exchange) {
    metrics.count(exchange)
    let key = exchange.info.flatMap { self.key(of: $0.head) }
    log.write(exchange, key: key?.name)
    if let info = exchange.info, exchange.computing > .zero {
      let seconds = exchange.computing / .seconds(1)
      computingLimiter.withLock {
        $0?.take(seconds, from: Self.limitedClient(info, key), at: .now)
      }
    }
  }

  func observe(_ load: ServerLoad) { metrics.observe(load) }

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
      guard route.methods.contains(method) else {
        var problem = Problem(.methodNotAllowed, "\(name) takes \(alternatives(route.methods))")
        problem.fields = [HTTPFields.Field(name: "Allow", value: route.allow)]
        throw problem
      }
      let key = try permittedKey(of: request, for: route, method)
      try checkRate(of: request, for: route, key)
      let decision = try decide(on: request, route, method)
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
    on request: RequestInfo, _ route: Route, _ method: String
  ) throws(Problem) -> Decision {
    if ["PUT", "DELETE"].contains(method) { try refuseConditions(request.head) }
    switch route {
    case .match: return try match(request, route)
    case .entities: return work(route) { try await self.entities($0) }
    case .suggestedEntities: return work(route) { try await self.suggested($0) }
    case .entityQuery:
      try requireJSON(request.head)
      return work(route, bodyLimit: Self.questionLimit) { try await self.query($0) }
    case .entityResolution:
      try requireJSON(request.head)
      return work(route, bodyLimit: Self.idsLimit) { try await self.resolve($0) }
    case .entity(let id) where method == "PUT": return try put(id, request, route)
    case .entity(let id) where method == "DELETE":
      return work(route, lane: .changes, budget: settings.changeBudget) {
        try await self.remove(id, $0)
      }
    case .entity(let id): return work(route) { try await self.entity(id, $0) }
    case .thumbnail(let id): return work(route) { try await self.thumbnail(of: id, $0) }
    case .neighbors(let id): return work(route) { try await self.neighbors(of: id, $0) }
    case .history(let id): return work(route) { try await self.history(of: id, $0) }
    case .catalogue: return work(route) { try self.describeCatalogue($0) }
    case .feedback where method == "POST": return try takeFeedback(request, route)
    case .feedback: return work(route) { try self.listFeedback($0) }
    case .feedbackQueries: return work(route) { try self.feedbackQueries($0) }
    case .feedbackStatement(let number):
      return work(route, lane: .changes) { try self.removeStatement(number, $0) }
    case .feedbackAcceptance(let number):
      return work(route, lane: .changes) { try self.acceptStatement(number, $0) }
    case .doctor: return work(route, budget: Self.checkBudget) { try await self.findings($0) }
    case .evaluation: return try evaluation(request, route)
    case .unknownLabels: return work(route) { try self.unknownLabels($0) }
    case .labelBridge:
      try requireJSON(request.head)
      return work(
        route, lane: .changes, bodyLimit: Self.questionLimit, budget: settings.changeBudget
      ) {
        try await self.addToBridge($0)
      }
    case .rules where method == "PUT":
      try requireJSON(request.head)
      return work(
        route, lane: .changes, bodyLimit: ShopRules.byteLimit, budget: settings.changeBudget
      ) {
        try await self.replaceRules($0)
      }
    case .rules: return work(route) { try self.listRules($0) }
    case .ruleTrial: return try ruleTrial(request, route)
    case .events:
      try requireJSON(request.head)
      return work(
        route, lane: .changes, bodyLimit: Self.questionLimit, budget: settings.changeBudget
      ) {
        try await self.countEvents($0)
      }
    case .numbers: return work(route) { try self.numbers($0) }
    case .rejectedRows: return work(route) { try self.rejectedRows($0) }
    case .sync: return work(route) { try await self.changes($0) }
    case .facets: return work(route) { try await self.facets($0) }
    case .settings: return work(route) { try await self.settings($0) }
    case .schema: return work(route) { try await self.schema($0) }
    case .phrases: return work(route) { try await self.phrases($0) }
    case .reverse: return work(route) { try await self.reverse($0) }
    case .limits: return try answer(request, route, Self.json(limits))
    case .association: return try answer(request, route, association(request.head))
    case .livez: return try answer(request, route, Self.text("ok\n"))
    case .readyz: return try answer(request, route, readiness())
    case .metrics: return try answer(request, route, figures())
    case .openAPI:
      return try answer(request, route, Self.file(ServedFiles.openAPI, "application/json"))
    case .page:
      return try answer(request, route, Self.file(ServedFiles.page, "text/html; charset=utf-8"))
    case .pageFile(let name):
      guard let file = ServedFiles.pageFiles[name] else {
        throw Problem(.unknownPath, "the page has no such file")
      }
      return try answer(request, route, Self.file(file.bytes, file.contentType))
    }
  }

  /// Decides on a match, whose budget is its deadline.
  private func match(_ request: RequestInfo, _ route: Route) throws(Problem) -> Decision {
    let form = try MatchForm(request.head)
    let limit = form == .json ? Self.questionLimit : settings.requestLimits.bodyBytes
    var budget = settings.deadlines.maximum
    if form == .picture {
      budget = try settings.deadlines.deadline(of: RequestFields(request.head.query))
    }
    let deadlines = settings.deadlines
    let budgetOfBody: @Sendable ([UInt8]) -> Duration = { form.deadline(in: $0, deadlines) }
    return work(
      route, bodyLimit: limit, budget: budget,
      budgetOfBody: form == .picture ? nil : budgetOfBody, canEndEarly: true
    ) { request in
      try await self.match(request, form)
    }
  }

  /// Decides to answer at once. Rejects parameters, which no such route takes, before the answer is
  /// made.
  private func answer(
    _ request: RequestInfo, _ route: Route,
    _ response: @autoclosure () throws(Problem) -> HTTPResponse
  ) throws(Problem) -> Decision {
    try RequestFields(request.head.query).finish()
    return .answer(try response(), route: route.template)
  }

  /// Decides to answer on a thread of the pool.
  func work(
    _ route: Route, lane: Lane = .answers, bodyLimit: Int = 0, budget: Duration? = nil,
    budgetOfBody: (@Sendable ([UInt8]) -> Duration)? = nil, canEndEarly: Bool = false,
    _ run: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) -> Decision {
    let budget = budget ?? settings.deadlines.maximum
    return .work(
      Work(
        route: route.template, lane: lane, budget: budget, bodyLimit: bodyLimit,
        budgetOfBody: budgetOfBody, canEndEarly: canEndEarly
      ) { request in
        await self.answer(request) { request in
          lane == .changes
            ? try await self.inTime(request, budget, run) : try await run(request)
        }
      })
  }

  // MARK: Checks of the head

  /// The methods that are known, if only to answer 405: those of RFC 9110, 9.3, and RFC 5789, and
  /// QUERY (draft-ietf-httpbis-safe-method-w-body).
  private static let methods = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY",
  ]

  /// Rejects what a web page may have sent in the name of its visitor, who is trusted only for the address if there are
  /// no keys.
  private func checkSource(of head: RequestHead) throws(Problem) {
    guard !hasKeys, let refusal = settings.sources.refusal(of: head) else { return }
    throw Problem(.forbidden, refusal.reason, field: refusal.field)
  }

  private func checkMethod(of head: RequestHead) throws(Problem) {
    guard Self.methods.contains(head.method) else {
      throw Problem(
        .methodNotImplemented,
        "the method '\(head.method)' is not one of \(Self.methods.joined(separator: ", "))")
    }
  }

  func key(of head: RequestHead) -> APIKeys.Key? {
    keys.withLock { $0 }?.key(of: head.fields)
  }

  /// Returns the key of a request, or `nil` if the route needs none. Whoever may not do more than search is told so.
  private func permittedKey(
    of request: RequestInfo, for route: Route, _ method: String
  ) throws(Problem) -> APIKeys.Key? {
    do {
      return try key(of: request, for: route, method)
    } catch {
      var problem = error
      if route.role(for: method) != .read { problem.userMessage = .notAllowedToDo }
      throw problem
    }
  }

  /// Returns the key of a request, or `nil` if the route needs none.
  private func key(
    of request: RequestInfo, for route: Route, _ method: String
  ) throws(Problem) -> APIKeys.Key? {
    guard let needed = route.role(for: method) else { return nil }
    let keys = keys.withLock { $0 }
    if keys == nil && needed == .read { return nil }
    let takesNoChanges = Self.refusal(of: needed, keys)
    guard let key = keys?.key(of: request.head.fields) else {
      if let takesNoChanges, keys == nil, request.head.fields["authorization"] != nil {
        throw Problem(.forbidden, takesNoChanges, field: "Authorization")
      }
      var problem = Problem(
        .unauthorized,
        takesNoChanges ?? "this needs 'Authorization: Bearer KEY' with a key of this server",
        field: "Authorization")
      problem.fields = [HTTPFields.Field(name: "WWW-Authenticate", value: "Bearer")]
      throw problem
    }
    guard key.role.includes(needed) else {
      let rights = key.role == .read ? "read only" : "read and give feedback only"
      throw Problem(
        .forbidden, takesNoChanges ?? "the key '\(key.name)' may \(rights)", field: "Authorization")
    }
    return key
  }

  /// Returns the reason why nobody may do what a role may, or `nil` if somebody may.
  private static func refusal(of role: APIKeys.Role, _ keys: APIKeys?) -> String? {
    if role == .read || keys?.hasKey(for: role) == true { return nil }
    let what =
      role == .write ? "changes, since no key may write" : "feedback, since no key may give it"
    return
      "this server takes no \(what) (vq key FILE --role \(role.rawValue), vq serve --keys FILE)"
  }

  /// The client whose requests have limits together: a key, or an address without one.
  private static func limitedClient(_ request: RequestInfo, _ key: APIKeys.Key?) -> String {
    key.map { "key " + $0.name } ?? request.peer.name
  }

  private func checkRate(
    of request: RequestInfo, for route: Route, _ key: APIKeys.Key?
  ) throws(Problem) {
    guard route.isRateLimited else { return }
    let client = Self.limitedClient(request, key)
    var seconds = limiter.withLock { $0?.retryAfter(for: client, at: .now) }
    if seconds == nil, let wait = computingLimiter.withLock({ $0?.debt(of: client, at: .now) }) {
      throw Problem(
        .tooManyRequests, "your requests have taken more time than you may use; try again",
        retryAfter: wait)
    }
    // Keys of this role are public, so clients are told apart by their address.
    if seconds == nil, route == .feedback, key?.role == .feedback {
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

  private func requireJSON(_ head: RequestHead) throws(Problem) {
    guard try MatchForm(head) == .json else {
      throw Problem(
        .unsupportedMediaType, "the body must be application/json", field: "Content-Type")
    }
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
    if try catalogue.newest().generation >= wanted { return }
    let isWaiting = replica != nil && takeWaitingPlace()
    defer { if isWaiting { generationWaiters.withLock { $0 -= 1 } } }
    let end = ContinuousClock.now + settings.deadlines.standard
    while true {
      let generation = try catalogue.newest().generation
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
      guard waiters < max(1, pool.width / 2) else { return false }
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
        log.write("catalogue", error.message, level: "error", requestID: request.info.identity.id)
      }
      problem = Problem(error)
    } catch is CancellationError, is EntityUpdates.Failure {
      // The client has hung up, or the server is stopping.
      problem = Problem(.stopping, "the server is stopping; try again", retryAfter: 1)
    } catch {
      log.write("error", "\(error)", level: "error", requestID: request.info.identity.id)
      problem = Problem(.internalError, "the server failed; its log says why")
    }
    return problem.response(
      requestID: request.info.identity.id,
      language: LanguageRange.preferred(request.info.head.fields))
  }
}
