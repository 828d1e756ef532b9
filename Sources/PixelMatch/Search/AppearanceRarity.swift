/// Compares histograms with weights that favor colors and textures that are rare in a catalogue:
/// nearly every shop has gray and white, few have a particular green.
package struct AppearanceRarity: Sendable {
  /// A prior: the weights are computed as if this many images with uniform colors were present, with this mean of each bin,
  /// so that chance does not dominate in a small catalogue.
  private static let (priorRows, priorMean) = (16.0, 6.0)

  private let weights: [Float]

  /// Weights each bin by the fourth root of one over its mean in the segments.
  package init(_ segments: [LiveSegment]) {
    var sums = [Double](
      repeating: Self.priorRows * Self.priorMean, count: SegmentLayout.binCount)
    var rows = Self.priorRows
    for live in segments where live.segment.count > 0 {
      for (bin, sum) in live.segment.binSums.enumerated() { sums[bin] += Double(sum) }
      rows += Double(live.segment.count)
    }
    // A fourth root as two square roots, which every processor rounds identically, unlike
    // `pow`.
    weights = sums.map { Float(1 / (0.5 + $0 / rows).squareRoot().squareRoot()) }
  }

  /// Returns one minus the weighted Bray–Curtis dissimilarity of the bins: `1` for equal
  /// histograms, `0` for those without a common bin.
  package func similarity(_ a: ColorHistogram, _ b: ColorHistogram) -> Double {
    similarity(a.bins, b.bins, from: 0)
  }

  /// Returns the same similarity for textures.
  package func similarity(_ a: TextureHistogram, _ b: TextureHistogram) -> Double {
    similarity(a.bins, b.bins, from: ColorHistogram.binCount)
  }

  private func similarity(_ a: [UInt8], _ b: [UInt8], from first: Int) -> Double {
    var difference: Float = 0
    var total: Float = 0
    for bin in a.indices {
      let weight = weights[first &+ bin]
      difference += weight * Float(max(a[bin], b[bin]) &- min(a[bin], b[bin]))
      total += weight * Float(UInt16(a[bin]) &+ UInt16(b[bin]))
    }
    return total == 0 ? 0 : Double(1 - difference / total)
  }
}
