internal import PixelMatch

/// The outcome of one query for one entity.
package struct Diagnosis: Sendable, Hashable {
  /// The entity.
  package let id: EntityID
  /// The reason why it is not the first match, or `nil` if it is.
  package let missReason: MissReason?
  /// Its rank among the matches, from 1, or `nil` if it is not among them.
  package let rank: Int?
  /// The matched product that shows a store, which stocks it, or `nil` if it is not shown for that.
  package let stocks: EntityID?
  /// Its confidence by its own images and labels, or `nil` if it was not a candidate.
  package let confidence: Double?
  /// The lowest confidence of a match.
  package let minimumConfidence: Double
  /// The terms of its confidence; empty if it was not a candidate.
  package let evidence: [Evidence]
  /// The first match, which may be this entity.
  package let first: EntityID?
  /// The entity as the query sees it, or `nil` if it was not a candidate.
  package let sighting: Sighting?
  /// The likeliest entity, shown or not, or `nil` if nothing is alike.
  package let likeliest: Sighting?
  /// The name of the shop's rule that hides or moved it, or `nil` if none does.
  package let rule: String?
}

/// An entity as a query sees it, whether it is shown or not.
package struct Sighting: Sendable, Hashable {
  /// The entity.
  package let id: EntityID
  /// Its confidence.
  package let confidence: Double
  /// The terms of the confidence.
  package let evidence: [Evidence]
  /// The position of its best image among its images, or `nil` if only labels agree.
  package let imagePosition: Int?
  /// The position of that image within the query's, or `nil` if too few keypoints agree.
  package let alignment: MatchAlignment?
  /// The words that were read in the image, compared with those of the entity (``Match/words``).
  package let words: [ReadWord]
}

extension Matcher {
  /// Finds out why a query does not show an entity that it should find.
  ///
  /// - Throws: The errors of ``values(for:options:)``.
  /// - Complexity: The complexity of the query, and O(*n*) for *n* images in the catalogue.
  package func diagnosis(
    of id: EntityID, in content: SemanticContent, options: MatchOptions = MatchOptions()
  ) async throws -> Diagnosis {
    try await cancelling {
      try await withTaskExecutorPreference(pool) { try await diagnose(id, content, options) }
    }
  }

  @concurrent private func diagnose(
    _ id: EntityID, _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> Diagnosis {
    // A search that ends early might never compare the entity to be explained.
    var options = options
    (options.endsEarly, options.answers) = (false, .all)
    let state = try await run(content, options, deadline: options.timeout.map { now() + $0 })
    let answer = try response(to: content, options, state)
    let key = try catalogue.key(of: id)
    let scored = try pinned(worded(state).scored, state)
    let entity = scored.first { $0.key == key }
    let place = answer.matches.firstIndex { match in
      match.value.id == id || match.variants.contains { $0.value.id == id && $0.confidence != nil }
    }
    let rank = place.map { $0 + 1 }
    let rules = try settled(
      state.query.rules, by: scored.filter { $0.confidence >= state.query.cutOff })
    let hidingRule = key.flatMap(rules.hidingRule)
    let reason =
      hidingRule == nil ? missReason(key, id.type, rank: rank, state, scored) : .hidden
    try catalogue.checkUnchanged()
    return Diagnosis(
      id: id, missReason: reason, rank: rank, stocks: place.flatMap { answer.matches[$0].stocks },
      confidence: entity?.confidence, minimumConfidence: state.query.cutOff,
      evidence: entity?.evidence ?? [], first: answer.matches.first?.value.id,
      sighting: try entity.flatMap { try sighting(of: $0, state) },
      likeliest: try scored.max { ($0.confidence, $1.key) < ($1.confidence, $0.key) }
        .flatMap { try sighting(of: $0, state) },
      rule: hidingRule ?? place.flatMap { answer.matches[$0].rule })
  }

  private func sighting(
    of entity: ScoredEntity, _ state: QueryState
  ) throws(CatalogueError) -> Sighting? {
    try catalogue.ids(keys: [entity.key])[entity.key].map { id in
      Sighting(
        id: id, confidence: entity.confidence, evidence: entity.evidence,
        imagePosition: entity.imagePosition, alignment: entity.image.flatMap(alignment),
        words: words(of: entity, state))
    }
  }

  /// Returns the reason why an entity is not the first match, or `nil` if it is.
  ///
  /// - Parameters:
  ///   - key: The entity's key, or `nil` if the catalogue has no such entity.
  ///   - rank: The entity's rank among the matches, from 1.
  ///   - scored: The entities that the query found.
  func missReason(
    _ key: UInt32?, _ type: EntityType, rank: Int?, _ state: QueryState, _ scored: [ScoredEntity]
  ) -> MissReason? {
    if let rank { return rank == 1 ? nil : .outranked }
    guard let key else { return .notIndexed }
    if state.query.suppressed.contains(key) { return .suppressed }
    if state.query.allowed[type]?.contains(key) == false { return .filteredOut }
    let entity = scored.first { $0.key == key }
    if let entity, entity.confidence >= state.query.cutOff { return .capped }
    if let signature = state.query.signature {
      let flatness = flatness(ofImagesOf: key, type)
      if flatness.isEmpty { return .notIndexed }
      if signature.isFlat || flatness.allSatisfy({ $0 }) { return .tooFlat }
    }
    if let entity, entity.image == nil { return .belowCutOff }
    let image = entity?.image
    if image?.isGeometryVerified == true, image?.alignment != nil { return .belowCutOff }
    if isShared(what: key, type, hasInCommonWith: state) { return .shared }
    return image?.isGeometryVerified == true ? .failedGeometry : .notACandidate
  }

  /// Returns whether an image of an entity agrees with the query, and many groups have that image.
  private func isShared(
    what key: UInt32, _ type: EntityType, hasInCommonWith state: QueryState
  ) -> Bool {
    guard let signature = state.query.signature else { return false }
    let searches = state.findings.searches
    let common = Commonness(searches, of: ImageFrame(signature).size, groups: state.findings.owners)
    return searches.enumerated().contains { index, search in
      guard search.type == type else { return false }
      let images = catalogue.segments(of: type).flatMap { live in
        (0..<live.segment.count)
          .filter { live.isLive($0) && live.segment.key(at: $0) == key }
          .map { StoredImage(segment: live.segment, row: $0) }
      }
      return search.witnesses.contains { witness in
        common.isCommon(witness.row, in: index)
          && images.contains { $0.isSamePicture(as: witness.stored) }
      }
    }
  }

  /// Returns for each image of an entity whether it is too flat to be told from others.
  private func flatness(ofImagesOf key: UInt32, _ type: EntityType) -> [Bool] {
    catalogue.segments(of: type).flatMap { live in
      (0..<live.segment.count)
        .filter { live.isLive($0) && live.segment.key(at: $0) == key }
        .map(live.segment.isFlat)
    }
  }
}
