import HTTPServer

/// The form of a question.
enum MatchForm: Sendable, Hashable {
  /// The bytes of a picture, the rest in the query.
  case picture
  /// `multipart/form-data` with the parts `image` and `request`.
  case multipart(boundary: String)
  /// JSON without a picture.
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
    // The bytes of a picture show its format.
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
}
