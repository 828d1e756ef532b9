import PixelMatch
import VisualQuery

/// `vq diff`: compares the answers of two generations, or of two indexes.
enum DiffCommand {
  static let before = Option<String?>.path(
    OptionText(
      "before", "the index to compare with",
      detail:
        "Without it: the generation before the last run, which 'vq catalogue rollback' restores."
    ), "DIR", of: .directories)
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and query"))

  static let command = CommandDescription(
    name: "diff",
    summary: "compare the answers of two generations",
    examples: [
      "vq diff queries.jsonl --index shop.vq",
      "vq diff queries.jsonl --before old.vq --index shop.vq --json",
      "vq diff queries.jsonl --rules new-rules.json --index shop.vq",
    ],
    operand: OperandDescription(
      placeholder: "QUERIES", count: 1...1,
      summary: "JSON Lines: an image and the correct ids on each line, as for 'vq eval'",
      completion: .files),
    options: [
      MatchCommand.index.description, before.description, RulesCommand.trial.description,
      MatchCommand.threads.description,
      json.description, IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Changes",
        text: """
          The first match of each query is compared: 'gained' and 'lost' if only the newer or the older \
          index has one, 'other' if it is another entity, 'surer' and 'lessSure' if the confidence differs \
          by 0.05 or more. The exit code is 1 if a query lost its match, for CI.
          With --rules, the index as it is is compared with the same index and these rules, unless --before \
          names another. Then 'order' means that the first match is the same and others moved or are hidden.
          """),
      HelpSection(
        title: "JSON form",
        text: """
          One object per line and query, also for those that are the 'same'.
            {"schema":"vq.diff/1","query":"q1","change":"other",
             "before":{"type":"product","id":"mug-red","confidence":0.97},
             "after":{"type":"product","id":"mug-blue","confidence":0.91}}
          With --rules also 'moved', the matches that changed places: 'before' and 'after' are ranks, and 'after' is null \
          for one that is hidden or was pushed off the page.
             "moved":[{"type":"product","id":"mug-sale","before":4,"after":2,
               "rule":"sale"}]
          """),
    ],
    exitCodes: [
      .success, .failure, .usage, .undecodablePicture, .unusableIndex, .refusedLogin, .interrupted,
    ],
    exitMeanings: [.failure: "a query lost its match, or another error"],
    isRare: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let file = try QueryFile(arguments.operands[0], warningOn: console.diagnostics)
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    let catalogue = try Catalogue(directory: directory)
    let pool = WorkerPool(width: arguments[MatchCommand.threads])
    let rules = try RulesCommand.rules(toTry: arguments, in: catalogue, on: console)
    func compare(_ older: Catalogue) async throws -> ExitCode {
      var newer = Matcher(catalogue: catalogue, pool: pool)
      newer.rules = rules
      let comparison = AnswerComparison(
        before: Matcher(catalogue: older, pool: pool), after: newer,
        comparesOrder: rules != nil)
      var report = DiffReport(
        console: console, isJSON: arguments[json],
        generations: (older.generation, catalogue.generation))
      try await forEachInOrder(file.queries, on: pool) { query in
        try await comparison.compare(query, image: file.path(of: query))
      } take: { result in
        try report.add(result)
      }
      return try report.finish()
    }
    if arguments[before] == nil, rules != nil { return try await compare(catalogue) }
    if let before = arguments[before] { return try await compare(try Catalogue(directory: before)) }
    do {
      return try await CatalogueUpkeep(directory: directory, pool: pool).withPrevious(compare)
    } catch let error as CatalogueError where error.code == .missing && error.file == nil {
      // The index was opened: it is in order, and only the saved generation is missing.
      throw CommandFailure(.failure, error.message)
    }
  }
}

/// Asks two catalogues the same questions, and compares their answers.
struct AnswerComparison: Sendable {
  let before: Matcher
  let after: Matcher
  /// True if the matches behind the first are compared, too.
  let comparesOrder: Bool

  /// The difference of two confidences from which on it is reported.
  static let noticeable = 0.05

  /// The first match of an answer.
  struct First: Sendable, Hashable, Encodable {
    let type: EntityType
    let id: String
    let confidence: Double

    init?(_ response: MatchResponse) {
      guard let match = response.matches.first else { return nil }
      type = match.value.id.type
      id = match.value.id.value
      confidence = min(0.9999, (match.confidence * 10_000).rounded() / 10_000)
    }
  }

  /// The kind of a difference.
  enum Change: String, Sendable, Hashable, Encodable, CaseIterable {
    case same, gained, lost, other, order, surer, lessSure

    init(_ before: First?, _ after: First?) {
      switch (before, after) {
      case (nil, nil): self = .same
      case (nil, _?): self = .gained
      case (_?, nil): self = .lost
      case (let before?, let after?):
        let lead = after.confidence - before.confidence
        self =
          before.type != after.type || before.id != after.id
          ? .other
          : abs(lead) < AnswerComparison.noticeable ? .same : lead > 0 ? .surer : .lessSure
      }
    }
  }

  /// The first matches of a query in both catalogues.
  struct Outcome: Sendable, Encodable {
    let schema = "vq.diff/1"
    let query: String
    let change: Change
    let before: First?
    let after: First?
    /// True if the first match is right; `nil` if the query has no correct entity.
    let isRight: (before: Bool, after: Bool)?
    /// The matches that changed places, or `nil` if that was not compared.
    let moved: [Moved]?

    private enum CodingKeys: CodingKey { case schema, query, change, before, after, moved }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(schema, forKey: .schema)
      try container.encode(query, forKey: .query)
      try container.encode(change, forKey: .change)
      try container.encode(before, forKey: .before)
      try container.encode(after, forKey: .after)
      try container.encodeIfPresent(moved, forKey: .moved)
    }
  }

  /// A match with another rank.
  struct Moved: Sendable, Hashable, Encodable {
    let id: EntityID
    let before: Int?
    let after: Int?
    /// The rule that moved it.
    let rule: String?

    private enum CodingKeys: CodingKey { case type, id, before, after, rule }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id.type, forKey: .type)
      try container.encode(id.value, forKey: .id)
      try container.encode(before, forKey: .before)
      try container.encode(after, forKey: .after)
      try container.encodeIfPresent(rule, forKey: .rule)
    }
  }

  /// Returns the matches that changed places, in the order of their ranks before; new ones come last.
  private static func moved(_ old: [Match], _ new: [Match]) -> [Moved] {
    let before = Dictionary(old.map { ($0.value.id, $0.rank) }) { first, _ in first }
    let after = Dictionary(new.map { ($0.value.id, $0) }) { first, _ in first }
    let ids = old.map(\.value.id) + new.map(\.value.id).filter { before[$0] == nil }
    return ids.compactMap { id in
      before[id] == after[id]?.rank
        ? nil
        : Moved(id: id, before: before[id], after: after[id]?.rank, rule: after[id]?.rule)
    }
  }

  /// Asks both catalogues for an image, which is decoded once.
  @concurrent func compare(
    _ query: EvaluationQuery, image: String
  ) async throws -> Result<Outcome, PictureFailure> {
    var content: SemanticContent
    do throws(DecodeError) {
      let decoder = ImageDecoder()
      let picture = try decoder.decode(
        decoder.contents(ofFile: image), longerSide: QuerySignature.workingSide)
      content = SemanticContent(labels: query.labels, pixelBuffer: picture)
      content.text = query.text
    } catch {
      let failure = PictureFailure(error)
      try failure.rethrowCancellation()
      return .failure(failure)
    }
    // Without a deadline, an answer does not depend on how busy the machine is.
    let options = MatchOptions(timeout: nil)
    let old = try await before.values(for: content, options: options)
    let new = try await after.values(for: content, options: options)
    let (first, second) = (First(old), First(new))
    func isRight(_ response: MatchResponse) -> Bool {
      response.matches.first.map { query.isRight($0.value.id) } ?? false
    }
    let moved = comparesOrder ? Self.moved(old.matches, new.matches) : nil
    let change = Change(first, second)
    return .success(
      Outcome(
        query: query.query, change: change == .same && moved?.isEmpty == false ? .order : change,
        before: first, after: second,
        isRight: query.truth.isEmpty ? nil : (isRight(old), isRight(new)), moved: moved))
  }
}

/// Writes the differences, and counts them.
struct DiffReport {
  let console: Console
  let isJSON: Bool
  let generations: (before: Int, after: Int)
  private var counts: [AnswerComparison.Change: Int] = [:]
  private var failures = 0
  private var right = (of: 0, before: 0, after: 0)
  private var table = TextTable(columns: [
    .init("CHANGE"), .init("QUERY", minimumWidth: 10), .init("BEFORE", minimumWidth: 12),
    .init("AFTER", minimumWidth: 12),
  ])

  init(console: Console, isJSON: Bool, generations: (before: Int, after: Int)) {
    self.console = console
    self.isJSON = isJSON
    self.generations = generations
  }

  mutating func add(_ result: Result<AnswerComparison.Outcome, PictureFailure>) throws {
    switch result {
    case .failure(let failure):
      failures += 1
      console.diagnostics.error("cannot \(failure.verb) an image of a query: \(failure.message)")
    case .success(let outcome):
      counts[outcome.change, default: 0] += 1
      if let isRight = outcome.isRight {
        right = (
          right.of + 1, right.before + (isRight.before ? 1 : 0),
          right.after + (isRight.after ? 1 : 0)
        )
      }
      if isJSON { return try console.output.writeJSON(outcome) }
      if outcome.change == .order {
        for moved in outcome.moved ?? [] {
          let rule = moved.rule.map { " by '\($0)'" } ?? ""
          table.append([
            outcome.change.rawValue, outcome.query,
            moved.before.map { "#\($0) \(moved.id.value)" } ?? "none",
            (moved.after.map { "#\($0) \(moved.id.value)" } ?? "none") + rule,
          ])
        }
      } else if outcome.change != .same {
        table.append([
          outcome.change.rawValue, outcome.query, Self.text(outcome.before),
          Self.text(outcome.after),
        ])
      }
    }
  }

  /// Writes the table and the counts, and returns the exit code.
  func finish() throws -> ExitCode {
    if !isJSON {
      let changed = counts.filter { $0.key != .same }.values.reduce(0, +)
      if changed > 0 {
        for line in table.lines(width: console.width, usesColor: console.usesColor) {
          try console.output.writeLine(line)
        }
      }
      let total = counts.values.reduce(0, +)
      let parts = AnswerComparison.Change.allCases.compactMap { change in
        counts[change].map { "\($0) \(change.rawValue)" }
      }
      try console.output.writeLine(
        "\(DisplayText.count(total, "query", "queries")), generation \(generations.before) to "
          + "\(generations.after): \(parts.joined(separator: ", ")).")
      if right.of > 0 {
        try console.output.writeLine(
          "Right first match: \(right.before) before, \(right.after) after, of \(right.of).")
      }
    }
    if failures > 0 { return .undecodablePicture }
    return counts[.lost, default: 0] > 0 ? .failure : .success
  }

  private static func text(_ first: AnswerComparison.First?) -> String {
    first.map { "\($0.id) \(DisplayText.confidence($0.confidence))" } ?? "none"
  }
}
