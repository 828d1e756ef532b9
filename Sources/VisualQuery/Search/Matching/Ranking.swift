internal import PixelMatch

/// An entity that may be shown, and the evidence for its confidence.
struct ScoredEntity: Sendable {
  let key: UInt32
  let type: EntityType
  var evidence: [Evidence]
  /// The evidence as it would be without an embedding, or `nil` if none was compared.
  var evidenceWithoutEmbedding: [Evidence]?
  /// The calibrated probability that it is right; in ``MatchResponse/possible``, its share of one distribution.
  var confidence: Double
  var tier: MatchTier
  /// The image that matched, or `nil` if only labels or stock did.
  var image: BestImage?
  /// The index of the image that matched among the entity's images.
  var imagePosition: Int?
  /// The matched product that a store stocks.
  var stocks: EntityID?
  /// The distance of a store from the person, in meters.
  var distance: Double?
  /// The name of the rule that moved it, or `nil` if none did.
  var rule: String?
}

/// An entity with the id that breaks its ties.
struct RankedEntity: Sendable {
  let entity: ScoredEntity
  let id: EntityID
}

/// The entities that may be shown, on whatever page, best first.
struct RankedList: Sendable {
  let entities: [RankedEntity]
  /// True if the list has all of them: `false` if the deadline cut the search for stores short.
  let isWhole: Bool
}

/// One order over all types.
enum Ranking {
  /// Returns the entities that can be among the answers, on whatever page: at or above the cut-off
  /// and, within each type, with a confidence no lower than that of the last of
  /// ``MatchOptions/maximumLimit``. Ties with the last one stay in; the id decides between them later.
  static func contenders(
    _ scored: [ScoredEntity], types: Set<EntityType>, cutOff: Double
  ) -> [ScoredEntity] {
    EntityType.allCases.filter(types.contains).flatMap { type -> [ScoredEntity] in
      let own = scored.filter { $0.type == type && $0.confidence >= cutOff }
        .sorted { $0.confidence > $1.confidence }
      guard let last = own.prefix(MatchOptions.maximumLimit).last else { return [] }
      return own.filter { $0.confidence >= last.confidence }
    }
  }

  /// Returns the first ``MatchOptions/maximumLimit``: by confidence, then stores by distance, then by id.
  static func topRanked(_ contenders: [RankedEntity]) -> [RankedEntity] {
    Array(contenders.sorted(by: precedes).prefix(MatchOptions.maximumLimit))
  }

  static func precedes(_ a: RankedEntity, _ b: RankedEntity) -> Bool {
    if a.entity.confidence != b.entity.confidence {
      return a.entity.confidence > b.entity.confidence
    }
    if a.id.type != b.id.type { return a.id.type < b.id.type }
    let (far, near) = (b.entity.distance ?? .infinity, a.entity.distance ?? .infinity)
    return near == far ? a.id < b.id : near < far
  }

  /// Returns the indices of the entries to show next, in their order: each type up to its own limit,
  /// and all up to the total limit.
  static func page(
    of types: [EntityType], notShown isLeft: (Int) -> Bool, options: MatchOptions
  ) -> [Int] {
    var room = Dictionary(
      uniqueKeysWithValues: EntityType.allCases.map { ($0, options.limit(of: $0)) })
    let allowed = types.indices.filter { index in
      guard isLeft(index) else { return false }
      room[types[index]]! -= 1
      return room[types[index]]! >= 0
    }
    return Array(allowed.prefix(options.limit))
  }
}
