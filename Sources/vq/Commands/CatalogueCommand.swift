import VisualQuery

/// `vq catalogue`: what a shop does with an index besides filling and asking it.
enum CatalogueCommand {
  /// What is done.
  enum Action: String, CaseIterable, Sendable {
    case status, verify, compact, rollback, export, `import`, remove, set
  }

  static let ids = Option<[String]>.list(
    OptionText("id", "what to remove: product:mug-red,store:harbour"))
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "with set: the folder that image paths start from",
      detail: "An index that was made elsewhere looks for its pictures here from now on."),
    "DIR", of: .directories)
  static let allowOutside = Option<[String]?>.folders(
    OptionText(
      "allow-outside", "with set: a further folder that image paths may lead into",
      detail: "Replaces all that was kept; 'none' removes it."))
  static let pictures = Option<Bool>.flag(
    OptionText("pictures", "with verify: count missing pictures as errors"))
  static let json = Option<Bool>.flag(OptionText("json", "status and findings as JSON"))

  static let command = CommandDescription(
    name: "catalogue",
    summary: "look over, repair, export or undo an index",
    examples: [
      "vq catalogue status --index shop.vq",
      "vq catalogue verify --index shop.vq",
      "vq catalogue rollback --index shop.vq",
      "vq catalogue export --index shop.vq | gzip > shop.jsonl.gz",
      "vq catalogue remove --id product:mug-red --index shop.vq",
      "vq catalogue set --images-root /srv/pictures --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "ACTION", count: 1...2,
      summary: "\(Action.allCases.map(\.rawValue).joined(separator: ", ")); import takes a FILE",
      completion: .nothing),
    options: [
      MatchCommand.index.description, ids.description, imagesRoot.description,
      allowOutside.description, pictures.description, json.description,
    ],
    notes: [
      HelpSection(
        title: "Actions",
        text: """
            status    generation, entities, pictures, files
            verify    read every byte; exit code 5 if something is wrong. Pictures whose
                      files are missing are reported; with --pictures they are errors
            compact   write signatures anew without those that were replaced
            rollback  undo the last run that changed something; again: redo it
            export    all of it as JSON Lines, on standard output
            import    take an export in: FILE, or '-' for standard input
            remove    remove what --id names
            set       say where the pictures are, with --images-root or --allow-outside
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    guard let action = Action(rawValue: arguments.operands[0]) else {
      throw arguments.missingOperand(
        "'vq catalogue' does \(alternatives(Action.allCases.map(\.rawValue))); found '\(arguments.operands[0])'"
      )
    }
    guard (arguments.operands.count == 2) == (action == .import) else {
      throw arguments.missingOperand(
        action == .import
          ? "'vq catalogue import' needs a FILE" : "'vq catalogue \(action.rawValue)' takes no FILE"
      )
    }
    let directory = arguments[MatchCommand.index]
    let upkeep = CatalogueUpkeep(directory: directory)
    // A directory that is mistyped is not made.
    if action != .import { _ = try Catalogue(directory: directory) }
    switch action {
    case .status: try show(try await upkeep.status(), arguments[json], console)
    case .verify: return try await verify(upkeep, arguments, console)
    case .compact: try tell(try await upkeep.compact(), "was compacted", directory, console)
    case .rollback:
      try tell(
        try await upkeep.rollBack(), "is what it was before the last run", directory, console)
    case .export:
      try await upkeep.export { try console.output.writeLine($0) }
    case .import:
      let count = try await upkeep.importing(path: arguments.operands[1])
      try console.output.writeLine(
        "\(DisplayText.count(count, "entity", "entities")) imported into \(DisplayText.escaped(directory))."
      )
    case .remove: try await remove(arguments, console)
    case .set: try await set(arguments, console)
    }
    return .success
  }

  private static func tell(
    _ generation: Int, _ what: String, _ directory: String, _ console: Console
  ) throws {
    try console.output.writeLine(
      "\(DisplayText.escaped(directory)) \(what); it is at generation \(generation).")
  }

  private static func show(
    _ status: CatalogueUpkeep.Status, _ isJSON: Bool, _ console: Console
  ) throws {
    if isJSON { return try console.output.writeJSON(status) }
    let dead = status.segments.reduce(0) { $0 + $1.deadRows }
    let lines = [
      "generation  \(status.generation)",
      "entities    \(DisplayText.count(status.products, "product", "products")), \(DisplayText.count(status.stores, "store", "stores"))",
      "pictures    \(status.images)",
      "files       \(DisplayText.count(status.segments.count, "segment", "segments")), \(status.bytes / 1000) kB in all, \(dead) replaced signatures",
      "pictures in " + (status.imagesRoot.map(DisplayText.escaped) ?? "no folder yet")
        + status.outsideFolders.map { ", " + DisplayText.escaped($0) }.joined(),
      "thumbnails  "
        + (status.thumbnailSides.isEmpty
          ? "none kept"
          : status.thumbnailSides.map(String.init).joined(separator: ", ") + " pixels"),
      "undo        " + (status.previousGeneration.map { "to generation \($0)" } ?? "nothing kept"),
    ]
    for line in lines { try console.output.writeLine(line) }
  }

  /// The JSON form of a verification.
  private struct Verification: Encodable {
    let findings: [String]
    let missingPictures: MissingPictures
  }

  private static func verify(
    _ upkeep: CatalogueUpkeep, _ arguments: ParsedArguments, _ console: Console
  ) async throws -> ExitCode {
    var findings = try await upkeep.verify()
    let missing = try await upkeep.missingPictures()
    if let sentence = missing.sentence {
      if arguments[pictures] {
        findings.append(sentence)
      } else {
        console.diagnostics.warning(sentence)
      }
    }
    return try report(
      Verification(findings: findings, missingPictures: missing), arguments[json], console)
  }

  private static func report(
    _ verification: Verification, _ isJSON: Bool, _ console: Console
  ) throws -> ExitCode {
    let findings = verification.findings
    if isJSON {
      try console.output.writeJSON(verification)
    } else if findings.isEmpty {
      try console.output.writeLine("All is well.")
    } else {
      for finding in findings { try console.output.writeLine(DisplayText.escaped(finding)) }
      console.diagnostics.error(
        DisplayText.count(findings.count, "thing is", "things are") + " wrong",
        advice: ["undo the last run: vq catalogue rollback", "or index the catalogue anew"])
    }
    return findings.isEmpty ? .success : .unusableIndex
  }

  private static func remove(_ arguments: ParsedArguments, _ console: Console) async throws {
    let ids = try arguments[ids].map { text in
      guard let colon = text.firstIndex(of: ":"),
        let type = EntityType(rawValue: String(text[..<colon]))
      else {
        throw CommandFailure(.usage, "--id: '\(text)' is no id; product:mug-red is")
      }
      return EntityID(type: type, value: String(text[text.index(after: colon)...]))
    }
    guard !ids.isEmpty else {
      throw arguments.missingOperand("'vq catalogue remove' needs --id")
    }
    let removed = try await Indexer(directory: arguments[MatchCommand.index]).remove(ids)
    for id in ids where !removed.contains(id) {
      console.diagnostics.warning("there is no \(id.type.rawValue) '\(id.value)'")
    }
    try console.output.writeLine(
      "\(DisplayText.count(removed.count, "entity", "entities")) removed.")
  }

  private static func set(_ arguments: ParsedArguments, _ console: Console) async throws {
    let settings = ShopSettings(
      imagesRoot: arguments[imagesRoot], outsideFolders: arguments[allowOutside])
    guard settings.imagesRoot != nil || settings.outsideFolders != nil else {
      throw arguments.missingOperand(
        "'vq catalogue set' needs --images-root DIR or --allow-outside DIR")
    }
    let directory = arguments[MatchCommand.index]
    let generation = try await Indexer(directory: directory, settings: settings).putSettings()
    if let sentence = try await CatalogueUpkeep(directory: directory).missingPictures().sentence {
      console.diagnostics.warning(sentence)
    }
    try tell(generation, "knows where its pictures are", directory, console)
  }
}
