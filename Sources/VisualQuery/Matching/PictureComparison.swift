internal import PixelMatch

/// A query's picture, ready to be held against pictures of the catalogue one by one.
struct PictureComparison: Sendable {
  /// Mean difference of aligned colors, in Oklab, from which on they are of another thing.
  fileprivate static let strangerResidual = 0.10

  private let query: QuerySignature
  private let rarity: AppearanceRarity
  private let geometry: GeometricCheck
  private let colors: AlignedColor

  /// Prepares to compare a query with the pictures of some segments.
  init(_ query: QuerySignature, in segments: [LiveSegment]) {
    self.query = query
    rarity = AppearanceRarity(segments)
    geometry = GeometricCheck(query)
    colors = AlignedColor(query)
  }

  /// What was measured between the query and one picture.
  struct Measurement: Sendable, Hashable {
    /// Hamming distance of the hashes under the best variant, and how far it can be trusted, `0...1`.
    var distance: Int
    var trust: Double
    var variant: DihedralVariant
    /// Number of the query's view that was nearest.
    var view: Int
    var color: Double
    var texture: Double
    var alignment: Alignment?
    /// Mean difference of the colors at aligned places, where there are any.
    var residual: Double?

    /// See ``Evidence/Kind/hash``.
    var hash: Double { trust * max(0, 1 - Double(distance) / 90) }

    /// See ``Evidence/Kind/agreement``. A few corners that all agree are not all there is to see.
    var agreement: Double {
      alignment.map { Double($0.inliers) / Double(max(24, $0.visible, $0.inliers)) } ?? 0
    }

    /// See ``Evidence/Kind/alignedColor``.
    var alignedColor: Double? {
      guard let residual else { return nil }
      let corners = Double((alignment?.inliers ?? 0) - 3) / 12
      let trust = max(0, min(1, max(corners, 2 * hash - 0.5)))
      return trust * max(0, 1 - residual / PictureComparison.strangerResidual)
    }
  }

  /// Compares hashes under the variant that brings them nearest, and histograms.
  func measure(_ row: Int, in segment: SignatureSegment) -> Measurement {
    let pdq = segment.pdq(at: row)
    let rowQuality = segment.pdqQuality(at: row)
    let appearance = segment.appearance(at: row)
    var best: Measurement?
    for (number, view) in query.views.enumerated() {
      // PDQ's authors distrust a quality of 49 and less.
      let trust = min(1, Double(min(view.pdqQuality, rowQuality)) / 50)
      let distances = view.variants.map { $0.hammingDistance(to: pdq) }
      let nearest = distances.indices.min { distances[$0] < distances[$1] }!
      var measured = Measurement(
        distance: distances[nearest], trust: trust, variant: DihedralVariant.allCases[nearest],
        view: number, color: rarity.similarity(view.color, appearance.color),
        texture: rarity.similarity(view.texture, appearance.texture))
      if let known = best {
        let (color, texture) = (measured.color, measured.texture)
        if known.hash >= measured.hash { measured = known }
        measured.color = max(known.color, color)
        measured.texture = max(known.texture, texture)
      }
      best = measured
    }
    return best!
  }

  /// Adds what the corners say, and the colors at the places that they align.
  func check(
    _ measured: inout Measurement, _ row: Int, in segment: SignatureSegment, isMirrored: Bool
  ) {
    measured.alignment = geometry.alignment(of: row, in: segment, isMirrored: isMirrored)
    let size = segment.size(at: row)
    let whole = PlaneTransform(measured.variant, of: query.views[measured.view], to: size)
    // Few corners may agree by chance; a near hash never does.
    let isWhole = measured.hash > 0.45 && (measured.alignment?.inliers ?? 0) < 12
    guard isWhole || measured.alignment != nil else { return }
    measured.residual = colors.residual(
      of: segment.layout(at: row), size: size,
      under: isWhole ? whole : measured.alignment?.transform ?? whole)
  }

  /// Recompression stays within 12 bits and changes no color to speak of; most photos of a picture
  /// stay within 64, which no two of a million unrelated pictures do (p = 4·10⁻⁵ for related ones).
  /// Twenty corners in the same places are no chance either.
  func tier(_ measured: Measurement, _ row: Int, in segment: SignatureSegment) -> MatchTier {
    let isSame = measured.trust == 1 && measured.distance <= 64
    guard isSame || (measured.alignment?.inliers ?? 0) >= 20 else { return .similar }
    guard measured.trust == 1, measured.distance <= 12 else { return .near }
    let layout = query.views[measured.view].layout.applying(measured.variant)
    let difference = layout.difference(from: segment.layout(at: row))
    return difference.residual < 0.03 && difference.shift < 0.03 ? .exact : .near
  }
}
