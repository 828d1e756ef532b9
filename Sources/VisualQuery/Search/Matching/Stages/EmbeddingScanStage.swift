internal import PixelMatch
internal import Reading

/// The embedding of an image.
enum EmbeddingSource: Sendable {
  /// It came with the image.
  case given(ImageEmbedding)
  /// A model is computing it, while other stages run.
  case computed(ImageEncoding)
  /// An embedding to which the direction of words is added. A model is computing the words' embedding meanwhile.
  indirect case worded(EmbeddingSource, WordsEncoding)

  /// True if the embedding came with the image: it may be of any model.
  var isGiven: Bool { if case .given = self { true } else { false } }

  /// Waits for the embedding of the image; `nil` if the model fails, or has to stop.
  ///
  /// If the model fails on an image, the query still gets an answer, and the image counts as not compared.
  func image(shouldStop: () -> Bool) -> ImageEmbedding? {
    switch self {
    case .given(let embedding): embedding
    case .computed(let encoding):
      (try? encoding.vector(shouldStop: shouldStop)).flatMap {
        try? ImageEmbedding(model: encoding.encoder.name, vector: $0)
      }
    case .worded(let image, _): image.image(shouldStop: shouldStop)
    }
  }
}

/// The embedding of words, which a model is computing.
struct WordsEncoding: Sendable {
  let encoding: TextEncoding
  /// The name of the vectors of images that it is compared with.
  let model: String

  /// Waits for the embedding; `nil` if the model fails, or has to stop.
  func embedding(shouldStop: () -> Bool) -> ImageEmbedding? {
    (try? encoding.vector(shouldStop: shouldStop)).flatMap {
      try? ImageEmbedding(model: model, vector: $0)
    }
  }
}

/// Scans the embeddings of all images, if there are some of the query's model.
struct EmbeddingScanStage: SearchStage {
  let source: EmbeddingSource
  let scanner: SegmentScanner
  static let step = QueryStep.embeddings
  static let isScan = true

  /// The weight of words beside an image, if both spread the catalogue's images alike, and the bounds of what is made of it: words say what is to
  /// be different, so that they count for more.
  private static let (wordWeight, weights) = (1.5, 0.25...8.0)

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var hasWords = true
    if !source.isGiven {
      guard var embedding = source.image(shouldStop: scanner.shouldStop) else { return 0 }
      // Words ask for what tells things of one kind apart, which the fitted directions may leave out.
      var directions = catalogue.imageModel?.directions
      if case .worded(_, let words) = source {
        let worded = worded(embedding, words, in: state.findings.searches.flatMap(\.segments))
        hasWords = worded != nil
        embedding = worded ?? embedding
        if worded != nil { directions = nil }
      }
      state.findings.compare(embedding, by: directions, shouldStop: scanner.shouldStop)
    }
    guard let embedding = state.findings.embedding,
      state.findings.searches.contains(where: \.comparison.comparesEmbeddings)
    else { return hasWords ? 1 : 0 }
    let share = try await state.addCandidates(from: catalogue) { segments in
      await scanner.nearest([FlatScan.Pass(.embedding(embedding))], in: segments)
    }
    if !source.isGiven { try state.findGroups(in: catalogue) }
    // Words ask for something else than the image shows, so that nearness to both proves nothing.
    if case .worded = source { return hasWords ? share : 0 }
    try state.findStrangers(in: catalogue, catalogue.segments(of: .product))
    return share
  }

  /// Returns an embedding with the direction of words added, so that both spread the catalogue's images alike: the cosines of words and images
  /// are closer together than those of images.
  private func worded(
    _ image: ImageEmbedding, _ words: WordsEncoding, in segments: [LiveSegment]
  ) -> ImageEmbedding? {
    guard let embedding = words.embedding(shouldStop: scanner.shouldStop) else { return nil }
    var weight = Self.wordWeight
    if let ofImage = EmbeddingContrast(image, in: segments, shouldStop: scanner.shouldStop),
      let ofWords = EmbeddingContrast(embedding, in: segments, shouldStop: scanner.shouldStop)
    {
      weight = min(
        max(Self.wordWeight * ofImage.deviation / ofWords.deviation, Self.weights.lowerBound),
        Self.weights.upperBound)
    }
    return image.adding(embedding, weight: weight)
  }
}

/// Finds the entities whose images are near the words of a question that has no image.
struct WordScanStage: SearchStage {
  let words: WordsEncoding
  let scanner: SegmentScanner
  static let step = QueryStep.embeddings

  /// The log-odds of an image that is as near as the others are on average. Each standard deviation adds one.
  private static let prior = -4.0

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    guard let embedding = words.embedding(shouldStop: scanner.shouldStop) else { return 0 }
    let contrast = EmbeddingContrast(
      embedding, in: state.query.types.flatMap(catalogue.segments), shouldStop: scanner.shouldStop)
    var (scanned, planned) = (0, 0)
    for type in state.query.types {
      let segments = catalogue.segments(of: type).map { segment in
        segment.keeping { state.query.allows($0, type) }
      }
      let found = await scanner.nearest([FlatScan.Pass(.embedding(embedding))], in: segments)
      scanned += found.scannedRows
      planned += found.plannedRows
      var nearest: [UInt32: (distinction: Double, position: Int)] = [:]
      for row in found.votes.keys.sorted() {
        let segment = segments[row.segment].segment
        let stored = segment.embedding(at: row.row)
        // With few images there is no contrast, because they do not show which similarities are usual; the similarity
        // itself counts then.
        let distinction =
          contrast?.unlimitedDistinction(of: stored)
          ?? EmbeddingContrast.limit * (stored?.similarity(to: embedding) ?? 0)
        let key = segment.key(at: row.row)
        if distinction > nearest[key]?.distinction ?? 0 {
          let position = EntityValue.imageIndex(ofPosition: Int(segment.tag(at: row.row)))
          nearest[key] = (distinction, position)
        }
      }
      for (key, image) in nearest.sorted(by: { $0.key < $1.key }) {
        let evidence = [
          Evidence(kind: .prior, value: 1, weight: Self.prior),
          Evidence(
            kind: .embedding, value: min(EmbeddingContrast.limit, image.distinction),
            weight: image.distinction),
        ]
        state.findings.addByWords(
          ScoredEntity(
            key: key, type: type, evidence: evidence,
            confidence: Calibration.confidence(evidence), tier: .similar,
            imagePosition: image.position))
      }
    }
    return planned == 0 ? 1 : Double(scanned) / Double(planned)
  }
}
