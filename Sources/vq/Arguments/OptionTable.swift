/// The declaration of a command, from which the parser, the help and the shell completions are
/// made.
struct CommandDescription: Sendable {
  /// The name of the command.
  let name: String
  /// The effect, in one line that begins with a verb.
  let summary: String
  /// Complete command lines to copy, the most common first.
  ///
  /// Each has at most 78 columns.
  let examples: [String]
  /// The operands, or `nil` if there are none.
  let operand: OperandDescription?
  /// Its own options, in the order of the help.
  let options: [OptionDescription]
  /// Further sections of the complete help, such as the JSON form.
  let notes: [HelpSection]
  /// The possible exit codes, in the order of the help.
  let exitCodes: [ExitCode]
  /// The exit codes that mean something else for this command than usual, with their meanings.
  var exitMeanings: [ExitCode: String] = [:]
  /// True if the command ends by itself, successfully, when it is asked to, as a server does.
  var endsItself = false
  /// True if the short help of `vq` omits the command.
  var isRare = false
  /// Runs the command, off the main actor.
  let run: @concurrent @Sendable (ParsedArguments, Console) async throws -> ExitCode

  /// Returns the description of an exit code in the help of the command.
  func meaning(of code: ExitCode) -> String {
    exitMeanings[code] ?? (code == .success ? "success" : code.meaning)
  }
}

/// The operands of a command: the arguments without a dash.
struct OperandDescription: Sendable {
  /// The name of one operand in help and messages, such as `IMAGE`.
  let placeholder: String
  /// The accepted number of operands.
  let count: ClosedRange<Int>
  /// The description of an operand, in one line.
  let summary: String
  /// The completions that a shell offers. For words and commands, no other operands are accepted.
  let completion: ValueCompletion

  /// True if operands are paths.
  var takesFiles: Bool {
    switch completion {
    case .files, .directories: true
    case .nothing, .words, .commands, .actions: false
    }
  }

  /// The operand in a usage line: `IMAGE…`, `[IMAGE…]`, `[COMMAND]` or `FROM TO`.
  var usage: String {
    let isList = count.upperBound > max(1, count.lowerBound)
    let name = isList ? placeholder + "…" : placeholder
    return count.lowerBound == 0 ? "[\(name)]" : name
  }
}

/// One option, without the Swift type of its value.
///
/// `Option` makes it and has the type.
struct OptionDescription: Sendable {
  /// The long name, without dashes.
  let name: String
  /// The short name, if it has one.
  let short: Character?
  /// The value, or `nil` for a flag.
  let value: ValueDescription?
  /// The effect, in one line of the short help.
  let summary: String
  /// More details, for the complete help; may be empty.
  let detail: String
  /// The default, as it is shown in the help.
  let standard: String?
  /// The environment variable that the help of the option names. Every other option has variables, too:
  /// ``EnvironmentDefaults``.
  let environment: String?
  /// True if the command requires the option.
  let isRequired: Bool
  /// True if the only index in the working directory is used if the option is not given.
  let findsIndexHere: Bool
  /// True if the option may be repeated; the values add up.
  let mayRepeat: Bool
  /// True if the short help omits the option.
  let isRare: Bool
  /// True if the command needs neither its operands nor its required options if this one is given.
  let standsAlone: Bool
  /// Returns whether a text is a value of this option.
  let accepts: @Sendable (String) -> Bool

  /// The option as it is typed: `--limit`.
  var spelling: String { "--" + name }
  /// The option in a table: `-j, --threads N`.
  var usage: String {
    (short.map { "-\($0), " } ?? "") + spelling + (value.map { " " + $0.placeholder } ?? "")
  }
}

/// The value of an option.
struct ValueDescription: Sendable {
  /// The name of the value in help and messages, such as `N`.
  let placeholder: String
  /// The accepted values, as they are shown in messages: `1…100`.
  let accepts: String
  /// The completions that a shell offers.
  let completion: ValueCompletion
}

/// The completions that a shell offers for a value or an operand.
enum ValueCompletion: Sendable, Hashable {
  /// Nothing, because the value may be any text.
  case nothing
  /// Any file.
  case files
  /// Any directory.
  case directories
  /// These words; no others are accepted.
  case words([String])
  /// One of these words, then files.
  case actions([String])
  /// The names of the commands; no others are accepted.
  case commands
}

/// A section of the complete help, with a title.
struct HelpSection: Sendable {
  /// The title.
  let title: String
  /// The text. Lines that begin with a space are kept unchanged, others are wrapped.
  let text: String
}
