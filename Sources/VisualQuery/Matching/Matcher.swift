internal import PixelMatch

/// Answers what of a catalogue somebody points at.
///
/// ```swift
/// let matcher = Matcher(catalogue: try Catalogue(directory: "shop.vq"))
/// let picture = try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide)
/// let answer = try await matcher.values(for: SemanticContent(labels: ["mug"], pixelBuffer: picture))
/// ```
///
/// A query runs on the matcher's own threads, never on the caller's. It uses memory that depends
/// on its limits, not on the catalogue.
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
    let response = try await withTaskExecutorPreference(pool) {
      try await rankedAnswer(examine(content, options), options)
    }
    try Task.checkCancellation()
    return response
  }

  @concurrent func rankedAnswer(
    _ examined: Examination, _ options: MatchOptions
  ) async throws -> MatchResponse {
    let contenders = Ranking.contenders(
      examined.scored, options: options, cutOff: examined.cutOff)
    let entities = try catalogue.entities(keys: contenders.map(\.key))
    let ranked = Ranking.ranked(
      contenders.compactMap { entity in entities[entity.key].map { (entity, $0.id) } },
      options: options)
    let matches = ranked.enumerated().map { place, entity in
      match(entity, entities[entity.key]!, rank: place + 1, examined)
    }
    return MatchResponse(
      matches: matches,
      isComplete: examined.isComplete, coverage: examined.coverage,
      minimumConfidence: examined.cutOff,
      generation: catalogue.generation,
      emptyReason: matches.isEmpty ? emptyReason(examined, options) : nil,
      nearMiss: matches.isEmpty ? try nearMiss(examined.scored) : nil)
  }

  private func match(
    _ entity: ScoredEntity, _ value: EntityValue, rank: Int, _ examined: Examination
  ) -> Match {
    let image = entity.picture.flatMap { picture in
      value.imagePaths.indices.contains(picture.imagePosition)
        ? value.imagePaths[picture.imagePosition] : nil
    }
    return Match(
      value: value, rank: rank, confidence: entity.confidence, tier: entity.tier,
      evidence: entity.evidence, matchedImage: image,
      alignment: entity.picture?.alignment.flatMap { alignment in
        examined.signature.map { MatchAlignment(alignment, in: $0) }
      },
      handoff: Handoff(url: value.url))
  }

  private func emptyReason(
    _ examined: Examination, _ options: MatchOptions
  ) -> MatchResponse.EmptyReason {
    if catalogue.entityCount == 0 { return .emptyCatalogue }
    let reachable = examined.types.filter { options.typeLimits[$0] != 0 }
    if reachable.allSatisfy({ catalogue.entityCount(of: $0) == 0 }) { return .filteredOut }
    let isBlank = examined.signature?.isBlank ?? true
    return isBlank && examined.labels.known.isEmpty ? .noUsableSignal : .nothingAboveConfidence
  }

  private func nearMiss(_ scored: [ScoredEntity]) throws -> MatchResponse.NearMiss? {
    guard let best = scored.max(by: { ($0.confidence, $1.key) < ($1.confidence, $0.key) }),
      let value = try catalogue.entities(keys: [best.key])[best.key]
    else { return nil }
    return MatchResponse.NearMiss(id: value.id, confidence: best.confidence)
  }
}
