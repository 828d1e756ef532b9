internal import PixelMatch
internal import Reading

/// The embedding of an image.
enum EmbeddingSource: Sendable {
  /// It came with the image.
  case given(ImageEmbedding)
  /// A model is computing it, while other stages run.
  case computed(ImageEncoding)
}

/// Scans the embeddings of all images, if there are some of the query's model.
struct EmbeddingScanStage: SearchStage {
  let source: EmbeddingSource
  let scanner: SegmentScanner
  static let step = QueryStep.embeddings
  static let cost = 1.0
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    if case .computed(let encoding) = source {
      // A model that fails on one image is no reason to give no answer: the image counts as not compared.
      guard let vector = try? encoding.vector(shouldStop: scanner.shouldStop),
        let embedding = try? ImageEmbedding(model: encoding.encoder.name, vector: vector)
      else { return 0 }
      state.findings.compare(embedding, shouldStop: scanner.shouldStop)
    }
    guard let embedding = state.findings.embedding,
      state.findings.searches.contains(where: \.comparison.comparesEmbeddings)
    else { return 1 }
    let share = try await state.addCandidates(from: catalogue) { segments in
      await scanner.nearest([FlatScan.Pass(.embedding(embedding))], in: segments)
    }
    if case .computed = source { try state.findGroups(in: catalogue) }
    return share
  }
}
