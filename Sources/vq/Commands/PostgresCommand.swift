import VisualQuery

/// `vq postgres`: prepares a database for a catalogue.
enum PostgresCommand {
  /// An action on a database.
  enum Action: String, CaseIterable, Sendable { case `init` }

  static let database = Option<String>.path(
    OptionText("index", "the database: postgres://db.example/shop", environment: "VQ_INDEX"),
    "URL", of: .files)

  static let command = CommandDescription(
    name: "postgres",
    summary: "prepare a PostgreSQL database for an index",
    examples: ["vq postgres init --index postgres:///shop"],
    operand: OperandDescription(
      placeholder: "ACTION", count: 1...1, summary: "init", completion: .nothing),
    options: [database.description],
    notes: [
      HelpSection(
        title: "Actions",
        text: """
            init      make the tables in the schema 'vq', or bring them to this
                      version, and the roles 'vq_reader' and 'vq_writer'
          The user becomes the owner of the tables. Grant vq_reader to the users of 'vq serve' \
          and 'vq match', and vq_writer to that of 'vq index'. Running it again is safe. \
          See docs/scale.md.
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex],
    isRare: true, run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    guard Action(rawValue: arguments.operands[0]) != nil else {
      throw arguments.missingOperand(
        "'vq postgres' takes init; found '\(arguments.operands[0])'")
    }
    let versions = try await CatalogueReplica.prepare(PostgresLocation(arguments[database]))
    try console.output.writeLine(
      versions.before == versions.after
        ? "The tables have version \(versions.after) already."
        : "The tables have version \(versions.after).")
    return .success
  }
}
