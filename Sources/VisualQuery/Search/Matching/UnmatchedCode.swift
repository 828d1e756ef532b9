/// A code of a question that led to no product.
public struct UnmatchedCode: Sendable, Hashable, Encodable {
  /// The reason why a code led to no product.
  public enum Reason: String, Sendable, Hashable, Encodable, CaseIterable {
    /// Its length or its check digit is wrong.
    case invalid
    /// No product has it.
    case unknown
  }

  /// The code, as it was given.
  public let code: String
  /// The reason.
  public let reason: Reason
}
