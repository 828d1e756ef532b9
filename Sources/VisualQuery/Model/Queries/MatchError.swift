/// The reason why a query cannot be answered.
public struct MatchError: Error, Sendable, Hashable {
  /// The kind of error, which programs switch on.
  public enum Code: String, Sendable, CaseIterable {
    /// The region of interest lies outside the image.
    case regionOutside
    /// A filter is invalid.
    case invalidFilter
    /// A token belongs to another catalogue, or was altered.
    case invalidToken
    /// A continuation is too old.
    case expiredToken
  }
  /// The kind of error.
  public let code: Code
  /// The description for people.
  public let message: String
  /// The field of the question that it is about, or `nil` if its message says so.
  package let field: String?

  package init(code: Code, message: String, field: String? = nil) {
    self.code = code
    self.message = message
    self.field = field
  }
}
