internal import PixelMatch
internal import Reading
private import Synchronization

/// The state of one query between its stages: the prepared question and the candidates found so far.
struct QueryState: Sendable {
  /// The types that are searched.
  let types: [EntityType]
  let labels: LabelEvidence
  /// The signature of the query's image, or `nil` if it has none.
  let signature: QuerySignature?
  /// True if the deadline passed before the image was decoded, so that only the labels are searched.
  let isImageLeftOut: Bool
  /// The things that the image may show.
  let subject: QuerySubject
  /// The lowest confidence of a match.
  let cutOff: Double
  /// The keys that the filter of a type accepts; types without a filter are missing.
  let allowed: [EntityType: KeySet]
  /// The effects of the statements about the query, or `nil` if there are none.
  let feedback: FeedbackEffects?
  /// The keys of the entities that people said it does not mean.
  let suppressed: Set<UInt32>
  /// The shop's rules that may hold for the query.
  let rules: ActiveRules
  /// The words that tell which of several like things is meant, or `nil` if there are none.
  var words: AskedWords? = nil
  /// The entities that the image shows without the filters of the question, the surest first, if these ask for a color.
  var sighted: [ScoredEntity] = []
  /// The keys of the entities whose colors do not count against them, since the question asks for theirs.
  var colorless: Set<UInt32> = [] {
    didSet { if colorless != oldValue { scores = ScoreCache() } }
  }
  /// True if the deadline passed before the filters were applied, so that nothing may be shown.
  let isFilterUnfinished: Bool
  let shouldStop: @Sendable () -> Bool
  /// Returns the time until the deadline, or `nil` if there is none.
  let remaining: @Sendable () -> Duration?
  var plan: QueryPlan
  /// The searches of the types, if there is an image.
  var searches: [TypeSearch] { didSet { scores = ScoreCache() } }
  /// The embedding of the image, or `nil` if there is none, or not yet.
  private(set) var embedding: ImageEmbedding? = nil { didSet { scores = ScoreCache() } }
  /// The groups of the candidates that have one, or `nil` if no model of the service computed the embedding.
  private(set) var groups: [UInt32: String]? = nil { didSet { scores = ScoreCache() } }
  /// The cells that plain lines divide the image into, or `nil` if the layout was not computed.
  private(set) var pageCells: [ImageBox]? = nil {
    // On a page of several things, text does not count, because it may belong to any of them. So
    // the scores must be computed again.
    didSet { if texts != nil { scores = ScoreCache() } }
  }
  /// The parts of the image that were searched on their own.
  var regions: [RegionSearch] = [] { didSet { scores = ScoreCache() } }
  /// The parts that would have been searched if there were more than the image's signature.
  var unsearchedRegions: [RegionProposal] = []
  /// The entities that share a label or other words with the query, each once.
  private(set) var labelMatches: [ScoredEntity] = [] { didSet { scores = ScoreCache() } }
  /// The index in `labelMatches` of each entity.
  private(set) var placesByWords: [UInt32: Int] = [:]
  /// The products with a code of the query.
  var codeMatches: [ScoredEntity] = [] { didSet { scores = ScoreCache() } }
  /// The text of the image, or `nil` if none is read, or only by its stage.
  var reading: TextReading?
  /// The agreement of the text that was read with the entities, or `nil` if there is none.
  var texts: TextAgreements? { didSet { scores = ScoreCache() } }
  /// The codes of the query without a product.
  var unmatchedCodes: [UnmatchedCode] = []
  /// The failures of shards.
  var shardFaults = ShardFaults()
  /// The scored entities, until something changes that they depend on.
  private(set) var scores = ScoreCache()

  /// Returns whether an entity may be found: the filter of its type accepts it, and nobody said that it is
  /// not meant.
  func allows(_ key: UInt32, _ type: EntityType) -> Bool {
    (allowed[type]?.contains(key) ?? true) && !suppressed.contains(key)
  }

  /// Adds an entity that shares words with the query. Of one that several words find, the surest finding counts.
  mutating func addByWords(_ entity: ScoredEntity) {
    guard let index = placesByWords[entity.key] else {
      placesByWords[entity.key] = labelMatches.count
      labelMatches.append(entity)
      return
    }
    if labelMatches[index].confidence < entity.confidence { labelMatches[index] = entity }
  }

  /// Searches the images of every type, and compares with the query what was found.
  ///
  /// - Parameter find: Finds rows in the segments of one type.
  /// - Returns: The share of the rows that was looked at.
  mutating func addCandidates(
    from catalogue: Catalogue, find: ([LiveSegment]) async -> CandidateRows
  ) async throws -> Double {
    var (scanned, planned) = (0, 0)
    for index in searches.indices {
      let found = await find(searches[index].segments)
      scanned += found.scannedRows
      planned += found.plannedRows
      try add(found, to: index, in: catalogue)
    }
    return planned == 0 ? 1 : Double(scanned) / Double(planned)
  }

  /// The share of the image above which a cell is not part of a page but a photo that is crossed
  /// by a few plain lines.
  private static let largestCell = 0.6

  /// True if plain lines divide the image into cells that show one thing each.
  var isPage: Bool {
    guard let cells = pageCells, !cells.isEmpty else { return false }
    return cells.allSatisfy { $0.width * $0.height < Self.largestCell }
  }

  /// The number of sure things in different parts of an image at which it is treated like a page.
  private static let manyThings = 3

  /// Returns whether the image is a page, or one that was photographed: several things are sure in different parts of it.
  func showsManyThings(_ scored: [ScoredEntity]) -> Bool {
    isPage
      || MatchedObjects.count(
        of: scored.lazy.filter { $0.confidence >= Calibration.defaultCutOff }.compactMap(\.image))
        >= Self.manyThings
  }

  /// Returns the cells that plain lines divide the query's image into, none if it is not a page, or `nil` if the
  /// deadline passed before that was known.
  mutating func pageCells(of image: PixelBuffer?) -> [ImageBox]? {
    if pageCells == nil {
      pageCells = image.map { PageLayout.cells(of: $0, shouldStop: shouldStop) } ?? []
    }
    return pageCells
  }

  /// Looks up the groups of the candidates, since a model of the service computed the embedding.
  mutating func findGroups(in catalogue: Catalogue) throws(CatalogueError) {
    let keys = Set(
      searches.lazy.filter { $0.type == .product }.flatMap { $0.candidates.values.map(\.key) })
    groups = try catalogue.read { database throws(CatalogueError) in
      try database.properties.groups(ofKeys: keys.sorted())
    }
  }

  /// Compares the image's embedding with those of the catalogue from now on, and of what was found so far.
  mutating func compare(_ embedding: ImageEmbedding, shouldStop: () -> Bool) {
    self.embedding = embedding
    for index in searches.indices {
      searches[index].compare(embedding, shouldStop: shouldStop)
    }
  }

  /// True if anything found so far is shown at the default cut-off, by whatever evidence.
  var isAnySure: Bool {
    scoredEntities().contains { $0.confidence >= Calibration.defaultCutOff }
  }

  /// Compares rows with the query, in the search of one type.
  mutating func add(
    _ found: CandidateRows, to index: Int, in catalogue: Catalogue
  ) throws(CatalogueError) {
    let rarities = try rarities(of: searches[index].newKeys(of: found.votes.keys), in: catalogue)
    searches[index].add(found) { rarities[$0] ?? nil }
  }

  /// Adds rows that keypoints of a part of the image align, in the search of one type.
  mutating func addAligned(
    _ found: [(row: SegmentRow, alignment: Alignment)], to index: Int, in catalogue: Catalogue
  ) throws(CatalogueError) {
    let rarities = try rarities(of: searches[index].newKeys(of: found.map(\.row)), in: catalogue)
    searches[index].addAligned(found) { rarities[$0] ?? nil }
  }

  /// The values of ``Evidence/Kind/labels`` for some entities; empty if no label is known.
  private func rarities(
    of keys: Set<UInt32>, in catalogue: Catalogue
  ) throws(CatalogueError) -> [UInt32: Double?] {
    if labels.known.isEmpty { return [:] }
    let labelsByKey = try catalogue.labels(ofKeys: keys.sorted())
    return Dictionary(
      uniqueKeysWithValues: keys.map { ($0, labels.rarity(of: labelsByKey[$0] ?? [:])) })
  }

  /// Returns every candidate entity with its confidence: by its code, else by its best image, in the whole
  /// image or in the region where it is surest, or by its label if none of its images is a candidate. In each of these the
  /// surest comes first, in the same order for the same query: which things lie in different places, and how they are
  /// filled, depends on it.
  func scoredEntities() -> [ScoredEntity] { scores.value(otherwise: scoreEntities) }

  private func scoreEntities() -> [ScoredEntity] {
    let scored = scoredByContent()
    if codeMatches.isEmpty { return scored }
    let others = Dictionary(uniqueKeysWithValues: scored.map { ($0.key, $0) })
    let keys = Set(codeMatches.map(\.key))
    return codeMatches.map { $0.showing(others[$0.key]) } + scored.filter { !keys.contains($0.key) }
  }

  private func scoredByContent() -> [ScoredEntity] {
    guard let signature else { return labelMatches }
    let whole = scored(searches, in: ImageFrame(signature), texts: texts) {
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
    var best = Dictionary(uniqueKeysWithValues: whole.map { ($0.key, $0) })
    let searched = regions.map { (region: $0, entities: scored($0)) }
    // For each entity, the largest number of keypoints that agree in the whole image or in one
    // of the outlines that it drew.
    var inliers = best.mapValues { $0.image?.evidence.inliers ?? 0 }
    for (region, entities) in searched {
      for entity in entities where region.outlined.contains(entity.key) {
        inliers[entity.key] = max(inliers[entity.key] ?? 0, entity.image!.evidence.inliers)
      }
    }
    for (region, entities) in searched {
      for entity in entities {
        if let other = best[entity.key], other.confidence >= entity.confidence { continue }
        // In an outline that other candidates drew, a crop may flatter an entity by chance.
        // Such a score counts only if at least as many keypoints agree as elsewhere.
        let isChance =
          region.source == .outline && !region.outlined.contains(entity.key)
          && entity.image!.evidence.inliers < inliers[entity.key] ?? 0
        if !isChance { best[entity.key] = entity }
      }
    }
    // Sorts small keys instead of the entities, which are large and slow to move.
    let order = best.values.map { (confidence: $0.confidence, key: $0.key) }
      .sorted { ($1.confidence, $0.key) < ($0.confidence, $1.key) }
    return order.map { best[$0.key]! } + labelMatches.filter { best[$0.key] == nil }
  }

  /// Returns the candidates of a region, each with its confidence, in the order of the keys. In an outline,
  /// which a candidate has drawn, keypoints must agree: that something else looks alike there says nothing.
  func scored(_ region: RegionSearch) -> [ScoredEntity] {
    switch region.source {
    case .layout, .remainder:
      scored(region.searches, in: region.frame) { _ in Calibration.cellPrior }
    // Windows only propose outlines; they have no candidates of their own.
    case .windows: []
    case .outline:
      scored(region.searches, in: region.frame, isSupportMeasured: false, texts: texts) {
        Calibration.outlinePrior(inliers: $0.inliers)
          + (region.isWithinPart ? Calibration.cellPrior : 0)
      }
      .filter { $0.image!.evidence.inliers >= Rivals.claimingInliers }
    }
  }

  /// Compares the colors of candidates that sure ones partly cover once more, without the covered parts: what
  /// lies in front of a thing does not count against it.
  ///
  /// - Returns: True if there are such candidates.
  mutating func uncoverCandidates(_ proposals: RegionProposals) -> Bool {
    let covered = proposals.covered
    let apart = covered.isEmpty ? [] : proposals.apart
    for image in apart.compactMap(\.image) {
      for index in searches.indices where searches[index].type == image.type {
        searches[index].compareColors(of: image.row, outside: covered)
      }
    }
    return !apart.isEmpty
  }

  /// See ``RegionProposals/isUnsettled``.
  var isUnsettled: Bool {
    RegionProposals(scoredEntities(), cutOff: Calibration.defaultCutOff).isUnsettled
  }

  /// Compares the patches of the best candidates with the image, unless these are settled.
  ///
  /// - Parameter image: The image, or `nil` if only its signature is known.
  /// - Returns: True if nothing is left to be compared.
  mutating func comparePatches(of image: PixelBuffer?) -> Bool {
    guard let signature, isUnsettled else { return true }
    return searches.comparePatches(with: image, signature, shouldStop: shouldStop)
  }

  /// The shape that an entity shares with the image, whatever its colors.
  struct Likeness: Sendable {
    /// The highest evidence of the hash, and the most inliers, in the whole image or in a part of it.
    var (hash, inliers) = (0.0, 0)
  }

  /// Returns the shape that each candidate shares with the image.
  func likenesses() -> [UInt32: Likeness] {
    var likenesses: [UInt32: Likeness] = [:]
    for search in [searches] + regions.map(\.searches) {
      for candidate in search.lazy.flatMap(\.candidates.values) {
        var own = likenesses[candidate.key] ?? Likeness()
        own.hash = max(own.hash, candidate.measured.hash)
        own.inliers = max(own.inliers, candidate.measured.alignment?.inliers ?? 0)
        likenesses[candidate.key] = own
      }
    }
    return likenesses
  }

  /// The best image of every candidate in the whole image, in the order of the keys.
  var wholeImages: [(key: UInt32, image: BestImage)] {
    signature.map { bestImages(searches, in: ImageFrame($0)) } ?? []
  }

  /// The candidates of the whole image as a fit of the confidence sees them, by their keys.
  var calibrationImages: [UInt32: (image: BestImage, picture: Int)] {
    let images = wholeImages
    let pictures = SamePictures(
      images.map(\.image.stored), looks: images.map(\.image.evidence.look))
    return Dictionary(
      uniqueKeysWithValues: images.enumerated().map { index, entity in
        (entity.key, (entity.image, pictures.firstIndex(of: index)))
      })
  }

  /// - Parameter texts: The agreement of the text, which counts in the whole image and in the outlines that things draw in it. That of a
  ///   page is of many things.
  private func scored(
    _ searches: [TypeSearch], in frame: ImageFrame, isSupportMeasured: Bool = true,
    texts: TextAgreements? = nil, prior: (MeasuredEvidence) -> Double
  ) -> [ScoredEntity] {
    let texts = isPage ? nil : texts
    var images = bestImages(searches, in: frame, isSupportMeasured: isSupportMeasured)
    if let texts {
      for index in images.indices {
        images[index].image.score += Calibration.score(ofText: texts, images[index].key)
      }
    }
    let rivals = Rivals(
      images.map(\.image.evidence), scores: images.map(\.image.score),
      pictures: SamePictures(
        images.map(\.image.stored), looks: images.map(\.image.evidence.look)))
    return images.enumerated().map { index, entity in
      let measured = Calibration.evidence(
        entity.image.evidence, rivals.standing(of: index), of: subject,
        regionPrior: prior(entity.image.evidence))
      let evidence =
        (entity.image.seen.map { $0.values(of: measured) } ?? measured)
        + (texts.map {
          [Calibration.evidence(ofText: $0, entity.key, within: entity.image.textPart)]
        } ?? [])
      return ScoredEntity(
        key: entity.key, type: entity.image.type,
        // A settled plan skipped the votes, so there is no number of votes to report.
        evidence: plan.isSettled ? evidence.filter { $0.kind != .votes } : evidence,
        confidence: Calibration.confidence(evidence), tier: entity.image.tier,
        image: entity.image, imagePosition: entity.image.position)
    }
  }

  /// Lets the variants of one thing have the same score by the embedding, that of the nearest one, and whatever aligns the highest of
  /// all. A model of images hardly sees colors, so that it must not choose among variants, nor outvote keypoints that agree.
  private func shareEmbeddings(
    of groups: [UInt32: String], among best: inout [UInt32: BestImage]
  ) {
    var highest = 0.0
    var nearest: [String: Double] = [:]
    for (key, image) in best {
      guard let own = image.embedding else { continue }
      highest = max(highest, own)
      if let group = groups[key] { nearest[group] = max(nearest[group] ?? 0, own) }
    }
    let lane = MeasuredEvidence.Lane.embedding.rawValue
    let factor = Calibration.coefficients.step1[lane]
    for (key, image) in best {
      guard let own = image.embedding else { continue }
      let shared = groups[key].flatMap { nearest[$0] } ?? own
      let trust = Rivals.trust(image.evidence.inliers)
      let difference = shared + trust * (highest - shared) - own
      best[key]?.weighed[lane] += difference
      best[key]?.score += factor * difference
    }
  }

  /// - Parameter isSupportMeasured: True if other images of an entity count. An outline is compared only with the few images that have
  ///   drawn it.
  private func bestImages(
    _ searches: [TypeSearch], in frame: ImageFrame, isSupportMeasured: Bool = true
  ) -> [(key: UInt32, image: BestImage)] {
    var best: [UInt32: BestImage] = [:]
    var nearest = NearestImages()
    for search in searches { search.mergeBestImages(into: &best, &nearest, frame: frame) }
    let support = isSupportMeasured ? nearest.support() : [:]
    let believesLabels =
      !labels.known.isEmpty && Calibration.believesLabels(best.values.lazy.map(\.evidence))
    for (key, var image) in best {
      image.evidence.embedding = image.embedding
      image.evidence.support = support[key]
      if !believesLabels { image.evidence.labels = nil }
      if colorless.contains(key) { image.leaveColorsOut() }
      // If labels count, the entity's score is that of its best image. Otherwise it combines the
      // highest terms of all its images; with labels, these many weak similarities would outweigh
      // them.
      image.weighed =
        believesLabels ? image.evidence.features : image.evidence.weighed(with: image.highest)
      image.score = image.weighed.dot(Calibration.coefficients.step1)
      best[key] = image
    }
    if let groups { shareEmbeddings(of: groups, among: &best) }
    // Sorts the keys instead of the images, which are large and slow to move.
    return best.keys.sorted().map { ($0, best[$0]!) }
  }
}

/// The scored entities of one state of a query, which several stages ask for. Copies of the state share them; whatever changes them gets a new
/// cache.
final class ScoreCache: Sendable {
  private let scored = Mutex<[ScoredEntity]?>(nil)

  /// Returns what is known, or computes it.
  func value(otherwise compute: () -> [ScoredEntity]) -> [ScoredEntity] {
    if let known = scored.withLock({ $0 }) { return known }
    let computed = compute()
    scored.withLock { $0 = computed }
    return computed
  }
}

extension BestImage {
  /// The margin around an image in which its text may lie, in shares of the sides.
  private static let textMargin = 0.15
  /// The keypoints that say where an image lies so surely that words elsewhere are not its own: of 388 photos of packages, one has a wrong
  /// candidate with as many, and 97 have one with eight.
  private static let textInliers = 20

  /// The part of the query in which text is that of the image, or `nil` if keypoints do not say where it lies.
  fileprivate var textPart: PictureRegion? {
    evidence.inliers >= Self.textInliers ? coveredBox?.grown(by: Self.textMargin) : nil
  }
}

/// The failures of the shards of engine mode, by their numbers.
struct ShardFaults: Sendable {
  /// The reasons of those that did not answer.
  private(set) var missing: [Int: CatalogueError] = [:]
  /// The rows of the others that were left out.
  private(set) var damaged: [Int: DamagedRows] = [:]

  var isEmpty: Bool { missing.isEmpty && damaged.isEmpty }

  mutating func add(_ missing: [Int: CatalogueError], _ damaged: [Int: DamagedRows]) {
    self.missing.merge(missing) { $1 }
    self.damaged.merge(damaged) { first, second in
      var both = first
      both += second
      return both
    }
  }

  mutating func add(_ others: ShardFaults) { add(others.missing, others.damaged) }
}
