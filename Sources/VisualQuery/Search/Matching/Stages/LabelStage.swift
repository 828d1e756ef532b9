/// Finds the entities that share a label with the query.
struct LabelStage: SearchStage {
  static let step = QueryStep.labels
  static let runsPastDeadline = true

  /// The rarest label comes first, and an entity counts by the rarest label that it has.
  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var found: Set<UInt32> = []
    var isWhole = true
    for known in state.query.labels.known {
      let evidence = Calibration.evidence(sharers: known.frequency)
      for type in state.query.types {
        let (allowed, suppressed) = (state.query.allowed[type], state.query.suppressed)
        let matches = try await catalogue.keys(
          withLabel: known.label, type: type, limit: SegmentScanner.limit,
          where: { (allowed?.contains($0) ?? true) && !suppressed.contains($0) },
          shouldStop: state.query.shouldStop)
        isWhole = isWhole && matches.isWhole
        for key in matches.keys where found.insert(key).inserted {
          state.findings.addByWords(
            ScoredEntity(
              key: key, type: type, evidence: evidence,
              confidence: Calibration.confidence(evidence), tier: .label))
        }
      }
    }
    return isWhole ? 1 : 0
  }
}
