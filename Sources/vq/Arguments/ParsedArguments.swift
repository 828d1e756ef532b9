import VisualQuery

/// The options and operands of a command line, all of them accepted.
struct ParsedArguments: Sendable {
  /// The arguments without a dash, in order.
  ///
  /// `-` means standard input.
  let operands: [String]
  private let command: CommandDescription
  private let texts: [String: [String]]
  private let given: Set<String>

  /// - Parameters:
  ///   - texts: The texts given for each option, by its long name; an empty text for a flag.
  ///   - given: The options of the command line itself, by their long names.
  init(
    command: CommandDescription, operands: [String], texts: [String: [String]], given: Set<String>
  ) {
    self.given = given
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

  /// Returns the texts of an option, or `nil` if it is not given or the command has none of this name.
  func texts(of name: String) -> [String]? { texts[name] }

  /// Returns the paths among the operands and the values of options.
  ///
  /// - Parameter names: The options whose values are left out, by their long names.
  func paths(except names: Set<String>) -> [String] {
    let options = command.options.filter {
      [.files, .directories].contains($0.value?.completion) && !names.contains($0.name)
    }
    return (command.operand == nil ? [] : operands) + options.flatMap { texts[$0.name] ?? [] }
  }

  /// Returns the spellings of those of some options that are on the command line itself. Options from the
  /// environment and the user's defaults are left out: they are meant for other runs, too.
  func given(of options: [OptionDescription]) -> [String] {
    options.filter { given.contains($0.name) }.map(\.spelling)
  }

  /// Rejects options that would have no effect.
  ///
  /// - Parameter other: The input with which they have no effect, such as another option.
  func refuse(_ options: [OptionDescription], with other: String) throws(CommandFailure) {
    if let first = given(of: options).first {
      throw CommandFailure(.usage, "\(first) has no effect with \(other); leave it out")
    }
  }

  /// Returns the action that the first operand names.
  ///
  /// - Throws: ``UsageError`` with the code `unacceptableOperand`, which lists the actions.
  func action<Action: CaseIterable & RawRepresentable<String>>() throws(UsageError) -> Action {
    guard let action = Action(rawValue: operands[0]) else {
      let actions = Action.allCases.map(\.rawValue)
      throw UsageError(
        .unacceptableOperand,
        "'vq \(command.name)' takes \(alternatives(actions)); found \(quoted(operands[0]))"
          + didYouMean(operands[0], among: actions), command: command.name)
    }
    return action
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
