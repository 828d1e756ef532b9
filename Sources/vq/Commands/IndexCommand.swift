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
      "images-root", "the folder that image paths start from and stay in",
      detail: "Kept in the index. The default is that of the index if it has pictures, else the "
        + "catalogue's folder, or the working directory for standard input.",
      standard: "beside the catalogue"),
    "DIR", of: .directories)
  static let allowOutside = Option<[String]?>.folders(
    OptionText(
      "allow-outside", "a further folder that image paths and links may lead into",
      detail: "Absolute paths, '..' and links out of --images-root are refused elsewhere. Kept in "
        + "the index; given again, it replaces all that was kept, and 'none' removes it.",
      isRare: true))
  static let thumbnails = Option<[Int]?>.thumbnailSides(
    OptionText(
      "thumbnails", "keep thumbnails of these sizes in the index: 160,480",
      detail: "For a server that does not have the pictures. Longer sides in pixels, at most "
        + "four; vq serve gives out 160 and 480. Later runs make those that are missing; 'none' "
        + "ends it, and 'vq catalogue compact' removes them.", isRare: true))
  static let threads = Option<Int?>.integer(
    OptionText("threads", "use so many threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let rejected = Option<String?>.path(
    OptionText(
      "rejected", "the file of refused rows",
      detail: "JSON Lines: line, field, reason and the row itself. Mended, it can be indexed as it "
        + "is, with the same --images-root.", standard: "rejected.jsonl in the index"),
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
  static let onConflict = Option<IndexOptions.ConflictPolicy?>.choice(
    OptionText(
      "on-conflict", "what becomes of an entity that is there already",
      detail: "'replace': the row takes its place; 'merge': fields that the row has not stay; "
        + "'keep': it stays as it is.", standard: "replace"), "WHAT")
  static let pruneMissing = Option<Bool>.flag(
    OptionText(
      "prune-missing", "remove entities that the catalogue lacks",
      detail: "Nothing is removed where no row was read, or one was refused that does not tell "
        + "its id."))
  static let dryRun = Option<Bool>.flag(
    OptionText("dry-run", "read and decode all, and write nothing"))
  static let strict = Option<Bool>.flag(
    OptionText("strict", "end with the first row or picture that is refused"))
  static let currency = Option<String?>.word(
    OptionText(
      "currency", "that of prices that name none: EUR", detail: "Shopify's exports have none.",
      isRare: true), "CODE", accepts: "three letters such as EUR")
  static let fetch = Option<Bool>.flag(
    OptionText(
      "fetch", "fetch pictures that are on servers; with --allow-host",
      detail: "From public addresses alone, with at most 16 MB and 20 s each, 16 at a time. They "
        + "are kept in the index; the next run asks whether they have changed."))
  static let allowHost = Option<[HostPattern]>.hosts(
    OptionText(
      "allow-host", "hosts that pictures may be fetched from",
      detail: "Redirections to others are refused. *.shop.example is all below shop.example."))
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
      "vq index merchant-feed.xml.gz --images-root photos --index shop.vq",
      "vq index photos/ --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "CATALOGUE", count: 1...1,
      summary: "JSON Lines, CSV, a feed or a folder; '-' for standard input", completion: .files),
    options: [
      index.description, imagesRoot.description, allowOutside.description,
      thumbnails.description, onConflict.description,
      pruneMissing.description, fetch.description, allowHost.description, dryRun.description,
      strict.description, threads.description, rejected.description, json.description,
      quiet.description, currency.description,
      link.description,
      allowScheme.description,
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
        title: "Other people's formats",
        text: """
          Told by their first bytes and their header, and reported: a Google Merchant feed (tabs, \
          commas or XML), a Shopify product CSV (old and new headers), the eight columns of \
          Google's Product Search, schema.org products and stores in JSON-LD, and a folder of \
          pictures, whose names become ids. All of them may be compressed with gzip. Pictures \
          are files, and --images-root says where; those of a server are fetched where --fetch \
          and --allow-host say so, and those of a bucket are to be copied first.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object at the end of the run. In rejected.jsonl, a line for each refused row or \
          picture.
            {"schema":"vq.index/1","generation":4,"rows":32,"entities":32,"added":32,
             "changed":0,"removed":0,"signedImages":34,"unchangedImages":0,
             "fetchedImages":0,"thumbnails":0,"refused":0,"dryRun":false,
             "elapsedMs":210}
            {"line":12,"id":"mug-red","field":"images[0]","reason":"…","row":{…}}
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let fetching = try policy(of: arguments)
    let refusals = try refusedRowsFile(arguments)
    let isQuiet = arguments[quiet]
    let elapsed = ProgressLine.stopwatch()
    let line = ProgressLine("indexing", on: console.diagnostics, elapsed: elapsed)
    let indexer = Indexer(
      directory: arguments[index], settings: try settings(of: arguments),
      pool: WorkerPool(width: arguments[threads]))
    let options = IndexOptions(
      onConflict: arguments[onConflict] ?? .replace, prunesMissing: arguments[pruneMissing],
      isDryRun: arguments[dryRun], isStrict: arguments[strict], currency: arguments[currency],
      fetching: fetching)
    let result: Indexer.Progress
    do {
      result = try await indexer.run(
        path: arguments.operands[0], imagesRoot: arguments[imagesRoot], options: options,
        mapping: { if !isQuiet { tell($0, console) } },
        refused: { report($0, to: console, and: refusals) },
        progress: { if !isQuiet { show($0, on: line) } })
    } catch {
      line.finish()
      try refusals?.close(isWhole: false)
      guard error is CancellationError else { throw error }
      throw CommandFailure(
        .interrupted, "interrupted; what was done is kept",
        advice: ["run the same command again: it goes on from here"])
    }
    line.finish()
    try refusals?.close(isWhole: true)
    if result.refused > 0, !isQuiet, let refusals {
      console.diagnostics.note("refused rows are in \(DisplayText.escaped(refusals.path))")
    }
    if let reason = result.unprunedReason {
      console.diagnostics.warning("nothing was removed: \(reason)")
    }
    let summary = IndexDocument(result, elapsed: elapsed(), isDryRun: options.isDryRun)
    if arguments[json] {
      try console.output.writeJSON(summary)
    } else if !isQuiet {
      try console.output.writeLine(summary.sentence(directory: arguments[index]))
    }
    return .success
  }

  /// Where refused rows go; a run that writes nothing has no such file unless it is told to.
  private static func refusedRowsFile(_ arguments: ParsedArguments) throws -> RefusedRowsFile? {
    if let path = arguments[rejected] { return try RefusedRowsFile(path: path) }
    return arguments[dryRun] ? nil : RefusedRowsFile(index: arguments[index])
  }

  private static func policy(of arguments: ParsedArguments) throws -> FetchPolicy? {
    let hosts = arguments[allowHost]
    if arguments[fetch] == !hosts.isEmpty {
      return arguments[fetch] ? FetchPolicy(hosts: hosts) : nil
    }
    throw CommandFailure(
      .usage,
      hosts.isEmpty
        ? "--fetch wants --allow-host: the hosts that pictures may be fetched from"
        : "--allow-host wants --fetch: nothing is fetched without it")
  }

  /// Says what a catalogue of somebody else's was taken for.
  private static func tell(_ mapping: FeedMapping, _ console: Console) {
    if [.jsonLines, .csv].contains(mapping.format) { return }
    let known = mapping.fields.compactMap { field in
      field.target.map { "\(field.name) → \($0)" }
    }
    let kept = mapping.fields.filter { $0.target == nil }.map(\.name)
    console.diagnostics.note(
      "reading a \(mapping.format.rawValue): \(known.joined(separator: ", "))"
        + (kept.isEmpty ? "" : "; kept as they are: \(kept.joined(separator: ", "))"))
  }

  private static func settings(of arguments: ParsedArguments) throws -> ShopSettings {
    let schemes = Set(arguments[allowScheme].map { $0.lowercased() })
    var settings = ShopSettings(
      bridge: try arguments[bridge].map(LabelBridge.init),
      outsideFolders: arguments[allowOutside], thumbnailSides: arguments[thumbnails])
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
  let added: Int
  let changed: Int
  let removed: Int
  let signedImages: Int
  let unchangedImages: Int
  let fetchedImages: Int
  let thumbnails: Int
  let refused: Int
  let dryRun: Bool
  let elapsedMs: Double

  init(_ progress: Indexer.Progress, elapsed: Duration, isDryRun: Bool) {
    (added, changed, removed) = (progress.added, progress.changed, progress.removed)
    dryRun = isDryRun
    generation = progress.generation
    rows = progress.rows
    entities = progress.entities
    signedImages = progress.signedImages
    unchangedImages = progress.unchangedImages
    fetchedImages = progress.fetchedImages
    thumbnails = progress.thumbnails
    refused = progress.refused
    elapsedMs = (elapsed / .milliseconds(1)).rounded()
  }

  /// What a person reads.
  func sentence(directory: String) -> String {
    let seconds = max(0.1, (elapsedMs / 100).rounded() / 10)
    let removed = removed > 0 ? ", \(self.removed) removed" : ""
    let fetched = fetchedImages > 0 ? ", \(fetchedImages) fetched" : ""
    let thumbnails =
      thumbnails > 0
      ? ", \(DisplayText.count(self.thumbnails, "thumbnail", "thumbnails")) kept" : ""
    let end =
      dryRun
      ? "Nothing was written."
      : "\(DisplayText.escaped(directory)) is at generation \(generation)."
    return """
      \(DisplayText.count(entities, "entity", "entities")), \(added) new, \(changed) changed\(removed): \
      \(DisplayText.count(signedImages, "picture", "pictures")) signed, \(unchangedImages) unchanged\(fetched)\(thumbnails), \
      \(refused) refused, in \(seconds) s. \(end)
      """
  }
}
