internal import PixelMatch

extension Matcher {
  /// The number of generations for which a continuation can be used.
  package static let continuationLifetime = Continuation.lifetime

  /// Returns the next page of a search, without its image.
  ///
  /// All pages together equal one search with a larger limit. In a newer generation they lack the
  /// entities that are gone, and show the others as they are now; new entities are found only by
  /// `refresh`.
  ///
  /// - Parameters:
  ///   - token: ``MatchResponse/continuation`` of the page before.
  ///   - limit: The most matches on this page, or `nil` for the limit of the first page.
  ///   - fromStart: True to begin with the first page again.
  ///   - refresh: True to search again, with the image's signature without its keypoints, and to leave
  ///     out what was shown already.
  ///   - conditions: Further conditions that the matches must meet, besides those of the question. The list then begins anew with those
  ///     of the search that meet them; with `refresh`, all are searched again that do. The continuation of the answer keeps them.
  ///   - timeout: As ``MatchOptions/timeout``.
  /// - Throws: ``MatchError`` with the code `invalidToken` if the token belongs to another catalogue or
  ///   was altered, or `expiredToken` if it is 100 generations old; otherwise the
  ///   errors of ``values(for:options:)``.
  public func values(
    continuing token: String, limit: Int? = nil, fromStart: Bool = false, refresh: Bool = false,
    matching conditions: [EntityComparator] = [],
    timeout: Duration? = MatchOptions().timeout
  ) async throws -> MatchResponse {
    let deadline = timeout.map { now() + $0 }
    return try await cancelling {
      try await withTaskExecutorPreference(pool) {
        try await nextPage(
          token, limit, fromStart: fromStart, refresh: refresh, matching: conditions, deadline)
      }
    }
  }

  /// Returns the options of the question that a continuation belongs to.
  ///
  /// - Throws: ``MatchError`` if the token is not one of this catalogue.
  package func options(of token: String) throws(MatchError) -> MatchOptions {
    try Continuation(token: token, catalogue: catalogue).options
  }

  @concurrent private func nextPage(
    _ token: String, _ limit: Int?, fromStart: Bool, refresh: Bool,
    matching conditions: [EntityComparator], _ deadline: Duration?
  ) async throws -> MatchResponse {
    var continuation = try Continuation(token: token, catalogue: catalogue)
    if fromStart { continuation.markShown { _ in false } }
    if !conditions.isEmpty {
      try fields.check(EntityFilter(comparators: conditions))
      try Self.check(conditions, besides: continuation.question)
      // The lookup of the keys ignores the deadline: a result cut short could show entities
      // that do not meet the conditions. It takes milliseconds.
      continuation.narrow(
        by: conditions,
        to: try await catalogue.keys(
          matching: EntityFilter(comparators: conditions), shouldStop: { Task.isCancelled }))
    }
    if !refresh {
      var options = continuation.options
      if let limit { options.limit = limit }
      try continuation.move(to: catalogue)
      let effects = try feedback(on: continuation)
      continuation.removeLeft(
        effects?.suppressed.map(\.id) ?? [], keys: try suppressedKeys(effects))
      let rules = try await rules(of: continuation)
      try removeHidden(from: &continuation, by: rules)
      return try page(of: continuation, options, nil, rules)
    }
    var content =
      continuation.question.isImageLeftOut
      ? SemanticContent(labels: continuation.question.labels, decoded: nil, region: nil)
      : SemanticContent(
        labels: continuation.question.labels,
        signature: try Self.signature(continuation.signature))
    content.codes = continuation.question.codes
    content.texts = continuation.question.texts.map(\.line)
    content.text = continuation.question.text
    let state = try await run(content, continuation.options, deadline: deadline)
    return try response(
      to: content, continuation.options, state, limit: limit,
      without: Set(continuation.entries.filter(\.isShown).map(\.scored.key)))
  }

  /// Checks that further conditions can be added to those of a question.
  private static func check(
    _ conditions: [EntityComparator], besides question: ContinuedQuestion
  ) throws(MatchError) {
    for filter in question.options.filters.values {
      let count = filter.comparators.count + conditions.count
      guard filter.mode == .and || filter.comparators.isEmpty else {
        throw MatchError(
          code: .invalidFilter,
          message: "the question asks for one of several conditions, which no other can be added to"
        )
      }
      guard count <= EntityFilter.comparatorLimit else {
        throw MatchError(
          code: .invalidFilter,
          message:
            "a search has at most \(EntityFilter.comparatorLimit) conditions; found \(count), those of its first page among them"
        )
      }
    }
  }

  private static func signature(_ bytes: [UInt8]) throws(MatchError) -> QuerySignature? {
    if bytes.isEmpty { return nil }
    do throws(SignatureError) {
      return try QuerySignature(encoded: bytes)
    } catch {
      throw MatchError(code: .expiredToken, message: "\(error.message); search again")
    }
  }
}
