import PixelMatch
import Reading
import VisualQuery

/// `vq index`: indexes a feed.
enum IndexCommand {
  static let index = Option<String>.path(
    OptionText(
      "index", "the index to make or update",
      detail: "A directory, created if it does not exist, or postgres://HOST/DATABASE.",
      environment: "VQ_INDEX"),
    "DIR", of: .directories)
  static let imagesRoot = Option<String?>.path(
    OptionText(
      "images-root", "the folder that contains the images",
      detail: "Image paths are relative to it. Stored in the index. The default is that of the "
        + "index if it has images, else the feed's folder, or the working directory for "
        + "standard input.",
      standard: "beside the feed"),
    "DIR", of: .directories)
  static let allowOutside = Option<[String]?>.folders(
    OptionText(
      "allow-outside", "a further folder that may contain images",
      detail: "Absolute paths, '..' and symbolic links out of --images-root are rejected "
        + "unless they lead here. Stored in the index; given again, it replaces all stored "
        + "folders, and 'none' removes them.",
      isRare: true))
  static let thumbnails = Option<[Int]?>.thumbnailSides(
    OptionText(
      "thumbnails", "store thumbnails of these sizes in the index: 160,480",
      detail: "For a server that does not have the images. Longer sides in pixels, at most "
        + "four; 'vq serve' uses 160, 480 and 1024. Later runs add missing ones; 'none' stops that, "
        + "and 'vq catalogue compact' then removes them.", isRare: true))
  static let publicFields = Option<Set<String>?>.names(
    OptionText(
      "public", "your own fields that 'vq serve' may show: material,care",
      detail: "All other unknown fields stay in the index. Stored in the index; given again, it "
        + "replaces all stored fields, and 'none' removes them.", isRare: true))
  static let threads = Option<Int?>.integer(
    OptionText("threads", "number of threads", short: "j", standard: "one per core"),
    in: 1...256)
  static let rejected = Option<String?>.path(
    OptionText(
      "rejected", "the file for rejected rows",
      detail:
        "JSON Lines: line, field, reason and the row itself, if it could be read. Once corrected, it can be "
        + "indexed as it is, with the same --images-root.", standard: "rejected.jsonl in the index"),
    "FILE", of: .files)
  static let link = Option<[EntityType: String]>.byType(
    OptionText(
      "link", "the URL of entities without one of their own",
      detail: "An RFC 6570 template of field names; of several for one type the last counts. An "
        + "entity that lacks a '{field}' has no link. Stored in the index; given again, it "
        + "replaces all stored templates.", isRare: true),
    "LINK", accepts: "a type and a template: product=https://shop.example/p/{id}")
  static let allowScheme = Option<[String]>.list(
    OptionText(
      "allow-scheme", "schemes accepted in links besides https",
      detail: "Stored in the index together with --link.", isRare: true))
  static let bridge = Option<String?>.path(
    OptionText(
      "bridge", "a label bridge: CSV, see 'vq help labels'", detail: "Stored in the index.",
      isRare: true), "FILE", of: .files)
  static let onConflict = Option<IndexOptions.ConflictPolicy?>.choice(
    OptionText(
      "on-conflict", "what to do with an entity that is already indexed",
      detail: "'replace': use the row; 'merge': use the row, but keep fields that it lacks; "
        + "'keep': ignore the row.", standard: "replace"), "WHAT")
  /// When a run asks for the shop's own images.
  enum OwnImagesTime: String, CaseIterable, Sendable { case auto, off }
  static let ownImages = Option<OwnImagesTime?>.choice(
    OptionText(
      "own-images", "ask for the shop's own images, to learn how careful it must be",
      detail: """
        'auto': if there are \(OwnFitting.leastQuestions) images, the first time and once about one in sixteen has changed; see 'vq help fit', --own. The more images were analyzed, the \
        more are asked, from \(OwnFitting.leastQuestions) on. Not with an index in PostgreSQL. 'off': never.
        """, standard: "off", isRare: true), "WHEN")
  static let pruneMissing = Option<Bool>.flag(
    OptionText(
      "prune-missing", "remove entities that the feed lacks",
      detail:
        "Only those that this feed brought, see 'vq feeds'. Nothing is removed, and the exit code is 3, if no row was read, or if a rejected row has no readable id."
    ))
  static let maxRemoved = Option<Double?>.number(
    OptionText(
      "max-removed", "remove nothing if the feed lacks more of the entities",
      detail:
        "Together with --prune-missing, in percent of the entities that the feed had, in place of the limits of the index. The rows are "
        + "indexed all the same, and the exit code is 3. 100 allows everything.",
      standard: "the limits of the index: 10, and 20 in seven nights", isRare: true), "PERCENT",
    in: 0...100)
  static let acceptLoss = Option<[String]>.list(
    OptionText(
      "accept-loss", "let rows take these fields from the index: image,price",
      detail:
        "If the rows of a run lack a field of more entities than the limits of the index allow, the old values stay, and "
        + "the exit code is 3; so do old prices if the new ones have jumped. With this option, this run takes what its rows say. 'all' for all fields; "
        + "'entities' are those that --prune-missing removes.", isRare: true),
    "FIELDS",
    accepts: (CoverageField.allCases.map(\.rawValue) + ["all"]).joined(separator: ", ")
  ) { $0 == "all" || CoverageField(rawValue: $0) != nil }
  static let feedName = Option<String?>(
    OptionText(
      "feed-name", "the name of the feed, by which it is known every night",
      detail:
        "An entity belongs to the feed that brought it, see 'vq feeds'. Needed if the path changes in other ways than by "
        + "its date.", standard: "its path or address", isRare: true),
    value: ValueDescription(
      placeholder: "NAME", accepts: "a text on one line, but not 'none'", completion: .nothing)
  ) { FeedName.isValid($0) ? $0 : nil }
  static let acceptFeed = Option<Bool>.flag(
    OptionText(
      "accept-feed", "take a feed with another format or currency than last time",
      detail: "Otherwise nothing of it is changed, and the exit code is 3. To be given once.",
      isRare: true))
  static let report = Option<String?>.path(
    OptionText(
      "report", "also write an HTML page about the run",
      detail:
        "What was added, changed and removed, with images; what was rejected, by reason; images that cannot be used, "
        + "and since when; findings of the doctor that are new since the last report.", isRare: true
    ),
    "FILE", of: .files)
  static let detailedExitCode = Option<Bool>.flag(
    OptionText(
      "detailed-exit-code", "tell by the exit code what was done: 0, 7 or 8",
      detail:
        "0: done, with changes; 7: nothing to do; 8: done, but rows, images or fields were rejected. Without it, all "
        + "three are 0. 'outcome' of --json says it, too.", isRare: true))
  static let dryRun = Option<Bool>.flag(
    OptionText("dry-run", "read and decode everything, but write nothing"))
  static let strict = Option<Bool>.flag(
    OptionText("strict", "stop at the first rejection or warning"))
  static let signed = Option<Bool>.flag(
    OptionText(
      "signed", "FEED is the output of 'vq sign'; may be several files",
      detail: "The images are not read, and --images-root is only stored.", isRare: true))
  static let json = Option<Bool>.flag(OptionText("json", "the summary as one JSON object"))
  static let quiet = Option<Bool>.flag(
    OptionText(
      "quiet", "no progress and no summary",
      detail: "Errors and rejected rows are still reported.", short: "q"))

  static let command = CommandDescription(
    name: "index",
    summary: "make or update an index from a feed",
    examples: [
      "vq index catalogue.jsonl --index shop.vq",
      "vq index merchant-feed.xml.gz --images-root photos --index shop.vq",
      "vq index products.xml stores.json --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "FEED", count: 1...Int.max,
      summary: "JSON, CSV, XML, Excel, an address or a folder; '-' for standard input; or several",
      completion: .files),
    options: [
      index.description, imagesRoot.description, allowOutside.description,
      thumbnails.description, onConflict.description,
      pruneMissing.description, maxRemoved.description, acceptLoss.description,
      feedName.description, acceptFeed.description, report.description,
      detailedExitCode.description, TextModels.models.description, ownImages.description,
      currency.description, map.description, mapFrom.description, encoding.description,
      sheet.description,
      includeDrafts.description, fetch.description, allowHost.description, dryRun.description,
      strict.description, threads.description, rejected.description, json.description,
      quiet.description, locale.description, imagesMap.description, allowPrivateAddress.description,
      caFile.description, fetchRate.description, fetchTime.description, userAgent.description,
      fetchHeader.description,
      maxRows.description, maxFeedBytes.description, maxFeedRatio.description,
      maxRowBytes.description, maxRowVariants.description, maxRowLevels.description,
      publicFields.description, link.description, allowScheme.description, bridge.description,
      PictureLimits.formats.description, IndexLocation.cache.description, signed.description,
    ],
    notes: [
      HelpSection(
        title: "Feed",
        text: """
          One entity per line: 'type' (product or store), 'id' and 'title' are required. Unknown \
          fields are kept, and shown by 'vq serve' only if --public names them. An invalid field is left out with a \
          warning; an invalid row or image is reported and skipped.
            {"type":"product","id":"mug-red","title":"Camp mug","labels":["mug"],
             "images":["images/mug-red.jpg"],"url":"https://shop.example/p/mug-red"}
          Further fields: 'subtitle', 'synonyms', 'localized' (texts by language), 'featured', \
          'text' (the lines on the thing); for products 'group', 'attributes', 'brand', 'price', \
          'availability'; for stores 'address', 'geo', 'openingHours', 'timeZone' and 'stock', the ids of its products.
          """),
      HelpSection(
        title: "Other formats",
        text: """
          Recognized by their contents: exports of Shopify, WooCommerce in any language, Magento 2, PrestaShop, \
          BigCommerce, Squarespace, Wix, Ecwid, Shopware, Shoptet, Lightspeed, JTL, InSales, Tilda, Prom.ua, Saleor, \
          Medusa, Vendure, Salesforce Commerce, eBay, Etsy and Amazon, Google Merchant feeds and Meta \
          catalogues (tables or XML), feeds for Ceneo, Skroutz, Heureka, idealo, Yandex and kaspi, BMEcat, CommerceML, \
          other XML, JSON lists and documents, schema.org in JSON-LD or in HTML pages, workbooks (.xlsx, .ods), any table \
          whose columns have usual names in some forty languages, and folders of images, whose names become ids. --map \
          assigns the fields of others, and --map-from proposes it; --dry-run shows the first three entities. Any file \
          may be compressed with gzip. Images are files beneath --images-root. Images and feeds on \
          servers are fetched with --fetch and --allow-host. See docs/feeds.md.
          """),
      HelpSection(
        title: "Failures",
        text: """
          Of several feeds, one that fails does not keep the others from being indexed: its rows before the fault count, \
          nothing of it is removed, and the exit code is 1, or 3 if it is another feed than last time (--accept-feed). If two \
          feeds have the same id, the first counts in one run, and the later one in different runs; both is said.
          The exit code is 1 if no entity was indexed, or if there are images and all were \
          rejected. It is 3 if old values stay because the rows lack a field of too many entities, or their prices have jumped; \
          and if --prune-missing removed nothing because the feed lacks too many \
          entities, has no rows, or has a rejected row without a readable id. It is 9 if new images on \
          servers are still to come, because --fetch-time is over or a host allows no more for now: the same command goes on. Images that are not fetched are not rejected. If no image file exists and \
          entities would lose their images, nothing is changed.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object at the end of the run; a dry run adds 'examples'. 'unprunedReason' says why \
          --prune-missing removed nothing; 'findings' are fields that look like a part of entities and are not read; with \
          --models, 'text' has what was read, and 'vectors' what was encoded. In rejected.jsonl, a line for each rejected row, image and field.
            {"schema":"vq.index/1","generation":4,"rows":32,"entities":32,"added":32,
             "changed":0,"removed":0,"signedImages":34,"unchangedImages":0,
             "sharedImages":0,"keptImages":0,"imagesToCome":0,"imagesToCheck":0,
             "fetchedImages":0,"filesByMeaning":0,"thumbnails":0,"embeddings":0,
             "refused":0,"refusedRows":0,"refusedImages":0,"unfetchedImages":0,
             "warnings":0,"unlisted":0,"withoutImages":0,"leftOut":{},
             "unfetchedHosts":{},
             "findings":[{"kind":"price","field":"vk_netto","entities":32}],
             "dryRun":false,"elapsedMs":210,"outcome":"done"}
            {"kind":"image","line":12,"id":"mug-red","field":"images[0]","reason":"…",
             "row":{…}}
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .refused, .unusableIndex, .refusedLogin, .nothingToDo, .losses,
      .unfinished, .interrupted,
    ],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    if let path = arguments[mapFrom] {
      try printMapping(of: path, arguments, to: console)
      return .success
    }
    // Before any work, and also for a dry run, which writes elsewhere.
    if !PostgresLocation.isLocation(arguments[index]) {
      try CatalogueFolder.checkUse(of: arguments[index])
    }
    if arguments[signed] { return try await SignedIndexing.run(arguments, on: console) }
    try checkFeeds(of: arguments)
    // The models are opened first, so that a fault is reported before a run that may take
    // hours.
    let models = arguments[dryRun] ? nil : try TextModels.open(arguments)
    let fetching = try policy(of: arguments)
    let rejections = RejectionSummary()
    let directory = try await IndexLocation.directory(of: arguments[index], arguments, console)
    let refusals = try refusedRowsFile(arguments, directory)
    let isQuiet = arguments[quiet]
    let night = try nightReport(of: arguments, directory)
    let elapsed = ProgressLine.stopwatch()
    let line = ProgressLine("indexing", on: console.diagnostics, elapsed: elapsed)
    let settings = try settings(of: arguments)
    let pool = WorkerPool(width: arguments[threads])
    let indexer = Indexer(
      directory: directory, settings: settings,
      decoder: ImageDecoder(formats: arguments[PictureLimits.formats]), pool: pool)
    let options = IndexOptions(
      onConflict: arguments[onConflict] ?? .replace, prunesMissing: arguments[pruneMissing],
      removalLimit: try removalLimit(of: arguments), isDryRun: arguments[dryRun],
      isStrict: arguments[strict], fetching: fetching, listsChanges: night != nil,
      feedName: arguments[feedName], acceptsChangedFeed: arguments[acceptFeed],
      acceptedLosses: acceptedLosses(of: arguments))
    let feeds = try arguments.operands.map { path in
      FeedInput(path: path, options: try feedOptions(of: arguments, for: path, to: console))
    }
    let result: Indexer.Progress
    do {
      result = try await indexer.run(
        feeds: feeds, imagesRoot: arguments[imagesRoot], options: options,
        mapping: {
          rejections.take($0)
          if !isQuiet { report($0, to: console) }
        },
        refused: {
          rejections.add($0)
          night?.take($0)
          // Entities without images are not listed in the file, because nothing in their
          // rows has to be corrected. 'vq doctor' lists them.
          if $0.kind != .entity { refusals?.append($0) }
        },
        progress: { if !isQuiet { show($0, on: line) } })
    } catch {
      line.finish()
      for text in rejections.lines { console.diagnostics.warning(text) }
      try refusals?.close(isWhole: false)
      try night?.write(failure: error)
      guard error is CancellationError else { throw error }
      throw CommandFailure(
        .interrupted, "interrupted; the work so far is saved",
        advice: ["to continue, run the same command again"])
    }
    line.finish()
    for text in rejections.lines { console.diagnostics.warning(text) }
    // Removes the list of an earlier run, which would pass for that of this run. This comes
    // before the new list gets its name, which may be the same.
    if arguments[rejected] != nil, !arguments[dryRun] {
      FileDescriptor.remove(RefusedRowsFile.path(inIndex: directory))
    }
    // A run that found nothing to index keeps the list, which may be what it read.
    try refusals?.close(
      isWhole: arguments[rejected] != nil || result.entities + result.refused > 0)
    if result.refused + result.warnings > 0, !isQuiet, let refusals {
      let omitted = refusals.omittedCount
      let rest = omitted > 0 ? ", which is full: \(omitted) more are only counted" : ""
      let what =
        result.refusedRows > 0 ? "rows" : result.refusedImages > 0 ? "images" : "fields"
      console.diagnostics.note(
        "rejected \(what) are in \(DisplayText.escaped(refusals.path))\(rest)")
    }
    if !isQuiet {
      report(result, to: console)
      reportFetching(result, to: console)
    }
    if !options.isDryRun, result.generation > 0 {
      try warnOfAbsentFields(of: settings, in: directory, on: console)
    }
    var text: CatalogueUpkeep.TextSummary?
    var vectors: CatalogueUpkeep.EmbeddingSummary?
    if let models, result.generation > 0 {
      if models.text != nil {
        let read = try await TextModels.read(
          directory, by: models, pool: pool, isQuiet: isQuiet, on: console)
        TextModels.warn(of: read, on: console)
        text = read
      }
      if let encoder = models.image {
        if PostgresLocation.isLocation(arguments[index]) {
          console.diagnostics.warning(
            "no image is encoded: an index in PostgreSQL has only the vectors of its feed")
        } else {
          let encoded = try await TextModels.embed(
            directory, by: encoder, pool: pool, isQuiet: isQuiet, on: console)
          TextModels.warn(of: encoded, on: console)
          vectors = encoded
        }
      }
    }
    let own = try await askForOwn(result, arguments, in: directory, pool, console)
    let summary = IndexDocument(
      result, elapsed: elapsed(), isDryRun: options.isDryRun, unlisted: refusals?.omittedCount,
      text: text, vectors: vectors, own: own)
    if arguments[json] {
      try console.output.writeJSON(summary)
    } else if !isQuiet {
      for example in summary.examples ?? [] { try console.output.writeJSON(example) }
      try console.output.writeLine(summary.sentence(directory: arguments[index]))
      for line in summary.coverageLines { try console.output.writeLine(line) }
      if let text { try console.output.writeLine(TextModels.sentence(text)) }
      if let vectors { try console.output.writeLine(TextModels.sentence(vectors)) }
      if let own {
        try console.output.writeLine("Own images: \(OwnImagesText(own.answers).text).")
      }
    }
    if !isQuiet { report(result.feeds, to: console) }
    let failure = failure(of: result)
    try await night?.write(
      result, rejections.lines,
      outcome: failure.map { "\($0.message)." } ?? summary.sentence(directory: arguments[index]))
    if let failure { throw failure }
    return exitCode(summary.outcome, isDetailed: arguments[detailedExitCode])
  }

  /// Asks for the shop's own images if it is time to.
  private static func askForOwn(
    _ result: Indexer.Progress, _ arguments: ParsedArguments, in directory: String,
    _ pool: WorkerPool, _ console: Console
  ) async throws -> OwnSummary? {
    guard arguments[ownImages] == .auto, !arguments[dryRun], result.generation > 0,
      !PostgresLocation.isLocation(arguments[index])
    else { return nil }
    do {
      return try await OwnFitting(pool: pool, console: console, isQuiet: arguments[quiet])
        .refresh(directory, after: result.signedImages)
    } catch is CancellationError {
      throw CommandFailure(
        .interrupted, "interrupted; the index is complete, and its own images were not asked",
        advice: ["to ask for them, run: vq fit --own"])
    }
  }

  private static func acceptedLosses(of arguments: ParsedArguments) -> Set<CoverageField> {
    let names = arguments[acceptLoss]
    return names.contains("all")
      ? Set(CoverageField.allCases) : Set(names.compactMap(CoverageField.init))
  }

  private static func nightReport(
    of arguments: ParsedArguments, _ directory: String
  ) throws -> NightReport? {
    guard let path = arguments[report] else { return nil }
    guard !arguments[dryRun] else {
      throw CommandFailure(
        .usage, "--report cannot be combined with --dry-run, which changes nothing")
    }
    return try NightReport(path: path, directory: directory)
  }

  /// Returns the file for rejected rows; a dry run has none unless it is asked for.
  static func refusedRowsFile(
    _ arguments: ParsedArguments, _ directory: String
  ) throws -> RefusedRowsFile? {
    if let path = arguments[rejected] { return try RefusedRowsFile(path: path) }
    return arguments[dryRun] ? nil : RefusedRowsFile(index: directory)
  }

  static func settings(of arguments: ParsedArguments) throws -> ShopSettings {
    let schemes = Set(arguments[allowScheme].map { $0.lowercased() })
    var settings = ShopSettings(
      bridge: try arguments[bridge].map(LabelBridge.init),
      outsideFolders: arguments[allowOutside], thumbnailSides: arguments[thumbnails],
      publicFields: arguments[publicFields])
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

  private static func show(_ progress: Indexer.Progress, on line: ProgressLine) {
    line.update(done: progress.rows, total: progress.estimatedRows, refused: progress.refused)
  }
}
