#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// `vq feedback`: lists, accepts, removes and copies what people said about answers.
enum FeedbackCommand {
  /// An action on the statements.
  enum Action: String, CaseIterable, Sendable {
    case list, accept, remove, queries, export, `import`

    /// The operands besides the action.
    var operands: (count: ClosedRange<Int>, name: String) {
      switch self {
      case .list, .export: (0...0, "nothing else")
      case .accept, .remove: (1...Int.max, "the numbers of statements")
      case .queries: (1...1, "a FOLDER")
      case .import: (1...1, "a FILE, or '-' for standard input")
      }
    }
  }

  static let json = Option<Bool>.flag(OptionText("json", "with list: one JSON object per line"))

  static let command = CommandDescription(
    name: "feedback",
    summary: "list and undo what people said about answers",
    examples: [
      "vq feedback list --index shop.vq",
      "vq feedback remove 12 --index shop.vq",
      "vq feedback queries said --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "ACTION", count: 1...Int.max,
      summary: Action.allCases.map(\.rawValue).joined(separator: ", "),
      completion: .actions(Action.allCases.map(\.rawValue))),
    options: [MatchCommand.index.description, IndexLocation.cache.description, json.description],
    notes: [
      HelpSection(
        title: "Actions",
        text: """
            list      show all statements, the newest first
            accept    let pending statements count: vq feedback accept 3 4
            remove    undo statements: answers are as if they had never been made
            queries   write FOLDER/queries.jsonl for 'vq eval', and the kept images
            export    write everything as JSON Lines to standard output
            import    add the statements of an export
          """),
      HelpSection(
        title: "Statements",
        text: """
          'POST /v1/feedback' of 'vq serve' makes them. A rejected entity is never found by the \
          same image again, and a chosen one comes first. 'vq match --explain' shows the effect. \
          They are stored in feedback.sqlite of the index, or in PostgreSQL, and no run changes \
          them.
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let action: Action = try arguments.action()
    let operands = Array(arguments.operands.dropFirst())
    guard action.operands.count.contains(operands.count) else {
      throw arguments.missingOperand(
        "'vq feedback \(action.rawValue)' takes \(action.operands.name)")
    }
    if action != .list {
      try arguments.refuse([json.description], with: "'vq feedback \(action.rawValue)'")
    }
    let index = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    // Read first, so that a mistyped directory is not created. Statements can be saved if images are lost, too.
    _ = try await CatalogueUpkeep(directory: index).status()
    // Runs on a thread of its own, because a change may block while it waits for PostgreSQL.
    try await withTaskExecutorPreference(WorkerPool(width: 1)) { @concurrent in
      try perform(action, operands, on: index, isJSON: arguments[json], console)
    }
    return .success
  }

  private static func perform(
    _ action: Action, _ operands: [String], on index: String, isJSON: Bool, _ console: Console
  ) throws {
    let kept = try KeptFeedback(existingIn: index)
    switch action {
    case .list: try list(kept, isJSON: isJSON, console)
    case .accept: try change(operands, kept, console, "accepted") { try $0.accept($1) }
    case .remove: try change(operands, kept, console, "removed") { try $0.remove($1) }
    case .queries: try writeQueries(kept, to: operands[0], console)
    case .export:
      for statement in try (kept?.statements() ?? []).reversed() {
        try console.output.writeJSON(
          ExportedStatement(statement, image: try kept?.image(of: statement.number)))
      }
    case .import: try importing(operands[0], into: index, console)
    }
  }

  private static func list(_ kept: KeptFeedback?, isJSON: Bool, _ console: Console) throws {
    let documents = try kept?.statements().map(StatementDocument.init) ?? []
    if isJSON {
      for document in documents { try console.output.writeJSON(document) }
      return
    }
    if documents.isEmpty { return try console.output.writeLine("No statements.") }
    var table = TextTable(columns: [
      .init("NUMBER", .right), .init("STATE"), .init("DATE"), .init("BY"),
      .init("SAYS", minimumWidth: 12),
    ])
    for document in documents {
      let says = [
        document.rejected.isEmpty ? nil : "not " + document.rejected.joined(separator: ", "),
        document.chosen.map { "is " + $0 },
        document.labels.isEmpty ? nil : "labels " + document.labels.joined(separator: ", "),
        document.hasImage ? "image kept" : nil,
      ]
      table.append([
        "\(document.number)", document.state.rawValue, String(document.date.prefix(10)),
        document.author ?? "", says.compactMap { $0 }.joined(separator: "; "),
      ])
    }
    for line in table.lines(width: console.width, usesColor: console.usesColor) {
      try console.output.writeLine(line)
    }
  }

  private static func change(
    _ operands: [String], _ kept: KeptFeedback?, _ console: Console, _ done: String,
    _ body: (KeptFeedback, Int) throws -> Bool
  ) throws {
    let numbers = try operands.map { text in
      guard let number = Int(text), number > 0 else {
        throw CommandFailure(.usage, "'\(text)' is not the number of a statement")
      }
      return number
    }
    // Checks all numbers before it changes anything.
    let known = Set(try kept?.statements().map(\.number) ?? [])
    if let unknown = numbers.first(where: { !known.contains($0) }) {
      throw CommandFailure(
        .failure, "there is no statement \(unknown)", advice: ["vq feedback list"])
    }
    for number in numbers {
      if let kept { _ = try body(kept, number) }
    }
    try console.output.writeLine(
      "\(DisplayText.count(numbers.count, "statement", "statements")) \(done).")
  }

  /// Writes the queries that `vq eval` reads, and the images beside them.
  private static func writeQueries(
    _ kept: KeptFeedback?, to folder: String, _ console: Console
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    var lines: [String] = []
    for statement in try (kept?.statements() ?? []).reversed() {
      let image = try kept?.image(of: statement.number)
      let name = image == nil ? nil : "\(statement.number).jpg"
      guard let query = FeedbackEvaluationQuery(statement, image: name) else { continue }
      if let image, let name { try Data(image).write(to: URL(filePath: folder + "/" + name)) }
      lines.append(try JSONLines.line(query) + "\n")
    }
    try Data(lines.joined().utf8).write(to: URL(filePath: folder + "/queries.jsonl"))
    try console.output.writeLine(
      "\(DisplayText.count(lines.count, "query", "queries")) written to \(DisplayText.escaped(folder))/queries.jsonl."
    )
  }

  private static func importing(_ file: String, into index: String, _ console: Console) throws {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: 1_000_000_000))
        .contents(ofFile: file == "-" ? "/dev/stdin" : file)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(file)': \(error.message)")
    }
    let count = try FeedbackImport(of: file, into: KeptFeedback(directory: index)).run(bytes)
    try console.output.writeLine(
      "\(DisplayText.count(count, "statement", "statements")) imported into \(DisplayText.escaped(index))."
    )
  }
}
