/// The answers to one query as it goes through its stages.
struct MatchAnswers: AsyncSequence, Sendable {
  let matcher: Matcher
  let content: SemanticContent
  let options: MatchOptions

  /// Makes an iterator. The deadline counts from the first call of `next()`.
  func makeAsyncIterator() -> Iterator { Iterator(answers: self) }

  /// An iterator over the answers.
  struct Iterator: AsyncIteratorProtocol {
    private let answers: MatchAnswers
    private var state: QueryState?

    init(answers: MatchAnswers) { self.answers = answers }

    /// Runs the next stage and returns the answer so far, or `nil` after the last stage.
    ///
    /// - Throws: As ``Matcher/values(for:options:)``.
    mutating func next() async throws -> MatchResponse? {
      if let state, state.plan.next == nil { return nil }
      let step = try await answers.step(from: state)
      state = step.state
      return step.response
    }
  }

  private func step(
    from before: QueryState?
  ) async throws -> (state: QueryState, response: MatchResponse) {
    let deadline = options.timeout.map { matcher.now() + $0 }
    return try await cancelling {
      try await withTaskExecutorPreference(matcher.pool) { @concurrent in
        var state: QueryState
        if let before {
          state = before
        } else {
          state = try await matcher.prepare(content, options, deadline: deadline)
        }
        try await matcher.runNextStage(&state)
        return (state, try matcher.response(to: content, options, state))
      }
    }
  }
}
