import HTTPServer
import PixelMatch
import VisualQuery

/// `POST /v1/evaluations`: the report of `vq eval --report` on images that come along.
extension CheckHandlers {
  /// The most queries of an evaluation.
  static let evaluationLimit = 500
  /// The part of a form that has the queries.
  private static let queriesPart = "queries"

  func evaluation(_ request: HTTPRequest, _ form: MatchForm) async throws -> HTTPResponse {
    guard case .multipart(let boundary) = form else { throw MatchForm.isNotMultipart }
    var fields = RequestFields(request.info.head.query)
    let subject: QuerySubject = try fields.choice("subject") ?? .anything
    try fields.finish()
    let (queries, warnings) = try await queries(of: request.body, boundary)
    let page = try await shop.evaluations.page(
      of: queries, subject, in: try catalogue.newest(),
      remarks: QueryWarnings.sentences(warnings).map { "In the queries, \($0)" })
    // The report is downloaded as a file, and its sandbox keeps it from acting as a page of
    // this server.
    return HTTPResponse(
      status: 200,
      [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
        "Content-Disposition": "attachment; filename=\"evaluation.html\"",
        "Content-Security-Policy": "sandbox",
      ], body: Array(page.text.utf8))
  }

  /// Reads a form: the queries, and a part for each image that they name; and warnings of keys that are nearly known
  /// ones.
  private func queries(
    of body: [UInt8], _ boundary: String
  ) async throws -> (queries: [Evaluations.Query], warnings: [EvaluationError]) {
    let parts = try Multipart.parts(
      of: body, boundary: boundary, partLimit: Self.evaluationLimit + 1)
    guard let list = parts.first(where: { $0.name == Self.queriesPart }) else {
      throw Problem(
        .invalidField, "the form has no part 'queries' with a JSON object on each line",
        field: Self.queriesPart)
    }
    let queries: [EvaluationQuery]
    var warnings: [EvaluationError] = []
    do throws(EvaluationError) {
      queries = try EvaluationQuery.read(String(decoding: body[list.content], as: UTF8.self)) {
        warnings.append($0)
      }
    } catch {
      throw Problem(
        .invalidField, "line \(error.line) of 'queries': \(error.message)", field: Self.queriesPart)
    }
    guard (1...Self.evaluationLimit).contains(queries.count) else {
      throw Problem(
        .invalidField,
        "'queries' has \(queries.count) lines; accepted are 1 to \(Self.evaluationLimit)",
        field: Self.queriesPart, limit: Self.evaluationLimit)
    }
    try await checkTruth(of: queries)
    let images = Dictionary(parts.map { ($0.name, $0) }) { first, _ in first }
    let decoder = ImageDecoder(limits: settings.decodeLimits, formats: settings.formats)
    let asked = try queries.map { query in
      if query.signature != nil {
        return Evaluations.Query(query: query, image: [], decoder: decoder)
      }
      guard let part = images[query.image] else {
        throw Problem(
          .invalidField,
          "there is no part '\(query.image.excerpt)', which 'queries' names as an image",
          field: Self.queriesPart)
      }
      return Evaluations.Query(query: query, image: Array(body[part.content]), decoder: decoder)
    }
    return (asked, warnings)
  }

  /// Checks the right answers, so that a mistyped one is not counted as a miss.
  func checkTruth(of queries: [EvaluationQuery]) async throws {
    let lookup = EntityLookup(catalogue: try catalogue.newest(), pool: pool)
    for query in queries {
      for value in query.truth {
        let ids = EvaluationQuery.ids(named: value)
        guard try await lookup.entities(for: ids).isEmpty else { continue }
        throw Problem(
          .invalidField, "the shop has no entity '\(value.excerpt)' of 'truth'", field: "truth")
      }
    }
  }
}

/// `POST /v1/evaluations:figures`: the figures of queries that the client has asked.
extension CheckHandlers {
  /// The most right ids of a query.
  static let truthLimit = 200
  /// The most characters of an id with its type.
  static let idLength = 264

  func evaluationFigures(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let asked = try fields.objects("queries", limit: Self.evaluationLimit).map(Self.outcome)
    try fields.finish()
    guard !asked.isEmpty else {
      throw fields.problem("queries", "a list of 1 to \(Self.evaluationLimit) objects")
    }
    let queries = asked.map(\.query)
    return untagged(
      EvaluationFiguresDocument(
        figures: EvaluationFigures(EvaluationReport(queries)),
        incomplete: asked.count { !$0.isComplete },
        wrong: EvaluationReport.wrong(among: queries)))
  }

  private static func outcome(
    _ given: RequestFields
  ) throws -> (query: EvaluatedQuery, isComplete: Bool) {
    var fields = given
    guard let truth = try fields.words("truth", limit: truthLimit, length: idLength) else {
      throw fields.problem(
        "truth", "the ids that are right, none if the shop has nothing of the kind")
    }
    let answers = try fields.objects("answers", limit: EvaluatedQuery.answerLimit).map { given in
      var answer = given
      guard let id = try answer.text("id", limit: idLength).flatMap({ EntityID($0) }) else {
        throw answer.problem("id", "a type and an id such as product:mug-red")
      }
      guard let confidence = try answer.number("confidence", in: 0...1) else {
        throw answer.problem("confidence", "a number in 0…1")
      }
      try answer.finish()
      return EvaluatedQuery.Answer(id: id, confidence: confidence)
    }
    let isComplete = try fields.flag("complete") ?? true
    try fields.finish()
    return (
      EvaluatedQuery(EvaluationQuery(truth: truth), answers: answers), isComplete
    )
  }
}

/// The figures of queries that the client has asked.
struct EvaluationFiguresDocument: Sendable, Encodable {
  let figures: EvaluationFigures
  /// The number of searches that the deadline stopped.
  let incomplete: Int
  /// See ``EvaluationReport/wrong(among:cutOff:)``.
  let wrong: [Int]

  private enum CodingKeys: CodingKey { case incomplete, wrong }

  func encode(to encoder: any Encoder) throws {
    try figures.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(incomplete, forKey: .incomplete)
    try container.encode(wrong, forKey: .wrong)
  }
}

/// Evaluations, of which one runs at a time, on one thread.
actor Evaluations {
  /// The time for asking. Queries that were not asked until then are left out, and reported.
  static let timeLimit = Duration.seconds(45)

  /// A query with the bytes of its image.
  struct Query: Sendable {
    let query: EvaluationQuery
    let image: [UInt8]
    let decoder: ImageDecoder

    func pixels() throws(DecodeError) -> PixelBuffer {
      try decoder.decode(image, longerSide: QuerySignature.workingSide)
    }
  }

  private var isRunning = false
  private let pool = WorkerPool(width: 1)

  /// Asks the queries and returns their report.
  ///
  /// - Throws: ``Problem`` with the code `overloaded` while another evaluation runs.
  func page(
    of queries: [Query], _ subject: QuerySubject, in catalogue: Catalogue, remarks: [String]
  ) async throws -> ReportPage {
    guard !isRunning else {
      throw Problem(
        .overloaded, "another evaluation is running; try again", retryAfter: 10)
    }
    isRunning = true
    defer { isRunning = false }
    return try await withTaskExecutorPreference(pool) { @concurrent [pool] in
      try await Self.page(
        of: queries, subject, Matcher(catalogue: catalogue, pool: pool), remarks)
    }
  }

  @concurrent private static func page(
    of queries: [Query], _ subject: QuerySubject, _ matcher: Matcher, _ remarks: [String]
  ) async throws -> ReportPage {
    let end = ContinuousClock.now + timeLimit
    var asked: [EvaluationDrawings.Asked] = []
    var failures = 0
    var rest = queries[...]
    while let query = rest.first, ContinuousClock.now < end {
      rest.removeFirst()
      do {
        let outcome = try await outcome(of: query, subject, matcher)
        asked.append(
          EvaluationDrawings.Asked(
            query: outcome, labels: query.query.labels, matcher: matcher,
            pixels: { try? query.pixels() }))
      } catch let error as DecodeError where error.code != .cancelled {
        failures += 1
      } catch is SignatureError {
        failures += 1
      }
    }
    var page = try await EvaluationDrawings.page(of: asked, failures: failures)
    page.remarks = remarks
    if !rest.isEmpty {
      page.remarks.append(
        "\(DisplayText.count(rest.count, "query was", "queries were")) not asked: the server stops after "
          + "\(timeLimit.components.seconds) s. 'vq eval --report' asks any number.")
    }
    return page.page
  }

  @concurrent private static func outcome(
    of query: Query, _ subject: QuerySubject, _ matcher: Matcher
  ) async throws -> EvaluatedQuery {
    if let text = query.query.signature {
      return try await matcher.evaluate(
        query.query, signature: try QuerySignature(text: text), withLabels: true, subject: subject)
    }
    return try await matcher.evaluate(
      query.query, picture: try query.pixels(), withLabels: true, subject: subject)
  }
}
