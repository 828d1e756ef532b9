import Reading
import VisualQuery

/// `vq catalogue`: maintains an index.
enum CatalogueCommand {
  /// An action on an index.
  enum Action: String, CaseIterable, Sendable {
    case status, verify, compact, rollback, backup, export, `import`, remove, set, upgrade
    case readText = "read-text"
    case embed

    /// The options that only some actions have, as far as this one has them.
    fileprivate var options: [OptionDescription] {
      switch self {
      case .status, .upgrade: [json.description]
      case .readText, .embed:
        [TextModels.models.description, IndexCommand.threads.description, json.description]
      case .verify: [json.description, pictures.description]
      case .remove: [ids.description]
      case .set:
        [
          imagesRoot.description, allowOutside.description, publicFields.description,
          maxLoss.description, maxLossWeek.description,
        ]
      case .compact, .rollback, .backup, .export, .import: []
      }
    }
  }

  static let ids = Option<[String]>.list(
    OptionText("id", "with remove: product:mug-red,store:harbour"))
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "with set: the folder that contains the images",
      detail: "For an index that was made on another machine."),
    "DIR", of: .directories)
  static let allowOutside = Option<[String]?>.folders(
    OptionText(
      "allow-outside", "with set: a further folder that may contain images",
      detail: "Replaces all stored folders; 'none' removes them."))
  static let publicFields = Option<Set<String>?>.names(
    OptionText(
      "public", "with set: your own fields that 'vq serve' may show",
      detail: "Replaces all stored fields; 'none' removes them."))
  static let maxLoss = Option<Double?>.number(
    OptionText(
      "max-loss", "with set: what a run of 'vq index' may take from the index",
      detail:
        "In percent of the entities that have a field, or of all entities. Beyond it, old values stay; see docs/catalogue.md.",
      standard: "10", isRare: true), "PERCENT", in: 0...100)
  static let maxLossWeek = Option<Double?>.number(
    OptionText(
      "max-loss-week", "with set: what the runs of seven nights may take together",
      standard: "20", isRare: true), "PERCENT", in: 0...100)
  static let pictures = Option<Bool>.flag(
    OptionText("pictures", "with verify: treat missing images as errors"))
  static let json = Option<Bool>.flag(OptionText("json", "status and findings as JSON"))

  static let command = CommandDescription(
    name: "catalogue",
    summary: "check, compact, export, upgrade or roll back an index",
    examples: [
      "vq catalogue status --index shop.vq",
      "vq catalogue rollback --index shop.vq",
      "vq catalogue backup /srv/backup/shop.vq --index shop.vq",
      "vq catalogue export --index shop.vq | gzip > shop.jsonl.gz",
      "vq catalogue remove --id product:mug-red --index shop.vq",
      "vq catalogue set --images-root /srv/pictures --index shop.vq",
      "vq catalogue read-text --models /srv/models --index shop.vq",
      "vq catalogue embed --models /srv/models --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "ACTION", count: 1...2,
      summary:
        "\(Action.allCases.map(\.rawValue).joined(separator: ", ")); import takes a FILE, backup a new DIR",
      completion: .actions(Action.allCases.map(\.rawValue))),
    options: [
      MatchCommand.index.description, ids.description, imagesRoot.description,
      allowOutside.description, publicFields.description, maxLoss.description,
      maxLossWeek.description, pictures.description,
      TextModels.models.description, IndexCommand.threads.description, json.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Actions",
        text: """
            status    show generation, entities, images and files
            verify    read every byte; exit code 5 if there are errors. Missing image
                      files are reported; with --pictures they are errors
            compact   rewrite the signatures without replaced ones
            rollback  undo the last run of 'vq index' or 'import' that changed
                      something, and all that came after it: remove, set, label
                      bridges and changes over HTTP. 'status' tells the generation
                      that comes back; again: redo it
            backup    copy everything into the new directory DIR while servers and
                      runs go on: also fetched images, thumbnails, what people
                      said and the numbers of searches
            export    write everything as JSON Lines to standard output
            import    read an export: FILE, or '-' for standard input
            remove    remove the entities that --id names
            set       set the folders of the images (--images-root, --allow-outside),
                      your own fields that are public (--public), and what a run
                      may take from the index (--max-loss, --max-loss-week)
            upgrade   convert an index of an older version; tells the time left. It
                      can be interrupted, and then leaves the index as it was. Stop
                      servers of the older version first; back up the folder if you
                      may want to return to it
            read-text read the text and codes of the images that the models of
                      --models have not read yet; it can be interrupted, and
                      goes on from there
            embed     compute the vectors of the images that have none of the model in
                      --models; it can be interrupted, and goes on from there
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin, .interrupted],
    run: run)

  /// Tells what becomes of the files of an index that belong to no generation, as far as there are any.
  private static func noteApart(_ directory: String, _ fate: String, _ console: Console) {
    let files = [
      (SearchNumbers.fileName, "the numbers of searches", "vq report --export"),
      (KeptFeedback.fileName, "the statements about answers", "vq feedback export"),
    ].filter { FileStatus.exists(directory + "/" + $0.0) }
    for (_, name, command) in files {
      console.diagnostics.note("\(name) \(fate); '\(command)' copies them")
    }
  }

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let action: Action = try arguments.action()
    guard (arguments.operands.count == 2) == [.import, .backup].contains(action) else {
      let reason =
        switch action {
        case .import: "'vq catalogue import' requires a FILE"
        case .backup: "'vq catalogue backup' requires a DIR, which does not exist yet"
        default: "'vq catalogue \(action.rawValue)' takes no FILE"
        }
      throw arguments.missingOperand(reason)
    }
    let own = Set(action.options.map(\.name))
    let others = Action.allCases.flatMap(\.options).filter { !own.contains($0.name) }
    try arguments.refuse(others, with: "'vq catalogue \(action.rawValue)'")
    let index = arguments[MatchCommand.index]
    let directory = try await IndexLocation.directory(of: index, arguments, console)
    let upkeep = CatalogueUpkeep(directory: directory)
    // Opened first, so that a mistyped directory is not created.
    switch action {
    case .import, .upgrade: break
    // A rollback is also the remedy if files of the newest generation are lost or damaged, so
    // only the status is read.
    case .rollback: _ = try await upkeep.status()
    default: _ = try Catalogue(directory: directory)
    }
    switch action {
    case .status: try show(try await upkeep.status(), arguments[json], console)
    case .verify: return try await verify(upkeep, arguments, console)
    case .compact:
      let before = try await upkeep.status().generation
      let generation = try await upkeep.compact()
      if generation != before {
        try printOutcome(generation, "was compacted", index, console)
      } else {
        try console.output.writeLine(
          "\(DisplayText.escaped(index)) has nothing to compact; it is still at generation \(generation)."
        )
      }
    case .rollback:
      do {
        let undone = try await upkeep.status().previousGeneration
        let generation = try await upkeep.rollBack()
        let status = try await upkeep.status()
        let origin = undone.map { " to generation \($0)" } ?? ""
        let contents =
          DisplayText.count(status.products, "product", "products") + ", "
          + DisplayText.count(status.stores, "store", "stores")
        try printOutcome(
          generation, "was rolled back\(origin) (\(contents))", index, console)
        noteApart(directory, "stay as they are", console)
      } catch let error as CatalogueError where error.code == .missing {
        // The index was opened: it is in order, and only the saved generation is missing.
        throw CommandFailure(.failure, error.message)
      }
    case .backup: try await backUp(upkeep, to: arguments.operands[1], index, console)
    case .export:
      try await upkeep.export { try console.output.writeLine($0) }
      noteApart(directory, "are not in it", console)
    case .import:
      let isNew = (try? Catalogue(directory: directory)) == nil
      let count = try await upkeep.importing(path: arguments.operands[1])
      try console.output.writeLine(
        "\(DisplayText.count(count, "entity", "entities")) imported into \(DisplayText.escaped(index))"
          + (isNew ? "." : "; its settings and its bridge are now those of the export."))
    case .remove: try await remove(directory, arguments, console)
    case .set: try await set(directory, arguments, console)
    case .upgrade: try await upgrade(upkeep, index, arguments[json], console)
    case .readText: try await readText(directory, arguments, console)
    case .embed: try await embed(directory, arguments, console)
    }
    return .success
  }

  private static func backUp(
    _ upkeep: CatalogueUpkeep, to target: String, _ index: String, _ console: Console
  ) async throws {
    guard !PostgresLocation.isLocation(index) else {
      throw CommandFailure(
        .usage, "an index in PostgreSQL is backed up there, such as by pg_dump")
    }
    let made = try await upkeep.backUp(to: target)
    try console.output.writeLine(
      "\(DisplayText.escaped(target)) has generation \(made.generation) of \(DisplayText.escaped(index)): "
        + "\(DisplayText.count(made.entityCount, "entity", "entities")), \(made.byteCount / 1000) kB; every byte was checked."
    )
  }

  private static func readText(
    _ directory: String, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    guard let models = try TextModels.open(arguments) else {
      throw arguments.missingOperand("'vq catalogue read-text' requires --models DIR")
    }
    guard models.text != nil else {
      throw CommandFailure(
        .failure, "--models \(models.folder): it has no models that read text",
        advice: ["fetch models with: Packaging/models.sh DIR"])
    }
    let summary = try await TextModels.read(
      directory, by: models, pool: WorkerPool(width: arguments[IndexCommand.threads]),
      isQuiet: false, on: console)
    TextModels.warn(of: summary, on: console)
    if arguments[json] { return try console.output.writeJSON(summary) }
    try console.output.writeLine(TextModels.sentence(summary))
  }

  private static func embed(
    _ directory: String, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    guard let models = try TextModels.open(arguments) else {
      throw arguments.missingOperand("'vq catalogue embed' requires --models DIR")
    }
    guard let encoder = models.image else {
      throw CommandFailure(
        .failure,
        "--models \(models.folder): it has no '\(ImageEncoder.modelName)', the model that encodes images",
        advice: ["see docs/models.md"])
    }
    let summary = try await TextModels.embed(
      directory, by: encoder, pool: WorkerPool(width: arguments[IndexCommand.threads]),
      isQuiet: false, on: console)
    TextModels.warn(of: summary, on: console)
    if arguments[json] { return try console.output.writeJSON(summary) }
    try console.output.writeLine(TextModels.sentence(summary))
  }

  private static func upgrade(
    _ upkeep: CatalogueUpkeep, _ index: String, _ isJSON: Bool, _ console: Console
  ) async throws {
    let line = ProgressLine("upgrading", on: console.diagnostics)
    let elapsed = ProgressLine.stopwatch()
    let upgrade = try await upkeep.upgrade { done, total in
      line.update(done: done, total: total, refused: 0)
    }
    line.finish()
    try report(upgrade, of: index, elapsed(), isJSON, console)
  }

  private static func report(
    _ upgrade: CatalogueUpgrade, of index: String, _ elapsed: Duration, _ isJSON: Bool,
    _ console: Console
  ) throws {
    if isJSON { return try console.output.writeJSON(upgrade) }
    let name = DisplayText.escaped(index)
    guard upgrade.from != upgrade.to else {
      return try console.output.writeLine("\(name) has version \(upgrade.to) already.")
    }
    let seconds = (elapsed / .seconds(1) * 10).rounded() / 10
    try console.output.writeLine(
      "\(name) was converted from version \(upgrade.from) to \(upgrade.to): "
        + "\(DisplayText.count(upgrade.entities, "entity", "entities")) in \(seconds) s.")
  }

  private static func printOutcome(
    _ generation: Int, _ what: String, _ directory: String, _ console: Console
  ) throws {
    try console.output.writeLine(
      "\(DisplayText.escaped(directory)) \(what); it is now at generation \(generation).")
  }

  private static func linkText(_ status: CatalogueUpkeep.Status) -> String {
    let templates = status.links.sorted { $0.key < $1.key }
      .map { type, template in DisplayText.escaped("\(type)=\(template)") }
    let schemes = status.allowedSchemes.map { "\($0):" }
    let texts = templates + schemes
    return texts.isEmpty ? "no template" : texts.joined(separator: ", ")
  }

  private static func show(
    _ status: CatalogueUpkeep.Status, _ isJSON: Bool, _ console: Console
  ) throws {
    if isJSON { return try console.output.writeJSON(status) }
    let dead = status.segments.reduce(0) { $0 + $1.deadRows }
    let lines = [
      "generation  \(status.generation)",
      "entities    \(DisplayText.count(status.products, "product", "products")), \(DisplayText.count(status.stores, "store", "stores"))",
      "images      \(status.images)",
      "files       \(DisplayText.count(status.segments.count, "segment", "segments")), \(status.bytes / 1000) kB in all, \(dead) replaced signatures",
      "images in   " + (status.imagesRoot.map(DisplayText.escaped) ?? "no folder yet")
        + status.outsideFolders.map { ", " + DisplayText.escaped($0) }.joined(),
      "thumbnails  "
        + (status.thumbnailSides.isEmpty
          ? "none stored"
          : status.thumbnailSides.map(String.init).joined(separator: ", ") + " pixels"),
      "public      "
        + (status.publicFields.isEmpty
          ? "the standard fields"
          : "the standard fields, "
            + status.publicFields.map(DisplayText.escaped).joined(separator: ", ")),
      "links       " + linkText(status),
      "loss limit  \(DisplayText.percent(status.lossLimits.once)) a run, \(DisplayText.percent(status.lossLimits.together)) in seven nights",
      "undo        " + (status.previousGeneration.map { "to generation \($0)" } ?? "not possible"),
    ]
    let lastLines = status.lastRuns.flatMap(LastRunText.lines)
    for line in lines + textLines(status) + vectorLines(status) + fitLines(status) + lastLines {
      try console.output.writeLine(line)
    }
  }

  /// Returns a line for each set of models that has read images.
  private static func textLines(_ status: CatalogueUpkeep.Status) -> [String] {
    (status.text ?? []).map { read in
      let models = read.models.sorted { $0.key < $1.key }
        .map { "\(DisplayText.escaped($0.key)) \($0.value.prefix(8))" }
      return "text        \(DisplayText.count(read.images, "image", "images")) read by "
        + models.joined(separator: ", ")
    }
  }

  /// Returns a line for the model that encoded images, if there is one.
  private static func vectorLines(_ status: CatalogueUpkeep.Status) -> [String] {
    guard let vectors = status.vectors else { return [] }
    let kinds =
      vectors.kinds == nil ? "; too few things of known kinds to tell what is similar" : ""
    return ["vectors     by \(DisplayText.escaped(vectors.name))\(kinds)"]
  }

  /// Returns a line for the fit of the confidence, if there is one, and one for the answers to the shop's own images, if it was asked.
  private static func fitLines(_ status: CatalogueUpkeep.Status) -> [String] {
    var lines: [String] = []
    func isCounted(_ fit: ShopFit) -> String {
      fit.isOfThisCalibration ? "" : "; does not count: it belongs to another calibration"
    }
    if let fit = status.fit {
      let photos = DisplayText.count(fit.photos, "photo", "photos")
      lines.append("fit         to \(photos) of the shop" + isCounted(fit))
    }
    if let own = status.own {
      lines.append(
        "own images  " + OwnImagesText(own).text + (own.fit.map(isCounted) ?? ""))
    }
    return lines
  }

  /// The JSON form of a verification.
  private struct Verification: Encodable {
    let findings: [String]
    let unsealedSegments: [String]
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
    let unsealed = try await upkeep.unsealedSegments()
    if !unsealed.isEmpty {
      console.diagnostics.warning(
        "\(DisplayText.count(unsealed.count, "segment has", "segments have")) no seals, so that a search does not notice damage; an earlier version wrote \(unsealed.count == 1 ? "it" : "them")",
        advice: ["add the seals: vq catalogue compact"])
    }
    let isWhole = findings.count == (missing.sentence != nil && arguments[pictures] ? 1 : 0)
    let advice =
      isWhole
      ? ["tell the index where the images are: vq catalogue set --images-root DIR"]
      : [
        "undo the last run: vq catalogue rollback", "or index the feed into a new directory",
      ]
    return try report(
      Verification(
        findings: findings, unsealedSegments: unsealed, missingPictures: missing), advice,
      arguments[json], console)
  }

  private static func report(
    _ verification: Verification, _ advice: [String], _ isJSON: Bool, _ console: Console
  ) throws -> ExitCode {
    let findings = verification.findings
    if isJSON {
      try console.output.writeJSON(verification)
    } else if findings.isEmpty {
      try console.output.writeLine("OK: no errors found")
    } else {
      for finding in findings { try console.output.writeLine(DisplayText.escaped(finding)) }
      console.diagnostics.error(
        DisplayText.count(findings.count, "error", "errors") + " found",
        advice: advice)
    }
    return findings.isEmpty ? .success : .unusableIndex
  }

  private static func remove(
    _ directory: String, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    let ids = try arguments[ids].map { text in
      guard let colon = text.firstIndex(of: ":"),
        let type = EntityType(rawValue: String(text[..<colon]))
      else {
        throw CommandFailure(
          .usage, "--id: '\(text)' is not an id; expected for example product:mug-red")
      }
      return EntityID(type: type, value: String(text[text.index(after: colon)...]))
    }
    guard !ids.isEmpty else {
      throw arguments.missingOperand("'vq catalogue remove' requires --id")
    }
    try await Matcher(catalogue: Catalogue(directory: directory)).checkKnown(ids, option: "--id")
    let removed = try await Indexer(directory: directory).remove(ids)
    try console.output.writeLine(
      "\(DisplayText.count(removed.count, "entity", "entities")) removed.")
  }

  private static func set(
    _ directory: String, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    var settings = ShopSettings(
      imagesRoot: arguments[imagesRoot], outsideFolders: arguments[allowOutside],
      publicFields: arguments[publicFields])
    if arguments[maxLoss] != nil || arguments[maxLossWeek] != nil {
      var limits = try await CatalogueUpkeep(directory: directory).status().lossLimits
      limits.once = arguments[maxLoss] ?? limits.once
      limits.together = arguments[maxLossWeek] ?? limits.together
      settings.lossLimits = limits
    }
    guard settings != ShopSettings() else {
      throw arguments.missingOperand(
        "'vq catalogue set' requires --images-root DIR, --allow-outside DIR, --public FIELD, --max-loss PERCENT or --max-loss-week PERCENT"
      )
    }
    let before = try Catalogue(directory: directory).generation
    let generation = try await Indexer(directory: directory, settings: settings).putSettings()
    try IndexCommand.warnOfAbsentFields(of: settings, in: directory, on: console)
    let name = arguments[MatchCommand.index]
    let isChanged = generation != before
    func printSettings(_ what: String) throws {
      if isChanged { return try printOutcome(generation, what, name, console) }
      try console.output.writeLine(
        "\(DisplayText.escaped(name)) has these settings already; it is still at generation \(generation)."
      )
    }
    guard settings.imagesRoot != nil || settings.outsideFolders != nil else {
      return try printSettings(
        settings.lossLimits == nil ? "has new public fields" : "has new limits of losses")
    }
    if let sentence = try await CatalogueUpkeep(directory: directory).missingPictures().sentence {
      console.diagnostics.warning(sentence)
    }
    try printSettings("has new image folders")
  }
}
