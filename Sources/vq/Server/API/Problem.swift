import HTTPServer

/// The reason why a request is not answered as asked: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable, Hashable {
  let code: Code
  /// The reason for people: first the value that was found, then the accepted ones.
  let detail: String
  /// The parameter, field or header that it is about.
  var field: String?
  /// The limit that was exceeded.
  var limit: Int?
  /// The format that was found instead of an image's.
  var found: String?
  /// The number of seconds after which to try again.
  var retryAfter: Int?
  /// The sentence for people, or `nil` for that of the code.
  var userMessage: UserMessage?
  /// Further header fields that the status requires.
  var fields: [HTTPFields.Field] = []

  init(
    _ code: Code, _ detail: String, field: String? = nil, limit: Int? = nil, retryAfter: Int? = nil
  ) {
    self.code = code
    self.detail = detail
    self.field = field
    self.limit = limit
    self.retryAfter = retryAfter
  }

  /// Returns the answer to a request.
  ///
  /// - Parameter language: The language of the sentence for people; `nil` for English.
  func response(requestID: String, language: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(
      status: code.status,
      ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
      body: JSONBody.encoded(document(requestID: requestID, language: language)))
    response.set(language: ShopWords.known(language))
    for field in fields { response.set(field.name, field.value) }
    if let retryAfter { response.set("Retry-After", String(retryAfter)) }
    return response
  }

  /// Returns the document of the answer.
  func document(requestID: String, language: String? = nil) -> Document {
    Document(
      title: code.title, status: code.status, detail: detail, code: code.rawValue,
      requestId: requestID, field: field, limit: limit, found: found,
      userMessage: (userMessage ?? UserMessage(code)).text(in: language))
  }

  struct Document: Encodable {
    // `about:blank` means that the status says what kind of problem it is; `code` distinguishes the
    // cases of one status.
    let type = "about:blank"
    let title: String
    let status: Int
    let detail: String
    let code: String
    let requestId: String
    let field: String?
    let limit: Int?
    let found: String?
    let userMessage: String
  }
}
