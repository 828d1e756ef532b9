import HTTPServer

/// The form of a question.
enum MatchForm: Sendable, Hashable {
  /// The bytes of an image, the rest in the query.
  case picture
  /// `multipart/form-data` with the parts `image` and `request`.
  case multipart(boundary: String)
  /// JSON without an image.
  case json

  /// Reads the `Content-Type`.
  init(_ head: RequestHead) throws(Problem) {
    let value = head.fields["content-type"] ?? ""
    let type: String
    let boundary: String?
    do throws(HTTPError) {
      type = try Multipart.parameters(of: value).value
      boundary = try Multipart.boundary(ofContentType: value)
    } catch {
      throw Problem(
        .badRequest, error.message, field: "Content-Type")
    }
    switch type {
    // The subtype is ignored, because the format is recognized from the bytes of the image.
    case let type where type.hasPrefix("image/"): self = .picture
    case "application/octet-stream": self = .picture
    case "application/json": self = .json
    default:
      guard let boundary else {
        var problem = Problem(
          .unsupportedMediaType,
          "the Content-Type is '\(type.excerpt)'; send an image, such as image/jpeg, multipart/form-data or application/json",
          field: "Content-Type")
        problem.fields = [
          HTTPFields.Field(
            name: "Accept-Post",
            value: "image/jpeg, image/png, multipart/form-data, application/json")
        ]
        throw problem
      }
      self = .multipart(boundary: boundary)
    }
  }

  /// Returns the JSON of a question in a body, if it has any, by the parts of a form if it is one.
  private func question(in body: [UInt8]) -> [UInt8]? {
    switch self {
    case .picture: return nil
    case .json: return body
    case .multipart(let boundary):
      let parts = try? Multipart.parts(of: body, boundary: boundary)
      return parts?.first { $0.name == "request" }.map { Array(body[$0.content]) }
    }
  }

  /// Returns the deadline that a body states, for the admission of its request. If the body is invalid, returns the
  /// default deadline; the answer will report the error.
  ///
  /// It is called on the event loop: JSON is only parsed if it may have a deadline.
  func deadline(in body: [UInt8], _ limits: DeadlineLimits) -> Duration {
    guard let json = question(in: body), json.count <= BodyLimits.question,
      json.contains(Self.deadlineName),
      let fields = try? RequestFields(json: json),
      let deadline = try? limits.deadline(of: fields)
    else { return limits.standard }
    return deadline
  }

  /// The problem of a body that is not a form.
  static var isNotMultipart: Problem {
    Problem(
      .unsupportedMediaType, "the body must be multipart/form-data", field: "Content-Type")
  }

  private static let deadlineName = Array("deadlineMs".utf8)
}
