internal import PixelMatch

/// A part of the query's image that was searched on its own, or should be.
package struct SearchedRegion: Sendable, Hashable {
  /// The reason why a region was proposed.
  package enum Source: String, Sendable, Hashable, Codable, CaseIterable {
    /// Plain lines part it from the rest of the image, as on a page of a shop.
    case layout
    /// Keypoints outline a candidate in it.
    case outline
    /// It is the image without the things that are sure, each filled from its borders.
    case remainder
    /// It is the whole image, to be searched in overlapping windows for small things, since nothing is sure.
    case windows
    /// It is the whole image in neutral light, in which candidates are compared that keypoints align and colors contradict.
    case light
  }

  /// The reason why it was proposed.
  package let source: Source
  /// Its box: left, top, width and height in shares of the sides of the query's image.
  package let box: [Double]
  /// A Boolean value that indicates whether it was searched. If not, since the query is a signature, a
  /// search with the signature of this part may find more; for a ``Source/remainder``, for ``Source/windows``, for ``Source/light`` and for an
  /// ``Source/outline`` that is the whole image, a search with the image.
  package let isSearched: Bool
  /// The entity that is likeliest in it, shown or not, or `nil` if none is alike.
  package let best: EntityID?
  /// The confidence of ``best``.
  package let confidence: Double?

  init(
    source: Source, box: PictureRegion, isSearched: Bool, best: EntityID? = nil,
    confidence: Double? = nil
  ) {
    (self.source, self.isSearched) = (source, isSearched)
    self.box = [box.x, box.y, box.width, box.height]
    (self.best, self.confidence) = (best, confidence)
  }
}

/// A part of the query's image that is worth a search of its own.
struct RegionProposal: Sendable, Hashable {
  let source: SearchedRegion.Source
  let box: PictureRegion
  /// The boxes of sure things that are filled before the search, in shares of the sides of the query's image.
  var filled: [ImageBox] = []
  /// The entities whose outline it is, by their keys.
  var outlined: Set<UInt32> = []
  /// True if it is an outline in a part that was searched on its own, not in the image.
  var isWithinPart = false
}

/// A part of the query's image that is searched on its own, since it may show another thing than the rest.
struct RegionSearch: Sendable {
  let source: SearchedRegion.Source
  let frame: ImageFrame
  /// The entities whose outline it is, by their keys.
  let outlined: Set<UInt32>
  /// See ``RegionProposal/isWithinPart``.
  let isWithinPart: Bool
  /// The addition to the log-odds of what is found in it.
  var prior = 0.0
  /// True if the outlines of candidates were compared with the marks of a signature, and not with pixels: the answer then still names them as
  /// not searched.
  let isByMarks: Bool
  var searches: [TypeSearch]
}

/// The place of an image that was searched within the query's image.
struct ImageFrame: Sendable, Hashable {
  /// The box in shares of the sides of the query's image.
  let box: PictureRegion
  /// The size of the working image of the box in pixels.
  let size: SIMD2<Int>

  /// The frame of the whole image.
  init(_ signature: QuerySignature) {
    self.init(box: .whole, signature)
  }

  init(box: PictureRegion, _ signature: QuerySignature) {
    self.box = box
    size = signature.size
  }
}

/// Finds the parts of a query's image that are worth a search of their own.
struct RegionProposals {
  /// The fewest inliers with which the outline of a candidate is searched again if nothing is
  /// sure.
  private static let outliningInliers = 5
  /// The most outlines that are looked at again.
  private static let outlineLimit = 4
  /// The most outlines if those beyond `outlineLimit` lie apart from the others: each then has at least this number of
  /// agreeing keypoints, and overlaps each other one by at most this share of the union.
  private static let (apartLimit, apartInliers, apartOverlap) = (12, 12, 0.1)
  /// The confidence above which searching a sure candidate again would change little.
  private static let steadyConfidence = 0.97
  /// The sides of an outline, as shares of the image's, below which it is too small to be looked at.
  private static let leastSide = 0.08
  /// The share of the image above which an outline is taken for the image itself.
  private static let wholeShare = 0.85
  /// The overlap, of the union, above which two outlines are one.
  private static let sameOverlap = 0.6
  /// The margin that is added around an outline, as a share of its sides.
  private static let margin = 0.04
  /// The number of cells of a claim in a part of the image at which the claim explains that part.
  private static let explainingCells = 3
  /// The share of the image up to which sure things leave room for another one.
  private static let roomyShare = 0.6
  /// The least share of the image that shows something besides the sure things and a plain background.
  private static let leastRemainder = 0.12

  /// The candidates that are sure without a search of regions.
  let sure: [BestImage]
  /// True if anything is shown, by whatever evidence.
  private let isAnySure: Bool
  private let unsure: [ScoredEntity]
  /// The only sure candidate, if another look may make it surer. Without it, a confidence just below the cut-off would end far
  /// above the one just beyond it.
  private let barelySure: [ScoredEntity]
  private let isAnyBarelySure: Bool

  /// - Parameter scored: The candidates of the whole image.
  init(_ scored: [ScoredEntity], cutOff: Double) {
    let aligned = scored.filter {
      ($0.image?.evidence.inliers ?? 0) >= Self.outliningInliers
    }
    sure = aligned.filter {
      $0.confidence >= cutOff && $0.image!.evidence.inliers >= Rivals.claimingInliers
    }.compactMap(\.image)
    let sureCount = scored.count { $0.confidence >= cutOff }
    isAnySure = sureCount > 0
    unsure = aligned.filter { $0.confidence < cutOff }
      .sorted { ($1.image!.evidence.inliers, $0.key) < ($0.image!.evidence.inliers, $1.key) }
    let barelySure = aligned.filter {
      (cutOff..<Self.steadyConfidence).contains($0.confidence)
    }
    isAnyBarelySure = barelySure.contains(where: Self.alignsWell)
    // Searching the outlines of several sure candidates again could change their order, so it
    // is done only for a single one.
    self.barelySure = sureCount > 1 ? [] : barelySure
  }

  /// Returns the cells of a page that no sure candidate explains.
  func cells(of layout: [ImageBox]) -> [RegionProposal] {
    layout.filter { cell in
      !sure.contains {
        $0.evidence.claim.count(in: cell) >= Self.explainingCells
      }
    }.map {
      RegionProposal(
        source: .layout,
        box: PictureRegion(x: $0.x, y: $0.y, width: $0.width, height: $0.height))
    }
  }

  /// The boxes of the sure candidates.
  var covered: [ImageBox] {
    sure.compactMap(\.coveredBox).map {
      ImageBox(x: $0.x, y: $0.y, width: $0.width, height: $0.height)
    }
  }

  /// Returns the image without the sure candidates, if they leave room for something else.
  func remainder(of signature: QuerySignature) -> RegionProposal? {
    let covered = covered
    guard !covered.isEmpty, signature.share(within: covered) <= Self.roomyShare,
      signature.contentShare(outside: covered) >= Self.leastRemainder
    else { return nil }
    return RegionProposal(
      source: .remainder, box: .whole, filled: covered)
  }

  /// The candidates with some agreeing keypoints that lie apart from all sure ones; all of them if nothing is
  /// sure.
  var apart: [ScoredEntity] {
    guard isAnySure else { return unsure }
    return unsure.filter { entity in
      let evidence = entity.image!.evidence
      return evidence.inliers >= Rivals.claimingInliers
        && sure.allSatisfy { Rivals.areApart($0.evidence, evidence) }
    }
  }

  /// True if another comparison could change the confidence of a well-aligned candidate. If its confidence is
  /// at least ``steadyConfidence``, or a sure candidate lies in the same place, it could not.
  var isUnsettled: Bool { isAnyBarelySure || apart.contains(where: Self.alignsWell) }

  private static func alignsWell(_ entity: ScoredEntity) -> Bool {
    entity.image!.evidence.inliers >= Rivals.claimingInliers
  }

  /// Returns whether an alignment has enough inliers to outline a candidate.
  static func isOutline(_ alignment: Alignment) -> Bool { alignment.inliers >= outliningInliers }

  /// Returns the boxes of candidates with some agreeing keypoints that lie apart from all sure ones.
  ///
  /// - Parameter includesSure: True if those that are barely sure are compared again, too. On a page, cells are compared instead.
  func outlines(includesSure: Bool = false) -> [RegionProposal] {
    var outlines: [(box: PictureRegion, entities: Set<UInt32>)] = []
    for entity in (includesSure ? barelySure : []) + apart {
      guard let box = entity.image!.coveredBox, box.width >= Self.leastSide,
        box.height >= Self.leastSide, box.width * box.height <= Self.wholeShare
      else { continue }
      if let same = outlines.firstIndex(where: { box.overlap(with: $0.box) > Self.sameOverlap }) {
        outlines[same].entities.insert(entity.key)
      } else if outlines.count < Self.outlineLimit
        || outlines.count < Self.apartLimit && entity.image!.evidence.inliers >= Self.apartInliers
          && outlines.allSatisfy({ box.overlap(with: $0.box) <= Self.apartOverlap })
      {
        outlines.append((box, [entity.key]))
      }
    }
    return outlines.map { outline in
      RegionProposal(
        source: .outline, box: outline.box.grown(by: Self.margin), outlined: outline.entities)
    }
  }
}

extension PictureRegion {
  /// The intersection over the union with another region.
  fileprivate func overlap(with other: PictureRegion) -> Double {
    let across = min(x + width, other.x + other.width) - max(x, other.x)
    let down = min(y + height, other.y + other.height) - max(y, other.y)
    guard across > 0, down > 0 else { return 0 }
    return across * down / (width * height + other.width * other.height - across * down)
  }

  /// Returns whether the center of another region lies in it.
  func contains(centerOf other: PictureRegion) -> Bool {
    let (across, down) = (other.x + other.width / 2 - x, other.y + other.height / 2 - y)
    return (0...width).contains(across) && (0...height).contains(down)
  }

  /// The region with a margin of a share of its sides, within the image.
  func grown(by share: Double) -> PictureRegion {
    let (left, top) = (max(0, x - share * width), max(0, y - share * height))
    return PictureRegion(
      x: left, y: top, width: min(1, x + width * (1 + share)) - left,
      height: min(1, y + height * (1 + share)) - top)
  }
}
