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
        try await answer(examined(content, options, deadline: deadline), content, options)
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

  /// All stages, other queries having their turn in between.
  @concurrent func examined(
    _ content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> Examination {
    var examined = try await begin(content, options, deadline: deadline)
    while examined.next != nil {
      examined = try await advanced(examined)
      await Task.yield()
    }
    return examined
  }

  /// The answer to what is known so far.
  @concurrent func answer(
    _ examined: Examination, _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> MatchResponse {
    let scored = examined.scored
    let list = try ranked(examined, options, scored: scored)
    let continuation = Continuation(
      content.labels, signature: examined.signature, options, list.entities, in: catalogue)
    let page = Ranking.page(
      of: list.entities.map(\.id.type), notShown: { _ in true }, options: options)
    let shown = page.map { list.entities[$0] }
    let entities = try catalogue.entities(keys: shown.map(\.entity.key))
    let matches = shown.enumerated().compactMap { place, named in
      entities[named.entity.key].map {
        match(named.entity, $0, rank: place + 1, examined.signature, options)
      }
    }
    let asked = scored.filter { options.types.contains($0.type) }
    let nearMiss = matches.isEmpty ? try nearMiss(asked) : nil
    // Nothing that was computed from a file which has changed meanwhile is given away.
    try catalogue.checkUnchanged()
    return MatchResponse(
      matches: matches,
      isComplete: examined.isComplete && list.isWhole,
      coverage: list.isWhole ? examined.coverage : examined.partialCoverage,
      minimumConfidence: examined.cutOff,
      generation: catalogue.generation,
      emptyReason: matches.isEmpty ? emptyReason(examined, options) : nil,
      unmatchedLabels: examined.labels.unmatched,
      hasMore: list.entities.count > page.count,
      continuation: continuation.showing(page).sealed(by: catalogue),
      nearMiss: nearMiss)
  }

  /// All that may be shown, on whatever page, in its order.
  func ranked(
    _ examined: Examination, _ options: MatchOptions, scored: [ScoredEntity]? = nil
  ) throws -> Ranking.List {
    // Products that are not asked for may bring stores.
    let contenders = Ranking.contenders(
      scored ?? examined.scored, types: Set(examined.types), cutOff: examined.cutOff)
    let ids = try catalogue.ids(keys: contenders.map(\.key))
    let places =
      options.near == nil
      ? [:]
      : try catalogue.places(ofStores: contenders.filter { $0.type == .store }.map(\.key))
    let named: [Ranking.Named] = contenders.compactMap { entity in
      guard let id = ids[entity.key] else { return nil }
      var entity = entity
      entity.distance = options.near.flatMap { near in
        places[entity.key].map(near.distanceMeters)
      }
      return (entity, id)
    }
    var stores = StockedStores(near: options.near)
    if options.limit(of: .store) > 0 {
      let products = Ranking.ranked(named.filter { $0.id.type == .product })
      for product in products.prefix(StockedStores.productLimit) {
        try stores.add(
          product, in: catalogue, isAllowed: { examined.allows($0, .store) },
          shouldStop: examined.shouldStop)
      }
    }
    let shown = stores.joined(with: named).filter { options.limit(of: $0.id.type) > 0 }
    return Ranking.List(entities: Ranking.ranked(shown), isWhole: stores.isWhole)
  }

  func match(
    _ entity: ScoredEntity, _ value: EntityValue, rank: Int, _ signature: QuerySignature?,
    _ options: MatchOptions
  ) -> Match {
    let image = entity.imagePosition.flatMap { position in
      value.imagePaths.indices.contains(position) ? value.imagePaths[position] : nil
    }
    var isOpen: Bool?
    if case .store(let store) = value {
      isOpen = options.date.flatMap { date in store.openingHours.map { $0.isOpen(at: date) } }
    }
    return Match(
      value: value, rank: rank, confidence: entity.confidence, tier: entity.tier,
      evidence: entity.evidence, matchedImage: image,
      alignment: entity.picture?.alignment.flatMap { alignment in
        signature.map { MatchAlignment(alignment, in: $0) }
      },
      stocks: entity.stocks, distanceMeters: entity.distance, isOpen: isOpen,
      display: value.displayRepresentation(for: options.locale),
      handoff: catalogue.links.handoff(for: value))
  }

  private func emptyReason(
    _ examined: Examination, _ options: MatchOptions
  ) -> MatchResponse.EmptyReason {
    if catalogue.entityCount == 0 { return .emptyCatalogue }
    if examined.isFilterUnfinished { return .filterTimedOut }
    let reachable = examined.types.filter { options.limit(of: $0) > 0 }
    let isNothingLeft = reachable.allSatisfy {
      catalogue.entityCount(of: $0) == 0
        || examined.allowed[$0]?.isEmpty(among: catalogue.entityCount) == true
    }
    if isNothingLeft { return .filteredOut }
    if examined.isPictureLeftOut { return .deadlinePassed }
    let isBlank = examined.signature?.isBlank ?? true
    return isBlank && examined.labels.known.isEmpty ? .noUsableSignal : .nothingAboveConfidence
  }

  private func nearMiss(_ scored: [ScoredEntity]) throws -> MatchResponse.NearMiss? {
    guard let best = scored.max(by: { ($0.confidence, $1.key) < ($1.confidence, $0.key) }),
      let id = try catalogue.ids(keys: [best.key])[best.key]
    else { return nil }
    return MatchResponse.NearMiss(id: id, confidence: best.confidence)
  }
}
