import PixelMatch
import VisualQuery

/// Why a request is not answered as it was asked: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable, Hashable {
  /// The status code.
  let status: Int
  /// What a program switches on.
  let code: String
  /// What was found, and what would be accepted.
  let detail: String
  /// The parameter, field or header that it is about.
  var field: String?
  /// The limit that was passed.
  var limit: Int?
  /// What was found instead of a picture.
  var found: String?
  /// Seconds after which to try again.
  var retryAfter: Int?
  /// Further header fields that the status asks for.
  var fields: [HTTPFields.Field] = []

  init(
    _ status: Int, _ code: String, _ detail: String, field: String? = nil, limit: Int? = nil,
    retryAfter: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.field = field
    self.limit = limit
    self.retryAfter = retryAfter
  }

  /// The answer that says so.
  func response(requestID: String) -> HTTPResponse {
    let document = Document(
      title: HTTPResponse.reason(status), status: status, detail: detail, code: code,
      requestId: requestID, field: field, limit: limit, found: found)
    var response = HTTPResponse(
      status: status,
      ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
      body: JSONBody.encoded(document))
    for field in fields { response.set(field.name, field.value) }
    if let retryAfter { response.set("Retry-After", String(retryAfter)) }
    return response
  }

  private struct Document: Encodable {
    // The status says all that a type could; `code` tells the cases of one status apart.
    let type = "about:blank"
    let title: String
    let status: Int
    let detail: String
    let code: String
    let requestId: String
    let field: String?
    let limit: Int?
    let found: String?
  }
}

extension Problem {
  init(_ error: HTTPError) {
    self.init(error.status, error.code.rawValue, error.message, limit: error.limit)
  }

  init(_ error: DecodeError, of picture: [UInt8], limits: DecodeLimits) {
    let status =
      switch error.code {
      case .unsupportedFormat: 415
      case .tooManyBytes: 413
      case .empty, .truncated, .corrupt, .tooManyPixels, .tooMuchWork: 422
      case .unreadable, .cancelled: 500
      }
    self.init(status, error.code.rawValue, error.message, field: "image")
    switch error.code {
    case .tooManyBytes: limit = limits.byteLimit
    case .tooManyPixels: limit = limits.pixelLimit
    case .unsupportedFormat: found = ImageFormat.sniffedName(of: picture)
    default: break
    }
  }

  init(_ error: MatchError) {
    let status =
      switch error.code {
      case .expiredToken: 410
      case .regionOutside, .invalidFilter, .invalidToken: 422
      }
    self.init(status, error.code.rawValue, error.message)
  }

  /// The client can do nothing about the catalogue: the log has the full message.
  init(_ error: CatalogueError) {
    self.init(503, "catalogueUnavailable", Self.summary(of: error), retryAfter: 5)
  }

  /// What may be told to everybody about a catalogue that cannot be read: no paths but the damaged file's name.
  static func summary(of error: CatalogueError) -> String {
    let which = error.generation.map { "generation \($0) of the catalogue" } ?? "the catalogue"
    let file = error.file.map { ": '\($0)' is damaged or missing" } ?? ""
    return "\(which) cannot be read at the moment\(file)"
  }

  /// There is no room for another connection.
  static let tooManyConnections = Problem(
    503, "tooManyConnections", "there are too many connections; try again", retryAfter: 1)

  /// The server has no room for more work.
  static func overloaded(retryAfter: Int) -> Problem {
    Problem(
      503, "overloaded", "more is asked than can be answered in time; try again",
      retryAfter: retryAfter)
  }
}
