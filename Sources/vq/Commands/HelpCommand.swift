/// `vq help`: prints the complete help of `vq` or of a command.
enum HelpCommand {
  static let command = CommandDescription(
    name: "help",
    summary: "explain a command",
    examples: ["vq help match"],
    operand: OperandDescription(
      placeholder: "COMMAND", count: 0...1, summary: "the command to explain",
      completion: .commands),
    options: [],
    notes: [],
    exitCodes: [.success, .usage],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let command = VQ.commands.first { $0.name == arguments.operands.first }
    try console.output.write(Help(commands: VQ.commands).text(.complete, for: command))
    return .success
  }
}
