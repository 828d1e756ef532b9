/// A command line that cannot be understood.
///
/// Nothing has been done yet.
struct UsageError: Error, Sendable, Hashable {
  /// What is wrong, for a program.
  enum Code: String, Sendable, CaseIterable {
    case noCommand, unknownCommand, unknownOption
    case missingValue, unexpectedValue, unacceptableValue
    case repeatedOption, missingOption, missingOperand, unexpectedOperand, unacceptableOperand
  }

  /// What is wrong, for a program; stable.
  let code: Code
  /// What is wrong, for a person: what was asked, what was found, what would be accepted.
  let message: String
  /// The command whose help has the answer, or `nil` for the help of `vq` itself.
  let command: String?

  init(_ code: Code, _ message: String, command: String?) {
    self.code = code
    self.message = message
    self.command = command
  }
}
