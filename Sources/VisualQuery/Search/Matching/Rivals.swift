#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

internal import PixelMatch

/// The standing of one candidate among the others of its query.
struct Standing: Sendable, Hashable {
  /// The lead of its score over that of the best rival, at most 4, and little less than -3; 0 without a rival. Less over a sibling if the
  /// colors at aligned places differ, or if a rival aligns clearly better.
  let lead: Double
  /// How far the lead is beyond its limit, `0...1`: 0 up to 3, and 1 from 5 on.
  var farLead = 0.0
  /// The logarithm of the ratio of its inliers to the most of any rival, `-1...2.5`. It is reduced if both have few.
  let inlierLead: Double
  /// Its ``MeasuredEvidence/patchLikeness``, `0...1`, less if the patches of a rival look nearly as much the same.
  let patchLead: Double
  /// True if it has no rival.
  let isAlone: Bool
}

/// The candidates of one query, which compute the standing of each candidate among the others.
///
/// Two candidates are rivals unless keypoints say that they lie in different parts of the image: an image may show
/// several things, and one that is sure must not hold down another. Candidates with the same image are not rivals
/// either: only labels, embeddings and other images tell them apart. Instead, each loses the difference between the
/// best score of this image and its own.
struct Rivals: Sendable {
  /// The fewest inliers at which the part of the image that a candidate covers is known.
  static let claimingInliers = Alignment.chanceInliers
  /// The share of the smaller claim up to which two claims are different parts.
  static let separateOverlap = 0.3

  /// The fewest inliers of a rival that may be a sibling, and how many more make it certain:
  /// fewer may be lettering that two things share.
  private static let (siblingInliers, certainty) = (30, 30)
  /// The inliers of a rival that aligns as well at which the two may share what aligns, and at which they surely do unless their colors agree.
  private static let sharedInliers = 10.0...18.0
  /// The logarithms of the ratio of inliers from which on a candidate aligns better than that, and clearly does (1.22).
  private static let alignsAsWell = 0.0...0.2
  /// The similarity of the histograms at which colors say that it is the thing itself, and at which they surely do; and the evidence of aligned colors
  /// at which these do.
  private static let (sameColors, agreeingColor) = (0.88...0.92, 0.4)
  /// The largest share of a lead that is in doubt (docs/quality-trials.md has what else was tried).
  private static let largestDoubt = 0.6
  /// The logarithms of the ratios of inliers at which a rival begins to align better (1.16) and clearly does (1.42).
  private static let betterAlignment = 0.15...0.35
  /// The ratios of the shares of matching patches at which a rival begins to look more like the image, and at which
  /// it clearly does.
  private static let betterPatches = 1.15...1.4
  /// The share of the part of the image of a candidate at which it may lie within that of another
  /// one, and at which it surely does.
  private static let withinOther = 0.5...0.8
  /// The ratio of the sizes of two parts below which the smaller is only a piece of the other,
  /// and above which they are the same part.
  private static let partOfOther = 0.6...0.75
  /// The factor for the part of a lead below -3.
  private static let farBehind = 0.03
  /// The leads at which a candidate begins to be far ahead, and at which it fully is (docs/quality-trials.md).
  private static let farAhead = 3.0...5.0
  /// The number of inliers more than those by chance that are fully trusted.
  private static let trustedInliers = 16.0

  private let candidates: [MeasuredEvidence]
  private let pictures: SamePictures
  /// The highest score of a candidate with the same image, for each candidate.
  private let bestOfPicture: [Double]
  private let scores: [Double]
  /// The candidates, the highest score first.
  private let byScore: RivalOrder
  /// The candidates, the most inliers first.
  private let byInliers: RivalOrder
  /// The candidates whose patches were not compared, the most inliers first.
  private let uncomparedByInliers: RivalOrder
  /// The candidates whose patches count, those with the largest share of matching patches first.
  private let byPatches: RivalOrder
  /// The indices of the candidates whose patches were compared.
  private let compared: [Int]

  /// Orders candidates.
  ///
  /// - Parameters:
  ///   - scores: The scores of the candidates.
  ///   - pictures: The groups of their images that are the same, or `nil` if none is.
  init(_ candidates: [MeasuredEvidence], scores: [Double], pictures: SamePictures? = nil) {
    self.candidates = candidates
    let pictures = pictures ?? SamePictures(differing: candidates.count)
    self.pictures = pictures
    bestOfPicture = pictures.highest(of: scores)
    self.scores = scores
    byScore = RivalOrder(
      candidates.indices.sorted { (scores[$1], $0) < (scores[$0], $1) }, pictures)
    let byInliers = candidates.indices.sorted {
      (candidates[$1].inliers, $0) < (candidates[$0].inliers, $1)
    }
    self.byInliers = RivalOrder(byInliers, pictures)
    uncomparedByInliers = RivalOrder(
      byInliers.filter { candidates[$0].patches == nil }, pictures)
    compared = candidates.indices.filter { candidates[$0].patches != nil }
    let likeness = candidates.map(\.siblingLikeness)
    byPatches = RivalOrder(
      candidates.indices.filter { likeness[$0] > 0 }.sorted {
        (likeness[$1], $0) < (likeness[$0], $1)
      }, pictures)
  }

  /// Returns the standing of the candidate at an index.
  ///
  /// - Complexity: O(1) for all but the few candidates that claim a part of the image.
  func standing(of index: Int) -> Standing {
    let own = candidates[index]
    let behind = bestOfPicture[index] - scores[index]
    guard let best = rival(of: index, in: byScore) else {
      return Standing(
        lead: Self.weakened(-behind), inlierLead: Self.inlierLead(own.inliers, over: 0),
        patchLead: own.patchLikeness,
        isAlone: true)
    }
    let most = rival(of: index, in: byInliers).map { candidates[$0].inliers } ?? 0
    // A lead is limited to 3, and to up to 4 if keypoints of the candidate agree.
    let limit = 3 + Self.trust(own.inliers)
    let ahead = scores[index] - scores[best]
    let lead = min(limit, ahead)
    let doubt = max(
      Self.colorDoubt(of: own, siblingInliers: most), Self.shapeDoubt(of: own, rivalInliers: most),
      Self.sharedDoubt(of: own, rivalInliers: most), printDoubt(of: index))
    return Standing(
      lead: Self.weakened((lead > 0 ? lead * (1 - doubt) : lead) - behind),
      farLead: Self.farAhead.share(at: ahead * (1 - doubt) - behind),
      inlierLead: Self.inlierLead(own.inliers, over: most), patchLead: patchLead(of: index),
      isAlone: false)
  }

  /// Returns a lead in which what is far behind counts little. It counts at all since what is alike comes first, also behind a sure thing.
  private static func weakened(_ lead: Double) -> Double {
    lead < -3 ? -3 + farBehind * (lead + 3) : lead
  }

  private func patchLead(of index: Int) -> Double {
    let own = candidates[index].patchLikeness
    guard own > 0 else { return 0 }
    // A rival whose patches were not compared may have as many equal patches as this candidate,
    // so the patches count only if its keypoints are few.
    if let most = rival(of: index, in: uncomparedByInliers) {
      let inliers = candidates[most].inliers
      guard inliers < max(Self.claimingInliers, candidates[index].inliers / 2) else { return 0 }
    }
    let nearest = rival(of: index, in: byPatches)
    return own * (1 - (nearest.map { candidates[$0].siblingLikeness } ?? 0))
  }

  /// Returns the share of a lead that says nothing.
  ///
  /// A rival with as many inliers is probably a sibling in another color. A lead over it says which of the two is nearer
  /// to the image, not that the color is right. The colors at aligned places say that, if many keypoints agree.
  ///
  /// - Parameter most: The most inliers of a rival.
  private static func colorDoubt(of own: MeasuredEvidence, siblingInliers most: Int) -> Double {
    let exactness = max(0, min(1, Double(most - siblingInliers) / Double(certainty)))
    let likeness = min(1, Double(most) / Double(max(1, own.inliers)))
    return exactness * likeness * largestColorDoubt(of: own)
  }

  /// Returns the largest share of a lead that a sibling in another color may make doubtful.
  static func largestColorDoubt(of own: MeasuredEvidence) -> Double {
    largestDoubt * max(0, 1 - (own[.alignedColor] ?? 0) / MeasuredEvidence.equalColors.upperBound)
  }

  /// Returns the share of a lead that says nothing since a rival aligns clearly better: the image probably shows a sibling of
  /// that one, of which this candidate has only the color.
  ///
  /// - Parameter most: The most inliers of a rival.
  private static func shapeDoubt(of own: MeasuredEvidence, rivalInliers most: Int) -> Double {
    let (start, end) = (betterAlignment.lowerBound, betterAlignment.upperBound)
    let clearness = max(0, min(1, (-inlierRatio(own.inliers, to: most) - start) / (end - start)))
    return clearness * trust(most)
  }

  /// Returns the share of a lead that says nothing since a rival aligns as well, and the colors where this candidate aligns are others: the two
  /// share what aligns, such as the person who wears them, or a logo.
  ///
  /// - Parameter most: The most inliers of a rival.
  private static func sharedDoubt(of own: MeasuredEvidence, rivalInliers most: Int) -> Double {
    sharedInliers.share(at: Double(most))
      * (1 - alignsAsWell.share(at: inlierRatio(own.inliers, to: most)))
      * (1 - sameColors.share(at: own.color)) * largestDoubt
      * max(0, 1 - (own[.alignedColor] ?? 0) / agreeingColor)
  }

  /// Returns the share of a lead that says nothing since the candidate aligns only in a part of what another one aligns in, whose patches
  /// look clearly more the same: things share a print, and keypoints say nothing of what surrounds it.
  private func printDoubt(of index: Int) -> Double {
    let own = candidates[index]
    guard let patches = own.patches else { return 0 }
    return compared.reduce(0) { doubt, other in
      let rival = candidates[other]
      let ratio = rival.patches!.share / max(patches.share, .leastNormalMagnitude)
      let clearness = Self.betterPatches.share(at: ratio) * Self.trust(rival.inliers)
      guard clearness > doubt, !pictures.areSame(other, index) else { return doubt }
      let (inner, outer) = (own.claim.filled, rival.claim.filled)
      guard inner.count < outer.count else { return doubt }
      let partness =
        Self.withinOther.share(at: inner.overlap(with: outer))
        * (1 - Self.partOfOther.share(at: Double(inner.count) / Double(outer.count)))
      return max(doubt, clearness * partness)
    }
  }

  /// Returns how far inliers can be trusted, `0...1`: a few keypoints agree by chance, or in a logo.
  static func trust(_ inliers: Int) -> Double {
    max(0, min(1, Double(inliers - Alignment.chanceInliers) / trustedInliers))
  }

  /// Returns the first rival of a candidate in an order.
  private func rival(of index: Int, in order: RivalOrder) -> Int? {
    order.first(besides: index, pictures) { !Self.areApart(candidates[$0], candidates[index]) }
  }

  /// Returns whether keypoints say that two candidates lie in different parts of the image.
  static func areApart(_ a: MeasuredEvidence, _ b: MeasuredEvidence) -> Bool {
    min(a.inliers, b.inliers) >= claimingInliers
      && a.claim.overlap(with: b.claim) <= separateOverlap
  }

  /// Returns the ``Standing/inlierLead`` over a rival with some inliers.
  static func inlierLead(_ inliers: Int, over rival: Int) -> Double {
    // Whether it is a lead or a lag, the larger of the two numbers of inliers gives its weight: if
    // both are small, they may agree by chance.
    inlierRatio(inliers, to: rival) * trust(max(inliers, rival))
  }

  /// Returns the logarithm of a ratio in which chance inliers of both say little.
  private static func inlierRatio(_ inliers: Int, to rival: Int) -> Double {
    let ratio = log((Double(inliers) + inlierOffset) / (Double(rival) + inlierOffset))
    return max(inlierRatios.lowerBound, min(inlierRatios.upperBound, ratio))
  }

  /// The inliers that are added to both sides of a ratio of inliers, and the logarithms within which it counts.
  private static let (inlierOffset, inlierRatios) = (10.0, -1.0...2.5)
}

/// Candidates in an order in which those that have one image and follow each other are passed in one step: thousands of products may
/// have one image.
struct RivalOrder: Sendable {
  private let indices: [Int]
  /// For each place, the next place that has another image.
  private let nextImage: [Int]

  init(_ indices: [Int], _ pictures: SamePictures) {
    self.indices = indices
    var next = Array(1..<(indices.count + 1))
    for place in indices.indices.dropLast().reversed()
    where pictures.areSame(indices[place], indices[place + 1]) {
      next[place] = next[place + 1]
    }
    nextImage = next
  }

  /// Returns the first candidate with another image than that of one for which a condition holds.
  ///
  /// - Complexity: O(1) for all but the few candidates that claim a part of the image.
  func first(
    besides index: Int, _ pictures: SamePictures, where condition: (Int) -> Bool
  ) -> Int? {
    var place = 0
    while place < indices.count {
      let other = indices[place]
      let isSame = pictures.areSame(other, index)
      if !isSame, condition(other) { return other }
      place = isSame ? nextImage[place] : place + 1
    }
    return nil
  }
}
