import PixelMatch
import Reading
import VisualQuery

/// Runs the queries of some files, one file after the other.
struct Evaluation: Sendable {
  let pool: WorkerPool
  let console: Console
  let isQuiet: Bool
  let withLabels: Bool
  let andWithout: Bool
  let subject: QuerySubject
  /// The models that read text, or `nil` if none is read.
  let models: ReadingModels?
  /// True if what is similar counts, too.
  var withSimilar = false
  /// True if each query is asked for a fit of the shop: also as if the shop did not have what the image shows.
  var isForFit = false
  /// Returns the rules to try with a catalogue, or `nil` for none.
  let rules: @Sendable (Catalogue) throws -> ShopRules?

  typealias Outcome = Result<EvaluatedQuery, PictureFailure>

  /// A query with its outcome, and the catalogue that it was asked of.
  struct Asked: Sendable {
    let item: Item
    let outcome: Outcome
    let matcher: Matcher

    /// The query for a report, or `nil` if its image could not be read.
    var drawn: EvaluationDrawings.Asked? {
      guard case .success(let query) = outcome else { return nil }
      return EvaluationDrawings.Asked(
        query: query, labels: item.withLabels ? query.query.labels : [], matcher: matcher,
        pixels: { [item] in try? Evaluation.decoded(item.path).get() })
    }
  }

  /// The outcomes of a file's queries.
  ///
  /// - Parameter catalogue: Opens the catalogue, once the file is known to be sound.
  func ask(_ file: String, of catalogue: () async throws -> Catalogue) async throws -> [Asked] {
    let items = try items(of: file)
    let matcher = try matcher(of: try await catalogue())
    try await matcher.checkTruth(of: items.map(\.query), in: file)
    let line = ProgressLine("evaluating", on: console.diagnostics)
    var outcomes: [Outcome] = []
    try await forEachInOrder(items, on: pool) { item in
      try await evaluate(item, matcher)
    } take: { outcome in
      outcomes.append(outcome)
      if !isQuiet { line.update(done: outcomes.count, total: items.count, refused: 0) }
    }
    line.finish()
    for (item, outcome) in zip(items, outcomes) {
      guard case .failure(let failure) = outcome else { continue }
      console.diagnostics.warning(failure.sentence(about: item.path))
    }
    return zip(items, outcomes).map { Asked(item: $0, outcome: $1, matcher: matcher) }
  }

  private func matcher(of catalogue: Catalogue) throws -> Matcher {
    var matcher = Matcher(catalogue: catalogue, pool: pool)
    matcher.models = models
    matcher.rules = try rules(catalogue)
    if let models { try TextModels.warnOfOthers(models, catalogue, console) }
    if !isForFit { FitCommand.warnOfOther(catalogue, console) }
    return matcher
  }

  private func items(of file: String) throws -> [Item] {
    let file = try QueryFile(file, warningOn: console.diagnostics)
    let queries = file.queries
    func item(_ query: EvaluationQuery, withLabels: Bool) -> Item {
      Item(query: query, path: file.path(of: query), withLabels: withLabels)
    }
    var items = queries.map { item($0, withLabels: withLabels) }
    if andWithout {
      items += queries.filter { !$0.labels.isEmpty }
        .map { item($0, withLabels: false) }
      if subject == .anything {
        items += Self.mislabelled(queries).map { item($0, withLabels: true) }
      }
    }
    return items
  }

  /// Returns every fourth query with labels, with the labels of the next query that shares none with it. Labels are
  /// sometimes wrong, and a fit must learn what that costs.
  private static func mislabelled(_ queries: [EvaluationQuery]) -> [EvaluationQuery] {
    let labelled = queries.filter { !$0.labels.isEmpty }
    return stride(from: 0, to: labelled.count, by: 4).compactMap { index in
      let query = labelled[index]
      let others = labelled[(index + 1)...] + labelled[..<index]
      let other = others.first { Set($0.labels).isDisjoint(with: query.labels) }
      return other.map { query.labelled($0.labels) }
    }
  }

  /// A query as it is asked.
  struct Item: Sendable {
    let query: EvaluationQuery
    let path: String
    let withLabels: Bool
  }

  @concurrent private func evaluate(
    _ item: Item, _ matcher: Matcher
  ) async throws -> Outcome {
    if let text = item.query.signature {
      let signature: QuerySignature
      do throws(SignatureError) {
        signature = try QuerySignature(text: text)
      } catch {
        return .failure(PictureFailure(DecodeError(code: .corrupt, message: error.message)))
      }
      return .success(
        try await asked(item.query, matcher) { matcher in
          try await matcher.evaluate(
            item.query, signature: signature, withLabels: item.withLabels, subject: subject,
            withSimilar: withSimilar)
        })
    }
    switch Self.decoded(item.path) {
    case .failure(let failure):
      try failure.rethrowCancellation()
      return .failure(failure)
    case .success(let picture):
      return .success(
        try await asked(item.query, matcher) { matcher in
          try await matcher.evaluate(
            item.query, picture: picture, withLabels: item.withLabels, subject: subject,
            withSimilar: withSimilar)
        })
    }
  }

  private func asked(
    _ query: EvaluationQuery, _ matcher: Matcher,
    ask: (Matcher) async throws -> EvaluatedQuery
  ) async throws -> EvaluatedQuery {
    isForFit
      ? try await matcher.evaluateWithAndWithout(query, ask: ask) : try await ask(matcher)
  }

  static func decoded(_ path: String) -> Result<PixelBuffer, PictureFailure> {
    let decoder = ImageDecoder()
    return Result { () throws(DecodeError) in
      try decoder.decode(decoder.contents(ofFile: path), longerSide: QuerySignature.workingSide)
    }.mapError(PictureFailure.init)
  }
}
