/// The options and operands of a command line, all of them accepted.
struct ParsedArguments: Sendable {
  /// The arguments without a dash, in order.
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

  /// The value of an option: the given one, otherwise that of the environment, otherwise the
  /// default.
  ///
  /// - Precondition: The option is in the command's table.
  subscript<Value>(option: Option<Value>) -> Value {
    let name = option.description.name
    precondition(
      (command.options + CommonOptions.all).contains { $0.name == name },
      "--\(name) is not in the table of 'vq \(command.name)'")
    return option.value(of: texts[name] ?? [])
  }

  /// Returns the error for operands that the table accepts but the given options do not.
  func missingOperand(_ message: String) -> UsageError {
    UsageError(.missingOperand, message, command: command.name)
  }
}

/// The options that every command accepts, and `vq` itself before the command.
enum CommonOptions {
  static let color = Option<ColorChoice?>.choice(
    OptionText(
      "color", "when to use color",
      detail: "'auto' uses color only on a terminal, and not with NO_COLOR or TERM=dumb.",
      standard: "auto", isRare: true), "WHEN")
  static let help = Option<Bool>.flag(
    OptionText("help", "show the complete help; -h a short one", short: "h", isRare: true))
  static let version = Option<Bool>.flag(
    OptionText("version", "show the version", isRare: true))

  static let all = [color.description, help.description, version.description]
}
