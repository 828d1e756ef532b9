import Reading
import VisualQuery

/// `vq fit`: fits the confidence of an index to labelled photos of its shop.
enum FitCommand {
  static let dryRun = Option<Bool>.flag(
    OptionText("dry-run", "print the verdict, and store nothing"))
  static let show = Option<Bool>.flag(
    OptionText("show", "print the fit that the index has, and the former ones"))
  static let undo = Option<Bool>.flag(
    OptionText("undo", "remove the newest fit, so that the one before counts"))
  static let own = Option<Bool>.flag(
    OptionText(
      "own", "fit to the shop's own images, edited as photos are",
      detail: """
        Tells how often the shop is sure of a thing that it does not have. If it often is, a fit makes it more careful, as far as \
        that hides few photos of what it has; it never makes anything surer. A fit of labelled photos counts before it. With --undo, \
        its fit is removed.
        """))
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
        """, standard: "0.1"), "SHARE", in: ShopFitting.absentShares)
  static let json = Option<Bool>.flag(OptionText("json", "the verdict as one JSON object"))

  static let command = CommandDescription(
    name: "fit",
    summary: "fit the confidence to labelled photos of the shop",
    examples: [
      "vq fit photos.jsonl --index shop.vq",
      "vq fit photos.jsonl --dry-run --index shop.vq",
      "vq fit --own --index shop.vq",
      "vq fit --show --index shop.vq",
      "vq fit --undo --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "QUERIES", count: 0...Int.max,
      summary: "JSON Lines: an image and the correct ids on each line, as for 'vq eval'",
      completion: .files),
    options: [
      MatchCommand.index.description, own.description, dryRun.description, show.description,
      undo.description, withFeedback.description, absent.description,
      EvalCommand.withoutLabels.description,
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
        title: "Own images",
        text: """
          With --own, up to \(OwnImages.limit) images of the index are edited as photos are and asked without their things, and without their groups. What is sure \
          then is wrong. If that is surely more than \(Int(100 * NullVerdict.accepted)) %, 'prior' is lowered until it is not, as far as \
          the right answers that this hides are worth it. The answers are stored in any case, and 'vq catalogue status' and 'vq doctor' tell them. The exit code is 1 if there are \
          too few images to tell.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. 'withoutOwnShown' is the share of photos for which something is shown if the shop does not have their thing.
            {"schema":"vq.fit/1","verdict":"better","stored":true,"photos":296,
             "products":81,"absent":0,"gain":{"logLoss":0.07,"low":0.04,"high":0.1},
             "before":{"shownRight":0.12,"shownWrong":0.003,…},"after":{…},
             "coefficients":{"prior":-1.2,"temperature":0.7,…},…}
          With --own: {"schema":"vq.fit-own/1","verdict":"better","stored":true,…}
          With --show: {"schema":"vq.fits/1","counts":true,"fits":[…]}, the oldest first, and 'own' if it was asked for its own images.
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
    if arguments[show], arguments[own] {
      throw CommandFailure(.usage, "--show cannot be combined with --own: it shows both fits")
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
    } else if arguments[own] {
      guard files.isEmpty else {
        throw CommandFailure(.usage, "'vq fit --own' takes no QUERIES")
      }
      try arguments.refuse(
        [
          withFeedback.description, absent.description, EvalCommand.withoutLabels.description,
          TextModels.models.description,
        ], with: "--own")
    } else if files.isEmpty, !arguments[withFeedback] {
      throw arguments.missingOperand("'vq fit' requires QUERIES, or --with-feedback")
    }
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    // Opened first, so that a mistyped directory is not created.
    let catalogue = try Catalogue(directory: directory)
    if arguments[show] {
      try FitText(console: console).show(
        catalogue.fits, own: catalogue.null, isJSON: arguments[json])
      return .success
    }
    if arguments[undo] {
      try await takeBack(catalogue, arguments, console)
      return .success
    }
    if arguments[own] { return try await fitToOwn(catalogue, arguments, console) }
    let (queries, failures) = try await ask(files, of: catalogue, arguments, console)
    let verdict = FitVerdict(
      ShopFitting(queries, absentShare: arguments[absent] ?? ShopFitting.usualAbsentShare))
    var generation = catalogue.generation
    let isStored = verdict.outcome == .better && !arguments[dryRun]
    if isStored {
      generation = try await catalogue.fits.addingNew(verdict.fit)
        .store(in: catalogue.directory)
    }
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
    let labelled = catalogue.fits.current
    guard let fit = labelled ?? catalogue.null?.fit, !fit.isOfThisCalibration else { return }
    console.diagnostics.warning(
      "the fit of the index does not count: it belongs to another calibration",
      advice: labelled == nil
        ? ["fit again with: vq fit --own", "or remove it with: vq fit --undo --own"]
        : ["fit again with: vq fit QUERIES", "or remove it with: vq fit --undo"])
  }

  private static func takeBack(
    _ catalogue: Catalogue, _ arguments: ParsedArguments, _ console: Console
  ) async throws {
    let name = DisplayText.escaped(arguments[MatchCommand.index])
    if arguments[own] {
      guard let null = catalogue.null, null.fit != nil else {
        throw CommandFailure(.failure, "the index has no fit of its own images")
      }
      let generation = try await OwnFitting.store(null.withoutFit, in: catalogue)
      if arguments[json] {
        return try FitText(console: console).show(
          catalogue.fits, own: null.withoutFit, isJSON: true)
      }
      return try console.output.writeLine(
        "\(name) has no fit of its own images any more; generation \(generation).")
    }
    guard catalogue.fits.current != nil else {
      throw CommandFailure(
        .failure, "the index has no fit of labelled photos",
        advice: catalogue.null?.fit == nil
          ? [] : ["to remove that of its own images: vq fit --undo --own"])
    }
    let left = catalogue.fits.undone
    let generation = try await left.store(in: catalogue.directory)
    if arguments[json] {
      return try FitText(console: console).show(left, own: catalogue.null, isJSON: true)
    }
    try console.output.writeLine(
      left.current == nil
        ? "\(name) has no fit any more; generation \(generation)."
        : "\(name) has the fit before again; generation \(generation).")
  }

  /// Fits to the images of the shop, and keeps the answers, with the fit if it is worth keeping.
  private static func fitToOwn(
    _ catalogue: Catalogue, _ arguments: ParsedArguments, _ console: Console
  ) async throws -> ExitCode {
    let fitting = OwnFitting(
      pool: WorkerPool(width: arguments[MatchCommand.threads]), console: console,
      isQuiet: arguments[EvalCommand.quiet])
    let verdict = try await fitting.verdict(on: catalogue)
    let isStored = !arguments[dryRun] && verdict.null.withoutOwn.of > 0
    let generation =
      isStored ? try await OwnFitting.store(verdict.null, in: catalogue) : catalogue.generation
    if arguments[json] {
      try console.output.writeJSON(
        NullDocument(verdict, isStored: isStored, generation: generation))
    } else {
      try FitText(console: console).write(
        verdict, isStored: isStored, index: arguments[MatchCommand.index], generation)
    }
    return verdict.outcome == .tooFew ? .failure : .success
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
