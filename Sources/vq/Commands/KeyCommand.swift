#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `vq key`: makes the keys that `vq serve` lets in.
enum KeyCommand {
  static let name = Option<String?>.word(
    OptionText("name", "what the key is called in logs", standard: "the role"), "NAME",
    accepts: "a word without spaces")
  static let role = Option<APIKeys.Role?>.choice(
    OptionText(
      "role", "what it may do", detail: "'write' may also remove entities.", standard: "read"),
    "ROLE")

  static let command = CommandDescription(
    name: "key",
    summary: "make a key for clients of 'vq serve'",
    examples: [
      "vq key keys.txt --name ios-app",
      "vq key keys.txt --name warehouse --role write",
    ],
    operand: OperandDescription(
      placeholder: "FILE", count: 1...1, summary: "the file of keys; made if it is not there",
      completion: .files),
    options: [name.description, role.description],
    notes: [
      HelpSection(
        title: "Keys",
        text: """
          The key is printed once, and only its SHA-256 goes into the file: a line 'ROLE NAME \
          sha256:HEX' each. To take a key back, remove its line. A server that runs reads the file \
          again on SIGHUP.
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
      throw CommandFailure(.usage, "'\(name)' is no name: it has spaces in it")
    }
    if unsafe access(path, F_OK) == 0,
      try APIKeys(file: path).keys.contains(where: { $0.name == name })
    {
      throw CommandFailure(
        .usage, "'\(path)' has a key of the name '\(name)'",
        advice: ["give another --name, or remove its line"])
    }
    let made = APIKeys.made(role: role, name: name)
    let file = try FileDescriptor.appending(to: path, mode: 0o600)
    try file.write(Array((made.line + "\n").utf8))
    file.close()
    try console.output.writeLine(made.key)
    return .success
  }
}
