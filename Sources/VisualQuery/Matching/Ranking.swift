internal import PixelMatch

/// What stands behind one entity's confidence before it is shown.
struct ScoredEntity: Sendable {
  let key: UInt32
  let type: EntityType
  let evidence: [Evidence]
  let confidence: Double
  let tier: MatchTier
  /// The picture that matched; `nil` where only labels or stock did.
  var picture: PicturedEntity?
  /// Which of the entity's pictures matched, from 0.
  var imagePosition: Int?
  /// The product that brought a store.
  var stocks: EntityID?
  /// Meters from the place that was asked from.
  var distance: Double?
}

/// One order over all types.
enum Ranking {
  /// An entity and what breaks its ties.
  typealias Named = (entity: ScoredEntity, id: EntityID)

  /// All that may be shown, on whatever page.
  struct List: Sendable {
    /// In their order.
    let entities: [Named]
    /// Whether nothing was left out since the deadline had passed.
    let isWhole: Bool
  }

  /// The entities that can be among the answers, on whatever page: at or above the cut-off and,
  /// within each type, no less sure than the last of ``MatchOptions/maximumLimit``. Ties with that
  /// one stay in, since only what is not known yet decides between them.
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

  /// The surest first; of stores that are equally sure the nearest; then by id.
  static func ranked(_ contenders: [Named]) -> [Named] {
    Array(contenders.sorted(by: precedes).prefix(MatchOptions.maximumLimit))
  }

  static func precedes(_ a: Named, _ b: Named) -> Bool {
    if a.entity.confidence != b.entity.confidence {
      return a.entity.confidence > b.entity.confidence
    }
    if a.id.type != b.id.type { return a.id.type < b.id.type }
    let (far, near) = (b.entity.distance ?? .infinity, a.entity.distance ?? .infinity)
    return near == far ? a.id < b.id : near < far
  }

  /// The places of those that are shown next: in their order, each type up to its limit, then all up
  /// to the limit in all.
  static func page(
    of types: [EntityType], notShown isLeft: (Int) -> Bool, options: MatchOptions
  ) -> [Int] {
    var room = Dictionary(
      uniqueKeysWithValues: EntityType.allCases.map { ($0, options.limit(of: $0)) })
    let allowed = types.indices.filter { place in
      guard isLeft(place) else { return false }
      room[types[place]]! -= 1
      return room[types[place]]! >= 0
    }
    return Array(allowed.prefix(options.limit))
  }
}
