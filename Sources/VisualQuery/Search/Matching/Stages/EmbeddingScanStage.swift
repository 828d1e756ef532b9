internal import PixelMatch

/// Scans the embeddings of all images, if there are some of the query's model.
struct EmbeddingScanStage: SearchStage {
  let embedding: ImageEmbedding
  let scanner: SegmentScanner
  static let step = QueryStep.embeddings
  static let cost = 1.0
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard state.searches.contains(where: \.comparison.comparesEmbeddings) else { return 1 }
    return try await state.addCandidates(from: catalogue) { segments in
      await scanner.nearest([FlatScan.Pass(.embedding(embedding))], in: segments)
    }
  }
}
