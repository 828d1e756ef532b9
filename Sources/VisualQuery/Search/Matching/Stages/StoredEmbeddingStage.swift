internal import PixelMatch

/// Proposes the images whose vectors are nearest, which the shards find by an index of their own, and compares the vectors of all
/// candidates with that of the image.
///
/// The index may miss some of the nearest. Without it on every shard, no vectors are compared.
struct StoredEmbeddingStage: SearchStage {
  let source: EmbeddingSource
  let segments: StoredSegments
  static let step = QueryStep.embeddings
  static let isScan = true

  /// The most candidates, and the most rows that each shard gives.
  private static let limit = 128

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard segments.store.hasVectors != false else { return 1 }
    guard let embedding = source.image(shouldStop: state.query.shouldStop) else { return 0 }
    let files = state.findings.searches.map { segments.names(of: $0.type) }
    var rowCounts: [String: Int] = [:]
    for (search, files) in zip(state.findings.searches, files) {
      for (live, file) in zip(search.segments, files) { rowCounts[file] = live.segment.count }
    }
    if rowCounts.isEmpty { return 1 }
    guard
      let nearest = try await segments.store.nearest(
        to: embedding, in: rowCounts, count: Self.limit,
        within: StoredCandidateStage.share(of: state.query.remaining))
    else { return 1 }
    state.notes.shardFaults.add(nearest.outcome.missing, nearest.outcome.damaged)
    var isWhole = nearest.outcome.isWhole
    guard !nearest.rows.isEmpty else { return isWhole ? 1 : QueryPlan.nearlyAll }
    var samples: [[LiveSegment]] = []
    for (search, files) in zip(state.findings.searches, files) {
      let sample = try await sample(of: search, files, &state.notes, state.query.remaining)
      isWhole = isWhole && sample != nil
      samples.append(sample.map { [LiveSegment($0)] } ?? [])
    }
    state.findings.compare(
      embedding, by: source.isGiven ? nil : catalogue.imageModel?.directions, samples: samples,
      shouldStop: state.query.shouldStop)
    var found = Self.best(nearest, state.findings.searches, files)
    let isFetched = try await StoredCandidateStage.fetch(&found, from: segments, to: &state)
    for (index, rows) in found.enumerated() { try state.add(rows, to: index, in: catalogue) }
    if !source.isGiven { try state.findGroups(in: catalogue) }
    let products = zip(state.findings.searches, samples).filter { $0.0.type == .product }
    try state.findStrangers(in: catalogue, products.flatMap(\.1))
    return isWhole && isFetched ? 1 : QueryPlan.nearlyAll
  }

  /// Returns the nearest live rows of all types, as candidates of each.
  private static func best(
    _ nearest: StoredNeighbors, _ searches: [TypeSearch], _ files: [[String]]
  ) -> [CandidateRows] {
    var all: [(distance: Double, search: Int, row: SegmentRow)] = []
    for (number, (search, files)) in zip(searches, files).enumerated() {
      for (index, (live, file)) in zip(search.segments, files).enumerated() {
        for found in nearest.rows[file] ?? [] where live.isLive(found.row) {
          all.append((found.distance, number, SegmentRow(segment: index, row: found.row)))
        }
      }
    }
    all.sort { ($0.distance, $0.search, $0.row) < ($1.distance, $1.search, $1.row) }
    var best = searches.map { _ in CandidateRows() }
    for found in all.prefix(limit) { best[found.search].votes[found.row] = KeypointVoteCount() }
    return best
  }

  /// Returns evenly spaced signatures of a type, or `nil` if none of them comes.
  private func sample(
    of search: TypeSearch, _ files: [String], _ notes: inout SearchNotes,
    _ remaining: () -> Duration?
  ) async throws -> SignatureSegment? {
    if let kept = segments.samples.sample(of: search.type) { return kept }
    let counts = search.segments.map(\.segment.count)
    let rowCount = counts.reduce(0, +)
    // As many as ``EmbeddingContrast`` compares. The step is odd, as there.
    let limit = EmbeddingContrast.sampleCount
    let step = rowCount <= limit ? 1 : rowCount / limit + 1 | 1
    var rows: [String: [Int]] = [:]
    var first = 0
    for (file, count) in zip(files, counts) {
      rows[file] = Array(stride(from: first, to: count, by: step))
      first += (rows[file] ?? []).count * step - count
    }
    let found = try await segments.store.signatures(
      rows, within: StoredCandidateStage.share(of: remaining))
    notes.shardFaults.add(found.outcome.missing, found.outcome.damaged)
    let sample = StoredCandidateStage.images(found, files).values.first?.segment
    if let sample, found.outcome.isWhole { segments.samples.keep(sample, of: search.type) }
    return sample
  }
}
