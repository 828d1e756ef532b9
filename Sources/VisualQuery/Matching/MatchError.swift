/// Why a question cannot be answered.
public struct MatchError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing of the region of interest lies within the picture.
    case regionOutside
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people.
  public let message: String
}
