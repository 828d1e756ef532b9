import PixelMatch
import VisualQuery

/// `vq eval`: measures the search quality of an index.
enum EvalCommand {
  static let index = Option<[String]>.paths(
    OptionText(
      "index", "the index to search",
      detail: "With several QUERIES: one for each, in the same order, or one for all.",
      environment: "VQ_INDEX"),
    "DIR", of: .directories)
  static let withoutLabels = Option<Bool>.flag(
    OptionText("without-labels", "search with the images only"))
  static let calibrate = Option<Bool>.flag(
    OptionText(
      "calibrate", "fit the confidence to these queries",
      detail: """
        Queries with labels are run with and without them. Prints the figures of every other \
        query with coefficients fitted on the rest, then the same without each kind of \
        evidence, then the coefficients fitted on all.
        """))
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
    ],
    operand: OperandDescription(
      placeholder: "QUERIES", count: 1...Int.max,
      summary: "JSON Lines: an image and the correct ids on each line",
      completion: .files),
    options: [
      index.description, withoutLabels.description, calibrate.description, threads.description,
      json.description, quiet.description, IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Queries",
        text: """
          'image' is relative to the file. 'truth' is empty if the shop has no such entity: these \
          queries measure how often a wrong one is found.
            {"query":"q1","image":"photos/1.jpg","truth":["mug-red"],
             "labels":["mug"],"edit":"photo"}
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object. Figures that need queries with an empty 'truth' are null without them.
            {"schema":"vq.eval/1","queries":640,"recallAt1":0.99,"recallAt5":1,
             "meanReciprocalRank":0.99,"byEdit":[{"edit":"photo","queries":40,…},…],
             "negatives":300,"negativesEmpty":0.99,"recallAt1PercentFalse":0.98,
             "recallAt01PercentFalse":0.97,"calibrationError":0.02,"reliability":[…],
             "worst":[{"query":"q7","stage":"belowCutOff",…},…],…}
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .interrupted,
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
    let evaluation = Evaluation(
      pool: WorkerPool(width: arguments[threads]), console: console, isQuiet: arguments[quiet],
      withLabels: !arguments[withoutLabels], andWithout: isCalibrating)
    var asked: [Evaluation.Outcome] = []
    for (number, file) in files.enumerated() {
      let index = indexes.count == 1 ? indexes[0] : indexes[number]
      asked += try await evaluation.ask(
        file, try await IndexLocation.directory(of: index, arguments, console))
    }
    let queries = asked.compactMap { try? $0.get() }
    try write(queries, isCalibrating: isCalibrating, isJSON: arguments[json], on: console)
    return queries.count < asked.count ? .undecodablePicture : .success
  }

  private static func write(
    _ queries: [EvaluatedQuery], isCalibrating: Bool, isJSON: Bool, on console: Console
  ) throws {
    if isCalibrating {
      try write(calibrated: queries, on: console)
    } else if isJSON {
      try console.output.writeJSON(EvaluationDocument(EvaluationReport(queries)))
    } else {
      let report = EvaluationReport(queries)
      try console.output.write(EvaluationText(report: report, console: console).text)
    }
  }

  /// With fewer queries that have a correct entity, the coefficients would fit noise.
  private static let leastCalibration = 50

  private static func write(calibrated queries: [EvaluatedQuery], on console: Console) throws {
    let positives = queries.count(where: \.isPositive)
    guard positives >= leastCalibration else {
      throw CommandFailure(
        .failure,
        "a calibration requires \(leastCalibration) queries with a correct entity; found \(positives)"
      )
    }
    let even = queries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let odd = queries.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    let unseen = EvaluationReport(CalibrationFit(even).applied(to: odd))
    try console.output.write(
      "Every other query, with coefficients fitted on the rest:\n\n"
        + EvaluationText(report: unseen, console: console).figures + "\n")
    var table = TextTable(columns: [
      .init("LEFT OUT"), .init("RECALL@1", .right), .init("AT 1 % FALSE", .right),
      .init("CALIBRATION ERROR", .right),
    ])
    for kind in [nil] + CalibrationFit.kinds.map(Optional.some) {
      let fit = CalibrationFit(even, excluding: kind.map { [$0] } ?? [])
      let report = EvaluationReport(fit.applied(to: odd))
      table.append([
        kind?.rawValue ?? "nothing", EvaluationText.share(report.recall.at1),
        report.recallAt1PercentFalse.map(EvaluationText.share) ?? "",
        EvaluationText.share(report.calibrationError),
      ])
    }
    for line in table.lines(width: console.width) { try console.output.writeLine(line) }
    try console.output.writeLine("\nCoefficients fitted on all:\n")
    for line in CalibrationFit(queries).lines { try console.output.writeLine(line) }
  }
}

/// Runs the queries of some files, one file after the other.
private struct Evaluation {
  let pool: WorkerPool
  let console: Console
  let isQuiet: Bool
  let withLabels: Bool
  let andWithout: Bool

  typealias Outcome = Result<EvaluatedQuery, PictureFailure>

  /// The outcomes of a file's queries.
  func ask(_ file: String, _ directory: String) async throws -> [Outcome] {
    let items = try items(of: file)
    let matcher = Matcher(catalogue: try Catalogue(directory: directory), pool: pool)
    for item in items { try await matcher.checkTruth(of: item.query, in: file) }
    let line = ProgressLine("evaluating", on: console.diagnostics)
    var outcomes: [Outcome] = []
    try await forEachInOrder(items, on: pool) { item in
      try await Self.evaluate(item, matcher)
    } take: { outcome in
      outcomes.append(outcome)
      if !isQuiet { line.update(done: outcomes.count, total: items.count, refused: 0) }
    }
    line.finish()
    for (item, outcome) in zip(items, outcomes) {
      guard case .failure(let failure) = outcome else { continue }
      console.diagnostics.warning(failure.sentence(about: item.path))
    }
    return outcomes
  }

  private func items(of file: String) throws -> [Item] {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let queries = try Self.queries(in: file)
    var items = queries.map { Item(query: $0, folder: folder, withLabels: withLabels) }
    if andWithout {
      items += queries.filter { !$0.labels.isEmpty }
        .map { Item(query: $0, folder: folder, withLabels: false) }
      items += Self.mislabelled(queries).map { Item(query: $0, folder: folder, withLabels: true) }
    }
    return items
  }

  /// Every fourth query with labels, with the labels of the next query that shares none with it:
  /// labels are sometimes wrong, and a fit must learn the cost of that.
  private static func mislabelled(_ queries: [EvaluationQuery]) -> [EvaluationQuery] {
    let labelled = queries.filter { !$0.labels.isEmpty }
    return stride(from: 0, to: labelled.count, by: 4).compactMap { index in
      let query = labelled[index]
      let others = labelled[(index + 1)...] + labelled[..<index]
      let other = others.first { Set($0.labels).isDisjoint(with: query.labels) }
      return other.map { query.labelled($0.labels) }
    }
  }

  private struct Item: Sendable {
    let query: EvaluationQuery
    let folder: String
    let withLabels: Bool

    var path: String { query.image.hasPrefix("/") ? query.image : folder + query.image }
  }

  @concurrent private static func evaluate(
    _ item: Item, _ matcher: Matcher
  ) async throws -> Outcome {
    switch decoded(item.path) {
    case .failure(let failure):
      try failure.rethrowCancellation()
      return .failure(failure)
    case .success(let picture):
      return .success(
        try await matcher.evaluate(item.query, picture: picture, withLabels: item.withLabels))
    }
  }

  private static func decoded(_ path: String) -> Result<PixelBuffer, PictureFailure> {
    let decoder = ImageDecoder()
    return Result { () throws(DecodeError) in
      try decoder.decode(decoder.contents(ofFile: path), longerSide: QuerySignature.workingSide)
    }.mapError(PictureFailure.init)
  }

  private static func queries(in file: String) throws -> [EvaluationQuery] {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder().contents(ofFile: file)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(file)': \(error.message)")
    }
    let queries: [EvaluationQuery]
    do throws(EvaluationError) {
      queries = try EvaluationQuery.read(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(.failure, "'\(file)', line \(error.line): \(error.message)")
    }
    guard !queries.isEmpty else { throw CommandFailure(.failure, "'\(file)' contains no queries") }
    return queries
  }
}
