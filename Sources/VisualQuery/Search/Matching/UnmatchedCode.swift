/// A code of a question that led to no product.
package struct UnmatchedCode: Sendable, Hashable, Encodable {
  /// The reason why a code led to no product.
  package enum Reason: String, Sendable, Hashable, Encodable, CaseIterable {
    /// Its length or its check digit is wrong.
    case invalid
    /// No product has it.
    case unknown
  }

  /// The code, as it was given.
  package let code: String
  /// The reason.
  package let reason: Reason
}
