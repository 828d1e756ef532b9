/// `vq completions`: prints the completions for a shell.
enum CompletionsCommand {
  static let command = CommandDescription(
    name: "completions",
    summary: "print completions for a shell",
    examples: [
      "source <(vq completions bash)",
      "vq completions zsh > ~/.zfunc/_vq",
      "vq completions fish > ~/.config/fish/completions/vq.fish",
    ],
    operand: OperandDescription(
      placeholder: "SHELL", count: 1...1, summary: "bash, zsh or fish",
      completion: .words(Shell.allCases.map(\.rawValue))),
    options: [],
    notes: [],
    exitCodes: [.success, .usage],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let shells = arguments.operands.compactMap(Shell.init(rawValue:))
    for shell in shells {
      try console.output.write(Completions(commands: VQ.commands).script(for: shell))
    }
    return .success
  }
}
