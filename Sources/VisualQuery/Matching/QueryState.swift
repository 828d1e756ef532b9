internal import PixelMatch

/// The state of one query between its stages: the prepared question and the candidates found so far.
struct QueryState: Sendable {
  /// The types that are searched.
  let types: [EntityType]
  let labels: LabelEvidence
  /// The signature of the query's image, or `nil` if it has none.
  let signature: QuerySignature?
  /// Whether the deadline passed before the image was decoded, so that only the labels are searched.
  let isImageLeftOut: Bool
  /// The lowest confidence of a match.
  let cutOff: Double
  /// The keys that the filter of a type accepts; types without a filter are missing.
  let allowed: [EntityType: KeySet]
  /// Whether the deadline passed before the filters were applied, so that nothing may be shown.
  let isFilterUnfinished: Bool
  let shouldStop: @Sendable () -> Bool
  var plan: QueryPlan
  /// The searches of the types, if there is an image.
  var searches: [TypeSearch]
  /// The entities that share a label with the query.
  var labelMatches: [ScoredEntity] = []

  /// Returns whether the filter of a type accepts an entity.
  func allows(_ key: UInt32, _ type: EntityType) -> Bool { allowed[type]?.contains(key) ?? true }

  /// Searches the images of every type, and compares with the query what was found.
  ///
  /// - Parameter find: Finds rows in the segments of one type.
  /// - Returns: The share of the rows that was looked at.
  mutating func addCandidates(
    from catalogue: Catalogue, find: ([LiveSegment]) async -> CandidateRows
  ) async throws -> Double {
    var (scanned, planned) = (0, 0)
    for index in searches.indices {
      let found = await find(searches[index].segments)
      scanned += found.scannedRows
      planned += found.plannedRows
      let rarities = try rarities(of: searches[index].newKeys(of: found.votes.keys), in: catalogue)
      searches[index].add(found) { rarities[$0] ?? nil }
    }
    return planned == 0 ? 1 : Double(scanned) / Double(planned)
  }

  /// The values of ``Evidence/Kind/labels`` for some entities; empty if no label is known.
  private func rarities(
    of keys: Set<UInt32>, in catalogue: Catalogue
  ) throws(CatalogueError) -> [UInt32: Double?] {
    if labels.known.isEmpty { return [:] }
    let labelsByKey = try catalogue.labels(ofKeys: keys.sorted())
    return Dictionary(
      uniqueKeysWithValues: keys.map { ($0, labels.rarity(of: labelsByKey[$0] ?? [])) })
  }

  /// Returns every candidate entity with its confidence, in no order: by its best image, or by its
  /// label if none of its images is a candidate.
  func scoredEntities() -> [ScoredEntity] {
    var best: [UInt32: BestImage] = [:]
    for search in searches { search.mergeBestImages(into: &best) }
    if !labels.known.isEmpty, !Calibration.believesLabels(best.values.lazy.map(\.evidence)) {
      for key in best.keys { best[key]?.evidence[.labels] = nil }
    }
    let leaders = Calibration.Leaders(best.values.lazy.map(\.evidence.score))
    let scored = best.map { key, image in
      let evidence = Calibration.evidence(
        image.evidence, lead: leaders.lead(of: image.evidence.score))
      return ScoredEntity(
        key: key, type: image.type, evidence: evidence,
        confidence: Calibration.confidence(evidence), tier: image.tier, image: image,
        imagePosition: image.position)
    }
    return scored + labelMatches.filter { best[$0.key] == nil }
  }
}
