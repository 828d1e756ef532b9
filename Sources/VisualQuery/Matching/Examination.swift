internal import PixelMatch

/// One question on its way: what was found so far, stage by stage.
struct Examination: Sendable {
  /// One candidate and what was measured of it.
  struct Candidate: Sendable {
    let place: CandidateSearch.Row
    let key: UInt32
    var votes: CandidateSearch.Votes
    var measured: PictureComparison.Measurement
    let labels: Double?
    var isChecked = false

    var score: Calibration.Score {
      Calibration.Score(
        hash: measured.hash, color: measured.color, texture: measured.texture, votes: votes.best,
        inliers: measured.alignment?.inliers ?? 0, agreement: measured.agreement,
        alignedColor: measured.alignedColor, labels: labels)
    }
  }

  /// What is searched of one type.
  struct Ground: Sendable {
    let type: EntityType
    let segments: [LiveSegment]
    let comparison: PictureComparison
    let search: CandidateSearch
    var candidates: [CandidateSearch.Row: Candidate] = [:]
  }

  /// Types that are searched.
  let types: [EntityType]
  let labels: LabelEvidence
  /// `nil` where there is no picture.
  let signature: QuerySignature?
  /// Whether the deadline passed before the picture was decoded: only the labels are searched with.
  let isPictureLeftOut: Bool
  /// The least confidence of a match.
  let cutOff: Double
  /// The keys of each type that a filter lets through, where there is one.
  let allowed: [EntityType: KeySet]
  /// Whether a filter did not end before the deadline; then nothing is allowed.
  let isFilterUnfinished: Bool
  let shouldStop: @Sendable () -> Bool
  var grounds: [Ground]
  /// Entities that share a label.
  var named: [ScoredEntity] = []
  /// The share of each planned stage that was done.
  var shares: [SearchStage: Double]

  /// The stage that comes next; `nil` behind the last.
  var next: SearchStage? = .words

  var isComplete: Bool { shares.values.allSatisfy { $0 == 1 } }

  /// The share of the planned work that was done.
  var coverage: Double { isComplete ? 1 : partialCoverage }

  /// The same where something is known to be left.
  var partialCoverage: Double {
    let planned = shares.keys.sorted()
    let total = planned.reduce(0) { $0 + $1.cost }
    let done = planned.reduce(0) { $0 + $1.cost * shares[$1]! }
    return min(done / total, 0.9999)
  }

  /// Whether a filter lets an entity through.
  func allows(_ key: UInt32, _ type: EntityType) -> Bool { allowed[type]?.contains(key) ?? true }

  /// Every candidate entity so far, in no order: its best picture, or its label.
  var scored: [ScoredEntity] {
    var pictured: [UInt32: PicturedEntity] = [:]
    for ground in grounds {
      for candidate in ground.candidates.values { ground.offer(candidate, to: &pictured) }
    }
    if !labels.known.isEmpty, !Calibration.believesLabels(pictured.values.lazy.map(\.score)) {
      for key in pictured.keys { pictured[key]?.score.labels = nil }
    }
    return Self.scored(pictured) + named.filter { pictured[$0.key] == nil }
  }

  /// Makes confidences of scores: each entity's lead is over the best of the others.
  private static func scored(_ pictured: [UInt32: PicturedEntity]) -> [ScoredEntity] {
    let best = pictured.values.map(\.score.total).sorted(by: >).prefix(2)
    return pictured.map { key, entity in
      let rival = entity.score.total == best.first ? best.dropFirst().first : best.first
      let evidence = Calibration.evidence(entity.score, rival: rival)
      return ScoredEntity(
        key: key, type: entity.type, evidence: evidence,
        confidence: Calibration.confidence(evidence), tier: entity.tier, picture: entity,
        imagePosition: entity.imagePosition)
    }
  }
}

/// The best picture of an entity.
struct PicturedEntity: Sendable {
  let type: EntityType
  var score: Calibration.Score
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

extension Examination.Ground {
  /// Candidates whose corners are checked: the best by votes, and the best by all the rest.
  private static let checkedByVotes = 96
  private static let checkedByScore = 48

  /// Puts an entity's picture in place of one that is less like the query's.
  fileprivate func offer(
    _ candidate: Examination.Candidate, to pictured: inout [UInt32: PicturedEntity]
  ) {
    let segment = segments[candidate.place.segment].segment
    let position = Int(segment.tag(at: candidate.place.row))
    let score = candidate.score
    if let best = pictured[candidate.key],
      (best.score.total, -best.imagePosition) >= (score.total, -position)
    {
      return
    }
    pictured[candidate.key] = PicturedEntity(
      type: type, score: score,
      tier: comparison.tier(candidate.measured, candidate.place.row, in: segment),
      imagePosition: position, isChecked: candidate.isChecked,
      alignment: candidate.measured.alignment.map {
        PlacedAlignment(alignment: $0, size: segment.size(at: candidate.place.row))
      })
  }

  /// The keys of rows that are no candidates yet.
  func newKeys(of rows: some Collection<CandidateSearch.Row>) -> Set<UInt32> {
    Set(rows.lazy.filter { candidates[$0] == nil }.map(key))
  }

  private func key(of place: CandidateSearch.Row) -> UInt32 {
    segments[place.segment].segment.key(at: place.row)
  }

  /// Compares rows that are no candidates yet with the query.
  mutating func add(
    _ rows: some Collection<CandidateSearch.Row>, labels: (UInt32) -> Double?
  ) {
    for place in rows where candidates[place] == nil {
      let key = key(of: place)
      candidates[place] = Examination.Candidate(
        place: place, key: key, votes: CandidateSearch.Votes(),
        measured: comparison.measure(place.row, in: segments[place.segment].segment),
        labels: labels(key))
    }
  }

  /// Checks the corners of the candidates that are worth it, the best first.
  ///
  /// - Returns: The share that was checked before the search was to stop.
  mutating func checkCorners(_ shouldStop: () -> Bool) -> Double {
    let planned = toCheck()
    for (done, place) in planned.enumerated() {
      if shouldStop() { return Double(done) / Double(planned.count) }
      guard var candidate = candidates[place] else { continue }
      let votes = candidate.votes
      comparison.check(
        &candidate.measured, place.row, in: segments[place.segment].segment,
        isMirrored: votes.best > 0
          ? votes.mirrored > votes.upright : candidate.measured.variant.isMirrored)
      candidate.isChecked = true
      candidates[place] = candidate
    }
    return 1
  }

  /// Which candidates are worth a check of their corners, the best by score first.
  private func toCheck() -> [CandidateSearch.Row] {
    // Each score once: a sort asks for it many times.
    let ranked = candidates.values.map { (total: $0.score.total, candidate: $0) }.sorted {
      ($1.total, $0.candidate.place) < ($0.total, $1.candidate.place)
    }
    let byVotes = ranked.indices.filter { ranked[$0].candidate.votes.best > 0 }
      .sorted {
        (ranked[$1].candidate.votes.best, $0) < (ranked[$0].candidate.votes.best, $1)
      }
      .prefix(Self.checkedByVotes)
    return Set(ranked.indices.prefix(Self.checkedByScore)).union(byVotes).sorted()
      .map { ranked[$0].candidate.place }
  }
}
