internal import PixelMatch

/// A source of candidates for an image, with the stages that find them.
///
/// Stages and plans ask this, and do not know how a catalogue is kept.
protocol CandidateSource: Sendable {
  /// True if the signature of every image is in this directory, so that any image that a stage proposes can be
  /// compared at once.
  var hasAllSignatures: Bool { get }

  /// False if it is known that no vectors of images can be compared.
  var comparesEmbeddings: Bool { get }

  /// The kinds of stages of a search, the cheapest first.
  var kinds: [any SearchStage.Type] { get }

  /// Returns the stages that search an image, or a region of one that was searched before, the cheapest first. The last one verifies the geometry.
  ///
  /// - Parameters:
  ///   - embedding: The embedding of the image, if it has one.
  ///   - shouldStop: Tells scans and votes to end where they are.
  func stages(
    for signature: QuerySignature, _ embedding: EmbeddingSource?, labelMasks: [UInt64],
    threads: Int, isRegion: Bool, shouldStop: @escaping @Sendable () -> Bool
  ) -> [any SearchStage]
}

extension Catalogue {
  /// The source of candidates.
  var candidates: any CandidateSource { stored ?? ScannedSegments() as any CandidateSource }
}

/// The segments of the catalogue's own directory, which are scanned.
private struct ScannedSegments: CandidateSource {
  let hasAllSignatures = true
  let comparesEmbeddings = true

  let kinds: [any SearchStage.Type] = [
    HashScanStage.self, KeypointVoteStage.self, AppearanceScanStage.self, GeometryStage.self,
  ]

  func stages(
    for signature: QuerySignature, _ embedding: EmbeddingSource?, labelMasks: [UInt64],
    threads: Int, isRegion: Bool, shouldStop: @escaping @Sendable () -> Bool
  ) -> [any SearchStage] {
    let scanner = SegmentScanner(threads: threads, shouldStop: shouldStop)
    return [
      HashScanStage(signature: signature, scanner: scanner),
      KeypointVoteStage(signature: signature, threads: threads, shouldStop: shouldStop),
      AppearanceScanStage(signature: signature, labelMasks: labelMasks, scanner: scanner),
    ] + (embedding.map { [EmbeddingScanStage(source: $0, scanner: scanner)] } ?? [])
      + [GeometryStage()]
  }
}

/// Engine mode: posting lists vote, and the signatures of the best rows are fetched.
extension StoredSegments: CandidateSource {
  var hasAllSignatures: Bool { false }

  var comparesEmbeddings: Bool { store.hasVectors != false }

  var kinds: [any SearchStage.Type] { [StoredCandidateStage.self, GeometryStage.self] }

  func stages(
    for signature: QuerySignature, _ embedding: EmbeddingSource?, labelMasks: [UInt64],
    threads: Int, isRegion: Bool, shouldStop: @escaping @Sendable () -> Bool
  ) -> [any SearchStage] {
    [StoredCandidateStage(signature: signature, segments: self, isRegion: isRegion)]
      + (embedding.map { [StoredEmbeddingStage(source: $0, segments: self)] } ?? [])
      + [GeometryStage()]
  }
}
