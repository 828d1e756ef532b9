internal import PixelMatch
internal import Reading

extension Matcher {
  /// The most candidates that are looked at for similar entities, of which as many are shown as a list has.
  private static let similarCandidates = 64

  /// Returns the entities of the same kind as what the image shows, those that are shown anyway and their siblings left out, the likeliest
  /// first; `nil` if they are not asked for.
  ///
  /// - Parameter shown: The entities that the answer has.
  func similar(
    _ state: QueryState, _ options: MatchOptions, without shown: [EntityValue], isAnySure: Bool
  ) throws(CatalogueError) -> [(entity: ScoredEntity, value: EntityValue)]? {
    let hasModel = models?.image != nil && state.findings.embedding != nil
    guard options.showsSimilar || (hasModel && !isAnySure && options.answers == .all) else {
      return nil
    }
    guard let embedding = state.findings.embedding, let model = catalogue.imageModel,
      ImageEmbedding.fingerprint(of: model.name) == embedding.model, let kinds = model.kinds,
      !state.query.isFilterUnfinished
    else { return [] }
    var nearest: [(key: UInt32, type: EntityType, image: TypeSearch.EmbeddedImage)] = []
    for search in state.findings.searches where options.limit(of: search.type) > 0 {
      nearest += search.nearest(to: embedding).map {
        ($0.key, search.type, $0.value)
      }
    }
    nearest.sort { ($1.image.cosine, $0.key) < ($0.image.cosine, $1.key) }
    let candidates = nearest.prefix(Self.similarCandidates)
    let values = try catalogue.entities(keys: candidates.map(\.key))
    var ids = Set(shown.map(\.id))
    var groups = Set(shown.compactMap(\.productGroup))
    var list: [(entity: ScoredEntity, value: EntityValue)] = []
    for candidate in candidates where list.count < PossibleEntities.limit {
      let evidence = kinds.evidence(
        cosine: candidate.image.cosine, distinction: candidate.image.distinction)
      let probability = Calibration.confidence(evidence)
      // The least probability with which it is of the same kind.
      guard probability >= PossibleEntities.leastProbability else { break }
      guard let value = values[candidate.key], ids.insert(value.id).inserted else { continue }
      // Only the most similar variant of a group is listed.
      if let group = value.productGroup, !groups.insert(group).inserted { continue }
      list.append(
        (
          ScoredEntity(
            key: candidate.key, type: candidate.type, evidence: evidence, confidence: probability,
            tier: .similar, imagePosition: candidate.image.position), value
        ))
    }
    return list
  }
}

extension KindCalibration {
  /// The terms of the log-odds that two things are of the same kind.
  ///
  /// - Parameter distinction: See ``Evidence/Kind/embedding``, without its limit.
  func evidence(cosine: Double, distinction: Double) -> [Evidence] {
    [
      Evidence(kind: .prior, value: 1, weight: prior),
      Evidence(
        kind: .embedding, value: min(EmbeddingContrast.limit, distinction),
        weight: slope * Self.likeness(cosine: cosine, distinction: distinction)),
    ]
  }
}
