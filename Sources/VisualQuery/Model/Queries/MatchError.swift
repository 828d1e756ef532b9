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

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
