/// Finds the entities whose titles, brands and other names have the words of labels that no entity has.
///
/// Only for questions without an image: beside one, unknown labels add nothing.
struct LabelWordStage: SearchStage {
  static let step = QueryStep.labels

  /// The most labels whose words are looked for.
  private static let labelLimit = 16
  /// The most words of a label.
  private static let wordLimit = 16

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    do {
      for label in state.query.labels.unmatched.prefix(Self.labelLimit) {
        let words = LabelText.searchedWords(label).prefix(Self.wordLimit)
        // A repeated word would cost as much as the first one and change nothing.
        let different = words.indices.filter { !words[($0 + 1)...].contains(words[$0]) }
          .map { words[$0] }
        if different.isEmpty { continue }
        let keys = try await catalogue.keys(
          namedBy: different, types: state.query.types, limit: SegmentScanner.limit,
          state.query.shouldStop)
        let evidence = Calibration.evidence(sharers: keys.count)
        let ids = try catalogue.ids(keys: keys)
        for key in keys {
          guard let type = ids[key]?.type, state.query.types.contains(type),
            state.query.allows(key, type)
          else { continue }
          state.findings.addByWords(
            ScoredEntity(
              key: key, type: type, evidence: evidence,
              confidence: Calibration.confidence(evidence), tier: .label))
        }
      }
    } catch let error as CatalogueError where error.code == .timedOut {
      try Task.checkCancellation()
      return 0
    }
    return 1
  }
}
