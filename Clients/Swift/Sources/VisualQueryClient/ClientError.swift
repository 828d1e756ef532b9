public import Foundation

/// The reason why a question has no answer.
public struct ClientError: Error, Sendable, Hashable {
  /// The kind of error, which programs switch on.
  public enum Code: String, Sendable, CaseIterable {
    /// The service cannot be reached.
    case offline
    /// The service did not answer in time.
    case timedOut
    /// The key is missing or wrong.
    case unauthorized
    /// The service is busy or starting; ``ClientError/retryAfter`` says when to try again.
    case busy
    /// The service does not have what was asked for.
    case notFound
    /// The image cannot be read, or is too large.
    case unusableImage
    /// The continuation or the state is too old or of another catalogue: begin anew.
    case expired
    /// The question is not as the service accepts it: a fault of the app.
    case invalidQuestion
    /// The service failed, or answered something else than the client understands.
    case failed
  }

  /// The kind of error.
  public let code: Code
  /// The description for developers.
  public let detail: String
  /// The service's own description, if it is one of the service.
  public let problem: Problem?
  /// The time after which to try again.
  public let retryAfter: Duration?
  /// The language of ``userMessage``.
  let language: String

  init(
    _ code: Code, _ detail: String, problem: Problem? = nil, retryAfter: Duration? = nil,
    language: String
  ) {
    self.code = code
    self.detail = detail
    self.problem = problem
    self.retryAfter = retryAfter
    self.language = language
  }

  /// A sentence that an app may show, in the language of the question as far as it is known.
  public var userMessage: String {
    problem?.userMessage ?? ErrorText.message(for: code, language: language)
  }

  /// True if the same request may succeed later.
  public var isTemporary: Bool { [.offline, .timedOut, .busy].contains(code) }
}

extension ClientError: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { userMessage }
  /// The description for developers.
  public var failureReason: String? { detail }
}

extension ClientError {
  /// The error of a status that is not a success.
  init(status: Int, problem: Problem?, retryAfter: Duration?, language: String) {
    let detail =
      problem.map { "\($0.status) \($0.code): \($0.detail)" } ?? "the service answered \(status)"
    self.init(
      Self.code(status: status, problem: problem?.code), detail, problem: problem,
      retryAfter: retryAfter, language: language)
  }

  private static func code(status: Int, problem: String?) -> Code {
    switch problem {
    case "expiredToken", "invalidToken": return .expired
    case "bodyTooLarge", "tooManyBytes", "tooManyPixels", "tooMuchWork", "unsupportedFormat",
      "truncated", "corrupt", "empty":
      return .unusableImage
    default: break
    }
    switch status {
    case 401, 403: return .unauthorized
    case 404: return .notFound
    case 408: return .timedOut
    case 429, 503: return .busy
    case 400..<500: return .invalidQuestion
    default: return .failed
    }
  }

  /// The error of a request that had no answer.
  init(_ error: URLError, language: String) {
    switch error.code {
    case .timedOut:
      self.init(.timedOut, "the service did not answer in time", language: language)
    case .notConnectedToInternet, .networkConnectionLost, .cannotConnectToHost, .cannotFindHost,
      .dnsLookupFailed, .dataNotAllowed, .internationalRoamingOff:
      self.init(.offline, "the service cannot be reached: \(error.code)", language: language)
    default:
      self.init(.failed, "the request failed: \(error.code)", language: language)
    }
  }
}
