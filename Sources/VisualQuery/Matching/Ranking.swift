internal import PixelMatch

/// What stands behind one entity's confidence before it is shown.
struct ScoredEntity: Sendable {
  let key: UInt32
  let type: EntityType
  let evidence: [Evidence]
  let confidence: Double
  let tier: MatchTier
  /// The picture that matched; `nil` where only labels did.
  let picture: PicturedEntity?
}

/// One order over all types.
enum Ranking {
  /// The entities that can be among the answers: at or above the cut-off and, within each type,
  /// no less sure than the last that its limit lets through. Ties with that one stay in, since
  /// only their ids, which are not known yet, decide between them.
  static func contenders(
    _ scored: [ScoredEntity], options: MatchOptions, cutOff: Double
  ) -> [ScoredEntity] {
    EntityType.allCases.flatMap { type -> [ScoredEntity] in
      let own = scored.filter { $0.type == type && $0.confidence >= cutOff }
        .sorted { $0.confidence > $1.confidence }
      let limit = min(options.limit, options.typeLimits[type] ?? options.limit)
      guard limit > 0, let last = own.prefix(limit).last else { return [] }
      return own.filter { $0.confidence >= last.confidence }
    }
  }

  /// The surest first, ties by id; then each type's limit, then the limit in all.
  static func ranked(
    _ contenders: [(entity: ScoredEntity, id: EntityID)], options: MatchOptions
  ) -> [ScoredEntity] {
    var left = options.typeLimits
    let sorted = contenders.sorted {
      $0.entity.confidence == $1.entity.confidence
        ? $0.id < $1.id : $0.entity.confidence > $1.entity.confidence
    }
    let allowed = sorted.filter { contender in
      guard let room = left[contender.entity.type] else { return true }
      left[contender.entity.type] = room - 1
      return room > 0
    }
    return allowed.prefix(options.limit).map(\.entity)
  }
}
