/// The options and operands of one command line, all of them accepted by the command's table.
struct ParsedArguments: Sendable {
  /// What was given without a dash, in order.
  ///
  /// `-` means standard input.
  let operands: [String]
  private let command: CommandDescription
  private let texts: [String: [String]]

  /// - Parameters:
  ///   - texts: The texts given for each option, by its long name; an empty text for a flag.
  init(command: CommandDescription, operands: [String], texts: [String: [String]]) {
    self.command = command
    self.operands = operands
    self.texts = texts
  }

  /// The value of an option: the one given, else the environment's, else its default.
  ///
  /// - Precondition: The option stands in the command's table.
  subscript<Value>(option: Option<Value>) -> Value {
    let name = option.description.name
    precondition(
      (command.options + CommonOptions.all).contains { $0.name == name },
      "--\(name) is not in the table of 'vq \(command.name)'")
    return option.value(of: texts[name] ?? [])
  }

  /// Returns the error for operands that the table allows but the other options do not.
  func missingOperand(_ message: String) -> UsageError {
    UsageError(.missingOperand, message, command: command.name)
  }
}

/// The options that every command takes, and `vq` itself before the command.
enum CommonOptions {
  static let color = Option<ColorChoice?>.choice(
    OptionText(
      "color", "when to use colour",
      detail: "'auto' uses colour on a terminal only, and none with NO_COLOR or TERM=dumb.",
      standard: "auto", isRare: true), "WHEN")
  static let help = Option<Bool>.flag(
    OptionText("help", "the complete help; -h shows a short one", short: "h", isRare: true))
  static let version = Option<Bool>.flag(
    OptionText("version", "the version", isRare: true))

  static let all = [color.description, help.description, version.description]
}
