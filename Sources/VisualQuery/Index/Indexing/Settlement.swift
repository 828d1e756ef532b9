/// The end of a run over one feed, once its last entities are published: what the run takes from the index is decided, and what
/// the feed lacks is removed. Without it, as after a fault in the middle of the feed, all old values stay.
struct Settlement: Sendable {
  let losses: LossGuard
  /// What the entities of the feed had before the run.
  let before: Coverage
  /// The generation before the run.
  let firstGeneration: Int
  /// The last runs of the feed.
  let history: [RunRecord]
  let limits: LossLimits
  /// The entities that belong to the feed since this run.
  let gained: Coverage
  /// Entities that are as they were, but whose rows would take something from them.
  let keptUnchanged: Set<EntityID>
  let pruning: Pruning
  /// True if the options ask for the pruning.
  let prunesMissing: Bool
  /// True if the progress lists changes.
  let listsChanges: Bool

  /// True if the caller has said how many entities may be removed.
  private var acceptsRemovals: Bool {
    if case .ofIndex = pruning.limit { false } else { true }
  }

  /// Ends the run, and counts what became of the feed.
  func settle(
    with publisher: CataloguePublisher, _ progress: inout Indexer.Progress
  ) async throws {
    let decision = losses.decision(before: before, history: history, limits: limits)
    for id in try await publisher.settle(decision, of: pruning.ids)
    where keptUnchanged.contains(id) {
      progress.changed += 1
      if listsChanges { progress.changes.count(changed: id) }
    }
    if prunesMissing { progress.count(try await publisher.prune(pruning)) }
    progress.keptLosses = decision.kept
    progress.generation = await publisher.generation
    progress.coverage.before = before
    progress.coverage.after =
      progress.generation == firstGeneration
      ? before : try await publisher.coverage(of: pruning.feed, orOfNone: false)
    progress.coverage.kept = try await publisher.kept(of: pruning.feed, naming: pruning.ids)
    progress.coverage.keptImages = progress.keptImages
    progress.coverage.changes = decision.changes
    for type in EntityType.allCases {
      let loss = progress.removedByType[type, .entities] - gained[type, .entities]
      if loss == 0 { continue }
      progress.coverage.changes.append(
        RunRecord.Change(
          type: type, field: .entities, loss: loss, isAccepted: acceptsRemovals))
    }
  }
}
