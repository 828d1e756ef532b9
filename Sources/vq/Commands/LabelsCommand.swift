import VisualQuery

/// `vq labels`: lists the labels of an index, and unknown ones, and replaces the bridge between
/// them.
enum LabelsCommand {
  static let unmatched = Option<Bool>.flag(
    OptionText(
      "unmatched", "list unknown labels of earlier queries",
      detail:
        "Counted by 'vq match' and 'vq serve' in the index, without those that the bridge has."
    ))
  static let bridge = Option<String?>.path(
    OptionText(
      "bridge", "replace the label bridge with this CSV file",
      detail: "It maps outside words to your own labels; see below."), "FILE", of: .files)
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and label"))

  static let command = CommandDescription(
    name: "labels",
    summary: "list the labels of an index, or unknown ones",
    examples: [
      "vq labels --index shop.vq",
      "vq labels --unmatched --index shop.vq",
      "vq labels --bridge bridge.csv --index shop.vq",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, unmatched.description, bridge.description, json.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Label bridge",
        text: """
          A CSV file with the columns 'label', 'labels' and, optionally, 'synonyms'; '|' separates \
          the items of a list. A query with 'label' or one of the 'synonyms' then also matches \
          each of your 'labels'.
            label,labels,synonyms
            footwear,sneaker|boot,shoes|kicks
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object per line.
            {"entities":4,"label":"mug"}
            {"label":"goblet","queries":12}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    if let path = arguments[bridge] {
      // Opened first, so that a mistyped directory is not created.
      let before = try Catalogue(directory: directory).generation
      let settings = ShopSettings(bridge: try LabelBridge(path: path))
      let generation = try await Indexer(directory: directory, settings: settings).putSettings()
      let name = DisplayText.escaped(arguments[MatchCommand.index])
      try console.output.writeLine(
        generation == before
          ? "\(name) has this bridge already; it is still at generation \(generation)."
          : "The bridge of \(name) was replaced; generation \(generation).")
      return .success
    }
    let catalogue = try Catalogue(directory: directory)
    if arguments[unmatched] {
      let counts = try UnmatchedLabels.counts(in: directory)
      let missing = try catalogue.unmatched(among: counts.map(\.label))
      try write(
        counts.filter { missing.contains($0.label) }, "QUERIES", \.label, \.queries, arguments,
        console)
    } else {
      try write(catalogue.labels(), "ENTITIES", \.label, \.entities, arguments, console)
    }
    return .success
  }

  private static func write<Row: Encodable>(
    _ rows: [Row], _ heading: String, _ label: (Row) -> String, _ count: (Row) -> Int,
    _ arguments: ParsedArguments, _ console: Console
  ) throws {
    if arguments[json] {
      for row in rows { try console.output.writeJSON(row) }
      return
    }
    if rows.isEmpty { return try console.output.writeLine("No labels.") }
    var table = TextTable(columns: [.init(heading, .right), .init("LABEL", minimumWidth: 8)])
    for row in rows { table.append(["\(count(row))", label(row)]) }
    for line in table.lines(width: console.width, usesColor: console.usesColor) {
      try console.output.writeLine(line)
    }
  }
}
