/// The length of a help text.
enum HelpForm: Sendable, CaseIterable {
  /// One screen of 24 lines and 80 columns, examples first: `-h`.
  case short
  /// Everything: `--help`.
  case complete
}

/// Writes the help of `vq` and of its commands from their tables.
struct Help: Sendable {
  /// The largest number of columns in a line.
  static let width = 80

  /// All commands.
  let commands: [CommandDescription]

  /// Returns the help of a command, or of `vq` itself.
  func text(_ form: HelpForm, for command: CommandDescription? = nil) -> String {
    let sections =
      switch (form, command) {
      case (.short, nil): shortOverview
      case (.complete, nil): completeOverview
      case (.short, let command?): short(command)
      case (.complete, let command?): complete(command)
      }
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n") + "\n"
  }

  /// Returns the usage of a command in one line.
  static func usage(of command: CommandDescription?) -> String {
    guard let command else { return "vq COMMAND [OPTION…] [OPERAND…]" }
    let required = command.options.filter(\.isRequired)
    let parts =
      ["vq \(command.name)"] + required.map { "\($0.spelling) \($0.value?.placeholder ?? "")" }
      + (command.options.isEmpty ? [] : ["[OPTION…]"])
      + (command.operand.map { [$0.usage] } ?? [])
    return parts.joined(separator: " ")
  }

  // MARK: The sections, a list of lines each

  private var shortOverview: [[String]] {
    [
      examples(overviewExamples), ["Usage: " + Self.usage(of: nil)],
      commandTable(commands.filter { !$0.isRare }),
      ["More: vq COMMAND -h, vq help COMMAND, vq --help"],
    ]
  }

  private var completeOverview: [[String]] {
    [
      ["vq - find the products and stores of a shop in an image"],
      examples(overviewExamples), ["Usage: " + Self.usage(of: nil)], commandTable(commands),
      optionTable("Options", CommonOptions.all, form: .complete),
      section(Self.defaults), environment(commands.flatMap(\.options)),
      exitCodes(ExitCode.allCases.map { ($0, $0.meaning) }),
      ["Help for a command: vq help COMMAND"],
    ]
  }

  private func short(_ command: CommandDescription) -> [[String]] {
    [
      examples(command.examples), ["Usage: " + Self.usage(of: command)],
      optionTable("Options", command.options.filter { !$0.isRare }, form: .short),
      ["More: vq \(command.name) --help"],
    ]
  }

  private func complete(_ command: CommandDescription) -> [[String]] {
    let operand =
      command.operand.map { operand in
        ["Operand"] + table([(operand.placeholder, [operand.summary])])
      } ?? []
    return [
      ["vq \(command.name) - \(command.summary)"], examples(command.examples),
      ["Usage: " + Self.usage(of: command)], operand,
      optionTable("Options", command.options, form: .complete),
      optionTable("Common options", CommonOptions.all, form: .complete),
    ] + command.notes.map(section)
      + [
        environment(command.options),
        exitCodes(command.exitCodes.map { ($0, command.meaning(of: $0)) }),
      ]
  }

  /// The defaults of options, for the help of `vq` itself.
  static let defaults = HelpSection(
    title: "Defaults",
    text: """
      ~/.vqrc has your own defaults of options, one per line; the environment has others, as \
      VQ_OPTION for every command that has the option, and as VQ_COMMAND_OPTION for one command. \
      Flags take yes or no. The command line has precedence over the environment, which has \
      precedence over this file.
        # For every command that has the option, and for one command:
        index = /srv/shop.vq
        match.limit = 3
        VQ_MATCH_LIMIT=3 vq match mug.jpg
      """)

  /// The first examples for a new user, in order.
  private var overviewExamples: [String] {
    ["index", "match", "serve"].compactMap { name in
      commands.first { $0.name == name }?.examples.first
    }
  }

  private func examples(_ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["Examples"] + lines.map { "  " + $0 }
  }

  private func commandTable(_ commands: [CommandDescription]) -> [String] {
    ["Commands"] + table(commands.map { ($0.name, [$0.summary]) })
  }

  private func optionTable(
    _ title: String, _ options: [OptionDescription], form: HelpForm
  ) -> [String] {
    guard !options.isEmpty else { return [] }
    return [title]
      + table(
        options.map { option in
          switch form {
          case .short: (option.usage, [option.summary + Self.facts(option)])
          case .complete:
            (option.usage, [option.summary + Self.facts(option), Self.details(option)])
          }
        })
  }

  /// Returns the text after the summary: the variable and the default.
  static func facts(_ option: OptionDescription) -> String {
    let facts = [option.environment.map { "$" + $0 }, option.standard].compactMap { $0 }
    return facts.isEmpty ? "" : " [\(facts.joined(separator: ", else "))]"
  }

  /// Returns the text that the complete help adds to the summary.
  static func details(_ option: OptionDescription) -> String {
    var sentences = [option.detail]
    if let value = option.value {
      let isPath = value.completion == .files || value.completion == .directories
      sentences.append(isPath ? "" : "Takes \(value.accepts).")
      sentences.append(option.mayRepeat ? "May be given several times; the values add up." : "")
    }
    return sentences.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func section(_ section: HelpSection) -> [String] {
    [section.title]
      + section.text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
        line.hasPrefix(" ")
          ? ["  " + line]
          : DisplayText.wrapped(String(line), to: Self.width - 2).map { "  " + $0 }
      }
  }

  private func environment(_ options: [OptionDescription]) -> [String] {
    ["Environment"] + table(Self.environmentRows(options))
  }

  /// Returns the environment variables of some options, and those of every command, with their effects.
  static func environmentRows(
    _ options: [OptionDescription]
  ) -> [(name: String, texts: [String])] {
    var rows: [(String, [String])] = []
    for option in options {
      guard let variable = option.environment, !rows.contains(where: { $0.0 == variable }) else {
        continue
      }
      rows.append((variable, ["used if \(option.spelling) is not given"]))
    }
    rows += [
      ("VQ_OPTION", ["the default of an option: VQ_LIMIT, or VQ_MATCH_LIMIT for 'vq match' only"]),
      ("VQ_CONFIG", ["a file of defaults instead of ~/.vqrc; if empty: none"]),
      ("NO_COLOR", ["if not empty: no color"]),
      ("CLICOLOR_FORCE", ["if neither empty nor 0: color in pipes and files too"]),
      ("TERM", ["if 'dumb': no color and no progress line"]),
    ]
    return rows
  }

  private func exitCodes(_ codes: [(code: ExitCode, meaning: String)]) -> [String] {
    ["Exit codes"] + table(codes.map { ("\($0.code.rawValue)", [$0.meaning]) })
  }

  /// Returns a table with names on the left and their wrapped texts on the right, without empty
  /// texts.
  private func table(_ rows: [(name: String, texts: [String])]) -> [String] {
    let column = 2 + (rows.map { DisplayText.width($0.name) }.max() ?? 0) + 2
    return rows.flatMap { name, texts in
      let lines = texts.flatMap { DisplayText.wrapped($0, to: Self.width - column) }
      return lines.enumerated().map { index, line in
        DisplayText.padded(index == 0 ? "  " + name : "", to: column) + line
      }
    }
  }
}
