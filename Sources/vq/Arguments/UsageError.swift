/// The error of an invalid command line.
///
/// It is thrown before the command does anything.
struct UsageError: Error, Sendable, Hashable {
  /// The kind of mistake, for programs.
  enum Code: String, Sendable, CaseIterable {
    case noCommand, unknownCommand, unknownOption
    case missingValue, unexpectedValue, unacceptableValue
    case repeatedOption, missingOption, missingOperand, unexpectedOperand, unacceptableOperand
    case invalidConfiguration
  }

  /// The kind of mistake.
  let code: Code
  /// The description for people: the option, the value that was found, and the accepted values.
  let message: String
  /// The command whose help to show, or `nil` for the help of `vq` itself.
  let command: String?

  init(_ code: Code, _ message: String, command: String?) {
    self.code = code
    self.message = message
    self.command = command
  }
}
