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

  /// The number of the feed.
  let feed: Int
  /// The number of entities that belong to the feed since this run.
  let gainedCount: Int
  /// The entities that the feed has now.
  let ids: Set<EntityID>
  /// The ids of rejected rows, of which the type may not be readable.
  let refusedIDs: Set<String>
  /// True if a rejected row has no readable id: it may be a row of any entity.
  let hasNamelessRow: Bool
  /// The largest share of the entities that the feed had before the run that may be removed, in percent.
  let percentLimit: Double?

  /// Decides what to remove.
  ///
  /// - Parameter own: The entities that belong to the feed after the run.
  /// - Complexity: O(*n*) for *n* entities.
  func outcome(among own: [EntityID]) -> Outcome {
    if ids.isEmpty { return .keepAll(reason: "no row was read") }
    if hasNamelessRow { return .keepAll(reason: "a rejected row has no readable id") }
    let missing = own.filter { !ids.contains($0) && !refusedIDs.contains($0.value) }
    // Entities that came with this run must not hide how many of the others are missing.
    let before = max(missing.count, own.count - gainedCount)
    if let percentLimit, Double(missing.count) * 100 > percentLimit * Double(before) {
      let limit = Int(exactly: percentLimit).map(String.init) ?? "\(percentLimit)"
      return .keepAll(
        reason:
          "the feed lacks \(missing.count) of \(before) entities, and the limit is \(limit) %",
        neededLimit: (missing.count * 100 + before - 1) / before)
    }
    return .remove(missing)
  }
}

extension Indexer.Progress {
  /// Takes over what was removed, or why nothing was.
  ///
  /// - Parameter feed: The name of the feed, or `nil` if the run has one feed only.
  mutating func count(_ outcome: Pruning.Outcome, of feed: String? = nil) {
    switch outcome {
    case .remove(let ids):
      removed += ids.count
      changes.count(removed: ids)
    case .keepAll(let reason, let neededLimit):
      unprunedReason = unprunedReason ?? (feed.map { "in '\($0)': " } ?? "") + reason
      neededRemovalLimit =
        neededLimit.map { max($0, neededRemovalLimit ?? 0) } ?? neededRemovalLimit
    }
  }
}
