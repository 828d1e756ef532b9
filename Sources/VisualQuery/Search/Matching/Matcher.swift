#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

public import PixelMatch
public import Reading

/// Finds the entities of a catalogue that somebody points at.
///
/// ```swift
/// let matcher = Matcher(catalogue: try Catalogue(directory: "shop.vq"))
/// let content = try await matcher.content(decoding: bytes, labels: ["mug"])
/// let answer = try await matcher.values(for: content)
/// ```
///
/// A query runs on the threads of the matcher's pool, never on the caller's. Queries that share a pool
/// take turns. The memory of a query depends on its limits, not on the size of the catalogue, apart from one
/// bit for each entity if there is a filter.
public struct Matcher: Sendable {
  /// The generation that is searched.
  package let catalogue: Catalogue
  package let pool: WorkerPool
  /// The models that read the text of images, or `nil` if none is read.
  public var models: ReadingModels?
  /// A function that is called after each step of a query with the time that it took on the threads of the matcher, or `nil`. It is
  /// called on any of them.
  package var onStep: (@Sendable (QueryStep, Duration) -> Void)?
  /// The shop's rules of what answers show, or `nil` for those of the catalogue.
  package var rules: ShopRules?
  /// The shop's fits of the confidence, or `nil` for those of the catalogue.
  package var fits: ShopFits?
  /// The keys of entities that are not found, as if the shop did not have them.
  package var leftOut: Set<UInt32> = []
  /// The instant at which rules are applied, or `nil` for that of the query.
  package var ruleDate: Date?
  /// The fields that questions may look at: all of them, or, for strangers, the public ones.
  package var fields: ReadableFields
  let now: @Sendable () -> Duration

  /// Makes a matcher over a catalogue.
  ///
  /// - Parameters:
  ///   - catalogue: The generation to search.
  ///   - pool: The threads to work on.
  ///   - clock: The clock that deadlines are measured by.
  public init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.catalogue = catalogue
    self.pool = pool
    fields = catalogue.fields(forStrangers: false)
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// Returns the same matcher with another clock for its deadlines.
  package func timed(by clock: some Clock<Duration>) -> Matcher {
    var timed = Matcher(catalogue: catalogue, pool: pool, clock: clock)
    (timed.models, timed.onStep) = (models, onStep)
    (timed.rules, timed.ruleDate) = (rules, ruleDate)
    (timed.fits, timed.leftOut) = (fits, leftOut)
    return timed
  }

  /// Returns a function that tells whether a time from now on is over; `nil` never is.
  package func isOver(after timeout: Duration?) -> @Sendable () -> Bool {
    let now = now
    let deadline = timeout.map { now() + $0 }
    return { deadline.map { now() >= $0 } ?? false }
  }

  /// Decodes an image at the resolution that a query needs, on the matcher's threads.
  ///
  /// A passed deadline is not an error: the question is then that of the labels, and its answer
  /// incomplete.
  ///
  /// - Parameters:
  ///   - bytes: An image file in one of the decoder's formats.
  ///   - labels: Words for what is visible.
  ///   - region: The part of the image that is meant, or `nil` for all of it.
  ///   - decoder: The decoder, with its limits.
  ///   - timeout: The time, including the wait for a thread, after which the image is left out; `nil` sets no deadline.
  /// - Throws: `DecodeError`; ``MatchError`` with the code `regionOutside`; `CancellationError`.
  /// - Complexity: O(pixels of the file); memory is that of an image of 1024 × 1024 pixels, or of four times
  ///   its sides if a region is small, and what `DecodeLimits.memoryLimit` allows beside it.
  public func content(
    decoding bytes: [UInt8], labels: [String] = [], region: PictureRegion? = nil,
    decoder: ImageDecoder = ImageDecoder(), timeout: Duration? = nil
  ) async throws -> SemanticContent {
    let isOver = isOver(after: timeout)
    return try await withTaskExecutorPreference(pool) { @concurrent in
      let start = beginStep()
      let content = try SemanticContent(
        decoding: bytes, labels: labels, region: region, decoder: decoder, shouldStop: isOver)
      endStep(.decoding, since: start)
      return content
    }
  }

  /// Returns the entities that are probably meant, by confidence, highest first.
  ///
  /// A passed deadline is not an error: the answer then tells the share of the work that was done.
  /// If the query completes, the same catalogue, content and options give the same answer on any number
  /// of threads.
  ///
  /// - Throws: `CancellationError` if the task is cancelled; ``MatchError`` if the query is invalid;
  ///   ``CatalogueError`` if the catalogue cannot be read.
  /// - Complexity: O(*n*) for *n* images in the catalogue.
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

  /// Returns one answer after each stage of the search; the last one equals that of
  /// ``values(for:options:)``.
  ///
  /// A stage runs when its answer is asked for, never ahead. The deadline counts from the first one.
  public func answers(
    for content: SemanticContent, options: MatchOptions = MatchOptions()
  ) -> some AsyncSequence<MatchResponse, any Error> & Sendable {
    MatchAnswers(matcher: self, content: content, options: options)
  }

  /// Runs all stages of a query. Other queries have their turn between them.
  ///
  /// The text of the image is read meanwhile. If the deadline passes before its stage, the reading is cancelled.
  @concurrent func run(
    _ content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> QueryState {
    async let reading = reading(of: content, deadline: deadline)
    var state = try await prepare(content, options, deadline: deadline)
    while let stage = state.plan.next {
      if stage is TextStage { state.reading = try await reading }
      try await runNextStage(&state)
      await Task.yield()
    }
    return state
  }

  /// Reads the text of the image of a question, or returns `nil` if its stage is to do so: a single thread would read before it searches.
  @concurrent private func reading(
    of content: SemanticContent, deadline: Duration?
  ) async throws -> TextReading? {
    guard let reader = models?.text, pool.width > 1, let image = try? content.searchedPixels else {
      return nil
    }
    let now = now
    return try await TextStage.read(
      image, reader, remaining: deadline.map { $0 - now() }, threads: pool.width
    ) {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
  }
}
