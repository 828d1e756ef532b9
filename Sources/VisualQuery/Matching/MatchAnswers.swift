/// Answers to one question that get better, stage by stage.
public struct MatchAnswers: AsyncSequence, Sendable {
  let matcher: Matcher
  let content: SemanticContent
  let options: MatchOptions

  /// Begins the search; its deadline is counted from the first answer that is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(answers: self) }

  /// Where a search stands.
  public struct Iterator: AsyncIteratorProtocol {
    private let answers: MatchAnswers
    private var examined: Examination?

    init(answers: MatchAnswers) { self.answers = answers }

    /// Does the next stage and returns what is then known; `nil` behind the last.
    ///
    /// - Throws: As ``Matcher/values(for:options:)``.
    public mutating func next() async throws -> MatchResponse? {
      if let examined, examined.next == nil { return nil }
      let step = try await answers.step(from: examined)
      examined = step.examined
      return step.response
    }
  }

  private func step(
    from before: Examination?
  ) async throws -> (examined: Examination, response: MatchResponse) {
    let deadline = options.timeout.map { matcher.now() + $0 }
    return try await cancelling {
      try await withTaskExecutorPreference(matcher.pool) { @concurrent in
        var examined: Examination
        if let before {
          examined = before
        } else {
          examined = try await matcher.begin(content, options, deadline: deadline)
        }
        examined = try await matcher.advanced(examined)
        return (examined, try await matcher.answer(examined, content, options))
      }
    }
  }
}
