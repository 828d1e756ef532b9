/// Decides which entities a run removes because its feed lacks them: only those that the feed itself brought.
struct Pruning: Sendable {
  /// The decision of one run.
  enum Outcome {
    case remove([EntityID])
    /// None is removed, for a reason that continues "nothing was removed: ".
    ///
    /// `neededLimit` is the least limit in percent that would allow it, if the limit is the reason.
    case keepAll(reason: String, neededLimit: Int? = nil)
  }

  /// The limits of what is removed.
  enum Limit: Sendable {
    /// The largest share of the entities that the feed had before the run, in percent, as the run was asked.
    case given(Double)
    /// The limits of the index, for each type, with the last runs of the feed.
    case ofIndex(LossLimits, history: [RunRecord])
    /// Whatever is missing is removed.
    case none
  }

  /// The number of the feed.
  let feed: Int
  /// The number of entities of each type that belong to the feed since this run.
  let gained: Coverage
  /// The entities that the feed has now.
  let ids: Dictionary<EntityID, Int>.Keys
  /// The ids of rejected rows, of which the type may not be readable.
  let refusedIDs: Set<String>
  /// True if a rejected row has no readable id: it may be a row of any entity.
  let hasNamelessRow: Bool
  let limit: Limit

  /// Decides what to remove.
  ///
  /// - Parameter own: The entities that belong to the feed after the run.
  /// - Complexity: O(*n*) for *n* entities.
  func outcome(among own: [EntityID]) -> Outcome {
    if ids.isEmpty { return .keepAll(reason: "no row was read") }
    if hasNamelessRow { return .keepAll(reason: "a rejected row has no readable id") }
    let missing = own.filter { !ids.contains($0) && !refusedIDs.contains($0.value) }
    // Entities that came with this run must not hide how many of the others are missing.
    let gainedCount = EntityType.allCases.reduce(0) { $0 + gained[$1, .entities] }
    let before = max(1, missing.count, own.count - gainedCount)
    if let reason = refusal(of: missing, among: own, before: before) {
      return .keepAll(
        reason: reason, neededLimit: (missing.count * 100 + before - 1) / before)
    }
    return .remove(missing)
  }

  private func refusal(of missing: [EntityID], among own: [EntityID], before: Int) -> String? {
    switch limit {
    case .none: return nil
    case .given(let percent):
      guard Double(missing.count) * 100 > percent * Double(before) else { return nil }
      return
        "the feed lacks \(missing.count) of \(before) entities, and the limit is \(KeptLoss.text(percent)) %"
    case .ofIndex(let limits, let history):
      let types = EntityType.allCases.filter { type in own.contains { $0.type == type } }
      return types.lazy.compactMap { type in
        refusal(
          of: type, among: own, missing: missing.count { $0.type == type }, limits, history,
          things: types.count == 1 ? "entities" : type == .product ? "products" : "stores")
      }.first
    }
  }

  private func refusal(
    of type: EntityType, among own: [EntityID], missing: Int, _ limits: LossLimits,
    _ history: [RunRecord], things: String
  ) -> String? {
    let former = max(missing, own.count { $0.type == type } - gained[type, .entities])
    if LossLimits.isBeyond(limits.once, missing, of: former) {
      return
        "the feed lacks \(missing) of \(former) \(things), and the limit is \(KeptLoss.text(limits.once)) %"
    }
    let past = RunRecord.loss(of: .entities, type, in: history)
    let (lost, all) = (past.lost + missing - gained[type, .entities], past.of ?? former)
    guard missing > 0, LossLimits.isBeyond(limits.together, lost, of: all) else { return nil }
    return
      "the feeds of seven nights lack \(lost) of \(all) \(things), and the limit is \(KeptLoss.text(limits.together)) %"
  }
}

extension Indexer.Progress {
  /// Takes over what was removed, or why nothing was.
  mutating func count(_ outcome: Pruning.Outcome) {
    switch outcome {
    case .remove(let ids):
      removed += ids.count
      changes.count(removed: ids)
      for id in ids { removedByType[id.type, .entities] += 1 }
    case .keepAll(let reason, let neededLimit):
      unprunedReason = reason
      neededRemovalLimit = neededLimit
    }
  }
}
