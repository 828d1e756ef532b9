/// Why the bytes of a client are no request that is served.
struct HTTPError: Error, Sendable, Hashable {
  /// What a program switches on.
  enum Code: String, Sendable, CaseIterable {
    /// Not what RFC 9112 allows, or what it lets servers refuse since it hides requests in others.
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
  }
  /// What is wrong.
  let code: Code
  /// What is wrong, for people.
  let message: String
  /// The limit that was passed.
  var limit: Int?

  /// The status of the answer (RFC 9110, 15).
  var status: Int {
    switch code {
    case .badRequest: 400
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .expectationFailed: 417
    case .headersTooLarge: 431
    case .codingNotImplemented: 501
    case .versionNotSupported: 505
    }
  }
}
