import Reading
import VisualQuery

/// `vq eval`: measures the search quality of an index.
enum EvalCommand {
  static let index = Option<[String]>.paths(
    OptionText(
      "index", "the index to search",
      detail: "With several QUERIES: one for each, in the same order, or one for all.",
      standard: "the only *.vq here", environment: "VQ_INDEX", findsIndexHere: true),
    "DIR", of: .directories)
  static let withoutLabels = Option<Bool>.flag(
    OptionText("without-labels", "search with the images only"))
  static let calibrate = Option<Bool>.flag(
    OptionText(
      "calibrate", "fit the confidence to these queries",
      detail: """
        Queries with labels are run with and without them. Prints the figures of every other \
        query with coefficients fitted on the rest, then the same without each kind of \
        evidence, then the coefficients fitted on all. With --subject catalogued, queries of \
        things that the index lacks are left out, and the score stays that of the code.
        """))
  static let models = Option<[String]>.paths(
    OptionText(
      "models", "read the text of images, and encode them, with the models of a folder",
      detail: """
        As for 'vq match'. Given twice, it compares two models that encode images: the vectors of the index under each are \
        computed in temporary copies of it, unless it has them. 'none' uses none.
        """, environment: "VQ_MODELS", isRare: true),
    "DIR", of: .directories, isRequired: false)
  static let threads = MatchCommand.threads
  static let json = Option<Bool>.flag(OptionText("json", "the figures as one JSON object"))
  static let quiet = Option<Bool>.flag(OptionText("quiet", "no progress", short: "q"))

  static let command = CommandDescription(
    name: "eval",
    summary: "measure the search quality of an index",
    examples: [
      "vq eval queries.jsonl --index shop.vq",
      "vq eval queries.jsonl --index shop.vq --json | jq .recallAt1",
      "vq eval a.jsonl b.jsonl --index a.vq --index b.vq --calibrate",
      "vq eval queries.jsonl --models clip --models siglip --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "QUERIES", count: 1...Int.max,
      summary: "JSON Lines: an image and the correct ids on each line",
      completion: .files),
    options: [
      index.description, withoutLabels.description, MatchCommand.subject.description,
      calibrate.description, RulesCommand.trial.description, threads.description, json.description,
      MatchCommand.report.description,
      quiet.description, models.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Queries",
        text: """
          'image' is relative to the file. 'truth' is empty if the shop has no such entity: these \
          queries measure how often a wrong one is found. 'signature', as 'vq feedback queries' \
          writes it, replaces an image that was not kept. 'embedding' is that of the image, as for \
          --embedding of 'vq match', and 'text' are the words beside it, as for --text. Other keys are ignored; one that is nearly a known one is \
          reported. What people said about answers does not count, nor do rules, unless --rules \
          gives some.
            {"query":"q1","image":"photos/1.jpg","truth":["mug-red"],
             "labels":["mug"],"edit":"photo"}
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. Figures that need queries with an empty 'truth', or with a correct id, are \
          null without them.
            {"schema":"vq.eval/1","queries":640,"recallAt1":0.99,"recallAt5":1,
             "meanReciprocalRank":0.99,"byEdit":[{"edit":"photo","queries":40,…},…],
             "negatives":300,"negativesEmpty":0.99,"lists":90,"listsRight":0.97,
             "listsMeanLength":1.2,"shownOrListed":0.9,"listsIfNoneIsRight":0.05,
             "recallAt1PercentFalse":0.98,
             "recallAt01PercentFalse":0.97,"calibrationError":0.02,"reliability":[…],
             "worst":[{"query":"q7","stage":"belowCutOff",…},…],…}
          With two --models, it has the figures of each: {"schema":"vq.evalModels/1",
             "models":[{"folder":"clip","model":"image/model.onnx 5d0e…","images":90,
               "similarLists":7,"similarEntities":31,"similarOfKind":0.86,
               "figures":{"schema":"vq.eval/1",…}},…]}
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let files = arguments.operands
    let indexes = arguments[index]
    guard indexes.count == 1 || indexes.count == files.count else {
      throw CommandFailure(
        .usage,
        "'vq eval' takes one --index for all QUERIES, or one for each; found "
          + "\(indexes.count) for \(files.count)")
    }
    let isCalibrating = arguments[calibrate]
    let subject = arguments[MatchCommand.subject] ?? .anything
    let folders = arguments[models]
    guard folders.count <= 2 else {
      throw CommandFailure(.usage, "'vq eval' compares two --models; found \(folders.count)")
    }
    let evaluationWith: (ReadingModels?) -> Evaluation = { models in
      Evaluation(
        pool: WorkerPool(width: arguments[threads]), console: console, isQuiet: arguments[quiet],
        withLabels: !arguments[withoutLabels], andWithout: isCalibrating, subject: subject,
        models: models, withSimilar: folders.count == 2,
        rules: { try RulesCommand.rules(toTry: arguments, in: $0, on: console) })
    }
    if folders.count == 2 {
      try arguments.refuse(
        [calibrate.description, MatchCommand.report.description], with: "two --models")
      let comparison = try ModelComparison(folders, evaluationWith)
      var directories: [String] = []
      for index in indexes {
        directories.append(try await IndexLocation.directory(of: index, arguments, console))
      }
      let figures = try await comparison.figures(of: files, in: directories)
      if arguments[json] {
        try console.output.writeJSON(ModelComparisonDocument(models: figures))
      } else {
        try console.output.write(ModelComparisonText(figures: figures, console: console).text)
      }
      return figures.contains { $0.failures > 0 } ? .undecodablePicture : .success
    }
    let evaluation = evaluationWith(try folders.first.flatMap(TextModels.open))
    guard !isCalibrating || arguments[MatchCommand.report] == nil else {
      throw CommandFailure(
        .usage, "--report cannot be combined with --calibrate, which asks each query several times")
    }
    guard !isCalibrating || !arguments[json] else {
      throw CommandFailure(
        .usage, "--json cannot be combined with --calibrate, which prints coefficients as text")
    }
    let report = try arguments[MatchCommand.report].map(ReportFile.init)
    do {
      var asked: [Evaluation.Asked] = []
      for (number, file) in files.enumerated() {
        let index = indexes.count == 1 ? indexes[0] : indexes[number]
        asked += try await evaluation.ask(file) {
          try await IndexLocation.catalogue(of: index, arguments, console)
        }
      }
      let queries = asked.compactMap { try? $0.outcome.get() }
      if isCalibrating {
        try write(calibrated: queries, of: subject, on: console)
      } else {
        try write(queries, isJSON: arguments[json], on: console)
      }
      if let report {
        let drawings = try await EvaluationDrawings.page(
          of: asked.compactMap(\.drawn), failures: asked.count - queries.count)
        try report.write(drawings.page)
      }
      return queries.count < asked.count ? .undecodablePicture : .success
    } catch {
      report?.discard()
      throw error
    }
  }

  private static func write(
    _ queries: [EvaluatedQuery], isJSON: Bool, on console: Console
  ) throws {
    if isJSON {
      try console.output.writeJSON(EvaluationDocument(EvaluationReport(queries)))
    } else {
      let report = EvaluationReport(queries)
      try console.output.write(EvaluationText(report: report, console: console).text)
    }
  }

  /// With fewer queries that have a correct entity, the coefficients would fit noise.
  private static let leastCalibration = 50

  private static func write(
    calibrated queries: [EvaluatedQuery], of subject: QuerySubject, on console: Console
  ) throws {
    let queries = subject == .catalogued ? queries.filter(\.isPositive) : queries
    let positives = queries.count(where: \.isPositive)
    guard positives >= leastCalibration else {
      throw CommandFailure(
        .failure,
        "a calibration requires \(leastCalibration) queries with a correct entity; found \(positives)"
      )
    }
    let even = queries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let odd = queries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    let unseen = EvaluationReport(CalibrationFit(even, of: subject).applied(to: odd))
    try console.output.write(
      "Every other query, with coefficients fitted on the rest:\n\n"
        + EvaluationText(report: unseen, console: console).figures + "\n")
    var table = TextTable(columns: [
      .init("LEFT OUT"), .init("RECALL@1", .right), .init("AT 1 % FALSE", .right),
      .init("CALIBRATION ERROR", .right),
    ])
    for kind in [nil] + CalibrationFit.kinds.map(Optional.some) {
      let fit = CalibrationFit(even, of: subject, excluding: kind.map { [$0] } ?? [])
      let report = EvaluationReport(fit.applied(to: odd))
      table.append([
        kind?.rawValue ?? "nothing", EvaluationText.share(report.recall?.at1),
        report.recallAt1PercentFalse.map(EvaluationText.share) ?? "",
        EvaluationText.share(report.calibrationError),
      ])
    }
    for line in table.lines(width: console.width) { try console.output.writeLine(line) }
    try console.output.writeLine("\nCoefficients fitted on all:\n")
    for line in CalibrationFit(queries, of: subject).lines { try console.output.writeLine(line) }
  }
}
