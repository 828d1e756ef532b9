import VisualQuery

/// The problems of one status, as clients see them.
struct ProblemAnswer: Sendable {
  let name: String
  let text: String
  let codes: [Problem.Code]
  let example: Problem
  /// The header that it has besides those of all.
  var header: String?

  /// - Parameter codes: The codes, or `nil` for all codes of the status.
  init(
    _ name: String, _ text: String, _ example: Problem, codes: [Problem.Code]? = nil,
    header: String? = nil, found: String? = nil, message: UserMessage? = nil
  ) {
    (self.name, self.text, self.header) = (name, text, header)
    var example = example
    (example.found, example.userMessage) = (found, message)
    self.example = example
    self.codes = codes ?? Problem.Code.allCases.filter { $0.status == example.code.status }
  }

  var status: Int { example.code.status }
}

extension ProblemAnswer {
  /// The problems that every request may have.
  static let usual: [ProblemAnswer] = [
    .badRequest, .forbidden, .methodNotAllowed, .requestTimeout, .contentTooLarge, .targetTooLong,
    .expectationFailed, .tooManyRequests, .headersTooLarge, .internalError, .notImplemented,
    .unavailable, .versionNotSupported,
  ]

  static let badRequest = ProblemAnswer(
    "BadRequest", "The request is malformed, or a parameter or field is not valid.",
    Problem(.invalidParameter, "limit is 0; 1…100 is valid.", field: "limit"))
  static let unauthorized = ProblemAnswer(
    "Unauthorized", "The key is missing or unknown.",
    Problem(.unauthorized, "This server needs a key: Authorization: Bearer KEY."),
    header: "WWW-Authenticate")
  static let forbidden = ProblemAnswer(
    "Forbidden",
    """
    The key may not write, or the server has no key that may. Or the server has no keys, and the request asks for another host than \
    this machine, or comes from a page of another origin.
    """, Problem(.forbidden, "This needs a key that may write."), message: .notAllowedToDo)
  static let notFound = ProblemAnswer(
    "NotFound", "There is nothing at this path.",
    Problem(
      .noAssociation,
      "no app is named (vq serve --app-id), or no link template is of https (vq index --link)"),
    codes: [.unknownPath, .noAssociation])
  static let unknownEntity = ProblemAnswer(
    "UnknownEntity", "There is no such entity.",
    Problem(.unknownEntity, "There is no product 'oat'."), codes: [.unknownEntity])
  static let noPicture = ProblemAnswer(
    "NoPicture", "There is no such entity, or it has no such image.",
    Problem(.noPicture, "The product 'oats' has no picture 3."),
    codes: [.unknownEntity, .noPicture])
  static let methodNotAllowed = ProblemAnswer(
    "MethodNotAllowed", "The path does not have this method.",
    Problem(.methodNotAllowed, "PUT is not allowed here; GET, HEAD and OPTIONS are."),
    header: "Allow")
  static let requestTimeout = ProblemAnswer(
    "RequestTimeout", "The request did not arrive in time.",
    Problem(.requestTimeout, "The request took more than 10 s to arrive."))
  static let gone = ProblemAnswer(
    "Gone",
    "The continuation is too old, or the list of a cursor was replaced. Search again, or begin the list again.",
    Problem(.expiredToken, "The continuation is too old; search again."))
  static let contentTooLarge = ProblemAnswer(
    "ContentTooLarge", "The body is too large.",
    Problem(.bodyTooLarge, "The body has more than 10000000 bytes.", limit: 10_000_000))
  static let targetTooLong = ProblemAnswer(
    "TargetTooLong", "The request target is too long.",
    Problem(.targetTooLong, "The request target has more than 8192 bytes.", limit: 8192))
  static let unsupportedMediaType = ProblemAnswer(
    "UnsupportedMediaType", "The body is of a type that is not read, or has a `Content-Encoding`.",
    Problem(.unsupportedFormat, "HEIC is not accepted here; send JPEG, PNG or WebP"), found: "HEIC")
  static let expectationFailed = ProblemAnswer(
    "ExpectationFailed", "The `Expect` header asks for what the server does not do.",
    Problem(.expectationFailed, "Only 100-continue can be expected."))
  static let unprocessable = ProblemAnswer(
    "Unprocessable", "The request is well formed, but its content cannot be used.",
    Problem(.truncated, "The JPEG ends before the image does."))
  static let tooManyRequests = ProblemAnswer(
    "TooManyRequests",
    "There are too many requests, or they take too much time. Wait and try again.",
    Problem(.tooManyRequests, "Too many requests; try again in 1 s."), header: "Retry-After")
  static let headersTooLarge = ProblemAnswer(
    "HeadersTooLarge", "The request headers are too large.",
    Problem(.headersTooLarge, "The headers have more than 16384 bytes.", limit: 16384))
  static let internalError = ProblemAnswer(
    "InternalError", "Something went wrong in the server.",
    Problem(.internalError, "Something went wrong; the log has the request's id."))
  static let notImplemented = ProblemAnswer(
    "NotImplemented", "The server does not know this method or transfer coding.",
    Problem(
      .methodNotImplemented,
      "the method 'BREW' is not one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE, QUERY"))
  static let unavailable = ProblemAnswer(
    "Unavailable", "The server cannot answer now. Wait and try again.",
    Problem(.stopping, "the server is stopping; try again"), header: "Retry-After")
  static let versionNotSupported = ProblemAnswer(
    "VersionNotSupported", "The HTTP version is not supported.",
    Problem(.versionNotSupported, "HTTP/1.0 and HTTP/1.1 are supported."))
  static let unknownStatement = ProblemAnswer(
    "UnknownStatement", "There is no such statement.",
    Problem(.unknownStatement, "There is no statement 12."), codes: [.unknownStatement])
  static let noFit = ProblemAnswer(
    "NoFit", "There is no fit of labelled photos.",
    Problem(.noFit, "The shop has no fit of labelled photos."), codes: [.noFit])
  static let entityOrPicture = ProblemAnswer(
    "EntityOrPicture", "There is no such entity, or it has no image that can be read.",
    Problem(.noPicture, "The entity has no such picture."), codes: [.unknownEntity, .noPicture])
}
