#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
        + "somebody has accepted it. 'app' may search and look up what an app shows, but not list the "
        + "catalogue. 'operate' may read metrics and details of readiness, and "
        + "nothing of the catalogue.",
      standard: "read"),
    "ROLE")
  static let until = Option<String?>.word(
    OptionText("until", "the last day of the key, in UTC", standard: "no end"), "DAY",
    accepts: "a day such as 2027-01-31")

  static let command = CommandDescription(
    name: "key",
    summary: "make a key for clients of 'vq serve'",
    examples: [
      "vq key keys.txt --name ios-app --role app",
      "vq key keys.txt --name warehouse --role write",
      "vq key keys.txt --name prometheus --role operate --until 2027-12-31",
    ],
    operand: OperandDescription(
      placeholder: "FILE", count: 1...1, summary: "the key file; created if it does not exist",
      completion: .files),
    options: [name.description, role.description, until.description],
    notes: [
      HelpSection(
        title: "Keys",
        text: """
          The key is printed once; the file only stores its SHA-256, as a line 'ROLE NAME \
          sha256:HEX', followed by 'until=DAY' if the key ends. To revoke a key, remove its \
          line. To replace a key without a break, make a second one of the same name: both \
          are accepted until the line of the first one is removed or its day has passed. A \
          running server reloads the file on SIGHUP.
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
    let lastDay = arguments[until]
    if let lastDay { try check(lastDay: lastDay) }
    let known = FileDescriptor.exists(path) ? try APIKeys(file: path) : nil
    let sameName = known?.keys.filter { $0.name == name } ?? []
    if let other = sameName.first(where: { $0.role != role }) {
      throw CommandFailure(
        .usage, "'\(path)' has a key named '\(name)' of the role '\(other.role.rawValue)'",
        advice: ["use another --name, or --role \(other.role.rawValue) to replace that key"])
    }
    if sameName.count >= APIKeys.keysPerName {
      throw CommandFailure(
        .usage, "'\(path)' already has two keys named '\(name)'",
        advice: ["remove the line of the older one, or use another --name"])
    }
    let made = APIKeys.made(role: role, name: name, until: lastDay)
    let file = try FileDescriptor.appending(to: path, mode: 0o600)
    let lineEnd = known?.isOpenEnded == true ? "\n" : ""
    try file.write(Array((lineEnd + made.line + "\n").utf8))
    file.close()
    try console.output.writeLine(made.key)
    if !sameName.isEmpty {
      console.diagnostics.note(
        "'\(name)' has two keys now; remove the line of the first one when clients have changed")
    }
    return .success
  }

  private static func check(lastDay: String) throws {
    guard let end = APIKeys.endOfDay(lastDay) else {
      throw CommandFailure(
        .usage, "--until: '\(lastDay)' is not a day; expected for example 2027-01-31")
    }
    guard end > Date() else {
      throw CommandFailure(.usage, "--until: '\(lastDay)' has passed")
    }
  }
}
