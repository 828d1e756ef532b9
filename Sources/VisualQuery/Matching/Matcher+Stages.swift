internal import PixelMatch

/// The stages of a query, each a step of its own, so that answers can be given between them and
/// other queries have their turn.
extension Matcher {
  /// Reads the question: its labels, its filters and its picture.
  @concurrent func begin(
    _ content: SemanticContent, _ options: MatchOptions, deadline: Duration?
  ) async throws -> Examination {
    let now = now
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    var types = EntityType.allCases.filter(options.types.contains)
    // A product that nobody asks for still brings the stores that have it.
    if options.limit(of: .store) > 0, !types.contains(.product) { types.insert(.product, at: 0) }
    let allowed = try await allowedKeys(types, options, shouldStop)
    let labels = try catalogue.labelEvidence(SemanticContent.bounded(content.labels))
    try Task.checkCancellation()
    let signature = try signature(of: content)
    try Task.checkCancellation()
    let search = signature.map { signature in
      CandidateSearch(
        signature: signature, labelMasks: labels.known.map { LabelBits.mask(of: $0.label) },
        threads: pool.width, shouldStop: shouldStop)
    }
    let grounds = types.compactMap { type in
      ground(type, allowed?[type], signature, search)
    }
    // The stages of a picture that was left out are planned, and never done.
    let stages: [SearchStage] =
      search == nil && !content.isPictureLeftOut ? [.words] : SearchStage.allCases
    var examination = Examination(
      types: types, labels: labels, signature: signature,
      isPictureLeftOut: content.isPictureLeftOut,
      cutOff: cutOff(options, hasPicture: signature != nil),
      allowed: allowed ?? [:], isFilterUnfinished: allowed == nil, shouldStop: shouldStop,
      grounds: grounds, shares: Dictionary(uniqueKeysWithValues: stages.map { ($0, 0) }))
    // What was not filtered is not searched.
    if allowed == nil { examination.next = nil }
    return examination
  }

  /// The least confidence of a match.
  func cutOff(_ options: MatchOptions, hasPicture: Bool) -> Double {
    options.minimumConfidence
      ?? (hasPicture ? Calibration.defaultCutOff : Calibration.labelsOnlyCutOff)
  }

  private func signature(of content: SemanticContent) throws -> QuerySignature? {
    guard var picture = content.pixelBuffer else { return content.signature }
    if let region = content.region { picture = try picture.cropped(to: region) }
    guard let signature = QuerySignature(picture, shouldStop: { Task.isCancelled }) else {
      throw CancellationError()
    }
    return signature
  }

  private func ground(
    _ type: EntityType, _ allowed: KeySet?, _ signature: QuerySignature?,
    _ search: CandidateSearch?
  ) -> Examination.Ground? {
    guard let signature, let search else { return nil }
    var segments = catalogue.segments(of: type)
    if let allowed { segments = segments.map { $0.keeping(allowed.contains) } }
    return Examination.Ground(
      type: type, segments: segments,
      comparison: PictureComparison(signature, in: segments), search: search)
  }

  /// The keys of each type that its filter lets through, for types that have one; `nil` if that was
  /// not known before the deadline.
  @concurrent private func allowedKeys(
    _ types: [EntityType], _ options: MatchOptions, _ shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> [EntityType: KeySet]? {
    var allowed: [EntityType: KeySet] = [:]
    var known: [EntityFilter: KeySet] = [:]
    do {
      for type in types {
        // A product that only brings stores is bound by no filter on what is shown.
        guard options.types.contains(type), let filter = options.filters[type], !filter.isEmpty
        else { continue }
        // The same filter mostly applies to all types.
        var keys = known[filter]
        if keys == nil {
          keys = try await catalogue.keys(matching: filter, shouldStop: shouldStop)
          known[filter] = keys
        }
        allowed[type] = keys?.intersection(
          try await catalogue.keys(of: type, shouldStop: shouldStop))
      }
    } catch let error as CatalogueError where error.code == .timedOut {
      try Task.checkCancellation()
      return nil
    }
    return allowed
  }

  /// Does the next stage, or as much of it as the deadline allows.
  @concurrent func advanced(_ before: Examination) async throws -> Examination {
    guard let stage = before.next else { return before }
    try Task.checkCancellation()
    var examined = before
    examined.next =
      examined.isPictureLeftOut ? nil : examined.shares.keys.filter { $0 > stage }.min()
    // What the labels say is never lost to the deadline.
    if stage != .words, examined.shouldStop() {
      examined.next = nil
      return examined
    }
    switch stage {
    case .words:
      examined.shares[stage] = try await nameEntities(in: &examined) ? 1 : 0
    case .hashes, .votes, .appearance:
      examined = try await searched(examined, stage)
    case .geometry:
      var done = 0.0
      for place in examined.grounds.indices {
        done += examined.grounds[place].checkCorners(examined.shouldStop)
      }
      examined.shares[stage] = done / Double(examined.grounds.count)
    }
    try Task.checkCancellation()
    return examined
  }

  /// One of the searches, in every type's pictures.
  private func searched(_ before: Examination, _ stage: SearchStage) async throws -> Examination {
    var examined = before
    var (done, planned) = (0, 0)
    for place in examined.grounds.indices {
      let ground = examined.grounds[place]
      let found = await ground.search.found(stage, in: ground.segments)
      done += found.scannedRows
      planned += found.plannedRows
      let labels = try rarities(of: ground.newKeys(of: found.rows.keys), examined.labels)
      examined.grounds[place].add(found.rows.keys) { labels[$0] ?? nil }
      for (row, votes) in found.rows where votes.best > 0 {
        examined.grounds[place].candidates[row]?.votes = votes
      }
    }
    examined.shares[stage] = planned == 0 ? 1 : Double(done) / Double(planned)
    return examined
  }

  /// What the query's labels say of some entities.
  private func rarities(
    of keys: Set<UInt32>, _ labels: LabelEvidence
  ) throws -> [UInt32: Double?] {
    if labels.known.isEmpty { return [:] }
    let known = try catalogue.labels(ofKeys: keys.sorted())
    return Dictionary(
      uniqueKeysWithValues: keys.map { ($0, labels.rarity(of: known[$0] ?? [])) })
  }

  /// Finds the entities that have one of the labels, of the rarest label first.
  ///
  /// - Returns: Whether all were looked at that the filters had to be asked of.
  @concurrent private func nameEntities(in examined: inout Examination) async throws -> Bool {
    var found: Set<UInt32> = []
    var isWhole = true
    for known in examined.labels.known {
      for type in examined.types {
        let allowed = examined.allowed[type]
        let named = try await catalogue.keys(
          withLabel: known.label, type: type, limit: CandidateSearch.limit,
          where: { allowed?.contains($0) ?? true }, shouldStop: examined.shouldStop)
        isWhole = isWhole && named.isWhole
        for key in named.keys where found.insert(key).inserted {
          let evidence = Calibration.evidence(sharers: known.frequency)
          examined.named.append(
            ScoredEntity(
              key: key, type: type, evidence: evidence,
              confidence: Calibration.confidence(evidence), tier: .label))
        }
      }
    }
    return isWhole
  }
}
