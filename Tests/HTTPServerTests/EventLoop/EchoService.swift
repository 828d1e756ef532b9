import Synchronization

@testable import HTTPServer

/// A service that echoes bodies, answers `/now`, `/big`, `/half` and `/health` at once, and
/// at `/wait` and `/change` when it is cancelled, and at `/partial` when its time is over. Each path is a client. `/large` takes larger bodies, and `/change` is in the other lane.
final class EchoService: HTTPService {
  static let bigByteCount = 8_000_000

  let waiting = Mutex(0)
  let cancelled = Mutex(0)
  let exchanges = Mutex<[Exchange]>([])

  func decide(on request: RequestInfo) -> Decision {
    let path = request.head.path.joined(separator: "/")
    switch path {
    case "now", "health":
      return .answer(HTTPResponse(status: 200, body: Array(path.utf8)), route: "/\(path)")
    case "big", "half":
      let count = path == "big" ? Self.bigByteCount : Self.bigByteCount / 2
      let body = [UInt8](repeating: 0x61, count: count)
      return .answer(HTTPResponse(status: 200, body: body), route: "/big")
    default:
      var work = Work(
        route: "/echo", lane: path == "change" ? .changes : .answers,
        budget: path == "quick" ? .seconds(8) : .seconds(60),
        bodyLimit: path == "large" ? 1 << 20 : 1000, canEndEarly: path == "partial"
      ) { request in
        if path == "partial" {
          let start = request.time.now
          while request.time.now - start < .seconds(600) {
            try? await Task.sleep(for: .milliseconds(1))
          }
          return HTTPResponse(status: 200, body: Array(path.utf8))
        }
        guard path == "wait" || path == "change" else {
          return HTTPResponse(status: 200, body: request.body)
        }
        self.waiting.withLock { $0 += 1 }
        try? await Task.sleep(for: .seconds(600))
        if Task.isCancelled { self.cancelled.withLock { $0 += 1 } }
        return HTTPResponse(status: 200)
      }
      work.client = path
      return .work(work)
    }
  }

  func isHealthCheck(_ head: RequestHead) -> Bool { head.path == ["health"] }
  func record(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }
  func observe(_ load: ServerLoad) {}

  func response(to error: HTTPError, requestID: String) -> HTTPResponse {
    HTTPResponse(status: Self.status(of: error), body: Array(error.code.rawValue.utf8))
  }

  private static func status(of error: HTTPError) -> Int {
    switch error.code {
    case .bodyTooLarge: 413
    case .tooManyConnections, .overloaded: 503
    default: 400
    }
  }

  /// The number of requests that have ended.
  var exchangeCount: Int { exchanges.withLock { $0.count } }
}
