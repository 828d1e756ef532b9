import VisualQuery

/// `vq help`: prints the complete help of `vq` or of a command, or writes the manual pages or the schemas.
enum HelpCommand {
  static let man = Option<String?>.path(
    OptionText(
      "man", "write the manual pages to this folder",
      detail: """
        The folder must exist. One page for vq and one for each command; \
        'man -l DIR/vq-match.1' shows one.
        """,
      isRare: true),
    "DIR", of: .directories)
  static let schemas = Option<String?>.path(
    OptionText(
      "schemas", "write the schemas of JSON to this folder",
      detail: """
        The folder must exist. One JSON Schema for what each command prints with --json, and openapi.json, \
        which describes what 'vq serve' serves.
        """,
      isRare: true),
    "DIR", of: .directories)

  static let command = CommandDescription(
    name: "help",
    summary: "explain a command, or write the manual pages",
    examples: ["vq help match", "vq help --man ~/.local/share/man/man1"],
    operand: OperandDescription(
      placeholder: "COMMAND", count: 0...1, summary: "the command to explain",
      completion: .commands),
    options: [man.description, schemas.description],
    notes: [],
    exitCodes: [.success, .failure, .usage],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    if let folder = arguments[man] {
      try writeManual(to: folder, console)
      return .success
    }
    if let folder = arguments[schemas] {
      try writeSchemas(to: folder, console)
      return .success
    }
    let command = VQ.commands.first { $0.name == arguments.operands.first }
    try console.output.write(Help(commands: VQ.commands).text(.complete, for: command))
    return .success
  }

  private static func writeManual(to folder: String, _ console: Console) throws {
    let pages = ManualPages(
      commands: VQ.commands, version: Version.current, date: Version.date
    ).pages
    for page in pages { try write(page.text, to: page.file, in: folder) }
    try console.output.writeLine(
      "\(DisplayText.count(pages.count, "page", "pages")) written to \(DisplayText.escaped(folder))."
    )
  }

  private static func writeSchemas(to folder: String, _ console: Console) throws {
    let documents = PrintedDocument.all
    for document in documents { try write(document.file, to: document.fileName, in: folder) }
    try write(OpenAPI.text, to: "openapi.json", in: folder)
    try console.output.writeLine(
      "\(DisplayText.count(documents.count, "schema", "schemas")) and openapi.json written to \(DisplayText.escaped(folder))."
    )
  }

  private static func write(_ text: String, to name: String, in folder: String) throws {
    let file = try FileDescriptor.creating(folder + "/" + name)
    defer { file.close() }
    try file.write(Array(text.utf8))
  }
}
