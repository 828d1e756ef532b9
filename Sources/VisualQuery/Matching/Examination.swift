internal import PixelMatch

/// All that a query found before it is ranked and cut.
struct Examination: Sendable {
  let types: [EntityType]
  let labels: LabelEvidence
  /// `nil` where there is no picture.
  let signature: QuerySignature?
  /// The least confidence of a match.
  let cutOff: Double
  /// Every candidate entity, in no order.
  var scored: [ScoredEntity] = []
  /// Rows scanned and corners checked, of all that there are to do.
  var scannedRows = 0
  var plannedRows = 0

  var isComplete: Bool { scannedRows == plannedRows }
  var coverage: Double {
    plannedRows == 0 ? 1 : Double(scannedRows) / Double(plannedRows)
  }
}

/// The best picture of an entity.
struct PicturedEntity: Sendable {
  let type: EntityType
  let score: Calibration.Score
  let tier: MatchTier
  /// Which of the entity's pictures it is, from 0.
  let imagePosition: Int
  /// Whether its corners were held against the query's.
  let isChecked: Bool
  let alignment: PlacedAlignment?
}

/// An alignment with a picture, and that picture's size in pixels of its working image.
struct PlacedAlignment: Sendable {
  let alignment: Alignment
  let size: (width: Int, height: Int)
}

extension Matcher {
  /// Candidates whose corners are checked: the best by votes, and the best by all the rest.
  private static let checkedByVotes = 96
  private static let checkedByScore = 48

  /// Finds the candidates of every type and says how likely each is meant.
  @concurrent func examine(
    _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> Examination {
    let deadline = options.timeout.map { now() + $0 }
    let shouldStop: @Sendable () -> Bool = {
      Task.isCancelled || (deadline.map { now() >= $0 } ?? false)
    }
    let labels = try labelEvidence(content.labels)
    var picture = content.pixelBuffer
    if let region = content.region { picture = try picture?.cropped(to: region) }
    let signature = picture.map { QuerySignature($0) }
    var examined = Examination(
      types: EntityType.allCases.filter(options.types.contains), labels: labels,
      signature: signature,
      cutOff: options.minimumConfidence
        ?? (signature == nil ? Calibration.labelsOnlyCutOff : Calibration.defaultCutOff))
    var pictured: [UInt32: PicturedEntity] = [:]
    if let signature {
      let search = CandidateSearch(
        signature: signature, labelMasks: labels.known.map { LabelBits.mask(of: $0.label) },
        threads: pool.width, shouldStop: shouldStop)
      for type in examined.types {
        let segments = catalogue.segments(of: type)
        let found = await search.candidates(in: segments)
        examined.scannedRows += found.scannedRows
        examined.plannedRows += found.plannedRows
        let checks = try compare(
          found.rows, of: type, in: segments, PictureComparison(signature, in: segments), labels,
          shouldStop, into: &pictured)
        examined.scannedRows += checks.checked
        examined.plannedRows += checks.planned
      }
    }
    examined.scored = Self.scored(pictured)
    if !Task.isCancelled {
      examined.scored += try entities(of: labels, examined.types, except: pictured)
    }
    return examined
  }

  private func labelEvidence(_ labels: [String]) throws -> LabelEvidence {
    let normalized = Set(labels.map(LabelText.normalized)).subtracting([""])
    return LabelEvidence(
      frequencies: normalized.isEmpty
        ? [:] : try catalogue.labelFrequencies(normalized.sorted()),
      entityCount: catalogue.entityCount)
  }

  /// One candidate and what was measured of it.
  private struct Compared: Sendable {
    let place: CandidateSearch.Row
    let votes: CandidateSearch.Votes
    let key: UInt32
    var measured: PictureComparison.Measurement
    var score: Calibration.Score
    var isChecked = false
  }

  /// Compares the query with every candidate, and keeps the best picture of each entity.
  ///
  /// - Returns: How many candidates' corners were checked before the deadline, of how many.
  private func compare(
    _ rows: [CandidateSearch.Row: CandidateSearch.Votes], of type: EntityType,
    in segments: [LiveSegment], _ comparison: PictureComparison, _ labels: LabelEvidence,
    _ shouldStop: () -> Bool, into pictured: inout [UInt32: PicturedEntity]
  ) throws -> (checked: Int, planned: Int) {
    let keys = Set(rows.keys.map { segments[$0.segment].segment.key(at: $0.row) })
    let labelsOfKeys =
      labels.known.isEmpty ? [:] : try catalogue.labels(ofKeys: keys.sorted())
    var all = rows.map { place, votes in
      let segment = segments[place.segment].segment
      let key = segment.key(at: place.row)
      let measured = comparison.measure(place.row, in: segment)
      let score = Calibration.Score(
        measured, votes: votes.best, labels: labels.rarity(of: labelsOfKeys[key] ?? []))
      return Compared(place: place, votes: votes, key: key, measured: measured, score: score)
    }
    all.sort {
      ($1.score.total, $0.place.segment, $0.place.row)
        < ($0.score.total, $1.place.segment, $1.place.row)
    }
    let planned = Self.toCheck(all)
    var checked = 0
    for index in planned where !shouldStop() {
      checked += 1
      let place = all[index].place
      let votes = all[index].votes
      comparison.check(
        &all[index].measured, place.row, in: segments[place.segment].segment,
        isMirrored: votes.best > 0
          ? votes.mirrored > votes.upright : all[index].measured.variant.isMirrored)
      all[index].score = Calibration.Score(
        all[index].measured, votes: votes.best, labels: all[index].score.labels)
      all[index].isChecked = true
    }
    for compared in all {
      let segment = segments[compared.place.segment].segment
      let position = Int(segment.tag(at: compared.place.row))
      if let best = pictured[compared.key],
        (best.score.total, -best.imagePosition) >= (compared.score.total, -position)
      {
        continue
      }
      pictured[compared.key] = PicturedEntity(
        type: type, score: compared.score,
        tier: comparison.tier(compared.measured, compared.place.row, in: segment),
        imagePosition: position, isChecked: compared.isChecked,
        alignment: compared.measured.alignment.map {
          PlacedAlignment(alignment: $0, size: segment.size(at: compared.place.row))
        })
    }
    return (checked, planned.count)
  }

  /// Which candidates are worth a check of their corners, the best by score first.
  private static func toCheck(_ all: [Compared]) -> [Int] {
    let byVotes = all.indices.filter { all[$0].votes.best > 0 }
      .sorted { (all[$1].votes.best, $0) < (all[$0].votes.best, $1) }
      .prefix(checkedByVotes)
    return Set(all.indices.prefix(checkedByScore)).union(byVotes).sorted()
  }

  /// Makes confidences of scores: each entity's lead is over the best of the others.
  private static func scored(_ pictured: [UInt32: PicturedEntity]) -> [ScoredEntity] {
    let best = pictured.values.map(\.score.total).sorted(by: >).prefix(2)
    return pictured.map { key, entity in
      let rival = entity.score.total == best.first ? best.dropFirst().first : best.first
      let evidence = Calibration.evidence(entity.score, rival: rival)
      return ScoredEntity(
        key: key, type: entity.type, evidence: evidence,
        confidence: Calibration.confidence(evidence), tier: entity.tier, picture: entity)
    }
  }

  /// The entities that no picture brought up and that have one of the labels, rarest first.
  private func entities(
    of labels: LabelEvidence, _ types: [EntityType], except pictured: [UInt32: PicturedEntity]
  ) throws -> [ScoredEntity] {
    var found: [UInt32: ScoredEntity] = [:]
    for known in labels.known {
      let keys = try catalogue.keys(withLabel: known.label, limit: CandidateSearch.limit)
      for (key, type) in keys
      where pictured[key] == nil && found[key] == nil && types.contains(type) {
        let evidence = Calibration.evidence(sharers: known.frequency)
        found[key] = ScoredEntity(
          key: key, type: type, evidence: evidence,
          confidence: Calibration.confidence(evidence), tier: .label, picture: nil)
      }
    }
    return Array(found.values)
  }
}

extension Calibration.Score {
  fileprivate init(_ measured: PictureComparison.Measurement, votes: Int, labels: Double?) {
    self.init(
      hash: measured.hash, color: measured.color, texture: measured.texture, votes: votes,
      inliers: measured.alignment?.inliers ?? 0, agreement: measured.agreement,
      alignedColor: measured.alignedColor, labels: labels)
  }
}
