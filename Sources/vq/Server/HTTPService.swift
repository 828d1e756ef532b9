/// What a server does for its clients. It is asked on the thread that serves, and must not wait.
protocol HTTPService: Sendable {
  /// Decides on a request by its head, before its body is read.
  func gate(_ request: RequestInfo) -> Gate

  /// Returns whether a request asks whether the server is well. It is answered beyond the limits of
  /// connections, and must be cheap.
  func isHealthCheck(_ head: RequestHead) -> Bool

  /// Is told of each request that was answered, refused or given up.
  func record(_ exchange: Exchange)

  /// Is told what is going on, a few times a second and before each request.
  func observe(_ load: Metrics.Load)
}

/// A request as far as its head tells.
struct RequestInfo: Sendable {
  let head: RequestHead
  /// What names it in logs, in answers, and in what the client knows.
  let identity: RequestIdentity
  /// The client's address; the proxy's if there is one.
  let peer: Peer
}

/// What is done with a request.
enum Gate: Sendable {
  /// It is answered at once, whatever its body says.
  case answer(HTTPResponse, route: String)
  /// It is answered by work of a pool.
  case work(Work)
}

/// Work that answers a request.
struct Work: Sendable {
  /// What is asked, for logs, metrics, and what it is expected to take.
  let route: String
  /// How long it may take, its wait included.
  let budget: Duration
  /// Bytes of a body that it takes.
  let bodyLimit: Int
  /// Does it. Cancelled when the client has gone.
  let run: @Sendable (HTTPRequest) async -> HTTPResponse
}

/// A whole request.
struct HTTPRequest: Sendable {
  let info: RequestInfo
  let body: [UInt8]
  /// When its last byte came.
  let arrival: ContinuousClock.Instant
  /// How long it waited for a thread.
  let wait: Duration
}

/// A request and what became of it.
struct Exchange: Sendable {
  /// How it ended.
  enum Outcome: Sendable, Hashable {
    case answered
    /// The client hung up before its answer.
    case clientGone
  }

  let info: RequestInfo?
  let identity: RequestIdentity
  let route: String
  let outcome: Outcome
  let status: Int
  let bytesIn: Int
  let bytesOut: Int
  /// From its last byte to the answer.
  let duration: Duration
  let wait: Duration
}
