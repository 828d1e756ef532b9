/// The reason why a question cannot be read.
package struct QuestionError: Error, Sendable, Hashable {
  /// The kind of error.
  package enum Code: Sendable, Hashable, CaseIterable {
    /// A value is not of its kind.
    case invalid
    /// A text has a control character.
    case controlCharacter
    /// There is more than a limit allows.
    case excess
    /// A signature cannot be read.
    case invalidSignature
  }

  /// The kind of error.
  package let code: Code
  /// The name of the field, with those around it as in `near.latitude`, or `nil` if no single field is wrong.
  package var field: String?
  /// The reason, as the rest of a sentence that begins with the field: `is not a text`.
  package let reason: String
  /// The limit that was exceeded.
  package var limit: Int?

  init(code: Code = .invalid, field: String? = nil, reason: String, limit: Int? = nil) {
    (self.code, self.field, self.reason, self.limit) = (code, field, reason, limit)
  }

  /// The same error, for the field as a part of another one.
  package func within(_ outer: String) -> QuestionError {
    QuestionError(
      code: code, field: field.map { "\(outer).\($0)" } ?? outer, reason: reason, limit: limit)
  }
}
