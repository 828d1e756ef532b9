/// One command, declared once: the parser, the help and the shell completions are made from it.
struct CommandDescription: Sendable {
  /// The word that calls it.
  let name: String
  /// What it does, in one line that begins with a verb.
  let summary: String
  /// Whole command lines to copy, the most usual first.
  ///
  /// Each has at most 78 columns.
  let examples: [String]
  /// What it takes besides options.
  let operand: OperandDescription?
  /// Its own options, in the order of the help.
  let options: [OptionDescription]
  /// Further sections of the complete help, such as the JSON form.
  let notes: [HelpSection]
  /// What the command can end with, in the order of the help.
  let exitCodes: [ExitCode]
  /// Whether it takes its own time to end when it is told to, and then ends well: a server.
  var endsItself = false
  /// Does the work, away from the main actor.
  let run: @concurrent @Sendable (ParsedArguments, Console) async throws -> ExitCode
}

/// The operands of a command: what stands on the line without a dash.
struct OperandDescription: Sendable {
  /// The name of one operand in help and messages, such as `IMAGE`.
  let placeholder: String
  /// How many are accepted.
  let count: ClosedRange<Int>
  /// What one is, in one line.
  let summary: String
  /// What a shell offers, and, for words and commands, all that is accepted.
  let completion: ValueCompletion

  /// The operand in a usage line: `IMAGE…`, `[IMAGE…]` or `[COMMAND]`.
  var usage: String {
    let name = count.upperBound > 1 ? placeholder + "…" : placeholder
    return count.lowerBound == 0 ? "[\(name)]" : name
  }
}

/// One option, without the Swift type of its value.
///
/// `Option` makes it, and keeps the type.
struct OptionDescription: Sendable {
  /// The long name, without dashes.
  let name: String
  /// The short name, if it has one.
  let short: Character?
  /// What it takes, or `nil` for a flag.
  let value: ValueDescription?
  /// What it does, in one line of the short help.
  let summary: String
  /// More about it, for the complete help; may be empty.
  let detail: String
  /// The value when the option is not given, as the help shows it.
  let standard: String?
  /// The environment variable that stands in for the option when it is not given.
  let environment: String?
  /// Whether the command cannot run without it.
  let isRequired: Bool
  /// Whether it may be given several times; the values add up.
  let mayRepeat: Bool
  /// Whether the short help leaves it out.
  let isRare: Bool

  /// The option as it is typed: `--limit`.
  var spelling: String { "--" + name }
  /// The option in a table: `-j, --threads N`.
  var usage: String {
    (short.map { "-\($0), " } ?? "") + spelling + (value.map { " " + $0.placeholder } ?? "")
  }
}

/// What an option takes.
struct ValueDescription: Sendable {
  /// The name of the value in help and messages, such as `N`.
  let placeholder: String
  /// What is accepted, as a message says it: `1…100`.
  let accepts: String
  /// What a shell offers.
  let completion: ValueCompletion
  /// Whether a text is a value of this option.
  let isAccepted: @Sendable (String) -> Bool
}

/// What a shell offers in a place.
enum ValueCompletion: Sendable, Hashable {
  /// Nothing: the value is for the person to invent.
  case nothing
  /// Any file.
  case files
  /// Any directory.
  case directories
  /// These words; no others are accepted.
  case words([String])
  /// The names of the commands; no others are accepted.
  case commands
}

/// A titled part of the complete help.
struct HelpSection: Sendable {
  /// The heading.
  let title: String
  /// The text; lines that begin with a space are kept as they are, others are wrapped.
  let text: String
}
