internal import PixelMatch

/// Scans the color and texture histograms of all images and, if labels are known, once more those of
/// the images that may have one of them.
struct AppearanceScanStage: SearchStage {
  let signature: QuerySignature
  let labelMasks: [UInt64]
  let scanner: SegmentScanner
  static let step = QueryStep.appearance
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var passes = signature.views.map { FlatScan.Pass(.appearance($0.color, $0.texture)) }
    if !labelMasks.isEmpty {
      passes.append(FlatScan.Pass(passes[0].query, anyBits: labelMasks))
    }
    return try await state.addCandidates(from: catalogue) { [passes] segments in
      await scanner.nearest(passes, in: segments)
    }
  }
}
