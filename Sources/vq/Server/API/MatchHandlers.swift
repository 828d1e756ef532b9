import HTTPServer
import PixelMatch
import Synchronization
import VisualQuery

/// `POST /v1/match`.
struct MatchHandlers: Handlers {
  let shop: ShopContext

  /// - Parameter continues: True if the body must be a continuation, false if it must not, `nil` if it may.
  func match(
    _ request: HTTPRequest, _ form: MatchForm, continues: Bool? = nil
  ) async throws -> HTTPResponse {
    let time = request.time
    var matcher = matcher(try catalogue.newest(), request, clock: time)
    matcher.models = settings.models
    let (question, picture) = try read(request, form, matcher, continues: continues)
    matcher.onStep = shop.watch(request.info.identity)
    let deadline = request.arrival + settings.deadlines.deadline(question.deadline)
    let facetQuestion = question.facetQuestion
    // Checked before the image is decoded, and again by the search itself.
    try matcher.fields.check(question)
    let clock = ContinuousClock()
    let start = clock.now
    var decoded = start
    let response: MatchResponse
    let arm = try arm(of: question, matcher)
    if arm == "B" { matcher.rules = settings.trialRules }
    var profile: PictureProfile?
    var damage: DecodeError?
    if let continuation = question.continuation {
      // A refresh checks the conditions of the earlier question, too: one of its fields may no longer be public.
      response = try await matcher.values(
        continuing: continuation, limit: question.limit,
        fromStart: question.beginsAgain ?? false, refresh: question.refreshes ?? false,
        matching: question.conditions ?? [],
        timeout: time.remaining(until: deadline))
    } else {
      let content = try await content(
        of: picture, question, matcher, timeout: time.remaining(until: deadline))
      decoded = clock.now
      profile = content.pictureProfile
      damage = content.pictureDamage
      var options = question.options(timeout: time.remaining(until: deadline))
      options.arm = arm
      options.endsEarly = true
      let counted = shop.counted(question, content, arm: arm, matcher.catalogue, request)
      options.counted = counted?.answer
      response = try await matcher.values(for: content, options: options)
      shop.note(response, of: question, counted)
    }
    let end = clock.now
    note(response, requestID: request.info.identity.id)
    // No deadline from here on: an answer that was found is always sent.
    let projection = try await EntityLookup(catalogue: matcher.catalogue, pool: pool)
      .publicProjection(of: response.entityIDs)
    let facets = try await facets(facetQuestion, of: response, matcher)
    let document = MatchDocument(
      response, query: "request", elapsed: end - request.arrival, profile: profile, damage: damage,
      projection: projection, facets: facets)
    var answer = HTTPResponse(
      status: 200, ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: JSONBody.encoded(document))
    answer.set(language: question.locale)
    answer.set(
      "Server-Timing",
      "decode;dur=\(Milliseconds.text(decoded - start)), search;dur=\(Milliseconds.text(end - decoded))"
    )
    metrics.countOverrun(clock.now - min(deadline, time.endedAt ?? deadline))
    return answer
  }

  /// Returns the side of an experiment that a question is on; that of a further page is that of its search.
  private func arm(of question: Question, _ matcher: Matcher) throws(MatchError) -> String? {
    guard settings.trialRules != nil else { return nil }
    if let token = question.continuation { return try matcher.options(of: token).arm }
    return question.caller.map(Matcher.arm)
  }

  private func read(
    _ request: HTTPRequest, _ form: MatchForm, _ matcher: Matcher, continues: Bool?
  ) throws -> (Question, picture: [UInt8]?) {
    let head = request.info.head
    let language = LanguageRange.preferred(head.fields)
    func question(_ fields: RequestFields, hasPicture: Bool) throws(Problem) -> Question {
      try Question(
        fields, hasPicture: hasPicture, language: language,
        searchesByWords: matcher.searchesByWords)
    }
    if form == .picture {
      return (try question(RequestFields(head.query), hasPicture: true), request.body)
    }
    // If the question is in a form or in JSON, the query string must be empty, so that no field is
    // given twice.
    try RequestFields(head.query).finish()
    guard case .multipart(let boundary) = form else {
      let fields = try RequestFields(json: request.body)
      try Self.check(fields, continues: continues)
      return (try question(fields, hasPicture: false), nil)
    }
    let parts = try Multipart.parts(of: request.body, boundary: boundary)
    if let other = parts.first(where: { $0.name != "image" && $0.name != "request" }) {
      throw Problem(
        .invalidField, "there is no part '\(other.name.excerpt)' here; send 'image' and 'request'",
        field: other.name.excerpt)
    }
    let picture = parts.first { $0.name == "image" }.map { Array(request.body[$0.content]) }
    let json = parts.first { $0.name == "request" }.map { Array(request.body[$0.content]) }
    guard (json?.count ?? 0) <= BodyLimits.question else {
      throw Problem(
        .bodyTooLarge, "the part 'request' has more than \(BodyLimits.question) bytes",
        field: "request", limit: BodyLimits.question)
    }
    let fields = try json.map { json throws(Problem) in try RequestFields(json: json) }
    return (
      try question(fields ?? RequestFields([]), hasPicture: picture != nil), picture
    )
  }

  /// Rejects a question where a continuation is expected, and the other way around.
  private static func check(_ fields: RequestFields, continues: Bool?) throws(Problem) {
    let name = Question.continuation.name
    if continues == true, !fields.has(name) {
      throw fields.problem(name, "that of an earlier answer")
    }
    if continues == false {
      try fields.refuse([name], "has a path of its own, /v1/match:continue")
    }
  }

  private func facets(
    _ question: FacetQuestion?, of response: MatchResponse, _ matcher: Matcher
  ) async throws -> FacetsDocument? {
    guard let question else { return nil }
    let found = try await matcher.facets(question, of: response)
    return FacetsDocument(found.facets, entityCount: found.entityCount)
  }

  /// Returns what a question asks with: its image, decoded, and the fields about it.
  func content(
    of picture: [UInt8]?, _ question: Question, _ matcher: Matcher, timeout: Duration
  ) async throws -> SemanticContent {
    var content = try await contentWithoutCodes(of: picture, question, matcher, timeout: timeout)
    content.codes = question.codes ?? []
    content.texts = (question.texts ?? []).map(\.line)
    content.text = question.text ?? ""
    content.embedding = question.embedding
    return content
  }

  private func contentWithoutCodes(
    of picture: [UInt8]?, _ question: Question, _ matcher: Matcher, timeout: Duration
  ) async throws -> SemanticContent {
    guard let picture else {
      return SemanticContent(labels: question.labels ?? [], signature: question.signature)
    }
    do {
      return try await matcher.content(
        decoding: picture, labels: question.labels ?? [], region: question.region,
        decoder: ImageDecoder(
          limits: settings.decodeLimits, keepsTruncated: question.isTolerant ?? false,
          keepsDamaged: true,
          formats: settings.formats),
        timeout: timeout)
    } catch let error as DecodeError {
      throw Problem(error, of: picture, limits: settings.decodeLimits)
    }
  }

  /// The time for which `/readyz` tells of a damaged shard after the last answer that noticed it. Only questions
  /// tell that a shard was repaired.
  private static let shardDamageInterval = Duration.seconds(600)

  /// Counts the outcome of a question, and logs the failures of shards.
  private func note(_ response: MatchResponse, requestID: String) {
    for (number, error) in response.diagnostics.missingShards.sorted(by: { $0.key < $1.key }) {
      metrics.countShard(number, isMissing: true)
      log.write(
        "shard", "shard \(number) was not searched: \(error.message)", level: "error",
        requestID: requestID)
    }
    for (number, rows) in response.diagnostics.damagedRows.sorted(by: { $0.key < $1.key }) {
      metrics.countShard(number, damagedRows: rows.count)
      log.write("shard", rows.text(shard: number), level: "error", requestID: requestID)
      shop.degradations.report(
        .damagedShard,
        "shard \(number) lacks rows or has damaged ones; answers that need them are incomplete",
        for: Self.shardDamageInterval)
    }
    metrics.countAnswer(
      !response.isComplete ? "incomplete" : response.matches.isEmpty ? "empty" : "matched")
    guard !response.unmatchedLabels.isEmpty else { return }
    shop.unmatched.withLock { labels in
      if labels.count < UnmatchedLabels.limit { labels += response.unmatchedLabels }
    }
  }
}

extension DamagedRows {
  /// The warning about the rows of a shard.
  func text(shard number: Int) -> String {
    "shard \(number): \(DisplayText.count(count, "damaged row was", "damaged rows were")) left out; \(example)"
  }
}
