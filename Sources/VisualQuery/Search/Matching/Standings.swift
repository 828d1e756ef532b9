internal import PixelMatch

/// The entities that a query has found, each with its confidence, at one time of its search.
struct Standings: Sendable {
  /// Every candidate entity: by its code, else by its best image, in the whole image or in the region where it is surest, or by its
  /// label if none of its images is a candidate. In each of these the surest comes first, in the same order for the same query: which
  /// things lie in different places, and how they are filled, depends on it.
  let entities: [ScoredEntity]
  /// The candidates of each region that was searched, in the order of the keys. In an outline, which a candidate has drawn, keypoints
  /// must agree: that something else looks alike there says nothing.
  let regions: [[ScoredEntity]]

  init(_ scoring: Scoring) {
    regions = scoring.findings.regions.map(scoring.scored)
    entities = scoring.entities(besides: regions)
  }

  /// True if anything is shown at the default cut-off, by whatever evidence.
  var isAnySure: Bool { entities.contains { $0.confidence >= Calibration.defaultCutOff } }

  /// See ``RegionProposals/isUnsettled``.
  var isUnsettled: Bool { proposals.isUnsettled }

  /// The parts of the image that are worth a search of their own.
  var proposals: RegionProposals {
    RegionProposals(entities, cutOff: Calibration.defaultCutOff)
  }
}

/// The candidates of a query as rivals of each other.
private struct Contest {
  let evidence: [MeasuredEvidence]
  let rivals: Rivals

  /// Returns the contest by all evidence and, if many groups share some of it, the one without that: it makes nothing surer, since a rival
  /// that shares what agrees still raises doubts.
  static func all(
    of images: [BestImage], by score: (BestImage) -> Double, _ pictures: SamePictures
  ) -> [Contest] {
    let (evidence, scores) = (images.map(\.evidence), images.map(score))
    let all = Contest(
      evidence: evidence, rivals: Rivals(evidence, scores: scores, pictures: pictures))
    guard images.contains(where: { $0.own != nil }) else { return [all] }
    let own = images.map(\.ownEvidence)
    let lower = images.indices.map { scores[$0] - evidence[$0].score + own[$0].score }
    return [all, Contest(evidence: own, rivals: Rivals(own, scores: lower, pictures: pictures))]
  }
}

extension BestImage {
  /// The evidence that few groups share.
  fileprivate var ownEvidence: MeasuredEvidence {
    var own = evidence
    if let part = self.own { own.keep(part) }
    return own
  }
}

/// Tells the confidence of what a query has found.
struct Scoring: Sendable {
  let query: PreparedQuery
  let findings: Findings
  /// True if plain lines divide the image into cells that show one thing each.
  let isPage: Bool
  private let vector: VectorTestimony

  init(_ state: QueryState) {
    (query, findings, isPage) = (state.query, state.findings, state.isPage)
    vector = VectorTestimony(state.findings)
  }

  /// Returns every candidate entity, in the order of ``Standings/entities``.
  ///
  /// - Parameter regions: The candidates of each region.
  func entities(besides regions: [[ScoredEntity]]) -> [ScoredEntity] {
    let scored = entitiesByContent(regions)
    if findings.codeMatches.isEmpty { return scored }
    let others = Dictionary(uniqueKeysWithValues: scored.map { ($0.key, $0) })
    let keys = Set(findings.codeMatches.map(\.key))
    return findings.codeMatches.map { $0.showing(others[$0.key]) }
      + scored.filter { !keys.contains($0.key) }
  }

  private func entitiesByContent(_ regions: [[ScoredEntity]]) -> [ScoredEntity] {
    let labelMatches = findings.labelMatches
    if let copy = findings.copy { return [copy] + labelMatches.filter { $0.key != copy.key } }
    guard let signature = query.signature else { return labelMatches }
    let whole = scored(findings.searches, in: ImageFrame(signature), texts: findings.texts) {
      $0.isFromWindow ? Calibration.outlinePrior(inliers: $0.inliers) : 0
    }
    if regions.isEmpty {
      let order = whole.indices.map {
        (confidence: whole[$0].confidence, key: whole[$0].key, index: $0)
      }
      .sorted { ($1.confidence, $0.key) < ($0.confidence, $1.key) }
      let keys = labelMatches.isEmpty ? [] : Set(whole.map(\.key))
      return order.map { whole[$0.index] } + labelMatches.filter { !keys.contains($0.key) }
    }
    // Places of entities instead of the entities, which are large and slow to move.
    let lists = [whole] + regions
    var best: [UInt32: (confidence: Double, list: Int, index: Int)] = [:]
    // For each entity, the largest number of keypoints that agree in the whole image or in one
    // of the outlines that it drew.
    var inliers: [UInt32: Int] = [:]
    for (index, entity) in whole.enumerated() {
      best[entity.key] = (entity.confidence, 0, index)
      inliers[entity.key] = entity.image?.evidence.inliers ?? 0
    }
    let searched = zip(findings.regions, regions)
    for (region, entities) in searched {
      for entity in entities where region.outlined.contains(entity.key) {
        inliers[entity.key] = max(inliers[entity.key] ?? 0, entity.image!.evidence.inliers)
      }
    }
    for (list, (region, entities)) in searched.enumerated() {
      for (index, entity) in entities.enumerated() {
        if let other = best[entity.key], other.confidence >= entity.confidence { continue }
        // In an outline that other candidates drew, a crop may flatter an entity by chance.
        // Such a score counts only if at least as many keypoints agree as elsewhere.
        let isChance =
          region.source == .outline && !region.outlined.contains(entity.key)
          && entity.image!.evidence.inliers < inliers[entity.key] ?? 0
        if !isChance { best[entity.key] = (entity.confidence, list + 1, index) }
      }
    }
    let order = best.sorted {
      ($1.value.confidence, $0.key) < ($0.value.confidence, $1.key)
    }
    return order.map { lists[$0.value.list][$0.value.index] }
      + labelMatches.filter { best[$0.key] == nil }
  }

  /// Returns the candidates of a region, each with its confidence, as ``Standings/regions`` has them.
  func scored(_ region: RegionSearch) -> [ScoredEntity] {
    switch region.source {
    case .layout, .remainder:
      scored(region.searches, in: region.frame, isPart: true, hasVector: false) { _ in
        Calibration.cellPrior
      }
    // Windows only propose outlines; they have no candidates of their own.
    case .windows: []
    case .light:
      scored(
        region.searches, in: region.frame, isPart: true, isSupportMeasured: false,
        texts: findings.texts
      ) { _ in region.prior }
      .filter { $0.image!.evidence.inliers >= Rivals.claimingInliers }
    case .outline:
      scored(
        region.searches, in: region.frame, isPart: true, isSupportMeasured: false,
        texts: findings.texts
      ) {
        Calibration.outlinePrior(inliers: $0.inliers)
          + (region.isWithinPart ? Calibration.cellPrior : 0)
      }
      .filter { $0.image!.evidence.inliers >= Rivals.claimingInliers }
    }
  }

  /// The best image of every candidate in the whole image, in the order of the keys.
  var wholeImages: [(key: UInt32, image: BestImage)] {
    query.signature.map { bestImages(findings.searches, in: ImageFrame($0)) } ?? []
  }

  /// The candidates of the whole image as a fit of the confidence sees them, by their keys.
  var calibrationImages: [UInt32: (image: BestImage, picture: Int)] {
    let images = wholeImages
    let pictures = SamePictures(images.map(\.image.stored))
    return Dictionary(
      uniqueKeysWithValues: images.enumerated().map { index, entity in
        (entity.key, (entity.image, pictures.firstIndex(of: index)))
      })
  }

  /// - Parameters:
  ///   - isPart: True if a part of the image was searched: an image that is the same as the part is not the same as the query's.
  ///   - hasVector: False if the query's vector is of other parts of the image, too.
  ///   - texts: The agreement of the text, which counts in the whole image and in the outlines that things draw in it. That of a
  ///     page is of many things.
  private func scored(
    _ searches: [TypeSearch], in frame: ImageFrame, isPart: Bool = false,
    isSupportMeasured: Bool = true, hasVector: Bool = true,
    texts: TextAgreements? = nil, prior: (MeasuredEvidence) -> Double
  ) -> [ScoredEntity] {
    let texts = isPage ? nil : texts
    var images = bestImages(searches, in: frame, isSupportMeasured: isSupportMeasured)
    if let texts {
      for index in images.indices {
        images[index].image.score += Calibration.score(ofText: texts, images[index].key)
      }
    }
    let pictures = SamePictures(images.map(\.image.stored))
    let contests = Contest.all(of: images.map(\.image), by: \.score, pictures)
    // The same without the embedding: lists ask for it, and what is bounded.
    let unembedded =
      images.contains { $0.image.evidence.embedding != nil }
      ? Contest.all(of: images.map(\.image), by: \.scoreWithoutEmbedding, pictures) : nil
    let nearest = images.lazy.map(\.image.weighedEmbedding).max() ?? 0
    // Products with one image mostly have the same evidence: its terms are worked out once.
    var known: [Int: (standings: [Standing], scored: ScoredEntity)] = [:]
    /// Returns an entity whose evidence is known.
    func scored(
      _ key: UInt32, _ image: BestImage, _ evidence: [Evidence], without others: [Evidence]?,
      confidence: Double
    ) -> ScoredEntity {
      ScoredEntity(
        key: key, type: image.type, evidence: evidence, evidenceWithoutEmbedding: others,
        confidence: confidence, tier: isPart && image.tier == .exact ? .near : image.tier,
        image: image, imagePosition: image.position)
    }
    return images.enumerated().map { index, entity in
      let standings = contests.map { $0.rivals.standing(of: index) }
      let picture = pictures.firstIndex(of: index)
      if let same = known[picture], texts == nil, unembedded == nil, same.standings == standings,
        let other = same.scored.image, other.evidence == entity.image.evidence,
        other.own == entity.image.own, other.seen == entity.image.seen
      {
        return scored(
          entity.key, entity.image, same.scored.evidence, without: nil,
          confidence: same.scored.confidence)
      }
      /// The terms of the contest in which the entity is least sure.
      func measured(_ contests: [Contest], _ standings: [Standing]) -> [Evidence] {
        let terms = zip(contests, standings).map { contest, standing in
          Calibration.evidence(
            contest.evidence[index], standing, of: query.subject,
            regionPrior: prior(entity.image.evidence))
        }
        return terms.min { Calibration.confidence($0) < Calibration.confidence($1) }!
      }
      /// Adds what is not measured in the image, and leaves out what is not reported.
      func completed(_ terms: [Evidence]) -> [Evidence] {
        (entity.image.seen.map { $0.values(of: terms) } ?? terms)
          + (texts.map {
            [Calibration.evidence(ofText: $0, entity.key, within: entity.image.textPart)]
          } ?? [])
      }
      var terms = measured(contests, standings)
      let others = unembedded.map { contests in
        measured(contests, contests.map { $0.rivals.standing(of: index) })
      }
      let canMakeSure = Calibration.canMakeSure(
        entity.image.evidence, weighed: entity.image.weighedEmbedding, nearest: nearest)
      if let others, !canMakeSure {
        terms = Calibration.bounded(terms, ifLikely: others)
      }
      // The vector is that of the whole image: of a cell of a page, it says nothing.
      let said = hasVector ? vector.odds(of: entity.key, entity.image.evidence) : 0
      let unspoken = others ?? (said == 0 ? nil : terms)
      let evidence = completed(Calibration.adding(said, ofVectorTo: terms))
      let found = scored(
        entity.key, entity.image, evidence,
        without: unspoken.map { completed($0.filter { $0.kind != .embedding }) },
        confidence: Calibration.confidence(evidence))
      if picture == index { known[index] = (standings, found) }
      return found
    }
  }

  /// Gives all variants of one thing the embedding score of the nearest one, and entities that align the highest
  /// score of all. A model of images hardly sees colors, so that it must not choose among variants, nor outvote
  /// keypoints that agree.
  private func shareEmbeddings(
    of groups: [UInt32: String], among images: inout [(key: UInt32, image: BestImage)]
  ) {
    var highest = 0.0
    var nearest: [String: Double] = [:]
    for index in images.indices {
      guard let own = images[index].image.embedding else { continue }
      highest = max(highest, own)
      if let group = groups[images[index].key] { nearest[group] = max(nearest[group] ?? 0, own) }
    }
    let factor = Calibration.coefficients.step1[.embedding]
    for index in images.indices {
      guard let own = images[index].image.embedding else { continue }
      let shared = groups[images[index].key].flatMap { nearest[$0] } ?? own
      let trust = Rivals.trust(images[index].image.evidence.inliers)
      let difference =
        images[index].image.evidence.embeddingFactor * (shared + trust * (highest - shared) - own)
      images[index].image.weighed[.embedding] += difference
      images[index].image.score += factor * difference
    }
  }

  /// - Parameter isSupportMeasured: True if other images of an entity count. An outline is compared only with the few images that have
  ///   drawn it.
  private func bestImages(
    _ searches: [TypeSearch], in frame: ImageFrame, isSupportMeasured: Bool = true
  ) -> [(key: UInt32, image: BestImage)] {
    var best = BestImages()
    var nearest = NearestImages()
    let common = Commonness(searches, of: frame.size, groups: findings.owners)
    for (index, search) in searches.enumerated() {
      search.mergeBestImages(into: &best, &nearest, frame: frame) { common.own(of: $0, in: index) }
    }
    var images = best.inOrderOfKeys
    let support = isSupportMeasured ? nearest.support() : [:]
    let believesLabels =
      !query.labels.known.isEmpty
      && Calibration.believesLabels(images.lazy.map(\.image.evidence))
    for index in images.indices {
      let key = images[index].key
      images[index].image.evidence.embedding = images[index].image.embedding
      images[index].image.evidence.support = support[key]
      if !believesLabels { images[index].image.evidence.labels = nil }
      if findings.colorless.contains(key) { images[index].image.leaveColorsOut() }
      // If labels count, the entity's score is that of its best image. Otherwise it combines the
      // highest terms of all its images; with labels, these many weak similarities would outweigh
      // them.
      let evidence = images[index].image.evidence
      let weighed =
        believesLabels
        ? evidence.features : evidence.weighed(with: images[index].image.highest)
      images[index].image.weighed = weighed
      images[index].image.score = weighed.dot(Calibration.coefficients.step1)
    }
    if let groups = findings.groups { shareEmbeddings(of: groups, among: &images) }
    return images
  }
}

extension BestImage {
  /// The margin around an image in which its text may lie, in shares of the sides.
  private static let textMargin = 0.15
  /// The keypoints that say where an image lies so surely that words elsewhere are not its own: of 388 photos of packages, one has a wrong
  /// candidate with as many, and 97 have one with eight.
  private static let textInliers = 20

  /// The part of the query whose text counts for the image, or `nil` if keypoints do not say where the image lies.
  fileprivate var textPart: PictureRegion? {
    evidence.inliers >= Self.textInliers ? coveredBox?.grown(by: Self.textMargin) : nil
  }
}
