import VisualQuery

/// The result of parsing a command line.
enum Invocation: Sendable {
  /// The help of a command, or of `vq` if it is `nil`.
  case help(HelpForm, CommandDescription?)
  /// The version.
  case version
  /// A command with its arguments.
  case run(CommandDescription, ParsedArguments)
}

/// Parses command lines according to the tables of the commands, in the GNU style.
///
/// `--name value`, `--name=value`, `-j 4`, `-j4` and bundled flags are accepted; options and
/// operands may be mixed; `--` ends the options; `-` is an operand. Long names cannot be
/// abbreviated, so that a new option never changes the meaning of an old script.
struct ArgumentParser: Sendable {
  /// All commands.
  let commands: [CommandDescription]
  /// The environment, which supplies values that the command line does not give.
  let environment: [String: String]
  /// Reads the user's own defaults, when a command needs them: help does not.
  var configuration: @Sendable () throws(UsageError) -> Configuration = { () throws(UsageError) in
    .none
  }
  /// Returns the indexes in the working directory.
  var indexesHere: @Sendable () -> [String] = { [] }

  /// Returns the command, help or version that the arguments ask for.
  ///
  /// - Parameter arguments: The arguments after the name of the program.
  func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var scan = ArgumentScan(arguments: arguments[...])
    switch try scan.read(Table(options: CommonOptions.all), stopsAtOperand: true) {
    case .help(let form): return .help(form, nil)
    case .version: return .version
    case .end: break
    }
    guard let name = scan.operands.first else {
      throw UsageError(.noCommand, "no command given", command: nil)
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      throw UsageError(
        .unknownCommand,
        "unknown command \(quoted(name))" + didYouMean(name, among: commands.map(\.name)),
        command: nil)
    }
    scan.operands = []
    let table = Table(
      options: command.options + CommonOptions.all, command: name,
      takesFiles: command.operand?.takesFiles == true)
    switch try scan.read(table, stopsAtOperand: false) {
    case .help(let form): return .help(form, command)
    case .version: return .version
    case .end: break
    }
    let given = Set(scan.texts.keys)
    let isAlone = command.options.contains { $0.standsAlone && scan.texts[$0.name] != nil }
    if !isAlone {
      try fill(&scan.texts, for: command)
      try check(scan.operands, of: command)
    }
    return .run(
      command,
      ParsedArguments(
        command: command, operands: scan.operands, texts: scan.texts, given: given))
  }

  /// Adds values from the environment, then from the user's defaults, and checks that required options are
  /// given.
  private func fill(
    _ texts: inout [String: [String]], for command: CommandDescription
  ) throws(UsageError) {
    let configuration = try configuration()
    let variables = EnvironmentDefaults(environment: environment)
    for option in command.options + CommonOptions.all where texts[option.name] == nil {
      if let found = try variables.texts(of: option, for: command.name) {
        texts[option.name] = found.isEmpty ? nil : found
      } else if let found = try configuration.texts(of: option, for: command.name) {
        texts[option.name] = found
      } else if option.isRequired {
        let found = option.findsIndexHere ? indexesHere() : []
        guard found.count == 1 else { throw missing(option, of: command, found) }
        texts[option.name] = found
      }
    }
  }

  private func missing(
    _ option: OptionDescription, of command: CommandDescription, _ found: [String]
  ) -> UsageError {
    let variable = option.environment.map { ", or \($0) in the environment" } ?? ""
    let names = found.prefix(3).map(quoted).joined(separator: ", ")
    let here = found.isEmpty ? "" : "; found \(names)\(found.count > 3 ? ", …" : "") here"
    return UsageError(
      .missingOption, "'vq \(command.name)' requires \(option.usage)\(variable)\(here)",
      command: command.name)
  }

  private func check(
    _ operands: [String], of command: CommandDescription
  ) throws(UsageError) {
    func failure(_ code: UsageError.Code, _ message: String) -> UsageError {
      UsageError(code, "'vq \(command.name)' " + message, command: command.name)
    }
    guard let operand = command.operand else {
      guard let first = operands.first else { return }
      throw failure(.unexpectedOperand, "takes only options; found \(quoted(first))")
    }
    if operands.count < operand.count.lowerBound {
      throw failure(.missingOperand, "requires \(operand.usage): \(operand.summary)")
    }
    if operands.count > operand.count.upperBound {
      let extra = operands[operand.count.upperBound]
      throw failure(
        .unexpectedOperand,
        "takes one \(operand.placeholder); found also \(quoted(extra))")
    }
    if operands.filter({ $0 == "-" }).count > 1 {
      throw failure(.unexpectedOperand, "can read standard input only once; found '-' twice")
    }
    let words: [String]
    switch operand.completion {
    case .words(let accepted): words = accepted
    case .commands: words = commands.map(\.name)
    case .nothing, .files, .directories, .actions: return
    }
    if let wrong = operands.first(where: { !words.contains($0) }) {
      throw failure(
        .unacceptableOperand,
        "takes \(alternatives(words)); found \(quoted(wrong))" + didYouMean(wrong, among: words))
    }
  }
}

/// The state of parsing a command line.
private struct ArgumentScan {
  /// The reason why parsing stopped.
  enum Stop {
    case end, version
    case help(HelpForm)
  }

  /// The remaining arguments.
  var arguments: ArraySlice<String>
  var operands: [String] = []
  var texts: [String: [String]] = [:]

  init(arguments: ArraySlice<String>) { self.arguments = arguments }

  /// Parses up to the end, a request for help, or the first operand.
  mutating func read(_ table: Table, stopsAtOperand: Bool) throws(UsageError) -> Stop {
    while let argument = arguments.popFirst() {
      if argument == "--" {
        operands += arguments
        arguments = []
      } else if argument.hasPrefix("--") {
        let (name, text) = split(argument.dropFirst(2))
        let option = try table.option(named: name, in: argument)
        if option.name == CommonOptions.help.description.name { return .help(.complete) }
        if option.name == CommonOptions.version.description.name { return .version }
        try take(option, attached: text, table: table)
      } else if argument.hasPrefix("-"), argument != "-" {
        if try readShort(argument, table: table) { return .help(.short) }
      } else {
        operands.append(argument)
        if stopsAtOperand { return .end }
      }
    }
    return .end
  }

  /// Parses `-x`, `-xy`, `-x4` or `-x 4`; returns whether it asks for help.
  private mutating func readShort(_ argument: String, table: Table) throws(UsageError) -> Bool {
    // `-json` is a mistyped `--json`, not `-j` with the value `son`.
    if table.options.contains(where: { $0.name == split(argument.dropFirst()).name }) {
      throw table.unknown(argument)
    }
    // `-hat.jpg` is a file, not `-h` with further letters.
    if argument.contains("."), table.isFile(argument) { throw table.unknown(argument) }
    var rest = argument.dropFirst()
    while let letter = rest.popFirst() {
      guard let option = table.options.first(where: { $0.short == letter }) else {
        throw table.unknown(argument)
      }
      if option.name == CommonOptions.help.description.name { return true }
      let takesRest = option.value != nil && !rest.isEmpty
      try take(option, attached: takesRest ? String(rest) : nil, table: table)
      if option.value != nil { return false }
    }
    return false
  }

  /// Records an option with its value: the attached one, or the next argument.
  private mutating func take(
    _ option: OptionDescription, attached: String?, table: Table
  ) throws(UsageError) {
    func failure(_ code: UsageError.Code, _ message: String) -> UsageError {
      UsageError(code, option.spelling + " " + message, command: table.command)
    }
    guard let value = option.value else {
      if let attached {
        throw failure(.unexpectedValue, "takes no value; found \(found(attached))")
      }
      texts[option.name, default: []].append("")
      return
    }
    let text: String
    if let attached {
      text = attached
    } else if let next = arguments.popFirst() {
      if table.isOption(next) {
        throw failure(
          .missingValue,
          "takes \(value.accepts); found the option \(quoted(next)) instead")
      }
      text = next
    } else {
      throw failure(.missingValue, "takes \(value.accepts); found nothing after it")
    }
    guard option.accepts(text) else {
      throw unacceptable(text, for: option, given: option.spelling, command: table.command)
    }
    if let first = texts[option.name]?.first, !option.mayRepeat {
      throw failure(
        .repeatedOption,
        "can be given only once; found \(found(first)), then \(found(text))")
    }
    texts[option.name, default: []].append(text)
  }
}

/// The options that are accepted at one position of the command line.
private struct Table {
  let options: [OptionDescription]
  var command: String?
  /// True if operands are names of files.
  var takesFiles = false

  /// Returns whether an argument is the name of a file that exists.
  func isFile(_ argument: String) -> Bool { takesFiles && FileDescriptor.exists(argument) }

  func option(named name: String, in argument: String) throws(UsageError) -> OptionDescription {
    guard let option = options.first(where: { $0.name == name }) else { throw unknown(argument) }
    return option
  }

  /// Returns whether a word is an option of this table and therefore probably not a value.
  func isOption(_ word: String) -> Bool {
    options.contains { option in
      split(word[...]).name == option.spelling || option.short.map { word == "-\($0)" } ?? false
    }
  }

  func unknown(_ argument: String) -> UsageError {
    let spelling = split(argument[...]).name
    let context = command.map { " for 'vq \($0)'" } ?? " before the command"
    let isLetter = spelling.count == 2
    let name = String(spelling.drop { $0 == "-" })
    let nearest =
      isLetter ? nil : Suggestion.nearest(to: name, among: options.map(\.name)).map { "--" + $0 }
    // The name of an option has no point, but that of a file mostly has one.
    if isFile(argument) || takesFiles && nearest == nil && spelling.contains(".") {
      return UsageError(
        .unknownOption,
        "unknown option \(quoted(argument))\(context); if it is a file, write "
          + "\(quoted("./" + argument)), or put '--' before it",
        command: command)
    }
    return UsageError(
      .unknownOption,
      "unknown option \(quoted(spelling))\(context)"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
      command: command)
  }
}

/// Splits `name=text` at the first equals sign.
private func split(_ argument: Substring) -> (name: String, text: String?) {
  guard let equals = argument.firstIndex(of: "=") else { return (String(argument), nil) }
  return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
}

func unacceptable(
  _ text: String, for option: OptionDescription, given: String, command: String?
) -> UsageError {
  let value = option.value
  var hint = ""
  if case .words(let words) = value?.completion { hint = didYouMean(text, among: words) }
  return UsageError(
    .unacceptableValue,
    "\(given) takes \(value?.accepts ?? "no value"); found \(found(text))\(hint)",
    command: command)
}

func didYouMean(_ word: String, among words: [String]) -> String {
  Suggestion.nearest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
}

/// Returns a text as it is shown in messages: numbers bare, words in quotes, an empty text as
/// "nothing".
func found(_ text: String) -> String {
  if text.isEmpty { return "nothing" }
  return Double(text) == nil ? quoted(text) : text
}

func quoted(_ text: String) -> String { "'\(DisplayText.escaped(text))'" }
