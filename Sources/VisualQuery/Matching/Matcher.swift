internal import PixelMatch

/// Answers what of a catalogue somebody points at.
///
/// ```swift
/// let matcher = Matcher(catalogue: try Catalogue(directory: "shop.vq"))
/// let picture = try ImageDecoder().decode(bytes, longerSide: Signature.workingSide)
/// let answer = try await matcher.values(for: SemanticContent(labels: ["mug"], pixelBuffer: picture))
/// ```
///
/// A query runs on the matcher's own threads, never on the caller's. It uses memory that depends
/// on its limits, not on the catalogue.
public struct Matcher: Sendable {
  /// What is searched: one generation of it.
  public let catalogue: Catalogue
  private let pool: WorkerPool
  private let now: @Sendable () -> Duration

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
  /// - Throws: `CancellationError` when the task is cancelled; ``CatalogueError`` when the
  ///   catalogue cannot be read.
  /// - Complexity: O(*n*) for *n* pictures in the catalogue.
  public func values(
    for content: SemanticContent, options: MatchOptions = MatchOptions()
  ) async throws -> MatchResponse {
    let response = try await withTaskExecutorPreference(pool) {
      try await answer(content, options)
    }
    try Task.checkCancellation()
    return response
  }

  @concurrent private func answer(
    _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> MatchResponse {
    let deadline = options.timeout.map { now() + $0 }
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    let types = EntityType.allCases.filter(options.types.contains)
    let labels = try labelEvidence(content.labels)
    let signature = content.pixelBuffer.map { QuerySignature($0) }
    var pictured: [UInt32: PicturedEntity] = [:]
    var scannedRows = 0
    var plannedRows = 0
    if let signature {
      let search = CandidateSearch(
        signature: signature, labelMasks: labels.known.map { LabelBits.mask(of: $0.label) },
        threads: pool.width, shouldStop: shouldStop)
      let comparison = PictureComparison(signature)
      for type in types {
        let segments = catalogue.segments(of: type)
        let found = await search.candidates(in: segments)
        scannedRows += found.scannedRows
        plannedRows += found.plannedRows
        try compare(found.rows, of: type, in: segments, comparison, labels, into: &pictured)
      }
    }
    var all = Self.scored(pictured)
    if !Task.isCancelled { all += try entities(of: labels, types, except: pictured) }

    let cutOff =
      options.minimumConfidence
      ?? (signature == nil ? Calibration.labelsOnlyCutOff : Calibration.defaultCutOff)
    let contenders = Ranking.contenders(all, options: options, cutOff: cutOff)
    let entities = try catalogue.entities(keys: contenders.map(\.key))
    let ranked = Ranking.ranked(
      contenders.compactMap { entity in entities[entity.key].map { (entity, $0.id) } },
      options: options)
    let matches = ranked.enumerated().map { place, entity in
      match(entity, entities[entity.key]!, rank: place + 1)
    }
    let isBlank = (signature?.signature.pdqQuality ?? 0) == 0
    return MatchResponse(
      matches: matches,
      isComplete: scannedRows == plannedRows,
      coverage: plannedRows == 0 ? 1 : Double(scannedRows) / Double(plannedRows),
      minimumConfidence: cutOff,
      generation: catalogue.generation,
      emptyReason: matches.isEmpty
        ? emptyReason(types: types, options, hasSignal: !isBlank || !labels.known.isEmpty) : nil,
      nearMiss: matches.isEmpty ? try nearMiss(all) : nil)
  }

  private func labelEvidence(_ labels: [String]) throws -> LabelEvidence {
    let normalized = Set(labels.map(LabelText.normalized)).subtracting([""])
    return LabelEvidence(
      frequencies: normalized.isEmpty
        ? [:] : try catalogue.labelFrequencies(normalized.sorted()),
      entityCount: catalogue.entityCount)
  }

  /// The best picture of an entity.
  private struct PicturedEntity: Sendable {
    let type: EntityType
    let score: Calibration.Score
    let tier: MatchTier
    let imagePosition: Int
  }

  /// Compares the query with every candidate, and keeps the best picture of each entity.
  private func compare(
    _ rows: Set<CandidateSearch.Row>, of type: EntityType, in segments: [LiveSegment],
    _ comparison: PictureComparison, _ labels: LabelEvidence,
    into pictured: inout [UInt32: PicturedEntity]
  ) throws {
    let keys = Set(rows.map { segments[$0.segment].segment.key(at: $0.row) })
    let labelsOfKeys =
      labels.known.isEmpty ? [:] : try catalogue.labels(ofKeys: keys.sorted())
    for place in rows {
      let segment = segments[place.segment].segment
      let key = segment.key(at: place.row)
      let measured = comparison.measure(segment.signature(at: place.row))
      let score = Calibration.Score(
        hash: measured.hash, color: measured.color,
        labels: labels.rarity(of: labelsOfKeys[key] ?? []))
      let position = Int(segment.tag(at: place.row))
      if let best = pictured[key],
        (best.score.total, -best.imagePosition) >= (score.total, -position)
      {
        continue
      }
      pictured[key] = PicturedEntity(
        type: type, score: score, tier: measured.tier, imagePosition: position)
    }
  }

  /// Makes confidences of scores: each entity's lead is over the best of the others.
  private static func scored(_ pictured: [UInt32: PicturedEntity]) -> [ScoredEntity] {
    let best = pictured.values.map(\.score.total).sorted(by: >).prefix(2)
    return pictured.map { key, entity in
      let rival = entity.score.total == best.first ? best.dropFirst().first : best.first
      let evidence = Calibration.evidence(entity.score, rival: rival)
      return ScoredEntity(
        key: key, type: entity.type, evidence: evidence,
        confidence: Calibration.confidence(evidence), tier: entity.tier,
        imagePosition: entity.imagePosition)
    }
  }

  /// The entities that no picture brought up and that have one of the labels, rarest first.
  private func entities(
    of labels: LabelEvidence, _ types: [EntityType], except pictured: [UInt32: PicturedEntity]
  ) throws -> [ScoredEntity] {
    var found: [UInt32: ScoredEntity] = [:]
    for known in labels.known {
      let keys = try catalogue.keys(withLabel: known.label, limit: CandidateSearch.limit)
      for (key, type) in keys
      where pictured[key] == nil && found[key] == nil && types.contains(type) {
        let evidence = Calibration.evidence(sharers: known.frequency)
        found[key] = ScoredEntity(
          key: key, type: type, evidence: evidence,
          confidence: Calibration.confidence(evidence), tier: .label, imagePosition: nil)
      }
    }
    return Array(found.values)
  }

  private func match(_ entity: ScoredEntity, _ value: EntityValue, rank: Int) -> Match {
    let image = entity.imagePosition.flatMap { position in
      value.imagePaths.indices.contains(position) ? value.imagePaths[position] : nil
    }
    return Match(
      value: value, rank: rank, confidence: entity.confidence, tier: entity.tier,
      evidence: entity.evidence, matchedImage: image, handoff: Handoff(url: value.url))
  }

  private func emptyReason(
    types: [EntityType], _ options: MatchOptions, hasSignal: Bool
  ) -> MatchResponse.EmptyReason {
    if catalogue.entityCount == 0 { return .emptyCatalogue }
    let reachable = types.filter { options.typeLimits[$0] != 0 }
    if reachable.allSatisfy({ catalogue.entityCount(of: $0) == 0 }) { return .filteredOut }
    return hasSignal ? .nothingAboveConfidence : .noUsableSignal
  }

  private func nearMiss(_ scored: [ScoredEntity]) throws -> MatchResponse.NearMiss? {
    guard let best = scored.max(by: { ($0.confidence, $1.key) < ($1.confidence, $0.key) }),
      let value = try catalogue.entities(keys: [best.key])[best.key]
    else { return nil }
    return MatchResponse.NearMiss(id: value.id, confidence: best.confidence)
  }
}
