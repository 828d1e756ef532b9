public import PixelMatch

/// Answers what of a catalogue somebody points at.
///
/// ```swift
/// let matcher = Matcher(catalogue: try Catalogue(directory: "shop.vq"))
/// let content = try await matcher.content(decoding: bytes, labels: ["mug"])
/// let answer = try await matcher.values(for: content)
/// ```
///
/// A query runs on the matcher's own threads, never on the caller's, and never on more of them than
/// there are in its pool; queries that share a pool take turns at its threads. It uses memory that
/// depends on its limits, not on the catalogue, but for a bit an entity where it is filtered.
public struct Matcher: Sendable {
  /// What is searched: one generation of it.
  public let catalogue: Catalogue
  let pool: WorkerPool
  let now: @Sendable () -> Duration

  /// Makes a matcher over a catalogue.
  ///
  /// - Parameters:
  ///   - catalogue: What to search.
  ///   - pool: The threads to work on.
  ///   - clock: What deadlines are measured by.
  public init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.catalogue = catalogue
    self.pool = pool
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// Decodes a picture as finely as a question about it needs, on the matcher's threads.
  ///
  /// A passed deadline is not an error: the question is then that of the labels, and its answer
  /// incomplete.
  ///
  /// - Parameters:
  ///   - bytes: A JPEG or PNG file.
  ///   - labels: Words for what is seen.
  ///   - region: The part of the picture that is meant; it alone is then decoded to full size.
  ///   - decoder: What the picture is decoded with, within its limits.
  ///   - timeout: How long it may take, the wait for a thread included, before the picture is left
  ///     out (``SemanticContent/isPictureLeftOut``); `nil` means for ever.
  /// - Throws: `DecodeError`; ``MatchError`` with the code `regionOutside`; `CancellationError`.
  /// - Complexity: O(pixels of the file); memory is that of a picture of 1024 × 1024 pixels, or of 4
  ///   times its sides if a region is small, and what `DecodeLimits.memoryLimit` allows beside it.
  public func content(
    decoding bytes: [UInt8], labels: [String] = [], region: PictureRegion? = nil,
    decoder: ImageDecoder = ImageDecoder(), timeout: Duration? = nil
  ) async throws -> SemanticContent {
    let now = now
    let deadline = timeout.map { now() + $0 }
    return try await withTaskExecutorPreference(pool) { @concurrent in
      try SemanticContent(
        decoding: bytes, labels: labels, region: region, decoder: decoder,
        shouldStop: { deadline.map { now() >= $0 } ?? false })
    }
  }

  /// Returns the entities that are probably meant, the surest first.
  ///
  /// A passed deadline is no error: the answer then says what share of the work stands behind it.
  /// The same catalogue, content and options give the same answer whenever the query completes,
  /// whatever the number of threads.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; ``MatchError`` when the question makes
  ///   no sense; ``CatalogueError`` when the catalogue cannot be read.
  /// - Complexity: O(*n*) for *n* pictures in the catalogue.
  public func values(
    for content: SemanticContent, options: MatchOptions = MatchOptions()
  ) async throws -> MatchResponse {
    let deadline = options.timeout.map { now() + $0 }
    return try await cancelling {
      try await withTaskExecutorPreference(pool) {
        let state = try await run(content, options, deadline: deadline)
        return try response(to: content, options, state)
      }
    }
  }

  /// Returns answers that get better: one after each stage of the search, the last as
  /// ``values(for:options:)`` gives it.
  ///
  /// Nothing runs ahead of who reads: the next stage begins when the next answer is asked for.
  public func answers(
    for content: SemanticContent, options: MatchOptions = MatchOptions()
  ) -> MatchAnswers {
    MatchAnswers(matcher: self, content: content, options: options)
  }

  /// Runs all stages of a query. Other queries have their turn between them.
  @concurrent func run(
    _ content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> QueryState {
    var state = try await prepare(content, options, deadline: deadline)
    while state.plan.next != nil {
      try await runNextStage(&state)
      await Task.yield()
    }
    return state
  }
}
