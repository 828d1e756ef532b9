import VisualQuery

/// `vq index`: a catalogue becomes an index that can be searched.
enum IndexCommand {
  static let index = Option<String>.path(
    OptionText(
      "index", "the index to make or update",
      detail: "A directory; it is made if it does not exist.", environment: "VQ_INDEX"),
    "DIR", of: .directories)
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "where image paths begin",
      detail: "With a catalogue from standard input: the working directory.",
      standard: "beside the catalogue"),
    "DIR", of: .directories)
  static let threads = Option<Int?>.integer(
    OptionText("threads", "use so many threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let rejected = Option<String?>.path(
    OptionText(
      "rejected", "write the refused rows to this file",
      detail: "JSON Lines: the row's number, the field, the reason."),
    "FILE", of: .files)
  static let link = Option<[EntityType: String]>.byType(
    OptionText(
      "link", "where entities without a URL of their own open",
      detail: "TYPE=TEMPLATE of RFC 6570 with the fields' names, such as the one above. Kept in "
        + "the index; given again, it replaces all that was kept.", isRare: true),
    "LINK", accepts: "a type and a template: product=https://shop.example/p/{id}")
  static let allowScheme = Option<[String]>.list(
    OptionText(
      "allow-scheme", "schemes that links may have besides https",
      detail: "Kept in the index, together with --link.", isRare: true))
  static let bridge = Option<String?>.path(
    OptionText(
      "bridge", "a label bridge: CSV, see 'vq help labels'", detail: "Kept in the index.",
      isRare: true), "FILE", of: .files)
  static let json = Option<Bool>.flag(OptionText("json", "the summary as one JSON object"))
  static let quiet = Option<Bool>.flag(
    OptionText(
      "quiet", "no progress and no summary",
      detail: "Errors and refused rows are still reported.", short: "q"))

  static let command = CommandDescription(
    name: "index",
    summary: "make or update an index from a catalogue",
    examples: [
      "vq index catalogue.jsonl --index shop.vq",
      "vq index catalogue.csv --images-root photos --index shop.vq",
      "zcat catalogue.jsonl.gz | vq index - --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "CATALOGUE", count: 1...1,
      summary: "JSON Lines or CSV, an entity a row; '-' for standard input", completion: .files),
    options: [
      index.description, imagesRoot.description, threads.description, rejected.description,
      json.description, quiet.description, link.description, allowScheme.description,
      bridge.description,
    ],
    notes: [
      HelpSection(
        title: "Catalogue",
        text: """
          An entity a line: 'type' (product or store), 'id' and 'title' are required. Unknown \
          fields are kept. A bad row or picture is reported and skipped; the others go on.
            {"type":"product","id":"mug-red","title":"Camp mug","labels":["mug"],
             "images":["images/mug-red.jpg"],"url":"https://shop.example/p/mug-red"}
          Further fields: 'subtitle', 'synonyms', 'localized' (texts by language), 'featured'; \
          of a product 'group', 'brand', 'price', 'availability'; of a store 'address', 'geo', \
          'openingHours', 'timeZone' and 'stock', the ids of its products.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object at the end of the run. With --rejected FILE, a line for each refused row or \
          picture.
            {"schema":"vq.index/1","generation":4,"rows":32,"entities":32,
             "signedImages":34,"unchangedImages":0,"refused":0,"elapsedMs":210}
            {"line":12,"id":"mug-red","field":"images[0]","reason":"…"}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let refusals = try arguments[rejected].map(RefusedRowsFile.init)
    let isQuiet = arguments[quiet]
    let elapsed = ProgressLine.stopwatch()
    let line = ProgressLine("indexing", on: console.diagnostics, elapsed: elapsed)
    let indexer = Indexer(
      directory: arguments[index], settings: try settings(of: arguments),
      pool: WorkerPool(width: arguments[threads]))
    let result = try await indexer.run(
      path: arguments.operands[0], imagesRoot: arguments[imagesRoot],
      refused: { report($0, to: console, and: refusals) },
      progress: { if !isQuiet { show($0, on: line) } })
    line.finish()
    try refusals?.close()
    let summary = IndexDocument(result, elapsed: elapsed())
    if arguments[json] {
      try console.output.writeJSON(summary)
    } else if !isQuiet {
      try console.output.writeLine(summary.sentence(directory: arguments[index]))
    }
    return .success
  }

  private static func settings(of arguments: ParsedArguments) throws -> ShopSettings {
    let schemes = Set(arguments[allowScheme].map { $0.lowercased() })
    var settings = ShopSettings(bridge: try arguments[bridge].map(LabelBridge.init))
    if schemes.isEmpty, arguments[link].isEmpty { return settings }
    var links = LinkSettings(allowedSchemes: schemes)
    for (type, text) in arguments[link] {
      do throws(LinkError) {
        links.templates[type] = try LinkTemplate(text, allowedSchemes: schemes)
      } catch {
        throw CommandFailure(.usage, "--link \(type.rawValue): \(error.message)")
      }
    }
    settings.links = links
    return settings
  }

  private static func report(_ row: RefusedRow, to console: Console, and file: RefusedRowsFile?) {
    let field = row.field.map { " \($0)" } ?? ""
    let id = row.id.map { " (\($0))" } ?? ""
    console.diagnostics.warning("line \(row.line)\(id):\(field) \(row.reason)")
    file?.append(row)
  }

  private static func show(_ progress: Indexer.Progress, on line: ProgressLine) {
    line.update(done: progress.rows, total: progress.estimatedRows, refused: progress.refused)
  }
}

/// The JSON form of a run's summary, `vq.index/1`.
struct IndexDocument: Encodable, Sendable {
  let schema = "vq.index/1"
  let generation: Int
  let rows: Int
  let entities: Int
  let signedImages: Int
  let unchangedImages: Int
  let refused: Int
  let elapsedMs: Double

  init(_ progress: Indexer.Progress, elapsed: Duration) {
    generation = progress.generation
    rows = progress.rows
    entities = progress.entities
    signedImages = progress.signedImages
    unchangedImages = progress.unchangedImages
    refused = progress.refused
    elapsedMs = (elapsed / .milliseconds(1)).rounded()
  }

  /// What a person reads.
  func sentence(directory: String) -> String {
    let seconds = max(0.1, (elapsedMs / 100).rounded() / 10)
    return """
      \(DisplayText.count(entities, "entity", "entities")): \
      \(DisplayText.count(signedImages, "picture", "pictures")) signed, \(unchangedImages) unchanged, \
      \(refused) refused, in \(seconds) s. \(DisplayText.escaped(directory)) is at generation \
      \(generation).
      """
  }
}
