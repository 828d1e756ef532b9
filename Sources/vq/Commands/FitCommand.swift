import Reading
import VisualQuery

/// `vq fit`: fits the confidence of an index to labelled photos of its shop.
enum FitCommand {
  static let dryRun = Option<Bool>.flag(
    OptionText("dry-run", "print the verdict, and store nothing"))
  static let show = Option<Bool>.flag(
    OptionText("show", "print the fit that the index has, and the former ones"))
  static let undo = Option<Bool>.flag(
    OptionText("undo", "remove the newest fit: the one before it counts again, or none"))
  static let withFeedback = Option<Bool>.flag(
    OptionText(
      "with-feedback", "also fit what people said about answers",
      detail: """
        Accepted statements that name the right entity and whose image was kept with consent. Without its image, a question has no \
        keypoints any more, so that it says nothing about a photo; these statements are counted and left out.
        """))
  static let absent = Option<Double?>.number(
    OptionText(
      "absent", "the share of photos that show what the shop lacks",
      detail: """
        The more there are, the more careful is the fit. If fewer of the photos of QUERIES show such things, the others are also asked \
        as if the shop did not have theirs, and these answers count for the rest.
        """, standard: "0.1"), "SHARE", in: 0...0.9)
  static let json = Option<Bool>.flag(OptionText("json", "the verdict as one JSON object"))

  static let command = CommandDescription(
    name: "fit",
    summary: "fit the confidence to labelled photos of the shop",
    examples: [
      "vq fit photos.jsonl --index shop.vq",
      "vq fit photos.jsonl --dry-run --index shop.vq",
      "vq fit --show --index shop.vq",
      "vq fit --undo --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "QUERIES", count: 0...Int.max,
      summary: "JSON Lines: an image and the correct ids on each line, as for 'vq eval'",
      completion: .files),
    options: [
      MatchCommand.index.description, dryRun.description, show.description, undo.description,
      withFeedback.description, absent.description, EvalCommand.withoutLabels.description,
      MatchCommand.threads.description, json.description, EvalCommand.quiet.description,
      TextModels.models.description, IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Fit",
        text: """
          From 100 photos of 10 products on, five numbers are fitted: 'prior' is added to the log-odds of a confidence, 'temperature' \
          multiplies them, 'labels' and 'text' multiply what these say, and 'vector' is added for each standard deviation by which \
          the vector of an image is nearer than usual. A photo whose 'truth' is empty shows what the shop lacks.
          The fit is judged on products that it has not seen, in five parts. It is stored with the index if the log loss \
          falls by more than chance explains (95 %) and no larger share of what is shown is wrong than chance explains.
          """),
      HelpSection(
        title: "Where it counts",
        text: """
          In all answers to images ('vq match', 'vq serve', the library) that compare the same vectors, none or those of the same model. \
          'vq match --explain' shows it as 'fit'. It is part of the index: runs keep it, 'vq catalogue export' and 'import' \
          carry it, and copies have it. A version of vq whose general calibration is another one does not apply it, and says so.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. 'withoutOwnShown' is the share of photos for which something is shown if the shop does not have their thing.
            {"schema":"vq.fit/1","verdict":"better","stored":true,"photos":296,
             "products":81,"absent":0,"gain":{"logLoss":0.07,"low":0.04,"high":0.1},
             "before":{"shownRight":0.12,"shownWrong":0.003,…},"after":{…},
             "coefficients":{"prior":-1.2,"temperature":0.7,…},…}
          With --show: {"schema":"vq.fits/1","counts":true,"fits":[…]}, the oldest first.
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    exitMeanings: [
      .failure: "nothing was stored, since the fit is not better, or another error"
    ],
    isRare: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let files = arguments.operands
    let isAsking = !arguments[show] && !arguments[undo]
    if arguments[show], arguments[undo] {
      throw CommandFailure(.usage, "--show cannot be combined with --undo")
    }
    if !isAsking {
      let name = arguments[show] ? "--show" : "--undo"
      guard files.isEmpty else {
        throw CommandFailure(.usage, "'vq fit \(name)' takes no QUERIES")
      }
      try arguments.refuse(
        [
          dryRun.description, withFeedback.description, absent.description,
          EvalCommand.withoutLabels.description,
        ], with: name)
    } else if files.isEmpty, !arguments[withFeedback] {
      throw arguments.missingOperand("'vq fit' requires QUERIES, or --with-feedback")
    }
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    // Opened first, so that a mistyped directory is not created.
    let catalogue = try Catalogue(directory: directory)
    if arguments[show] {
      try FitText(console: console).show(catalogue.fits, isJSON: arguments[json])
      return .success
    }
    if arguments[undo] {
      try await takeBack(catalogue, arguments, console)
      return .success
    }
    let (queries, failures) = try await ask(files, of: catalogue, arguments, console)
    let verdict = FitVerdict(
      ShopFitting(queries, absentShare: arguments[absent] ?? ShopFitting.usualAbsentShare))
    var generation = catalogue.generation
    let isStored = verdict.outcome == .better && !arguments[dryRun]
    if isStored { generation = try await store(catalogue.fits.adding(verdict.fit), in: catalogue) }
    if arguments[json] {
      try console.output.writeJSON(
        FitDocument(verdict, isStored: isStored, generation: generation))
    } else {
      try FitText(console: console).write(
        verdict, isStored: isStored, index: arguments[MatchCommand.index], generation)
    }
    if failures > 0 { return .undecodablePicture }
    return isStored || arguments[dryRun] ? .success : .failure
  }

  /// Warns if a catalogue has a fit that does not count, since it is one of another calibration.
  static func warnOfOther(_ catalogue: Catalogue, _ console: Console) {
    guard let fit = catalogue.fits.current, !fit.isOfThisCalibration else { return }
    console.diagnostics.warning(
      "the fit of the index does not count: it belongs to another calibration",
      advice: ["fit again with: vq fit QUERIES", "or remove it with: vq fit --undo"])
  }

  private static func store(_ fits: ShopFits, in catalogue: Catalogue) async throws -> Int {
    var settings = ShopSettings()
    settings.fits = fits
    return try await Indexer(directory: catalogue.directory, settings: settings).putSettings()
  }

  private static func takeBack(
    _ catalogue: Catalogue, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    guard catalogue.fits.current != nil else {
      throw CommandFailure(.failure, "the index has no fit")
    }
    let left = catalogue.fits.undone
    let generation = try await store(left, in: catalogue)
    if arguments[json] {
      return try FitText(console: console).show(left, isJSON: true)
    }
    let name = DisplayText.escaped(arguments[MatchCommand.index])
    try console.output.writeLine(
      left.current == nil
        ? "\(name) has no fit any more; generation \(generation)."
        : "\(name) has the fit before again; generation \(generation).")
  }

  /// Asks all photos, each also as if the shop did not have what it shows.
  private static func ask(
    _ files: [String], of catalogue: Catalogue, _ arguments: ParsedArguments, _ console: Console
  ) async throws -> (queries: [EvaluatedQuery], failures: Int) {
    let evaluation = Evaluation(
      pool: WorkerPool(width: arguments[MatchCommand.threads]), console: console,
      isQuiet: arguments[EvalCommand.quiet], withLabels: !arguments[EvalCommand.withoutLabels],
      andWithout: false, subject: .anything, models: try TextModels.open(arguments),
      isForFit: true, rules: { _ in nil })
    var asked: [Evaluation.Asked] = []
    for file in files {
      asked += try await evaluation.ask(file) { catalogue }
    }
    if arguments[withFeedback] {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let said = try SaidQueries(of: catalogue.directory, in: folder.path)
      if said.withoutImage > 0 {
        console.diagnostics.warning(
          "\(DisplayText.count(said.withoutImage, "statement has", "statements have")) no image that was kept, and \(said.withoutImage == 1 ? "is" : "are") left out"
        )
      }
      if let file = said.file { asked += try await evaluation.ask(file) { catalogue } }
    }
    let queries = asked.compactMap { try? $0.outcome.get() }
    guard !queries.isEmpty else { throw CommandFailure(.failure, "there are no labelled photos") }
    return (queries, asked.count - queries.count)
  }
}
