/// The application behind a ``Server``.
///
/// All calls come from the thread of the event loop, which no call may block: it must not open files, query a
/// database or wait for a lock that is held while somebody else does.
package protocol HTTPService: Sendable {
  /// Decides on a request by its head, before its body is read.
  func decide(on request: RequestInfo) -> Decision

  /// Returns whether a request is a health check. Health checks are answered beyond the limits of connections and
  /// must be cheap.
  func isHealthCheck(_ head: RequestHead) -> Bool

  /// Returns the answer to a request that the server rejects by itself.
  func response(to error: HTTPError, requestID: String) -> HTTPResponse

  /// Records a request that was answered, rejected or given up.
  func record(_ exchange: Exchange)

  /// Records the load, a few times a second and before each request.
  func observe(_ load: ServerLoad)
}

/// The facts about a request that its head gives.
package struct RequestInfo: Sendable {
  package let head: RequestHead
  /// The identity of the request in logs and answers.
  package let identity: RequestIdentity
  /// The client: the address that a trusted proxy names, otherwise the other end of the connection.
  package let peer: Peer
}

/// The way in which a request is answered.
package enum Decision: Sendable {
  /// Answers immediately, whatever the body contains.
  case answer(HTTPResponse, route: String)
  /// Answers after some work on the server's pool.
  case work(Work)

  /// The route, for logs and metrics.
  var route: String {
    switch self {
    case .answer(_, let route): route
    case .work(let work): work.route
    }
  }
}

/// Work that answers a request.
package struct Work: Sendable {
  /// The route, for logs and metrics. Requests of one route are expected to take equally long.
  let route: String
  /// The lane in which it waits and runs.
  let lane: Lane
  /// The longest time that the request may take, including its wait, as far as its head tells.
  let budget: Duration
  /// Returns the budget of a request whose body states it, or `nil` if the head does. Called on the event loop.
  let budgetOfBody: (@Sendable ([UInt8]) -> Duration)?
  /// The largest number of bytes of the body.
  let bodyLimit: Int
  /// True if it ends with a partial answer as soon as its ``RequestTime`` is over.
  let canEndEarly: Bool
  /// The client whose share of the threads it takes.
  package var client = ""
  /// Answers the request. Cancelled when the client hangs up.
  let run: @Sendable (HTTPRequest) async -> HTTPResponse

  package init(
    route: String, lane: Lane = .answers, budget: Duration, bodyLimit: Int,
    budgetOfBody: (@Sendable ([UInt8]) -> Duration)? = nil, canEndEarly: Bool = false,
    run: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    self.route = route
    self.lane = lane
    self.budget = budget
    self.budgetOfBody = budgetOfBody
    self.bodyLimit = bodyLimit
    self.canEndEarly = canEndEarly
    self.run = run
  }

  /// Returns what the admission decides on.
  func claim(budget: Duration, bodyBytes: Int) -> Admission.Claim {
    Admission.Claim(
      kind: RequestKind(route: route, bodyBytes: bodyBytes), client: client, budget: budget,
      canEndEarly: canEndEarly)
  }
}

/// A whole request.
package struct HTTPRequest: Sendable {
  package let info: RequestInfo
  package let body: [UInt8]
  /// The instant at which its last byte came.
  package let arrival: ContinuousClock.Instant
  /// The time for which it waited for a thread.
  package let wait: Duration
  /// The clock of its deadline.
  package let time: RequestTime

  init(
    info: RequestInfo, body: [UInt8], arrival: ContinuousClock.Instant, wait: Duration,
    time: RequestTime = RequestTime()
  ) {
    self.info = info
    self.body = body
    self.arrival = arrival
    self.wait = wait
    self.time = time
  }
}

extension HTTPRequest {
  /// Makes a request of the same client within this one: with its rights, its language, its identity and its time.
  package func asking(
    _ method: String, _ path: [String], _ query: [(name: String, values: [String])] = [],
    contentType: String? = nil, body: [UInt8] = []
  ) -> HTTPRequest {
    var fields = HTTPFields()
    for name in ["authorization", "accept-language"] {
      if let value = info.head.fields[name] { fields.append(name, value) }
    }
    if let contentType { fields.append("content-type", contentType) }
    let parameters = query.map { name, values in
      RequestHead.Parameter(name: name, value: values.joined(separator: ","), list: values)
    }
    let head = RequestHead(
      method: method, path: path, query: parameters, fields: fields, host: info.head.host,
      keepsAlive: false, expectsContinue: false, framing: .length(body.count))
    return HTTPRequest(
      info: RequestInfo(head: head, identity: info.identity, peer: info.peer), body: body,
      arrival: arrival, wait: wait, time: time)
  }

  /// Makes a request of somebody on this machine, which came by no connection.
  package init(local body: [UInt8]) {
    let head = RequestHead(
      method: "POST", path: [], query: [], fields: HTTPFields(), host: nil, keepsAlive: false,
      expectsContinue: false, framing: .length(body.count))
    self.init(
      info: RequestInfo(head: head, identity: RequestIdentity(), peer: .local), body: body,
      arrival: .now, wait: .zero)
  }
}

/// A request and its outcome.
package struct Exchange: Sendable {
  /// The way in which a request ended.
  package enum Outcome: Sendable, Hashable {
    case answered
    /// The client hung up before its answer.
    case clientGone
  }

  /// The request; `nil` if its head was not read.
  package let info: RequestInfo?
  package let identity: RequestIdentity
  package let route: String
  package let outcome: Outcome
  package let status: Int
  package let bytesIn: Int
  package let bytesOut: Int
  /// The time from its last byte to the answer.
  package let duration: Duration
  /// The time for which it waited for a thread.
  package let wait: Duration
  /// The time for which it ran on a thread that computes answers.
  package let computing: Duration
}

/// The load of a server at one moment.
package struct ServerLoad: Sendable, Hashable {
  package var connections = 0
  package var running = 0
  package var waiting = 0
  /// The number of requests so far that ended early for another client.
  package var cutCount = 0

  package init(connections: Int = 0, running: Int = 0, waiting: Int = 0, cutCount: Int = 0) {
    self.connections = connections
    self.running = running
    self.waiting = waiting
    self.cutCount = cutCount
  }
}
