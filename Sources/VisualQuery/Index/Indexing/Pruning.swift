/// Decides which entities a run removes because its feed lacks them.
struct Pruning: Sendable {
  /// The decision of one run.
  enum Outcome {
    case remove([EntityID])
    /// None is removed, for a reason that continues "nothing was removed: ".
    ///
    /// `neededLimit` is the least limit in percent that would allow it, if the limit is the reason.
    case keepAll(reason: String, neededLimit: Int? = nil)
  }

  /// The entities of the feed.
  let ids: Set<EntityID>
  /// The ids of rejected rows, of which the type may not be readable.
  let refusedIDs: Set<String>
  /// True if a rejected row has no readable id: it may be a row of any entity.
  let hasNamelessRow: Bool
  /// The largest share of all entities that may be removed, in percent.
  let percentLimit: Double?

  /// Decides what to remove.
  ///
  /// - Parameter all: The entities of the catalogue after the run.
  /// - Complexity: O(*n*) for *n* entities.
  func outcome(among all: [EntityID]) -> Outcome {
    if ids.isEmpty { return .keepAll(reason: "no row was read") }
    if hasNamelessRow { return .keepAll(reason: "a rejected row has no readable id") }
    let missing = all.filter { !ids.contains($0) && !refusedIDs.contains($0.value) }
    if let percentLimit, Double(missing.count) * 100 > percentLimit * Double(all.count) {
      let limit = Int(exactly: percentLimit).map(String.init) ?? "\(percentLimit)"
      return .keepAll(
        reason:
          "the feed lacks \(missing.count) of \(all.count) entities, and the limit is \(limit) %",
        neededLimit: (missing.count * 100 + all.count - 1) / all.count)
    }
    return .remove(missing)
  }
}

extension Indexer.Progress {
  /// Takes over what was removed, or why nothing was.
  mutating func count(_ outcome: Pruning.Outcome) {
    switch outcome {
    case .remove(let ids):
      removed = ids.count
      changes.count(removed: ids)
    case .keepAll(let reason, let neededLimit):
      unprunedReason = reason
      neededRemovalLimit = neededLimit
    }
  }
}
