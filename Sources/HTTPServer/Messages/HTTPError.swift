/// The reason why the server rejects a request or a connection without asking its service.
package struct HTTPError: Error, Sendable, Hashable {
  /// The kind of rejection, for programs.
  package enum Code: String, Sendable, CaseIterable {
    /// A request that RFC 9112 does not allow, or one that servers may reject because another request may be hidden
    /// in it.
    case badRequest
    /// A request target beyond the limit.
    case targetTooLong
    /// Header fields, trailers or chunk extensions beyond the limit.
    case headersTooLarge
    /// A body beyond the limit.
    case bodyTooLarge
    /// An expectation other than `100-continue`.
    case expectationFailed
    /// A transfer coding other than `chunked`.
    case codingNotImplemented
    /// A version other than HTTP/1.0 and HTTP/1.1.
    case versionNotSupported
    /// A request of which no byte came for too long.
    case requestTimeout
    /// A connection beyond the limit.
    case tooManyConnections
    /// More work than can be done in the time of its request.
    case overloaded
  }
  /// The kind of rejection, for programs.
  package let code: Code
  /// The reason, for people.
  package let message: String
  /// The limit that was exceeded.
  package private(set) var limit: Int?
  /// The number of seconds after which to try again.
  package private(set) var retryAfter: Int?

  init(code: Code, message: String, limit: Int? = nil, retryAfter: Int? = nil) {
    self.code = code
    self.message = message
    self.limit = limit
    self.retryAfter = retryAfter
  }

  /// A rejection of a connection for which there is no room.
  static let tooManyConnections = HTTPError(
    code: .tooManyConnections, message: "there are too many connections; try again", retryAfter: 1)

  /// A rejection of work that could not be done in time.
  static func overloaded(retryAfter: Int) -> HTTPError {
    HTTPError(
      code: .overloaded, message: "more is asked than can be answered in time; try again",
      retryAfter: retryAfter)
  }

  /// A rejection of a body that is larger than its route takes.
  static func bodyTooLarge(limit: Int) -> HTTPError {
    HTTPError(
      code: .bodyTooLarge, message: "the body has more than \(limit) bytes", limit: limit)
  }
}
