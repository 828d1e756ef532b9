internal import PixelMatch

/// Compares a query's image with images of the catalogue, one at a time.
struct ImageComparison: Sendable {
  /// The Hamming distance at and above which a hash is no evidence.
  private static let unrelatedDistance = 90.0
  /// The fewest visible keypoints that ``Evidence/Kind/agreement`` is a share of: a few keypoints that
  /// all agree are not all there is to see.
  private static let leastVisible = 24
  /// The hash evidence above which the colors are also compared where the whole images lie over each other, besides where
  /// the keypoints put them: keypoints may agree by chance, a near hash never does.
  private static let wholeImageHash = 0.45
  /// The residual above which, and the fewest inliers with which, a part of another color is searched
  /// for.
  private static let (leastResidual, leastInliers) = (0.005, 6)
  /// The largest differences between the layouts of two copies of one image: of all cells after the means are
  /// equalized, of the means, and of the four cells that differ most. For comparison: if a candle in its glass has
  /// another hue, the last difference is 0.1.
  private static let sameImage = ColorLayout.Difference(residual: 0.03, shift: 0.03, largest: 0.024)

  /// The share of an image besides a view of it from which on it shows something else, too.
  private static let leastContent = 0.05

  /// The factor of an embedding that is compared in directions fitted to the catalogue. Differences that do not tell its things
  /// apart are left out there, so what remains means more.
  private static let fittedFactor = 2.0

  private let query: QuerySignature
  private let rarity: AppearanceRarity
  private let geometry: GeometricCheck
  private let colors: AlignedColor
  /// Boxes of the query that show other things, in shares of its sides.
  private let covered: [ImageBox]
  private var embeddings: EmbeddingContrast?
  /// The same in the directions that are fitted to the catalogue; `nil` if there are none.
  private var fitted: EmbeddingContrast?
  /// See ``MeasuredEvidence/colorfulness``.
  let colorfulness: Double

  /// Prepares to compare a query with the images of some segments.
  ///
  /// - Parameter covered: Boxes of the query that show other things: their colors are not compared.
  init(_ query: QuerySignature, in segments: [LiveSegment], outside covered: [ImageBox]) {
    (self.query, self.covered) = (query, covered)
    rarity = AppearanceRarity(segments)
    geometry = GeometricCheck(query)
    colors = AlignedColor(query)
    colorfulness = query.colorfulness
  }

  /// The measurements between the query and one image.
  struct Measurement: Sendable, Hashable {
    /// The Hamming distance of the hashes under the best variant.
    var distance: Int
    /// The trust in the distance, `0...1`: less if an image is flat.
    var trust: Double
    var variant: DihedralVariant
    /// The index of the query's nearest view.
    var view: Int
    var color: Double
    var texture: Double
    /// See ``Evidence/Kind/embedding``.
    var embedding: Double?
    var alignment: Alignment?
    /// The mean difference of the colors at aligned places, or `nil` if nothing aligns.
    var residual: Double?
    /// The share of the thing that is of another color where it aligns.
    var contradiction = 0.0

    /// See ``Evidence/Kind/hash``.
    var hash: Double { trust * max(0, 1 - Double(distance) / unrelatedDistance) }

    /// The patches that look the same where the alignment puts them, or `nil` if they were not compared.
    var patches: PatchAgreement?

    /// Takes what the verification of another file of the same image has found.
    mutating func takeAlignment(of other: Measurement) {
      (alignment, residual, contradiction) = (other.alignment, other.residual, other.contradiction)
    }

    /// See ``Evidence/Kind/agreement``.
    var agreement: Double {
      alignment.map { Double($0.inliers) / Double(max(leastVisible, $0.visible, $0.inliers)) } ?? 0
    }
  }

  /// See ``MeasuredEvidence/embeddingFactor``.
  var embeddingFactor: Double { fitted == nil ? 1 : Self.fittedFactor }

  /// True if the images have embeddings that the query's can be compared with.
  var comparesEmbeddings: Bool { embeddings != nil }

  /// Compares histograms, embeddings, and hashes under the variant that brings them nearest.
  func measure(_ image: StoredImage) -> Measurement {
    let (segment, row) = (image.segment, image.row)
    let pdq = segment.pdq(at: row)
    let rowQuality = segment.pdqQuality(at: row)
    let appearance = segment.appearance(at: row)
    var best: Measurement?
    for (number, view) in query.views.enumerated() {
      let quality = min(view.pdqQuality, rowQuality)
      let trust = min(1, Double(quality) / Double(Signature.trustedQuality))
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
    best!.embedding = distinction(of: image)
    return best!
  }

  /// Compares an embedding of the query from now on.
  ///
  /// - Parameters:
  ///   - directions: The directions that are fitted to the catalogue, if there are some.
  ///   - shouldStop: Asked while it is prepared; `true` leaves it out.
  mutating func compare(
    _ embedding: ImageEmbedding, in segments: [LiveSegment], by directions: EmbeddingDirections?,
    shouldStop: () -> Bool
  ) {
    embeddings = EmbeddingContrast(embedding, in: segments, shouldStop: shouldStop)
    fitted = directions.flatMap {
      EmbeddingContrast(embedding, in: segments, by: $0, shouldStop: shouldStop)
    }
  }

  /// See ``Evidence/Kind/embedding``; `nil` if no embeddings are compared.
  func distinction(of image: StoredImage) -> Double? {
    (fitted ?? embeddings)?.distinction(of: image.segment.embedding(at: image.row))
  }

  /// The same without its limit, of the vectors as they are; 0 if no embeddings are compared.
  func unlimitedDistinction(of image: StoredImage) -> Double {
    embeddings?.unlimitedDistinction(of: image.segment.embedding(at: image.row)) ?? 0
  }

  /// Adds the alignment of the keypoints, and the difference of the colors at aligned places.
  func verify(
    _ measured: inout Measurement, _ image: StoredImage, isMirrored: Bool
  ) {
    measured.alignment = geometry.alignment(
      of: image.row, in: image.segment, isMirrored: isMirrored)
    compareColors(&measured, image)
  }

  /// Adds the patches that look the same.
  func comparePatches(
    _ measured: inout Measurement, _ image: StoredImage, _ check: PatchCheck
  ) {
    measured.patches = measured.alignment.flatMap {
      check.agreement(of: image.row, in: image.segment, under: $0.transform)
    }
  }

  /// Adds the difference of the colors at aligned places.
  ///
  /// - Parameter covered: Boxes of the query that are left out.
  func compareColors(
    _ measured: inout Measurement, _ image: StoredImage, outside covered: [ImageBox] = []
  ) {
    let (segment, row) = (image.segment, image.row)
    let size = segment.size(at: row)
    var transforms: [PlaneTransform] = []
    if let alignment = measured.alignment { transforms.append(alignment.transform) }
    if measured.hash > Self.wholeImageHash {
      transforms.append(PlaneTransform(measured.variant, of: query.views[measured.view], to: size))
    }
    let layout = segment.layout(at: row)
    measured.residual = transforms.compactMap {
      colors.residual(
        of: layout, size: size, under: $0, outside: self.covered + covered,
        isCopy: measured.hash > MeasuredEvidence.copyHash.lowerBound)
    }.min()
    measured.contradiction = 0
    // If the colors hardly differ, no part can have another color; if the images hardly align,
    // a difference of parts could not be trusted.
    guard let residual = measured.residual, residual > Self.leastResidual,
      (measured.alignment?.inliers ?? 0) >= Self.leastInliers
        || measured.hash > Self.wholeImageHash
    else { return }
    // If keypoints align the images, their claim tells which part of the query shows the thing.
    let claim = measured.alignment?.claim
    measured.contradiction =
      transforms.map { transform in
        colors.contradiction(
          of: layout, size: size, under: transform, within: claim,
          inliers: measured.alignment?.inliers, outside: self.covered + covered)
      }.min() ?? 0
  }

  /// Returns how the image matches.
  ///
  /// Recompression changes at most 12 bits and hardly any color. Most photos of an image stay within
  /// 64 bits, which no two of a million unrelated images do (p = 4·10⁻⁵ for related ones). Twenty
  /// keypoints in the same places are not chance either.
  func tier(_ measured: Measurement, _ image: StoredImage) -> MatchTier {
    let (segment, row) = (image.segment, image.row)
    let isSame = measured.trust == 1 && measured.distance <= 64
    guard isSame || (measured.alignment?.inliers ?? 0) >= 20 else { return .similar }
    guard measured.trust == 1, measured.distance <= 12 else { return .near }
    let layout = query.views[measured.view].layout.applying(measured.variant)
    let difference = layout.difference(from: segment.layout(at: row))
    let limits = Self.sameImage
    let isEqual =
      difference.residual < limits.residual && difference.shift < limits.shift
      && difference.largest < limits.largest
    return isEqual && measured.contradiction == 0 && showsAll(measured.view) ? .exact : .near
  }

  /// Returns whether a view shows all that the query does: what its plain borders surround may be one of two things.
  private func showsAll(_ number: Int) -> Bool {
    let (view, size) = (query.views[number], SIMD2<Double>(query.size))
    let (origin, extent) = (SIMD2<Double>(view.origin) / size, SIMD2<Double>(view.size) / size)
    let box = ImageBox(x: origin.x, y: origin.y, width: extent.x, height: extent.y)
    return number == 0 || query.contentShare(outside: [box]) < Self.leastContent
  }
}
