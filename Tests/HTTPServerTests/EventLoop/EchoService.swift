import Synchronization

@testable import HTTPServer

/// A service that echoes bodies, answers `/now`, `/big`, `/half` and `/health` at once, and
/// at `/wait` and `/change` when it is cancelled. `/large` takes larger bodies, and `/change` is in the other lane.
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
      return .work(
        Work(
          route: "/echo", lane: path == "change" ? .changes : .answers, budget: .seconds(60),
          bodyLimit: path == "large" ? 1 << 20 : 1000
        ) { request in
          guard path == "wait" || path == "change" else {
            return HTTPResponse(status: 200, body: request.body)
          }
          self.waiting.withLock { $0 += 1 }
          try? await Task.sleep(for: .seconds(600))
          if Task.isCancelled { self.cancelled.withLock { $0 += 1 } }
          return HTTPResponse(status: 200)
        })
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
