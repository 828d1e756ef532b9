/// `vq key`: makes keys for clients of `vq serve`.
enum KeyCommand {
  static let name = Option<String?>.word(
    OptionText("name", "the name of the key in logs", standard: "the role"), "NAME",
    accepts: "a word without spaces")
  static let role = Option<APIKeys.Role?>.choice(
    OptionText(
      "role", "the permissions of the key",
      detail: "'write' may also change and remove entities, manage feedback and the label bridge, "
        + "and use the checks. 'feedback' may say what is wrong with an answer, which counts once "
        + "somebody has accepted it.",
      standard: "read"),
    "ROLE")

  static let command = CommandDescription(
    name: "key",
    summary: "make a key for clients of 'vq serve'",
    examples: [
      "vq key keys.txt --name ios-app",
      "vq key keys.txt --name warehouse --role write",
    ],
    operand: OperandDescription(
      placeholder: "FILE", count: 1...1, summary: "the key file; created if it does not exist",
      completion: .files),
    options: [name.description, role.description],
    notes: [
      HelpSection(
        title: "Keys",
        text: """
          The key is printed once; the file only stores its SHA-256, as a line 'ROLE NAME \
          sha256:HEX'. To revoke a key, remove its line. A running server reloads the file on \
          SIGHUP.
          """)
    ],
    exitCodes: [.success, .failure, .usage],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let path = arguments.operands[0]
    let role = arguments[role] ?? .read
    let name = arguments[name] ?? role.rawValue
    guard !name.isEmpty, !name.contains(where: \.isWhitespace) else {
      throw CommandFailure(
        .usage, "--name: '\(name)' contains spaces; expected a word without spaces")
    }
    let known = FileDescriptor.exists(path) ? try APIKeys(file: path) : nil
    if let known, known.keys.contains(where: { $0.name == name }) {
      throw CommandFailure(
        .usage, "'\(path)' already has a key named '\(name)'",
        advice: ["use another --name, or remove its line"])
    }
    let made = APIKeys.made(role: role, name: name)
    let file = try FileDescriptor.appending(to: path, mode: 0o600)
    let lineEnd = known?.isOpenEnded == true ? "\n" : ""
    try file.write(Array((lineEnd + made.line + "\n").utf8))
    file.close()
    try console.output.writeLine(made.key)
    return .success
  }
}
