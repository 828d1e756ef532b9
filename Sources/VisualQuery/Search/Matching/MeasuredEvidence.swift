#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// The measurements of one candidate that its score and its confidence are made of.
struct MeasuredEvidence: Sendable, Hashable {
  /// The terms of a score, in the order of the vectors' lanes and of the coefficients.
  enum Lane: Int, Sendable, CaseIterable {
    case hash, color, texture, votes, inliers, agreement, alignedColor, offColor, labels, embedding,
      support, patches

    /// The name of the evidence in an answer.
    var kind: Evidence.Kind {
      switch self {
      case .hash: .hash
      case .color: .color
      case .texture: .texture
      case .votes: .votes
      case .inliers: .inliers
      case .agreement: .agreement
      case .alignedColor: .alignedColor
      case .offColor: .offColor
      case .labels: .labels
      case .embedding: .embedding
      case .support: .support
      case .patches: .patches
      }
    }
  }

  /// The difference of aligned colors, in Oklab, at and above which they are no evidence for a
  /// candidate.
  private static let strangerResidual = 0.041
  /// The likeness of the histograms, and the difference of aligned colors, of a right answer in another light.
  private static let (usualColor, usualResidual) = (0.6, 0.033)
  /// The share of a thing in another color below which it indicates nothing, and the share above
  /// which it is another thing (docs/quality-trials.md).
  private static let contradictedShares = AlignedColor.leastContradiction...0.16
  /// The evidence of aligned colors at which a contradiction begins to count less, and at which
  /// it no longer counts.
  static let equalColors = 0.5...0.8
  /// The likeness of the histograms below which aligned images show another color.
  private static let offColorSimilarity = 0.4
  /// The likeness that histograms are given if the colors at aligned places are equal. Histograms have it at a
  /// similarity of 0.8.
  private static let alignedLikeness = 1.6
  /// The degree to which the aligned lightness of an image without color can be trusted if it is not a copy.
  private static let grayTrust = 0.25
  /// The evidence of the hash at which an image begins to count as a copy of another, and at
  /// which it does fully: nine bits differ, or two.
  static let copyHash = 0.9...0.977
  /// The number of inliers, less three, at which an alignment is fully trusted.
  private static let trustedInliers = 12.0
  /// A label that agrees is fully confirmed from this many inliers on, plus four.
  private static let confirmingInliers = 24.0

  /// The share of matching patches below which it indicates nothing, and the share above which it
  /// fully indicates this item.
  private static let samePatches = 0.88...0.97
  /// The shares of matching patches below and above which the same holds for this item or a sibling of it.
  private static let siblingPatches = 0.75...0.92
  /// The number of patches at which their share is fully trusted.
  static let trustedPatches = 40.0

  /// The part of a label that, for an entity with many images, counts only if several of them are near.
  private static let unconfirmedShare = 0.55
  /// The weight in the confidence of a label that disagrees; that of one that agrees is 1.
  private static let disagreement = 0.6

  /// The likeness of the colors, and the number of inliers, at which they begin to agree with a
  /// lead, and at which they fully do.
  private static let (agreedColors, agreedInliers) = (1.3...3.5, 2.0...6)
  /// The similarity of the color histograms at which it begins to agree with a lead beyond its limit, and at which it fully does.
  private static let farColors = 0.7...0.85
  /// The likeness of the colors below which a label makes nothing sure, since siblings in other
  /// colors have it, and the likeness above which it counts fully.
  private static let labelledColors = 0.35...0.6
  /// The likeness of the colors below which patches are taken for those of a sibling in another
  /// color, and the likeness above which they count fully.
  private static let patchedColors = 0.2...0.4

  /// The weight of what another image of the entity shows better.
  private static let otherImageShare = 0.7

  /// See ``Evidence/Kind/hash``.
  var hash: Double
  /// See ``Evidence/Kind/color``.
  var color: Double
  /// See ``Evidence/Kind/texture``.
  var texture: Double
  /// See ``Evidence/Kind/votes``.
  var votes = 0
  /// See ``Evidence/Kind/inliers``.
  var inliers = 0
  /// See ``Evidence/Kind/agreement``.
  var agreement = 0.0
  /// The difference of the colors at aligned places in Oklab (``AlignedColor``), or `nil` if nothing
  /// aligns.
  var residual: Double?
  /// The share of the thing that is of another color where it aligns (``AlignedColor``).
  var contradiction = 0.0
  /// See ``Evidence/Kind/labels``; `nil` if no label of the query is known.
  var labels: Double?
  /// See ``Evidence/Kind/embedding``; `nil` if the query has none, or none that is comparable.
  var embedding: Double?
  /// The factor of the embedding in the score: more than 1 if the directions in which it is compared are fitted to the catalogue.
  var embeddingFactor = 1.0
  /// True if the embedding is compared in directions that are fitted to the catalogue.
  var isDirected: Bool { embeddingFactor > 1 }
  /// The support by other images of the entity; `nil` if there are none, or too few were compared.
  var support: ImageSupport?
  /// The patches that look the same where the image aligns, or `nil` if they were not compared.
  var patches: PatchAgreement?
  /// The degree to which the query's colors can be trusted, `0...1`: 0 if it has none.
  var colorfulness = 1.0
  /// The parts of the query that the inliers lie in.
  var claim = ImageClaim()
  /// True if the inliers are those of a window, which keypoints have proposed.
  var isFromWindow = false

  /// The weight of the patches as evidence for this item, `0...1`. Of the right item nearly all patches match; of one that shares a
  /// logo or part of a design, fewer do.
  var patchLikeness: Double { patchLikeness(Self.samePatches) }

  /// The weight of the patches as evidence for this item or a sibling, such as the same item in another color, `0...1`.
  var siblingLikeness: Double { patchLikeness(Self.siblingPatches) }

  private func patchLikeness(_ range: ClosedRange<Double>) -> Double {
    guard let patches else { return 0 }
    let (start, end) = (range.lowerBound, range.upperBound)
    return max(0, min(1, (patches.share - start) / (end - start)))
      * min(1, Double(patches.visible) / Self.trustedPatches)
  }

  /// The degree to which the alignment can be trusted, `0...1`.
  var alignmentTrust: Double {
    guard residual != nil else { return 0 }
    return max(0, min(1, max(Double(inliers - 3) / Self.trustedInliers, 2 * hash - 0.5)))
  }

  /// See ``Evidence/Kind/contradiction``.
  var contradictedShare: Double {
    let (start, end) = (Self.contradictedShares.lowerBound, Self.contradictedShares.upperBound)
    let (doubtful, equal) = (Self.equalColors.lowerBound, Self.equalColors.upperBound)
    // If the colors agree as a whole, a part of another color is something that hides the
    // thing, such as a hand, and does not contradict the match.
    let doubt = min(1, (equal - (self[.alignedColor] ?? 0)) / (equal - doubtful))
    return alignmentTrust * max(0, doubt)
      * max(0, min(1, (contradiction - start) / (end - start)))
  }

  /// The degree to which the colors at aligned places can be trusted, `0...1`. Without color, there is only the
  /// lightness, in which tints differ less than lights do, so that it tells them apart only in a copy.
  private var alignedTrust: Double {
    let copy = Self.copyHash
    let nearness = (hash - copy.lowerBound) / (copy.upperBound - copy.lowerBound)
    return max(
      colorfulness, Self.grayTrust + (1 - Self.grayTrust) * max(0, min(1, nearness)))
  }

  /// The measurement of a lane in the unit of its ``Evidence/Kind``, or `nil` if there is none.
  subscript(lane: Lane) -> Double? {
    switch lane {
    case .hash: hash
    case .color: color
    case .texture: texture
    case .votes: Double(votes)
    case .inliers: Double(inliers)
    case .agreement: agreement
    case .alignedColor: residual.map { alignmentTrust * Self.closeness($0) }
    case .offColor:
      // Colored light changes the histogram of the same thing. The colors at aligned places
      // are corrected for light, so they decide whether the color is another one.
      residual.map {
        -alignmentTrust * (1 - Self.closeness($0)) * max(0, 1 - color / Self.offColorSimilarity)
      }
    case .labels: labels
    case .embedding: embedding
    case .support: support?.share
    case .patches: patches?.share
    }
  }

  /// Replaces the colors by those that a right answer usually has, if keypoints align it: if the question asks for
  /// another color, the thing that is meant contradicts the image.
  mutating func leaveColorsOut() {
    guard let residual, inliers >= Rivals.claimingInliers else { return }
    color = max(color, Self.usualColor)
    self.residual = min(residual, Self.usualResidual)
    contradiction = 0
  }

  /// Returns terms with the values of this evidence.
  func values(of terms: [Evidence]) -> [Evidence] {
    let values = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0.kind, self[$0]) })
    return terms.map {
      Evidence(kind: $0.kind, value: (values[$0.kind] ?? nil) ?? $0.value, weight: $0.weight)
    }
  }

  /// The score that orders candidates.
  var score: Double { features.dot(Calibration.coefficients.step1) }

  /// Returns the score of an entity of which this is the evidence of the best image. Another one may show its texture or its
  /// keypoints from a nearer side: that counts in part, as far as nothing aligns. Colors do not add up, since those of
  /// an entity are the same in all images.
  ///
  /// - Parameter highest: The ``features``, each the highest of any image of the entity.
  func score(with highest: EvidenceVector) -> Double {
    weighed(with: highest).dot(Calibration.coefficients.step1)
  }

  /// Returns the values whose sum is the score, each with its factor of the first step.
  func weighed(with highest: EvidenceVector) -> EvidenceVector {
    let weakness = 1 - max(0, min(1, Double(inliers - 3) / Self.trustedInliers))
    var lanes = features
    for lane in [Lane.texture, .votes] {
      lanes[lane] += Self.otherImageShare * weakness * (highest[lane] - lanes[lane])
    }
    return lanes
  }

  /// The score of what was measured in the image itself: without the labels, the embedding and other images.
  var scoreOfContent: Double { Self.scoreOfContent(features) }

  /// Returns the ``scoreOfContent`` of evidence with the given ``features``.
  static func scoreOfContent(_ features: EvidenceVector) -> Double {
    var lanes = features
    for lane in [Lane.labels, .embedding, .support] { lanes[lane] = 0 }
    return lanes.dot(Calibration.coefficients.step1)
  }

  /// The regressors of the first step. Four keypoints may agree by chance.
  var features: EvidenceVector { regressors(inliersFrom: 4) }

  /// The regressors of the second step. Fourteen keypoints agree if only a brand's logo is the same:
  /// that makes an answer likely, not sure.
  ///
  /// A label that agrees counts twice as much with keypoints that agree: of things that look alike without
  /// structure, such as loose fruit, a wrong label would otherwise decide. Without keypoints, a label of an entity with many
  /// images counts in part if only one of them is near.
  ///
  /// Patches count by their lead over rivals: siblings in other colors have the same. For the same reason they count for nothing if the
  /// colors are others.
  func certainties(_ standing: Standing) -> EvidenceVector {
    var lanes = regressors(inliersFrom: 14)
    lanes[.patches] = standing.patchLead * (1 - colorfulness * (1 - patchAgreement))
    if let labels, labels > 0 {
      let share = max(0, min(1, Double(inliers - 4) / Self.confirmingInliers))
      let unconfirmed = support.map { $0.limit * (1 - $0.share) } ?? 0
      lanes[.labels] =
        labels * (1 + share) / 2 * (1 - Self.unconfirmedShare * unconfirmed * (1 - share))
    } else {
      lanes[.labels] *= Self.disagreement
    }
    return lanes
  }

  /// The likeness of the colors, as far as they can be believed. In another light, histograms differ; equal colors
  /// at aligned places say that these are the same.
  var colorLikeness: Double { colorfulness * seenLikeness }

  /// The likeness of the colors, whether the query has any or not.
  private var seenLikeness: Double {
    max(Self.likeness(color), Self.alignedLikeness * (self[.alignedColor] ?? 0))
  }

  /// The degree to which colors and keypoints agree with a lead, `0...1`.
  var leadAgreement: Double {
    Self.agreedColors.share(at: colorLikeness) * Self.agreedInliers.share(at: Double(inliers))
  }

  /// The degree to which histograms agree with a lead beyond its limit, `0...1`. The best of many images of an entity is far ahead by chance.
  var farLeadAgreement: Double { support == nil ? Self.farColors.share(at: color) : 0 }

  /// The degree to which colors agree with a label, `0...1`.
  var labelAgreement: Double { Self.labelledColors.share(at: colorLikeness) }

  /// The degree to which colors agree with patches, `0...1`.
  private var patchAgreement: Double { Self.patchedColors.share(at: seenLikeness) }

  /// The lanes on the scales that the coefficients are for. Each grows with its measurement and is
  /// 0 if there is none.
  private func regressors(inliersFrom least: Int) -> EvidenceVector {
    EvidenceVector { lane in
      switch lane {
      case .hash, .agreement, .labels, .support: self[lane] ?? 0
      case .embedding: embeddingFactor * (embedding ?? 0)
      case .color: colorLikeness
      case .texture: colorfulness * Self.likeness(texture)
      case .votes: log(1 + Double(votes) / 1000)
      case .inliers: log(1 + Double(max(0, inliers - least)))
      case .alignedColor: alignedTrust * (self[lane] ?? 0)
      case .offColor: colorfulness * (self[lane] ?? 0)
      case .patches: patchLikeness
      }
    }
  }

  /// Returns the similarity of aligned colors: `1` for equal ones, `0` from ``strangerResidual`` on.
  private static func closeness(_ residual: Double) -> Double {
    max(0, 1 - residual / strangerResidual)
  }

  /// Grows ever faster as histograms become equal. The cap keeps rounding from mattering.
  private static func likeness(_ similarity: Double) -> Double {
    -log(max(leastDissimilarity, 1 - similarity))
  }

  /// The difference of histograms, as a share, below which they are equal.
  private static let leastDissimilarity = 0.02
}

extension ClosedRange<Double> {
  /// Returns the share of the range that lies below a value, `0...1`.
  func share(at value: Double) -> Double {
    Swift.max(0, Swift.min(1, (value - lowerBound) / (upperBound - lowerBound)))
  }
}
