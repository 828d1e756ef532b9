internal import PixelMatch

/// Finds the image of the catalogue of which a query's image is a copy as a whole: the shop's own file, scaled, saved again or cropped by a few
/// pixels.
///
/// No keypoints of the query are needed if all of this holds: one image of the catalogue, and only one, has a hash near that of the query;
/// the colors of all parts of the two agree, so that neither a sibling in another color nor a second thing has room; no other entity looks nearly
/// as much alike, even if as many of its keypoints agreed; and the least that the whole search may say of it is the highest confidence that an
/// answer shows. Otherwise the whole search decides.
struct CopySearch {
  /// The most bits of 256 by which the hashes of an image and its copy differ.
  private static let mostBits = 30
  /// The most bits by which the hashes of two images differ that may be siblings.
  private static let siblingBits = 76
  /// The largest differences of the layouts of an image and its copy.
  private static let limits = ColorLayout.Difference(residual: 0.02, shift: 0.04, largest: 0.06)
  /// The fewest keypoints of an image of which a copy is sure, and the number of them that agree at least with the copy.
  private static let (leastKeypoints, leastInliers) = (100, 32)
  /// The least chroma of a copy: the colors of an image with less say little.
  private static let leastChroma = 0.03
  /// The largest ratio of the aspects of an image and its copy.
  private static let largestStretch = 1.03
  /// The most images that are compared as rivals, those with the nearest histograms, and the distance of these beyond which an image is none:
  /// its score is farther behind than the least lead.
  private static let (rivalCount, rivalDistance) = (64, 900)
  /// The lead of the score that counts, and how much nearer more keypoints may bring a rival that seems to have as many.
  private static let (leastLead, keypointLead) = (4.0, 2.0)
  /// The number of keypoints of a rival and of the copied image that agree by chance, and below which at most ``rivalInliers`` agree with the query,
  /// which has more keypoints than an image of the catalogue.
  static let (chanceInliers, rivalInliers) = (6, 12)
  /// The kinds of evidence that only keypoints give.
  private static let unmeasured: Set<Evidence.Kind> = [.votes, .inliers, .agreement, .inlierLead]

  /// An image of the catalogue and the query that is its copy.
  struct Copy: Sendable {
    let entity: ScoredEntity
    /// The signature of the query, without keypoints.
    let signature: QuerySignature
  }

  /// The images of one type.
  struct Images: Sendable {
    let type: EntityType
    let segments: [LiveSegment]
  }

  /// The images of each type that is searched.
  let images: [Images]
  let labels: LabelEvidence
  let subject: QuerySubject
  let shouldStop: () -> Bool

  /// Returns the only image of which the query's is a copy, or `nil` if there is none for sure.
  ///
  /// - Parameter labelsByKey: Returns the labels of an entity, as ``LabelEvidence/rarity(of:)`` expects them.
  /// - Complexity: O(*n*) for *n* images in the catalogue.
  func copy(
    _ image: PixelBuffer, _ glance: ImageGlance,
    labelsOf labelsByKey: (UInt32) throws -> [String: Int]
  ) throws -> Copy? {
    guard glance.pdqQuality >= Signature.trustedQuality,
      let found = rows(near: glance.variants), found.count == 1,
      found[0].distance <= Self.mostBits
    else { return nil }
    let (own, row) = (found[0].images, found[0].row)
    let stored = StoredImage(segment: own.segments[row.segment].segment, row: row.row)
    guard isLike(stored, image, glance) else { return nil }
    let key = stored.segment.key(at: stored.row)
    let rarity = labels.known.isEmpty ? nil : labels.rarity(of: try labelsByKey(key))
    // A label that another entity has alone, or more of, might bring that one nearer.
    guard rarity == labels.highestRarity,
      let signature = glance.signatureWithoutKeypoints(of: image, shouldStop: shouldStop),
      signature.chroma >= Self.leastChroma, isOnly(row, in: own, signature),
      let (candidate, comparison) = candidate(row, stored, own, signature, rarity)
    else { return nil }
    var evidence = candidate.evidence(comparison)
    evidence.inliers = Self.leastInliers
    let standing = Standing(
      lead: 3 + Rivals.trust(evidence.inliers), inlierLead: 0, patchLead: 0, isAlone: false)
    let terms = Calibration.evidence(evidence, standing, of: subject)
      .filter { !Self.unmeasured.contains($0.kind) }
    guard leastLogOdds(terms, evidence) >= Calibration.highestShown,
      isAhead(evidence, stored, signature, own, comparison),
      PageLayout.cells(of: image, shouldStop: shouldStop)?.isEmpty == true
    else { return nil }
    let measured = candidate.evidence(comparison)
    let position = EntityValue.imageIndex(ofPosition: Int(stored.segment.tag(at: stored.row)))
    let tier = comparison.tier(candidate.measured, stored)
    return Copy(
      entity: ScoredEntity(
        key: key, type: own.type, evidence: terms, confidence: Calibration.confidence(terms),
        tier: tier,
        image: BestImage(
          row: row, stored: stored, type: own.type, evidence: measured, score: measured.score,
          weighed: measured.features, highest: measured.features, tier: tier, position: position,
          isGeometryVerified: false,
          isWholeCopy: true, alignment: candidate.measured.alignment,
          size: stored.segment.size(at: stored.row), frame: ImageFrame(signature)),
        imagePosition: position),
      signature: signature)
  }

  /// Returns the first rows with a hash near one of a view, at most two of each type; `nil` if the search had to stop.
  private func rows(
    near variants: [PDQHash]
  ) -> [(images: Images, row: SegmentRow, distance: Int)]? {
    let found = images.flatMap { images in
      FlatScan(images.segments).nearest(
        to: .hashes(variants), maximumDistance: Self.siblingBits, limit: 2, shouldStop: shouldStop
      ).top.sorted.map {
        (images, SegmentRow(segment: $0.segment, row: $0.row), $0.distance)
      }
    }
    return shouldStop() ? nil : found
  }

  /// Returns whether the whole image, and its colors in each part, are those of an image of the catalogue.
  private func isLike(_ stored: StoredImage, _ image: PixelBuffer, _ glance: ImageGlance) -> Bool {
    let (segment, row) = (stored.segment, stored.row)
    let variant = Self.variant(of: glance.variants, nearest: segment.pdq(at: row))
    let difference = glance.layout.applying(variant).difference(from: segment.layout(at: row))
    return segment.pdqQuality(at: row) >= Signature.trustedQuality
      && segment.keypointCenters(at: row).count >= Self.leastKeypoints
      && difference.residual <= Self.limits.residual && difference.shift <= Self.limits.shift
      && difference.largest <= Self.limits.largest
      && Self.haveSameShape(image, variant, segment.size(at: row))
  }

  private static func variant(of variants: [PDQHash], nearest hash: PDQHash) -> DihedralVariant {
    let distances = variants.map { $0.hammingDistance(to: hash) }
    return DihedralVariant.allCases[distances.indices.min { distances[$0] < distances[$1] }!]
  }

  /// Returns whether two images have the same aspect ratio, so that one is no stretched or cropped version of the other.
  private static func haveSameShape(
    _ image: PixelBuffer, _ variant: DihedralVariant, _ size: (width: Int, height: Int)
  ) -> Bool {
    let swapsSides = [.rotate90, .rotate270, .flipPlus1, .flipMinus1].contains(variant)
    let (width, height) = swapsSides ? (image.height, image.width) : (image.width, image.height)
    let ratio = Double(width * size.height) / Double(height * size.width)
    return max(ratio, 1 / ratio) <= largestStretch
  }

  /// Returns whether no other image looks like the query without its plain borders.
  private func isOnly(_ row: SegmentRow, in own: Images, _ signature: QuerySignature) -> Bool {
    signature.views.dropFirst().allSatisfy { view in
      rows(near: view.variants)?.allSatisfy { $0.images.type == own.type && $0.row == row } ?? false
    }
  }

  /// Compares the image as the whole search does, but for the keypoints; `nil` if a part of it has another color.
  private func candidate(
    _ row: SegmentRow, _ stored: StoredImage, _ own: Images, _ signature: QuerySignature,
    _ rarity: Double?
  ) -> (Candidate, ImageComparison)? {
    let comparison = ImageComparison(signature, in: own.segments, outside: [])
    var measured = comparison.measure(stored)
    // The whole image is the copy, not what its plain borders surround.
    guard measured.view == 0 else { return nil }
    measured.alignment = Alignment(
      whole: signature, measured.variant, of: stored.row, in: stored.segment)
    comparison.compareColors(&measured, stored)
    guard measured.contradiction == 0 else { return nil }
    let key = stored.segment.key(at: stored.row)
    return (Candidate(row: row, key: key, measured: measured, labels: rarity), comparison)
  }

  /// Returns the least log-odds that the whole search may give, with the doubt that a sibling raises whose keypoints agree, too.
  private func leastLogOdds(_ terms: [Evidence], _ evidence: MeasuredEvidence) -> Double {
    let doubt = Rivals.largestColorDoubt(of: evidence)
    return terms.reduce(0) { $0 + $1.weight * ($1.kind == .lead ? 1 - doubt : 1) }
  }

  /// Returns whether there are other entities, and none comes near the score of the copied one.
  ///
  /// The query is a copy, so the keypoints of its original tell how many of a rival's would agree with it.
  private func isAhead(
    _ own: MeasuredEvidence, _ original: StoredImage, _ signature: QuerySignature,
    _ ownImages: Images, _ ownComparison: ImageComparison
  ) -> Bool {
    let key = original.segment.key(at: original.row)
    guard hasOthers(than: key) else { return false }
    var check: GeometricCheck?
    for images in images {
      let comparison =
        images.type == ownImages.type
        ? ownComparison : ImageComparison(signature, in: images.segments, outside: [])
      let found = FlatScan(images.segments).nearest(
        of: signature.views.map {
          FlatScan.Pass(
            .appearance($0.color, $0.texture), maximumDistance: Self.rivalDistance)
        }, limit: Self.rivalCount, shouldStop: shouldStop)
      for candidate in found.flatMap(\.top.sorted) {
        let rival = StoredImage(
          segment: images.segments[candidate.segment].segment, row: candidate.row)
        if rival.segment.key(at: rival.row) == key { continue }
        let measured = comparison.measure(rival)
        var evidence = own
        (evidence.hash, evidence.color) = (measured.hash, measured.color)
        evidence.texture = measured.texture
        if own.score - evidence.score >= Self.leastLead + Self.keypointLead { continue }
        evidence.inliers = Self.rivalInliers
        guard own.score - evidence.score >= Self.leastLead else { return false }
        check = check ?? GeometricCheck(of: original.row, in: original.segment)
        guard hasFewKeypoints(of: rival, check!) else { return false }
      }
    }
    return !shouldStop()
  }

  /// Returns whether hardly any keypoints of an image agree with those that are checked, as it is or mirrored.
  private func hasFewKeypoints(of rival: StoredImage, _ check: GeometricCheck) -> Bool {
    [false, true].allSatisfy {
      let found = check.alignment(of: rival.row, in: rival.segment, isMirrored: $0)
      return (found?.inliers ?? 0) < Self.chanceInliers
    }
  }

  /// Returns whether there are images of another entity.
  private func hasOthers(than key: UInt32) -> Bool {
    images.contains { images in
      images.segments.contains { live in
        (0..<live.segment.count).contains {
          live.isLive($0) && live.segment.key(at: $0) != key
        }
      }
    }
  }
}
