internal import PixelMatch

/// Scans the hashes of all images for those nearest to any variant of any view of the query.
struct HashScanStage: SearchStage {
  let signature: QuerySignature
  let scanner: SegmentScanner
  static let step = QueryStep.hashes
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    let pass = FlatScan.Pass(.hashes(signature.views.flatMap(\.variants)))
    return try await state.addCandidates(from: catalogue) { segments in
      await scanner.nearest([pass], in: segments)
    }
  }
}
