/// Writes the manual pages of `vq` and of its commands from their tables, in the macros of man(7).
struct ManualPages: Sendable {
  /// All commands.
  let commands: [CommandDescription]
  /// The version of the command.
  let version: String
  /// The date of the version, such as `2026-11-22`.
  let date: String

  /// A page and the name of its file.
  struct Page: Sendable, Hashable {
    let file: String
    let text: String
  }

  /// The pages: `vq.1`, then one for each command, such as `vq-match.1`.
  var pages: [Page] {
    [Page(file: "vq.1", text: overview)]
      + commands.map { Page(file: "vq-\($0.name).1", text: text(of: $0)) }
  }

  // MARK: Pages

  private var overview: String {
    let table = commands.flatMap { command in
      [".TP", ".BR vq\\-\(Self.escaped(command.name)) (1)", Self.escaped(command.summary)]
    }
    return joined([
      title("vq"),
      section("Name", ["vq \\- find the products and stores of a shop in an image"]),
      section("Synopsis", [".B vq", Self.escaped("COMMAND [OPTION…] [OPERAND…]")]),
      section("Commands", table),
      section("Options", CommonOptions.all.flatMap(Self.item)),
      section(Help.defaults.title, Self.lines(of: Help.defaults)),
      section("Environment", Self.table(Help.environmentRows(commands.flatMap(\.options)))),
      section("Exit status", Self.exitCodes(ExitCode.allCases.map { ($0, $0.meaning) })),
    ])
  }

  private func text(of command: CommandDescription) -> String {
    let name = Self.escaped("vq-\(command.name)")
    let operand = command.operand.map { [(name: $0.placeholder, texts: [$0.summary])] } ?? []
    let words = Help.usage(of: command).split(separator: " ", maxSplits: 2).map(String.init)
    return joined(
      [
        title("vq-\(command.name)"),
        section("Name", ["\(name) \\- \(Self.escaped(command.summary))"]),
        section(
          "Synopsis",
          [".B " + Self.escaped(words.prefix(2).joined(separator: " "))]
            + words.dropFirst(2).map(Self.escaped)),
        section("Operand", Self.table(operand)),
        section("Options", (command.options + CommonOptions.all).flatMap(Self.item)),
      ] + command.notes.map { section($0.title, Self.lines(of: $0)) }
        + [
          section("Environment", Self.table(Help.environmentRows(command.options))),
          section(
            "Exit status",
            Self.exitCodes(command.exitCodes.map { ($0, command.meaning(of: $0)) })),
          section("Examples", Self.unfilled(command.examples)),
          section("See also", [".BR vq (1)"]),
        ])
  }

  private func joined(_ parts: [[String]]) -> String {
    parts.joined().joined(separator: "\n") + "\n"
  }

  private func title(_ name: String) -> [String] {
    [".TH \(Self.escaped(name.uppercased())) 1 \(date) \"vq \(version)\" VisualQuery"]
  }

  // MARK: Parts of a page

  private func section(_ title: String, _ lines: [String]) -> [String] {
    // `.SH` starts a paragraph itself, so a leading `.PP` is dropped.
    lines.isEmpty
      ? [] : [".SH \(Self.escaped(title.uppercased()))"] + lines.drop { $0 == ".PP" }
  }

  private static func item(_ option: OptionDescription) -> [String] {
    [".TP", ".B " + escaped(option.usage), escaped(option.summary + Help.facts(option)) + "."]
      + [Help.details(option)].filter { !$0.isEmpty }.map(escaped)
  }

  private static func table(_ rows: [(name: String, texts: [String])]) -> [String] {
    rows.flatMap { [".TP", ".B " + escaped($0.name)] + $0.texts.map(escaped) }
  }

  private static func exitCodes(_ codes: [(code: ExitCode, meaning: String)]) -> [String] {
    table(codes.map { ("\($0.code.rawValue)", [$0.meaning]) })
  }

  /// Paragraphs are filled; lines that begin with a space are shown as they are, as in the help.
  private static func lines(of section: HelpSection) -> [String] {
    var result: [String] = []
    var examples: [String] = []
    for line in section.text.split(separator: "\n") {
      if line.hasPrefix(" ") {
        examples.append(String(line))
      } else {
        result += unfilled(examples) + (examples.isEmpty ? [] : [".PP"]) + [escaped(String(line))]
        examples = []
      }
    }
    return result + unfilled(examples)
  }

  private static func unfilled(_ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [".PP", ".nf"] + lines.map(escaped) + [".fi"]
  }

  /// Returns a text in which no character is a request or an escape of roff, and in which hyphens and
  /// quotes can be copied as they are typed in a shell.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in DisplayText.escaped(text) {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "`": result += "\\(ga"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
