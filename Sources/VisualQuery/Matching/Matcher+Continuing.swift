internal import PixelMatch

extension Matcher {
  /// How many generations long a continuation can be used.
  public static let continuationLifetime = Continuation.lifetime

  /// Returns the next page of a search, without its picture.
  ///
  /// In the generation that the search was made in, the pages together are what one search with
  /// a larger limit gives. In a newer one, the search is made again with the picture's signature,
  /// without its corners, and what was shown already is left out.
  ///
  /// - Parameters:
  ///   - token: ``MatchResponse/continuation`` of the page before.
  ///   - limit: The most matches on this page; `nil` means as many as on the first.
  ///   - fromStart: Whether to show what was shown again.
  ///   - timeout: As ``MatchOptions/timeout``.
  /// - Throws: ``MatchError`` with the code `invalidToken` where the token is of another catalogue or
  ///   was altered, `expiredToken` where it is ``continuationLifetime`` generations old; else as
  ///   ``values(for:options:)``.
  public func values(
    continuing token: String, limit: Int? = nil, fromStart: Bool = false,
    timeout: Duration? = .milliseconds(300)
  ) async throws -> MatchResponse {
    let deadline = timeout.map { now() + $0 }
    return try await cancelling {
      try await withTaskExecutorPreference(pool) {
        try await page(token, limit, fromStart: fromStart, deadline)
      }
    }
  }

  @concurrent private func page(
    _ token: String, _ limit: Int?, fromStart: Bool, _ deadline: Duration?
  ) async throws -> MatchResponse {
    var continuation = try Continuation(token: token, catalogue: catalogue)
    if fromStart {
      for place in continuation.entries.indices { continuation.entries[place].isShown = false }
    }
    var options = continuation.options
    if let limit { options.limit = limit }
    let content = SemanticContent(
      labels: continuation.question.labels,
      signature: try Self.signature(continuation.signature))
    if continuation.generation == catalogue.generation {
      return try response(to: continuation, options, nil, content)
    }
    let examined = try await examined(content, options, deadline: deadline)
    let shown = Set(continuation.entries.filter(\.isShown).map(\.scored.key))
    let list = try ranked(examined, options)
    var renewed = Continuation(
      content.labels, signature: content.signature, options, list.entities, in: catalogue)
    for place in renewed.entries.indices {
      renewed.entries[place].isShown = shown.contains(renewed.entries[place].scored.key)
    }
    return try response(to: renewed, options, (examined, list.isWhole), content)
  }

  private static func signature(_ bytes: [UInt8]) throws(MatchError) -> QuerySignature? {
    if bytes.isEmpty { return nil }
    do throws(SignatureError) {
      return try QuerySignature(compactBytes: bytes)
    } catch {
      throw MatchError(code: .expiredToken, message: "\(error.message); search again")
    }
  }

  /// The page behind what is shown.
  private func response(
    to continuation: Continuation, _ options: MatchOptions,
    _ search: (examined: Examination, isWhole: Bool)?,
    _ content: SemanticContent
  ) throws -> MatchResponse {
    try catalogue.checkUnchanged()
    let entries = continuation.entries
    let first = entries.count(where: \.isShown)
    let page = Ranking.page(
      of: entries.map(\.scored.type), notShown: { !entries[$0].isShown }, options: options)
    let scored = page.map { entries[$0].scored }
    let values = try catalogue.entities(keys: scored.map(\.key))
    let matches = scored.enumerated().compactMap { place, entity in
      values[entity.key].map {
        match(entity, $0, rank: first + place + 1, search?.examined.signature, options)
      }
    }
    return MatchResponse(
      matches: matches,
      isComplete: search.map { $0.examined.isComplete && $0.isWhole } ?? true,
      coverage: search.map { $0.isWhole ? $0.examined.coverage : $0.examined.partialCoverage }
        ?? 1,
      minimumConfidence: cutOff(options, hasPicture: content.signature != nil),
      generation: catalogue.generation,
      emptyReason: matches.isEmpty ? .nothingAboveConfidence : nil,
      unmatchedLabels: search?.examined.labels.unmatched ?? [],
      hasMore: entries.count > first + page.count,
      continuation: continuation.showing(page).sealed(by: catalogue), nearMiss: nil)
  }
}
