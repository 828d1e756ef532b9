/// Why a question cannot be answered.
public struct MatchError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing of the region of interest lies within the picture.
    case regionOutside
    /// A filter names no property.
    case invalidFilter
    /// A continuation or a state of another catalogue, or one that was altered.
    case invalidToken
    /// A continuation that is too old.
    case expiredToken
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
}
